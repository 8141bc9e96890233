"""The front door: `learn(source)` puts a learner to an oracle, all layers between them, and accounts for the run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from hornbook import equivalence as eq
from hornbook import layers, sources, transcript
from hornbook.accounts import Budget, Care, Learned, Progress
from hornbook.checking import checked, each_of, is_answer, probed, probes, vetted
from hornbook.dialogue import Learner, run, through
from hornbook.embedding import embedded
from hornbook.equivalence import Equivalence
from hornbook.errors import BadAnswer, CannotAnswer, FormatError, HornbookError, TimeIsUp
from hornbook.facts import Fact, encode, known_from
from hornbook.inference import inferred
from hornbook.layers import Counts, Stopped, no_counts
from hornbook.learners import afp, closures_only, frugal
from hornbook.learners.closures_only import Progress as Certified
from hornbook.limits import INTERRUPTED, Limits
from hornbook.queries import Close, Contains, EntailmentEquivalent, Equivalent, Query, answers
from hornbook.routes import closes, handlers, served
from hornbook.sources import Settings, Target
from hornbook.universe import everything
from hornbook.witnesses import Certificate
from hornbook.worth import Evidence

AT_ONCE = 64
"""How many sets of a batch are asked for at once where the oracle is in our own process and nothing is kept."""

REPORTED_EVERY = 0.1
"""Seconds. A run may ask faster than anyone looks."""

T = TypeVar("T")

MakeLearner = Callable[[int], Learner[Any]]
MakeEquivalence = Callable[[int], Equivalence]


def learn(
    source: object,
    attributes: Iterable[str] | None = None,
    *,
    learner: MakeLearner | None = None,
    equivalence: MakeEquivalence | None = None,
    transcript: str | Path | None = None,
    budget: Budget | None = None,
    care: Care | None = None,
    settings: Settings | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Learned:
    """The canonical basis of whatever the source closes, with an account of every query and, where it can be, a proof.

    A source is a function from a list of names to names, together with its attributes; or an oracle; or what
    `hornbook learn` takes: a file, `python:...`, `command:...`, `exec:...`; or a table, a DataFrame, a theory.

    The learner is `frugal` where the oracle knows equivalence or `equivalence` says how to answer it (`afp` if it knows
    membership and no closures), else `closures_only`. A transcript keeps every answer; the same call with the same file
    goes on where it ended.
    """
    _no_names(learner, equivalence)
    chosen = settings or Settings()
    if attributes is not None:
        chosen = replace(chosen, attributes=list(attributes))
    with sources.opened(source, chosen) as target:
        return _Run(target, learner, equivalence, budget or Budget(), care or Care(), report).ended(transcript)


def _no_names(learner: object, equivalence: object) -> None:
    """Refuses names where functions are wanted: the command line has names for both."""
    if isinstance(learner, str):
        raise FormatError(f"a learner is a function; write learner=hornbook.{learner.replace('-', '_')}")
    if isinstance(equivalence, str):
        raise FormatError(
            f"a way to answer equivalence is a function, not {equivalence!r}; write equivalence=by_closures, after "
            "from hornbook.learners.by_closures import by_closures, or see hornbook.equivalence"
        )


class _Run:
    """One run: a learner, its layers, and what they count."""

    def __init__(
        self,
        target: Target,
        learner: MakeLearner | None,
        equivalence: MakeEquivalence | None,
        budget: Budget,
        care: Care,
        report: Callable[[Progress], None] | None,
    ) -> None:
        self.target, self.budget, self.care, self.report = target, budget, care, report
        self.size = target.universe.size
        self.equivalence = None if equivalence is None else equivalence(self.size)
        exact = Equivalent in answers(target.oracle)
        self.closes = closes(answers(target.oracle), self.size)
        comparing = frugal if self.closes else afp
        self.learner = learner or (comparing if exact or equivalence is not None else closures_only)
        self.evidence = Evidence(target, self.equivalence)
        self.knowledge = self.evidence.knowledge
        if self.learner is closures_only:
            self.evidence.uncertified = everything(self.size)
        self.queries, self.probes = no_counts(), no_counts()
        self.inferred: Counts = {}
        self.wavered: list[tuple[Query, Any, tuple[int, ...]]] = []
        self.votes: dict[Query, tuple[int, ...]] = {}
        self.book: transcript.Transcript | None = None
        self.recalled = 0
        self.report_due = 0.0

    def ended(self, path: str | Path | None) -> Learned:
        """The run, to its end or to the end of its budget."""
        self.limits = Limits(self.budget, self.care.repeat, self.evidence)
        if path is None:
            return self._learned(self._run(None))
        held = self.target.digest
        header = transcript.Header(
            self.target.universe, self.target.name, None if held is None else held(), self.target.definite
        )
        with transcript.open_transcript(Path(path), header) as book:
            return self._learned(self._run(book))

    def _run(self, book: transcript.Transcript | None) -> Any:
        self.book = book
        try:
            if book is not None:
                known_from(book.facts, self.target.universe, definite=self.target.definite)
            outcome = run(self._layered(), self.target.oracle)
            self._reports()
            return outcome
        except (KeyboardInterrupt, TimeIsUp) as cut:
            self._keep_answered(cut)
            return Stopped(self.limits.cut(cut))
        except HornbookError as error:
            self._keep_answered(error)
            for line in self._wavered():
                error.add_note(f"wavered: {line}")
            if way := self._way_on(error):
                error.add_note(way)
            raise

    def _way_on(self, error: HornbookError) -> str | None:
        """What becomes of the answers that came before the error."""
        if not isinstance(error, BadAnswer | CannotAnswer) or getattr(error, "hopeless", False):
            return None
        contradictory = isinstance(error, BadAnswer) and re.search(r"contradict each other|cannot be true", str(error))
        if self.book is None:
            return "with a transcript (--transcript FILE) a wrong answer can be taken back" if contradictory else None
        if contradictory and re.search(r"\bline \d+: ", str(error)):
            return (
                f"take a wrong one back with: hornbook retract {self.book.path} LINE, then run the same command again"
            )
        return f"all answers so far are in {self.book.path}; the same command goes on from there"

    def _keep_answered(self, error: BaseException) -> None:
        """Keep what a batch was told before it failed: `answered`, of the error, has pairs of a set and its closure."""
        if self.care.repeat > 1:
            return  # Not all votes are there.
        for attrs, closed in getattr(error, "answered", ()):
            query = Close(attrs)
            with suppress(BadAnswer):
                if (self.book is None or self.book.known(query) is None) and is_answer(query, closed, self.size):
                    self.queries[query.kind] += 1
                    if self.book is not None:
                        self.book.add(query, closed)
                    self.knowledge.learn(query, closed)

    def _layered(self) -> Learner[Any]:
        """The learner in all its layers, its side first."""
        size, oracle, book = self.size, self.target.oracle, self.book
        asking: Learner[Any] = layers.counted(self._made(), self.evidence.asked)
        asking = layers.recorded(asking, self.evidence.tells)
        if not self.target.definite:
            asking = embedded(asking, size)
        if self.equivalence is not None:
            equivalent = eq.informed(self.equivalence, self.knowledge)
            # An oracle that compares theories itself is not asked to: this way of doing it was chosen instead.
            known = answers(oracle) - {EntailmentEquivalent} | {Equivalent}
            asking = through(through(asking, handlers(known, size)), {Equivalent: self._comparing(equivalent)})
        asking = served(asking, oracle, size)
        asking = layers.cached(inferred(asking, size, self.knowledge, self.inferred))
        # What a batch tells is known piece by piece, and lost by none that comes too late.
        asking = layers.in_pieces(asking, self._at_once, self.knowledge.learn)
        if self.care.probe:
            kind = Close if self.closes else Contains
            extra = served(each_of(probes(size, self.care.probe, self.care.seed, kind)), oracle, size)
            extra = layers.in_pieces(extra, self._at_once, lambda *told: None)
            asking = probed(asking, extra, self.knowledge, self.probes)
        asking = checked(asking, size, self._show)
        asking = layers.counted(asking, self.queries, each=self.care.repeat)
        if book is not None:
            asking = transcript.kept(asking, book, recall=self._recall, votes=self.votes)
        asking = layers.limited(asking, self._exhausted)
        if self.care.repeat > 1:
            together = (self._workers() or 1) > 1
            asking = layers.repeated(asking, self.care.repeat, self._differ, together=together)
        if book is not None or self.care.repeat > 1:
            asking = vetted(asking, size)
        return asking

    def _made(self) -> Learner[Any]:
        if self.learner is closures_only:
            return closures_only(self.size, most_closed=self.budget.closed_sets, report=self._certifies)
        return self.learner(self.size)

    def _certifies(self, progress: Certified) -> None:
        self.evidence.uncertified = everything(self.size) & ~progress.certified
        self.evidence.held = progress.implications

    def _comparing(self, equivalent: Callable[[Equivalent], Learner[Any]]) -> Callable[[Equivalent], Learner[Any]]:
        """The way to answer equivalence; what it said yes to is remembered, since it is worth just that yes."""

        def compared(query: Equivalent) -> Learner[Any]:
            x = yield from equivalent(query)
            if x is None:
                self.evidence.confirmed = query.hypothesis
            return x

        return compared

    def _at_once(self) -> int:
        """How many sets of a batch to ask for now: no more than may be lost, and no more than may be asked."""
        workers = self._workers()
        most = workers // self.care.repeat if workers is not None else AT_ONCE if self.book is None else 1
        return int(max(1, min(most, self.limits.room)))

    def _workers(self) -> int | None:
        """How many sets the oracle closes side by side, where that is what it does with a batch."""
        workers = getattr(self.target.oracle, "workers", None)
        return workers if isinstance(workers, int) else None

    def _recall(self, fact: Fact) -> None:
        self.recalled += 1
        if fact.votes and isinstance(fact.query, Query):
            self.wavered.append((fact.query, fact.answer, fact.votes))

    def _differ(self, query: Query, answer: Any, votes: Sequence[int]) -> None:
        self.votes[query] = tuple(votes)
        self.wavered.append((query, answer, tuple(votes)))

    def _wavered(self) -> list[str]:
        """What was not answered in the same way each time, and how often in this way."""
        shown = ((self._show(query, answer), votes) for query, answer, votes in self.wavered)
        return [f"{said}; {votes[0]} of {sum(votes)} answers were this one" for said, votes in shown]

    def _exhausted(self, query: Query) -> str | None:
        """Why the next query may not be asked, if it may not."""
        if self.report is not None and self.limits.seconds >= self.report_due:
            self._reports()
        return self.limits.exhausted(query)

    def _reports(self) -> None:
        if self.report is not None:
            self.report(self._progress())
            self.report_due = self.limits.seconds + REPORTED_EVERY

    def _progress(self) -> Progress:
        uncertified = self.evidence.uncertified
        return Progress(
            self.size,
            dict(self.queries),  # Another thread may read it while more is counted.
            self.limits.asked,
            self.budget.queries,
            self.recalled,
            self.evidence.held,
            len(self.knowledge.closed_sets),
            None if uncertified is None else self.size - uncertified.bit_count(),
        )

    def _show(self, query: Query, answer: Any) -> str:
        fact = None if self.book is None else self.book.known(query)
        line = "" if fact is None else f"line {fact.line}: "
        return line + encode(query, answer, self.target.universe)

    # The end

    def _learned(self, outcome: Any) -> Learned:
        interrupted = isinstance(outcome, Stopped) and outcome.reason == INTERRUPTED
        worth = _in_peace(lambda: self.evidence.worth(outcome), once=not interrupted)
        status = worth.status
        more: dict[str, Any] = {}
        try:
            proof = worth.proving()
        except (KeyboardInterrupt, TimeIsUp) as cut:
            reason = f"{self.limits.cut(cut)} before the proof was made"
            proof, status = Certificate(None, reason), eq.incomplete(status.reason or reason)
        else:
            if not (interrupted or self.limits.late):  # It may take a search.
                with suppress(KeyboardInterrupt, TimeIsUp):
                    more |= self.evidence.horn()
        more |= self.evidence.remarks(status)
        if self.care.probe:
            more["probes"] = sum(self.probes.values())
        if self.care.repeat > 1:
            more["repeat"] = self.care.repeat
            more["wavered"] = self._wavered()
        queries = {kind: count - self.care.repeat * self.probes.get(kind, 0) for kind, count in self.queries.items()}
        return Learned(
            self.target.universe,
            worth.theory.in_order(),
            status,
            _name(self.learner),
            self.target.name,
            queries,
            self.evidence.asked,
            sum(self.inferred.values()),
            self.limits.seconds,
            proof,
            more,
        )


def _name(learner: MakeLearner) -> str:
    made: Any = getattr(learner, "func", learner)  # A partial one goes by the name of the whole.
    return str(getattr(made, "__name__", type(made).__name__)).replace("_", "-")


def _in_peace(make: Callable[[], T], *, once: bool) -> T:
    """What is made, anew where the alarm clock rang meanwhile, or, once, where an interruption came."""
    try:
        return make()
    except TimeIsUp:
        return _in_peace(make, once=once)
    except KeyboardInterrupt:
        if not once:
            raise
        return _in_peace(make, once=False)
