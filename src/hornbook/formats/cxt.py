"""Burmeister's `.cxt`: B, a name, two counts, a blank line, the names, and for every object a line of marks.

Read is every dialect of it that is met (see `burmeister`); written is the canonical one, with lines 2 and 5 blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hornbook.errors import FormatError
from hornbook.formats import content
from hornbook.formats.burmeister import CROSS, NONE, UNKNOWN, Layout, layout_of
from hornbook.formats.content import Lines, Source
from hornbook.formats.text import encode, plural, shown
from hornbook.formats.values import BinaryTable, Reading, Value, pack, unpack, words
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def read(data: bytes, source: str, as_: str | None = None) -> Reading:
    """The table in these bytes, and how it was understood."""
    return _read(content.source_of(data, source), as_)


def read_path(path: Path, as_: str | None = None) -> Reading:
    """The table in this file, which is never in memory as a whole."""
    with content.source_at(path) as source:
        return _read(source, as_)


def _read(source: Source, as_: str | None) -> Reading:
    if as_ not in (None, "table"):
        raise source.wrong(f"a .cxt file holds a table and cannot be read as a {as_}; leave out --as {as_}")
    lines = Lines(source)
    layout = layout_of(lines, source)
    objects = _object_names(lines, layout)
    universe = _universe(lines, layout, source)
    crosses, unknown, tally = _rows(lines, layout, source)
    table = BinaryTable(universe, objects, crosses, unknown)
    return Reading(table, "cxt", (_summary(layout, tally), *layout.remarks, *source.notes))


# Names


def _object_names(lines: Lines, layout: Layout) -> tuple[str, ...]:
    if not layout.head.named:
        return tuple(map(str, range(layout.height)))
    return tuple(lines.text(layout.objects, layout.objects + layout.height))


def _universe(lines: Lines, layout: Layout, source: Source) -> Universe:
    if not layout.head.named:
        return Universe.numbered(layout.width)
    names = lines.text(layout.attributes, layout.attributes + layout.width)
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if seen.setdefault(name, position) != position:
            raise source.wrong(
                f"attribute {shown(name)} appears twice, as number {seen[name] + 1} (line "
                f"{layout.attributes + seen[name] + 1}) and as number {position + 1}; rename one of them",
                layout.attributes + position + 1,
            )
    return Universe(tuple(names))


# Rows


def _rows(
    lines: Lines, layout: Layout, source: Source
) -> tuple[NDArray[np.uint64], NDArray[np.uint64] | None, dict[str, int]]:
    """The packed crosses, the packed unknown cells if there are any, and how often each mark occurs."""
    import numpy as np

    height, width = layout.height, layout.width
    crosses = np.zeros((height, words(width)), dtype=np.uint64)
    unknown: NDArray[np.uint64] | None = None
    tally = {"X": 0, "x": 0, "?": 0}
    done = 0
    for cells in _cell_blocks(lines, layout, source) if width else ():
        stop = done + len(cells)
        lower = cells | 0x20
        crosses[done:stop] = pack(lower == ord("x"))
        tally["x"] += (small := int(np.count_nonzero(cells == ord("x"))))
        tally["X"] += int(np.count_nonzero(lower == ord("x"))) - small
        if there := int(np.count_nonzero(cells == ord("?"))):
            tally["?"] += there
            unknown = np.zeros_like(crosses) if unknown is None else unknown
            unknown[done:stop] = pack(cells == ord("?"))
        done = stop
    return crosses, unknown, tally


def _cell_blocks(lines: Lines, layout: Layout, source: Source) -> Iterator[NDArray[np.uint8]]:
    """The marks of the rows, some rows at a time; every one is of the four that there are."""
    import numpy as np

    row, end, width = layout.rows, layout.rows + layout.height, layout.width
    stride = len(lines.raw(row, row + 1)) if layout.height else 0
    while row < end:
        stop = min(end, row + max(1, content.BLOCK // max(1, stride)))
        raw = lines.raw(row, stop)
        raw = raw if raw.endswith(b"\n") else raw + b"\n"
        if stride > width and len(raw) == stride * (stop - row):
            cells = np.frombuffer(raw, dtype=np.uint8).reshape(stop - row, stride)
            if _are_marks(cells[:, :width]) and (cells[:, -1] == 10).all() and _are_white(cells[:, width:-1]):
                yield cells[:, :width]
                row = stop
                continue
        yield _ragged(raw, row, width, source)
        row = stop


def _are_marks(cells: NDArray[np.uint8]) -> bool:
    import numpy as np

    known = np.count_nonzero((cells | 0x20) == ord("x"))
    known += np.count_nonzero(cells == ord("."))
    if known != cells.size:
        known += np.count_nonzero(cells == ord("?"))
    return bool(known == cells.size)


def _are_white(cells: NDArray[np.uint8]) -> bool:
    return bool(((cells == 13) | (cells == 32) | (cells == 9)).all())


def _ragged(raw: bytes, first: int, width: int, source: Source) -> NDArray[np.uint8]:
    """The marks of rows that differ in the white space at their ends; the first wrong row is an error."""
    import numpy as np

    rows = [line.rstrip() for line in raw[:-1].split(b"\n")]
    for number, row in enumerate(rows, first + 1):
        marks = row.translate(None, CROSS + NONE + UNKNOWN)
        if marks:
            column = row.index(marks[:1]) + 1
            mark = row[column - 1 : column + 3].decode(source.encoding, "ignore")[:1]
            raise source.wrong(f"{mark!r} is no mark; a row has X or x, . and ? only, one an attribute", number, column)
        if len(row) != width:
            raise source.wrong(
                f"this row has {plural(len(row), 'mark')}; one for each of {plural(width, 'attribute')} is needed",
                number,
                min(len(row), width) + 1,
            )
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), width)


def _summary(layout: Layout, tally: dict[str, int]) -> str:
    marks = " and ".join(mark for mark in ("X", "x") if tally[mark])
    parts = [
        f"{plural(layout.height, 'object')}, {plural(layout.width, 'attribute')}",
        f"crosses are {marks}" if marks else "no crosses",
    ]
    if tally["?"]:
        parts.append(f"{plural(tally['?'], 'cell')} unknown (?)")
    parts.append(
        "Burmeister" if layout.head.named else "Burmeister without names, so objects and attributes are numbers"
    )
    return "; ".join(parts)


# Writing


def write(value: Value) -> bytes:
    """The table in the canonical form: line 2 and 5 blank, X and . and ?, line feeds, UTF-8."""
    return b"".join(_written(value))


def write_path(value: Value, path: Path) -> None:
    """The same, into a file, never in memory as a whole."""
    chunks = _written(value)
    head = next(chunks)  # What cannot be written is refused before the file is touched.
    with path.open("wb") as file:
        file.write(head)
        file.writelines(chunks)


def _written(value: Value) -> Iterator[bytes]:
    import numpy as np

    if not isinstance(value, BinaryTable):
        raise FormatError(f"a .cxt file holds a table of crosses, not a {type(value).__name__}")
    width = len(value.universe)
    names = [*(("object", name) for name in value.objects), *(("attribute", name) for name in value.universe)]
    for what, name in names:
        if "\n" in name or "\r" in name:
            raise FormatError(
                f"{what} {shown(name)} has a line end in its name, which .cxt cannot hold; write .csv or rename it"
            )
    head = "".join(f"{line}\n" for line in ("B", "", len(value.objects), width, "", *(name for _, name in names)))
    yield encode(head)
    step = max(1, content.BLOCK // (width + 1))
    for start in range(0, len(value.objects), step):
        block = slice(start, start + step)
        cells = np.full((len(value.objects[block]), width + 1), ord("."), dtype=np.uint8)
        cells[:, :width][unpack(value.crosses[block], width) == 1] = ord("X")
        if value.unknown is not None:
            cells[:, :width][unpack(value.unknown[block], width) == 1] = ord("?")
        cells[:, width] = ord("\n")
        yield cells.tobytes()
