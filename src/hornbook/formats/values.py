"""What files hold: a named theory, a table of crosses, a formula, a relation. Names live here and in no oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from hornbook.errors import BadQuestion, FormatError
from hornbook.formats.text import plural, shown
from hornbook.theory import Theory
from hornbook.universe import Attrs, Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class NamedTheory:
    """A theory and the names of its attributes. Comments, where there are any, go with the implications one to one."""

    universe: Universe
    theory: Theory
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BinaryTable:
    """Objects and their attributes, packed: bit j % 64 of `crosses[i, j // 64]` says that object i has attribute j.

    `unknown` marks the cells that are `?`, in the same way; no cell is both a cross and unknown.
    """

    universe: Universe
    objects: tuple[str, ...]
    crosses: NDArray[np.uint64]
    unknown: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        wanted = (len(self.objects), words(len(self.universe)))
        for packed in (self.crosses, self.unknown):
            if packed is not None and (packed.shape != wanted or packed.dtype.name != "uint64"):
                raise BadQuestion(f"packed cells are {packed.dtype} of shape {packed.shape}, not uint64 of {wanted}")
        if self.unknown is not None and (self.crosses & self.unknown).any():
            raise BadQuestion("a cell is a cross and unknown at once")

    @classmethod
    def of(
        cls,
        universe: Universe,
        rows: Iterable[Attrs],
        *,
        objects: Iterable[str] | None = None,
        unknown: Iterable[Attrs] | None = None,
    ) -> BinaryTable:
        """The table of these sets, one an object. Objects without names are called 0, 1, 2, ..."""
        crosses = _packed(rows, universe)
        names = tuple(map(str, range(len(crosses)))) if objects is None else tuple(objects)
        return cls(universe, names, crosses, None if unknown is None else _packed(unknown, universe))

    @classmethod
    def of_names(cls, having: Mapping[str, Iterable[str]], universe: Universe | None = None) -> BinaryTable:
        """The table of these objects and the names of what each has; without a universe, in order of appearance."""
        lists = {name: list(names) for name, names in having.items()}
        if universe is None:
            universe = Universe.of(dict.fromkeys(name for names in lists.values() for name in names))
        return cls.of(universe, map(universe.attrs, lists.values()), objects=lists)

    def rows(self) -> list[Attrs]:
        """The objects as sets: what each one certainly has."""
        return _unpacked(self.crosses)

    def unknown_rows(self) -> list[Attrs]:
        """For each object the attributes of which nobody knows whether it has them."""
        return [0] * len(self.objects) if self.unknown is None else _unpacked(self.unknown)


@dataclass(frozen=True, slots=True)
class NamedFormula:
    """A CNF: literal +(p + 1) says that the attribute at position p is true, -(p + 1) that it is false.

    `lines` are those of the clauses in their file, for messages, where the reader kept them.
    """

    universe: Universe
    clauses: tuple[tuple[int, ...], ...]
    lines: tuple[int, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A table of values, each column coded: equal codes are equal values, and -1 is NULL.

    `values[j][code]` is what the code stands for in column j, as text, where the reader kept it.
    """

    universe: Universe
    codes: NDArray[np.int32]
    values: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, universe: Universe, rows: Iterable[Sequence[object]]) -> Relation:
        """The relation of these rows of values; None is NULL, and other values are compared as text."""
        import numpy as np

        width, table = len(universe), [tuple(row) for row in rows]
        if any(len(row) != width for row in table):
            raise FormatError(f"a row has {next(len(r) for r in table if len(r) != width)} values, not {width}")
        codes, values = np.empty((len(table), width), dtype=np.int32), []
        for j in range(width):
            coder = Coder()
            codes[:, j] = [-1 if row[j] is None else coder[str(row[j])] for row in table]
            values.append(tuple(coder))
        return cls(universe, codes, tuple(values))

    def row(self, index: int) -> list[str | None]:
        """The values of one row, as text, None where they are NULL."""
        if not self.values and len(self.universe):
            raise BadQuestion("this relation knows codes only, not the values that they stand for")
        return [None if code < 0 else self.values[j][code] for j, code in enumerate(self.codes[index].tolist())]

    def lost_as_text(self) -> list[str]:
        """The remark on values that differ and have the same text, for a format that keeps the text alone."""
        alike = []
        for name, texts in zip(self.universe, self.values, strict=True):
            if len(set(texts)) < len(texts):
                twice = next(text for text, count in Counter(texts).items() if count > 1)
                alike.append(f"{shown(twice)} in column {shown(name)}")
        if not alike:
            return []
        more = f" and in {plural(len(alike) - 1, 'more column')}" if len(alike) > 1 else ""
        return [f"values that differ are written as one text and read back as equal: {alike[0]}{more}"]


Value: TypeAlias = NamedTheory | BinaryTable | NamedFormula | Relation


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, from which format, and what the reader understood along the way, one remark a line."""

    value: Value
    format: str
    notes: tuple[str, ...] = ()


class Coder(dict[Any, int]):
    """A dict that gives every key that it meets the next code: 0, 1, 2, ..."""

    __slots__ = ()

    def __missing__(self, key: Any) -> int:
        code = self[key] = len(self)
        return code


# Packing


def words(size: int) -> int:
    """How many words of 64 bits a set of attributes of a universe of this size takes."""
    return -(-size // 64)


def room(height: int, size: int) -> NDArray[np.uint64]:
    """Packed rows without a cross; refused where the machine has not the memory for them."""
    import os

    import numpy as np

    needed = height * words(size) * 8
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        there = 1 << 34
    if needed > there:
        raise FormatError(
            f"{height:,} objects with {size:,} attributes take {needed / 2**30:.1f} GiB, and there are "
            f"{there / 2**30:.1f}; leave out attributes that are rare"
        )
    return np.zeros((height, words(size)), dtype=np.uint64)


def pack(cells: NDArray[Any]) -> NDArray[np.uint64]:
    """Rows of cells, packed as BinaryTable wants them: a bit is set where the cell is not zero."""
    import numpy as np

    height, size = cells.shape
    packed = np.zeros((height, words(size) * 8), dtype=np.uint8)
    packed[:, : -(-size // 8)] = np.packbits(cells, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False) if size else np.zeros((height, 0), dtype=np.uint64)


def unpack(packed: NDArray[np.uint64], size: int) -> NDArray[np.uint8]:
    """The cells of packed rows, 1 and 0."""
    import numpy as np

    data = np.ascontiguousarray(packed, dtype="<u8").view(np.uint8)
    return np.unpackbits(data, axis=1, count=size, bitorder="little")


def _packed(rows: Iterable[Attrs], universe: Universe) -> NDArray[np.uint64]:
    import numpy as np

    sets, wide, outside = list(rows), words(len(universe)), ~universe.everything
    if any(attrs & outside for attrs in sets):
        raise BadQuestion(f"a row has attributes outside of the {len(universe)} of its universe")
    data = b"".join(attrs.to_bytes(wide * 8, "little") for attrs in sets)
    return np.frombuffer(data, dtype="<u8").reshape(len(sets), wide).astype(np.uint64)


def _unpacked(packed: NDArray[np.uint64]) -> list[Attrs]:
    height, wide = packed.shape
    data, step = packed.astype("<u8", copy=False).tobytes(), wide * 8
    return [int.from_bytes(data[i * step : (i + 1) * step], "little") for i in range(height)]
