"""A child process that is talked to: neither its silence nor floods nor its death block the talk longer than allowed.

Both of its outputs are read together, so a program that fills its standard error cannot stop an answer. What goes wrong
is a builtin exception here: TimeoutError (it hangs), EOFError (it has ended), OverflowError (it prints without end).
Needs POSIX, for poll() on pipes and process groups.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from hornbook.errors import CannotAnswer

MOST_BYTES = 1 << 24
"""What one answer may take."""

LAST_WORDS = 4096
"""How much of its standard error is kept."""

LONGEST_POLL = 1e6
"""Milliseconds; poll() takes no infinity. Who waits longer waits again."""

GRACE = 0.3
"""Seconds that a program has to end by itself once its input is closed, and again once it is told to."""


class Child:
    """A running program and its pipes. It ends with this object, with the interpreter, or by end()."""

    def __init__(self, argv: Sequence[str], *, listens: bool = True) -> None:
        self._process = _started(argv, listens)
        self._output, self._errors = bytearray(), bytearray()
        self._poll = select.poll()
        self._sources: dict[int, bytearray] = {}
        for pipe, buffer in ((self._process.stdout, self._output), (self._process.stderr, self._errors)):
            self._sources[_file(pipe).fileno()] = buffer
        if listens:
            os.set_blocking(_file(self._process.stdin).fileno(), False)
        for source in self._sources:
            os.set_blocking(source, False)
            self._poll.register(source, select.POLLIN)
        self._speaks = True
        self._status: int | None = None
        self._allowance = MOST_BYTES
        self._ending = weakref.finalize(self, _end, self._process)

    def send(self, data: bytes, deadline: float | None) -> None:
        """Puts the bytes into its standard input, reading what it says meanwhile."""
        self._allowance = MOST_BYTES
        sink = _file(self._process.stdin).fileno()
        while data:
            try:
                data = data[os.write(sink, data) :]
            except BlockingIOError:
                self._poll.register(sink, select.POLLOUT)
                try:
                    self._wait(deadline)
                finally:
                    self._poll.unregister(sink)
            except BrokenPipeError:
                self._speaks = False
                raise EOFError from None

    def line(self, deadline: float | None) -> bytes:
        """Its next line, without the end of line; a last line may lack one."""
        searched = 0
        while (end := self._output.find(b"\n", searched)) < 0:
            searched = len(self._output)
            if not self._speaks:
                if not self._output:
                    raise EOFError
                end = searched
                break
            self._wait(deadline)
        line = bytes(self._output[:end])
        del self._output[: end + 1]
        return line.removesuffix(b"\r")

    def unasked(self) -> bytes | None:
        """A line that it has already said, or None; without waiting."""
        if self._speaks and self._poll.poll(0):
            self._wait(None)
        return self.line(None) if b"\n" in self._output else None

    def hear_out(self) -> None:
        """Takes what it still says, for a moment: that may be why it failed."""
        if self._ending.alive:
            # Its input stays open, else it might complain of that at last.
            deadline = time.monotonic() + GRACE
            with contextlib.suppress(TimeoutError, OverflowError):
                while self._sources:
                    self._wait(deadline)

    def end(self) -> int | None:
        """Ends it; its exit status, where it has ended by itself."""
        if not self._speaks and self._ending.alive:
            self.hear_out()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._status = self._process.wait(GRACE)
        self._ending()
        return self._status

    def kill(self) -> None:
        """Ends it at once, from whatever thread: the one that talks to it sees it die."""
        if self._ending.alive:
            _signal(self._process.pid, signal.SIGKILL)

    @property
    def last_words(self) -> str:
        """The last lines of its standard error."""
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        return "\n".join(lines[-5:])

    @property
    def unfinished(self) -> str:
        """The line that it has begun and not ended."""
        return bytes(self._output[self._output.rfind(b"\n") + 1 :][:200]).decode("utf-8", "replace")

    def _wait(self, deadline: float | None) -> None:
        """Takes what it says; returns when there is something, or when it can be written to."""
        patience = None if deadline is None else (deadline - time.monotonic()) * 1000
        if patience is not None and patience <= 0:
            raise TimeoutError
        for source, _ in self._poll.poll(None if patience is None else min(patience, LONGEST_POLL)):
            if source not in self._sources:
                continue
            try:
                chunk = os.read(source, 1 << 16)
            except BlockingIOError:
                continue
            self._take(source, chunk)

    def _take(self, source: int, chunk: bytes) -> None:
        buffer = self._sources[source]
        buffer += chunk
        if not chunk:
            self._poll.unregister(source)
            del self._sources[source]
            self._speaks = self._speaks and buffer is not self._output
        elif buffer is self._errors:
            del buffer[:-LAST_WORDS]
        else:
            self._allowance -= len(chunk)
            if self._allowance < 0:
                raise OverflowError


def _started(argv: Sequence[str], listens: bool) -> subprocess.Popen[bytes]:
    """The program, in a process group of its own: Ctrl-C is for us to handle, and its own children end with it."""
    try:
        return subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE if listens else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise CannotAnswer(_cannot_start(argv, error)) from error


def _cannot_start(argv: Sequence[str], error: Exception) -> str:
    program = argv[0]
    says = getattr(error, "strerror", None) or str(error)
    hint = ""
    if isinstance(error, FileNotFoundError) and "/" not in program and Path(program).is_file():
        hint = f"; for the one in this folder write ./{program}"
    elif isinstance(error, PermissionError):
        hint = f"; make it executable (chmod +x {program}) or name its interpreter first"
    elif "Exec format" in says:
        hint = "; its first line should name its interpreter, as in #!/usr/bin/env python3"
    return f"{program!r} cannot be started: {says}{hint}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and whatever it has started: by the end of its input, then by signals."""
    if process.stdin:
        with contextlib.suppress(OSError):
            process.stdin.close()
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            process.wait(GRACE)
            break
        except subprocess.TimeoutExpired:
            _signal(process.pid, sent)
    process.wait()
    _signal(process.pid, signal.SIGKILL)
    for pipe in (process.stdout, process.stderr):
        if pipe:
            pipe.close()


def _signal(group: int, sent: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sent)


def _file(pipe: IO[Any] | None) -> IO[Any]:
    assert pipe is not None
    return pipe
