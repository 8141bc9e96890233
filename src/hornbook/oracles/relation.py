"""A table of values: the closure of columns X is all that X determines, its functional dependencies.

Rows that agree on X form groups; a column is determined when it has one value in each group. Groups are refined column
by column, rows alone in theirs dropped (stripped partitions, after Huhtala and others, *TANE*, Comput. J. 42, 1999).
Two rows that are found to differ refute at once all that they differ on: the columns they agree on are a closed set.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbook.formats.values import Relation
from hornbook.oracles.table import Columns
from hornbook.universe import Attrs, attrs_of, everything, members

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW_ROWS = 200
"""Up to so many different rows, all pairs of rows are compared once, and no row is looked at afterwards."""

MOST_PAIRS = 1024
"""Agreements of two rows kept to narrow later answers."""

CACHE_BYTES = 1 << 28
"""What the groups that are kept may take."""


class Dependencies:
    """An oracle that holds a relation; it answers closures.

    NULL equals NULL, as in `GROUP BY`. With distinct_nulls no NULL equals anything, so that rows with a NULL among the
    columns of X are in no group, and a column with a NULL is determined only by a key.
    """

    def __init__(self, relation: Relation | Any, *, distinct_nulls: bool = False) -> None:
        """The oracle for a relation, or for a DataFrame (pandas, polars, Arrow)."""
        if not isinstance(relation, Relation):
            from hornbook.formats.frames import relation_from

            relation = relation_from(relation)
        self.universe = relation.universe
        self.size = relation.universe.size
        codes = _distinct(_coded(relation.codes, distinct_nulls))
        if len(codes) <= FEW_ROWS:
            agreements = agree_sets(codes)
            self._scan: Columns | Groups = Columns(self.size, agreements, agreements)
        else:
            self._scan = Groups(codes)

    def closure(self, attrs: Attrs) -> Attrs:
        return self._scan.closure(attrs)

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs]:
        return [self._scan.closure(attrs) for attrs in sets]

    def contains(self, attrs: Attrs) -> bool:
        return self._scan.closure(attrs) == attrs


def agree_sets(codes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """For each two rows the columns that they agree on, packed, each set once.

    Every closed set but that of all columns is an intersection of them: a table with these rows has the same closures.
    """
    import numpy as np

    wide = (codes.shape[1] + 63) // 64 * 8
    found: dict[bytes, None] = {}
    for row in range(len(codes) - 1):
        agree = np.zeros((len(codes) - row - 1, wide), np.uint8)
        equal = np.packbits(codes[row + 1 :] == codes[row], axis=1, bitorder="little")
        agree[:, : equal.shape[1]] = equal
        found.update(dict.fromkeys(agree.view(f"V{wide}").ravel().tolist()))
    return np.frombuffer(b"".join(found), "<u8").astype(np.uint64).reshape(len(found), wide // 8)


class Groups:
    """A relation with many rows: the rows that agree on a set are found by refining those of a smaller set."""

    def __init__(self, codes: NDArray[np.int32]) -> None:
        import numpy as np

        self._codes = codes
        self._columns = [_dense(codes[:, column]) for column in range(codes.shape[1])]
        self._values = [int(column.max(initial=-1)) + 1 for column in self._columns]
        # Columns of many values first: few rows are left for the others.
        self._order = sorted(range(len(self._columns)), key=lambda column: (-self._values[column], column))
        self._full = everything(len(self._columns))
        whole = Partition(np.arange(len(codes)), np.zeros(len(codes), np.int64), 1)
        self._known: OrderedDict[Attrs, Partition] = OrderedDict({0: whole})
        self._bytes = 0
        self._pairs: list[Attrs] = []

    def closure(self, attrs: Attrs) -> Attrs:
        upper = self._narrowed(attrs)
        if upper == attrs:
            return attrs
        groups = self._groups(attrs)
        if not len(groups.rows):
            return self._full
        leaders = groups.leaders()
        for column in members(upper & ~attrs):
            if upper >> column & 1:
                differing = _first_difference(self._columns[column], groups.rows, leaders)
                if differing is not None:
                    upper &= self._agreement(int(groups.rows[differing]), int(leaders[differing]))
        return upper

    def _narrowed(self, attrs: Attrs) -> Attrs:
        """What all the pairs of rows have in common that are known to agree on the set."""
        upper = self._full
        for pair in self._pairs:
            if attrs & ~pair == 0:
                upper &= pair
                if upper == attrs:
                    break
        return upper

    def _agreement(self, row: int, other: int) -> Attrs:
        import numpy as np

        agree = attrs_of(np.flatnonzero(self._codes[row] == self._codes[other]).tolist())
        if len(self._pairs) >= MOST_PAIRS:
            del self._pairs[: MOST_PAIRS // 2]
        self._pairs.append(agree)
        return agree

    def _groups(self, attrs: Attrs) -> Partition:
        """The groups of rows that agree on the set, from those of the longest part of it that is known."""
        wanted = [column for column in self._order if attrs >> column & 1]
        done, part = len(wanted), attrs
        while part not in self._known:
            done -= 1
            part &= ~(1 << wanted[done])
        groups = self._known[part]
        self._known.move_to_end(part)
        for column in wanted[done:]:
            groups = groups.refined(self._columns[column], self._values[column])
            part |= 1 << column
            self._keep(part, groups)
        return groups

    def _keep(self, attrs: Attrs, groups: Partition) -> None:
        self._known[attrs] = groups
        self._bytes += groups.bytes
        while self._bytes > CACHE_BYTES:
            # Never the groups of the empty set, from which all others can be made.
            self._known.move_to_end(0)
            self._bytes -= self._known.popitem(last=False)[1].bytes


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The rows that are not alone in their group, and the group of each, numbered from 0."""

    rows: NDArray[np.int64]
    groups: NDArray[np.int64]
    count: int

    @property
    def bytes(self) -> int:
        return self.rows.nbytes + self.groups.nbytes + 64

    def refined(self, column: NDArray[np.int64], values: int) -> Partition:
        """The groups of those that also agree on this column."""
        import numpy as np

        keys = self.groups * values + column[self.rows]
        if self.count * values > max(1 << 16, 8 * len(keys)):
            # Too many possible groups for a table of them: number those that there are.
            keys = np.unique(keys, return_inverse=True)[1]
        shared = np.bincount(keys) > 1
        kept = shared[keys]
        numbers = np.cumsum(shared) - 1
        return Partition(self.rows[kept], numbers[keys[kept]], int(shared.sum()))

    def leaders(self) -> NDArray[np.int64]:
        """For each row one row of its group."""
        import numpy as np

        leader = np.empty(self.count, np.int64)
        leader[self.groups] = self.rows
        return leader[self.groups]


def _first_difference(column: NDArray[np.int64], rows: NDArray[np.int64], leaders: NDArray[np.int64]) -> int | None:
    """Where a row first differs from the leader of its group. Most columns differ within the first rows."""
    start, chunk = 0, 1 << 10
    while start < len(rows):
        some = slice(start, start + chunk)
        differing = column[rows[some]] != column[leaders[some]]
        if differing.any():
            return start + int(differing.argmax())
        start, chunk = start + chunk, chunk * 8
    return None


def _coded(codes: NDArray[np.int32], distinct_nulls: bool) -> NDArray[np.int32]:
    """The codes, NULL a value like any other, or each NULL a value of its own."""
    import numpy as np

    coded = np.ascontiguousarray(codes, dtype=np.int32)
    if distinct_nulls and (coded < 0).any():
        coded = coded.copy()
        for column in coded.T:
            nulls = np.flatnonzero(column < 0)
            column[nulls] = column.max(initial=-1) + 1 + np.arange(len(nulls))
    return coded


def _distinct(codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows, each once, in order."""
    import numpy as np

    if not codes.size:
        return codes[:1]
    different = dict.fromkeys(codes.view(f"V{4 * codes.shape[1]}").ravel().tolist())
    return np.frombuffer(b"".join(different), np.int32).reshape(len(different), codes.shape[1])


def _dense(column: NDArray[np.int32]) -> NDArray[np.int64]:
    """The column, its values numbered from 0 where they are not nearly so already."""
    import numpy as np

    least, most = int(column.min(initial=0)), int(column.max(initial=-1))
    if most - least > 4 * len(column):
        return np.unique(column, return_inverse=True)[1].astype(np.int64)
    return column.astype(np.int64) - least
