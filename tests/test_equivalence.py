"""Equivalence without an equivalence oracle: what each way finds, what it asks, and what its yes is worth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbook.dialogue import Learner, run, through
from hornbook.embedding import embedded
from hornbook.equivalence import (
    Equivalence,
    Status,
    chain,
    exact,
    exhaustive,
    from_theory,
    incomplete,
    sampled,
    sampled_by_membership,
    suggested,
)
from hornbook.errors import BadAnswer, BadQuestion, CannotAnswer
from hornbook.layers import counted, no_counts, recorded
from hornbook.learners.afp import afp
from hornbook.learners.by_closures import by_closures
from hornbook.learners.clh import clh
from hornbook.oracles.known import KnownTheory
from hornbook.queries import CloseAll, Equivalent, Query
from hornbook.routes import served
from hornbook.sampling import UNIFORM, Sample, SampleCount, angluin, each_with, telescoping
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Theory


def learned_by(learner: Learner[Theory], way: Equivalence, target: Theory) -> tuple[Theory, list[tuple[Query, Any]]]:
    """What the learner learns without equivalence queries, and what reached the oracle."""
    log: list[tuple[Query, Any]] = []
    # No method counterexample(): this oracle could not be asked for one.
    oracle = Closing(target)
    inner = served(through(learner, {Equivalent: way}), oracle, target.size)
    return run(recorded(inner, lambda query, answer: log.append((query, answer))), oracle), log


class Closing:
    """A source that closes sets and knows nothing else."""

    def __init__(self, theory: Theory) -> None:
        self._known = KnownTheory(theory)

    def closure(self, attrs: int) -> int | None:
        return self._known.closure(attrs)


def asked(way: Equivalence, hypothesis: Theory, target: Theory) -> int | None:
    """The answer to one equivalence query."""
    return run(way(Equivalent(hypothesis)), KnownTheory(target))


def wrong_closures(result: Theory, target: Theory) -> float:
    """The share of all sets whose closure is wrong, by the closures' definition."""

    def table(theory: Theory) -> list[int]:
        models = [attrs for attrs in range(1 << theory.size) if all(i.satisfied_by(attrs) for i in theory)]
        closures = []
        for attrs in range(1 << theory.size):
            meet = (1 << theory.size) - 1
            for model in models:
                meet &= model if model & attrs == attrs else meet
            closures.append(meet)
        return closures

    pairs = zip(table(result), table(target), strict=True)
    return sum(mine != right for mine, right in pairs) / (1 << target.size)


def every_horn_theory(size: int) -> Iterator[Theory]:
    for theory in every_theory(size):
        yield theory
        yield Theory(size, theory.implications, top=False)


def every_pair() -> Iterator[tuple[Theory, Theory]]:
    """All theories on two attributes, general Horn ones too, and all definite ones on three, each with each."""
    for theories in (list(every_horn_theory(2)), list(every_theory(3))):
        for hypothesis in theories:
            for target in theories:
                yield hypothesis, target


# How many sets are drawn


@pytest.mark.parametrize(
    ("count", "epsilon", "delta", "i", "expected"),
    [
        (angluin, 0.1, 0.05, 1, 37),
        (angluin, 0.1, 0.05, 10, 100),
        (angluin, 0.1, 0.05, 1000, 6962),
        (angluin, 0.01, 0.01, 1, 530),
        (angluin, 0.5, 0.5, 1, 3),
        (telescoping, 0.1, 0.05, 1, 37),
        (telescoping, 0.1, 0.05, 10, 77),
        (telescoping, 0.1, 0.05, 1000, 169),
    ],
)
def test_the_counts_are_those_of_the_literature(
    count: SampleCount, epsilon: float, delta: float, i: int, expected: int
) -> None:
    assert count(epsilon, delta, i) == expected


@given(st.floats(0.001, 0.9), st.floats(0.001, 0.9), st.integers(1, 400))
def test_counts_are_the_least_that_keep_the_error_of_one_query_small(epsilon: float, delta: float, i: int) -> None:
    for count, allowed in (
        (angluin, math.log(delta) - i * math.log(2)),
        (telescoping, math.log(delta) + math.log(1 / i - 1 / (i + 1))),
    ):
        number = count(epsilon, delta, i)
        assert -epsilon * number <= allowed + 1e-9
        assert -epsilon * (number - 1) > allowed - 1e-9


@pytest.mark.parametrize("count", [angluin, telescoping])
def test_all_queries_of_a_run_together_err_with_probability_delta_at_most(count: SampleCount) -> None:
    assert sum(math.exp(-0.2 * count(0.2, 0.1, i)) for i in range(1, 3000)) <= 0.1


# Counterexamples, against every theory


def test_suggested_sets_give_right_counterexamples_for_any_hypothesis() -> None:
    for hypothesis, target in every_pair():
        for at_once in (1, 3):
            x = asked(suggested(range(1 << target.size), at_once=at_once), hypothesis, target)
            if x is None:
                assert hypothesis.equivalent(target)
            else:
                assert hypothesis.satisfies(x) != target.satisfies(x)


def test_all_sets_tried_give_a_smallest_counterexample() -> None:
    for hypothesis, target in every_pair():
        differing = [x for x in range(1 << target.size) if hypothesis.satisfies(x) != target.satisfies(x)]
        expected = min(differing, key=int.bit_count, default=None)
        x = asked(exhaustive(target.size), hypothesis, target)
        assert (x is None) == (expected is None)
        if x is not None and expected is not None:
            assert x in differing
            assert x.bit_count() == expected.bit_count()


def test_members_drawn_give_right_counterexamples_for_any_hypothesis() -> None:
    for hypothesis, target in every_pair():
        if target.size == 2:
            # So many draws meet every set there is.
            way = sampled_by_membership(2, epsilon=0.1, delta=0.001, seed=1)
            x = asked(way, hypothesis, target)
            assert (x is None) == hypothesis.equivalent(target)
            assert x is None or hypothesis.satisfies(x) != target.satisfies(x)


def test_one_membership_query_a_set_does_what_a_closure_query_does() -> None:
    tried = 0
    for hypothesis, target in every_pair():
        if target.entails(hypothesis) and hypothesis.top == target.top:
            tried += 1
            drawn = {"epsilon": 0.3, "delta": 0.3, "seed": tried}
            by_closure = asked(sampled(target.size, **drawn), hypothesis, target)
            assert by_closure == asked(sampled_by_membership(target.size, sound=True, **drawn), hypothesis, target)
    assert tried > 500


@given(st.lists(st.integers(0, 60), min_size=2, max_size=6), st.integers(0, 60))
def test_trying_all_sets_remembers_nothing_false(order: list[int], goal: int) -> None:
    theories = list(every_theory(3))
    way, target = exhaustive(3), theories[goal]
    for index in order:
        assert asked(way, theories[index], target) == asked(exhaustive(3), theories[index], target)


# Learning through them


@pytest.mark.parametrize("learner", [clh, afp])
def test_trying_all_sets_learns_exactly_and_asks_for_none_twice(learner: Callable[[int], Learner[Theory]]) -> None:
    for size in range(4):
        for target in every_theory(size):
            way, hypotheses = exhaustive(size), []

            def counting(query: Equivalent, way: Equivalence = way, log: list[Theory] = hypotheses) -> Learner[Any]:
                log.append(query.hypothesis)
                return way(query)

            counts = no_counts()
            inner = counted(through(learner(size), {Equivalent: counting}), counts)
            assert run(inner, KnownTheory(target)).in_order() == target
            assert counts["equivalence"] == 0
            if learner is clh:
                assert len(hypotheses) == len(target) + 1
                assert counts["membership"] == 1 << size
                assert counts["closure"] <= len(target) + len(target) * (len(target) - 1) / 2
    assert exhaustive(3).status() == Status("exact", "all sets were compared")


@pytest.mark.parametrize("size", range(3))
def test_general_horn_targets_are_learned_too(size: int) -> None:
    for target in every_horn_theory(size):
        for way in (
            exhaustive(size),
            from_theory(target),
            sampled(size, epsilon=0.05, delta=0.001, seed=0),
            sampled_by_membership(size, epsilon=0.05, delta=0.001, seed=0),
        ):
            learned, _ = learned_by(embedded(clh(size), size), way, target)
            assert learned.equivalent(target)
            assert learned.top == target.top


def test_more_attributes_than_can_be_tried_are_refused() -> None:
    exhaustive(20)
    with pytest.raises(CannotAnswer, match=r"21 attributes have 2\^21 sets.*sampled"):
        exhaustive(21)


def test_a_known_theory_asks_no_equivalence_query_and_proves_nothing() -> None:
    target = random_theory(30, 40, seed=3)
    way = from_theory(target)
    learned, log = learned_by(clh(30), way, target)
    assert learned.in_order() == target.canonical()
    assert {query.kind for query, _ in log} == {"closure"}
    assert way.status().status == "incomplete" and "may not be the source's" in str(way.status().reason)


def test_a_known_theory_that_is_the_sources_is_proved_to_be_by_closures() -> None:
    target = random_theory(12, 10, seed=3)
    way = chain(from_theory(target), by_closures(12))
    learned, _ = learned_by(clh(12), way, target)
    assert learned.in_order() == target.canonical() and way.status() == exact()


def test_a_known_theory_that_is_wrong_is_found_out() -> None:
    target = Theory.of(3, [(0b001, 0b010)])
    stale = Theory.of(3, [(0b001, 0b010), (0b010, 0b100)])
    with pytest.raises(BadAnswer, match="0b10 is no model of the given theory and a model of the source"):
        learned_by(clh(3), from_theory(stale), target)
    too_weak = from_theory(Theory.of(3, []))
    learned, _ = learned_by(clh(3), too_weak, target)
    assert learned == Theory(3)  # Which is why its yes is worth as much as the theory.


def test_suggestions_of_a_stale_theory_do_no_harm() -> None:
    target = random_theory(12, 14, seed=5)
    stale = random_theory(12, 14, seed=6)
    premises = [implication.premise for theory in (stale, target) for implication in theory]
    way = chain(suggested(premises), exhaustive(12))
    learned, _ = learned_by(clh(12), way, target)
    assert learned.in_order() == target.canonical()
    assert way.status().status == "exact"
    assert suggested([1, 2, 1]).status() == incomplete("only 2 suggested sets were compared")


def test_a_chain_asks_one_after_the_other_and_is_worth_what_its_best_is() -> None:
    said: list[str] = []

    def way(name: str, x: int | None) -> Equivalence:
        def answer(query: Equivalent) -> Learner[int | None]:
            said.append(name)
            return x
            yield  # Nothing: but a generator it must be.

        return Equivalence(answer, lambda: incomplete(name))

    none, zero, one = way("none", None), way("zero", 0), way("one", 1)
    target = Theory(1)
    assert asked(chain(none, zero, one), target, target) == 0
    assert asked(chain(none, none), target, target) is None
    assert said == ["none", "zero", "none", "none"]
    assert chain(zero, one).status() == incomplete("one")
    assert chain(exhaustive(1), suggested([0])).status().status == "exact"
    draws = sampled(1, epsilon=0.1, delta=0.1, seed=0)
    assert chain(draws, suggested([0])).status().status == "probably approximately correct"
    assert chain(draws, exhaustive(1)).status().status == "exact"
    with pytest.raises(BadQuestion, match="no ways"):
        chain()


# Drawing


def test_the_same_seed_asks_the_same_questions() -> None:
    target = random_theory(9, 8, seed=2)

    def log(seed: int) -> list[tuple[Query, Any]]:
        return learned_by(clh(9), sampled(9, epsilon=0.1, delta=0.1, seed=seed), target)[1]

    assert log(1) == log(1)
    assert log(1) != log(2)


def test_draws_are_the_same_in_every_process_and_on_every_machine() -> None:
    sample = Sample(10, 0.5, 0.5, 7, UNIFORM, angluin)
    assert list(sample.draws()) == [56, 565, 163]
    assert list(sample.draws()) == [678, 329, 489, 337, 489]
    assert sample.taken == 3 + 5


def test_uniform_draws_are_uniform() -> None:
    drawn = Counter(Sample(3, 0.001, 0.001, 0, UNIFORM, angluin).draws())
    expected = drawn.total() / 8
    assert sorted(drawn) == list(range(8))
    assert all(abs(often - expected) < 5 * math.sqrt(expected) for often in drawn.values())


@pytest.mark.parametrize("at_once", [2, 7, 64, 1000])
def test_batches_change_no_counterexample(at_once: int) -> None:
    for seed in range(10):
        target = random_theory(8, 8, seed=seed)
        heard: list[list[Theory]] = []
        for size_of_batch in (1, at_once):
            way = sampled(8, epsilon=0.1, delta=0.1, seed=seed, at_once=size_of_batch)
            hypotheses: list[Theory] = []

            def listening(query: Equivalent, way: Equivalence = way, log: list[Theory] = hypotheses) -> Learner[Any]:
                log.append(query.hypothesis)
                return way(query)

            run(through(clh(8), {Equivalent: listening}), KnownTheory(target))
            heard.append(hypotheses)
        assert heard[0] == heard[1]


def test_a_batch_is_asked_whole_and_counted_by_its_sets() -> None:
    target = Theory(6)
    way = sampled(6, epsilon=0.1, delta=0.05, seed=0, at_once=16)
    batches: list[Query] = []
    run(recorded(way(Equivalent(target)), lambda query, _: batches.append(query)), KnownTheory(target))
    assert [len(batch.sets) for batch in batches if isinstance(batch, CloseAll)] == [16, 16, 5]
    assert way.status().samples == 37


def test_other_distributions_draw_other_sets() -> None:
    sizes = []
    for distribution in (each_with(0.1), UNIFORM, each_with(0.9)):
        sample = Sample(50, 0.01, 0.01, 0, distribution, angluin)
        drawn = list(sample.draws())
        sizes.append(sum(map(int.bit_count, drawn)) / len(drawn))
    assert [round(size / 5) for size in sizes] == [1, 5, 9]


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilon": 1}, {"delta": 0}, {"delta": 1.5}, {"at_once": 0}])
def test_impossible_demands_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadQuestion):
        sampled(3, **{"epsilon": 0.1, "delta": 0.1, "seed": 0, **wrong})
    with pytest.raises(BadQuestion, match="between 0 and 1"):
        each_with(1)


# What a yes is worth


def test_the_guarantee_is_stated_in_words() -> None:
    way = sampled(3, epsilon=0.1, delta=0.05, seed=0)
    asked(way, Theory(3), Theory(3))
    assert way.status().as_json() == {
        "status": "probably approximately correct",
        "epsilon": 0.1,
        "delta": 0.05,
        "samples": 37,
        "seed": 0,
        "distribution": "uniformly",
        "guarantee": "with probability at least 0.95, at most 0.1 of all sets (drawn uniformly) have another closure "
        "than in the source",
    }
    members = sampled_by_membership(3, epsilon=0.1, delta=0.05, seed=0).status()
    assert members.guarantee.endswith("are models of only one of result and source")
    assert incomplete("stopped").as_json() == {"status": "incomplete", "reason": "stopped"}
    assert exact().as_json() == {"status": "exact"}


def failures(target: Theory, way: Callable[[int], Equivalence], epsilon: float, seeds: int) -> int:
    """How often what ClH learns has more than epsilon wrong closures."""
    errors = {}
    failed = 0
    for seed in range(seeds):
        learned, _ = learned_by(clh(target.size), way(seed), target)
        learned = learned.in_order()
        if learned not in errors:
            errors[learned] = wrong_closures(learned, target)
        failed += errors[learned] > epsilon
    return failed


@pytest.mark.parametrize("count", [angluin, telescoping])
@pytest.mark.parametrize("by_membership", [False, True])
def test_the_guarantee_holds_as_often_as_it_says(count: SampleCount, by_membership: bool) -> None:
    epsilon, delta, seeds = 0.124, 0.2, 250

    def way(seed: int) -> Equivalence:
        if by_membership:
            demand = {"epsilon": epsilon, "delta": delta, "seed": seed, "samples": count}
            return sampled_by_membership(target.size, sound=True, **demand)
        return sampled(target.size, epsilon=epsilon, delta=delta, seed=seed, samples=count)

    # To miss the only implication is to be wrong on 1/8 of the sets, hardly more than epsilon: the hardest case.
    target = Theory.of(3, [(0b011, 0b100)])
    missed = failures(target, way, epsilon, seeds)
    # Its expected share is (7/8)^19 = 0.079, of the 0.1 that the first query is allowed.
    assert 0 < missed <= 0.1 * seeds + 3 * math.sqrt(0.1 * 0.9 * seeds)
    for seed in range(3):
        target = random_theory(6, 6, seed=seed)
        assert failures(target, way, epsilon, 80) <= delta * 80


def test_with_too_few_draws_the_guarantee_would_fail() -> None:
    target = Theory.of(3, [(0b011, 0b100)])
    few = failures(target, lambda s: sampled(3, epsilon=0.124, delta=0.2, seed=s, samples=lambda *_: 5), 0.124, 100)
    assert few > 0.2 * 100


@given(st.integers(1, 7), st.integers(0, 8), st.integers(0, 1000))
@settings(max_examples=40)
def test_whatever_is_learned_from_samples_is_sound(size: int, count: int, seed: int) -> None:
    target = random_theory(size, count, seed=seed)
    learned, _ = learned_by(clh(size), sampled(size, epsilon=0.3, delta=0.3, seed=seed), target)
    assert target.entails(learned)
    assert learned.saturated()
