"""What measurements share: the time of a call, and where there is real data to measure with."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

DATA = Path(os.environ.get("HORNBOOK_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def seconds(call: Callable[[], object], times: int = 3) -> float:
    """The shortest of some runs, of time that this process had: what else runs on the machine is left out."""
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        call()
        best = min(best, time.process_time() - started)
    return best
