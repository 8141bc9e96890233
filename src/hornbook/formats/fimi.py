"""FIMI `.dat`: one transaction a line, the numbers of its items separated by blanks; an empty line is an empty one.

The attributes are the items that occur, in numeric order, each called by its number; where a `.names` file lies beside,
they are all the names in it, line by line from item 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hornbook.errors import FormatError
from hornbook.formats import content
from hornbook.formats.content import Lines, Source
from hornbook.formats.files import located
from hornbook.formats.text import plural, shown
from hornbook.formats.values import BinaryTable, Reading, Value, room, unpack
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Part: TypeAlias = tuple[NDArray[np.int64], NDArray[Any]]

_DIGITS = 18  # So many fit into 64 bits.
_TABLE = 1 << 24  # Items below this are looked up in an array, larger ones are searched for.


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
    parts = [_items(block, line, source) for line, block in _line_blocks(source)]
    if not parts:
        raise source.wrong("there is nothing in this file; a line, even an empty one, is an object")
    if names is None:
        kinds = _kinds([items for _, items in parts])
        universe, called = Universe(tuple(map(str, kinds.tolist()))), "items are called by their numbers"
    else:
        kinds = np.arange(len(names))
        universe, called = _named(names, source, beside), f"names from {beside or 'the caller'}"
        _refuse_nameless(parts, len(names), source)
    with located(source.name):
        crosses = room(sum(len(lengths) for lengths, _ in parts), len(universe))
    empty = _fill(crosses, parts, kinds)
    notes = [f"{plural(len(crosses), 'object')}, {plural(len(universe), 'attribute')}; {called}; FIMI"]
    if empty:
        notes.append(f"{plural(empty, 'object')} without attributes: empty lines")
    objects = tuple(map(str, range(len(crosses))))
    return Reading(BinaryTable(universe, objects, crosses), "dat", (*notes, *source.notes))


def _kinds(items: list[NDArray[Any]]) -> NDArray[np.int64]:
    """The items that occur, in order."""
    import numpy as np

    most = max((int(part.max(initial=0)) for part in items), default=0)
    if most >= _TABLE:
        return np.unique(np.concatenate(items))
    seen = np.zeros(most + 1, dtype=np.bool_)
    for part in items:
        seen[part] = True
    return np.flatnonzero(seen)


def _refuse_nameless(parts: list[Part], there: int, source: Source) -> None:
    import numpy as np

    line = 0
    for lengths, items in parts:
        if len(items) and int(items.max()) >= there:
            place = int((items >= there).argmax())
            line += int(np.searchsorted(np.cumsum(lengths), place, side="right")) + 1
            raise source.wrong(
                f"item {items[place]} has no name; there are {plural(there, 'name')}, from item 0 on", line
            )
        line += len(lengths)


def _fill(crosses: NDArray[np.uint64], parts: list[Part], kinds: NDArray[np.int64]) -> int:
    """Puts the items into the table; how many rows have none."""
    import numpy as np

    flat, wide = crosses.reshape(-1), crosses.shape[1]
    rank = None
    if len(kinds) and kinds[-1] < _TABLE:
        rank = np.zeros(int(kinds[-1]) + 1, dtype=np.int64)
        rank[kinds] = np.arange(len(kinds))
    done = empty = 0
    for lengths, items in parts:
        columns = np.searchsorted(kinds, items) if rank is None else rank[items]
        rows = np.repeat(np.arange(done, done + len(lengths)), lengths)
        np.bitwise_or.at(flat, rows * wide + (columns >> 6), np.uint64(1) << (columns & 63).astype(np.uint64))
        done += len(lengths)
        empty += int(np.count_nonzero(lengths == 0))
    return empty


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


def _line_blocks(source: Source) -> Iterator[tuple[int, bytes]]:
    """Whole lines, some at a time, with the number of the first; the last line gets an end where it has none."""
    rest: list[bytes] = []
    line = 1
    for block in content.blocks(source.content, source.start):
        cut = block.rfind(b"\n") + 1
        if cut:
            lines = b"".join([*rest, block[:cut]])
            yield line, lines
            line += lines.count(b"\n")
            rest = []
        rest.append(block[cut:])
    if any(rest):
        yield line, b"".join([*rest, b"\n"])


def _items(block: bytes, line: int, source: Source) -> Part:
    """How many items each of these lines has, and the items."""
    import numpy as np

    bytes_ = np.frombuffer(block, dtype=np.uint8)
    digits = bytes_ - np.uint8(48) < 10
    odd = ~digits & (bytes_ != 32) & (bytes_ != 10) & (bytes_ != 9) & (bytes_ != 13)
    if odd.any():
        raise _no_item(block, int(odd.argmax()), line, source)
    edges = np.flatnonzero(digits[1:] != digits[:-1]) + 1  # The last byte is a line end, no digit.
    starts, ends = (edges[1::2], edges[::2]) if digits[0] else (edges[::2], edges[1::2])
    starts = np.concatenate([np.zeros(int(digits[0]), dtype=np.int64), starts])
    longest = int((ends - starts).max(initial=0))
    if longest > _DIGITS:
        offset = int(starts[int((ends - starts).argmax())])
        raise source.wrong_at(f"an item has {longest} digits; {_DIGITS} are the most", block, offset, line)
    items = np.zeros(len(starts), dtype=np.int64)
    for place in range(longest, 0, -1):
        # Digits count from the end of the number; before its start there are none.
        at = ends - place
        digit = bytes_[np.maximum(at, 0)] - np.uint8(48)
        items = items * 10 + np.where(at >= starts, digit, 0)
    before = np.searchsorted(starts, np.flatnonzero(bytes_ == 10))
    # All items are kept until it is known which there are.
    kept = np.uint16 if int(items.max(initial=0)) < 1 << 16 else np.uint32 if longest < 10 else np.int64
    return np.diff(before, prepend=0), items.astype(kept)


def _no_item(block: bytes, offset: int, line: int, source: Source) -> FormatError:
    start = max(block.rfind(sign, 0, offset) for sign in (b" ", b"\n", b"\t")) + 1
    word = re.split(rb"[ \n\t]", block[start : start + 160], maxsplit=1)[0].decode(source.encoding, "ignore")[:40]
    return source.wrong_at(
        f"{word!r} is no item; items are whole numbers from 0 on, separated by blanks", block, start, line
    )


# Writing


def write(value: Value) -> bytes:
    """One line an object: its attributes by their names where these are numbers in order, else by their positions."""
    table = _table(value)
    if not table.objects:
        raise FormatError("there are no objects, and a .dat file has one at least; write .cxt or .csv")
    items = _item_numbers(table)
    lines = (" ".join(map(items.__getitem__, row)) for row in _positions(table))
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def losses(value: Value) -> list[str]:
    """Names of objects, names of attributes that are no numbers, and attributes that nobody has."""
    table = _table(value)
    lost = []
    if table.objects != tuple(map(str, range(len(table.objects)))):
        lost.append("the names of the objects are not kept")
    if not _names_are_items(table):
        lost.append(
            "the names of the attributes are not kept; item 0 is the first, and so on. A file beside it that ends with "
            ".names gives them back: one name a line, in their order"
        )
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
