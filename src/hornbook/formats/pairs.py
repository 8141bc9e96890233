"""Separated values with an object and one attribute of it a line: the table of the crosses that are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbook.errors import FormatError
from hornbook.formats import cells
from hornbook.formats.coders import TextCoder
from hornbook.formats.content import Source
from hornbook.formats.dialects import Dialect
from hornbook.formats.files import located
from hornbook.formats.text import plural
from hornbook.formats.values import BinaryTable, room, words
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def pairs(source: Source, dialect: Dialect) -> tuple[BinaryTable, list[str]]:
    """The table of the crosses that are listed, objects and attributes in order of appearance."""
    import numpy as np

    objects, attributes = TextCoder(source.encoding), TextCoder(source.encoding)
    crosses = np.zeros((0, 0), dtype=np.uint64)
    lines = 0
    for chunk in cells.chunks(source, dialect.offset, dialect.line, dialect.separator, 2):
        _refuse_blank(chunk, source)
        rows, columns = objects.codes(chunk, 0), attributes.codes(chunk, 1)
        with located(source.name):
            crosses = _with_room(crosses, len(objects), len(attributes))
        np.bitwise_or.at(crosses, (rows, columns >> 6), np.uint64(1) << (columns & 63).astype(np.uint64))
        lines += len(rows)
    height, width = len(objects), len(attributes)
    if lines > 1 and height == lines == width:
        raise source.wrong(
            "two columns in which nothing occurs twice are hardly objects and their attributes; read them "
            "--as relation, or put an empty cell before the attributes in the first line",
            dialect.line,
        )
    crosses = np.ascontiguousarray(crosses[:height, : words(width)])
    universe, names = Universe(attributes.texts()), objects.texts()
    said = f"{plural(height, 'object')}, {plural(width, 'attribute')}; each line is an object and one attribute of it"
    return BinaryTable(universe, names, crosses), [said, dialect.separated]


def _refuse_blank(chunk: cells.Chunk, source: Source) -> None:
    blank = chunk.starts[:, 1] == chunk.ends[:, 1]
    if blank.any():
        raise source.wrong_at(
            "the attribute is missing; each line is an object and one attribute of it",
            chunk.data,
            int(chunk.starts[int(blank.argmax()), 1]),
            chunk.line,
        )


def _with_room(crosses: NDArray[np.uint64], height: int, width: int) -> NDArray[np.uint64]:
    """The same crosses, with room for so many objects and attributes, and, where that is new, for half as many more."""
    if height <= crosses.shape[0] and words(width) <= crosses.shape[1]:
        return crosses
    wide = crosses.shape[1] * 64 if words(width) <= crosses.shape[1] else width + width // 2
    try:
        wider = room(max(height + height // 2, crosses.shape[0]), wide)
    except FormatError:  # What is there already may still fit.
        wider = room(max(height, crosses.shape[0]), max(width, crosses.shape[1] * 64))
    wider[: crosses.shape[0], : crosses.shape[1]] = crosses
    return wider
