"""Each arrow between the query models: right on every small theory, general Horn too, and for the stated price."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import definitions
from hornbook import reductions as by
from hornbook.dialogue import Learner, run, through
from hornbook.embedding import embedded
from hornbook.errors import BadAnswer, CannotAnswer
from hornbook.layers import counted, no_counts
from hornbook.learners import afp, clh, explore, horn, horn1, lrn
from hornbook.oracles.known import KnownTheory, at_random, first
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
from hornbook.routes import handlers, served
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Implication, Theory
from test_learners import general_theories

SMALL = [theory for size in range(4) for theory in every_theory(size)]


def ask(query: Query) -> Learner[Any]:
    """A learner that wants to know one thing."""
    return (yield query)


def reduced(query: Query, reduction: Callable[[Any], Learner[Any]], theory: Theory) -> tuple[Any, dict[str, int]]:
    """The answer by the reduction, and what it cost."""
    counts = no_counts()
    answer = run(counted(through(ask(query), {type(query): reduction}), counts), KnownTheory(theory))
    return answer, {kind: count for kind, count in counts.items() if count}


def sets(theory: Theory) -> range:
    return range(2**theory.size)


# Table 1, row by row.


def test_row_1_membership_answers_entailment_in_at_most_two_to_the_n() -> None:
    for theory in SMALL:
        for premise in sets(theory):
            for attribute in range(theory.size):
                answer, cost = reduced(Entails(premise, attribute), by.entails_by_contains(theory.size), theory)
                assert answer == theory.entails(Implication(premise, 1 << attribute))
                free = theory.size - (premise | 1 << attribute).bit_count()
                assert cost.get("membership", 0) <= 2**free and set(cost) <= {"membership"}


def test_row_2_membership_answers_closure_in_at_most_two_to_the_number_of_attributes_outside() -> None:
    for theory in SMALL:
        for attrs in sets(theory):
            answer, cost = reduced(Close(attrs), by.close_by_contains(theory.size), theory)
            assert answer == theory.closure(attrs)
            assert cost["membership"] <= 2 ** (theory.size - attrs.bit_count()) and len(cost) == 1


def test_rows_3_and_4_entailment_answers_closure_and_membership_in_at_most_n() -> None:
    for theory in SMALL:
        for attrs in sets(theory):
            outside = theory.size - attrs.bit_count()
            answer, cost = reduced(Close(attrs), by.close_by_entails(theory.size), theory)
            assert answer == theory.closure(attrs) and cost == ({"entailment": outside} if outside else {})
            answer, cost = reduced(Contains(attrs), by.contains_by_entails(theory.size), theory)
            assert answer == theory.satisfies(attrs) and cost["entailment"] <= max(outside, 1) and len(cost) == 1


def test_rows_5_and_6_closure_answers_entailment_and_membership_with_one_query() -> None:
    for theory in SMALL:
        for attrs in sets(theory):
            assert reduced(Contains(attrs), by.contains_by_closure, theory) == (theory.satisfies(attrs), {"closure": 1})
            for attribute in range(theory.size):
                expected = theory.closure(attrs) >> attribute & 1 == 1
                assert reduced(Entails(attrs, attribute), by.entails_by_closure, theory) == (expected, {"closure": 1})


def hypotheses(theory: Theory) -> list[Theory]:
    """Some right, some too weak, some too strong, some both."""
    others = [random_theory(theory.size, count, seed=count) for count in (1, 2, 3)] if theory.size else []
    return [theory, Theory(theory.size), *(theory.without(i) for i in range(len(theory))), *others]


def test_row_7_equivalence_and_closure_answer_entailment_equivalence_with_one_query_each() -> None:
    for theory in SMALL:
        for hypothesis in hypotheses(theory):
            query = EntailmentEquivalent(hypothesis)
            clause, cost = reduced(query, by.distinguishing_clause_by_counterexample, theory)
            if clause is None:
                assert theory.equivalent(hypothesis) and cost == {"equivalence": 1}
            else:
                assert clause.conclusion.bit_count() == 1
                assert theory.entails(clause) != hypothesis.entails(clause)
                assert (
                    cost["equivalence"] == 1 and cost.get("closure", 0) <= 1 and set(cost) <= {"equivalence", "closure"}
                )


def test_row_8_entailment_equivalence_and_at_most_n_entailments_answer_equivalence() -> None:
    for theory in SMALL:
        for hypothesis in hypotheses(theory):
            x, cost = reduced(Equivalent(hypothesis), by.counterexample_by_clause(theory.size), theory)
            if x is None:
                assert theory.equivalent(hypothesis)
            else:
                assert theory.satisfies(x) != hypothesis.satisfies(x)
            assert cost["entailment_equivalence"] == 1 and cost.get("entailment", 0) <= theory.size


def test_a_clause_that_the_target_entails_costs_no_entailment_query() -> None:
    theory = Theory.of(3, [(1, 6)])
    _, cost = reduced(Equivalent(Theory(3)), by.counterexample_by_clause(3), theory)
    assert cost == {"entailment_equivalence": 1}


# Beyond Table 1.


def test_learning_first_is_paid_once() -> None:
    theory = random_theory(6, 6, seed=3)
    close = by.close_by_learning(partial(afp, 6))

    def twice() -> Learner[list[int]]:
        first_time = yield Close(3)
        counts_then.append(dict(counts))
        return [first_time, (yield Close(5)), (yield Close(0))]

    counts, counts_then = no_counts(), []
    found = run(counted(through(twice(), {Close: close}), counts), KnownTheory(theory))
    assert found == [theory.closure(attrs) for attrs in (3, 5, 0)]
    assert counts == counts_then[0] and counts["membership"] > 0 and counts["closure"] == 0


def test_implication_questions_answer_entailment_and_closure() -> None:
    for theory in SMALL:
        for attrs in sets(theory):
            answer, cost = reduced(Close(attrs), by.close_by_refutation(theory.size), theory)
            assert answer == theory.closure(attrs) and cost["implication"] <= theory.size - attrs.bit_count() + 1
            for attribute in range(theory.size):
                answer, cost = reduced(Entails(attrs, attribute), by.entails_by_refutation, theory)
                assert answer == (theory.closure(attrs) >> attribute & 1 == 1) and cost == {"implication": 1}
            for conclusion in sets(theory):
                answer, cost = reduced(Holds(Implication(attrs, conclusion)), by.refutation_by_closure, theory)
                holds = theory.entails(Implication(attrs, conclusion))
                assert (answer is None) == holds and cost == {"closure": 1}
                assert holds or (theory.satisfies(answer) and not Implication(attrs, conclusion).satisfied_by(answer))


def test_a_refutation_that_refutes_nothing_ends_the_search() -> None:
    class Stubborn:
        def refutation(self, implication: Implication) -> int:
            return 0b111

    with pytest.raises(BadAnswer, match="0b111 does not refute 0b1 -> 0b111"):
        run(through(ask(Close(1)), {Close: by.close_by_refutation(3)}), Stubborn())


def completions(query: Unspecified, size: int) -> list[int]:
    return [x for x in range(2**size) if query.ones & ~x == 0 and x & query.zeros == 0]


def test_unspecified_values_and_closures_answer_each_other() -> None:
    for theory in SMALL:
        size = theory.size
        for ones in sets(theory):
            for zeros in (z for z in sets(theory) if z & ones == 0):
                query = Unspecified(ones, zeros)
                signs = {theory.satisfies(x) for x in completions(query, size)}
                expected = signs.pop() if len(signs) == 1 else None
                assert run(ask(query), KnownTheory(theory)) is expected
                answer, cost = reduced(query, by.unspecified_by_closure(size), theory)
                assert answer is expected and cost["closure"] <= size + 2
            answer, cost = reduced(Contains(ones), by.contains_by_unspecified(size), theory)
            assert answer == theory.satisfies(ones) and cost == {"unspecified": 1}
            for attribute in range(size):
                answer, cost = reduced(Entails(ones, attribute), by.entails_by_unspecified, theory)
                assert answer == (theory.closure(ones) >> attribute & 1 == 1) and cost.get("unspecified", 0) <= 1


@pytest.mark.parametrize("size", [4, 7, 16])
def test_halving_finds_a_closure_with_few_unspecified_queries(size: int) -> None:
    for seed in range(20):
        theory = random_theory(size, size, seed=seed)
        attrs = 1 << seed % size
        answer, cost = reduced(Close(attrs), by.close_by_unspecified(size), theory)
        added = (answer & ~attrs).bit_count()
        assert answer == theory.closure(attrs)
        assert cost["unspecified"] <= added * (1 + math.ceil(math.log2(size))) + 1


def test_a_correction_tells_membership_and_is_a_nearest_model() -> None:
    for theory in [*SMALL, *list(every_theory(4))[::40]]:
        for attrs in sets(theory):
            nearest = run(ask(Correct(attrs)), KnownTheory(theory))
            every = [x for x in sets(theory) if theory.satisfies(x)]
            rank = [
                ((x ^ attrs).bit_count(), x.bit_count(), [i for i in range(theory.size) if x >> i & 1]) for x in every
            ]
            assert nearest == every[rank.index(min(rank))]
            assert reduced(Contains(attrs), by.contains_by_correction, theory)[0] == theory.satisfies(attrs)


def test_a_batch_is_its_sets_one_by_one() -> None:
    theory = random_theory(5, 4, seed=1)
    every = tuple(range(32))
    batch = [theory.closure(attrs) for attrs in every]
    assert reduced(CloseAll(every), by.close_all_by_closure, theory) == (batch, {"closure": 32})
    assert run(ask(CloseAll(every)), KnownTheory(theory)) == batch
    assert reduced(Close(7), by.close_by_batch, theory) == (theory.closure(7), {"closure": 1})


# General Horn: the same arrows where a set may have no closure.


def test_the_arrows_hold_for_general_horn_targets() -> None:
    for size in range(4):
        for theory, family in general_theories(size):
            for attrs in range(2**size):
                above = [x for x in family if attrs & ~x == 0]
                expected = definitions.closure(above, attrs, size) if above else None
                assert run(ask(Close(attrs)), KnownTheory(theory)) == expected
                member, _ = reduced(Contains(attrs), by.contains_by_entails(size), theory)
                assert member == reduced(Contains(attrs), by.contains_by_closure, theory)[0] == (attrs in family)
                assert reduced(Entails(attrs, None), by.entails_by_closure, theory)[0] == (not above)
                assert reduced(Entails(attrs, None), by.entails_by_contains(size), theory)[0] == (not above)
                assert reduced(Entails(attrs, None), by.entails_by_unspecified, theory)[0] == (not above)


# Routes: every learner in every model that can serve it.


class Only:
    """An oracle that answers only some kinds of query."""

    def __init__(self, theory: Theory, *kinds: type[Query], seed: int | None = None) -> None:
        known = KnownTheory(theory, first if seed is None else at_random(seed))
        for kind in kinds:
            setattr(self, kind.method, getattr(known, kind.method))


MODELS = {
    "standard": (Contains, Equivalent),
    "closure": (Close, Equivalent),
    "batch": (CloseAll, Equivalent),
    "entailment": (Entails, EntailmentEquivalent),
    "implications and equivalence": (Holds, Equivalent),
    "corrections": (Correct, Equivalent),
    "unspecified": (Unspecified, Equivalent),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("learner", [clh, afp, horn1, horn, lrn, explore])
def test_every_learner_runs_in_every_model(learner: Callable[[int], Learner[Theory]], model: str) -> None:
    for theory in SMALL[::3]:
        oracle = Only(theory, *MODELS[model], seed=1)
        learned = run(served(learner(theory.size), oracle, theory.size), oracle)
        assert learned.canonical() == theory.canonical()
        assert learner is horn or learned.in_order() == theory.canonical()


def test_exploration_runs_on_membership_or_entailment_alone() -> None:
    for theory in SMALL[::3]:
        for kinds in ((Close,), (Contains,), (Entails,), (Unspecified,)):
            oracle = Only(theory, *kinds)
            assert run(served(explore(theory.size), oracle, theory.size), oracle).in_order() == theory.canonical()


@pytest.mark.parametrize("model", MODELS)
def test_general_horn_targets_are_learned_in_every_model(model: str) -> None:
    for size in range(4):
        for theory, family in list(general_theories(size))[::2]:
            oracle = Only(theory, *MODELS[model])
            learned = run(served(embedded(clh(size), size), oracle, size), oracle)
            assert sorted(learned.models()) == family


def test_without_a_way_the_error_says_what_the_oracle_can() -> None:
    oracle = Only(Theory(3), Close)
    with pytest.raises(CannotAnswer, match="no way to answer Equivalent over 3 attributes by asking Close"):
        run(served(clh(3), oracle, 3), oracle)
    with pytest.raises(CannotAnswer, match="no way to answer Close"):
        oracle = Only(Theory(60), Contains)
        run(served(ask(Close(0)), oracle, 60), oracle)
    with pytest.raises(CannotAnswer, match=r"Only has no closure\(\)"):
        run(ask(Close(0)), Only(Theory(3), Contains))


def test_implication_questions_cannot_reach_negative_clauses() -> None:
    with pytest.raises(CannotAnswer, match="whether the set of all attributes is a model"):
        reduced(Entails(0, None), by.entails_by_refutation, Theory(2))


def test_the_route_taken_is_the_cheapest() -> None:
    assert answers(KnownTheory(Theory(2))) == frozenset(
        {Close, CloseAll, Contains, Equivalent, Entails, EntailmentEquivalent, Holds, Correct, Unspecified}
    )
    theory = random_theory(6, 5, seed=2)
    counts = no_counts()
    oracle = Only(theory, Entails, Close, Contains)
    run(counted(through(ask(Holds(Implication(1, 2))), handlers(answers(oracle), 6)), counts), oracle)
    assert counts["closure"] == 1 and counts["entailment"] == counts["membership"] == 0
