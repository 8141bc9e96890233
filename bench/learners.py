"""What a query costs beyond the oracle, and how long ClH takes on a large theory."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from hornbook.dialogue import Learner, run
from hornbook.layers import cached, counted, no_counts
from hornbook.learners import clh
from hornbook.oracles.known import KnownTheory
from hornbook.queries import Close
from hornbook.testing import random_theory
from hornbook.theory import Theory

QUERIES = 200_000
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class Echo:
    """An oracle that costs nothing."""

    def closure(self, attrs: int) -> int:
        return attrs


def many() -> Learner[int]:
    """A learner that does nothing but ask; every set is new."""
    total = 0
    for attrs in range(QUERIES):
        total += yield Close(attrs)
    return total


def repeating() -> Learner[int]:
    """A learner that asks the same few sets again and again."""
    total = 0
    for attrs in range(QUERIES):
        total += yield Close(attrs & 1023)
    return total


def bare() -> Generator[int, int, int]:
    total = 0
    for attrs in range(QUERIES):
        total += yield attrs
    return total


def loop(generator: Generator[int, int, int]) -> int:
    """The least that a dialogue can be: send and receive."""
    value = next(generator)
    try:
        while True:
            value = generator.send(value)
    except StopIteration as end:
        return int(end.value)


def seconds(function: Callable[[], Any], times: int = 5) -> float:
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


def main() -> None:
    base = seconds(lambda: loop(bare()))
    print(f"{'a bare generator loop':<44} {base / QUERIES * 1e6:7.3f} us a query    1.0")
    rows: list[tuple[str, Callable[[], Any]]] = [
        ("learner -> run -> oracle", lambda: run(many(), Echo())),
        ("learner -> counted -> run", lambda: run(counted(many(), no_counts()), Echo())),
        ("learner -> cached -> counted -> run, all new", lambda: run(counted(cached(many()), no_counts()), Echo())),
        ("the same, 1,024 sets over and over", lambda: run(counted(cached(repeating()), no_counts()), Echo())),
    ]
    for name, function in rows:
        took = seconds(function)
        print(f"{name:<44} {took / QUERIES * 1e6:7.3f} us a query {took / base:6.1f}   (target: under 2 us beyond)")
    theories: list[tuple[str, Theory, str]] = []
    path = DATA / "theories" / "pibase_definite.imp"
    if path.exists():
        from hornbook import formats

        theories.append(("pibase_definite", formats.read(path).value.theory, "under 5 s"))  # type: ignore[union-attr]
    else:
        print("pibase_definite: not here, left out")
    large = random_theory(1000, 1000, premise=(1, 4), conclusion=(1, 3), seed=1)
    theories.append(("random_theory(1000, 1000, seed=1)", large, "under 120 s"))
    for name, theory, target in theories:
        theory.closures([1, 2, 3] * 200)  # Kernels are loaded before the clock runs.
        counts = no_counts()
        started = time.perf_counter()
        learned = run(counted(cached(clh(theory.size)), counts), KnownTheory(theory))
        took = time.perf_counter() - started
        right = learned.in_order() == theory.canonical()
        asked = f"{counts['equivalence']:,} EQ, {counts['closure']:,} distinct CQ"
        verdict = "right" if right else "WRONG"
        print(f"ClH, first, {name}: {took:.1f} s ({target}); {asked}; basis {len(learned)}, {verdict}")


if __name__ == "__main__":
    main()
