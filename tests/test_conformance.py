"""The conformance kit passes what is right and names what is wrong."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hornbook.conformance import check_oracle
from hornbook.dialogue import Learner
from hornbook.errors import BadAnswer, BadQuestion
from hornbook.learners import clh, closures_only, frugal
from hornbook.oracles.known import KnownTheory, Policy, adversarial, at_random, first, largest, smallest
from hornbook.queries import (
    QUERIES,
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
from hornbook.testing import check_learner, every_theory, random_theory
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs


@pytest.mark.parametrize("policy", [first, smallest, largest, adversarial, at_random(4)])
def test_known_theories_conform_under_every_policy(policy: Policy) -> None:
    for size in range(4):
        for theory in list(every_theory(size))[:: 1 if size < 3 else 3]:
            assert check_oracle(KnownTheory(theory, policy), size, theory).kinds == frozenset(QUERIES)


def test_known_general_horn_theories_conform() -> None:
    for seed in range(8):
        theory = random_theory(4, 4, seed=seed)
        check_oracle(KnownTheory(Theory(4, theory.implications, False)), 4)


class Only:
    """A known theory that answers these kinds of query and no others."""

    def __init__(self, theory: Theory, *kinds: type[Query]) -> None:
        known = KnownTheory(theory)
        for kind in kinds:
            setattr(self, kind.method, getattr(known, kind.method))


@pytest.mark.parametrize(
    "kinds",
    [
        (Close,),
        (CloseAll,),
        (Contains,),
        (Entails,),
        (Unspecified,),
        (Correct,),
        (Holds,),
        (Contains, Equivalent),
        (Entails, EntailmentEquivalent),
        (Holds, Equivalent),
        (Holds, EntailmentEquivalent),
        (Holds, Contains, Equivalent),
        (Holds, Entails),
        (Holds, Correct),
        (Holds, Unspecified),
    ],
    ids=lambda kinds: " ".join(kind.__name__ for kind in kinds),
)
def test_oracles_that_answer_little_conform_too_to_definite_and_to_general_horn_theories(
    kinds: tuple[type[Query], ...],
) -> None:
    for size in range(4):
        for basis in every_theory(size):
            for top in (True, False):
                target = Theory(size, basis.implications, top)
                assert check_oracle(Only(target, *kinds), size, target, samples=20).kinds == set(kinds)


@pytest.mark.parametrize("kinds", [(Holds, Equivalent), (Holds, EntailmentEquivalent), (Holds, Contains)])
def test_little_suffices_to_find_another_theory(kinds: tuple[type[Query], ...]) -> None:
    theories = [Theory(2, theory.implications, top) for theory in every_theory(2) for top in (True, False)]
    for target in theories:
        for other in theories:
            if not target.equivalent(other):
                with pytest.raises(BadAnswer):
                    check_oracle(Only(target, *kinds), 2, other)


def test_large_known_theories_conform_on_a_sample() -> None:
    theory = random_theory(30, 25, seed=1)
    assert check_oracle(KnownTheory(theory), 30, theory, samples=60).sets > 60


class Lying:
    """A theory that answers as one of its functions says."""

    def __init__(self, theory: Theory, **lies: Callable[..., object]) -> None:
        self._known = KnownTheory(theory)
        for name, lie in lies.items():
            setattr(self, name, lie)

    def __getattr__(self, name: str) -> object:
        return getattr(self._known, name)


THEORY = Theory.of(4, [(0b0001, 0b0011), (0b0110, 0b1110)])
KNOWN = KnownTheory(THEORY)


def reversed_closures(sets: Sequence[Attrs]) -> list[Attrs | None]:
    return [KNOWN.closure(x) for x in sets][::-1]


@pytest.mark.parametrize(
    ("name", "lie", "complaint"),
    [
        ("closure", lambda x: 0b1110 if x == 0b0001 else KNOWN.closure(x), "lacks some"),
        ("closure", lambda x: 0b0111 if x == 0b0011 else KNOWN.closure(x), "so closed"),
        ("closure", lambda x: 0b1010 if x == 0b0010 else KNOWN.closure(x), "superset"),
        ("closure", lambda x: None if x == 0b0100 else KNOWN.closure(x), "superset"),
        ("closure", lambda x: x | 16, "a set over 4 attributes"),
        ("closure", lambda x: {x}, "an int, or None is wanted"),
        ("closures", reversed_closures, "says otherwise"),
        ("closures", lambda sets: [], "0 answers came"),
        ("contains", lambda x: KNOWN.contains(x) or x == 0b0001, "closure"),
        ("entails", lambda p, a: a is not None and KNOWN.entails(p, a) and p != 0b0110, "the closure is"),
        ("refutation", lambda i: None, "does not violate"),
        ("refutation", lambda i: i.premise, "closure of the premise"),
        ("counterexample", lambda h: None, "they differ"),
        ("counterexample", lambda h: 0, "both agree"),
        ("distinguishing_clause", lambda h: None, "they differ"),
        ("distinguishing_clause", lambda h: Implication(0b0001, 0b0010), "no difference"),
        ("correction", lambda x: x, "nearest model"),
        ("unspecified", lambda ones, zeros: None, "completions"),
        ("closure", lambda x: True, "an int, or None is wanted"),
        ("contains", lambda x: int(KNOWN.contains(x)), "True or False is wanted"),
        ("refutation", lambda i: 1 << 8, "a set over 4 attributes"),
        ("counterexample", lambda h: "x", "a set over 4 attributes"),
        ("counterexample", lambda h: 1 << 9, "a set over 4 attributes"),
        ("distinguishing_clause", lambda h: 5, "an Implication over 4 attributes"),
    ],
)
def test_each_lie_is_found(name: str, lie: Callable[..., object], complaint: str) -> None:
    with pytest.raises(BadAnswer, match=complaint):
        check_oracle(Lying(THEORY, **{name: lie}), 4)


def test_an_error_says_what_was_asked() -> None:
    for lie in (lambda x: 1 // 0, lambda x: "x"):
        with pytest.raises((ZeroDivisionError, BadAnswer)) as caught:
            check_oracle(Lying(THEORY, closure=lie), 4)
        assert caught.value.__notes__ == ["asked: closure(0b0)"]


class Wavering:
    """An oracle that answers rightly only the calls whose number is right."""

    def __init__(self, right: Callable[[int], bool]) -> None:
        self.calls, self.right = 0, right

    def answers(self, true: object, false: object) -> object:
        self.calls += 1
        return true if self.right(self.calls) else false


class WaveringClosures(Wavering):
    def closure(self, attrs: Attrs) -> object:
        return self.answers(KNOWN.closure(attrs), 0b1111)


class WaveringMembership(Wavering):
    def contains(self, attrs: Attrs) -> object:
        return self.answers(KNOWN.contains(attrs), not KNOWN.contains(attrs))


class WaveringEquivalence(Wavering):
    def contains(self, attrs: Attrs) -> bool:
        return KNOWN.contains(attrs)

    def counterexample(self, hypothesis: Theory) -> object:
        return self.answers(KNOWN.counterexample(hypothesis), None)


@pytest.mark.parametrize("oracle", [WaveringClosures, WaveringMembership, WaveringEquivalence])
@pytest.mark.parametrize("right", [lambda n: n % 2, lambda n: n < 60, lambda n: n != 70], ids=["odd", "60", "not 70"])
def test_an_oracle_that_changes_its_mind_is_found(oracle: type[Wavering], right: Callable[[int], bool]) -> None:
    with pytest.raises(BadAnswer):
        check_oracle(oracle(right), 4)


def test_a_closure_of_another_theory_is_found() -> None:
    with pytest.raises(BadAnswer, match="the target says"):
        check_oracle(KNOWN, 4, THEORY.without(0))


class EntailsOnly:
    def entails(self, premise: Attrs, attribute: int | None) -> bool:
        return KNOWN.entails(premise, attribute)


def test_an_oracle_without_closures_is_checked_by_its_reductions() -> None:
    assert Close not in check_oracle(EntailsOnly(), 4, THEORY).kinds


def test_a_sampled_check_finds_lies_too() -> None:
    theory = random_theory(40, 30, seed=3)
    known = KnownTheory(theory)
    check_oracle(known, 40, theory, samples=40)
    with pytest.raises(BadAnswer):
        check_oracle(Lying(theory, contains=lambda x: True), 40, samples=40)


def test_the_example_of_a_known_theory_runs() -> None:
    example = Path(__file__).parents[1] / "examples" / "oracles" / "known.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True, timeout=60)
    names = [line.split(":")[0] for line in done.stdout.splitlines()]
    assert names == ["first", "smallest", "largest", "adversarial"]


# Learners on trial.


def after(question: object) -> Callable[[int], Learner[Theory]]:
    """ClH, which asks this of its number of attributes first."""

    def learner(size: int) -> Learner[Theory]:
        _ = yield question(size) if callable(question) else question
        return (yield from clh(size))

    return learner


def at_a_whim(size: int) -> Learner[Theory]:
    """ClH, which sometimes asks for a closure that it does not need."""
    chance = random.Random()
    if chance.random() < 0.5:
        _ = yield Close(0)
    return (yield from clh(size))


def in_any_order(size: int) -> Learner[Theory]:
    learned = yield from clh(size)
    shuffled = list(learned)
    random.Random().shuffle(shuffled)
    return Theory(size, tuple(shuffled))


def forgetful(size: int) -> Learner[None]:
    yield from clh(size)


def too_wide(size: int) -> Learner[Theory]:
    learned = yield from clh(size)
    return Theory(size + 1, learned.implications)


@pytest.mark.parametrize("learner", [clh, frugal, closures_only, after(lambda n: Contains((1 << n) - 1))])
def test_right_learners_pass_and_so_does_one_whose_result_holds_the_theory(learner: Callable[[int], Learner]) -> None:
    assert len(check_learner(learner)) == (1 + 2 + 7 + 61) * 9


@pytest.mark.parametrize(
    ("learner", "complaint"),
    [
        (at_a_whim, "after the same answers it asks"),
        (in_any_order, "after the same answers it returns"),
        (after(lambda n: Close(1 << n + 3)), "does not ask about 0 attributes"),
        (after(lambda n: CloseAll((0, -1))), "does not ask about"),
        (after(lambda n: Entails(0, n)), "does not ask about"),
        (after(lambda n: Holds(Implication(0, 1 << n))), "does not ask about"),
        (after(lambda n: Unspecified(0, 1 << n)), "does not ask about"),
        (after(lambda n: Equivalent(Theory(n + 1))), "does not ask about"),
        (after(5), "5 is asked, which is no query"),
        (forgetful, "None was learned, and a theory over 0 attributes is wanted"),
        (too_wide, "a theory over 0 attributes is wanted"),
    ],
)
def test_what_no_learner_may_do_is_named(learner: Callable[[int], Learner], complaint: str) -> None:
    with pytest.raises(BadQuestion, match=complaint):
        check_learner(learner, canonical=False)


def test_any_error_of_a_learner_names_target_and_policy() -> None:
    def failing(size: int) -> Learner[Theory]:
        while (yield Equivalent(Theory(size))) is None:
            return Theory(size)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        check_learner(failing, [Theory(2), Theory.of(2, [(1, 3)])])
    assert caught.value.__notes__ == [f"under policy first, the target is {Theory.of(2, [(1, 3)])}"]


@pytest.mark.parametrize(
    "query",
    [Close(8), CloseAll((0, 8)), Contains(9), Entails(8, 0), Holds(Implication(8, 1)), Correct(8), Unspecified(8, 0)],
)
def test_a_known_theory_refuses_sets_beyond_its_attributes(query: Query) -> None:
    with pytest.raises(BadQuestion, match="beyond the 3 attributes"):
        query.ask(KnownTheory(Theory(3)))


def test_a_known_theory_refuses_hypotheses_about_other_attributes() -> None:
    for kind in (Equivalent, EntailmentEquivalent):
        with pytest.raises(BadQuestion, match="2 attributes, the target 3"):
            kind(Theory(2)).ask(KnownTheory(Theory(3)))
