"""The conformance kit passes what is right and names what is wrong."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hornbook.conformance import check_oracle
from hornbook.errors import BadAnswer
from hornbook.oracles.known import KnownTheory, Policy, adversarial, at_random, first, largest, smallest
from hornbook.queries import QUERIES, Close
from hornbook.testing import every_theory, random_theory
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
        ("closure", lambda x: x | 16, "there are 4 attributes"),
        ("closure", lambda x: {x}, "a set is an int"),
        ("closures", reversed_closures, "says otherwise"),
        ("closures", lambda sets: [], "one answer"),
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
    ],
)
def test_each_lie_is_found(name: str, lie: Callable[..., object], complaint: str) -> None:
    with pytest.raises(BadAnswer, match=complaint):
        check_oracle(Lying(THEORY, **{name: lie}), 4)


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
