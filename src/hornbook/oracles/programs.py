"""Programs at work: started when needed, asked again after a crash, ended when they hang, gone when the run is over."""

from __future__ import annotations

import logging
import shlex
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import count
from typing import NoReturn, TypeVar

from hornbook.errors import CannotAnswer, FormatError, HornbookError
from hornbook.oracles.child import MOST_BYTES, Child

Answer = TypeVar("Answer")

REMARKS = logging.getLogger("hornbook")
"""Where a crash that was survived is told. Python prints it on standard error unless it is told otherwise."""

Talk = Callable[[Child, float | None], Answer]
"""Puts a question to a child and reads its answer until a deadline; EOFError where the child has ended."""


class Programs:
    """Up to `workers` processes of one program. Safe to be used from several threads."""

    def __init__(self, argv: str | Sequence[str], timeout: float | None, restarts: int, workers: int) -> None:
        self.argv, self.timeout, self.restarts, self.workers = _parts(argv), timeout, restarts, max(1, workers)
        self._crashes = 0
        self._places = threading.BoundedSemaphore(self.workers)
        self._lock = threading.Lock()
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._closed = False
        self._threads: ThreadPoolExecutor | None = None

    @property
    def name(self) -> str:
        """The program, as one would type it."""
        return shlex.join(self.argv)

    @property
    def threads(self) -> Executor | None:
        """What asks several workers at once; None where there is one."""
        if self._threads is None and self.workers > 1:
            self._threads = ThreadPoolExecutor(self.workers)
        return self._threads

    def ask(self, question: str, talk: Talk[Answer], *, arguments: Sequence[str] | None = None) -> Answer:
        """What the talk with a process returns: one that waits for lines, or a new one that gets the arguments."""
        with self._places:
            for crash in count(1):
                child = self._child(arguments)
                try:
                    answer = talk(child, None if self.timeout is None else time.monotonic() + self.timeout)
                except EOFError:
                    self._after_crash(child, question, crash)
                except TimeoutError:
                    self._give_up(child, f"has not answered {question} within {self.timeout:g} s and was ended")
                except OverflowError:
                    self._give_up(child, f"prints more than {MOST_BYTES >> 20} MB when asked {question}")
                except HornbookError as error:
                    child.hear_out()
                    self._dismiss(child)
                    if child.last_words:
                        error.add_note(f"on standard error it said:\n{child.last_words}")
                    raise
                except BaseException:
                    self._dismiss(child)
                    raise
                else:
                    self._release(child, keep=arguments is None)
                    return answer
        raise AssertionError  # There is no last number.

    def close(self) -> None:
        """Ends all processes. What is still being asked fails."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for child in self._busy:
                child.kill()
        for child in idle:
            child.end()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
            self._threads = None
        if self._crashes > 1:
            REMARKS.warning("%s crashed %d times in all", self.name, self._crashes)
            self._crashes = 0

    def _child(self, arguments: Sequence[str] | None) -> Child:
        with self._lock:
            if self._closed:
                raise CannotAnswer(f"{self.name} has been closed; make the oracle anew")
            if arguments is None and self._idle:
                child = self._idle.pop()
            else:
                child = Child([*self.argv, *(arguments or ())], listens=arguments is None)
            self._busy.add(child)
            return child

    def _release(self, child: Child, *, keep: bool) -> None:
        with self._lock:
            self._busy.discard(child)
            if keep and not self._closed:
                self._idle.append(child)
                return
        child.end()

    def _dismiss(self, child: Child) -> int | None:
        status = child.end()
        with self._lock:
            self._busy.discard(child)
        return status

    def _after_crash(self, child: Child, question: str, crash: int) -> None:
        """Counts the crash, and tells of the first one; raises when there have been too many in a row."""
        status = self._dismiss(child)
        with self._lock:
            self._crashes += 1
            first, again = self._crashes == 1, crash <= self.restarts and not self._closed
        what = f"{self.name} {_ended(status)} when asked {question}"
        if not again:
            often = f", {crash} times in a row" if crash > 1 else ""
            raise CannotAnswer(f"{what}{often}{_last_words(child)}")
        if first:
            REMARKS.warning("%s; it was started again%s", what, _last_words(child))

    def _give_up(self, child: Child, what: str) -> NoReturn:
        child.kill()
        self._dismiss(child)
        begun = f", in the middle of the line {child.unfinished!r}" if child.unfinished else ""
        raise CannotAnswer(f"{self.name} {what}{begun}{_last_words(child)}") from None


def _parts(argv: str | Sequence[str]) -> tuple[str, ...]:
    """The program and its arguments; a string is taken apart as a shell would."""
    try:
        parts = tuple(shlex.split(argv) if isinstance(argv, str) else argv)
    except ValueError as error:
        raise FormatError(f"{argv!r} is no command line: {error}") from error
    if not parts or not parts[0]:
        raise FormatError("no program is named; write command:PROGRAM ARGS or exec:PROGRAM ARGS")
    return parts


def _ended(status: int | None) -> str:
    if status is None:
        return "closed its output"
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def _last_words(child: Child) -> str:
    return f"; it said:\n{child.last_words}" if child.last_words else "; it said nothing on standard error"
