"""Names and bits: a universe gives every attribute a name and a position, and sets are ints."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from hornbook.errors import FormatError

Attrs: TypeAlias = int
"""A set of attributes: bit i is set where the attribute at position i is in the set."""


def members(attrs: Attrs) -> Iterator[int]:
    """The positions in attrs, ascending."""
    while attrs:
        lowest = attrs & -attrs
        yield lowest.bit_length() - 1
        attrs ^= lowest


def attrs_of(positions: Iterable[int]) -> Attrs:
    """The set of these positions."""
    attrs = 0
    for position in positions:
        attrs |= 1 << position
    return attrs


def everything(size: int) -> Attrs:
    """The set of all attributes of a universe of this size."""
    return (1 << size) - 1


def by_size(attrs: Attrs) -> tuple[int, list[int]]:
    """A sort key: smaller sets first, then by position. Output in this order is easy to compare."""
    return attrs.bit_count(), list(members(attrs))


@dataclass(frozen=True, slots=True)
class Universe:
    """The attributes, in order. Two attributes never share a name."""

    names: tuple[str, ...]
    _positions: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.names, tuple):
            raise FormatError(f"the names of a universe are a tuple, not {self.names!r}; Universe.of takes any list")
        positions: dict[str, int] = {}
        for position, name in enumerate(self.names):
            if not isinstance(name, str):
                raise FormatError(f"attribute {position} is {name!r}, a {type(name).__name__}; names are strings")
            if positions.setdefault(name, position) != position:
                raise FormatError(
                    f"attribute {name!r} appears twice, at positions {positions[name]} and {position}; "
                    "rename one of them"
                )
        object.__setattr__(self, "_positions", positions)

    @classmethod
    def of(cls, names: Iterable[str]) -> Universe:
        """The universe of these names, in this order."""
        if isinstance(names, str):
            raise FormatError(f"attributes are a list of names, not the one string {names!r}")
        return cls(tuple(names))

    @classmethod
    def numbered(cls, size: int) -> Universe:
        """The universe whose attributes are called 0, 1, 2, ..."""
        return cls(tuple(map(str, range(size))))

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def everything(self) -> Attrs:
        return everything(len(self.names))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def position(self, name: str) -> int:
        """Where the attribute of this name stands."""
        position = self._positions.get(name)
        if position is None:
            raise FormatError(self._unknown(name))
        return position

    def attrs(self, names: Iterable[str]) -> Attrs:
        """The set with these names."""
        if isinstance(names, str):
            raise FormatError(f"a set is a list of names, not the one string {names!r}")
        attrs = 0
        for name in names:
            attrs |= 1 << self.position(name)
        return attrs

    def names_in(self, attrs: Attrs) -> list[str]:
        """The names of the attributes in attrs, in universe order."""
        return [self.names[position] for position in members(attrs)]

    def _unknown(self, name: object) -> str:
        if not isinstance(name, str):
            return f"{name!r} is a {type(name).__name__}, not the name of an attribute"
        close = difflib.get_close_matches(name, self.names, n=3)
        if close:
            return f"unknown attribute {name!r}; did you mean {' or '.join(map(repr, close))}?"
        if not self.names:
            return f"unknown attribute {name!r}; there are no attributes at all"
        some = ", ".join(self.names[:5]) + (", ..." if len(self.names) > 5 else "")
        return f"unknown attribute {name!r}; there are {len(self.names)}: {some}"
