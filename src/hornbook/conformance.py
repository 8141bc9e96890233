"""The conformance kit for oracles: the laws of closure operators, and agreement among all that an oracle answers.

from hornbook.conformance import check_oracle
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hornbook.dialogue import run
from hornbook.errors import BadAnswer
from hornbook.oracles.known import KnownTheory
from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
    answers,
)
from hornbook.routes import served
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, by_size, everything, members

SMALL = 7
"""Up to this many attributes everything is tried; beyond, a seeded sample."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What was checked: the kinds of query that the oracle answers, on how many sets."""

    kinds: frozenset[type[Query]]
    sets: int


@dataclass(slots=True)
class _Trial:
    """One oracle on trial: its closures, asked once each, are what all else is compared with."""

    oracle: Any
    size: int
    sets: list[Attrs]
    closures: dict[Attrs, Attrs | None]
    chance: random.Random

    @property
    def closed(self) -> list[Attrs]:
        """The models seen, smaller ones first."""
        return sorted({closed for closed in self.closures.values() if closed is not None}, key=by_size)

    @property
    def whole(self) -> bool:
        """Whether all sets have been closed, so that the models seen are all there are."""
        return self.size <= SMALL

    def closure(self, attrs: Attrs) -> Attrs | None:
        if attrs not in self.closures:
            self.closures[attrs] = _closure(self.oracle, self.size, attrs)
        return self.closures[attrs]


def check_oracle(
    oracle: object, size: int, target: Theory | None = None, *, samples: int = 200, seed: int = 0
) -> Conformance:
    """What the oracle answers, each kind checked; BadAnswer at the first answer that is wrong, with what shows it.

    Closures must obey the laws; every other kind must agree with them. With a target, all are compared with a known
    theory. A kind of query that the oracle does not answer is not asked for.
    """
    kinds = answers(oracle)
    chance = random.Random(seed)
    sets = list(range(1 << size)) if size <= SMALL else _sample(size, samples, chance)
    closes: Any = oracle if Close in kinds else _Served(oracle, size)
    trial = _Trial(oracle, size, sets, {}, chance)
    for attrs in sets:
        trial.closures[attrs] = _closure(closes, size, attrs)
    trial.oracle = closes
    check_laws(trial)
    trial.oracle = oracle
    if target is not None:
        _check_target(trial, target)
    for kind, check in _CHECKS.items():
        if kind in kinds:
            check(trial)
    return Conformance(kinds, len(sets))


def check_laws(trial: _Trial) -> None:
    """Raise unless the closures are extensive, idempotent and monotone, contradictions upwards closed."""
    for attrs in trial.sets:
        closed = trial.closures[attrs]
        if closed is not None:
            _require(attrs & ~closed == 0, "closure", attrs, closed, "it lacks some of the set")
            again = trial.closure(closed)
            _require(again == closed, "closure", closed, again, f"it is the closure of {attrs:#b}, so closed")
    for smaller, larger in _pairs(trial):
        below, above = trial.closure(smaller), trial.closure(larger)
        if above is not None:
            reason = f"the superset {larger:#b} has the closure {above:#b}"
            _require(below is not None and below & ~above == 0, "closure", smaller, below, reason)
    models = trial.closed
    for _ in range(len(models)):
        meet = trial.chance.choice(models) & trial.chance.choice(models)
        _require(trial.closure(meet) == meet, "closure", meet, trial.closure(meet), "it is an intersection of models")


def _pairs(trial: _Trial) -> Iterator[tuple[Attrs, Attrs]]:
    """Pairs of a set and a superset."""
    full = everything(trial.size)
    for attrs in trial.sets:
        if trial.whole:
            yield from ((attrs, attrs | 1 << position) for position in members(full & ~attrs))
        else:
            yield attrs, attrs | trial.chance.choice(trial.sets)
            yield attrs & trial.chance.choice(trial.sets), attrs


def _sample(size: int, count: int, chance: random.Random) -> list[Attrs]:
    """The empty set, single attributes, everything, everything but one, and random sets of all densities."""
    full = everything(size)
    singles = [1 << position for position in chance.sample(range(size), min(size, count // 4))]
    drawn = []
    for _ in range(count):
        density = chance.choice([2 / size, 4 / size, 0.1, 0.3, 0.5, 0.9])
        drawn.append(sum(1 << position for position in range(size) if chance.random() < density))
    return list(dict.fromkeys([0, full, *singles, *(full ^ single for single in singles[:20]), *drawn]))


def _closure(oracle: Any, size: int, attrs: Attrs) -> Attrs | None:
    closed: Any = oracle.closure(attrs)
    if closed is None:
        return None
    _require(isinstance(closed, int), "closure", attrs, closed, "a set is an int, a contradiction is None")
    _require(closed >> size == 0, "closure", attrs, closed, f"there are {size} attributes")
    return int(closed)


class _Served:
    """The closures of an oracle that has no closure(), by reductions."""

    def __init__(self, oracle: object, size: int) -> None:
        self._oracle, self._size = oracle, size

    def closure(self, attrs: Attrs) -> Attrs | None:
        closed: Attrs | None = run(served(_ask(Close(attrs)), self._oracle, self._size), self._oracle)
        return closed


def _ask(query: Query) -> Any:
    return (yield query)


# Each kind against the closures


def _check_batches(trial: _Trial) -> None:
    shuffled = [*trial.sets, *trial.sets[:3]]
    trial.chance.shuffle(shuffled)
    for batch in ([], shuffled[:1], shuffled):
        got = list(trial.oracle.closures(tuple(batch)))
        _require(len(got) == len(batch), "closures", len(batch), len(got), "each set wants one answer")
        for attrs, closed in zip(batch, got, strict=True):
            _require(closed == trial.closure(attrs), "closures", attrs, closed, "closure() says otherwise")


def _check_membership(trial: _Trial) -> None:
    for attrs in [*trial.sets, *trial.closed]:
        got = trial.oracle.contains(attrs)
        _require(got is (trial.closure(attrs) == attrs), "contains", attrs, got, f"closure: {trial.closure(attrs)}")


def _check_entailment(trial: _Trial) -> None:
    for attrs in trial.sets:
        closed = trial.closure(attrs)
        drawn = range(trial.size) if trial.whole else trial.chance.sample(range(trial.size), 8)
        for attribute in (None, *drawn):
            right = closed is None or (attribute is not None and closed >> attribute & 1 == 1)
            got = trial.oracle.entails(attrs, attribute)
            _require(got is right, "entails", (attrs, attribute), got, f"the closure is {closed}")


def _check_refutations(trial: _Trial) -> None:
    for premise in trial.sets:
        closed = trial.closure(premise)
        for conclusion in trial.chance.sample(trial.sets, min(8, len(trial.sets))):
            got = trial.oracle.refutation(Implication(premise, conclusion))
            question = (premise, conclusion)
            if closed is None or conclusion & ~closed == 0:
                _require(got is None, "refutation", question, got, f"the closure of the premise is {closed}")
            else:
                refutes = isinstance(got, int) and premise & ~got == 0 and conclusion & ~got != 0
                _require(refutes, "refutation", question, got, "it does not violate the implication")
                _require(trial.closure(got) == got, "refutation", question, got, "it is no model")


def _hypotheses(trial: _Trial) -> Iterator[Theory]:
    """Theories that are right, or wrong in one implication, or empty; no more than the models seen tell."""
    full = everything(trial.size)
    top = trial.closure(full) is not None
    rules = [(attrs, full if closed is None else closed) for attrs, closed in sorted(trial.closures.items())]
    right = Theory.of(trial.size, [rule for rule in rules if rule[0] != rule[1]], top=top)
    yield right
    yield Theory(trial.size, (), top)
    yield Theory(trial.size, right.implications, not top)
    basis = right.canonical() if trial.whole else right
    for index in range(min(len(basis), 12)):
        yield basis.without(index)
    for attrs in trial.chance.sample(trial.sets, min(12, len(trial.sets))):
        yield basis.append(Implication(attrs, full))


def _difference(trial: _Trial, hypothesis: Theory) -> Attrs | None:
    """A set seen that only one of the two has as a model."""
    for attrs in trial.sets:
        if hypothesis.satisfies(attrs) != (trial.closure(attrs) == attrs):
            return attrs
    return None


def _check_equivalence(trial: _Trial) -> None:
    for hypothesis in _hypotheses(trial):
        got = trial.oracle.counterexample(hypothesis)
        if got is None:
            missed = _difference(trial, hypothesis)
            _require(missed is None, "counterexample", hypothesis, None, f"they differ on {missed}")
        else:
            real = hypothesis.satisfies(got) != (trial.closure(got) == got)
            _require(real, "counterexample", hypothesis, got, "both agree on that set")


def _check_clauses(trial: _Trial) -> None:
    for hypothesis in _hypotheses(trial):
        clause = trial.oracle.distinguishing_clause(hypothesis)
        if clause is None:
            missed = _difference(trial, hypothesis)
            _require(missed is None, "distinguishing_clause", hypothesis, None, f"they differ on {missed}")
            continue
        closed = trial.closure(clause.premise)
        by_target = closed is None or clause.conclusion & ~closed == 0
        # Only for everything as premise no attribute is left to be a head: there the clause is the one without.
        if clause.premise == everything(trial.size):
            by_hypothesis = not hypothesis.consistent(clause.premise)
            by_target = closed is None
        else:
            by_hypothesis = hypothesis.entails(clause)
        _require(by_target != by_hypothesis, "distinguishing_clause", hypothesis, clause, "it tells no difference")


def _check_corrections(trial: _Trial) -> None:
    for attrs in trial.chance.sample(trial.sets, min(64, len(trial.sets))):
        got = trial.oracle.correction(attrs)
        nearest = min(trial.closed, key=lambda model: ((model ^ attrs).bit_count(), by_size(model)), default=None)
        if trial.whole:
            _require(got == nearest, "correction", attrs, got, f"the nearest model is {nearest}")
        elif nearest is not None:
            near = got is not None and (got ^ attrs).bit_count() <= (nearest ^ attrs).bit_count()
            _require(near and trial.closure(got) == got, "correction", attrs, got, f"the model {nearest} is nearer")


def _check_completions(trial: _Trial) -> None:
    full = everything(trial.size)
    for ones in trial.chance.sample(trial.sets, min(40, len(trial.sets))):
        stars = list(members(full & ~ones))
        trial.chance.shuffle(stars)
        stars = stars[: trial.chance.randint(0, 5)]
        completions = [ones]
        for star in stars:
            completions += [attrs | 1 << star for attrs in completions]
        inside = [trial.closure(attrs) == attrs for attrs in completions]
        right = True if all(inside) else None if any(inside) else False
        zeros = full & ~completions[-1]
        got = trial.oracle.unspecified(ones, zeros)
        _require(got is right, "unspecified", (ones, zeros), got, f"of its completions {sum(inside)} are models")


_CHECKS: dict[type[Query], Callable[[_Trial], None]] = {
    CloseAll: _check_batches,
    Contains: _check_membership,
    Entails: _check_entailment,
    Holds: _check_refutations,
    Equivalent: _check_equivalence,
    EntailmentEquivalent: _check_clauses,
    Correct: _check_corrections,
    Unspecified: _check_completions,
}


def _check_target(trial: _Trial, target: Theory) -> None:
    known = KnownTheory(target)
    for attrs in trial.sets:
        right, got = known.closure(attrs), trial.closures[attrs]
        _require(got == right, "closure", attrs, got, f"the target says {right}")
    if Equivalent in answers(trial.oracle):
        got = trial.oracle.counterexample(target)
        _require(got is None, "counterexample", target, got, "it is the target")


def _require(right: bool, method: str, question: object, answer: object, because: str) -> None:
    if not right:
        raise BadAnswer(f"{method}({_shown(question)}) gives {_shown(answer)}, which cannot be: {because}")


def _shown(value: object) -> str:
    """Sets in binary, so that attributes can be counted."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_shown, value))
    return f"{value:#b}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
