"""What the records of separated values hold, once the dialect is known: a table of crosses, or a relation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from hornbook.errors import FormatError
from hornbook.formats import cells, marks
from hornbook.formats.coders import TextCoder
from hornbook.formats.content import Source
from hornbook.formats.dialects import Dialect
from hornbook.formats.marks import BLANK, OTHER, UNKNOWN, YES, Marks
from hornbook.formats.text import plural, shown
from hornbook.formats.values import BinaryTable, Relation, pack, words
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Tables of crosses

_FEW = 64  # In more rows than this some mark is there twice.


def table(source: Source, dialect: Dialect) -> tuple[BinaryTable, list[str]]:
    """The table, and what is to be said of it."""
    first, stop = int(dialect.objects), dialect.width - dialect.blank_end
    attributes = None if dialect.names is None else dialect.names[: stop - first]
    universe = Universe.numbered(stop - first) if attributes is None else _universe(attributes, source, dialect)
    signs = Marks(source.encoding)
    planes = _Planes()
    names: list[str] = []
    heads: list[str] = []
    blank_lines, last = 0, dialect.line - 1 if dialect.head is None else dialect.head
    for chunk in cells.chunks(source, dialect.offset, dialect.line, dialect.separator, dialect.width):
        last = _last_line(source, dialect, chunk, last)
        if dialect.blank_end and _filled_end(chunk):
            return table(source, replace(dialect, blank_end=False))
        codes = signs.codes(chunk.data, chunk.starts[:, first:stop], chunk.ends[:, first:stop])
        if (codes == OTHER).any():
            row, column = divmod(int((codes.ravel() == OTHER).argmax()), stop - first)
            if column == 0 and dialect.may_name:
                return table(source, dialect.with_objects())
            raise _no_mark(source, dialect, chunk, row, column + first)
        planes.add(codes)
        names += _texts(chunk.raw(0), source) if dialect.objects else ()
        heads += _texts(chunk.raw(0, _FEW), source) if len(heads) < _FEW else ()
        blank_lines += chunk.blank_lines
    counts = signs.counts()
    if dialect.may_name and len(heads) < _FEW and _are_names(heads, counts, source, dialect):
        return table(source, dialect.with_objects())
    crosses, unknown = planes.joined(stop - first, blank_is_unknown=marks.says_no(counts))
    objects = tuple(map(str, range(len(crosses)))) if not dialect.objects else tuple(names)
    size = f"{plural(len(objects), 'object')}, {plural(len(universe), 'attribute')}"
    said = [f"{size}; {marks.summary(counts, planes.blanks)}; {_how(dialect)}"]
    if dialect.blank_end:
        said.append(_BLANK_END)
    if blank_lines:
        said.append(f"{plural(blank_lines, 'blank line')} skipped")
    return BinaryTable(universe, objects, crosses, unknown), said


_BLANK_END = "the last column has no name and nothing in it, and was left out"


def _filled_end(chunk: cells.Chunk) -> bool:
    """Whether there is something in the last column after all, quotes at least."""
    return bool((chunk.starts[:, -1] < chunk.ends[:, -1]).any())


def _last_line(source: Source, dialect: Dialect, chunk: cells.Chunk, before: int) -> int:
    """The line of the last record so far; a blank line before it is refused where it could be an object."""
    import numpy as np

    if dialect.width > 1 or dialect.objects or not len(chunk.starts):
        return before
    breaks = np.flatnonzero(np.frombuffer(chunk.data, dtype=np.uint8) == 10)
    lines = chunk.line + np.searchsorted(breaks, chunk.starts[:, 0])
    gaps = np.flatnonzero(np.diff(lines, prepend=before) > 1)
    if len(gaps):
        line = int(lines[gaps[0] - 1] if gaps[0] else before) + 1
        raise source.wrong(
            "this line is blank: write 0 if it is an object without the cross, else remove the line", line
        )
    return int(lines[-1])


def _are_names(heads: list[str], counts: Counter[str], source: Source, dialect: Dialect) -> bool:
    """Whether the first column names the objects although it has marks only."""
    rest = counts - Counter(head.strip() for head in heads)
    named = marks.are_names(heads, rest)
    if named is None:
        column = "column 1" if dialect.names is None else f"the column {shown(dialect.names[0])}"
        raise source.wrong(marks.two_readings(column, heads, rest), dialect.line)
    return named


class _Planes:
    """Packed rows as they come in: crosses, and, from where there are any, unknown and blank cells."""

    def __init__(self) -> None:
        self.blanks = 0
        self._planes: dict[int, list[NDArray[np.uint64] | int]] = {YES: [], UNKNOWN: [], BLANK: []}

    def add(self, codes: NDArray[np.uint8]) -> None:
        for code, plane in self._planes.items():
            found = codes == code
            # A plane without a bit is only its height.
            plane.append(pack(found) if code == YES or found.any() else len(codes))
        self.blanks += int((codes == BLANK).sum())

    def joined(self, width: int, blank_is_unknown: bool) -> tuple[NDArray[np.uint64], NDArray[np.uint64] | None]:
        """The crosses, and the unknown cells if there are any."""
        crosses = self._join(YES, width)
        unknown = self._join(UNKNOWN, width) if self._some(UNKNOWN) else None
        if blank_is_unknown and self._some(BLANK):
            blank = self._join(BLANK, width)
            unknown = blank if unknown is None else unknown | blank
        return crosses, unknown

    def _some(self, code: int) -> bool:
        return any(not isinstance(part, int) for part in self._planes[code])

    def _join(self, code: int, width: int) -> NDArray[np.uint64]:
        import numpy as np

        parts = self._planes[code]
        heights = [part if isinstance(part, int) else len(part) for part in parts]
        whole = np.zeros((sum(heights), words(width)), dtype=np.uint64)
        done = 0
        for index, height in enumerate(heights):
            if not isinstance(part := parts[index], int):
                whole[done : done + height] = part
            parts[index] = height  # Else the parts and the whole would be in memory at once.
            done += height
        return whole


def _no_mark(source: Source, dialect: Dialect, chunk: cells.Chunk, row: int, column: int) -> FormatError:
    offset = int(chunk.starts[row, column])
    text = shown(source.decode(marks.unquoted(chunk.data[offset : int(chunk.ends[row, column])])))
    under = ""
    if dialect.names is not None:
        under = f" under {shown(dialect.names[column - 1 if dialect.objects else column])}"
    return source.wrong_at(
        f"{text}{under} is neither a cross (1, x, true, yes) nor none (0, blank, false, no) nor unknown (?); if the "
        "columns have values, read the file --as relation",
        chunk.data,
        offset,
        chunk.line,
    )


def _universe(names: tuple[str, ...], source: Source, dialect: Dialect) -> Universe:
    """The universe of these names; those of two columns must differ."""
    columns: dict[str, int] = {}
    for column, name in enumerate(names, 2 if dialect.objects else 1):
        if columns.setdefault(name, column) != column:
            raise source.wrong(
                f"the columns {columns[name]} and {column} are both called {shown(name)}; rename one of them",
                dialect.head,
            )
    return Universe(names)


def _texts(raw: Iterable[bytes], source: Source) -> tuple[str, ...]:
    cells_ = list(raw)
    joined = b"\n".join(cells_)
    if cells_ and b'"' not in joined:
        return tuple(source.decode(joined).split("\n"))  # Much quicker than one by one.
    return tuple(source.decode(marks.unquoted(cell)) for cell in cells_)


_NO_HEADER = "no header, for line {} has no names, so columns are numbers"


def _how(dialect: Dialect) -> str:
    parts = [dialect.separated] if dialect.width > 1 else []
    parts.append(f"names in line {dialect.head}" if dialect.names is not None else _NO_HEADER.format(dialect.line))
    if not dialect.objects:
        parts.append("no column of objects, so they are numbers")
    return ", ".join(parts)


# Relations


def relation(source: Source, dialect: Dialect) -> tuple[Relation, list[str]]:
    """The relation, and what is to be said of it."""
    import numpy as np

    width = dialect.width - dialect.blank_end
    universe = Universe.numbered(width) if dialect.names is None else _universe(dialect.names[:width], source, dialect)
    coders = [TextCoder(source.encoding) for _ in range(width)]
    codes = np.empty((0, width), dtype=np.int32)
    height = blank_lines = 0
    for chunk in cells.chunks(source, dialect.offset, dialect.line, dialect.separator, dialect.width):
        if dialect.blank_end and _filled_end(chunk):
            return relation(source, replace(dialect, blank_end=False))
        done, height = height, height + len(chunk.starts)
        if height > len(codes):
            # The system moves pages, not bytes: parts to be joined at the end would be in memory twice.
            codes.resize((height + height // 8, width), refcheck=False)
        for j, coder in enumerate(coders):
            codes[done:height, j] = coder.codes(chunk, j)
        blank_lines += chunk.blank_lines
    codes.resize((height, width), refcheck=False)
    values = tuple(coder.texts() for coder in coders)
    size = f"{plural(len(codes), 'row')}, {plural(width, 'column')} of values, compared as text"
    said = [f"{size}; {_how(replace(dialect, objects=True))}"]
    if dialect.blank_end:
        said.append(_BLANK_END)
    if blank_lines:
        said.append(f"{plural(blank_lines, 'blank line')} skipped")
    return Relation(universe, codes, values), said
