"""Separated values, `.csv` and `.tsv`: tables of crosses in every dialect met in the wild, and tables of values.

A table of crosses may have a header or not, a column with the names of the objects or not, and its crosses may be 1, X,
true or yes; or each line is an object and one attribute of it. A relation has a header, unless header=False says that
it has none, and its values are compared as text: nothing is NULL, and an empty cell is the empty text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hornbook.errors import FormatError
from hornbook.formats import columns, content, pairs
from hornbook.formats.content import Source
from hornbook.formats.dialects import relation_dialect, table_dialect
from hornbook.formats.text import encode, shown
from hornbook.formats.values import BinaryTable, Reading, Relation, Value, unpack


def read(
    data: bytes, source: str, as_: str | None = None, *, separator: str | None = None, header: bool | None = None
) -> Reading:
    """The table or the relation in these bytes, and how it was understood."""
    return _read(content.source_of(data, source), as_, separator, header, "csv")


def read_path(
    path: Path, as_: str | None = None, *, separator: str | None = None, header: bool | None = None
) -> Reading:
    """The same, from a file, which is never in memory as a whole."""
    with content.source_at(path) as source:
        return _read(source, as_, separator, header, "csv")


def read_tsv(data: bytes, source: str, as_: str | None = None) -> Reading:
    """The same, with tabs where there are any."""
    return _read(content.source_of(data, source), as_, None, None, "tsv")


def read_path_tsv(path: Path, as_: str | None = None) -> Reading:
    """The same, from a file."""
    with content.source_at(path) as source:
        return _read(source, as_, None, None, "tsv")


def _read(source: Source, as_: str | None, separator: str | None, header: bool | None, format_: str) -> Reading:
    if as_ not in (None, "table", "relation"):
        raise source.wrong(f"a .{format_} file holds a table or a relation and cannot be read as a {as_}")
    if separator is not None and (len(separator) != 1 or not separator.isascii() or separator in '"\r\n'):
        raise source.wrong(f"{separator!r} cannot separate cells; give one character of ASCII")
    chosen = None if separator is None else separator.encode("ascii")
    if format_ == "tsv" and b"\t" in source.content[: content.BLOCK]:
        chosen = b"\t"
    value: BinaryTable | Relation
    if as_ == "relation":
        dialect = relation_dialect(source, chosen, header is not False)
        value, said = columns.relation(source, dialect)
    else:
        dialect = table_dialect(source, chosen, header)
        value, said = (pairs.pairs if dialect.pairs else columns.table)(source, dialect)
    return Reading(value, format_, (*said, *dialect.remarks, *source.notes))


# Writing


def write(value: Value) -> bytes:
    """The value with commas and a header; a table with a column of objects, 1, 0 and ?."""
    return b"".join(_written(value, ","))


def write_tsv(value: Value) -> bytes:
    """The same with tabs."""
    return b"".join(_written(value, "\t"))


def write_path(value: Value, path: Path) -> None:
    """The same as write, into a file."""
    _write_chunks(_written(value, ","), path)


def write_path_tsv(value: Value, path: Path) -> None:
    """The same with tabs."""
    _write_chunks(_written(value, "\t"), path)


def losses(value: Value) -> list[str]:
    """NULL becomes an empty cell, which is read back as the empty text, and other values become their text."""
    if not isinstance(value, Relation):
        return []
    lost = value.lost_as_text()
    if bool((value.codes < 0).any()):
        lost.append("NULL is written as an empty cell, which is read back as an empty text")
    return lost


def _write_chunks(chunks: Iterator[bytes], path: Path) -> None:
    head = next(chunks)  # What cannot be written is refused before the file is touched.
    with path.open("wb") as file:
        file.write(head)
        file.writelines(chunks)


def _written(value: Value, separator: str) -> Iterator[bytes]:
    if isinstance(value, BinaryTable):
        return _table_written(value, separator)
    if isinstance(value, Relation):
        return _relation_written(value, separator)
    raise FormatError(f"separated values hold a table or a relation, not a {type(value).__name__}")


def _table_written(table: BinaryTable, separator: str) -> Iterator[bytes]:
    import numpy as np

    width = len(table.universe)
    yield encode(_line(["", *table.universe], separator))
    step = max(1, content.BLOCK // (2 * width + 1))
    for start in range(0, len(table.objects), step):
        part = slice(start, start + step)
        names = table.objects[part]
        line = np.full((len(names), 2 * width), ord(separator), dtype=np.uint8)
        line[:, 1::2] = unpack(table.crosses[part], width) + ord("0")
        if table.unknown is not None:
            line[:, 1::2][unpack(table.unknown[part], width) == 1] = ord("?")
        rows = [row.tobytes().decode("ascii") for row in line]
        pairs = zip(names, rows, strict=True)
        yield encode("".join(f"{_cell(name, not width)}{row}\n" for name, row in pairs))


def _relation_written(relation: Relation, separator: str) -> Iterator[bytes]:
    width = len(relation.universe)
    if not width:
        raise FormatError("a relation without columns cannot be written as separated values")
    for j, values in enumerate(relation.values):
        if "" in values and (relation.codes[:, j] < 0).any():
            name = relation.universe.names[j]
            raise FormatError(
                f"column {shown(name)} has NULL and the empty text, which look the same in separated values"
            )
    yield encode(_line(relation.universe, separator))
    nameless = not relation.universe.names[-1]
    for row in range(len(relation.codes)):
        yield encode(_line([value or "" for value in relation.row(row)], separator, nameless))


def _line(texts: Iterable[str], separator: str, nameless: bool = False) -> str:
    """The cells on a line; an empty one at the end of a column without a name is quoted, else it would be left out."""
    *cells_, last = texts
    return separator.join([*(_cell(text, False) for text in cells_), _cell(last, nameless or not cells_)]) + "\n"


def _cell(text: str, alone: bool) -> str:
    """The text, in quotes where it could be taken for something else."""
    if (alone and not text) or any(sign in text for sign in ',;|"\t\r\n\ufeff\0') or text.startswith("sep="):
        return '"' + text.replace('"', '""') + '"'
    return text
