"""What a query costs beyond the oracle, and how long ClH takes on a large theory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from typing import Any

from bench._measure import DATA, seconds
from hornbook.dialogue import Learner, run
from hornbook.layers import cached, counted, no_counts
from hornbook.learners import clh
from hornbook.oracles.known import KnownTheory
from hornbook.queries import Close
from hornbook.testing import random_theory
from hornbook.theory import Theory

QUERIES, TIMES = 200_000, 7
MOST = 2.0
"""The microseconds that a query may cost beyond a bare generator loop."""


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


def layers() -> bool:
    """Whether the layers cost less than 2 microseconds a query beyond a bare generator loop."""
    base = seconds(lambda: loop(bare()), TIMES)
    print(f"{'a bare generator loop':<44} {base / QUERIES * 1e6:7.3f} us a query    1.0")
    rows: list[tuple[str, Callable[[], Any]]] = [
        ("learner -> run -> oracle", lambda: run(many(), Echo())),
        ("learner -> counted -> run", lambda: run(counted(many(), no_counts()), Echo())),
        ("learner -> cached -> counted -> run, all new", lambda: run(counted(cached(many()), no_counts()), Echo())),
        ("the same, 1,024 sets over and over", lambda: run(counted(cached(repeating()), no_counts()), Echo())),
    ]
    kept = True
    for name, function in rows:
        took = seconds(function, TIMES)
        beyond = (took - base) / QUERIES * 1e6
        kept = kept and beyond < MOST
        verdict = f"{'kept' if beyond < MOST else 'NOT kept'}: {beyond:.2f} beyond, promised {MOST}"
        print(f"{name:<44} {took / QUERIES * 1e6:7.3f} us a query {took / base:6.1f}   {verdict}")
    return kept


def clh_on_large_theories() -> bool:
    """Whether ClH learns large theories in seconds or minutes."""
    theories: list[tuple[str, Theory, int]] = []
    path = DATA / "theories" / "pibase_definite.imp"
    if path.exists():
        from hornbook import formats

        theories.append(("pibase_definite", formats.read(path).value.theory, 5))  # type: ignore[union-attr]
    else:
        print("pibase_definite: not here, left out")
    large = random_theory(1000, 1000, premise=(1, 4), conclusion=(1, 3), seed=1)
    theories.append(("random_theory(1000, 1000, seed=1)", large, 120))
    kept = True
    for name, theory, most in theories:
        theory.closures([1, 2, 3] * 200)  # Kernels are loaded before the clock runs.
        counts = no_counts()
        started = time.process_time()
        learned = run(counted(cached(clh(theory.size)), counts), KnownTheory(theory))
        took = time.process_time() - started
        right = learned.in_order() == theory.canonical()
        kept = kept and right and took < most
        asked = f"{counts['equivalence']:,} EQ, {counts['closure']:,} distinct CQ"
        verdict = f"{'right' if right else 'WRONG'}, {'kept' if took < most else 'NOT kept'}: under {most} s"
        print(f"ClH, first, {name}: {took:.1f} s; {asked}; basis {len(learned)}, {verdict}")
    return kept


def main() -> int:
    kept = [layers(), clh_on_large_theories()]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
