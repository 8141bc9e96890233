"""FIMI `.dat`: one transaction a line, the numbers of its items separated by blanks; an empty line is an empty one.

The attributes are the items that occur, in numeric order, each called by its number; where a `.names` file lies beside,
they are all the names in it, line by line from item 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from hornbook.errors import FormatError
from hornbook.formats import content
from hornbook.formats.content import Lines, Source
from hornbook.formats.text import encode, plural, shown
from hornbook.formats.values import BinaryTable, Reading, Value, room, unpack
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIGITS = 18  # So many fit into 64 bits.


def read(data: bytes, source: str, as_: str | None = None, *, names: tuple[str, ...] | None = None) -> Reading:
    """The table of these transactions; the item at position i is called names[i], if there are names."""
    return _read(content.source_of(data, source), as_, names, "")


def read_path(path: Path, as_: str | None = None) -> Reading:
    """The table in this file, with the names in the file beside it that ends with .names, if there is one."""
    beside = path.with_suffix(".names")
    names = None
    if beside.is_file():
        with content.source_at(beside) as source:
            lines = Lines(source)
            names = tuple(lines.text(0, lines.filled))
    with content.source_at(path) as source:
        return _read(source, as_, names, beside.name)


def _read(source: Source, as_: str | None, names: tuple[str, ...] | None, beside: str) -> Reading:
    import numpy as np

    if as_ not in (None, "table"):
        raise source.wrong(f"a .dat file holds a table and cannot be read as a {as_}; leave out --as {as_}")
    rows, items, height = _transactions(source)
    kinds, columns = np.unique(items, return_inverse=True)
    if names is None:
        universe = Universe(tuple(map(str, kinds.tolist())))
        called = "items are called by their numbers"
    else:
        universe, columns, called = _named(names, source, beside), items, f"names from {beside or 'the caller'}"
        if len(items) and kinds[-1] >= len(names):
            row = int(rows[int((items >= len(names)).argmax())])
            raise source.wrong(
                f"item {kinds[-1]} has no name; there are {plural(len(names), 'name')}, from item 0 on", row + 1
            )
    with content.located(source.name):
        crosses = room(height, len(universe))
    columns = columns.astype(np.int64, copy=False)
    np.bitwise_or.at(crosses, (rows, columns >> 6), np.uint64(1) << (columns & 63).astype(np.uint64))
    notes = [f"{plural(height, 'object')}, {plural(len(universe), 'attribute')}; {called}; FIMI", *source.notes]
    empty = height - len(np.unique(rows))
    if empty:
        notes.insert(1, f"{plural(empty, 'object')} without attributes: empty lines")
    return Reading(BinaryTable(universe, tuple(map(str, range(height))), crosses), "dat", tuple(notes))


def _named(names: tuple[str, ...], source: Source, beside: str) -> Universe:
    seen: dict[str, int] = {}
    for item, name in enumerate(names):
        if seen.setdefault(name, item) != item:
            raise FormatError(
                f"the items {seen[name]} and {item} are both called {shown(name)}; rename one of them",
                file=str(Path(source.name).with_name(beside)) if beside else source.name,
                line=item + 1,
            )
    return Universe(names)


def _transactions(source: Source) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """For every item that is listed its row and its number, and how many rows there are."""
    import numpy as np

    rows: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    items: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    height = 0
    for block in _line_blocks(source):
        row, item = _items(block, height, source)
        rows.append(row + height)
        items.append(item)
        height += block.count(b"\n")
    return np.concatenate(rows), np.concatenate(items), height


def _line_blocks(source: Source) -> Iterator[bytes]:
    """The content in blocks of whole lines; the last line gets an end where it has none."""
    rest: list[bytes] = []
    for block in content.blocks(source.content, source.start):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, block[:cut]])
            rest = []
        rest.append(block[cut:])
    if any(rest):
        yield b"".join([*rest, b"\n"])


def _items(block: bytes, height: int, source: Source) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows, from 0, and numbers of the items in these lines."""
    import numpy as np

    bytes_ = np.frombuffer(block, dtype=np.uint8)
    digits = (bytes_ >= 48) & (bytes_ <= 57)
    odd = ~digits & (bytes_ != 32) & (bytes_ != 10) & (bytes_ != 9) & (bytes_ != 13)
    if odd.any():
        raise _no_item(block, int(odd.argmax()), height, source)
    edges = np.flatnonzero(np.diff(digits.astype(np.int8), prepend=0, append=0))
    starts, ends = edges[::2], edges[1::2]
    longest = int((ends - starts).max(initial=0))
    if longest > _DIGITS:
        offset = int(starts[int((ends - starts).argmax())])
        raise source.wrong_at(f"an item has {longest} digits; {_DIGITS} are the most", block, offset, height + 1)
    numbers = np.zeros(len(starts), dtype=np.int64)
    for place in range(longest):
        there = starts + place < ends
        numbers[there] = numbers[there] * 10 + (bytes_[starts[there] + place] - 48)
    rows = np.cumsum(bytes_ == 10, dtype=np.int64)[starts] if len(starts) else np.zeros(0, dtype=np.int64)
    return rows, numbers


def _no_item(block: bytes, offset: int, height: int, source: Source) -> FormatError:
    start = max(block.rfind(sign, 0, offset) for sign in (b" ", b"\n", b"\t")) + 1
    word = block[start : start + 160].split(None, 1)[0].decode(source.encoding, "ignore")[:40]
    return source.wrong_at(
        f"{word!r} is no item; items are whole numbers from 0 on, separated by blanks", block, start, height + 1
    )


# Writing


def write(value: Value) -> bytes:
    """One line an object: its attributes by their names where these are numbers in order, else by their positions."""
    table = _table(value)
    items = _item_numbers(table)
    lines = (" ".join(map(items.__getitem__, row)) for row in _positions(table))
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def write_names(value: Value) -> bytes:
    """What goes into the `.names` file beside, so that no attribute is lost: one name a line, from item 0."""
    table = _table(value)
    bad = next((name for name in table.universe if "\n" in name or "\r" in name or not name.strip()), None)
    if bad is not None:
        raise FormatError(f"an attribute is called {bad!r}, which is no line of a .names file; rename it")
    return encode("".join(f"{name}\n" for name in table.universe))


def losses(value: Value) -> list[str]:
    """Names of objects, names of attributes that are no numbers, and attributes that nobody has."""
    table = _table(value)
    lost = []
    if table.objects != tuple(map(str, range(len(table.objects)))):
        lost.append("the names of the objects are not kept")
    if not _names_are_items(table):
        lost.append("the names of the attributes are not kept; item 0 is the first, and so on")
    used = 0
    for row in table.rows():
        used |= row
    unused = table.universe.names_in(table.universe.everything & ~used)
    if unused:
        shown = ", ".join(unused[:5]) + (", ..." if len(unused) > 5 else "")
        lost.append(f"attributes that no object has are not kept: {shown}")
    return lost


def _table(value: Value) -> BinaryTable:
    if not isinstance(value, BinaryTable):
        raise FormatError(f"a .dat file holds a table of crosses, not a {type(value).__name__}")
    if value.unknown is not None and value.unknown.any():
        raise FormatError("some cells are unknown, which .dat cannot say; write .cxt or .csv, or decide on them")
    return value


def _names_are_items(table: BinaryTable) -> bool:
    """Whether the attributes are called by numbers, ascending, so that reading them back gives the same names."""
    names = table.universe.names
    if not all(name.isascii() and name.isdigit() and len(name) <= _DIGITS and str(int(name)) == name for name in names):
        return False
    numbers = [int(name) for name in names]
    return all(left < right for left, right in pairwise(numbers))


def _item_numbers(table: BinaryTable) -> list[str]:
    if _names_are_items(table):
        return list(table.universe)
    return list(map(str, range(len(table.universe))))


def _positions(table: BinaryTable) -> Iterator[list[int]]:
    """For each object the positions of its attributes."""
    width = len(table.universe)
    step = max(1, content.BLOCK // max(1, width))
    for start in range(0, len(table.objects), step):
        for row in unpack(table.crosses[start : start + step], width):
            yield row.nonzero()[0].tolist()
