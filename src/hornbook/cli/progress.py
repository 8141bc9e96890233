"""Progress of a run on stderr: one live line on a terminal, a plain line now and then elsewhere, nothing if quiet."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hornbook.cli.common import note

if TYPE_CHECKING:
    from hornbook.accounts import Progress

LIVE_EVERY = 0.1
PLAIN_EVERY = 10.0
FIRST_PLAIN = 5.0


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """What a run reports its progress to."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        yield from _live()
    else:
        yield _paced(lambda progress, seconds: note(line(progress, seconds)), FIRST_PLAIN, PLAIN_EVERY)


def _live() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.status import Status

    console = Console(stderr=True)
    status = Status("asking", console=console, spinner="dots")
    started = False

    def update(progress: Progress, seconds: float) -> None:
        nonlocal started
        if not started:
            status.start()
            started = True
        said = line(progress, seconds)
        wide = console.width - 3  # Beside the spinner.
        status.update(said if len(said) <= wide else f"{said[: wide - 1]}…")

    try:
        # A run that is over before anyone could read a line shows none.
        yield _paced(update, 0.3, LIVE_EVERY)
    finally:
        if started:
            status.stop()


def _paced(show: Callable[[Progress, float], None], first: float, every: float) -> Callable[[Progress], None]:
    """Shows progress after `first` seconds and then once in `every`."""
    started = time.monotonic()
    due = started + first

    def report(progress: Progress) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + every
            show(progress, now - started)

    return report


def line(progress: Progress, seconds: float) -> str:
    """Where a run stands, and how long it takes where a limit of queries tells."""
    kinds = [f"{count} {kind.replace('_', ' ')}" for kind, count in progress.queries.items() if count]
    parts = [", ".join(kinds) or "nothing asked"]
    if progress.recalled:
        parts.append(f"{progress.recalled} recalled")
    parts.append(f"{progress.implications} implications, {progress.closed_sets} closed sets")
    if progress.certified is not None:
        parts.append(f"{progress.certified}/{progress.size} certified")
    if progress.asked and seconds > 0:
        rate = progress.asked / seconds
        parts.append(f"{rate:.0f}/s" if rate >= 1 else f"{1 / rate:.0f} s each")
        if progress.most is not None:
            left = (progress.most - progress.asked) / rate
            parts.append(f"{progress.most - progress.asked} left, {left:.0f} s at most")
    return "; ".join(parts)
