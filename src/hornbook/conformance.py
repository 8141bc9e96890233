"""The conformance kit for oracles: the laws of closure operators, and agreement among all that an oracle answers.

from hornbook.conformance import check_oracle
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from hornbook.checking import vetted
from hornbook.dialogue import Handlers, run, through
from hornbook.errors import BadAnswer, CannotAnswer
from hornbook.layers import recorded
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
from hornbook.routes import handlers
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, by_size, everything, members

SMALL = 7
"""Up to this many attributes every set is tried; beyond, a seeded sample."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What was checked: the kinds of query that the oracle answers, on how many sets."""

    kinds: frozenset[type[Query]]
    sets: int


class _Trial:
    """One oracle on trial: its closures, asked once each, are what all else is compared with.

    Closures made of other answers may give everything for a contradiction: implication questions cannot tell the two
    apart. Then membership says which it is, and where nobody can say, the trial is blind to it.
    """

    def __init__(self, oracle: object, size: int, sets: list[Attrs], chance: random.Random) -> None:
        self.size, self.sets, self.chance = size, sets, chance
        self.kinds = answers(oracle)
        self.closures: dict[Attrs, Attrs | None] = {}
        self.told: dict[Query, Any] = {}
        self._oracle, self._ways = oracle, handlers(self.kinds, size)
        top = True if self.kinds & {Close, CloseAll} else self._top()
        self.blind, self._contradictory = top is None, top is False

    @property
    def full(self) -> Attrs:
        return everything(self.size)

    @property
    def whole(self) -> bool:
        """Whether all sets have been closed, so that the models seen are all there are."""
        return self.size <= SMALL

    def models(self) -> list[Attrs]:
        """The models seen, smaller ones first."""
        return sorted({closed for closed in self.closures.values() if closed is not None}, key=by_size)

    def model(self, attrs: Attrs) -> bool | None:
        """Whether it is a model; None where that cannot be told."""
        return None if self.blind and attrs == self.full else self.closure(attrs) == attrs

    def closure(self, attrs: Attrs) -> Attrs | None:
        if attrs not in self.closures:
            closed = self.ask(Close(attrs))
            self.closures[attrs] = None if closed == self.full and self._contradictory else closed
        return self.closures[attrs]

    def ask(self, query: Query, ways: Handlers | None = None) -> Any:
        """What the oracle answers, by reductions where it must be; BadAnswer if it has answered otherwise before."""
        try:
            asking = recorded(through(_ask(query), self._ways if ways is None else ways), self._compare)
            return run(vetted(asking, self.size), self._oracle)
        except Exception as error:
            error.add_note(f"asked: {_asked(query)}")
            raise

    def _compare(self, query: Query, answer: Any) -> None:
        answer = list(answer) if isinstance(query, CloseAll) else answer
        before = self.told.setdefault(query, answer)
        # Of several counterexamples each may be given.
        free = isinstance(query, Equivalent | EntailmentEquivalent | Holds) and before is not None
        same = answer is not None if free else answer == before
        _require(same, query, answer, f"the answer was {_shown(before)} before")

    def _top(self) -> bool | None:
        """Whether everything is a model, by other than implication questions."""
        try:
            return bool(self.ask(Contains(self.full), handlers(self.kinds - {Holds}, self.size)))
        except CannotAnswer:
            return None


def check_oracle(
    oracle: object, size: int, target: Theory | None = None, *, samples: int = 200, seed: int = 0
) -> Conformance:
    """What the oracle answers, each kind checked; BadAnswer at the first answer that is wrong, with what shows it.

    Closures must obey the laws; every other kind must agree with them. With a target, all are compared with a known
    theory. In the end some of the questions, `samples` of them, are asked again: the answers must not have changed. A
    kind of query that the oracle does not answer is not asked for.
    """
    chance = random.Random(seed)
    trial = _Trial(oracle, size, list(range(1 << size)) if size <= SMALL else _sample(size, samples, chance), chance)
    for attrs in trial.sets:
        trial.closure(attrs)
    check_laws(trial)
    if target is not None:
        _check_target(trial, target)
    for kind, check in _CHECKS.items():
        if kind in trial.kinds:
            check(trial)
    for query in chance.choices(list(trial.told), k=samples):
        trial.ask(query)
    return Conformance(trial.kinds, len(trial.sets))


def check_laws(trial: _Trial) -> None:
    """Raise unless the closures are extensive, idempotent and monotone, contradictions upwards closed."""
    for attrs in trial.sets:
        closed = trial.closures[attrs]
        if closed is not None:
            _require(attrs & ~closed == 0, Close(attrs), closed, "it lacks some of the set")
            again = trial.closure(closed)
            _require(again == closed, Close(closed), again, f"it is the closure of {attrs:#b}, so closed")
    for smaller, larger in _pairs(trial):
        below, above = trial.closure(smaller), trial.closure(larger)
        if above is not None:
            reason = f"the superset {larger:#b} has the closure {above:#b}"
            _require(below is not None and below & ~above == 0, Close(smaller), below, reason)
    models = trial.models()
    for _ in range(len(models)):
        meet = trial.chance.choice(models) & trial.chance.choice(models)
        _require(trial.closure(meet) == meet, Close(meet), trial.closure(meet), "it is an intersection of models")


def _pairs(trial: _Trial) -> Iterator[tuple[Attrs, Attrs]]:
    """Pairs of a set and a superset."""
    for attrs in trial.sets:
        if trial.whole:
            yield from ((attrs, attrs | 1 << position) for position in members(trial.full & ~attrs))
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


def _ask(query: Query) -> Any:
    return (yield query)


# Each kind against the closures


def _check_batches(trial: _Trial) -> None:
    shuffled = [*trial.sets, *trial.sets[:3]]
    trial.chance.shuffle(shuffled)
    for batch in ([], shuffled[:1], shuffled):
        for attrs, closed in zip(batch, trial.ask(CloseAll(tuple(batch))), strict=True):
            _require(closed == trial.closure(attrs), CloseAll((attrs,)), closed, "closure() says otherwise")


def _check_membership(trial: _Trial) -> None:
    for attrs in [*trial.sets, *trial.models()]:
        query = Contains(attrs)
        got = trial.ask(query)
        _require(got is trial.model(attrs), query, got, f"the closure is {_shown(trial.closure(attrs))}")


def _check_entailment(trial: _Trial) -> None:
    for attrs in trial.sets:
        closed = trial.closure(attrs)
        drawn = range(trial.size) if trial.whole else trial.chance.sample(range(trial.size), 8)
        for attribute in (None, *drawn):
            right = closed is None or (attribute is not None and closed >> attribute & 1 == 1)
            query = Entails(attrs, attribute)
            got = trial.ask(query)
            _require(got is right, query, got, f"the closure is {_shown(closed)}")


def _check_refutations(trial: _Trial) -> None:
    for premise in trial.sets:
        closed = trial.closure(premise)
        for conclusion in trial.chance.sample(trial.sets, min(8, len(trial.sets))):
            query = Holds(Implication(premise, conclusion))
            got = trial.ask(query)
            if closed is None or conclusion & ~closed == 0:
                _require(got is None, query, got, f"the closure of the premise is {_shown(closed)}")
            else:
                refutes = got is not None and premise & ~got == 0 and conclusion & ~got != 0
                _require(refutes, query, got, "it does not violate the implication")
                _require(trial.closure(got) == got, query, got, "it is no model")


def _hypotheses(trial: _Trial) -> Iterator[Theory]:
    """Theories that are right, or wrong in one implication, or empty; no more than the models seen tell."""
    full = trial.full
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


def _require_no_difference(trial: _Trial, query: Equivalent | EntailmentEquivalent) -> None:
    """Raise where a set seen is a model of the target and not of the hypothesis, or the other way round."""
    for attrs in trial.sets:
        differ = trial.model(attrs) is not None and query.hypothesis.satisfies(attrs) != trial.model(attrs)
        _require(not differ, query, None, f"they differ on {attrs:#b}")


def _check_equivalence(trial: _Trial) -> None:
    for query in map(Equivalent, _hypotheses(trial)):
        got = trial.ask(query)
        if got is None:
            _require_no_difference(trial, query)
        elif trial.model(got) is not None:
            _require(query.hypothesis.satisfies(got) != trial.model(got), query, got, "both agree on that set")


def _check_clauses(trial: _Trial) -> None:
    for query in map(EntailmentEquivalent, _hypotheses(trial)):
        clause = trial.ask(query)
        if clause is None:
            _require_no_difference(trial, query)
        elif clause.premise == trial.full:
            # Only there no attribute is left to be a head: the clause is the one without.
            known = trial.model(trial.full)
            differ = known is None or known != query.hypothesis.satisfies(trial.full)
            _require(differ, query, clause, "it tells no difference")
        else:
            closed = trial.closure(clause.premise)
            by_target = closed is None or clause.conclusion & ~closed == 0
            _require(by_target != query.hypothesis.entails(clause), query, clause, "it tells no difference")


def _check_corrections(trial: _Trial) -> None:
    for attrs in trial.chance.sample(trial.sets, min(64, len(trial.sets))):
        query = Correct(attrs)
        got = trial.ask(query)
        nearest = min(trial.models(), key=lambda model: ((model ^ attrs).bit_count(), by_size(model)), default=None)
        if trial.whole:
            _require(got == nearest, query, got, f"the nearest model is {_shown(nearest)}")
        elif nearest is not None:
            near = got is not None and (got ^ attrs).bit_count() <= (nearest ^ attrs).bit_count()
            _require(near and trial.closure(got) == got, query, got, f"the model {nearest:#b} is nearer")


def _check_completions(trial: _Trial) -> None:
    for ones in trial.chance.sample(trial.sets, min(40, len(trial.sets))):
        stars = list(members(trial.full & ~ones))
        trial.chance.shuffle(stars)
        completions = [ones]
        for star in stars[: trial.chance.randint(0, 5)]:
            completions += [attrs | 1 << star for attrs in completions]
        inside = [trial.closure(attrs) == attrs for attrs in completions]
        right = True if all(inside) else None if any(inside) else False
        query = Unspecified(ones, trial.full & ~completions[-1])
        got = trial.ask(query)
        _require(got is right, query, got, f"of its completions {sum(inside)} are models")


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
        same = got == right or (trial.blind and right is None and got == trial.full)
        _require(same, Close(attrs), got, f"the target says {_shown(right)}")
    for kind in (Equivalent, EntailmentEquivalent):
        if kind in trial.kinds:
            query = kind(target)
            got = trial.ask(query)
            _require(got is None, query, got, "it is the target")


def _require(right: bool, query: Query, answer: object, because: str) -> None:
    if not right:
        raise BadAnswer(f"{_asked(query)} gives {_shown(answer)}, which cannot be: {because}")


def _asked(query: Query) -> str:
    """The question as the call of a method."""
    return f"{query.method}({', '.join(_shown(getattr(query, part.name)) for part in fields(query))})"


def _shown(value: object) -> str:
    """Sets in binary, so that attributes can be counted."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return f"{value:#b}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
