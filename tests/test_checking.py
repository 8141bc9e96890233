"""Oracles that lie: every contradiction among the answers received is found, and shown as the answers that make it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest

import definitions
from hornbook.checking import checked, contradiction, each_of, probed, probes, vetted
from hornbook.dialogue import Learner, run, through
from hornbook.errors import BadAnswer, BadQuestion
from hornbook.inference import Knowledge, inferred
from hornbook.layers import Stopped, counted, limited, no_counts, repeated
from hornbook.oracles.known import KnownTheory
from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
)
from hornbook.reductions import close_by_entails
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Implication, Theory


def show(query: Query, answer: Any) -> str:
    return f"{query} is {answer}"


def sums(*queries: Query) -> Learner[list[Any]]:
    answers = []
    for query in queries:
        answers.append((yield query))
    return answers


def asking_all(queries: Iterable[Query], size: int) -> Learner[Any]:
    """A checked learner that asks all of it, what could be inferred too."""
    return checked(probed(sums(), sums(*queries), Knowledge(size), no_counts()), size, show)


class Says:
    """An oracle that says what it was told to say."""

    def __init__(self, **answers: Any) -> None:
        for method, said in answers.items():
            setattr(self, method, lambda *asked, said=said: said[asked[0] if len(asked) == 1 else asked])


def consistent(pairs: list[tuple[int, int]], size: int) -> bool:
    """Whether some closure system has all these closures: tried one by one."""
    return any(
        all(definitions.closure(family, x, size) == y for x, y in pairs) for family in definitions.closure_systems(size)
    )


def test_closure_answers_contradict_each_other_exactly_when_no_closure_system_has_them() -> None:
    chance = random.Random(1)
    seen = {True: 0, False: 0}
    for _ in range(3000):
        size = chance.randint(1, 3)
        told = [(x := chance.randrange(2**size), x | chance.randrange(2**size)) for _ in range(chance.randint(1, 4))]
        facts = [(Close(x), y) for x, y in told]
        found = contradiction(facts, size)
        expected = consistent(told, size)
        seen[expected] += 1
        assert (not found) == expected
        if found:
            assert len(found) <= 2, "closures contradict each other in pairs"
            assert not consistent([(query.attrs, y) for query, y in found], size)
            assert all(fact in facts for fact in found)
    assert min(seen.values()) > 300


def test_one_changed_answer_is_caught_wherever_the_others_refute_it() -> None:
    for theory in every_theory(3):
        truth = [(x, theory.closure(x)) for x in range(8)]
        for wrong in range(8):
            for lie in range(8):
                told = [(x, lie if x == wrong else y) for x, y in truth]
                found = contradiction([(Close(x), y) for x, y in told], 3)
                assert bool(found) == (not consistent(told, 3))
                assert not found or any(query.attrs == wrong for query, _ in found)


@pytest.mark.parametrize(
    ("queries", "oracle", "says"),
    [
        ((Close(1),), Says(closure={1: 2}), "does not: Close"),
        ((Close(1), Close(3)), Says(closure={1: 5, 3: 3}), "these 2 answers contradict"),
        ((Close(1), Contains(1)), Says(closure={1: 5}, contains={1: True}), "these 2 answers contradict"),
        ((Contains(3), Contains(5), Contains(1)), Says(contains={3: True, 5: True, 1: False}), "these 3 answers"),
        ((Close(1), Entails(1, 2)), Says(closure={1: 5}, entails={(1, 2): False}), "these 2 answers"),
        ((Close(1),), Says(closure={1: "a"}), "'a' is no answer to Close: a set over 3 attributes"),
        ((Close(1),), Says(closure={1: 8}), "8 is no answer to Close"),
        ((Close(1),), Says(closure={1: -1}), "-1 is no answer to Close"),
        ((Contains(1),), Says(contains={1: None}), "None is no answer to Contains: True or False"),
        ((CloseAll((1, 2)),), Says(closures={(1, 2): [1]}), "2 sets were to be closed and 1 answers came"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_contradictions_are_shown(queries, oracle, says: str) -> None:
    with pytest.raises(BadAnswer, match=says) as error:
        run(asking_all(queries, 3), oracle)
    if "these" in says:
        assert str(error.value).count(" is ") == int(says.split()[1])


def test_a_counterexample_that_is_none_is_found() -> None:
    hypothesis = Theory.of(3, [(1, 3)])
    learner = checked(inferred(sums(Close(4), Equivalent(hypothesis)), 3), 3, show)
    with pytest.raises(BadAnswer, match="these 2 answers contradict"):
        # 4 is a model of both.
        run(learner, Says(closure={4: 4}, counterexample={hypothesis: 4}))


def test_a_refutation_that_satisfies_the_implication_is_found() -> None:
    implication = Implication(1, 2)
    with pytest.raises(BadAnswer, match="these 2 answers"):
        run(asking_all((Close(1), Holds(implication)), 2), Says(closure={1: 3}, refutation={implication: 1}))


def test_true_oracles_pass() -> None:
    theory = random_theory(6, 6, seed=4)
    queries = [Close(x) for x in range(64)] + [Contains(x) for x in range(64)]
    assert run(asking_all(queries, 6), KnownTheory(theory)) == []


# Probes: what a run would never have asked.


def test_probes_are_the_empty_set_the_single_attributes_and_then_pairs_of_a_set_and_a_superset() -> None:
    sets = [query.attrs for query in probes(8, 49, seed=3)]
    assert sets[:9] == [0, 1, 2, 4, 8, 16, 32, 64, 128] and len(sets) == 49
    pairs = list(pairwise(sets[9:]))[::2]
    assert all(small & ~large == 0 and small != large for small, large in pairs)
    assert len(set(sets)) == 49, "a set that comes twice finds nothing new"
    assert [query.attrs for query in probes(8, 49, seed=3)] == sets
    assert [query.attrs for query in probes(8, 49, seed=4)] != sets
    assert [query.attrs for query in probes(5, 3, seed=4)] == [0, 1, 2]
    assert [query.attrs for query in probes(0, 3, seed=4)] == [0, 0, 0]


def test_probes_find_what_the_learner_never_asks_and_are_counted_apart() -> None:
    class NotMonotone:
        def closure(self, attrs: int) -> int:
            return attrs | (8 if attrs == 1 else 0)

    def run_with(count: int) -> dict[str, int]:
        counts, knowledge = no_counts(), Knowledge(4)
        extra = each_of(probes(4, count, 0))
        learner = probed(inferred(sums(Close(0)), 4, knowledge), extra, knowledge, counts)
        run(checked(learner, 4, show), NotMonotone())
        return counts

    assert run_with(0)["closure"] == 0
    assert run_with(5)["closure"] == 5
    with pytest.raises(BadAnswer, match="these 2 answers"):
        run_with(60)


def test_probes_reach_an_oracle_without_closures_by_reductions_and_teach_what_it_said() -> None:
    counts, knowledge = no_counts(), Knowledge(3)
    oracle = KnownTheory(Theory.of(3, [(0b001, 0b010)]))
    run(probed(sums(), through(sums(Close(0b001)), {Close: close_by_entails(3)}), knowledge, counts), oracle)
    assert counts["closure"] == 0 and counts["entailment"] == 2
    assert knowledge.entails(0b001, 1) is True and knowledge.entails(0b001, 2) is False


# Answers of a wrong kind.


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (Close(1), 4),
        (Close(1), -1),
        (Close(1), True),
        (Close(1), "a"),
        (CloseAll((1, 2)), [1]),
        (CloseAll((1, 2)), [1, 8]),
        (Contains(1), 1),
        (Entails(1, 0), None),
        (Holds(Implication(1, 2)), True),
        (Equivalent(Theory(2)), 4),
        (EntailmentEquivalent(Theory(2)), 3),
        (EntailmentEquivalent(Theory(2)), Implication(1, 4)),
        (Unspecified(1, 2), 1),
    ],
)
def test_an_answer_of_a_wrong_kind_is_refused_before_anyone_uses_it(query: Query, said: Any) -> None:
    for layer in (vetted(sums(query), 2), checked(sums(query), 2, show)):
        assert next(layer) == query
        with pytest.raises(BadAnswer):
            layer.send(said)


def test_vetted_passes_what_is_of_the_right_kind_though_it_may_be_wrong() -> None:
    asked = [Close(1), CloseAll((1, 2)), Holds(Implication(1, 2)), EntailmentEquivalent(Theory(2)), Unspecified(1, 2)]
    said = [2, [None, 0], 3, Implication(1, 2), None]
    learner = vetted(sums(*asked), 2)
    next(learner)
    for answer in said[:-1]:
        learner.send(answer)
    with pytest.raises(StopIteration) as end:
        learner.send(said[-1])
    assert end.value.value == said


@pytest.mark.parametrize("model", [0b00, 0b11])
def test_a_refutation_that_does_not_refute_is_refused(model: int) -> None:
    learner = checked(sums(Holds(Implication(0b01, 0b10))), 2, show)
    next(learner)
    with pytest.raises(BadAnswer, match="a refutation has the premise"):
        learner.send(model)


@pytest.mark.parametrize("clause", [Implication(0b01, 0b01), Implication(0b11, 0b11)])
def test_a_clause_that_is_true_of_every_set_distinguishes_nothing(clause: Implication) -> None:
    learner = checked(inferred(sums(EntailmentEquivalent(Theory(2))), 2), 2, show)
    next(learner)
    if clause.premise == 0b11:
        with pytest.raises(StopIteration):
            learner.send(clause)
    else:
        with pytest.raises(BadAnswer, match="true of every set"):
            learner.send(clause)


@pytest.mark.parametrize("query", [Close(4), CloseAll((1, 4)), Contains(-1)])
def test_a_question_about_attributes_that_there_are_not_is_no_fault_of_the_oracle(query: Query) -> None:
    with pytest.raises(BadQuestion, match="is no set over 2 attributes"):
        next(checked(sums(query), 2, show))


# Flaky oracles.


def test_of_a_batch_each_set_has_its_own_majority() -> None:
    said = iter([[1, 2], [1, 3], [3, 2]])
    noticed: list[Any] = []
    learner = repeated(sums(CloseAll((1, 2))), 3, lambda *said: noticed.append(said))
    next(learner)
    learner.send(next(said))
    learner.send(next(said))
    with pytest.raises(StopIteration) as end:
        learner.send(next(said))
    assert end.value.value == [[1, 2]]
    assert noticed == [(Close(1), 1, [2, 1]), (Close(2), 2, [2, 1])]


def test_closures_are_repeated_together_where_there_are_workers_for_them() -> None:
    noticed: list[Any] = []
    learner = repeated(
        sums(Close(1), CloseAll((1, 2)), Contains(0)), 3, lambda *said: noticed.append(said), together=True
    )
    assert next(learner) == CloseAll((1, 1, 1))
    assert learner.send([3, 1, 1]) == CloseAll((1, 2, 1, 2, 1, 2))
    assert [learner.send([1, 2, 1, 3, 1, 3]), learner.send(True), learner.send(True)] == [Contains(0)] * 3
    with pytest.raises(StopIteration) as end:
        learner.send(True)
    assert end.value.value == [1, [1, 3], True]
    assert noticed == [(Close(1), 1, [2, 1]), (Close(2), 3, [2, 1])]


def test_the_majority_of_repeated_answers_counts_and_is_never_silent() -> None:
    class Flaky:
        asked = 0

        def closure(self, attrs: int) -> int:
            self.asked += 1
            return attrs if self.asked % 3 else attrs | 2

    noticed: list[Any] = []
    counts = no_counts()
    learner = repeated(sums(Close(1), Close(4)), 3, lambda *said: noticed.append(said))
    assert run(counted(learner, counts), Flaky()) == [1, 4]
    assert noticed == [(Close(1), 1, [2, 1]), (Close(4), 4, [2, 1])]
    assert counts["closure"] == 6
    noticed.clear()
    assert run(repeated(sums(Close(1)), 3, lambda *said: noticed.append(said)), KnownTheory(Theory(2))) == [1]
    assert not noticed


def test_counting_each_query_several_times_is_what_repeating_asks() -> None:
    counts = no_counts()
    run(counted(sums(Close(1), CloseAll((1, 2))), counts, each=3), KnownTheory(Theory(2)))
    assert counts["closure"] == 9


# Limits.


def test_a_limited_learner_stops_with_the_reason() -> None:
    asked: list[Query] = []

    def exhausted(query: Query) -> str | None:
        asked.append(query)
        return "enough" if len(asked) > 2 else None

    assert run(limited(sums(Close(1), Close(2), Close(3)), exhausted), KnownTheory(Theory(2))) == Stopped("enough")
    assert len(asked) == 3
    assert run(limited(sums(Close(1)), lambda query: None), KnownTheory(Theory(2))) == [1]
