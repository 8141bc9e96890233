"""Progress of a run on stderr: one live line on a terminal, a plain line now and then elsewhere, nothing if quiet.

A thread of its own shows it, so that a run that waits for one answer is seen to wait.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from hornbook.cli.common import note
from hornbook.formats.files import silence
from hornbook.formats.text import plural

if TYPE_CHECKING:
    from hornbook.accounts import Progress

FIRST_LIVE, LIVE_EVERY = 0.3, 0.1
FIRST_PLAIN, PLAIN_EVERY = 5.0, 10.0
"""Seconds. A run that is over before anyone could read a line shows none."""

WAITING = 2.0
"""A question that was asked so long ago is worth a word."""

ASKING = "asking"
PHASES = {("hornbook.front", "_Run._learned"): "proving", ("hornbook.sources", "opened"): "closing the source"}
"""What is done while these run. It is read off the stack: to tell of every answer would slow the run down."""


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """What a run reports its progress to."""
    if quiet:
        yield None
        return
    watch = _Watch()
    if sys.stderr.isatty():
        with _live(watch):
            yield watch.report
    else:
        with _ticking(FIRST_PLAIN, PLAIN_EVERY, lambda: note(watch.line())):
            yield watch.report


class _Watch:
    """The latest report, and when it came: just before a question was asked."""

    def __init__(self) -> None:
        self._started = self._since = time.monotonic()
        self._runs = threading.get_ident()
        self._progress: Progress | None = None

    def report(self, progress: Progress) -> None:
        self._progress, self._since = progress, time.monotonic()

    def line(self) -> str:
        """Where the run stands now."""
        if self._progress is None:
            return "opening the source"
        now = time.monotonic()
        said, doing = line(self._progress, now - self._started), _doing(sys._current_frames().get(self._runs))
        if doing == ASKING:
            doing = f"waiting {now - self._since:.0f} s" if now - self._since >= WAITING else None
        return said if doing is None else f"{said}; {doing}"


def _doing(frame: FrameType | None) -> str | None:
    """What a run does that asks nobody, or that somebody is asked; None where it thinks what to ask next."""
    doing = None
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("hornbook.oracles."):
            doing = ASKING
        doing = PHASES.get((name, frame.f_code.co_qualname), doing)  # Those stand further out.
        frame = frame.f_back
    return doing


@contextmanager
def _live(watch: _Watch) -> Iterator[None]:
    """The line, kept up to date on the terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True)
    spinner = Spinner("dots")
    # Nothing is redirected: stdout, where the result goes, is not this thread's to take and to give back.
    live = Live(
        spinner, console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
    )

    def tick() -> None:
        with _unhurt():
            show()

    def show() -> None:
        if not live.is_started:
            live.start()
        said, wide = watch.line(), console.width - 3  # Beside the spinner.
        spinner.update(text=Text(said if len(said) <= wide else f"{said[: wide - 1]}…"))
        live.refresh()

    try:
        with _ticking(FIRST_LIVE, LIVE_EVERY, tick):
            yield
    finally:
        with _unhurt():
            live.stop()


@contextmanager
def _unhurt() -> Iterator[None]:
    """A terminal that is gone must not cost the result; it is shown nothing any more."""
    try:
        yield
    except OSError:
        silence(sys.stderr)


@contextmanager
def _ticking(first: float, every: float, tick: Callable[[], None]) -> Iterator[None]:
    """Ticks after `first` seconds and then once in `every`, from a thread of its own, until the block ends."""
    over = threading.Event()

    def ticks() -> None:
        wait = first
        while not over.wait(wait):
            tick()
            wait = every

    thread = threading.Thread(target=ticks, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def line(progress: Progress, seconds: float) -> str:
    """Where a run stands, and how long it takes where a limit of queries tells."""
    kinds = [f"{count} {kind.replace('_', ' ')}" for kind, count in progress.queries.items() if count]
    parts = [", ".join(kinds) or "nothing asked"]
    if progress.recalled:
        parts.append(f"{progress.recalled} recalled")
    parts.append(f"{plural(progress.implications, 'implication')}, {plural(progress.closed_sets, 'closed set')}")
    if progress.certified is not None:
        parts.append(f"{progress.certified}/{progress.size} certified")
    if progress.asked and seconds > 0:
        rate = progress.asked / seconds
        parts.append(f"{rate:.0f}/s" if rate >= 1 else f"{1 / rate:.0f} s each")
        if progress.most is not None:
            left = (progress.most - progress.asked) / rate
            parts.append(f"{progress.most - progress.asked} left, {left:.0f} s at most")
    return "; ".join(parts)
