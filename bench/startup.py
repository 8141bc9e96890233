"""What it takes to start: imports and help against `python -c pass`, and kernels from disk and from nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

from hornbook.kernels import switch

LEAST, TIMES = 0.150, 7

FAMILIES = {
    "the first of them": "front.program(70, [(1, 2)] * 9);",
    "closures": "data = bytearray(9); front.close_one(front.program(70, [(1, 2)] * 9), data);",
    "batches of up to 512": "front.close_all(70, [(1, 2)] * 9, [1]);",
    "batches of more": "front.close_all(70, [(1, 2)] * 9, [1] * 513);",
    "canonical bases": "front.canonical(front.program(70, [(1, 2)] * 9));",
}


def seconds(*arguments: str, times: int = TIMES, **environment: str) -> float:
    """The shortest run of Python with these arguments."""
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, *arguments], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True
        )
        best = min(best, time.perf_counter() - started)
    return best


def processor_seconds(*arguments: str, times: int = TIMES, **environment: str) -> float:
    """The same of the processor's time: what else runs on the machine is left out."""
    best = float("inf")
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds(*arguments, times=1, **environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def starts() -> bool:
    """Whether each start takes at most 150 ms more than nothing."""
    nothing, kept = seconds("-c", "pass"), True
    print(f"{'python -c pass':28} {nothing * 1e3:6.0f} ms")
    for name, arguments in {
        "import hornbook": ("-c", "import hornbook"),
        "import hornbook.theory": ("-c", "import hornbook.theory"),
        "hornbook --help": ("-m", "hornbook", "--help"),
    }.items():
        more = seconds(*arguments) - nothing
        kept = kept and more <= LEAST
        print(f"{name:28} {more * 1e3:6.0f} ms more, {'kept' if more <= LEAST else 'NOT kept'}: {LEAST * 1e3:.0f}")
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
