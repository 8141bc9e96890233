"""Reading tables of a hundred megabytes: how fast, against counting their lines, and in how much memory.

Each file is read in a process of its own; memory is the peak of that process above what it had before it read. What the
names of objects take as Python strings is told apart from the rest: no reader can do without them. Time is that of the
process, which others on the machine do not make longer; `wall` is the same by the clock.

What is promised is promised of tables of crosses. Two files are measured and not judged: a relation, which is no packed
table but four bytes for each cell, and where telling values apart takes the time; and .dat, whose items are all kept
until the last line has told which ones are the attributes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

SIZE = 100_000_000
FASTER_THAN, SLACK = 50, 48  # MB/s; MB beside the packed table and the names of its objects

READ = """
import importlib, json, resource, sys, time
from pathlib import Path
name, path, as_ = sys.argv[1], Path(sys.argv[2]), sys.argv[3] or None
import numpy
module = importlib.import_module("hornbook.formats." + name)

def peak():
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    # Not getrusage: on Linux its figure is at least that of the process that started this one.
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1000

def timed(function):
    started, clock = time.process_time(), time.perf_counter()
    value = function()
    return value, time.process_time() - started, time.perf_counter() - clock

before = peak()
reading, seconds, wall = timed(lambda: module.read_path(path, as_))
after = peak()
_, lines, _ = timed(lambda: sum(1 for _ in open(path, "rb")))
value = reading.value
packed = getattr(value, "crosses", getattr(value, "codes", None)).nbytes / 1e6
names = sum(map(sys.getsizeof, getattr(value, "objects", ()))) / 1e6 + 8 * len(getattr(value, "objects", ())) / 1e6
names += sum(sys.getsizeof(text) + 8 for column in getattr(value, "values", ()) for text in column) / 1e6
print(json.dumps([seconds, wall, lines, after - before, packed, names, reading.notes[0]]))
"""


def main() -> int:
    """How many files were read slower, or in more memory, than is promised."""
    print(f"{'':<34}{'MB':>5}{'MB/s':>7}{'wall':>7}{'x lines':>9}{'peak MB':>9}{'packed':>8}{'names':>7}")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for what, module, as_, promised, write in FILES:
            path = Path(folder) / f"file.{module}"
            with path.open("wb") as file:
                file.writelines(write())
            failed += not _line(what, module, as_, path) and promised
    print(f"promised of tables: {FASTER_THAN} MB/s, and {SLACK} MB at most beside the packed table and its names")
    print("x lines: how often the lines of the file could have been counted in the time")
    return failed


def _line(what: str, module: str, as_: str, path: Path) -> bool:
    """Prints what reading this file took; whether that is as promised of tables."""
    command = [sys.executable, "-c", READ, module, str(path), as_]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(2)]
    seconds, wall, lines = (min(run[place] for run in runs) for place in range(3))
    _, _, _, peak, packed, names, _ = runs[0]
    megabytes = path.stat().st_size / 1e6
    rate = megabytes / seconds
    figures = f"{megabytes:>5.0f}{rate:>7.0f}{megabytes / wall:>7.0f}{seconds / lines:>9.1f}"
    figures += f"{peak:>9.0f}{packed:>8.0f}{names:>7.0f}"
    kept = bool(rate >= FASTER_THAN and peak <= packed + names + SLACK)
    print(f"{what:<34}{figures}{'' if kept else '  not as promised of tables'}", flush=True)
    return kept


# Files


def _burmeister(objects: int, attributes: int) -> Iterator[bytes]:
    yield f"B\n\n{objects}\n{attributes}\n\n".encode()
    yield "".join(f"object {i}\n" for i in range(objects)).encode()
    yield "".join(f"attribute {j}\n" for j in range(attributes)).encode()
    for crosses in _crosses(objects, attributes):
        lines = np.full((len(crosses), attributes + 1), ord("."), dtype=np.uint8)
        lines[:, :-1][crosses] = ord("X")
        lines[:, -1] = ord("\n")
        yield lines.tobytes()


def _separated(objects: int, attributes: int, signs: bytes = b"01", named: bool = True) -> Iterator[bytes]:
    yield ("," * named + ",".join(f"attribute {j}" for j in range(attributes)) + "\n").encode()
    done = 0
    for crosses in _crosses(objects, attributes):
        lines = np.full((len(crosses), 2 * attributes), ord(","), dtype=np.uint8)
        lines[:, ::2] = np.where(crosses, signs[1], signs[0])
        lines[:, -1] = ord("\n")
        if named:
            yield b"".join(b"object %d,%s" % (done + i, line.tobytes()) for i, line in enumerate(lines))
        else:
            yield lines.tobytes()
        done += len(crosses)


def _pairs(objects: int, attributes: int) -> Iterator[bytes]:
    yield b"object,attribute\n"
    done = 0
    for crosses in _crosses(objects, attributes):
        places = zip(*(axis.tolist() for axis in crosses.nonzero()), strict=True)
        yield b"".join(b"object %d,attribute %d\n" % (done + i, j) for i, j in places)
        done += len(crosses)


def _words(objects: int, attributes: int) -> Iterator[bytes]:
    yield (",".join(f"attribute {j}" for j in range(attributes)) + "\n").encode()
    words = np.array([b"False", b"True"], dtype=object)
    for crosses in _crosses(objects, attributes):
        yield b"".join(b",".join(line) + b"\n" for line in words[crosses.astype(int)])


def _values(rows: int, columns: int) -> Iterator[bytes]:
    chance = np.random.default_rng(1)
    yield (",".join(f"column {j}" for j in range(columns)) + "\n").encode()
    for start in range(0, rows, 10_000):
        cells = chance.integers(0, 10 ** (1 + np.arange(columns) % 5), (min(10_000, rows - start), columns))
        yield "".join(",".join(map(str, row)) + "\n" for row in cells.tolist()).encode()


def _transactions(objects: int, attributes: int) -> Iterator[bytes]:
    for crosses in _crosses(objects, attributes):
        yield "".join(" ".join(map(str, np.flatnonzero(row).tolist())) + "\n" for row in crosses).encode()


def _crosses(objects: int, attributes: int) -> Iterator[np.ndarray[tuple[int, int], np.dtype[np.bool_]]]:
    chance = np.random.default_rng(0)
    step = max(1, 2_000_000 // attributes)
    for start in range(0, objects, step):
        yield chance.random((min(step, objects - start), attributes)) < 0.2


FILES: list[tuple[str, str, str, bool, Callable[[], Iterator[bytes]]]] = [
    (".cxt, 10,000 x 10,000", "cxt", "", True, lambda: _burmeister(SIZE // 10_000, 10_000)),
    (".cxt, 860,000 x 100", "cxt", "", True, lambda: _burmeister(SIZE // 116, 100)),
    (".csv of 0/1, 5,000 x 10,000", "tabular", "", True, lambda: _separated(SIZE // 20_000, 10_000)),
    (".csv of 0/1, 470,000 x 100", "tabular", "", True, lambda: _separated(SIZE // 213, 100)),
    (".csv of 0/1, no objects, x 100", "tabular", "", True, lambda: _separated(SIZE // 200, 100, named=False)),
    (".csv of X and ., 470,000 x 100", "tabular", "", True, lambda: _separated(SIZE // 213, 100, b".X")),
    (".csv of True and False, x 100", "tabular", "", True, lambda: _words(SIZE // 580, 100)),
    (".csv of pairs, 210,000 x 100", "tabular", "", True, lambda: _pairs(SIZE // 480, 100)),
    (".csv --as relation, 12 columns", "tabular", "relation", False, lambda: _values(SIZE // 47, 12)),
    (".dat, x 500", "fimi", "", False, lambda: _transactions(SIZE // 390, 500)),
]

if __name__ == "__main__":
    sys.exit(main())
