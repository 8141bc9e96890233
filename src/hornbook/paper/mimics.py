"""Section 4.2 of the paper: runs of AFP that mimic recorded runs of ClH and of LRN, from transcript to transcript.

A run is a list of (query, answer) in order. No oracle is asked: the recorded run says all that the mimic must be told.
AFP is shown the same negative counterexamples in the same order, and in between the closures that it cannot ask for,
as positive ones: at once, as late as it can bear, or one at a time from the largest down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, TypeAlias

from hornbook.dialogue import Learner, Session
from hornbook.errors import Mismatch
from hornbook.learners.afp import afp
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Query
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, members

Record: TypeAlias = tuple[Query, Any]
Above: TypeAlias = Callable[[Attrs], Attrs]
"""The least set above this one that the recorded run knows to be a model."""

Teach: TypeAlias = Callable[[Theory, Theory, Attrs | None, Above], Attrs | None]
"""A positive counterexample to AFP's hypothesis (first), given the one mimicked (second), the negative set that comes
next (third), and what the run knows of models; None where AFP needs none."""


@dataclass(frozen=True, slots=True)
class Block:
    """One equivalence query of the recorded run, its counterexample as a set, and what else it asked until the next."""

    hypothesis: Theory
    negative: Attrs | None
    closures: dict[Attrs, Attrs]
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One block of the recorded run beside the part of the AFP run that mimics it: what AFP was taught, how many signs
    the recorded run tested, and whether both asked about the same hypothesis."""

    original: tuple[Record, ...]
    mimic: tuple[Record, ...]
    taught: tuple[Attrs, ...]
    tested: int
    same: bool


@dataclass(frozen=True, slots=True)
class Mimic:
    """A run and its mimic. The counts are those of the paper: a, b, p; and what both runs asked."""

    steps: tuple[Step, ...]
    learned: Theory | None

    @property
    def original(self) -> list[Record]:
        """The recorded run."""
        return [record for step in self.steps for record in step.original]

    @property
    def transcript(self) -> list[Record]:
        """The run of AFP that mimics it."""
        return [record for step in self.steps for record in step.mimic]

    @property
    def equivalences(self) -> int:
        """a: the equivalence queries of the recorded run, the last one with its yes included."""
        return len(self.steps)

    @property
    def taught(self) -> int:
        """p: how many positive counterexamples AFP was shown."""
        return sum(len(step.taught) for step in self.steps)

    @property
    def sign_tests(self) -> int:
        """b: the sets whose sign the recorded run tested."""
        return sum(step.tested for step in self.steps)

    @property
    def same(self) -> bool:
        """Whether AFP asked about each hypothesis of the recorded run, in the same order."""
        return all(step.same for step in self.steps)

    def asked(self, kind: type[Query]) -> int:
        """How many queries of this kind AFP asked."""
        return sum(isinstance(query, kind) for query, _ in self.transcript)


# How positive examples come


def at_once(hypothesis: Theory, goal: Theory, negative: Attrs | None, above: Above) -> Attrs | None:
    """The closure of the one premise whose conclusion is too large, and nothing more: the run of the paper."""
    return next((wanted.conclusion for _, wanted in too_large(hypothesis, goal)), None)


def late(hypothesis: Theory, goal: Theory, negative: Attrs | None, above: Above) -> Attrs | None:
    """Closures only where the next negative counterexample would else look positive, or when no other is left."""
    for known, wanted in too_large(hypothesis, goal):
        if negative is None or not known.satisfied_by(negative):
            return wanted.conclusion
    return None


def bit_by_bit(hypothesis: Theory, goal: Theory, negative: Attrs | None, above: Above) -> Attrs | None:
    """A model that takes a single attribute from a conclusion that is too large, where the models known allow it."""
    for known, wanted in too_large(hypothesis, goal):
        if (model := losing_one(known, above)) is not None:
            return model
        excess, model = known.conclusion & ~wanted.conclusion, wanted.conclusion
        for position in [*members(excess), *members(goal.everything & ~known.conclusion)]:
            larger = above(model | 1 << position)
            if excess & ~larger:
                model = larger
        return model
    return None


def losing_one(known: Implication, above: Above) -> Attrs | None:
    """A model above the premise that lacks exactly one attribute of the conclusion, if one is known."""
    for position in members(known.added):
        model = above((known.premise | known.conclusion) & ~(1 << position))
        if not model >> position & 1:
            return model
    return None


def too_large(hypothesis: Theory, goal: Theory) -> list[tuple[Implication, Implication]]:
    """The implications of AFP that claim more than those of the goal, which stand at the same places."""
    pairs = zip(hypothesis, goal, strict=False)
    return [(known, wanted) for known, wanted in pairs if known.added & ~wanted.conclusion]


# The two mimics


def mimic_clh(
    run: Sequence[Record], *, learner: Callable[[int], Learner[Theory]] = afp, teach: Teach = at_once
) -> Mimic:
    """The run of AFP that mimics this run of ClH. A run that was cut off is mimicked as far as it goes."""
    return _mimic(list(_blocks_of_clh(run)), learner, teach)


def mimic_lrn(
    run: Sequence[Record], *, learner: Callable[[int], Learner[Theory]] = afp, teach: Teach = at_once
) -> Mimic:
    """The run of AFP that mimics this run of LRN: each clause becomes its premise, closed under the hypothesis."""
    return _mimic(list(_blocks_of_lrn(run)), learner, teach)


def mimic(run: Sequence[Record], *, learner: Callable[[int], Learner[Theory]] = afp, teach: Teach = at_once) -> Mimic:
    """The mimic of a run of either, told apart by its first query."""
    if run and isinstance(run[0][0], EntailmentEquivalent):
        return mimic_lrn(run, learner=learner, teach=teach)
    return mimic_clh(run, learner=learner, teach=teach)


def _mimic(blocks: list[Block], learner: Callable[[int], Learner[Theory]], teach: Teach) -> Mimic:
    above = _above(blocks)
    session = Session(learner(blocks[0].hypothesis.size))
    steps = []
    for block in blocks:
        records, taught = _taught(session, block, above, teach)
        query = session.query
        same = isinstance(query, Equivalent) and _same(query.hypothesis, block.hypothesis)
        if teach is not late and not same:
            raise Mismatch(f"AFP asks {_said(query)} where {_rules(block.hypothesis)} was to be mimicked")
        _tell(session, block.negative, records)
        while isinstance(session.query, Contains):
            attrs = session.query.attrs
            if attrs not in block.closures:
                if block is blocks[-1]:
                    break  # The recorded run was cut off before it knew.
                raise Mismatch(f"AFP tests the sign of {_set(attrs)}, which the recorded run does not")
            _tell(session, block.closures[attrs] == attrs, records)
        steps.append(Step(block.records, tuple(records), tuple(taught), _tests(block), same))
    return Mimic(tuple(steps), session.result if session.query is None else None)


def _taught(session: Session[Theory], block: Block, above: Above, teach: Teach) -> tuple[list[Record], list[Attrs]]:
    """Show AFP positive counterexamples until the teacher has no more before this block's counterexample."""
    records: list[Record] = []
    taught: list[Attrs] = []
    limit = (block.hypothesis.size + 1) * (len(block.hypothesis) + 1)
    while isinstance(session.query, Equivalent):
        hypothesis = session.query.hypothesis
        positive = teach(hypothesis, block.hypothesis, block.negative, above)
        if positive is None:
            break
        if hypothesis.satisfies(positive) or len(taught) > limit:
            raise Mismatch(f"{_set(positive)} is no counterexample to {_rules(hypothesis)}")
        taught.append(positive)
        _tell(session, positive, records)
        if teach is at_once and isinstance(session.query, Equivalent):
            break  # One closure is all that the paper's mimic shows.
    return records, taught


def _above(blocks: list[Block]) -> Above:
    """What the run knows of models: all if it learned its target, else the closures it was told, and their meets."""
    last = blocks[-1]
    if last.negative is None:
        return last.hypothesis.closure
    told = {i.conclusion for block in blocks for i in block.hypothesis}
    told |= {closed for block in blocks[:-1] for closed in block.closures.values()}

    def above(attrs: Attrs) -> Attrs:
        return reduce(and_, (model for model in told if attrs & ~model == 0), last.hypothesis.everything)

    return above


def _tell(session: Session[Theory], answer: Any, records: list[Record]) -> None:
    if session.query is None:
        raise Mismatch("AFP has ended where the recorded run goes on")
    records.append((session.query, answer))
    session.answer(answer)


def _same(one: Theory, other: Theory) -> bool:
    """Whether both hold the same implications in the same order; whether conclusions repeat premises is no matter."""
    return [(i.premise, i.added) for i in one] == [(i.premise, i.added) for i in other]


def _blocks_of_clh(run: Sequence[Record]) -> Iterator[Block]:
    for hypothesis, x, rest in _split(run, Equivalent):
        closures = {}
        for query, answer in rest[1:]:
            if not isinstance(query, Close):
                raise Mismatch(f"a run of ClH asks Close and Equivalent, not {type(query).__name__}")
            closures[query.attrs] = answer
        yield Block(hypothesis, x, closures, rest)


def _blocks_of_lrn(run: Sequence[Record]) -> Iterator[Block]:
    parts = list(_split(run, EntailmentEquivalent))
    for hypothesis, clause, rest in parts:
        closures: dict[Attrs, Attrs] = {}
        last: Attrs | None = None
        for query, entailed in rest[1:]:
            if not isinstance(query, Entails) or query.attribute is None:
                raise Mismatch(f"a run of LRN asks Entails and EntailmentEquivalent, not {query}")
            last = query.premise
            closures.setdefault(last, last)
            closures[query.premise] |= entailed << query.attribute
        if clause is not None and rest is parts[-1][2]:
            # Cut off: what was not asked any more of the last set may be entailed.
            closures = {attrs: closed for attrs, closed in closures.items() if closed != attrs or attrs != last}
        yield Block(hypothesis, None if clause is None else hypothesis.closure(clause.premise), closures, rest)


def _split(run: Sequence[Record], kind: type[Any]) -> Iterator[tuple[Theory, Any, tuple[Record, ...]]]:
    """The run, cut before each equivalence query: its hypothesis, its answer, and all records of the part."""
    if not run:
        raise Mismatch("an empty run cannot be mimicked; record one of clh or lrn")
    starts = [place for place, (query, _) in enumerate(run) if isinstance(query, kind)]
    if starts[:1] != [0]:
        raise Mismatch(f"the run does not start with {kind.__name__}, so it is none of ClH or LRN")
    for start, end in zip(starts, [*starts[1:], len(run)], strict=True):
        query, answer = run[start]
        yield getattr(query, "hypothesis"), answer, tuple(run[start:end])  # noqa: B009


def _tests(block: Block) -> int:
    """How many sets the block tests the sign of: the proper meets, in order, until one is negative."""
    count = 0
    for known in block.hypothesis if block.negative is not None else ():
        meet = known.premise & (block.negative or 0)
        if meet != known.premise and meet in block.closures:
            count += 1
            if block.closures[meet] != meet:
                break
    return count


def _set(attrs: Attrs) -> str:
    return "{" + ", ".join(map(str, members(attrs))) + "}"


def _rules(theory: Theory) -> str:
    return "; ".join(f"{_set(i.premise)} -> {_set(i.added)}" for i in theory) or "nothing"


def _said(query: Query | None) -> str:
    return (
        "nothing more" if query is None else _rules(query.hypothesis) if isinstance(query, Equivalent) else str(query)
    )
