"""What files hold: a named theory, a table of crosses, a formula, a relation. Names live here and in no oracle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

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

    def rows(self) -> list[Attrs]:
        """The objects as sets: what each one certainly has."""
        wide = self.crosses.shape[1] * 8
        data = self.crosses.astype("<u8", copy=False).tobytes()
        return [int.from_bytes(data[start : start + wide], "little") for start in range(0, len(data), wide)]


@dataclass(frozen=True, slots=True)
class NamedFormula:
    """A CNF: literal +(p + 1) says that the attribute at position p is true, -(p + 1) that it is false."""

    universe: Universe
    clauses: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A table of values, each column coded: equal codes are equal values, and -1 is NULL."""

    universe: Universe
    codes: NDArray[np.int32]


Value: TypeAlias = NamedTheory | BinaryTable | NamedFormula | Relation


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, from which format, and what the reader understood along the way, one remark a line."""

    value: Value
    format: str
    notes: tuple[str, ...] = ()
