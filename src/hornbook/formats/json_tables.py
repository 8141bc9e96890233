"""Tables as JSON: conexp-clj's contexts (both schemas, and its bundles), fcaR's, those of `concepts`, dicts, records.

Written is conexp-clj's schema 1.1: objects, attributes, and the pairs that are crosses.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hornbook.errors import FormatError
from hornbook.formats import text
from hornbook.formats.files import located
from hornbook.formats.frames import reading_of, table_from
from hornbook.formats.libraries import frame_of
from hornbook.formats.text import cut, plural, shown, some
from hornbook.formats.values import BinaryTable, Reading, Value, unpack
from hornbook.universe import Attrs, Universe

_SHAPES = (
    "known are conexp-clj's contexts (objects, attributes, incidence), fcaR's, those of concepts (objects, properties, "
    "context), a dict of objects and the names of what they have, and a list of records"
)


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The table in these bytes, of whatever shape, and how it was understood."""
    with located(source):
        if as_ == "relation":
            return read_rows(data, source, as_)
        if as_ not in (None, "table"):
            raise FormatError(f"this JSON holds a table and cannot be read as a {as_}; leave out --as {as_}")
        decoded, notes = text.decode(data)
        value = _parsed(decoded)
        if isinstance(value, list) and not _is_schema_1_0(value):
            return read_rows(data, source, as_)
        table, said = _table(value)
        return Reading(table, "json-table", (_size(table), *said, *notes))


def read_rows(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The table or relation of records: a list of objects, or one object a line."""
    with located(source):
        decoded, notes = text.decode(data)
        value = _parsed(decoded)
        if value == []:
            raise FormatError("there is nothing in this file; records are a list of objects, or an object a line")
        rows = value if isinstance(value, list) else [value]
        reading = reading_of(frame_of(rows), as_, "json-rows")
        return Reading(reading.value, reading.format, (*reading.notes, "records of JSON", *notes))


def _parsed(decoded: str) -> Any:
    """The JSON value; of one value a line, the list of them."""
    lines = [(number, line) for number, line in enumerate(decoded.split("\n"), 1) if line.strip()]
    if len(lines) < 2 or not _is_object(lines[0][1]):
        return text.load_json(decoded)
    rows = []
    for number, line in lines:
        try:
            rows.append(text.load_json(line))
        except FormatError as error:
            raise FormatError(error.problem, line=number, column=error.column) from None
    return rows


def _is_object(line: str) -> bool:
    line = line.strip()
    if not (line.startswith("{") and line.endswith("}")):
        return False
    try:
        return isinstance(text.load_json(line), Mapping)
    except FormatError:
        return False


def _size(table: BinaryTable) -> str:
    crosses = sum(row.bit_count() for row in table.rows())
    much = f"{plural(len(table.objects), 'object')}, {plural(len(table.universe), 'attribute')}"
    return f"{much}, {crosses:,} {'cross' if crosses == 1 else 'crosses'}"


# Shapes


def _is_schema_1_0(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(row, Mapping) and set(row) == {"object", "attributes"} for row in value)


def _table(value: Any) -> tuple[BinaryTable, tuple[str, ...]]:
    """The table, and what is to be said of it beyond its size."""
    if isinstance(value, list):
        return _of_lists(value), ("conexp-clj, schema 1.0",)
    if not isinstance(value, Mapping):
        raise FormatError(f"{_told(value)} is no table; {_SHAPES}")
    if value.get("type") in ("FormalContext", ["FormalContext"]):
        return _of_fcar(value), ("fcaR", *_left_out(value, "type", "objects", "attributes", "I", "grades_set"))
    if "incidence" in value:
        known = ("objects", "attributes", "incidence")
        return _of_pairs(value), ("conexp-clj, schema 1.1", *_left_out(value, *known))
    if "formal_context" in value:
        return _of_lists(value["formal_context"]), ("conexp-clj, schema 1.0", *_left_out(value, "formal_context"))
    inner = value.get("context")
    if isinstance(inner, Mapping) and not isinstance(inner.get("context"), Mapping):
        table, said = _table(inner)
        return table, (*said, *_left_out(value, "context"))
    if "context" in value and "objects" in value:
        return _of_positions(value), ("concepts", *_left_out(value, "objects", "properties", "attributes", "context"))
    if "implications" in value or "rules" in value:
        raise FormatError("this JSON holds implications, not a table; leave out --as table")
    if not value:
        raise FormatError(f"there is nothing in this file; {_SHAPES}")
    taken = any(key in value for key in ("objects", "attributes", "context"))
    if not taken and all(isinstance(names, list | Mapping) for names in value.values()):
        return table_from({_name(thing, "object"): names for thing, names in value.items()}), ("a dict of objects",)
    raise FormatError(f"an object with {some(value) or 'nothing'} is no table known here; {_SHAPES}")


def _left_out(value: Mapping[str, Any], *known: str) -> tuple[str, ...]:
    return tuple(
        f"{shown(key)} was left out"
        for key, rest in value.items()
        if key not in known and rest not in (None, "", [], {})
    )


def _of_pairs(value: Mapping[str, Any]) -> BinaryTable:
    objects, universe = _names(value, "objects"), Universe(_names(value, "attributes"))
    places = {thing: place for place, thing in enumerate(objects)}
    if len(places) != len(objects):
        twice = next(thing for place, thing in enumerate(objects) if places[thing] != place)
        raise FormatError(
            f"object {shown(twice)} is there twice, and pairs do not say which one they mean; rename one of them"
        )
    rows = [0] * len(objects)
    for pair in _list(value, "incidence"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise FormatError(f"{_told(pair)} in incidence is no pair of an object and an attribute")
        thing, attribute = _name(pair[0], "object"), _name(pair[1], "attribute")
        if thing not in places:
            what = f"{shown(thing)} has {shown(attribute)} in incidence"
            raise FormatError(f"{what}, but is not among the objects; add it there")
        rows[places[thing]] |= 1 << universe.position(attribute)
    return BinaryTable.of(universe, rows, objects=objects)


def _of_lists(rows: Any) -> BinaryTable:
    if not isinstance(rows, list) or (rows and not _is_schema_1_0(rows)):
        raise FormatError("formal_context is a list of {object, attributes}; this one is not")
    lists = [[_name(name, "attribute") for name in _list(row, "attributes")] for row in rows]
    universe = Universe.of(dict.fromkeys(name for names in lists for name in names))
    return BinaryTable.of(
        universe, map(universe.attrs, lists), objects=[_name(row["object"], "object") for row in rows]
    )


def _of_positions(value: Mapping[str, Any]) -> BinaryTable:
    objects = _names(value, "objects")
    universe = Universe(_names(value, "properties" if "properties" in value else "attributes"))
    lists = _list(value, "context")
    if len(lists) != len(objects):
        raise FormatError(f"there are {len(objects)} objects, and {len(lists)} of them have a list in context")
    return BinaryTable.of(universe, [_attrs(positions, universe) for positions in lists], objects=objects)


def _attrs(positions: Any, universe: Universe) -> Attrs:
    attrs = 0
    for position in positions if isinstance(positions, list) else [positions]:
        attrs |= 1 << _position(position, len(universe), "attribute")
    return attrs


def _of_fcar(value: Mapping[str, Any]) -> BinaryTable:
    """R writes lists of one as what is in them, and lists of none in several ways."""
    objects, universe = _names(value, "objects"), Universe(_names(value, "attributes"))
    if value.get("is_many_valued") in (True, [True]):
        raise FormatError("this context of fcaR is many-valued; scale it there first")
    cells = value.get("I")
    if not isinstance(cells, Mapping):
        raise FormatError("this context of fcaR has no I with indices, columns and values")
    columns = [_unboxed(cells.get(key)) for key in ("columns", "indices", "values")]
    if len({len(column) for column in columns}) != 1:
        raise FormatError(
            f"indices, columns and values of I differ in number: {', '.join(str(len(c)) for c in columns)}"
        )
    rows = [0] * len(objects)
    for thing, attribute, grade in zip(*columns, strict=True):
        row, position = _position(thing, len(objects), "object"), _position(attribute, len(universe), "attribute")
        if grade not in (0, 1):
            raise FormatError(
                f"{shown(objects[row])} has {shown(universe.names[position])} to the degree {cut(repr(grade))}; grades "
                "other than 0 and 1 are no crosses, scale the context in fcaR first"
            )
        rows[row] |= int(grade) << position
    return BinaryTable.of(universe, rows, objects=objects)


def _unboxed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == {} else [value]


def _names(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = value.get(key)
    return tuple(
        _name(name, key.removesuffix("s")) for name in ([names] if isinstance(names, str) else _list(value, key))
    )


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    if not isinstance(value.get(key), list):
        raise FormatError(f"{key!r} is {'missing' if key not in value else _told(value[key])}, not a list")
    entries: list[Any] = value[key]
    return entries


def _name(value: Any, what: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FormatError(f"{_told(value)} is no name of an {what.replace('properties', 'attribute')}; use text")
    return str(value)


def _told(value: Any) -> str:
    """The value for a message; what has values in it by its kind only, for it may be deep or long."""
    if isinstance(value, list | Mapping):
        return f"a list of {len(value)}" if isinstance(value, list) else f"an object with {some(value) or 'nothing'}"
    return shown(json.dumps(value, ensure_ascii=False))


def _position(value: Any, size: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size:
        raise FormatError(f"{_told(value)} is no number of an {what}; they go from 0 to {size - 1}")
    return value


# Writing


def write(value: Value) -> bytes:
    """The table in conexp-clj's schema 1.1, one pair a line."""
    if not isinstance(value, BinaryTable):
        raise FormatError(f"this JSON holds a table of crosses, not a {type(value).__name__}")
    if value.unknown is not None and value.unknown.any():
        raise FormatError("some cells are unknown, which conexp-clj's JSON cannot say; write .cxt or .csv")
    if len(set(value.objects)) != len(value.objects):
        raise FormatError(
            "two objects have the same name, and pairs cannot say which one they mean; write .cxt or .csv"
        )
    lines = [
        "{",
        f'"objects": {_dumped(value.objects)},',
        f'"attributes": {_dumped(value.universe)},',
        '"incidence": [',
    ]
    return text.encode("\n".join([*lines, ",\n".join(_pairs(value)), "]}", ""]))


def write_path(value: Value, path: Path) -> None:
    """The same, into a file."""
    path.write_bytes(write(value))


def _dumped(names: Iterable[str]) -> str:
    return json.dumps(list(names), ensure_ascii=False)


def _pairs(table: BinaryTable) -> Iterable[str]:
    attributes = [json.dumps(name, ensure_ascii=False) for name in table.universe]
    for thing, packed in zip(table.objects, table.crosses, strict=True):
        start = json.dumps(thing, ensure_ascii=False)
        for position in unpack(packed.reshape(1, -1), len(attributes))[0].nonzero()[0].tolist():
            yield f"[{start}, {attributes[position]}]"
