"""What it takes to start: imports and help against `python -c pass`, and kernels from disk and from nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

from hornbook.kernels import switch

MOST, TIMES = 0.150, 7

FAMILIES = {
    "the first of them": "front.program(70, [(1, 2)] * 9);",
    "closures": "data = bytearray(9); front.close_one(front.program(70, [(1, 2)] * 9), data);",
    "batches of up to 512": "front.close_all(70, [(1, 2)] * 9, [1]);",
    "batches of more": "front.close_all(70, [(1, 2)] * 9, [1] * 513);",
    "canonical bases": "front.canonical(front.program(70, [(1, 2)] * 9));",
}


def seconds(*arguments: str, times: int = TIMES, **environment: str) -> tuple[float, float]:
    """The shortest run of Python with these arguments, and the least time of the processor.

    What else runs on the machine is hardly in the latter.
    """
    wall = processor = float("inf")
    for _ in range(times):
        started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True
        )
        wall, after = min(wall, time.perf_counter() - started), resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = min(processor, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return wall, processor


def processor_seconds(*arguments: str, times: int = TIMES, **environment: str) -> float:
    """The least time of the processor."""
    return seconds(*arguments, times=times, **environment)[1]


def starts() -> bool:
    """Whether each start takes at most 150 ms more than nothing: by the clock, or by the processor on a busy machine.

    A start waits for nothing but the disk, and from the second run on the files are in memory.
    """
    (nothing, idle), kept = seconds("-c", "pass"), True
    print(f"{'python -c pass':28} {nothing * 1e3:6.0f} ms {idle * 1e3:6.0f} ms of the processor")
    for name, arguments in {
        "import hornbook": ("-c", "import hornbook"),
        "import hornbook.theory": ("-c", "import hornbook.theory"),
        "hornbook --help": ("-m", "hornbook", "--help"),
    }.items():
        wall, processor = seconds(*arguments)
        more, busy = wall - nothing, processor - idle
        is_kept = min(more, busy) <= MOST
        kept = kept and is_kept
        verdict = f"{'kept' if is_kept else 'NOT kept'}: {MOST * 1e3:.0f}"
        print(f"{name:28} {more * 1e3:6.0f} ms {busy * 1e3:6.0f} ms of the processor more, {verdict}")
    return kept


def kernels() -> None:
    """What the prices in `kernels.switch` are on this machine, of the processor's time."""
    nothing = processor_seconds("-c", "pass")
    front = "from hornbook.kernels import front; "
    with tempfile.TemporaryDirectory() as folder:
        imported = processor_seconds("-c", front, NUMBA_CACHE_DIR=folder) - nothing
        print(f"{'import of the kernels':28} {imported * 1e3:6.0f} ms")
        done = front
        for name, code in FAMILIES.items():
            # Each on top of the others before it, of which it needs some.
            before = processor_seconds("-c", done, times=3, NUMBA_CACHE_DIR=folder)
            done += code
            compiled = processor_seconds("-c", done, times=1, NUMBA_CACHE_DIR=folder) - before
            loaded = processor_seconds("-c", done, times=3, NUMBA_CACHE_DIR=folder) - before
            print(f"{name:28} {loaded * 1e3:6.0f} ms more from disk, {compiled * 1e3:6.0f} ms more compiled")
    prices = ", ".join(f"{family} {price / 1e6:.0f}" for family, price in switch.COMPILE.items())
    print(f"prices in the switch, ms: import {switch.IMPORT / 1e6:.0f}, load {switch.LOAD / 1e6:.0f}, compile {prices}")


def main() -> int:
    kept = starts()
    kernels()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
