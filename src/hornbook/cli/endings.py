"""Signals that end a run politely: each is heard once, and not before what it hits is whole.

An interruption in the middle of an import leaves half a module, which the rest of the run would trip over: the
libraries behind compiled kernels cannot even be imported again. So a signal that comes while one of them is loaded or
compiles, or while an answer is taken in or a result is finished, is held back until that is done.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from hornbook.cli import common

WHOLE = ("numba.", "llvmlite.", "hornbook.kernels.", "hornbook.bounds.")
"""No code of these is interrupted."""

LOADED_WHOLE = ("numpy.", "pysat.")
"""Nor of these while they are imported."""

DONE_WHOLE = {
    ("hornbook.knowledge", "Knowledge.learn"),
    ("hornbook.denials", "Denials._clears"),
    ("hornbook.disk", "Growing.close"),
    ("hornbook.worth", "Evidence.remarks"),
    ("hornbook.theory", "Theory.in_order"),
}
"""Nor these functions: they take in an answer, or finish a result that nobody could give out without them."""

PATIENCE = 15.0
"""Seconds that a signal is held back at most: to compile takes one or two."""

AGAIN = 0.02
"""Seconds until a signal that is held back is looked at again."""

FROM_OUTSIDE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

REMINDER = signal.SIGURG
"""Says to look again. It is not the signal itself, which may come anew, and it ends nobody who does not listen."""


class Held:
    """A handler for signals that raises the exception as soon as nothing that the signal hits stays half made."""

    def __init__(self, ending: type[BaseException]) -> None:
        self._ending = ending
        self._reminder: threading.Timer | None = None
        self._since: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.heard():
            self.end(frame)

    def heard(self) -> bool:
        """Whether the signal counts."""
        return True

    def end(self, frame: FrameType | None) -> None:
        """Raise the exception, or be reminded to do so if it must wait."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
        if half_made(frame) and now - self._since < PATIENCE:
            if self._reminder is not None:
                self._reminder.cancel()
            self._reminder = threading.Timer(AGAIN, _remind)
            self._reminder.daemon = True
            self._reminder.start()
            return
        self._since = None
        raise self._ending

    @property
    def waits(self) -> bool:
        """Whether a signal that counts is held back."""
        return self._since is not None

    def forget(self) -> None:
        """What is held back ends nothing any more."""
        self._since = None
        if self._reminder is not None:
            self._reminder.cancel()
            self._reminder.join()


class Interrupted(Held):
    """The handler for signals from outside. The second one ends nothing: the first one's result is on its way."""

    def __init__(self) -> None:
        super().__init__(KeyboardInterrupt)
        self._count = 0

    def heard(self) -> bool:
        self._count += 1
        if self._count == 2:
            common.note("hornbook: ending already; once more to end without a result")
        elif self._count == 3:
            raise KeyboardInterrupt
        elif self._count > 3:
            os._exit(130)  # An oracle has swallowed the last one.
        return self._count == 1

    def forget(self) -> None:
        super().forget()
        self._count = max(1, self._count)


def _remind() -> None:
    # To the main thread, so that it wakes up where it waits for an answer.
    signal.pthread_kill(threading.main_thread().ident or 0, REMINDER)


def half_made(frame: FrameType | None) -> bool:
    """Whether an exception in this frame would leave half a module, or half an answer taken in."""
    while frame is not None:
        name, code = frame.f_globals.get("__name__", ""), frame.f_code
        module = f"{name}."
        if module.startswith(WHOLE) or (code.co_name == "<module>" and module.startswith(LOADED_WHOLE)):
            return True
        if (name, code.co_qualname) in DONE_WHOLE:
            return True
        frame = frame.f_back
    return False


@contextmanager
def heard_by(held: Held, numbers: Iterable[int]) -> Iterator[None]:
    """These signals end what runs meanwhile, when nothing stays half made."""

    def reminded(number: int, frame: FrameType | None) -> None:
        try:
            if held.waits:
                held.end(frame)
        finally:
            if callable(outer):  # It may be the one whom the signal was to remind.
                outer(number, frame)

    outer = signal.signal(REMINDER, reminded)
    before = {number: signal.signal(number, held) for number in numbers}
    try:
        yield
    finally:
        held.forget()
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.signal(REMINDER, outer)


@contextmanager
def polite() -> Iterator[None]:
    """What a run has learned so far is kept after Ctrl-C, a polite end, and when a terminal is closed."""
    usual = (signal.SIG_DFL, signal.default_int_handler)
    # One that is ignored stays so.
    numbers = [number for number in FROM_OUTSIDE if signal.getsignal(number) in usual]
    with heard_by(Interrupted(), numbers):
        yield


def settled() -> None:
    """The result is there, and is on its way: no alarm rings any more, and a signal ends nothing unless it insists."""
    for number in (signal.SIGALRM, *FROM_OUTSIDE):
        handler: object = signal.getsignal(number)
        if isinstance(handler, Held):
            if number == signal.SIGALRM:
                signal.setitimer(signal.ITIMER_REAL, 0)
            handler.forget()
