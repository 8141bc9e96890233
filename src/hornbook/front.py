"""The front door: `learn(source)` puts a learner to an oracle, all layers between them, and accounts for the run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hornbook import equivalence as eq
from hornbook import layers, sources, transcript
from hornbook.checking import checked, probed, probes, vetted
from hornbook.dialogue import Learner, run, through
from hornbook.equivalence import Equivalence, Status
from hornbook.errors import BadAnswer, CannotAnswer, HornbookError
from hornbook.facts import encode
from hornbook.inference import inferred
from hornbook.knowledge import Knowledge
from hornbook.layers import Counts, Stopped, no_counts
from hornbook.learners import closures_only, frugal
from hornbook.learners.closures_only import Found
from hornbook.learners.closures_only import Progress as Certified
from hornbook.queries import CloseAll, EntailmentEquivalent, Equivalent, Query, answers
from hornbook.reductions import embedded
from hornbook.routes import handlers, served
from hornbook.sources import Settings, Target
from hornbook.theory import Theory
from hornbook.universe import Attrs, Universe
from hornbook.witnesses import Certificate, certificate, derived

FORMAT = "hornbook/1"

MOST_CLOSED = 5_000
"""More closed sets than this make no certificate of a known theory or of a part: making it would outlast the run."""

MakeLearner = Callable[[int], Learner[Any]]
MakeEquivalence = Callable[[int], Equivalence]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may cost; beyond it the run ends `incomplete`. Answers from a transcript cost nothing.

    `closed_sets` limits what `closures_only` keeps: a target may have exponentially many characteristic models.
    """

    queries: int | None = None
    implications: int | None = None
    seconds: float | None = None
    closed_sets: int | None = 20_000


@dataclass(frozen=True, slots=True)
class Care:
    """How far to trust the oracle: how often to ask each query, and how many extra ones to try it with."""

    repeat: int = 1
    probe: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands."""

    size: int
    queries: Counts
    recalled: int
    rules: int
    closed_sets: int
    certified: int | None


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned, what it is worth, and what it cost. `closed` are closed sets that prove it."""

    universe: Universe
    theory: Theory
    status: Status
    learner: str
    oracle: str
    queries: Counts
    asked: Counts
    inferred: int
    seconds: float
    proof: Certificate
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        return self.status.status == eq.EXACT

    @property
    def implications(self) -> list[tuple[list[str], list[str]]]:
        """The implications by names: premise, and what it adds."""
        return [(self.universe.names_in(i.premise), self.universe.names_in(i.added)) for i in self.theory]

    def closure(self, names: Iterable[str]) -> list[str] | None:
        """The closure of a set of names under what was learned, or None where it is contradictory."""
        attrs = self.universe.attrs(names)
        return self.universe.names_in(self.theory.closure(attrs)) if self.theory.consistent(attrs) else None

    def as_json(self) -> dict[str, Any]:
        """The result as it stands in a file, the format `hornbook/1`."""
        from hornbook.certificate import checksum
        from hornbook.formats import json_theory
        from hornbook.formats.values import NamedTheory

        body = json_theory.document(NamedTheory(self.universe, self.theory))
        head = {"format": FORMAT, **self.status.as_json(), "learner": self.learner, "oracle": self.oracle}
        account = {"queries": self.queries, "asked": self.asked, "inferred": self.inferred, **self.more}
        proof = {"certificate": self.proof.as_json(self.universe)}
        result = head | body | account | {"seconds": round(self.seconds, 3)} | proof
        return result | {"checksum": checksum(result)}

    def __str__(self) -> str:
        from hornbook import formats
        from hornbook.formats.values import NamedTheory

        return formats.dumps(NamedTheory(self.universe, self.theory), "imp")


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

    The learner is `frugal` where the oracle knows equivalence or `equivalence` says how to answer it, else
    `closures_only`. A transcript keeps every answer; the same call with the same file goes on where it ended.
    """
    chosen = settings or Settings()
    if attributes is not None:
        chosen = replace(chosen, attributes=list(attributes))
    with sources.opened(source, chosen) as target:
        return _Run(target, learner, equivalence, budget or Budget(), care or Care(), report).ended(transcript)


class TimeIsUp(BaseException):
    """Raised by an alarm clock in the middle of a run to end it; no oracle that catches exceptions catches it."""


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
        self.learner = learner or (frugal if exact or equivalence is not None else closures_only)
        self.asked, self.queries, self.probes = no_counts(), no_counts(), no_counts()
        self.inferred: Counts = {}
        self.knowledge = Knowledge(self.size, top=True if target.definite else None)
        self.wavered: list[str] = []
        self.book: transcript.Transcript | None = None
        self.recalled = 0
        self.asked_now = 0
        self.certified: int | None = None
        self.too_many_from = 0

    def ended(self, path: str | Path | None) -> Learned:
        """The run, to its end or to the end of its budget."""
        self.started = time.monotonic()
        if path is None:
            return self._learned(self._run(None))
        header = transcript.Header(self.target.universe, self.target.name, self.target.digest, self.target.definite)
        with transcript.open_transcript(Path(path), header) as book:
            return self._learned(self._run(book))

    def _run(self, book: transcript.Transcript | None) -> Any:
        self.book = book
        asking = self._layered(book)
        try:
            return run(asking, self.target.oracle)
        except KeyboardInterrupt:
            return Stopped("interrupted")
        except TimeIsUp:
            return Stopped(f"the time of {self.budget.seconds:g} s is over")

    def _layered(self, book: transcript.Transcript | None) -> Learner[Any]:
        """The learner in all its layers, its side first."""
        size, oracle = self.size, self.target.oracle
        asking: Learner[Any] = layers.counted(self._made(), self.asked)
        asking = embedded(asking, size)
        if self.equivalence is not None:
            equivalent = eq.informed(self.equivalence, self.knowledge)
            # An oracle that compares theories itself is not asked to: this way of doing it was chosen instead.
            known = answers(oracle) - {EntailmentEquivalent} | {Equivalent}
            asking = through(through(asking, handlers(known, size)), {Equivalent: equivalent})
        asking = served(asking, oracle, size)
        asking = layers.cached(inferred(asking, size, self.knowledge, self.inferred))
        if self.care.probe:
            extra, ways = probes(size, self.care.probe, self.care.seed), handlers(answers(oracle), size)
            asking = probed(asking, extra, self.knowledge, self.probes, ways)
        asking = checked(asking, size, self._show)
        asking = layers.counted(asking, self.queries, each=self.care.repeat)
        if book is not None:
            asking = self._kept(asking, book)
        if self.care.repeat > 1:
            asking = layers.repeated(asking, self.care.repeat, self._differ)
        if book is not None or self.care.repeat > 1:
            asking = vetted(asking, size)
        return layers.limited(asking, self._exhausted)

    def _made(self) -> Learner[Any]:
        if self.learner is closures_only:
            return closures_only(self.size, most_closed=self.budget.closed_sets, report=self._certifies)
        return self.learner(self.size)

    def _certifies(self, progress: Certified) -> None:
        self.certified = progress.certified.bit_count()

    def _kept(self, learner: Learner[Any], book: transcript.Transcript) -> Learner[Any]:
        """The learner, its answers taken from the transcript where they are there, else put into it before use."""
        workers = getattr(self.target.oracle, "workers", None)
        at_once = workers if isinstance(workers, int) else 1
        return transcript.kept(learner, book, at_once=at_once, recall=self._recall)

    def _recall(self) -> None:
        self.recalled += 1

    def _differ(self, query: Query, said: Sequence[Any]) -> None:
        self.wavered.append(f"{self._show(query, said[0])}; asked {len(said)} times, it gave {len(set(said))} answers")

    def _exhausted(self, query: Query) -> str | None:
        """Why the next query may not be asked, if it may not."""
        budget, count = self.budget, len(query.sets) if isinstance(query, CloseAll) else 1
        if self.report is not None:
            self.report(self._progress())
        if budget.queries is not None and self.asked_now + count > budget.queries:
            return f"the budget of {budget.queries} queries is spent"
        if budget.seconds is not None and time.monotonic() - self.started > budget.seconds:
            return f"the time of {budget.seconds:g} s is over"
        if budget.implications is not None and self._too_many(budget.implications):
            return f"there are more than {budget.implications} implications"
        self.asked_now += count
        return None

    def _too_many(self, most: int) -> bool:
        """Whether what is known needs more implications than that. Looked at only when enough rules have come."""
        rules = len(self.knowledge.rules)
        if rules <= max(most, self.too_many_from):
            return False
        known = len(self._known())
        self.too_many_from = rules + max(1, (most - known) // 2)
        return known > most

    def _known(self) -> Theory:
        """What is certain so far."""
        top = self.knowledge.top is not False
        return Theory.of(self.size, self.knowledge.rules.pairs(), top=top).canonical()

    def _progress(self) -> Progress:
        known = self.knowledge
        rules, closed = len(known.rules), len(known.closed_sets)
        return Progress(self.size, self.queries, self.recalled, rules, closed, self.certified)

    def _show(self, query: Query, answer: Any) -> str:
        fact = None if self.book is None else self.book.known(query)
        line = "" if fact is None else f"line {fact.line}: "
        return line + encode(query, answer, self.target.universe)

    # The end

    def _learned(self, outcome: Any) -> Learned:
        theory, status, proof = self._worth(outcome)
        more: dict[str, Any] = {}
        if self.care.probe:
            more["probes"] = sum(self.probes.values())
        if (gap := getattr(self.target.oracle, "horn_gap", None)) is not None and status.status == eq.EXACT:
            more |= self._horn(gap())
        if self.care.repeat > 1:
            more["repeat"] = self.care.repeat
            more["wavered"] = self.wavered
        queries = {kind: count - self.care.repeat * self.probes.get(kind, 0) for kind, count in self.queries.items()}
        return Learned(
            self.target.universe,
            theory.in_order(),
            status,
            _name(self.learner),
            self.target.name,
            queries,
            self.asked,
            sum(self.inferred.values()),
            time.monotonic() - self.started,
            proof,
            more,
        )

    def _horn(self, gap: tuple[Attrs, Attrs] | None) -> dict[str, Any]:
        """Whether a formula is Horn, so that what was learned is all of it; if not, two models whose meet is none."""
        if gap is None:
            return {"horn": True}
        return {"horn": False, "models": [self.target.universe.names_in(attrs) for attrs in gap]}

    def _worth(self, outcome: Any) -> tuple[Theory, Status, Certificate]:
        """The theory, what may be claimed of it, and what proves that."""
        if isinstance(outcome, Stopped):
            known = self._known()
            return known, eq.incomplete(outcome.reason), self._evidence(known)
        if isinstance(outcome, Found):
            if outcome.uncertified:
                return outcome.theory, self._uncertified(outcome), self._evidence(outcome.theory)
            return outcome.theory, eq.exact(), certificate(outcome.theory, outcome.closed, irreducible=True)
        theory: Theory = outcome.canonical()
        compared = self.asked[Equivalent.kind] + self.asked[EntailmentEquivalent.kind]
        # A learner that compares nothing, like attribute exploration, is not limited by how that would be done.
        status = eq.exact() if self.equivalence is None or not compared else self.equivalence.status()
        if status.status == eq.EXACT:
            return theory, status, derived(theory, limit=MOST_CLOSED)
        return theory, status, self._evidence(theory)

    def _uncertified(self, found: Found) -> Status:
        names = self.target.universe.names_in(found.uncertified)
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        return eq.incomplete(
            f"{found.reason}; whether more implies {shown} is unknown ({len(names)} of {self.size} attributes)"
        )

    def _evidence(self, theory: Theory) -> Certificate:
        """The closed sets that came up: no proof that nothing is missing, but of what does not follow."""
        closed = self.knowledge.closed_sets.sets
        if len(closed) > MOST_CLOSED:
            return Certificate(None, f"more than {MOST_CLOSED} closed sets came up")
        return certificate(theory, closed)


def _name(learner: MakeLearner) -> str:
    made: Any = getattr(learner, "func", learner)  # A partial one goes by the name of the whole.
    return str(getattr(made, "__name__", type(made).__name__)).replace("_", "-")


def hint(error: HornbookError, path: Path | None) -> str:
    """The error with what becomes of the answers that came before it."""
    if path is None or not path.exists():
        return str(error)
    if isinstance(error, BadAnswer):
        return f"{error}\ntake a wrong one back with: hornbook retract {path} LINE, then run the same command again"
    if isinstance(error, CannotAnswer):
        return f"{error}\nall answers so far are in {path}; the same command goes on from there"
    return str(error)
