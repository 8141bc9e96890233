"""Sets as ints, as rows of words, and by their members: the one place where ints become arrays, and arrays ints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from hornbook.kernels.compiled import ONE, ZERO, compiled, lowest, u64

Thing = TypeVar("Thing")
Rows = NDArray[np.uint64]
Members = tuple[NDArray[np.uint32], NDArray[np.uint32]]
"""Where each set starts, and at last where all end; and their members, one set behind the other."""

CHUNK = 2**20
"""The bytes of rows that are made at a time: all rows of ten thousand sets of ten thousand attributes take 12 MB."""


def width_of(size: int) -> int:
    """How many words a row has: at least one, so that the empty set has a row too."""
    return max(1, (size + 63) // 64)


def chunks(things: Sequence[Thing], step: int) -> Iterator[Sequence[Thing]]:
    """The sets, or rules, so many at a time."""
    for start in range(0, len(things), step):
        yield things[start : start + step]


def rows_of(sets: Sequence[int], width: int) -> Rows:
    """A row for each set."""
    length = 8 * width
    return np.frombuffer(bytearray().join([attrs.to_bytes(length, "little") for attrs in sets]), np.uint64)


def sets_of(rows: Rows, width: int) -> list[int]:
    """The set of each row."""
    # NumPy cuts up the rows, and no loop of Python is run: that is thrice as fast.
    little: Literal["little"] = "little"
    return list(map(int.from_bytes, rows.view(f"V{8 * width}").tolist(), repeat(little)))


def members_of(sets: Sequence[int], width: int) -> Members:
    """The members of the sets, ascending."""
    return joined([members_in(rows_of(chunk, width), width) for chunk in chunks(sets, max(1, CHUNK // (8 * width)))])


def joined(parts: Sequence[Members]) -> Members:
    """The members of all sets, from parts that have the size of each set where a whole has its start."""
    sizes = np.concatenate([np.zeros(1, np.uint32), *(sizes for sizes, _ in parts)])
    return np.cumsum(sizes, dtype=np.uint32), np.concatenate([np.empty(0, np.uint32), *(some for _, some in parts)])


def members_in(rows: Rows, width: int) -> Members:
    """The size of each row, and the members of all of them."""
    sizes = np.empty(len(rows) // width, np.uint32)
    members = np.empty(int(np.bitwise_count(rows).sum()), np.uint32)
    scatter(rows, u64(width), sizes, members)
    return sizes, members


@compiled
def scatter(rows: Rows, width: int, sizes: NDArray[np.uint32], members: NDArray[np.uint32]) -> None:
    """Fills in the size and the members of each row."""
    filled = ZERO
    for i in range(u64(sizes.size)):
        before = filled
        for w in range(width):
            word = rows[i * width + w]
            while word:
                members[filled] = (w << u64(6)) + lowest(word)
                filled += ONE
                word &= word - ONE
        sizes[i] = filled - before
