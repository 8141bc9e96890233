"""Tables of databases: Parquet through DuckDB, SQLite, Arrow, and records of JSON; frames in memory are in `frames`.

NULL is NULL in a relation, and an unknown cell in a table of crosses.
"""

from __future__ import annotations

import glob
import importlib
import shlex
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbook.errors import FormatError
from hornbook.formats import json_tables
from hornbook.formats.files import located, opened
from hornbook.formats.frames import reading_of, relation_from, table_from
from hornbook.formats.libraries import Frame, frame_of, index_columns
from hornbook.formats.text import encode, shown, some
from hornbook.formats.values import BinaryTable, Reading, Relation, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["losses", "read_json_rows", "read_path", "relation_from", "table_from", "write_path"]

_AT_ONCE = 1 << 26  # So many cells are asked for in one query.

read_json_rows = json_tables.read_rows


def read_path(path: Path, as_: str | None = None, *, table: str | None = None) -> Reading:
    """The table or relation in the file, whose first bytes tell what it is; `table` is one of a database."""
    with located(str(path)):
        with opened(path) as file:
            head = file.read(16)
        if head.startswith(b"PAR1"):
            return _parquet(path, as_)
        if head.startswith(b"SQLite format 3\0"):
            return _sqlite(path, as_, table)
        if head.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")):
            return _arrow(path, as_)
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            return json_tables.read_rows(path.read_bytes(), str(path), as_)
        raise FormatError(
            "starts like none of Parquet, SQLite, Arrow and JSON; is it cut off, or has it another ending?"
        )


def _library(name: str, what: str, install: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise FormatError(f"{what} needs {name}, which is not installed: pip install {install}") from None


# Parquet


def _parquet(path: Path, as_: str | None) -> Reading:
    duckdb = _library("duckdb", "Parquet", "'hornbook[tables]'")
    with closing(duckdb.connect(config={"autoinstall_known_extensions": False})) as connection:
        try:
            reading = reading_of(_parquet_frame(connection, path, as_ == "relation"), as_, "parquet")
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise FormatError(f"DuckDB cannot read this: {_first_line(error)}") from error
    return Reading(reading.value, reading.format, (*reading.notes, "Parquet, read by DuckDB"))


def _parquet_frame(connection: Any, path: Path, as_text: bool) -> Frame:
    """The columns, by position: DuckDB calls a column otherwise where two differ in case only, or have no name."""
    pattern = glob.escape(str(path))
    names = _parquet_names(connection, pattern)
    height = int(connection.execute("SELECT count(*) FROM read_parquet(?)", [pattern]).fetchone()[0])
    form = "CAST(#{} AS VARCHAR) AS c{}" if as_text else "#{} AS c{}"
    batch = max(1, min(4096, _AT_ONCE // max(1, height)))

    def select(start: int) -> dict[str, NDArray[Any]]:
        chosen = ", ".join(form.format(j + 1, j) for j in range(start, min(start + batch, len(names))))
        found: dict[str, NDArray[Any]] = connection.execute(
            f"SELECT {chosen} FROM read_parquet(?)", [pattern]
        ).fetchnumpy()
        return found

    kept = connection.execute("SELECT value FROM parquet_kv_metadata(?) WHERE key = 'pandas'", [pattern]).fetchone()
    return Frame(names, height, _in_batches(select, batch), keys=index_columns(kept[0] if kept else None))


def _parquet_names(connection: Any, pattern: str) -> tuple[str, ...]:
    """The names of the columns, without those of the fields in them."""
    rows = connection.execute("SELECT name, num_children FROM parquet_schema(?)", [pattern]).fetchall()
    names: list[str] = []
    nested = 0
    for name, children in rows[1:]:
        if not nested:
            names.append(name)
        nested += (children or 0) - (1 if nested else 0)
    return tuple(names)


def _in_batches(
    select: Callable[[int], dict[str, NDArray[Any]]], batch: int
) -> Callable[[int], tuple[NDArray[Any], NDArray[np.bool_] | None]]:
    """Column by column, asked for some at a time; the last batch is kept."""
    import numpy as np

    kept: dict[int, dict[str, NDArray[Any]]] = {}

    def column(j: int) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        start = j - j % batch
        if start not in kept:
            kept.clear()
            kept[start] = select(start)
        cells = kept[start][f"c{j}"]
        if not isinstance(cells, np.ma.MaskedArray):
            return cells, None
        missing = np.ma.getmaskarray(cells)
        if cells.dtype != object:
            return cells.filled(0), missing
        values = cells.data.copy()
        values[missing] = None
        return values, None

    return column


# SQLite and Arrow


def _sqlite(path: Path, as_: str | None, table: str | None) -> Reading:
    import sqlite3

    uri = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            tables = [name for (name,) in connection.execute(_SQLITE_TABLES)]
            chosen = _chosen(tables, table, path)
            cursor = connection.execute(f"SELECT * FROM {_quoted(chosen)}")
            names = tuple(column[0] for column in cursor.description)
            columns = list(zip(*cursor.fetchall(), strict=True))
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise FormatError(f"SQLite cannot read this: {_first_line(error)}") from error
    height = len(columns[0]) if columns else 0
    frame = Frame(names, height, lambda j: (_array(columns[j] if columns else ()), None))
    reading = reading_of(frame, as_, "sqlite")
    return Reading(reading.value, reading.format, (*reading.notes, f"table {shown(chosen)} of a SQLite file"))


_SQLITE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
)


def _chosen(tables: list[str], table: str | None, path: Path) -> str:
    if table is not None and table not in tables:
        raise FormatError(f"there is no table {shown(table)}; there are {some(tables) or 'none'}")
    if table is not None:
        return table
    if len(tables) == 1:
        return tables[0]
    if not tables:
        raise FormatError("there are no tables in this database")
    words = ("sqlite3", "-header", "-csv", str(path), f"SELECT * FROM {_quoted(tables[0])}")
    raise FormatError(
        f"there are {len(tables)} tables, {some(tables)}; which one? In Python, say table=...; else write the one to a "
        f"file: {shlex.join(words)} > table.csv"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _array(values: Any) -> NDArray[Any]:
    import numpy as np

    return np.fromiter(values, dtype=object, count=len(values))


def _arrow(path: Path, as_: str | None) -> Reading:
    pyarrow = _library("pyarrow", "Arrow", "pyarrow")
    feather = _library("pyarrow.feather", "Arrow", "pyarrow")
    try:
        with path.open("rb") as file:
            stream = file.read(4) == b"\xff\xff\xff\xff"
        if stream:
            with pyarrow.OSFile(str(path)) as source, pyarrow.ipc.open_stream(source) as reader:
                table = reader.read_all()
        else:
            table = feather.read_table(str(path), memory_map=False)
        table.validate(full=True)
        reading = reading_of(frame_of(table), as_, "arrow")
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, OverflowError, ValueError) as error:
        raise FormatError(f"Arrow cannot read this: {_first_line(error)}") from error
    return Reading(reading.value, reading.format, (*reading.notes, "Arrow"))


def _first_line(error: BaseException) -> str:
    return shown((str(error) or type(error).__name__).splitlines()[0])


# Writing


def write_path(value: Value, path: Path) -> None:
    """The value as Parquet: a table as a column of objects and one of booleans an attribute, a relation as text."""
    duckdb = _library("duckdb", "Parquet", "'hornbook[tables]'")
    names: tuple[str, ...]
    if isinstance(value, BinaryTable):
        names = (_free_name(value), *value.universe)
        columns = {"c0": _array(value.objects)} | {f"c{j + 1}": _crosses(value, j) for j in range(len(value.universe))}
    elif isinstance(value, Relation):
        names = value.universe.names
        rows = [value.row(i) for i in range(len(value.codes))]
        columns = {f"c{j}": _array([row[j] for row in rows]) for j in range(len(names))}
    else:
        raise FormatError(f"Parquet holds a table or a relation, not a {type(value).__name__}")
    if "" in names:
        raise FormatError(
            f"column {names.index('')} has no name, and DuckDB cannot write that; rename it, or write .csv"
        )
    if not names:
        raise FormatError("a relation without columns cannot be written as Parquet")
    chosen = ", ".join(f"c{j}{_type(columns[f'c{j}'])} AS {_quoted(name)}" for j, name in enumerate(names))
    encode(chosen)  # Half a character in a name is an error of DuckDB's own that says nothing.
    target = "'" + str(path).replace("'", "''") + "'"
    try:
        with closing(duckdb.connect(config={"autoinstall_known_extensions": False})) as connection:
            connection.register("cells", columns)
            connection.execute(f"COPY (SELECT {chosen} FROM cells) TO {target} (FORMAT parquet)")
            written = _parquet_names(connection, glob.escape(str(path)))
    except (duckdb.Error, UnicodeEncodeError) as error:
        raise FormatError(f"DuckDB cannot write this: {_first_line(error)}") from error
    if written != names:
        path.unlink()
        wrong = next(shown(name) for name, other in zip(names, written, strict=True) if name != other)
        raise FormatError(f"{wrong} differs from another name in case only, which DuckDB cannot write; write .csv")


def losses(value: Value) -> list[str]:
    """A relation is written as text."""
    return value.lost_as_text() if isinstance(value, Relation) else []


def _type(cells: NDArray[Any]) -> str:
    return "::VARCHAR" if cells.dtype == object else ""


def _free_name(table: BinaryTable) -> str:
    """What the column of the objects is called: no attribute is called so, in any case."""
    taken = {name.casefold() for name in table.universe}
    name = "object"
    while name in taken:
        name += "_"
    return name


def _crosses(table: BinaryTable, position: int) -> NDArray[Any]:
    import numpy as np

    word, bit = position >> 6, np.uint64(position & 63)
    crosses = (table.crosses[:, word] >> bit & np.uint64(1)).astype(bool)
    if table.unknown is None:
        return crosses
    return np.ma.MaskedArray(crosses, mask=(table.unknown[:, word] >> bit & np.uint64(1)).astype(bool))
