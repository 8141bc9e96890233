"""Frames as tables of crosses or as relations, whatever library they are of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any

from hornbook.errors import FormatError
from hornbook.formats import marks
from hornbook.formats.libraries import ABSENT, Frame, frame_of, of_columns, of_rows
from hornbook.formats.marks import BLANK, NO, OTHER, UNKNOWN, YES
from hornbook.formats.text import cut, plural, shown
from hornbook.formats.values import BinaryTable, Coder, Reading, Relation, room
from hornbook.universe import Universe

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OBJECT_HEADS = {"", "object", "objects"}
_FEW = 64  # In more rows than this some mark is there twice.


def table_from(frame: Any) -> BinaryTable:
    """The table of crosses in a frame; a first column that is not of marks names the objects, or the index does.

    A dict is one of objects and the names of what each has. Crosses are True, 1, X, yes; missing values are unknown.
    """
    if isinstance(frame, BinaryTable):
        return frame
    if isinstance(frame, Mapping):
        return _named_sets(frame)
    table = reading_of(frame_of(frame), None, "frame").value
    assert isinstance(table, BinaryTable)
    return table


def relation_from(frame: Any) -> Relation:
    """The relation of a frame's columns, its index left out. Missing values are NULL; 1 and the text "1" differ.

    A dict is one of columns and their values.
    """
    if isinstance(frame, Relation):
        return frame
    if isinstance(frame, Mapping):
        frame = of_columns(frame)
    relation = reading_of(frame_of(frame), "relation", "frame").value
    assert isinstance(relation, Relation)
    return relation


def reading_of(frame: Frame, as_: str | None, format_: str) -> Reading:
    """The table, or as_="relation" the relation, in the frame, and how it was understood."""
    if as_ not in (None, "table", "relation"):
        raise FormatError(f"this holds a table or a relation and cannot be read as a {as_}")
    columns: dict[str, int] = {}
    for column, name in enumerate(frame.names, 1):
        if columns.setdefault(name, column) != column:
            raise FormatError(
                f"the columns {columns[name]} and {column} are both called {shown(name)}; rename one of them"
            )
    if as_ == "relation":
        relation = _relation(frame)
        nulls = int((relation.codes < 0).sum())
        said = f"{plural(frame.height, 'row')}, {plural(len(frame.names), 'column')} of values"
        return Reading(relation, format_, (f"{said}; {plural(nulls, 'value')} NULL" if nulls else said,))
    table, note = _table(frame)
    return Reading(table, format_, (note,))


# Tables


def _table(frame: Frame) -> tuple[BinaryTable, str]:
    import numpy as np

    signs: Counter[str] = Counter()
    naming = _naming_columns(frame)
    columns = [j for j in range(len(frame.names)) if j not in naming]
    universe = Universe(tuple(frame.names[j] for j in columns))
    crosses, unknown, blank = (room(frame.height, len(universe)) for _ in range(3))
    for position, j in enumerate(columns):
        codes = _codes(*frame.column(j), signs)
        if (codes == OTHER).any():
            raise _no_mark(frame, j, int((codes == OTHER).argmax()))
        word, bit = position >> 6, np.uint64(position & 63)
        for packed, code in ((crosses, YES), (unknown, UNKNOWN), (blank, BLANK)):
            if (found := codes == code).any():
                packed[:, word] |= found.astype(np.uint64) << bit
    blanks = signs.pop("", 0)
    if marks.says_no(signs):
        unknown |= blank
    objects, how = _objects(frame, naming)
    said = (
        f"{plural(frame.height, 'object')}, {plural(len(universe), 'attribute')}; {marks.summary(signs, blanks)}; {how}"
    )
    return BinaryTable(universe, objects, crosses, unknown if unknown.any() else None), said


def _naming_columns(frame: Frame) -> tuple[int, ...]:
    """Which columns name the objects: those that are said to, or the one that looks like it."""
    if frame.index is not None or not frame.names:
        return ()
    said = tuple(frame.names.index(name) for name in frame.keys if name in frame.names)
    found = None if said else _naming_column(frame)
    return said if found is None else (found,)


def _naming_column(frame: Frame) -> int | None:
    """The first column, if it does so by its name, as the only text, or because it has no marks, or odd ones.

    Else the last, where pandas puts an index, if it has no marks and no value twice.
    """
    last = len(frame.names) - 1
    if frame.names[last] == "__index_level_0__":
        return last
    if frame.names[0].strip().casefold() in _OBJECT_HEADS:
        return 0
    if last == 0:
        return None
    if _has_no_marks(frame, 0):
        return 0
    if frame.column(0)[0].dtype == object and all(frame.column(j)[0].dtype == bool for j in range(1, last + 1)):
        return 0
    distinct = set(map(str, frame.column(last)[0].tolist()))
    if len(distinct) == frame.height and _has_no_marks(frame, last):
        return last
    return _odd_text(frame) if frame.height <= _FEW else None


def _odd_text(frame: Frame) -> int | None:
    """The first column, or the only one of text, if its marks go neither with each other nor with the others'."""
    counts: list[Counter[str]] = [Counter() for _ in frame.names]
    for j, count in enumerate(counts):
        _codes(*frame.column(j), count)
    texts = [j for j in range(len(frame.names)) if _is_text(frame.column(j)[0])]
    for j in texts if len(texts) == 1 else {0}.intersection(texts):
        signs = ["" if value is None or value is ABSENT else value for value in frame.column(j)[0].tolist()]
        others = [sign for k, count in enumerate(counts) if k != j for sign in count]
        named = marks.are_names(signs, others)
        if named:
            return j
        if named is None and j == 0:
            raise FormatError(marks.two_readings(f"the column {shown(frame.names[0])}", signs, others))
    return None


def _is_text(values: NDArray[Any]) -> bool:
    if values.dtype != object:
        return False
    kinds = {type(value) for value in values.tolist() if value is not None and value is not ABSENT}
    return kinds == {str}


def _has_no_marks(frame: Frame, column: int) -> bool:
    return bool((_codes(*frame.column(column), Counter()) == OTHER).any())


def _objects(frame: Frame, naming: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """The names of the objects, and where they are from."""
    if frame.index is not None:
        return frame.index, "objects are named by the index"
    if not naming:
        return tuple(map(str, range(frame.height))), "objects are numbered"
    said = f"objects are named by the {'columns' if len(naming) > 1 else 'column'}"
    said += f" {', '.join(shown(frame.names[j]) for j in naming)}"
    if len(naming) == 1:
        return tuple(_names_in(frame, naming[0])), said
    return tuple(map(str, zip(*(_names_in(frame, j) for j in naming), strict=True))), said


def _names_in(frame: Frame, column: int) -> list[str]:
    values, missing = frame.column(column)
    names = ["" if value is None or value is ABSENT else str(value) for value in values.tolist()]
    if missing is None:
        return names
    return ["" if gone else name for name, gone in zip(names, missing.tolist(), strict=True)]


def _codes(values: NDArray[Any], missing: NDArray[np.bool_] | None, signs: Counter[str]) -> NDArray[np.uint8]:
    """What the cells of a column say; `signs` counts how."""
    import numpy as np

    if values.dtype == object:
        known: dict[Any, int] = {}
        codes = np.array([_code(value, known, signs) for value in values.tolist()], dtype=np.uint8)
    else:
        codes = np.full(values.shape, OTHER, dtype=np.uint8)
        if values.dtype.kind in "biuf":
            codes[values == 0], codes[values == 1] = NO, YES
            if values.dtype.kind == "f":
                codes[np.isnan(values)] = UNKNOWN
        texts = {YES: "True", NO: "False"} if values.dtype == bool else {YES: "1", NO: "0"}
        for code, text in (texts | {UNKNOWN: "NaN"}).items():
            signs[text] += int(np.count_nonzero(codes == code))
    if missing is not None:
        codes[missing] = UNKNOWN
        signs["NULL"] += int(np.count_nonzero(missing))
    for text in [text for text, count in signs.items() if not count]:
        del signs[text]
    return codes


def _code(value: Any, known: dict[Any, int], signs: Counter[str]) -> int:
    if value is ABSENT:
        signs[""] += 1
        return BLANK
    if value is None:
        signs["NULL"] += 1
        return UNKNOWN
    if not isinstance(value, str | bool | int | float):
        return OTHER
    text = str(value)
    code = known.get(text)
    if code is None:
        code = known[text] = marks.meaning(text)
    signs[text.strip()] += code != OTHER
    return code


def _no_mark(frame: Frame, column: int, row: int) -> FormatError:
    value = shown(str(frame.column(column)[0][row]))
    return FormatError(
        f"{value} under {shown(frame.names[column])} in row {row + 1} is neither a cross (True, 1, x, yes) nor none "
        "(False, 0, no) nor unknown (NULL, ?); if the columns have values, this is a relation (--as relation)"
    )


def _named_sets(having: Mapping[Any, Any]) -> BinaryTable:
    """The table of a dict from objects to the names of what they have, or to dicts of what they have or not."""
    if having and all(isinstance(row, Mapping) for row in having.values()):
        rows = of_rows(list(having.values()))
        return _table(Frame(rows.names, rows.height, rows.column, tuple(map(str, having))))[0]
    lists = [_attributes(thing, names) for thing, names in having.items()]
    universe = Universe.of(dict.fromkeys(name for names in lists for name in names))
    return BinaryTable.of(universe, map(universe.attrs, lists), objects=map(str, having))


def _attributes(thing: Any, names: Any) -> list[str]:
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise FormatError(f"object {cut(repr(thing))} has {cut(repr(names))}; a list of names of attributes is needed")
    # The order of a set of strings differs from process to process.
    ordered = sorted(names, key=str) if isinstance(names, Set) else list(names)
    for name in ordered:
        if not isinstance(name, str):
            what = f"object {cut(repr(thing))} has {cut(repr(name))}"
            raise FormatError(f"{what}, which is no name; columns of values make a DataFrame")
    return ordered


# Relations


def _relation(frame: Frame) -> Relation:
    import numpy as np

    codes = np.empty((frame.height, len(frame.names)), dtype=np.int32)
    values = []
    for j in range(len(frame.names)):
        cells, missing = frame.column(j)
        codes[:, j], texts = _coded(cells)
        if missing is not None:
            codes[missing, j] = -1
        values.append(texts)
    return Relation(Universe(frame.names), codes, tuple(values))


def _coded(cells: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    import numpy as np

    if cells.dtype != object:
        distinct, codes = np.unique(cells, return_inverse=True)
        return codes.astype(np.int32).reshape(-1), tuple(map(str, distinct.tolist()))
    coder = Coder()
    coded = [-1 if value is None or value is ABSENT else coder[_key(value)] for value in cells.tolist()]
    return np.array(coded, dtype=np.int32), tuple(str(key[1]) for key in coder)


def _key(value: Any) -> tuple[str, Any]:
    """Equal for equal values: numbers by value, all else by type and text."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return type(value).__name__, value if isinstance(value, str) else str(value)
    return "number", value if value == value else "NaN"
