"""A binary table: the closure of a set is the intersection of the rows above it.

An unknown cell (`?`) may be a cross or not, and what is learned must hold either way. So a row is above a set when it
possibly has all of it, and hands on only what it certainly has: the implications that are true in every completion of
the table. Those are the implications of the table of all completions of its rows, so this is a closure operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hornbook.formats.values import BinaryTable
from hornbook.universe import Attrs, everything, members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANY_ROWS = 1 << 15
"""From so many different rows on, compiled kernels scan the table; below, plain ints are as fast."""

BATCH = 1 << 12


class Table:
    """An oracle that holds a table. It answers closures, many at once in one pass over the table.

    Whether a theory has all of its implications is a hard question (as hard as to list its intents), so there is no
    counterexample(): learn by closures only, which is exact too.
    """

    def __init__(self, table: BinaryTable | Any) -> None:
        """The oracle for a table, or for a DataFrame (pandas, polars, Arrow) of truth values."""
        if not isinstance(table, BinaryTable):
            from hornbook.formats.frames import table_from

            table = table_from(table)
        self.universe = table.universe
        self.size = table.universe.size
        certain, possible = _distinct(table)
        scan: type[Columns] | type[Blocks] = Columns if len(certain) < MANY_ROWS else Blocks
        self._scan = scan(self.size, certain, possible)

    def closure(self, attrs: Attrs) -> Attrs:
        return self._scan.closure(attrs)

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs]:
        return self._scan.closures(sets)

    def contains(self, attrs: Attrs) -> bool:
        return self._scan.closure(attrs) == attrs


class Columns:
    """A table as one int a column, a bit for each row: no row without the set is ever looked at."""

    def __init__(self, size: int, certain: NDArray[np.uint64], possible: NDArray[np.uint64]) -> None:
        self._full = everything(size)
        self._rows = _ints(certain)
        self._all = everything(len(self._rows))
        self._possible = _columns(size, possible)
        having = self._possible if certain is possible else _columns(size, certain)
        self._lacking = [self._all ^ column for column in having]

    def closure(self, attrs: Attrs) -> Attrs:
        extent, possible = self._all, self._possible
        for position in members(attrs):
            extent &= possible[position]
        if not extent:
            return self._full
        # Only what the first row has can be in all of them, and whoever refutes one attribute may refute more.
        common = self._rows[(extent & -extent).bit_length() - 1]
        open_ = common & ~attrs
        while open_:
            last = open_.bit_length() - 1
            refuting = extent & self._lacking[last]
            if refuting:
                row = self._rows[(refuting & -refuting).bit_length() - 1]
                common &= row
                open_ &= row
            else:
                open_ ^= 1 << last
        return attrs | common

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs]:
        return [self.closure(attrs) for attrs in sets]


class Blocks:
    """A large table in blocks of columns, scanned by compiled code."""

    def __init__(self, size: int, certain: NDArray[np.uint64], possible: NDArray[np.uint64]) -> None:
        import numpy as np

        self._size, self._count = size, np.uint64(len(certain))
        blocks = _blocks(size, possible)
        # The rarest columns first: where they leave no row, no other column is read.
        self._rarest = np.argsort(np.bitwise_count(blocks).sum(axis=(0, 2), dtype=np.int64), kind="stable")
        self._possible = blocks.ravel()
        self._certain = self._possible if certain is possible else _blocks(size, certain).ravel()

    def closure(self, attrs: Attrs) -> Attrs:
        return self.closures((attrs,))[0]

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs]:
        return [closed for start in range(0, len(sets), BATCH) for closed in self._some(sets[start : start + BATCH])]

    def _some(self, sets: Sequence[Attrs]) -> list[Attrs]:
        import numpy as np

        from hornbook.kernels.table_scan import scan_table

        wide = (self._size + 7) // 8
        data = b"".join([attrs.to_bytes(wide, "little") for attrs in sets])
        packed = np.frombuffer(data, np.uint8).reshape(len(sets), wide)
        asked = np.unpackbits(packed, axis=1, count=self._size, bitorder="little")
        sizes = asked.sum(axis=1, dtype=np.uint64)
        starts = np.zeros(len(sets) + 1, np.uint64)
        np.cumsum(sizes, out=starts[1:])
        columns = self._rarest[np.nonzero(asked[:, self._rarest])[1]].astype(np.uint64)
        alive = np.argsort(asked, axis=1, kind="stable").astype(np.uint64)
        counts = np.uint64(self._size) - sizes
        scan_table(
            self._possible, self._certain, np.uint64(self._size), self._count, columns, starts, alive.ravel(), counts
        )
        found = np.arange(self._size, dtype=np.uint64) < counts[:, None]
        asked[np.nonzero(found)[0], alive[found]] = 1
        closed = np.packbits(asked, axis=1, bitorder="little").tobytes()
        return [int.from_bytes(closed[start : start + wide], "little") for start in range(0, len(closed), wide)]


def _distinct(table: BinaryTable) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What the rows certainly and possibly have, each pair once, in order; the same array where nothing is unknown."""
    import numpy as np

    certain = np.ascontiguousarray(table.crosses, dtype=np.uint64)
    words = certain.shape[1]
    both = certain
    if table.unknown is not None and table.unknown.any():
        both = np.ascontiguousarray(np.hstack([certain, certain | table.unknown]), dtype=np.uint64)
    if words and len(both):
        different = dict.fromkeys(both.view(f"V{8 * both.shape[1]}").ravel().tolist())
        # A copy, for kernels have one signature, and that is for arrays that can be written.
        both = np.frombuffer(b"".join(different), np.uint64).reshape(len(different), both.shape[1]).copy()
    else:  # Without columns all rows are the same.
        both = both[:1]
    if both.shape[1] == words:
        return both, both
    return np.ascontiguousarray(both[:, :words]), np.ascontiguousarray(both[:, words:])


def _ints(rows: NDArray[np.uint64]) -> list[Attrs]:
    wide = rows.shape[1] * 8
    data = rows.astype("<u8", copy=False).tobytes()
    if not wide:
        return [0] * len(rows)
    return [int.from_bytes(data[start : start + wide], "little") for start in range(0, len(data), wide)]


def _columns(size: int, rows: NDArray[np.uint64]) -> list[int]:
    """For each column an int: bit i says that row i has it."""
    import numpy as np

    cells = np.unpackbits(rows.astype("<u8", copy=False).view(np.uint8), axis=1, count=size, bitorder="little")
    packed = np.packbits(np.ascontiguousarray(cells.T), axis=1, bitorder="little")
    return [int.from_bytes(column.tobytes(), "little") for column in packed]


def _blocks(size: int, rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The rows as blocks of columns: block, column, word of 64 rows."""
    import numpy as np

    from hornbook.kernels.table_scan import ROWS, WIDTH, transpose_table

    count, words = rows.shape
    blocks = np.zeros(((count + ROWS - 1) // ROWS, size, WIDTH), np.uint64)
    transpose_table(rows.ravel(), np.uint64(count), np.uint64(words), np.uint64(size), blocks.reshape(-1))
    return blocks
