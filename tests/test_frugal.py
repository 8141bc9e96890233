"""The frugal learner: the canonical basis, ClH's invariants, and far fewer queries."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hornbook import formats
from hornbook.dialogue import Learner, Session, run
from hornbook.embedding import embedded
from hornbook.inference import inferred
from hornbook.layers import Counts, cached, counted, no_counts
from hornbook.learners import clh, frugal, minimising
from hornbook.learners.refining import Refinement
from hornbook.oracles.known import KnownTheory, Policy, adversarial, first, largest, smallest
from hornbook.queries import Close, CloseAll, Equivalent
from hornbook.testing import audited, check_learner, every_theory, random_theory
from hornbook.theory import Implication, Theory


def cost(target: Theory, policy: Policy) -> Counts:
    """What reaches the oracle; the result is checked."""
    counts = no_counts()
    learned = run(counted(cached(inferred(frugal(target.size), target.size)), counts), KnownTheory(target, policy))
    assert learned.in_order() == target.canonical()
    return counts


def test_it_learns_every_closure_system_on_three_attributes_from_every_kind_of_counterexample() -> None:
    for trial in check_learner(frugal):
        run(audited(frugal(trial.target.size), trial.target), KnownTheory(trial.target))
        assert trial.counts["equivalence"] <= 1 + sum(
            trial.target.size - known.premise.bit_count() for known in trial.target.canonical()
        )


@pytest.mark.slow
def test_it_learns_every_closure_system_on_four_attributes_within_the_lemmas_of_clh() -> None:
    for target in every_theory(4):
        for policy in (first, largest):
            learned = run(audited(frugal(4), target), KnownTheory(target, policy))
            assert learned.in_order() == target.canonical()


def any_counterexample(learner: Learner[Theory], target: Theory, chance: random.Random) -> Theory:
    """The run in which every counterexample is drawn from all there are."""
    session = Session(learner)
    while session.query is not None:
        query = session.query
        if isinstance(query, Equivalent):
            wrong = [x for x in range(1 << target.size) if query.hypothesis.satisfies(x) != target.satisfies(x)]
            session.answer(chance.choice(wrong) if wrong else None)
        else:
            session.answer(query.ask(KnownTheory(target)))
    return session.result


def test_any_choice_of_counterexamples_leads_to_the_canonical_basis() -> None:
    chance = random.Random(1)
    for seed in range(60):
        target = random_theory(6, 7, seed=seed)
        assert any_counterexample(audited(frugal(6), target), target, chance).in_order() == target.canonical()


def test_where_minimising_gives_up_at_once_the_intersections_of_clh_still_lead_to_the_basis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for limit in ("GUESSES", "QUERIES", "NODES"):
        monkeypatch.setattr(minimising, limit, 0)
    chance = random.Random(2)
    for seed in range(150):
        target = random_theory(6, 8, premise=(2, 4), seed=seed)
        assert any_counterexample(audited(frugal(6), target), target, chance).in_order() == target.canonical()


def test_unhelpful_counterexamples_cost_it_far_less_than_clh_with_a_cache() -> None:
    plain, spared = no_counts(), 0
    for seed in range(10):
        target = random_theory(20, 25, premise=(2, 3), conclusion=(1, 1), seed=seed)
        run(counted(cached(clh(20)), plain), KnownTheory(target, adversarial))
        counts = cost(target, adversarial)
        assert counts["equivalence"] <= len(target.canonical()) + 1
        spared += sum(counts.values())
    assert 2 * spared < sum(plain.values())


def test_with_smallest_counterexamples_every_equivalence_query_brings_an_implication() -> None:
    for seed in range(10):
        target = random_theory(12, 15, seed=seed)
        assert cost(target, smallest)["equivalence"] <= len(target.canonical()) + 1


def test_it_infers_by_itself_what_the_layer_would_infer() -> None:
    for seed in range(10):
        target = random_theory(10, 14, seed=seed)
        counts = no_counts()
        run(counted(frugal(10), counts), KnownTheory(target))
        assert counts == cost(target, first)


def test_the_same_answers_lead_to_the_same_questions() -> None:
    target = random_theory(12, 20, seed=3)

    def questions() -> list[object]:
        session, asked = Session(frugal(12)), []
        while session.query is not None:
            asked.append(session.query)
            session.answer(session.query.ask(KnownTheory(target)))
        return asked

    assert questions() == questions()


def test_general_horn_targets_are_learned_through_their_embedding() -> None:
    for definite in every_theory(3):
        target = Theory(3, definite.implications, top=False)
        assert run(embedded(frugal(3), 3), KnownTheory(target)).equivalent(target)


def test_sets_called_pseudo_closed_are_premises_of_the_canonical_basis() -> None:
    called = 0
    for seed in range(40):
        target = random_theory(8, 10, seed=seed)
        learned = Refinement(8)
        oracle = KnownTheory(target)
        while (x := oracle.counterexample(learned.hypothesis)) is not None:
            taking = learned.take(x)
            try:
                query = next(taking)
                while True:
                    assert isinstance(query, Close | CloseAll)
                    query = taking.send(query.ask(oracle))
            except StopIteration:
                pass
        premises = {known.premise for known in target.canonical()}
        assert learned.pseudo_closed <= premises
        called += len(learned.pseudo_closed)
    assert called > 200


def test_an_implication_that_follows_from_others_can_be_replaced_all_the_same() -> None:
    learned = Refinement(4)
    for premise in (0b0001, 0b0111):
        learned.hypothesis = learned.hypothesis.append(Implication(premise, 0b1111))
        learned._closer.add(premise, 0b1111)
    learned._replace(1, learned.hypothesis[1], Implication(0b0110, 0b1110))
    assert list(learned.hypothesis) == [Implication(0b0001, 0b1111), Implication(0b0110, 0b1110)]
    assert [learned._closer.close(attrs) for attrs in (0b0001, 0b0110, 0b0010)] == [0b1111, 0b1110, 0b0010]


REACHED = [
    ("pibase_definite", first, 420, 3_500),
    ("pibase_definite", smallest, 511, 1_600),
    ("debian_build_essential", first, 124, 124),
    ("debian_build_essential", largest, 124, 124),
    ("rmzoo_rca", largest, 140, 5 * 139),
    ("catdat_functor", first, 37, 5 * 36),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "policy", "equivalences", "closures"), REACHED)
def test_real_theories_cost_no_more_than_promised(
    data: Path, name: str, policy: Policy, equivalences: int, closures: int
) -> None:
    target = formats.read(data / "theories" / f"{name}.imp").value.theory  # type: ignore[union-attr]
    counts = cost(target, policy)
    assert counts["equivalence"] <= equivalences
    assert counts["closure"] <= closures
