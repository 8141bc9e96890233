"""Every closure system on five attributes through ClH: 1,385,552 targets, each result compared with the definition.

    make verify                                  resumes where it was stopped, if the code is the same; two processes
    python -m bench.verify --seed 7 --fresh      other counterexamples, from the start

For each target: the output is the set of pseudo-closed sets with their closures, every hypothesis is saturated and no
longer than the basis, and both sharp bounds hold. Counterexamples are drawn at random from all there are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hornbook
from hornbook.dialogue import Session
from hornbook.learners import clh
from hornbook.queries import Equivalent
from hornbook.testing import closure_systems_below
from hornbook.theory import Theory

SIZE = 5
SETS = 2**SIZE
COUNT = 1_385_552
SPLIT = 24
"""The sets from this number upwards are decided first: each way to decide them is one task."""

STATE = Path(__file__).with_name(".verify.json")


@dataclass(frozen=True, slots=True)
class Tally:
    """What one task has seen."""

    targets: int = 0
    equivalence: int = 0
    closure: int = 0
    attained: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(self.numbers(), other.numbers(), strict=True)))

    def numbers(self) -> tuple[int, int, int, int]:
        return self.targets, self.equivalence, self.closure, self.attained


def tasks() -> list[list[int]]:
    """Every way to decide the sets from SPLIT upwards, found among the closure systems on what lies above it."""
    return sorted({tuple(x for x in family if x >= SPLIT) for family in _upper()}, reverse=True)  # type: ignore[misc]


def _upper() -> Iterator[list[int]]:
    """The families of sets from SPLIT upwards that are closed under intersection as far as these go."""
    free = list(range(SPLIT, SETS - 1))
    for choice in range(2 ** len(free)):
        family = [SETS - 1, *(x for i, x in enumerate(free) if choice >> i & 1)]
        if all((a & b) < SPLIT or a & b in family for a in family for b in family):
            yield sorted(family, reverse=True)


def closures_of(family: list[int]) -> list[int]:
    """The closure of every set: itself if it is in the family, else what all its closed supersets share."""
    closed = [SETS - 1] * SETS
    for x in family:
        closed[x] = x
    members = set(family)
    for x in range(SETS - 2, -1, -1):
        if x not in members:
            meet = SETS - 1
            for b in range(SIZE):
                if not x >> b & 1:
                    meet &= closed[x | 1 << b]
            closed[x] = meet
    return closed


def pseudo_closed(closed: list[int]) -> dict[int, int]:
    """Pseudo-closed set -> closure, from the definition."""
    basis: dict[int, int] = {}
    for x in BY_SIZE:
        star = closed[x]
        if star != x and all(p | x != x or c | x == x for p, c in basis.items()):
            basis[x] = star
    return basis


BY_SIZE = sorted(range(SETS), key=lambda x: (x.bit_count(), x))


def learned(closed: list[int], basis: dict[int, int], chance: random.Random) -> Tally:
    """One run of ClH against one target; AssertionError if anything that the paper proves fails."""
    session = Session(clh(SIZE))
    asked, closures = 0, 0
    bound = 1 + sum(SIZE - p.bit_count() for p in basis)
    while (query := session.query) is not None:
        if isinstance(query, Equivalent):
            asked += 1
            session.answer(_counterexample(query.hypothesis, closed, basis, chance))
        else:
            closures += 1
            session.answer(closed[query.attrs])  # type: ignore[attr-defined]
    m = len(basis)
    assert dict(session.result.rules) == basis and len(session.result) == m, (closed, session.result)
    assert asked <= bound and closures <= m * m * (SIZE - 1) + m * (m + 1) // 2, (closed, asked, closures)
    return Tally(1, asked, closures, int(asked == bound))


def _counterexample(hypothesis: Theory, closed: list[int], basis: dict[int, int], chance: random.Random) -> int | None:
    """Any set closed under the hypothesis and not under the target; the hypothesis is checked on the way."""
    rules = hypothesis.rules
    premises = [p for p, _ in rules]
    assert len(rules) <= len(basis), "longer than the basis"
    for p, c in rules:
        assert c == closed[p] != p, "not right-saturated"
        # Saturated: each premise is closed under all the other implications.
        assert all(q == p or q | p != p or d | p == p for q, d in rules), "not left-saturated"
    assert len(set(premises)) == len(premises), "a premise twice"
    wrong = [x for x in range(SETS) if closed[x] != x and all(p | x != x or c | x == x for p, c in rules)]
    return chance.choice(wrong) if wrong else None


def work(task: tuple[int, list[int], int]) -> tuple[int, Tally]:
    """All targets of one task."""
    number, family, seed = task
    chance = random.Random(f"{seed}/{number}")
    tally = Tally()
    for system in closure_systems_below(SPLIT, family):
        closed = closures_of(system)
        tally += learned(closed, pseudo_closed(closed), chance)
    return number, tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run has done")
    options = parser.parse_args()
    done = {} if options.fresh else _recalled(options.seed)
    try:
        _run(options.seed, options.processes, done)
    except KeyboardInterrupt:
        again = f"python -m bench.verify --seed {options.seed}"
        print(f"\nstopped after {_targets(done):,} of {COUNT:,}; `{again}` goes on from there", file=sys.stderr)
        return 130
    total = sum(done.values(), Tally())
    assert total.targets == COUNT, f"{total.targets} closure systems, and there are {COUNT}"
    print(
        f"\n{total.targets:,} closure systems on {SIZE} attributes, seed {options.seed}, "
        f"Hornbook {hornbook.__version__}:"
    )
    print("every output is the canonical basis, every hypothesis saturated, both bounds hold.")
    print(f"{total.equivalence:,} equivalence and {total.closure:,} closure queries;", end=" ")
    print(f"the equivalence bound was attained {total.attained:,} times.")
    STATE.unlink(missing_ok=True)
    return 0


def _run(seed: int, processes: int, done: dict[int, Tally]) -> None:
    """Do what is not done yet, and keep each task's tally as it comes."""
    waiting = [(number, list(family), seed) for number, family in enumerate(tasks()) if number not in done]
    started = time.monotonic()
    # Ctrl-C reaches every process; this one ends the others.
    with multiprocessing.Pool(processes, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        for number, tally in pool.imap_unordered(work, waiting):
            done[number] = tally
            _keep(seed, done)
            _show(_targets(done), started)


def _targets(done: dict[int, Tally]) -> int:
    return sum(tally.targets for tally in done.values())


def _recalled(seed: int) -> dict[int, Tally]:
    """What an earlier run of the same code with the same seed has done."""
    if not STATE.exists():
        return {}
    kept = json.loads(STATE.read_text())
    if kept["seed"] != seed or kept.get("code") != CODE:
        print(f"{STATE.name} is of another seed or of other code: from the start", file=sys.stderr)
        return {}
    return {int(number): Tally(*numbers) for number, numbers in kept["done"].items()}


def _keep(seed: int, done: dict[int, Tally]) -> None:
    beside = STATE.with_suffix(".new")
    state = {"seed": seed, "code": CODE, "done": {n: t.numbers() for n, t in done.items()}}
    beside.write_text(json.dumps(state))
    beside.replace(STATE)


def _digest() -> str:
    """Of all code that is loaded here: what one program has verified, another has not."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "hornbook"]
    files = sorted({Path(__file__), *(Path(str(module.__file__)) for module in modules)})
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


CODE = _digest()


def _show(targets: int, started: float) -> None:
    width = 40
    filled = width * targets // COUNT
    bar = "#" * filled + "." * (width - filled)
    print(
        f"\r[{bar}] {targets:>9,} of {COUNT:,}  {time.monotonic() - started:5.0f} s",
        end="",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
