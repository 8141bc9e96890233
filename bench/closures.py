"""Closures: one at a time and many at once, against plain Python, python-sat, NumPy, other libraries and C++.

Premises of 2 to 5 attributes, single conclusions, start sets that have each attribute with probability 0.15. Everything
closes the same sets under the same rules, and what it returns is compared. The C++ yardstick has its own sets.
"""

from __future__ import annotations

import importlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from pysat.solvers import Minisat22

from hornbook import chaining
from hornbook.kernels import closure, front, slices, switch
from hornbook.kernels.compiled import ONE, ZERO, u64
from hornbook.kernels.sets import members_of, rows_of, width_of
from hornbook.theory import Theory
from hornbook.universe import attrs_of, members

SHAPES = [(20, 50), (100, 1000), (1000, 5000)]
PROMISED = (100, 1000)
"""The shape that something is promised of; the others are told beside it."""
DENSITY, SETS = 0.15, 4096
YARDSTICK = Path(__file__).resolve().parents[2] / "shared" / "reference" / "closures.cpp"

Rule = tuple[int, int]


@dataclass
class Case:
    """Rules, sets, their closures; and how many closures a second each engine has done."""

    size: int
    rules: list[Rule]
    sets: list[int]
    closed: list[int]
    rates: dict[str, float] = field(default_factory=dict)


def case(size: int, count: int, seed: int = 7) -> Case:
    """A case like those of the yardstick."""
    rng = random.Random(seed)
    rules = []
    for _ in range(count):
        *premise, conclusion = rng.sample(range(size), rng.randint(2, 5) + 1)
        rules.append((attrs_of(premise), 1 << conclusion))
    sets = [attrs_of(a for a in range(size) if rng.random() < DENSITY) for _ in range(SETS)]
    return Case(size, rules, sets, front.close_all(size, rules, sets))


def rate(call: Callable[[], object], closures: int, seconds: float = 0.4) -> float:
    """Closures a second of this process, in the best of some runs that together take so long."""
    best, until = float("inf"), time.process_time() + seconds
    while time.process_time() < until:
        started = time.process_time()
        call()
        best = min(best, time.process_time() - started)
    return closures / best


# One at a time


def plain(case: Case) -> None:
    """The loop of `chaining.close`."""
    some = 64
    assert [chaining.close(attrs, case.rules) for attrs in case.sets[:some]] == case.closed[:some]
    case.rates["plain Python"] = rate(lambda: [chaining.close(a, case.rules) for a in case.sets[:some]], some)


def theory(case: Case) -> None:
    """`Theory.closure` and `Theory.closures`: ints in, ints out."""
    for family in (switch.CLOSURE, switch.SLICES):
        assert switch.pays(family, 10**12)
    theory = Theory.of(case.size, case.rules)
    assert theory.closures(case.sets) == case.closed == [theory.closure(attrs) for attrs in case.sets]
    some = case.sets[:512]
    case.rates["Theory.closure"] = rate(lambda: [theory.closure(attrs) for attrs in some], len(some))
    case.rates["Theory.closures"] = rate(lambda: theory.closures(case.sets), SETS)


@njit
def close_each(program: Any, starts: Any, members: Any) -> int:
    """The sum of the sizes of the closures: the kernel in a loop, without the way in and out."""
    total = ZERO
    for i in range(u64(starts.size) - ONE):
        count = ZERO
        for j in range(u64(starts[i]), u64(starts[i + ONE])):
            program[u64(program[closure.QUEUE]) + count] = members[j]
            program[u64(program[closure.PRESENT]) + u64(members[j])] = ONE
            count += ONE
        total += closure.chain(program, count)
    return total


def one_kernel(case: Case) -> None:
    """The kernel that closes one set."""
    program = front.program(case.size, case.rules)
    starts, attributes = members_of(case.sets[:512], width_of(case.size))
    assert close_each(program, starts, attributes) == sum(map(int.bit_count, case.closed[:512]))
    case.rates["kernel, one by one"] = rate(lambda: close_each(program, starts, attributes), 512)


def python_sat(case: Case) -> None:
    """Unit propagation by MiniSat; the assumptions are made beforehand."""
    solver = Minisat22()
    for premise, conclusion in case.rules:
        solver.add_clause([*(-a - 1 for a in members(premise)), conclusion.bit_length()])
    asked = [[a + 1 for a in members(attrs)] for attrs in case.sets[:512]]
    for assumptions, attrs, closed in zip(asked, case.sets, case.closed, strict=False):
        assert attrs_of(literal - 1 for literal in solver.propagate(assumptions)[1]) | attrs == closed
    case.rates["python-sat"] = rate(lambda: [solver.propagate(assumptions) for assumptions in asked], len(asked))


def libraries(case: Case) -> Iterator[str]:
    """What other libraries do in plain Python; a word on each that is not there."""
    some = case.sets[: 8 if case.size == 1000 else 32]
    try:
        fcatng = importlib.import_module("fcatng.algorithms.closure_operators")
        implication = importlib.import_module("fcatng.implication").Implication
        implications = [implication(set(members(p)), set(members(c))) for p, c in case.rules]
        sets = [set(members(attrs)) for attrs in some]
        assert [attrs_of(fcatng.simple_closure(s, implications)) for s in sets] == case.closed[: len(some)]
        case.rates["fcatng"] = rate(lambda: [fcatng.simple_closure(s, implications) for s in sets], len(some))
    except ImportError:
        yield "fcatng is not installed"
    try:
        saturate = importlib.import_module("caspailleur.implication_bases").saturate_bruteforce
        bits = importlib.import_module("bitarray").frozenbitarray
        frozen = [bits([attrs >> a & 1 for a in range(case.size)]) for attrs in some]
        intents = [bits([c >> a & 1 for a in range(case.size)]) for _, c in case.rules]
        numbered = [(bits([p >> a & 1 for a in range(case.size)]), i) for i, (p, _) in enumerate(case.rules)]
        answers = [attrs_of(a for a, bit in enumerate(saturate(s, numbered, intents)) if bit) for s in frozen]
        assert answers == case.closed[: len(some)]
        case.rates["caspailleur"] = rate(lambda: [saturate(s, numbered, intents) for s in frozen], len(some))
    except ImportError:
        yield "caspailleur is not installed"


# Many at once


def sliced(case: Case) -> None:
    """The kernels on slices, with and without the transposition of rows."""
    width = width_of(case.size)
    stream = front.stream(front.program(case.size, case.rules))
    rows = rows_of(case.sets, width)
    for words in (1, 8, 32, 64):
        given, lanes = transposed(case, words), 64 * words
        work, sweeps = front.aligned(given.size), sweeper(words)
        sweeps(stream, given, work, 1)
        assert int(np.bitwise_count(work[:-words]).sum()) == sum(map(int.bit_count, case.closed[:lanes]))
        times = max(1, 200_000 // (len(case.rules) * words))
        case.rates[f"sliced {lanes}"] = rate(partial(sweeps, stream, given, work, times), lanes * times)
    close_rows, work = slices.row_closer(32), front.aligned((64 * width + 1) * 32)
    case.rates["sliced 2048, rows in and out"] = rate(lambda: close_rows(stream, rows.copy(), u64(width), work), SETS)


def sweeper(words: int) -> Any:
    """What closes slices so many times, as the yardstick does: without the way in and out."""

    @njit
    def sweeps(stream: Any, given: Any, work: Any, times: int) -> None:
        for _ in range(times):
            work[:] = given
            slices.sweep(stream, work, slices.filled(ZERO, words))

    return sweeps


def transposed(case: Case, words: int) -> Any:
    """Slices of the first sets, and one of ones behind them, made by NumPy."""
    size = 64 * width_of(case.size)
    bits = np.unpackbits(rows_of(case.sets[: 64 * words], size // 64).view(np.uint8), bitorder="little")
    packed = np.packbits(np.ascontiguousarray(bits.reshape(-1, size).T), axis=1, bitorder="little").view(np.uint64)
    given = front.aligned((size + 1) * words)
    given[:-words], given[-words:] = packed.ravel(), ~np.uint64(0)
    return given


def numpy_loop(case: Case) -> None:
    """The same in NumPy: premises padded to five, gathered, ANDed, and ORed together for each conclusion."""
    words, size = 8, 64 * width_of(case.size)
    given = transposed(case, words).reshape(size + 1, words)
    rules = sorted(case.rules, key=lambda rule: rule[1])
    premises = np.array([[*members(p), size, size, size][:5] for p, _ in rules])
    heads = np.array([c.bit_length() - 1 for _, c in rules])
    heads, starts = np.unique(heads, return_index=True)

    def close() -> Any:
        work, before = given.copy(), None
        while before is None or not np.array_equal(before, work):
            before = work.copy()
            met = np.bitwise_and.reduce(work[premises], axis=1)
            work[heads] |= np.bitwise_or.reduceat(met, starts)
        return work

    assert int(np.bitwise_count(close()[:size]).sum()) == sum(map(int.bit_count, case.closed[: 64 * words]))
    case.rates["NumPy, sliced 512"] = rate(close, 64 * words)


def yardstick(program: Path, case: Case) -> None:
    """The C++ reference on its own instance of the same shape."""
    command = [str(program), str(case.size), str(len(case.rules)), str(DENSITY), "7", "0.5"]
    printed = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=True).stdout
    rates = {name: float(value) for name, value in re.findall(r"^(.+?) {2,}(\d+) closures/s", printed, re.MULTILINE)}
    case.rates["C++ LinClosure"] = next(value for name, value in rates.items() if name.startswith("LinClosure"))
    plain_sweeps = [value for name, value in rates.items() if re.fullmatch(r"sliced \d+( dirty-queue)?", name)]
    case.rates["C++ sliced, its best"] = max(plain_sweeps)
    case.rates["C++ sliced 512, rows in and out"] = rates["sliced 512 e2e row-major"]


def compiled_yardstick(folder: Path) -> Path | str:
    """The yardstick's program, or why there is none."""
    if not YARDSTICK.exists():
        return "no C++ yardstick beside the project"
    if shutil.which("g++") is None:
        return "no g++ for the C++ yardstick"
    program = folder / "closures"
    subprocess.run(["g++", "-O3", "-march=native", "-o", program, YARDSTICK], check=True)
    return program


# The table


def promises(case: Case) -> Iterator[tuple[str, float, float]]:
    """The ratios that are promised for 100 attributes and 1,000 implications, and what each must be at least there."""
    rates = case.rates
    best = max(rate for name, rate in rates.items() if re.fullmatch(r"sliced \d+", name))
    yield "sliced / python-sat", best / rates["python-sat"], 200
    yield "Theory.closure / plain Python", rates["Theory.closure"] / rates["plain Python"], 20
    if "C++ LinClosure" in rates:
        yield "sliced / C++ sliced", best / rates["C++ sliced, its best"], 0.8
        yield "kernel, one by one / C++ LinClosure", rates["kernel, one by one"] / rates["C++ LinClosure"], 0.5


def main() -> int:
    cases, words = [], set[str]()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled_yardstick(Path(folder))
        for shape in SHAPES:
            one = case(*shape)
            for engine in (plain, python_sat, theory, one_kernel, numpy_loop, sliced):
                engine(one)
            words.update(libraries(one))
            if isinstance(program, Path):
                yardstick(program, one)
            else:
                words.add(program)
            cases.append(one)
    print("closures a second, and as a multiple of python-sat")
    print(f"{'':32}" + "".join(f"{f'{one.size}/{len(one.rules)}':>22}" for one in cases))
    for name in dict.fromkeys(name for one in cases for name in one.rates):
        rates = ((one.rates.get(name, float("nan")), one.rates["python-sat"]) for one in cases)
        cells = (f"{rate:14,.0f}{rate / peer:8.2f}" for rate, peer in rates)
        print(f"{name:32}" + "".join(cells))
    print(*sorted(words), sep="\n")
    kept = True
    for one in cases:
        promised = (one.size, len(one.rules)) == PROMISED
        for what, ratio, least in promises(one):
            is_kept = ratio >= least or not promised
            kept = kept and is_kept
            verdict = f"{'kept' if is_kept else 'NOT kept'}, promised {least}" if promised else "nothing is promised"
            print(f"{one.size}/{len(one.rules)}: {what} = {ratio:.2f}, {verdict}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
