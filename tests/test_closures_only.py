"""Closures alone: the canonical basis, a proof that nothing is missing, and few more queries than anyone needs."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from hornbook import formats
from hornbook.dialogue import Session, run
from hornbook.embedding import embedded
from hornbook.layers import counted, no_counts
from hornbook.learners.closures_only import Found, Progress, bound, closures_only
from hornbook.learners.gaps import Gaps
from hornbook.oracles.known import KnownTheory
from hornbook.queries import Close, CloseAll
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Theory


def found(target: Theory, most_closed: int | None = None) -> tuple[Found, int]:
    """What is found, and the number of queries."""
    counts = no_counts()
    oracle = KnownTheory(target)
    result = run(counted(closures_only(target.size, most_closed=most_closed), counts), oracle)
    assert set(counts) == set(no_counts())
    assert sum(counts.values()) == counts["closure"]
    return result, counts["closure"]


def irreducible_models(target: Theory) -> set[int]:
    """The models that are no intersection of other models, straight from the definition."""
    models = [attrs for attrs in range(1 << target.size) if target.satisfies(attrs)]
    irreducible = set()
    for model in models:
        meet = (1 << target.size) - 1
        for other in models:
            if other != model and model & ~other == 0:
                meet &= other
        if meet != model:
            irreducible.add(model)
    return irreducible


def check(target: Theory) -> None:
    result, queries = found(target)
    basis = target.canonical()
    assert result.complete and result.theory.in_order() == basis
    models = irreducible_models(target)
    assert set(result.closed) == models
    # Each premise with its closure, and each model that is no such closure, takes a query of its own.
    needed = len(basis) + len(models - {known.conclusion for known in basis})
    assert needed <= queries <= bound(basis, len(models))


def test_every_closure_system_on_three_attributes_is_learned_with_all_its_characteristic_models() -> None:
    for size in range(4):
        for target in every_theory(size):
            check(target)


@pytest.mark.slow
def test_every_closure_system_on_four_attributes_is_learned_with_all_its_characteristic_models() -> None:
    for target in every_theory(4):
        check(target)


def test_random_theories_are_learned_with_all_their_characteristic_models() -> None:
    for seed in range(25):
        check(random_theory(9, 10, seed=seed))


def test_a_limit_leaves_a_true_theory_true_closed_sets_and_says_what_is_open() -> None:
    target = random_theory(20, 14, premise=(2, 3), seed=3)
    whole, _ = found(target)
    for most in (21, 30, len(whole.closed) // 2):
        part, _ = found(target, most_closed=most)
        assert not part.complete and part.uncertified and str(most) in part.reason
        assert target.entails(part.theory)
        assert all(target.closure(attrs) == attrs for attrs in part.closed)
        for attribute in range(20):
            if not part.uncertified >> attribute & 1:
                for known in target.canonical():
                    assert not (known.added & ~part.theory.closure(known.premise)) >> attribute & 1
    assert found(target, most_closed=10**6)[0] == whole


@pytest.mark.parametrize("goal", [0, 7, 20])
def test_an_attribute_with_too_many_models_leaves_only_itself_unknown_wherever_it_stands(goal: int) -> None:
    others = [position for position in range(21) if position != goal]
    pairs = [(1 << others[2 * i] | 1 << others[2 * i + 1], 1 << goal) for i in range(10)]
    part, queries = found(Theory.of(21, pairs), most_closed=200)
    assert part.uncertified == 1 << goal and "200" in part.reason
    assert queries < 300


def test_progress_never_goes_back_and_ends_with_all_attributes() -> None:
    target = random_theory(10, 12, seed=5)
    seen: list[Progress] = []
    run(closures_only(10, report=seen.append), KnownTheory(target))
    for before, after in pairwise(seen):
        assert before.certified & ~after.certified == 0
        assert before.closed_sets <= after.closed_sets
    assert seen[-1].certified == 2**10 - 1
    assert seen[-1].implications == len(target.canonical())


def test_the_first_question_is_one_batch_of_the_empty_set_and_every_single_attribute() -> None:
    session = Session(closures_only(4))
    assert session.query == CloseAll((0, 1, 2, 4, 8))


def test_a_run_can_be_stopped_anywhere_and_its_answers_lead_to_the_same_question() -> None:
    target = random_theory(9, 12, seed=2)
    oracle = KnownTheory(target)
    session, answers = Session(closures_only(9)), []
    while session.query is not None:
        again = Session(closures_only(9))
        for answer in answers:
            again.answer(answer)
        assert again.query == session.query
        answers.append(session.query.ask(oracle))
        session.answer(answers[-1])
    assert len(answers) > 10


def test_another_process_asks_the_same_questions() -> None:
    program = (
        "from hornbook.dialogue import Session\n"
        "from hornbook.learners.closures_only import closures_only\n"
        "from hornbook.oracles.known import KnownTheory\n"
        "from hornbook.testing import random_theory\n"
        "session, oracle = Session(closures_only(14)), KnownTheory(random_theory(14, 18, seed=1))\n"
        "while session.query is not None:\n"
        "    print(session.query)\n"
        "    session.answer(session.query.ask(oracle))\n"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1 and len(outputs.pop().splitlines()) > 20


def test_general_horn_targets_are_learned_through_their_embedding() -> None:
    for definite in every_theory(3):
        target = Theory(3, definite.implications, top=False)
        result = run(embedded(closures_only(3), 3), KnownTheory(target))
        assert result.theory.equivalent(target)
        assert all(target.satisfies(attrs) for attrs in result.closed)


def test_gaps_are_found_exactly_where_there_are_some() -> None:
    from hornbook.bounds import ClosedSets

    for target in every_theory(3):
        models = [attrs for attrs in range(8) if target.satisfies(attrs)]
        known = ClosedSets(3)
        for model in models[::2]:
            known.add(model)
        gaps = Gaps(3)
        for implication in target:
            gaps.learn((implication.premise, implication.conclusion))
        for position in range(3):
            gap = gaps.find(position, known)
            expected = [attrs for attrs in models if not attrs >> position & 1 and known.above(attrs) >> position & 1]
            assert (gap in expected) if expected else gap is None
        for attrs in models:
            smaller = gaps.find_smaller(attrs, known)
            doubtful = [model for model in models if model & ~attrs == 0 and known.above(model) != model != attrs]
            assert (smaller in doubtful) if doubtful else smaller is None
        gaps.close()


REACHED = [
    ("theories/catdat_functor", 2.5),
    ("theories/catdat_morphism", 2.5),
    ("theories/rmzoo_rca", 2.5),
    ("theories/fm_e_shop", 2.5),
    ("theories/debian_build_essential", 1.1),
    ("theories/npm_next_webpack", 2.5),
    ("gcc_isa/gcc_isa_unary", 1.4),
    ("theories/uci_bases/zoo_DG", 2.5),
    # Here many premises are not proven pseudo-closed, so that the intersections of ClH matter.
    ("theories/uci_bases/post-operative_DG", 2.5),
    # Here it matters which end of a gap is asked for.
    ("theories/uci_bases/vote_DG", 2.5),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "ratio"), REACHED)
def test_real_theories_cost_little_more_than_the_lower_bound(data: Path, name: str, ratio: float) -> None:
    target = formats.read(data / f"{name}.imp").value.theory  # type: ignore[union-attr]
    result, queries = found(target)
    basis = target.canonical()
    assert result.complete and result.theory.in_order() == basis
    lower = len(basis) + len(set(result.closed) - {known.conclusion for known in basis})
    assert queries <= ratio * lower
    if "gcc" in name:
        assert queries <= 200


def test_only_closures_are_asked() -> None:
    session, oracle = Session(closures_only(8)), KnownTheory(random_theory(8, 9, seed=4))
    while session.query is not None:
        assert isinstance(session.query, Close | CloseAll)
        session.answer(session.query.ask(oracle))
