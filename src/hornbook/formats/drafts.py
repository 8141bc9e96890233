"""Between text and theories: a draft collects implications by name, and statements are what a writer has to say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from hornbook.errors import FormatError
from hornbook.formats.text import called, plural, shown, some
from hornbook.formats.values import NamedFormula, NamedTheory, Value
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, Universe, everything, members

Statement: TypeAlias = tuple[Attrs, Attrs | None, str]
"""Premise, what it adds (None: the premise is impossible), comment."""

_FEW = 16
"""So few positions are taken out of a set one by one, a copy of it for each, sooner than it is written in digits."""
_ONES = re.compile("1")

MOST_BYTES = 2 << 30
"""What the sets of one theory may take: more is refused before it fills the memory."""


class Draft:
    """A theory in the making. Without names the universe grows, in order of first appearance."""

    def __init__(self, names: Iterable[str] | None = None, *, hint: str = "add it to the attributes") -> None:
        self._positions: dict[str, int] = {}
        for position, name in enumerate(names or ()):
            if not isinstance(name, str):
                raise FormatError(f"attribute {position} is {called(name)}; names are strings")
            if self._positions.setdefault(name, position) != position:
                first = self._positions[name]
                raise FormatError(f"attribute {shown(name)} appears twice, at positions {first} and {position}")
        self.universe = None if names is None else Universe(tuple(self._positions))
        self._hint = hint
        self._rules: list[tuple[Attrs, Attrs | None]] = []
        self._comments: list[str] = []
        self._commented = False
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def add(self, premise: Sequence[str], conclusion: Sequence[str] | None, comment: str = "") -> None:
        """One more implication; a conclusion of None says that the premise is impossible."""
        left = self.attrs(premise)
        self._rules.append((left, None if conclusion is None else self.attrs(conclusion)))
        self._comments.append(comment)
        if comment:
            self._commented = True

    def attrs(self, names: Sequence[str]) -> Attrs:
        """The set of these names, which the draft then knows."""
        positions = self._positions
        attrs = 0
        if len(names) > 16 and len(positions) + len(names) > 4096:
            attrs = _wide([self._position(name) for name in names])
        else:
            for name in names:
                position = positions.get(name)
                attrs |= 1 << (self._position(name) if position is None else position)
        self._bytes += attrs.bit_length() >> 3
        if self._bytes > MOST_BYTES:
            much = f"{plural(len(positions), 'attribute')} in the first {plural(len(self), 'implication')}"
            raise FormatError(f"{much} take more than {MOST_BYTES >> 30} GiB as sets; split the theory")
        return attrs

    def finished(self, wanted: str = "") -> NamedTheory:
        """The theory. Where nothing was read and something is wanted, the file is empty or has failed, and is refused.

        An empty theory is one that names its attributes, or says that it has no implications.
        """
        if wanted and not self._rules and self.universe is None:
            raise FormatError(f"there is nothing in this file; {wanted}")
        universe = Universe(tuple(self._positions)) if self.universe is None else self.universe
        full = everything(universe.size)
        implications = tuple(Implication(left, full if right is None else right) for left, right in self._rules)
        top = all(right is not None for _, right in self._rules)
        comments = tuple(self._comments) if self._commented else ()
        return NamedTheory(universe, Theory(universe.size, implications, top), comments)

    def _unknown(self, name: str) -> str:
        assert self.universe is not None
        if self.universe.size < 5000 and all(len(known) < 80 for known in (name, *self.universe)):
            # The nearest names are worth their time only where there are few, and their room where they are short.
            try:
                self.universe.position(name)
            except FormatError as error:
                return error.problem
        return f"unknown attribute {shown(name)}; there are {self.universe.size:,}"

    def _position(self, name: str) -> int:
        position = self._positions.get(name)
        if position is None:
            if self.universe is not None:
                raise FormatError(f"{self._unknown(name)}; {self._hint}")
            position = self._positions[name] = len(self._positions)
        return position


def statements(named: NamedTheory) -> Iterator[Statement]:
    """What a file must say so that its reader gets this theory back.

    Where the set of all attributes is no model, some statement is negative: `everything is impossible` if no other.
    """
    theory = named.theory
    full = theory.everything
    comments = named.comments or ("",) * len(theory)
    negative = False
    for implication, comment in zip(theory, comments, strict=True):
        if not theory.top and implication.conclusion == full:
            negative = True
            yield implication.premise, None, comment
        else:
            yield implication.premise, implication.added, comment
    if not theory.top and not negative:
        yield full, None, ""


def definite_statements(named: NamedTheory) -> Iterator[tuple[Attrs, Attrs]]:
    """The same for a format without negative clauses: an impossible premise has every attribute."""
    full = named.theory.everything
    for premise, conclusion, _ in statements(named):
        if conclusion is not None:
            yield premise, conclusion
        elif premise != full:
            yield premise, full & ~premise


def lost_negations(named: NamedTheory, reader: str) -> list[str]:
    """The remark on negative clauses for such a format."""
    negative = sum(1 for _, conclusion, _ in statements(named) if conclusion is None)
    if not negative:
        return []
    return [f"{plural(negative, 'negative clause')} written as implying all attributes; {reader} knows no other way"]


def lost_comments(named: NamedTheory) -> list[str]:
    """The remark on comments for a format that has none."""
    count = sum(1 for comment in named.comments if comment)
    return [f"{plural(count, 'comment')} left out"] if count else []


def lost_order(named: NamedTheory) -> list[str]:
    """The remarks on attributes for a format that does not name them first."""
    seen: dict[int, None] = {}
    for premise, conclusion in definite_statements(named):
        seen.update(dict.fromkeys(positions_in(premise)))
        seen.update(dict.fromkeys(positions_in(conclusion)))
    remarks = []
    if len(seen) < named.universe.size:
        unseen = [name for position, name in enumerate(named.universe) if position not in seen]
        remarks.append(f"{plural(len(unseen), 'attribute')} in no implication left out: {some(unseen)}")
    if list(seen) != sorted(seen):
        remarks.append("the order of the attributes is not kept")
    return remarks


def theory_in(value: Value) -> NamedTheory:
    """The theory; that of a formula where it is Horn."""
    if isinstance(value, NamedFormula):
        from hornbook.formats.horn import theory_of

        return theory_of(value)
    if not isinstance(value, NamedTheory):
        raise FormatError(f"a {type(value).__name__} is no theory; `hornbook basis` makes one of it")
    return value


def positions_in(attrs: Attrs) -> list[int]:
    """The positions in attrs, ascending, in time linear in their number and their range."""
    if attrs.bit_count() < _FEW:
        return list(members(attrs))
    return [one.start() for one in _ONES.finditer(bin(attrs)[:1:-1])]


def _wide(positions: list[int]) -> Attrs:
    """The set of many positions, without a copy of it for each."""
    field = bytearray((max(positions) >> 3) + 1)
    for position in positions:
        field[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(field, "little")
