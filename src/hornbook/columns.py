"""Many sets at once, by columns: for each attribute an int with a bit for every set that has it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import compress
from operator import or_
from typing import TypeVar

from hornbook.universe import Attrs, everything, members

T = TypeVar("T")


class Columns:
    """Numbered sets by attribute: for each one an int with a bit for every set that has it."""

    __slots__ = ("_columns", "_full", "there")

    def __init__(self, size: int) -> None:
        self._columns = [0] * size
        self._full = everything(size)
        self.there = 0

    def __len__(self) -> int:
        return len(self._columns)

    def put(self, number: int, attrs: Attrs) -> None:
        """The set of this number is attrs. Attributes beyond the size make it larger."""
        bit, columns = 1 << number, self._columns
        if attrs & ~self._full:
            columns += [0] * (attrs.bit_length() - len(columns))
            self._full = everything(len(columns))
        self.there |= bit
        for position in members(attrs):
            columns[position] |= bit

    def take(self, number: int, attrs: Attrs) -> None:
        """No set has this number any more; it was attrs."""
        bit, columns = 1 << number, self._columns
        self.there ^= bit
        for position in members(attrs):
            columns[position] ^= bit

    def having(self, position: int) -> int:
        """The sets that have the attribute."""
        return self._columns[position]

    def touching(self, attrs: Attrs) -> int:
        """The sets that have some of attrs."""
        return reduce(or_, chosen(self._columns, attrs), 0)

    def within(self, attrs: Attrs) -> int:
        """The sets that lie in attrs."""
        return self.there ^ (self.there & self.touching(self._full & ~attrs))

    def containing(self, attrs: Attrs) -> int:
        """The sets that contain attrs."""
        found = self.there
        for column in chosen(self._columns, attrs):
            found &= column
            if not found:
                break
        return found


def chosen(some: list[T], bits: int) -> Iterator[T]:
    """Those of some whose bits are set."""
    return compress(some, f"{bits:b}"[::-1].encode().translate(_TRUTH))


_TRUTH = bytes.maketrans(b"01", b"\0\1")
