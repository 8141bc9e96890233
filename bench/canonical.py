"""Canonical bases: curves of time against size, buildroot as a whole, and other ways to the same basis.

The curves are of theories in blocks of 20 attributes and 200 implications within each, so that no closure is larger
than 20. In one curve there are as many blocks as it takes, so that the length of a set as an int grows too: of 10,000
attributes, 1.25 KB. All these ints make a square of the number in the end, and only the curve as a whole is judged. In
the other curve there are 10,000 attributes throughout, and each step is judged by itself.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

from bench._measure import DATA, seconds
from hornbook import canonical
from hornbook.kernels import front, switch
from hornbook.theory import Theory
from hornbook.universe import attrs_of, members

BLOCK = 20
STARTER = """
import os, sys, time
started = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(status != 0)
"""

Rule = tuple[int, int]


def blocks(count: int, size: int = 0, seed: int = 3) -> tuple[int, list[Rule]]:
    """So many rules, each within one of the blocks; there may be attributes in no block."""
    rng = random.Random(seed)
    used = max(BLOCK, count // 10)
    rules = []
    for _ in range(count):
        first = rng.randrange(used // BLOCK) * BLOCK
        *premise, conclusion = rng.sample(range(first, first + BLOCK), rng.randint(2, 5) + 1)
        rules.append((attrs_of(premise), 1 << conclusion))
    return max(used, size), rules


def curves() -> Iterator[tuple[str, bool]]:
    """Whether time grows with at most the power 1.3 of the number: on the whole, and in each step."""
    for family in (switch.CANONICAL, switch.SLICES):
        assert switch.pays(family, 10**12)
    least, most = 100, 100_000
    took = curve((least, 300, 1000, 3000, 10_000, 30_000, most))
    power = math.log(took[most] / took[least], most / least)
    yield f"as attributes grow too, the power {power:.2f} of the number: 1.3", power <= 1.3
    took = curve((1000, 3000, 10_000, 30_000, most), 10_000)
    steps = [math.log(took[more] / took[count], more / count) for count, more in pairwise(took)]
    listed = " ".join(f"{power:.2f}" for power in steps)
    yield f"with the attributes fixed, the powers {listed} from step to step: 1.3", max(steps) <= 1.3


def curve(counts: Sequence[int], size: int = 0) -> dict[int, float]:
    """The seconds for each number of implications."""
    print(f"{'implications':>12} {'attributes':>10} {'basis':>8} {'seconds':>9} {'us for each':>12}")
    took: dict[int, float] = {}
    for count in counts:
        theory = Theory.of(*blocks(count, size))
        basis = theory.canonical()
        took[count] = seconds(theory.canonical, 20 if count < 10_000 else 5)
        each = took[count] / count * 1e6
        print(f"{count:12,} {theory.size:10,} {len(basis):8,} {took[count]:9.4f} {each:12.2f}", flush=True)
    return took


def buildroot() -> bool:
    """Whether `hornbook basis` of all of buildroot takes under 3 seconds, with start-up, and under 1 GiB."""
    file = DATA / "theories" / "buildroot_full.imp"
    if not file.exists():
        print("no buildroot beside the project")
        return True
    with tempfile.TemporaryDirectory() as name:
        result = Path(name, "basis.json")
        command = [sys.executable, "-m", "hornbook", "basis", str(file), "-o", str(result)]
        # The first run finds no kernels and compiles them; the others find them.
        runs = [measured(command, NUMBA_CACHE_DIR=name) for _ in range(6)]
        size = len(json.loads(result.read_text(encoding="utf-8"))["implications"])
    took, processor, memory = map(min, zip(*runs[1:], strict=True))
    print(f"hornbook basis {file.name}: {took:.2f} s, {processor:.2f} s of the processor, {memory} MiB; basis {size}")
    print("the first time, with kernels to compile: {:.2f} s, {:.2f} s of the processor, {} MiB".format(*runs[0]))
    # On a busy machine the clock tells how busy it is.
    return min(took, processor) < 3 and memory < 1024 and size == 6800


def measured(command: list[str], **environment: str) -> tuple[float, float, int]:
    """The seconds that a process takes, those of the processor, and its most MiB."""
    # A process has had as much memory as the one that starts it, says the system: so that is a small one.
    starter = [sys.executable, "-S", "-c", STARTER, *command]
    printed = subprocess.run(starter, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    took, processor, memory = printed.stdout.split()
    return float(took), float(processor), int(memory) // 1024


def ways() -> None:
    """Other ways to the same basis, as multiples of the time that it takes here."""
    for name, (size, rules) in {"blocks": blocks(1000), "crowded": crowded(60, 800)}.items():
        theory = Theory.of(size, rules)
        basis, here = theory.canonical(), seconds(theory.canonical)
        print(f"{name}, {size}/{len(rules)}: {here * 1e3:.1f} ms; others, as multiples:", end=" ")
        with patch.object(switch, "pays", lambda *_: False):
            assert theory.canonical() == basis
            print(f"plain Python {seconds(theory.canonical, 1) / here:.0f},", end=" ")
        program = front.program(size, rules)
        print(f"kernel one by one {seconds(lambda p=program: front.canonical(p)) / here:.2f},", end=" ")
        together = seconds(lambda s=size, r=rules: canonical.together(s, r, front.close_all))
        print(f"kernels together {together / here:.2f},", end=" ")
        print(fcatng(size, rules, basis, here))


def crowded(size: int, count: int) -> tuple[int, list[Rule]]:
    """Rules whose closures overlap much."""
    rng = random.Random(5)
    return size, [(attrs_of(rng.sample(range(size), 5)), 1 << rng.randrange(size)) for _ in range(count)]


def fcatng(size: int, rules: list[Rule], basis: Theory, here: float) -> str:
    """How long fcatng takes, if it is installed."""
    try:
        covers = importlib.import_module("fcatng.algorithms.implication_covers")
        close = importlib.import_module("fcatng.algorithms.closure_operators").simple_closure
        implication = importlib.import_module("fcatng.implication").Implication
    except ImportError:
        return "fcatng is not installed"
    cover = [implication(set(members(p)), set(members(c))) for p, c in rules]
    started = time.process_time()
    for one in cover:
        one._conclusion = close(one.premise | one.conclusion, cover)
    # It prints each step.
    with patch("builtins.print"):
        covers.minimize(cover)
    took = time.process_time() - started
    assert {(attrs_of(i.premise), attrs_of(i.premise | i.conclusion)) for i in cover} == set(basis.rules)
    return f"fcatng {took / here:.0f}"


def main() -> int:
    kept = {**dict(curves()), "buildroot in 3 s and 1 GiB": buildroot()}
    ways()
    for what, is_kept in kept.items():
        print(f"{'kept' if is_kept else 'NOT kept'}: {what}")
    return 0 if all(kept.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
