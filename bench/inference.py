"""Inference against a scan: 10,000 known sets over 250 attributes, one query at a time.

    python -m bench.inference

The promise: under 50 microseconds a query, and at least ten times faster than looking at every known set. What is known
are closed sets, or sets that are no models, or 1,500 implications that do not hold; so few of these may take a scan no
longer than 100 microseconds, and it only has to be slower. CPU time counts.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from hornbook.inference import UNKNOWN, Knowledge
from hornbook.testing import random_theory
from hornbook.theory import Theory
from hornbook.universe import Attrs, everything

SIZE, SETS, QUERIES = 250, 10_000, 400

Asked = Callable[[Attrs], object]


def target() -> Theory:
    return random_theory(SIZE, 200, premise=(2, 4), seed=1)


def known_sets(density: float, chance: random.Random) -> Knowledge:
    """Knowledge of so many closed sets, each attribute in it with this chance, and of the rules they leave."""
    theory, known = target(), Knowledge(SIZE, top=True)
    while len(known.closed_sets) < SETS:
        known.closed_sets.add(theory.closure(drawn(density, chance)))
    for implication in theory:
        known.rules.add(implication.premise, implication.conclusion)
    return known


def known_not(density: float, chance: random.Random) -> tuple[Knowledge, list[Attrs]]:
    """Knowledge of so many sets that are no models, each attribute in it with this chance; and these sets."""
    known, sets = Knowledge(SIZE, top=True), []
    while len(sets) < SETS:
        sets.append(drawn(density, chance))
        known.is_no_model(sets[-1])
    return known, sets


def known_denials(count: int, chance: random.Random) -> tuple[Knowledge, list[tuple[Attrs, int]]]:
    """Knowledge of the rules, and of so many implications that do not hold; and these."""
    theory, known, denied = target(), Knowledge(SIZE, top=True), []
    for implication in theory:
        known.implies(implication.premise, implication.conclusion)
    while len(denied) < count:
        premise, attribute = some_of(everything(SIZE), 12, chance), chance.randrange(SIZE)
        if not theory.closure(premise) >> attribute & 1:
            known.implies_not(premise, attribute)
            denied.append((theory.closure(premise), attribute))
    return known, denied


def drawn(density: float, chance: random.Random) -> Attrs:
    return sum(1 << position for position in range(SIZE) if chance.random() < density)


def some_of(attrs: Attrs, count: int, chance: random.Random) -> Attrs:
    """What attrs has of so many attributes drawn at random."""
    return attrs & sum(1 << position for position in chance.sample(range(SIZE), count))


def asked_sets(sets: list[Attrs], density: float, chance: random.Random) -> Iterator[tuple[str, list[Attrs]]]:
    """Small parts of known sets, single attributes, and the sets that are hard: large ones, just inside known ones."""
    for count in (2, 10, 50):
        yield f"of {count} attributes", [some_of(chance.choice(sets), count, chance) for _ in range(QUERIES)]
    yield "single", [1 << chance.randrange(SIZE) for _ in range(QUERIES)]
    yield "random", [drawn(density / 2, chance) for _ in range(QUERIES)]
    yield "meet of two", [chance.choice(sets) & chance.choice(sets) for _ in range(QUERIES)]
    yield "known but one", [chance.choice(sets) & ~(1 << chance.randrange(SIZE)) for _ in range(QUERIES)]


def scanned(known: Knowledge, attrs: Attrs) -> Attrs:
    """The upper bound, by looking at every set."""
    meet = everything(SIZE)
    for closed in known.closed_sets.sets:
        if attrs & ~closed == 0:
            meet &= closed
    return meet


def scanned_not(sets: list[Attrs], attrs: Attrs) -> bool:
    """Whether a set without any known models is one that is none, by looking at every such set."""
    return bool([other for other in sets if attrs & ~other == 0 and other & ~attrs == 0])


def scanned_denials(known: Knowledge, denied: list[tuple[Attrs, int]], attrs: Attrs) -> bool:
    """Whether an implication is known not to hold, by looking at every one that does not."""
    attribute = one_for(attrs)
    around = [(start, lost) for start, lost in denied if attrs & ~start == 0]
    return bool([start for start, lost in around if known.lower(start | 1 << attribute) >> lost & 1])


def one_for(attrs: Attrs) -> int:
    """The attribute to ask for: another one for nearly each set."""
    return attrs % 1_000_003 % SIZE


def microseconds(function: Asked, queries: list[Attrs]) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        for attrs in queries:
            function(attrs)
        best = min(best, time.process_time() - started)
    return best / len(queries) * 1e6


def compared(title: str, asked: dict[str, Asked], scan: Asked, queries: list[Attrs], *, least: float = 10) -> bool:
    """Whether all questions are answered in 50 microseconds, and that many times faster than by a scan; prints it."""
    slow, kept = microseconds(scan, queries[:40]), True
    for question, function in asked.items():
        fast = microseconds(function, queries)
        right = fast < 50 and slow > least * fast
        kept = kept and right
        print(
            f"{title:28} {question:9} {fast:9.1f} {slow:9.0f} {slow / fast:6.0f}{'' if right else '  <--'}", flush=True
        )
    return kept


def main() -> int:
    chance, kept = random.Random(1), True
    print(f"{'':28} {'':9} {'query, us':>9} {'scan, us':>9} {'ratio':>6}")
    for density in (0.1, 0.3, 0.6, 0.9):
        known = known_sets(density, chance)
        asked: dict[str, Asked] = {
            "closure": known.closure,
            "contains": known.contains,
            "entails": lambda attrs, known=known: known.entails(attrs, 7),  # type: ignore[misc]
        }
        for what, queries in asked_sets(known.closed_sets.sets, density, chance):
            assert all(known.upper(attrs) == scanned(known, attrs) for attrs in queries[:20])
            title = f"closed {density}, {what}"
            kept = compared(title, asked, partial(scanned, known), queries) and kept
    for density in (0.1, 0.5, 0.9):
        known, sets = known_not(density, chance)
        for what, queries in asked_sets(sets, density, chance):
            assert all((known.contains(attrs) is False) == scanned_not(sets, attrs) for attrs in queries[:20])
            title, scan = f"no models {density}, {what}", partial(scanned_not, sets)
            kept = compared(title, {"contains": known.contains}, scan, queries) and kept
    known, denied = known_denials(1_500, chance)
    for what, queries in asked_sets([start for start, _ in denied], 0.1, chance):
        scan = partial(scanned_denials, known, denied)
        for attrs in queries[:20]:
            told = known.entails(attrs, one_for(attrs))
            assert told is True or (told is UNKNOWN) != scan(known.lower(attrs))
        entails = {"entails": lambda attrs, known=known: known.entails(attrs, one_for(attrs))}  # type: ignore[misc]
        kept = compared(f"denials, {what}", entails, scan, queries, least=1) and kept
    print("as promised" if kept else "NOT as promised: under 50 us, and ten times a scan")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
