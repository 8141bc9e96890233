"""From a transcript on disk to the run that wrote it, and to the run of AFP that mimics it.

The file holds what reached the oracle, each answer once, and digests in the place of hypotheses. The learner, run again
through the layers of `hornbook.front` with the file as its oracle, has all that it asked, inferred answers included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hornbook import equivalence as eq
from hornbook.dialogue import Learner
from hornbook.errors import CannotAnswer, HornbookError, Mismatch
from hornbook.facts import Asked, Fact, encode, key
from hornbook.front import MakeEquivalence, learn
from hornbook.layers import recorded
from hornbook.learners import afp, clh, lrn
from hornbook.learners.by_closures import by_closures
from hornbook.paper.claims import Make
from hornbook.paper.mimics import Record, Teach, at_once, mimic
from hornbook.paper.sides import side_by_side
from hornbook.queries import (
    QUERIES,
    Close,
    CloseAll,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
)
from hornbook.sources import Target
from hornbook.theory import Theory
from hornbook.transcript import Header, read

ACCEPTED = (
    "accepted are transcripts of `hornbook learn --learner clh` and `--learner lrn`, with --equivalence exact, "
    "closures, or sampled with its usual --epsilon and --delta (name its --seed), whole or cut off, without --probe"
)

CLOSING = frozenset((Close, Entails, Holds, Unspecified))
"""What closures can be made of without learning the target first."""


def mimicked(
    path: Path, *, lines: bool = False, form: Make = afp, teach: Teach = at_once, seed: int = 0, name: str = "AFP"
) -> str:
    """The run in the file beside its mimic, as text, or the mimic alone as the lines of a transcript."""
    header, records = recorded_run(path, seed=seed)
    found = mimic(records, learner=form, teach=teach)
    if not lines:
        return side_by_side(found, header.universe.names)
    written = Header(header.universe, f"{name}, mimicking a run on {header.oracle}", definite=True)
    facts = (encode(query, answer, header.universe) for query, answer in found.transcript)
    return "\n".join([written.line(), *facts]) + "\n"


def recorded_run(path: Path, *, seed: int = 0) -> tuple[Header, list[Record]]:
    """The header, and all queries and answers of the run of ClH or LRN that wrote the transcript, on its own side.

    A general Horn target is the definite one of the embedding E1 there.
    """
    header, facts = read(path)
    if not facts:
        raise Mismatch(f"{path} holds no answer yet: an empty run cannot be mimicked")
    tries = []
    for way in _ways(facts, seed):
        tried = _replayed(way, header, facts)
        if tried.ended and not tried.left:
            return header, tried.records
        tries.append(tried)
    for tried in tries:
        if not tried.left:
            return header, tried.records  # It was cut off here.
    raise Mismatch(_refusal(path, facts, min(tries, key=lambda tried: len(tried.left))))


@dataclass(frozen=True, slots=True)
class _Way:
    """How the run may have been made: its learner, what its oracle answered, and who compared theories."""

    name: str
    learner: Make
    native: frozenset[type[Query]]
    equivalence: MakeEquivalence | None


@dataclass(frozen=True, slots=True)
class _Replayed:
    """A run, made again: what the learner asked, whether it ended, why it stopped, and the facts it did not want."""

    way: _Way
    records: list[Record]
    ended: bool
    stopped: str
    left: list[Fact]


def _ways(facts: Sequence[Fact], seed: int) -> Iterator[_Way]:
    """The ways in which the file may have come about, ClH first where runs of both would have written it."""
    kinds = {fact.query.kind for fact in facts}
    there = frozenset(query for query in QUERIES if query.kind in kinds) - {CloseAll}
    compared: tuple[MakeEquivalence | None, ...] = (None,)
    if not there & {Equivalent, EntailmentEquivalent}:
        compared = (by_closures, partial(eq.sampled, epsilon=0.05, delta=0.05, seed=seed, at_once=eq.AT_ONCE))
    learners: tuple[Make, ...] = (lrn, clh) if EntailmentEquivalent in there else (clh, lrn)
    for learner in learners:
        # A run that was cut off early may have asked nothing yet of what its oracle would answer. From memberships and
        # equivalence closures come by a run of AFP, so that its transcripts would pass for ones of ClH.
        natives = dict.fromkeys((*((there,) if there & CLOSING else ()), there | {Close}, there | {Entails}))
        # An oracle that takes batches whole is asked for sets that others have told by then.
        for native in (*natives, *(native | {CloseAll} for native in natives if Close in native)):
            for equivalence in compared:
                yield _Way("ClH" if learner is clh else "LRN", learner, native, equivalence)


def _replayed(way: _Way, header: Header, facts: Sequence[Fact]) -> _Replayed:
    answers: dict[Query | Asked, Fact] = {fact.query: fact for fact in facts}
    wanted: set[Query | Asked] = set()
    records: list[Record] = []
    ended: list[Theory] = []

    def told(query: Query) -> Any:
        if key(query) not in answers:
            raise CannotAnswer(encode(query, None, header.universe).partition(', "answer"')[0] + "}")
        wanted.add(key(query))
        return answers[key(query)].answer

    def noted(size: int) -> Learner[Theory]:
        learned = yield from recorded(way.learner(size), lambda query, answer: records.append((query, answer)))
        ended.append(learned)
        return learned

    oracle = _oracle(way.native, told)
    stopped = ""
    try:
        learn(
            Target(oracle, header.universe, header.oracle, header.definite), learner=noted, equivalence=way.equivalence
        )
    except HornbookError as error:
        stopped = str(error)
    if not ended and not stopped:
        raise KeyboardInterrupt  # The run took it for its own.
    left = [fact for fact in answers.values() if fact.query not in wanted]
    return _Replayed(way, records, not stopped, stopped, left)


def _oracle(native: frozenset[type[Query]], told: Callable[[Query], Any]) -> object:
    """An oracle that has the methods for these kinds of query alone."""

    def method(kind: Callable[..., Query]) -> Callable[..., Any]:
        return lambda *asked: told(kind(*asked))

    made = {kind.method: method(kind) for kind in native}
    if CloseAll in native:
        made[CloseAll.method] = lambda sets: [told(Close(attrs)) for attrs in sets]
    return SimpleNamespace(**made)


def _refusal(path: Path, facts: Sequence[Fact], tried: _Replayed) -> str:
    used = len(facts) - len(tried.left)
    end = f"it asks {tried.stopped}, which is not there," if tried.stopped else "it ends"
    return (
        f"{path} was written by no run of clh or lrn that can be made again: {tried.way.name} has a use for {used} of "
        f"its {len(facts)} answers, then {end} and line {tried.left[0].line} is left over; {ACCEPTED}"
    )
