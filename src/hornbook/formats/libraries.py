"""DataFrames of pandas and polars, Arrow tables, arrays, DuckDB's relations and lists of dicts, all as columns.

None of these libraries is imported here: whoever has a frame has its library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbook.errors import FormatError
from hornbook.formats.text import shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Absent:
    """What a row has under a key that it lacks."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Frame:
    """Columns with names: `column(j)` gives values and, where some are missing, which.

    The rows may have names: an index, or what is in the columns whose names are the keys.
    """

    names: tuple[str, ...]
    height: int
    column: Callable[[int], tuple[NDArray[Any], NDArray[np.bool_] | None]]
    index: tuple[str, ...] | None = None
    keys: tuple[str, ...] = ()


def frame_of(frame: Any) -> Frame:
    """The frame, of whatever library it is."""
    library = type(frame).__module__.partition(".")[0].lstrip("_")
    of = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow, "numpy": _of_array, "duckdb": _of_duckdb}
    if isinstance(frame, Frame):
        return frame
    if library in of:
        return of[library](frame)
    if isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        return of_rows(frame)
    raise FormatError(
        f"a {type(frame).__name__} is no table; give a DataFrame of pandas or polars, an Arrow table, a list of dicts, "
        "or a dict of objects and the names of what they have"
    )


def _of_pandas(frame: Any) -> Frame:
    if getattr(frame, "ndim", 0) != 2:
        raise FormatError(f"a {type(frame).__name__} has no columns; give a DataFrame")

    def column(j: int) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        series = frame.iloc[:, j]
        missing = series.isna().to_numpy()
        if getattr(series.dtype, "kind", "O") in "biuf" and type(series.dtype).__module__.startswith("numpy"):
            return series.to_numpy(), missing if missing.any() else None
        cells = series.to_numpy(dtype=object, copy=True)
        cells[missing] = None
        return cells, None

    numbered = type(frame.index).__name__ == "RangeIndex" and frame.index.name is None
    index = None if numbered else tuple(map(str, frame.index))
    return Frame(tuple(map(str, frame.columns)), len(frame), column, index)


def _of_polars(frame: Any) -> Frame:
    frame = frame.collect() if hasattr(frame, "collect") else frame
    if not hasattr(frame, "columns"):
        raise FormatError(f"a {type(frame).__name__} has no columns; give a DataFrame")

    def column(j: int) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        series = frame.to_series(j)
        kind = str(series.dtype)
        if kind != "Boolean" and not kind.startswith(("Int", "UInt", "Float")):
            return _objects(series.to_list()), None
        if not series.null_count():
            return series.to_numpy(), None
        return series.fill_null(False if kind == "Boolean" else 0).to_numpy(), series.is_null().to_numpy()

    return Frame(tuple(frame.columns), frame.height, column)


def _of_arrow(table: Any) -> Frame:
    if not hasattr(table, "column_names"):
        raise FormatError(f"a {type(table).__name__} has no columns; give a Table")
    if type(table).__name__ == "RecordBatch":
        import pyarrow

        table = pyarrow.Table.from_batches([table])

    def column(j: int) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        cells = table.column(j)
        kind = str(cells.type)
        if kind not in ("bool", "halffloat", "float", "double") and not kind.startswith(("int", "uint")):
            return _objects(cells.to_pylist()), None
        if not cells.null_count:
            return cells.to_numpy(), None
        return cells.fill_null(False if kind == "bool" else 0).to_numpy(), cells.is_null().to_numpy()

    keys = index_columns((table.schema.metadata or {}).get(b"pandas"))
    return Frame(tuple(table.column_names), table.num_rows, column, keys=keys)


def index_columns(said: bytes | None) -> tuple[str, ...]:
    """The columns that pandas wrote its index into, by what it left in the metadata of a file."""
    try:
        found = json.loads(said or b"{}").get("index_columns", [])
    except (ValueError, AttributeError):
        return ()
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def _of_array(array: Any) -> Frame:
    if array.ndim != 2:
        raise FormatError(f"an array of {array.ndim} dimensions is no table; give one of rows and columns")
    array = array.astype(object) if array.dtype.kind in "US" else array
    return Frame(tuple(map(str, range(array.shape[1]))), array.shape[0], lambda j: (array[:, j], None))


def _of_duckdb(relation: Any) -> Frame:
    names, rows = tuple(relation.columns), relation.fetchall()
    return Frame(names, len(rows), lambda j: (_objects([row[j] for row in rows]), None))


def of_rows(rows: Sequence[Any]) -> Frame:
    """A list of dicts: columns in order of appearance. A key that a row lacks is blank there."""
    for row in rows:
        if not isinstance(row, Mapping):
            raise FormatError(f"{shown(repr(row))} is no row; a row is a dict from the names of columns to values")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Frame(
        tuple(map(str, names)), len(rows), lambda j: (_objects([row.get(names[j], ABSENT) for row in rows]), None)
    )


def of_columns(columns: Mapping[Any, Any]) -> Frame:
    lists = [list(values) if isinstance(values, Iterable) else [] for values in columns.values()]
    heights = {len(values) for values in lists}
    if len(heights) > 1:
        raise FormatError(f"the columns have {' and '.join(map(str, sorted(heights)))} values; give each as many")
    return Frame(tuple(map(str, columns)), max(heights, default=0), lambda j: (_objects(lists[j]), None))


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    """An array of these objects, whatever they are: NumPy would take lists for rows."""
    import numpy as np

    return np.fromiter(values, dtype=object, count=len(values))
