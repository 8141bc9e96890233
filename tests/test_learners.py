"""The learners on every small theory, under every order of counterexamples that fits, and within the sharp bounds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import definitions
from hornbook.dialogue import Learner, Session, run
from hornbook.embedding import embedded
from hornbook.errors import BadAnswer, BadQuestion
from hornbook.layers import cached, counted, no_counts
from hornbook.learners import afp, clh, explore, horn, horn1, lrn
from hornbook.oracles.known import KnownTheory, at_random, first
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Holds, Query
from hornbook.routes import served
from hornbook.testing import audited, check_learner, every_theory, random_theory
from hornbook.theory import Implication, Theory
from hornbook.universe import members

Make = Callable[[int], Learner[Theory]]
Merge = Callable[[list[object]], object]

THREE = [theory for size in range(4) for theory in every_theory(size)]
FOUR = list(every_theory(4))


def slack(theory: Theory) -> int:
    """The sum of n - |P| over the premises P of the basis."""
    return sum(theory.size - implication.premise.bit_count() for implication in theory)


def test_the_kit_makes_every_theory_from_the_definition() -> None:
    for size in range(5):
        expected = {frozenset(definitions.canonical(size, family)) for family in definitions.closure_systems(size)}
        assert {frozenset(theory.rules) for theory in every_theory(size)} == expected


@pytest.mark.slow
@pytest.mark.parametrize("learner", [clh, afp, horn1, lrn, explore])
def test_every_theory_on_four_attributes_is_learned_as_its_canonical_basis(learner: Make) -> None:
    trials = check_learner(learner, THREE + FOUR, seeds=5)
    assert len(trials) == (1 + 2 + 7 + 61 + 2480) * 9


@pytest.mark.slow
def test_horn_learns_an_equivalent_theory() -> None:
    trials = check_learner(horn, THREE + FOUR, seeds=5, canonical=False)
    assert any(len(trial.learned) > 0 for trial in trials)


def test_clh_stays_within_the_sharp_bounds_and_the_equivalence_bound_is_attained() -> None:
    worst = {}
    for trial in check_learner(clh, THREE + FOUR, seeds=3):
        n, m = trial.target.size, len(trial.target)
        assert trial.counts["equivalence"] <= 1 + slack(trial.target)
        assert trial.counts["closure"] <= m * m * (n - 1) + m * (m + 1) // 2 if m else trial.counts["closure"] == 0
        worst[n, m] = max(worst.get((n, m), 0), trial.counts["equivalence"])
    assert [worst[n, 1] for n in (2, 3, 4)] == [3, 4, 5], "mn + 1 for a basis of one implication"


def test_the_others_stay_within_their_bounds() -> None:
    for theory in THREE + FOUR[::5]:
        n, m = theory.size, len(theory)
        for seed in range(3):
            oracle = KnownTheory(theory, at_random(seed))
            asked = {}
            for learner in (afp, horn1, lrn):
                run(counted(learner(n), counts := no_counts()), oracle)
                asked[learner] = counts
            assert asked[afp]["equivalence"] <= m * max(2 * n - 1, 0) + 1
            assert asked[afp]["membership"] <= max(m * m * (n - 1) + m * (m - 1) // 2, 0)
            assert asked[horn1]["equivalence"] <= 2 * m * n + 1
            assert asked[lrn]["entailment_equivalence"] <= 1 + slack(theory)
            assert asked[lrn]["entailment"] <= m * m * n * n + m * n


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "step"), [(clh, 1), (lrn, 3)])
def test_every_hypothesis_of_clh_and_lrn_keeps_what_the_lemmas_say(learner: Make, step: int) -> None:
    check_learner(lambda size: self_audited(learner(size), size), THREE + FOUR[::step], seeds=2)


def test_every_hypothesis_of_afp_is_saturated() -> None:
    for theory in THREE + FOUR[::5]:
        for seed in range(3):
            assert all(hypothesis.saturated() for hypothesis in hypotheses(afp, theory, seed))


def test_without_positive_membership_answers_afp_asks_about_theories_that_are_not_saturated() -> None:
    # The witness, a run on four attributes: the premise bd stays although the new conclusion of {} ought to enlarge it.
    target = Theory.of(4, [(0, 0b1000), (0b1001, 0b1101), (0b1010, 0b1110)])
    session = Session(afp(4, keep=False))
    asked = []
    for counterexample in (0b1001, 0b1101, 0b1010, 0b1110, 0b0001, 0b0110):
        while isinstance(session.query, Contains):
            session.answer(target.satisfies(session.query.attrs))
        hypothesis = session.query.hypothesis
        assert hypothesis.satisfies(counterexample) != target.satisfies(counterexample)
        asked.append(hypothesis.saturated())
        session.answer(counterexample)
    session.answer(target.satisfies(session.query.attrs))
    assert session.query.hypothesis.rules == [(0, 0b1100), (0b1010, 0b1110)]
    assert all(asked) and not session.query.hypothesis.saturated()


def self_audited(learner: Learner[Theory], size: int) -> Learner[Theory]:
    """Learn the target first, then run the learner under audit against it."""
    target = yield from clh(size)
    return (yield from audited(learner, target))


def hypotheses(learner: Make, theory: Theory, seed: int) -> Iterator[Theory]:
    session = Session(learner(theory.size))
    oracle = KnownTheory(theory, at_random(seed))
    while session.query is not None:
        if isinstance(session.query, Equivalent | EntailmentEquivalent):
            yield session.query.hypothesis
        session.answer(session.query.ask(oracle))


# Every branch: whatever counterexample an opponent picks, at every question.


def replies(query: Query, theory: Theory, family: list[int]) -> list[object]:
    """Every true answer to the query."""
    oracle = KnownTheory(theory)
    if isinstance(query, Equivalent):
        wrong = [x for x in range(2**theory.size) if query.hypothesis.satisfies(x) != (x in family)]
        return list(wrong) or [None]
    if isinstance(query, EntailmentEquivalent):
        clauses = [
            Implication(premise, 1 << b)
            for premise in range(2**theory.size)
            for b in range(theory.size)
            if theory.entails(Implication(premise, 1 << b)) != query.hypothesis.entails(Implication(premise, 1 << b))
        ]
        return list(clauses) or [None]
    if isinstance(query, Holds):
        wrong = [x for x in family if not query.implication.satisfied_by(x)]
        return list(wrong) or [None]
    return [query.ask(oracle)]


def leaves(
    learner: Callable[[], Learner[Theory]], theory: Theory, merge: Callable[[list[object]], object]
) -> list[Theory]:
    """What is learned at the end of every branch; branches that leave the learner in the same state count once."""
    family = list(theory.models())
    ends, waiting, seen = [], [[]], set()
    while waiting:
        answers = waiting.pop()
        session = Session(learner())
        told: list[object] = []
        for answer in answers:
            told.append((session.query, answer))
            session.answer(answer)
        if session.query is None:
            ends.append(session.result)
            continue
        state = (session.query, merge(told))
        if state in seen:
            continue
        seen.add(state)
        waiting += [[*answers, reply] for reply in replies(session.query, theory, family)]
    return ends


def whole_past(told: list[object]) -> object:
    """Nothing is merged but what has been told in another order."""
    return frozenset(told)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [clh, afp, horn1, horn, lrn, explore])
def test_no_choice_of_counterexamples_leads_astray_on_up_to_three_attributes(learner: Make) -> None:
    count = 0
    for theory in THREE:
        expected = theory.canonical()
        for learned in leaves(partial(learner, theory.size), theory, STATES.get(learner, whole_past)):
            count += 1
            assert learned.equivalent(theory)
            assert learner is horn or learned.in_order() == expected
    assert count >= len(THREE)


def negatives_asked(told: list[object]) -> object:
    """ClH and LRN: the hypothesis, which each query after it shows, and the scan under way since then."""
    scan = []
    for query, answer in reversed(told):
        scan.append((query, answer))
        if isinstance(query, Equivalent | EntailmentEquivalent):
            break
    return tuple(scan)


def positives_too(told: list[object]) -> object:
    """AFP: what ClH remembers, and the sets found positive, by counterexamples and by membership, in any order."""
    positive = {a for q, a in told if isinstance(q, Equivalent) and not q.hypothesis.satisfies(a)}
    positive |= {q.attrs for q, a in told if isinstance(q, Contains) and a}
    return negatives_asked(told), frozenset(positive)


STATES = {
    clh: negatives_asked,
    lrn: negatives_asked,
    afp: positives_too,
    horn1: negatives_asked,
    horn: negatives_asked,
}


# The mutations that are known to be wrong.


def mutant(size: int, *, order: str = "first", strict: bool = True, stop: bool = True) -> Learner[Theory]:
    """ClH with one thing changed."""
    hypothesis = Theory(size)
    step = 0
    while (x := (yield Equivalent(hypothesis))) is not None:
        refined = False
        indices = list(range(len(hypothesis)))
        if order == "last":
            indices.reverse()
        elif order == "random":
            step += 1
            indices.sort(key=lambda i: (i * 7919 + step * 104729) % 31)
        for i in indices:
            premise = hypothesis[i].premise
            meet = x & premise
            smaller = meet != premise if strict else True
            if smaller and (closed := (yield Close(meet))) != meet:
                hypothesis = hypothesis.replace(i, Implication(meet, closed))
                refined = True
                if stop:
                    break
        if not refined:
            hypothesis = hypothesis.append(Implication(x, (yield Close(x))))
    return hypothesis


def wrongs(learner: Make) -> int:
    """On how many theories on four attributes the kit refuses the learner."""
    count = 0
    for theory in FOUR:
        try:
            check_learner(learner, [theory], seeds=5, most=500)
        except BadQuestion:
            count += 1
    return count


def test_the_unchanged_mutant_is_clh() -> None:
    assert wrongs(mutant) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [{"stop": False}, {"order": "last"}, {"order": "random"}, {"strict": False}],
    ids=["refine all", "last first", "random order", "<= for <"],
)
def test_mutations_known_to_be_wrong_are_caught(changed: dict) -> None:
    assert wrongs(partial(mutant, **changed)) > 0
    with pytest.raises(BadQuestion):
        check_learner(lambda size: self_audited(mutant(size, **changed), size), FOUR, seeds=5, most=500)


# General Horn, by the embedding.


def general_theories(size: int) -> Iterator[tuple[Theory, list[int]]]:
    """Every family closed under intersection, the empty one too, with its models."""
    full = 2**size - 1
    for family in definitions.closure_systems(size):
        rules = definitions.canonical(size, family)
        yield Theory.of(size, rules), sorted(family)
        yield Theory.of(size, rules, top=False), [x for x in family if x != full]


@pytest.mark.parametrize("learner", [clh, afp, horn1, lrn])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_general_horn_theories_are_learned_through_the_embedding(learner: Make, seed: int | None) -> None:
    cases = 0
    for size in range(4):
        for theory, family in general_theories(size):
            oracle = KnownTheory(theory, first if seed is None else at_random(seed))
            learned = run(served(embedded(learner(size), size), oracle, size), oracle)
            assert sorted(learned.models()) == family
            assert learned.top == theory.top and learned.in_order() == theory.canonical()
            cases += 1
    assert cases == 2 * (1 + 2 + 7 + 61)


# Background knowledge.


def test_exploration_returns_what_the_background_lacks() -> None:
    for theory in THREE:
        for known in range(len(theory) + 1):
            background = Theory(theory.size, theory.implications[:known])
            oracle = KnownTheory(theory)
            accepted = run(explore(theory.size, background=background), oracle)
            together = Theory(theory.size, (*background, *accepted))
            assert together.equivalent(theory)
            for index in range(len(accepted)):
                rest = Theory(theory.size, (*background, *accepted.without(index)))
                assert not rest.equivalent(theory), "one implication could be left out"


def test_exploration_asks_nothing_that_its_examples_refute() -> None:
    for theory in THREE:
        counts = no_counts()
        examples = list(theory.models())
        learned = run(counted(explore(theory.size, examples=examples), counts), KnownTheory(theory))
        assert learned.in_order() == theory.canonical()
        assert counts["implication"] == len(theory)


@pytest.mark.parametrize("wrong", [0b11, 0b01, 0b00])
def test_exploration_does_not_go_on_from_a_set_that_refutes_nothing(wrong: int) -> None:
    session = Session(explore(2))
    session.answer(0b00)
    assert session.query == Holds(Implication(0b10, 0b11))
    with pytest.raises(BadAnswer, match="0b.* does not refute"):
        session.answer(wrong)


# Determinism, and real data.

ASK = """
from hornbook.dialogue import run, through
from hornbook.layers import cached, recorded
from hornbook.learners import afp, clh, closures_only, explore, frugal, horn, horn1, lrn
from hornbook.learners.by_closures import by_closures
from hornbook.oracles.known import KnownTheory, at_random
from hornbook.queries import Equivalent
from hornbook.routes import served
from hornbook.testing import random_theory

def clh_by_closures(size):
    return through(clh(size), {Equivalent: by_closures(size)})

def afp_by_closures(size):
    return through(afp(size), {Equivalent: by_closures(size)})

for learner in (afp, afp_by_closures, clh, clh_by_closures, closures_only, explore, frugal, horn, horn1, lrn):
    for seed in range(3):
        oracle = KnownTheory(random_theory(8, 10, seed=seed), at_random(seed))
        print(learner.__name__, seed)
        run(recorded(cached(served(learner(8), oracle, 8)), print), oracle)
"""


def test_two_processes_with_other_hash_seeds_ask_the_same_questions() -> None:
    def asked(seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True
        ).stdout

    one = asked("1")
    assert one.count("\n") > 1000
    assert one == asked("2")


SECONDS = (
    "catdat_functor",
    "catdat_morphism",
    "rmzoo_rca",
    "rmzoo_omega",
    "debian_build_essential",
    "debian_scipy_stack",
    "fm_xtext",
    "fm_e_shop",
    "npm_next_webpack",
    "pypi_jupyter_airflow_fastapi",
    "buildroot_qt",
)
"""Real theories on which all three end in seconds."""

LARGER = (
    "catdat_category",
    "pibase_definite",
    "pibase_definite_closed",
    "pibase_nonempty",
    "debian_kde_full",
    "buildroot_graphics",
    "buildroot_gstreamer1",
)
"""And those on which ClH does."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "learner"),
    [*((name, learner) for name in SECONDS for learner in (clh, afp, lrn)), *((name, clh) for name in LARGER)],
)
def test_real_theories_are_learned(data: Path, name: str, learner: Make) -> None:
    from test_theory import load

    _, theory = load(data / "theories" / f"{name}.imp")
    oracle = KnownTheory(theory)
    learned = run(cached(learner(theory.size)), oracle)
    assert learned.in_order() == theory.canonical()
    assert all(0 <= position < theory.size for rule in learned for position in members(rule.conclusion))


def test_random_theories_are_the_same_for_the_same_seed() -> None:
    assert random_theory(20, 30, seed=4) == random_theory(20, 30, seed=4) != random_theory(20, 30, seed=5)
    for implication in random_theory(20, 30, premise=(1, 4), conclusion=(2, 2), seed=4):
        assert 1 <= implication.premise.bit_count() <= 4 and implication.conclusion.bit_count() == 2


def test_queries_are_small_values() -> None:
    assert Close(3) == Close(3) != Contains(3) and len({Close(3), Close(3), Contains(3), Entails(3, 0)}) == 3
    assert not hasattr(Close(3), "__dict__")
