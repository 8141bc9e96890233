"""Inference against a scan: 10,000 known closed sets over 250 attributes, one query at a time.

    python -m bench.inference

The promise: under 50 microseconds a query, and at least ten times faster than looking at every known set.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial

from hornbook.inference import Knowledge
from hornbook.testing import random_theory
from hornbook.universe import Attrs, everything

SIZE, SETS, QUERIES = 250, 10_000, 400


def known_sets(density: float, chance: random.Random) -> Knowledge:
    """Knowledge of so many closed sets, each attribute in it with this chance, and of the rules they leave."""
    theory = random_theory(SIZE, 200, premise=(2, 4), seed=1)
    known = Knowledge(SIZE, top=True)
    while len(known.closed_sets) < SETS:
        drawn = sum(1 << position for position in range(SIZE) if chance.random() < density)
        known.closed_sets.add(theory.closure(drawn))
    for implication in theory:
        known.rules.add(implication.premise, implication.conclusion)
    return known


def scanned(known: Knowledge, attrs: Attrs) -> Attrs:
    """The upper bound, by looking at every set."""
    meet = everything(SIZE)
    for closed in known.closed_sets.sets:
        if attrs & ~closed == 0:
            meet &= closed
    return meet


def microseconds(function: Callable[[Attrs], object], queries: list[Attrs]) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        for attrs in queries:
            function(attrs)
        best = min(best, time.process_time() - started)
    return best / len(queries) * 1e6


def main() -> int:
    chance, kept = random.Random(1), True
    print("density  attributes  a query, us  a scan, us  ratio")
    for density in (0.1, 0.3, 0.6, 0.9):
        known = known_sets(density, chance)
        for count in (2, 10, 50):
            queries = [
                known.closed_sets.sets[chance.randrange(SETS)] & sum(1 << i for i in chance.sample(range(SIZE), count))
                for _ in range(QUERIES)
            ]
            for attrs in queries[:20]:
                assert known.upper(attrs) == scanned(known, attrs)
            fast = microseconds(known.closure, queries)
            slow = microseconds(partial(scanned, known), queries[:40])
            kept = kept and fast < 50 and slow > 10 * fast
            print(f"{density:7} {count:11} {fast:12.1f} {slow:11.0f} {slow / fast:6.0f}", flush=True)
    print("as promised" if kept else "NOT as promised: under 50 us, and ten times a scan")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
