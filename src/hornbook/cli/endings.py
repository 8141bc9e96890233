"""Signals that end a run politely: each is heard once, and not before what it hits is whole.

An interruption in the middle of an import leaves half a module, which the rest of the run would trip over: the
libraries behind compiled kernels cannot even be imported again. So a signal that comes while one of them is loaded or
compiles, or while an answer is taken in, is held back until that is done.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from hornbook.cli import common

WHOLE = ("numba.", "llvmlite.", "hornbook.kernels.", "hornbook.bounds.", "hornbook.knowledge.")
"""No code of these is interrupted."""

LOADED_WHOLE = ("numpy.", "pysat.")
"""Nor of these while they are imported."""

PATIENCE = 15.0
"""Seconds that a signal is held back at most: to compile takes one or two."""

AGAIN = 0.02
"""Seconds until a signal that is held back is looked at again."""


class Held:
    """A handler for signals that raises the exception as soon as nothing that the signal hits stays half made."""

    def __init__(self, ending: type[BaseException]) -> None:
        self._ending = ending
        self._reminded = False
        self._since: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        reminded, self._reminded = self._reminded, False
        if reminded or self.heard():
            self._end(number, frame)

    def heard(self) -> bool:
        """Whether the signal counts."""
        return True

    def _end(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if half_made(frame) and now - self._since < PATIENCE:
            reminder = threading.Timer(AGAIN, self._remind, (number,))
            reminder.daemon = True
            reminder.start()
            return
        self._since = None
        raise self._ending

    def _remind(self, number: int) -> None:
        handler: object = signal.getsignal(number)
        if handler is self:  # Else what it would have ended is over.
            self._reminded = True
            # To the main thread, so that it wakes up where it waits for an answer.
            signal.pthread_kill(threading.main_thread().ident or 0, number)


class Interrupted(Held):
    """The handler for signals from outside. The second one ends nothing: the first one's result is on its way."""

    def __init__(self) -> None:
        super().__init__(KeyboardInterrupt)
        self._count = 0

    def heard(self) -> bool:
        self._count += 1
        if self._count == 2:
            common.note("hornbook: ending already; once more to end without a result")
        elif self._count > 2:
            raise KeyboardInterrupt
        return self._count == 1


def half_made(frame: FrameType | None) -> bool:
    """Whether an exception in this frame would leave half a module, or half an answer taken in."""
    while frame is not None:
        module = f"{frame.f_globals.get('__name__', '')}."
        if module.startswith(WHOLE) or (frame.f_code.co_name == "<module>" and module.startswith(LOADED_WHOLE)):
            return True
        frame = frame.f_back
    return False


@contextmanager
def polite() -> Iterator[None]:
    """What a run has learned so far is kept after Ctrl-C, a polite end, and when a terminal is closed."""
    interrupted = Interrupted()
    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if (handler := signal.getsignal(number)) in usual  # One that is ignored stays so.
    }
    for number in before:
        signal.signal(number, interrupted)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
