"""A file that grows: what is written survives a killed process at once, and a power failure a second later."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

SECONDS = 1.0
"""How long the disk may take its time with what was written. To wait for it each time would cost milliseconds."""


class Growing:
    """An open file to append to. After `SECONDS` the disk itself has what was written, whether or not more comes."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._due: threading.Timer | None = None

    def write(self, data: bytes) -> None:
        """Append the data, with one system call unless that takes only a part of it."""
        while data:
            data = data[os.write(self._file, data) :]
        with self._lock:
            if self._due is None:
                due = threading.Timer(SECONDS, self._sync)
                due.daemon = True
                due.start()
                self._due = due

    def close(self) -> None:
        """Make sure that the disk has it all, and let others have the file."""
        with self._lock:
            if self._due is not None:
                self._due.cancel()
            file, self._file = self._file, -1
            if file >= 0:
                try:
                    os.fsync(file)
                finally:
                    os.close(file)

    def _sync(self) -> None:
        with self._lock:
            self._due = None
            if self._file < 0:
                return
            file = os.dup(self._file)
        with suppress(OSError):  # The next one, or the end, will say so.
            os.fsync(file)  # Without the lock: nobody waits for the disk.
        os.close(file)
