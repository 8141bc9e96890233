"""Inference against its definition: what all closure systems that agree with the answers have in common."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbook.bounds import ClosedSets, Rules
from hornbook.dialogue import Learner, run, through
from hornbook.embedding import embedded
from hornbook.errors import BadAnswer
from hornbook.inference import UNKNOWN, Knowledge, inferred
from hornbook.layers import Counts, counted, no_counts
from hornbook.learners import afp, clh, explore, lrn
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
)
from hornbook.reductions import close_all_by_closure
from hornbook.testing import every_closure_system, every_theory, random_theory, theory_of
from hornbook.theory import Implication, Theory


class System:
    """A closure system with every answer looked up in its definition."""

    def __init__(self, size: int, family: list[int]) -> None:
        self.family = frozenset(family)
        full = (1 << size) - 1
        self.stars = [full] * (full + 1)
        for attrs in range(full + 1):
            for closed in family:
                if attrs & ~closed == 0:
                    self.stars[attrs] &= closed

    def answer(self, query: Query) -> Any:
        match query:
            case Close(attrs):
                return self.stars[attrs]
            case Contains(attrs):
                return attrs in self.family
            case Entails(premise, int(attribute)):
                return bool(self.stars[premise] >> attribute & 1)
            case Holds(implication):
                closed = self.stars[implication.premise]
                return None if implication.conclusion & ~closed == 0 else closed
        raise NotImplementedError

    def agrees(self, query: Query, answer: Any) -> bool:
        if isinstance(query, Holds) and answer is not None:
            return answer in self.family
        return bool(self.answer(query) == answer)


def systems(size: int) -> list[System]:
    return [System(size, family) for family in every_closure_system(size)]


def all_of(kind: type[Query], size: int) -> list[Query]:
    sets = range(1 << size)
    if kind in (Close, Contains):
        return [kind(attrs) for attrs in sets]  # type: ignore[call-arg]
    if kind is Entails:
        return [Entails(attrs, attribute) for attrs in sets for attribute in range(size)]
    return [Holds(Implication(premise, conclusion)) for premise in sets for conclusion in sets]


def right(query: Query, told: Any, agreeing: list[System]) -> bool:
    """Whether what was told, or UNKNOWN, is what all systems that agree with the answers say."""
    if isinstance(query, Holds):
        premise, conclusion = query.implication.premise, query.implication.conclusion
        if told is None or told is UNKNOWN:
            holds = all(conclusion & ~system.stars[premise] == 0 for system in agreeing)
            common = frozenset.intersection(*(system.family for system in agreeing))
            refuted = any(premise & ~model == 0 and conclusion & ~model for model in common)
            return holds if told is None else not holds and not refuted
        common = frozenset.intersection(*(system.family for system in agreeing))
        return told in common and premise & ~told == 0 and conclusion & ~told != 0
    answers = {system.answer(query) for system in agreeing}
    return told is UNKNOWN if len(answers) > 1 else told == answers.pop()


def check_dialogue(
    every: list[System], size: int, target: System, chance: random.Random, asked: list[Query], told: list[type[Query]]
) -> None:
    known = Knowledge(size, top=True)
    agreeing = every
    probes = [probe for kind in told for probe in all_of(kind, size)]
    for query in asked:
        answer = target.answer(query)
        agreeing = [system for system in agreeing if system.agrees(query, answer)]
        known.learn(query, answer)
        for probe in probes if len(probes) < 40 else chance.sample(probes, 40):
            assert right(probe, known.answer(probe), agreeing), (probe, known.answer(probe))


TOLD: list[type[Query]] = [Close, Contains, Entails]
MIXTURES = [list(kinds) for count in (1, 2, 3) for kinds in combinations(TOLD, count)]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        *((kinds, TOLD) for kinds in MIXTURES),
        # A refutation is inferred from models that were answers, not from what other answers say of models.
        ([Close], [Holds]),
        ([Holds], [*TOLD, Holds]),
        ([Close, Holds], [*TOLD, Holds]),
        ([*TOLD, Holds], TOLD),
    ],
)
def test_a_query_on_three_attributes_is_inferred_exactly_where_all_closure_systems_agree(
    asked: list[type[Query]], told: list[type[Query]]
) -> None:
    every, chance = systems(3), random.Random(3)
    questions = [query for kind in asked for query in all_of(kind, 3)]
    for target in every:
        for _ in range(3):
            check_dialogue(every, 3, target, chance, chance.sample(questions, 6), told)


def test_a_query_on_four_attributes_is_inferred_exactly_where_all_closure_systems_agree() -> None:
    every, chance = systems(4), random.Random(4)
    for kinds in MIXTURES:
        questions = [query for kind in kinds for query in all_of(kind, 4)]
        check_dialogue(every, 4, chance.choice(every), chance, chance.sample(questions, 10), TOLD)


def test_what_a_set_that_is_no_model_must_imply_is_inferred_from_what_contains_it() -> None:
    known = Knowledge(3)
    known.learn(Contains(0b010), False)
    assert known.entails(0b010, 2) is UNKNOWN
    known.learn(Close(0b001), 0b101)
    # {b} implies a, which brings c, or c.
    assert known.entails(0b010, 2) is True
    assert known.closure(0b010) is UNKNOWN


def test_closures_that_are_known_apart_from_each_other_are_compared_through_what_is_no_model() -> None:
    known = Knowledge(4)
    for query, answer in [
        (Contains(0b0001), False),
        (Entails(0b0001, 1), False),
        (Entails(0b0001, 2), False),
        (Contains(0b0011), False),
        (Entails(0b0011, 3), True),
    ]:
        known.learn(query, answer)
    assert known.closure(0b0001) == 0b1001


def test_a_choice_between_attributes_is_an_answer_to_what_has_none_of_them() -> None:
    known = Knowledge(4)
    known.learn(Unspecified(0b0001, 0b0110), False)
    known.learn(Close(0b0010), 0b1010)
    assert known.contains(0b1001) is False
    assert known.entails(0b0001, 3) is UNKNOWN
    known.learn(Close(0b0100), 0b1100)
    assert known.entails(0b0001, 3) is True


def test_answers_that_only_together_leave_no_theory_are_refused() -> None:
    known = Knowledge(3)
    known.learn(Contains(0b001), False)
    known.learn(Entails(0b001, 1), False)
    with pytest.raises(BadAnswer):
        known.learn(Entails(0b001, 2), False)


def other_answers(oracle: KnownTheory, size: int, chance: random.Random) -> Iterator[tuple[Query, Any]]:
    """Queries of the kinds that teach on the side."""
    for _ in range(3):
        hypothesis = random_theory(size, 3, seed=chance.randrange(10**6))
        ones, zeros = chance.randrange(1 << size), chance.randrange(1 << size)
        for query in (
            Equivalent(hypothesis),
            EntailmentEquivalent(hypothesis),
            Unspecified(ones, zeros & ~ones),
            Correct(ones),
        ):
            yield query, query.ask(oracle)


def test_counterexamples_clauses_corrections_and_unspecified_values_teach_nothing_false() -> None:
    chance = random.Random(7)
    for theory in [*every_theory(3)] * 2:
        oracle = KnownTheory(theory)
        known = Knowledge(3)
        for query, answer in other_answers(oracle, 3, chance):
            known.learn(query, answer)
        for attrs in range(8):
            assert known.closure(attrs) in (UNKNOWN, theory.closure(attrs))
            assert known.contains(attrs) in (UNKNOWN, theory.satisfies(attrs))


def test_a_yes_to_an_equivalence_query_leaves_nothing_to_ask() -> None:
    theory = random_theory(6, 8, seed=1)
    known = Knowledge(6)
    known.learn(Equivalent(theory), None)
    for attrs in range(64):
        assert known.closure(attrs) == theory.closure(attrs)
        assert known.contains(attrs) == theory.satisfies(attrs)
        assert [known.entails(attrs, b) for b in range(6)] == [bool(theory.closure(attrs) >> b & 1) for b in range(6)]


@pytest.mark.parametrize("learner", [clh, afp, lrn, explore])
def test_a_learner_learns_the_same_and_asks_no_more(learner: Callable[[int], Learner[Theory]]) -> None:
    for seed in range(20):
        theory = random_theory(7, 9, seed=seed)
        plain, spared, known_by_inference = no_counts(), no_counts(), no_counts()
        expected = run(counted(learner(7), plain), KnownTheory(theory))
        learned = run(counted(inferred(learner(7), 7, None, known_by_inference), spared), KnownTheory(theory))
        # Another refutation than the oracle's may be inferred, so an exploration takes another way to the same end.
        assert learned.in_order() == expected.in_order()
        if learner is not explore:
            assert {kind: spared[kind] + known_by_inference[kind] for kind in plain} == plain
        assert sum(spared.values()) <= sum(plain.values())


def test_general_horn_targets_keep_their_contradictions() -> None:
    for size in range(4):
        for definite in every_theory(size):
            target = Theory(size, definite.implications, top=False)
            learned = run(inferred(embedded(clh(size), size), size), KnownTheory(target))
            assert learned.equivalent(target)
            known = Knowledge(size)
            oracle = KnownTheory(target)
            for attrs in range(1 << size):
                for query in (Close(attrs), Contains(attrs), Entails(attrs, None)):
                    told = known.answer(query)
                    assert told is UNKNOWN or told == query.ask(oracle)
                    known.learn(query, query.ask(oracle))


def test_a_batch_asks_each_unknown_set_once_and_keeps_the_order() -> None:
    theory = Theory.of(4, [(0b0001, 0b0010)])

    def learner() -> Learner[list[int]]:
        yield Close(0b0001)
        return (yield CloseAll((0b0001, 0b1000, 0b0001, 0b1000, 0b0100)))

    counts: Counts = no_counts()
    spared: Counts = {}
    wrapped = counted(inferred(learner(), 4, None, spared), counts)
    assert run(wrapped, KnownTheory(theory)) == [0b0011, 0b1000, 0b0011, 0b1000, 0b0100]
    assert counts["closure"] == 3
    assert spared == {"closure": 3}
    single = through(inferred(learner(), 4), {CloseAll: close_all_by_closure})
    assert run(single, KnownTheory(theory)) == [0b0011, 0b1000, 0b0011, 0b1000, 0b0100]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ((Close(0b001), 0b011), (Close(0b011), 0b111)),
        ((Close(0b001), 0b011), (Close(0b101), 0b101)),
        ((Close(0b001), 0b011), (Contains(0b001), True)),
        ((Close(0b001), 0b011), (Contains(0b011), False)),
        ((Close(0b001), 0b011), (Entails(0b001, 1), False)),
        ((Close(0b001), 0b011), (Entails(0b001, 2), True)),
        ((Contains(0b011), True), (Holds(Implication(0b001, 0b100)), None)),
        ((Contains(0b111), False), (Close(0b001), 0b111)),
        ((Contains(0b011), False), (Contains(0b011), True)),
        ((Equivalent(Theory(3)), None), (Close(0b001), 0b011)),
        ((Equivalent(Theory(3)), None), (Contains(0b001), False)),
        ((Contains(0), False), (Equivalent(Theory(3)), None)),
        ((Close(0b001), 0b011), (Equivalent(Theory(3)), None)),
        ((Close(0b111), None), (Equivalent(Theory(3)), None)),
        ((Entails(0b111, None), False), (Close(0b111), None)),
        ((EntailmentEquivalent(Theory(3)), Implication(0b111, 0b111)), (Contains(0b111), True)),
        ((EntailmentEquivalent(Theory(3, (), False)), Implication(0b111, 0b111)), (Contains(0b111), False)),
        ((EntailmentEquivalent(Theory.of(3, [(1, 2)], top=False)), Implication(1, 2)), (Entails(1, 1), True)),
    ],
)
def test_an_answer_that_earlier_ones_exclude_is_refused(earlier: tuple[Query, Any], later: tuple[Query, Any]) -> None:
    known = Knowledge(3)
    known.learn(*earlier)
    with pytest.raises(BadAnswer):
        known.learn(*later)


def test_a_closure_that_loses_attributes_is_refused() -> None:
    with pytest.raises(BadAnswer, match="does not contain"):
        Knowledge(3).learn(Close(0b011), 0b001)


pairs = st.lists(st.tuples(st.integers(0, 255), st.integers(0, 255)), max_size=150)


@given(pairs, st.lists(st.integers(0, 255), max_size=20))
def test_rules_close_like_a_theory_of_all_of_them(rules: list[tuple[int, int]], sets: list[int]) -> None:
    grown = Rules()
    for premise, conclusion in rules:
        grown.add(premise, conclusion)
    theory = Theory.of(8, rules)
    assert len(grown) <= len(rules)
    assert Theory.of(8, grown.pairs()).equivalent(theory)
    for attrs in sets:
        assert grown.close(attrs) == theory.closure(attrs)


@given(st.lists(st.integers(0, 2**40 - 1), max_size=120), st.lists(st.integers(0, 2**40 - 1), max_size=20))
def test_bounds_from_closed_sets_are_those_of_a_scan(sets: list[int], asked: list[int]) -> None:
    known = ClosedSets(40)
    for attrs in sets:
        known.add(attrs)
    for attrs in [*asked, *(a & b for a, b in pairwise(sets))]:
        meet = 2**40 - 1
        for closed in sets:
            if attrs & ~closed == 0:
                meet &= closed
        assert known.above(attrs) == meet
        assert known.bounds(attrs, attrs) == (meet == attrs)


def test_the_theory_of_a_family_is_what_its_answers_amount_to() -> None:
    for family in every_closure_system(3):
        known = Knowledge(3, top=True)
        for attrs in range(8):
            known.learn(Close(attrs), System(3, family).stars[attrs])
        assert Theory.of(3, known.rules.pairs()).equivalent(theory_of(3, family))
