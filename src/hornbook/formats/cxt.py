"""Burmeister's `.cxt`: B, a name, two counts, a blank line, the names, and for every object a line of marks.

Its writers differ in which of the lines around the names they leave blank, leave out, or fill. How many lines there
are, and where the last one stands, tells which reading fits; where two readings fit, the one closer to the canonical
form is taken, and where a table might come out shifted, none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbook.errors import FormatError
from hornbook.formats import content
from hornbook.formats.content import Lines, Source
from hornbook.formats.text import encode, plural
from hornbook.formats.values import BinaryTable, Reading, Value, pack, unpack, words
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CROSS, NONE, UNKNOWN = b"Xx", b".", b"?"


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
    layout = _layout(lines, source)
    objects = _object_names(lines, layout)
    universe = _universe(lines, layout, source)
    crosses, unknown, tally = _rows(lines, layout, source)
    table = BinaryTable(universe, objects, crosses, unknown)
    return Reading(table, "cxt", (_summary(layout, tally), *layout.remarks, *source.notes))


# Which line is what


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things start: numbers of lines, from 0. An anonymous table has no names."""

    height: int
    width: int
    objects: int
    attributes: int
    rows: int
    named: bool = True
    remarks: tuple[str, ...] = ()
    doubt: str = field(default="", compare=False)  # Why this reading is refused although it fits.


def _layout(lines: Lines, source: Source) -> Layout:
    """The reading that fits the number of lines best."""
    kind = lines.line(0).strip() if lines.total else ""
    if kind not in ("B", "A"):
        shown = kind[:20] + ("..." if len(kind) > 20 else "")
        raise source.wrong(
            f"line 1 is {shown!r}, not B, with which Burmeister's format starts; is it another format?", 1
        )
    heads = list(_heads(lines, named=kind == "B"))
    if not heads:
        where = "line 2 or 3" if kind == "B" else "line 2"
        raise source.wrong(f"the number of objects and, below it, that of attributes are missing on {where}", 2)
    fits = [layout for head in heads for layout in _fits(lines, *head)]
    for layout in fits:
        if not layout.doubt and _row_like(lines, layout):
            return layout
    for layout in fits:
        # Its rows will tell on which line they go wrong.
        if not layout.doubt:
            return layout
    if fits:
        raise source.wrong(fits[0].doubt, fits[0].objects + 1)
    raise _counts_differ(lines, source, *heads[0])


def _heads(lines: Lines, named: bool) -> Iterator[tuple[int, int, int, bool, tuple[str, ...]]]:
    """Where the names may start, the two counts, and remarks: with a name on line 2 first, as is canonical."""
    for first in (2, 1, 3) if named else (1, 2):
        height, width = _count(lines, first), _count(lines, first + 1)
        if height is None or width is None:
            continue
        skipped = [lines.line(number) for number in range(1, first)]
        titles = [line for line in skipped if line.strip()]
        if first == 3 and len(titles) == 2:
            continue
        remarks = [f"the name {title!r} on line {skipped.index(title) + 2} is not kept" for title in titles]
        if named and first != 2:
            remarks.append("no line for a name" if first == 1 else "two lines before the counts")
        yield first + 2, height, width, named, tuple(remarks)


def _count(lines: Lines, number: int) -> int | None:
    raw = lines.raw(number, number + 1).strip() if number < lines.total else b""
    return int(raw) if raw.isdigit() and len(raw) < 16 else None


def _fits(lines: Lines, start: int, height: int, width: int, named: bool, remarks: tuple[str, ...]) -> Iterator[Layout]:
    """The readings after the counts in which every line has a place, the canonical one first.

    Separators may stand before the objects (or a comment), before the attributes and before the rows.
    """
    opens = not lines.blank(start) if start < lines.total else False
    for comment, first, second, third in sorted(
        product((0, 1), (0, 1), (0, 1) if named else (0,), (0, 1) if named else (0,)),
        key=lambda chosen: (chosen[0], chosen[2] + chosen[3], chosen[3], -chosen[1]),
    ):
        if (first and comment != opens) or (comment and not first):
            continue
        names = (height, width) if named else (0, 0)
        objects = start + first
        attributes = objects + names[0] + second
        rows = attributes + names[1] + third
        separators = [attributes - 1] * second + [rows - 1] * third
        if rows > lines.total or any(not lines.blank(number) for number in separators):
            continue
        end = rows + height if width else rows
        if end > lines.total or lines.filled > end:
            continue
        yield Layout(
            height,
            width,
            objects,
            attributes,
            rows,
            named,
            remarks + _separator_remarks(lines, start, named, comment, first, second, third),
            _doubt(start, height, width) if named and not first and not opens and height + width else "",
        )


def _separator_remarks(lines: Lines, start: int, named: bool, comment: int, *separators: int) -> tuple[str, ...]:
    first, second, third = separators
    remarks = []
    if comment:
        remarks.append(f"line {start + 1}, {lines.line(start)!r}, is taken for a comment")
    elif named and not first:
        remarks.append(f"no blank line {start + 1}")
    if second:
        remarks.append("a blank line between objects and attributes")
    if third:
        remarks.append("a blank line between attributes and rows")
    return tuple(remarks)


def _doubt(start: int, height: int, width: int) -> str:
    """A blank line where none is counted may be an empty name, or the separator of a table that lacks a line."""
    needed = 2 * height + width
    return (
        f"{height} objects, {width} attributes and {height} rows are {needed} lines; after the blank line {start + 1} "
        f"there are {needed - 1}. Add the line that is missing, or, if the first name is meant to be empty, a blank "
        "line before it"
    )


def _counts_differ(
    lines: Lines, source: Source, start: int, height: int, width: int, named: bool, _: Any
) -> FormatError:
    needed = 2 * height + width if named else height
    blank = start < lines.total and lines.blank(start)
    there = max(0, lines.filled - start - blank)
    what = f"{height} objects, {width} attributes and {height} rows" if named else f"{height} rows"
    return source.wrong(
        f"{what} are {needed} lines; after line {start + blank} there are {there}. Is a line missing, is a name broken "
        "over two lines, or are the counts wrong?",
        start,
    )


def _row_like(lines: Lines, layout: Layout) -> bool:
    """Whether the first and the last row look like rows."""
    ends = {layout.rows, layout.rows + layout.height - 1} if layout.height and layout.width else set()
    raws = [lines.raw(number, number + 1).strip() for number in sorted(ends)]
    return all(len(raw) == layout.width and not raw.translate(None, CROSS + NONE + UNKNOWN) for raw in raws)


# Names


def _object_names(lines: Lines, layout: Layout) -> tuple[str, ...]:
    if not layout.named:
        return tuple(map(str, range(layout.height)))
    return tuple(lines.text(layout.objects, layout.objects + layout.height))


def _universe(lines: Lines, layout: Layout, source: Source) -> Universe:
    if not layout.named:
        return Universe.numbered(layout.width)
    names = lines.text(layout.attributes, layout.attributes + layout.width)
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if seen.setdefault(name, position) != position:
            raise source.wrong(
                f"attribute {name!r} appears twice, as number {seen[name] + 1} (line "
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
            shown = row[column - 1 : column + 3].decode(source.encoding, "ignore")[:1]
            raise source.wrong(
                f"{shown!r} is no mark; a row has X or x, . and ? only, one an attribute", number, column
            )
        if len(row) != width:
            raise source.wrong(
                f"this row has {len(row)} marks, one for each of {width} attributes is needed",
                number,
                min(len(row), width) + 1,
            )
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), width)


def _summary(layout: Layout, tally: dict[str, int]) -> str:
    marks = " and ".join(mark for mark in ("X", "x") if tally[mark]) or "X"
    parts = [f"{plural(layout.height, 'object')}, {plural(layout.width, 'attribute')}", f"crosses are {marks}"]
    if tally["?"]:
        parts.append(f"{plural(tally['?'], 'cell')} unknown (?)")
    parts.append("Burmeister" if layout.named else "Burmeister without names, so objects and attributes are numbers")
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
                f"{what} {name!r} has a line end in its name, which .cxt cannot hold; write .csv or rename it"
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
