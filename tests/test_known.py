"""A known theory gives counterexamples as its policies are defined, and the nearest models."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import definitions
from hornbook.oracles.known import KnownTheory, Policy, adversarial, at_random, first, largest, smallest
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Implication, Theory
from hornbook.universe import by_size

SMALL = [theory for size in range(4) for theory in every_theory(size)]


def shuffled(theory: Theory, chance: random.Random) -> Theory:
    """The same theory in another file order, some implications cut in two: more than one way to break a tie."""
    parts = list(theory.implications)
    for implication in theory:
        if chance.random() < 0.5:
            parts.append(Implication(implication.premise, implication.conclusion & chance.getrandbits(theory.size)))
    chance.shuffle(parts)
    return Theory(theory.size, tuple(parts), theory.top)


def pairs() -> Iterator[tuple[Theory, Theory]]:
    """Every target on up to three attributes, its file order drawn, with every hypothesis on as many attributes."""
    chance = random.Random(1)
    for target in SMALL:
        for hypothesis in SMALL:
            if hypothesis.size == target.size:
                yield shuffled(target, chance), hypothesis


def on_four_attributes(count: int) -> Iterator[tuple[Theory, Theory]]:
    """Targets with hypotheses that they entail, as ClH asks about them."""
    chance = random.Random(2)
    every = list(every_theory(4))
    for _ in range(count):
        target = shuffled(chance.choice(every), chance)
        premises = [chance.randrange(16) for _ in range(chance.randrange(4))]
        yield target, Theory.of(4, [(premise, target.closure(premise)) for premise in premises])


def closed(theory: Theory, attrs: int) -> int:
    return definitions.closure(definitions.models(theory.size, theory.rules), attrs, theory.size)


def violated(theory: Theory, other: Theory) -> list[int]:
    """Premises of the theory, in file order, closed under the other one: the sets that violate the implication."""
    closures = [(closed(other, implication.premise), implication) for implication in theory]
    return [attrs for attrs, implication in closures if implication.conclusion & ~attrs]


def counterexamples(target: Theory, hypothesis: Theory) -> list[int]:
    """What a policy chooses from: positive ones first, of which there are none where the hypothesis is true."""
    return violated(hypothesis, target) + violated(target, hypothesis)


@pytest.mark.parametrize(
    ("policy", "chosen"),
    [
        (first, lambda sets: sets[0]),
        (smallest, lambda sets: next(x for x in sets if x.bit_count() == min(map(int.bit_count, sets)))),
        (largest, lambda sets: next(x for x in sets if x.bit_count() == max(map(int.bit_count, sets)))),
    ],
)
def test_first_smallest_and_largest_are_chosen_in_file_order(policy: Policy, chosen) -> None:
    ties = 0
    for target, hypothesis in [*pairs(), *on_four_attributes(2000)]:
        sets = counterexamples(target, hypothesis)
        got = KnownTheory(target, policy).counterexample(hypothesis)
        assert got == (chosen(sets) if sets else None), (target, hypothesis)
        ties += len({x for x in sets if x.bit_count() == chosen(sets).bit_count()}) > 1
    assert ties > 1000


def test_an_adversarial_counterexample_is_maximal() -> None:
    asked = 0
    for top in (True, False):
        for target, hypothesis in [*pairs(), *on_four_attributes(4000)]:
            target, hypothesis = (Theory(one.size, one.implications, top) for one in (target, hypothesis))
            got = KnownTheory(target, adversarial).counterexample(hypothesis)
            if got is None:
                assert target.equivalent(hypothesis)
                continue
            inside, outside = (hypothesis, target) if hypothesis.satisfies(got) else (target, hypothesis)
            apart = [x for x in range(2**target.size) if inside.satisfies(x) and not outside.satisfies(x)]
            assert got in apart and not any(x & got == got != x for x in apart), (target, hypothesis, got)
            asked += 1
    assert asked > 10_000


def test_a_random_counterexample_is_one_and_depends_on_seed_and_hypothesis_alone() -> None:
    drawn: dict[int, set[int]] = {}
    for number, (target, hypothesis) in enumerate([*pairs(), *on_four_attributes(1000)]):
        for seed in range(3):
            oracle = KnownTheory(target, at_random(seed))
            got = oracle.counterexample(hypothesis)
            oracle.counterexample(Theory(target.size))
            assert (
                got
                == oracle.counterexample(hypothesis)
                == KnownTheory(target, at_random(seed)).counterexample(hypothesis)
            )
            assert (got is None) == (not counterexamples(target, hypothesis))
            if got is not None:
                assert hypothesis.satisfies(got) != target.satisfies(got)
                drawn.setdefault(number, set()).add(got)
    assert sum(len(some) > 1 for some in drawn.values()) > 500, "different seeds draw differently"


def test_a_correction_is_the_nearest_model_and_of_several_the_first() -> None:
    larger = [random_theory(7 + seed % 3, 3 + seed % 20, premise=(1, 2 + seed % 3), seed=seed) for seed in range(60)]
    for theory in [*SMALL, *list(every_theory(4))[::12], *larger]:
        for top in (True, False):
            known = KnownTheory(Theory(theory.size, theory.implications, top))
            models = list(known.theory.models())
            for attrs in range(0, 2**theory.size, 1 if theory.size < 5 else 7):
                nearest = min(models, key=lambda model: ((model ^ attrs).bit_count(), by_size(model)), default=None)
                assert known.correction(attrs) == nearest


def test_among_many_nearest_models_the_first_is_soon_found() -> None:
    # Pairs of which no model has both: one attribute of each must go, so there are 2^150 nearest models of one size.
    full = (1 << 300) - 1
    theory = Theory.of(300, [(0b11 << 2 * i, full) for i in range(150)], top=False)
    assert KnownTheory(theory).correction(full) == sum(1 << 2 * i for i in range(150))
    # Less regular ones, where trying position after position under one bound for all took seconds, or for ever.
    for seed in (1, 2):
        target = random_theory(400, 400, premise=(1, 3), seed=seed)
        drawn = random.Random(seed).getrandbits(400)
        assert target.satisfies(KnownTheory(target).correction(drawn) or 0)
