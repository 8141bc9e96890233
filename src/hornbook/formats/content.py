"""Bytes to be read, from memory or a file: in blocks or by lines, decoded at need, so that big files stay on disk."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from hornbook.errors import FormatError
from hornbook.formats.files import located, opened

BLOCK = 1 << 20


class FileBytes:
    """The bytes of an open file, read where they are sliced."""

    __slots__ = ("_file", "_size")

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._size = file, file.seek(0, 2)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        self._file.seek(start)
        return self._file.read(max(0, stop - start))


Content: TypeAlias = bytes | FileBytes


@dataclass(frozen=True, slots=True)
class Source:
    """What is read: bytes from `start` on, where a byte-order mark ends, their encoding, and the name for messages."""

    content: Content
    name: str
    start: int
    encoding: str
    notes: tuple[str, ...] = ()

    def decode(self, data: bytes) -> str:
        """The text of these bytes of the content."""
        return data.decode(self.encoding)

    def wrong(self, problem: str, line: int | None = None, column: int | None = None) -> FormatError:
        """The error for this place of the content."""
        return FormatError(problem, file=self.name, line=line, column=column)

    def wrong_at(self, problem: str, data: bytes, offset: int, line: int) -> FormatError:
        """The error for this offset in a part of the content that starts on this line."""
        start = data.rfind(b"\n", 0, offset) + 1
        column = len(data[start:offset].decode(self.encoding, "replace")) + 1
        return self.wrong(problem, line + data.count(b"\n", 0, offset), column)


@contextmanager
def source_at(path: Path) -> Iterator[Source]:
    """What the file holds, ready to be read while the file is open."""
    with located(str(path)):
        file = opened(path)
    with file:
        yield source_of(FileBytes(file) if file.seekable() else file.read(), str(path))


def source_of(content: Content, name: str) -> Source:
    """The content with its encoding told: UTF-16 and lone carriage returns become UTF-8 and line feeds at once."""
    notes: list[str] = []
    wide = wide_encoding(content[:64])
    if wide is not None:
        content = _from_wide(content[:], wide, name)
        notes.append(f"{wide.upper()} was read")
    head = content[:3]
    if head == codecs.BOM_UTF8:
        notes.append("a byte-order mark was skipped")
    start = 3 if head == codecs.BOM_UTF8 else 0
    if _returns_only(content):
        content = content[:].replace(b"\r", b"\n")
        notes.append("lines end with carriage returns")
    encoding = "utf-8"
    if not _is_utf8(content):
        encoding = "latin-1"
        notes.append("not UTF-8, so read as Latin-1")
    return Source(content, name, start, encoding, tuple(notes))


def wide_encoding(head: bytes) -> str | None:
    """UTF-16, where a mark or a zero in every second byte says so."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = head[0::2], head[1::2]
    if len(head) >= 4 and not any(odd) and all(even):
        return "utf-16-le"
    return "utf-16-be" if len(head) >= 4 and not any(even) and all(odd) else None


def _from_wide(data: bytes, encoding: str, name: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeError as error:
        raise FormatError(f"looks like {encoding.upper()} but is not: {error}; save it as UTF-8", file=name) from error


def _returns_only(content: Content) -> bool:
    returns = False
    for block in blocks(content):
        if b"\n" in block:
            return False
        returns = returns or b"\r" in block
    return returns


def _is_utf8(content: Content) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in blocks(content):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def blocks(content: Content, start: int = 0, size: int = BLOCK) -> Iterator[bytes]:
    """The content from start on, block by block."""
    while block := content[start : start + size]:
        yield block
        start += len(block)


class Lines:
    """The lines of a source, found by number (from 0) and not kept; a line feed ends one, a return before it is cut."""

    __slots__ = ("_before", "_content", "_decode", "_start", "filled", "total")

    def __init__(self, source: Source) -> None:
        self._content, self._start, self._decode = source.content, source.start, source.decode
        # How many lines end before each block.
        self._before = [0]
        last = b"\n"
        self.filled = 0  # How many lines there are up to the last one that is not blank.
        for block in blocks(self._content, self._start):
            if kept := block.rstrip():
                self.filled = self._before[-1] + kept.count(b"\n") + 1
            self._before.append(self._before[-1] + block.count(b"\n"))
            last = block[-1:]
        self.total = self._before[-1] + (last != b"\n")

    def offset(self, line: int) -> int:
        """Where this line starts, or the end of the content for the line after the last one."""
        if line == 0:
            return self._start
        if line > self._before[-1]:
            return len(self._content)
        import numpy as np

        index = bisect_right(self._before, line - 1) - 1
        start = self._start + index * BLOCK
        block = np.frombuffer(self._content[start : start + BLOCK], dtype=np.uint8)
        return start + int(np.flatnonzero(block == 10)[line - self._before[index] - 1]) + 1

    def raw(self, first: int, stop: int) -> bytes:
        """The bytes of these lines, with their ends."""
        return self._content[self.offset(first) : self.offset(stop)]

    def text(self, first: int, stop: int) -> list[str]:
        """These lines, decoded, without their ends."""
        if first >= stop:
            return []
        lines = self._decode(self.raw(first, stop)).split("\n")[: stop - first]
        return [line[:-1] if line.endswith("\r") else line for line in lines]

    def line(self, number: int) -> str:
        """This line, decoded, without its end; empty past the last one."""
        return self.text(number, number + 1)[0] if number < self.total else ""

    def blank(self, number: int) -> bool:
        """Whether there is nothing but white space on this line."""
        return not self.raw(number, number + 1).strip()
