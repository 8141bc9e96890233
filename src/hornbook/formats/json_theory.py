"""Implications as JSON: ours, results, and the shapes of conexp-clj, fcaR and plain lists of pairs.

Ours is `{"attributes": [...], "implications": [{"premise": [...], "conclusion": [...]}]}`: the conclusion without the
premise, null for a negative clause; `"comment"` goes with an implication. A result has more keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hornbook.errors import FormatError
from hornbook.formats.drafts import Draft, positions_in, statements, theory_in
from hornbook.formats.text import called, cut, decode, encode, load_json, plural, shown, some
from hornbook.formats.values import NamedTheory, Reading, Value

_RESULT = "hornbook/1"
_KNOWN = ("attributes", "implications", "premise", "conclusion", "comment", "lhs", "rhs", "type", "rules", "data")


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where the implications are, and how strictly they are to be read."""

    format: str
    rows: Any
    attributes: Any = None
    sides: tuple[str, str] = ("premise", "conclusion")
    ours: bool = False


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in a JSON file, of whatever shape."""
    text, notes = decode(data)
    value = load_json(text)
    shape = _shape(value)
    draft = Draft(_attributes(shape), hint='else add it to "attributes"')
    if not isinstance(shape.rows, list):
        raise FormatError(f"the implications are {called(shape.rows)}; they must be a list")
    extra: dict[str, int] = {}
    numbers: dict[str, None] = {}
    for index, row in enumerate(shape.rows, 1):
        try:
            _read_row(draft, shape, row, extra, numbers)
        except FormatError as error:
            raise FormatError(f"implication {index}: {error.problem}") from None
    listed = isinstance(value, list)
    named = draft.finished('a theory is {"attributes": [...], "implications": [...]}' if listed else "")
    much = f"{plural(named.universe.size, 'attribute')}, {plural(len(named.theory), 'implication')}"
    notes.insert(0, f"{much}; attributes in order of first appearance" if draft.universe is None else much)
    if isinstance(value, Mapping):
        notes += _about(value)
    if numbers:
        notes.append(f"numbers taken as names: {some(numbers)}")
    notes += [f"{shown(key)} of {plural(count, 'implication')} left out" for key, count in extra.items()]
    return Reading(named, shape.format, tuple(notes))


def write(value: Value) -> bytes:
    """The theory as JSON, one implication a line."""
    return encode(layout(document(theory_in(value))))


def document(named: NamedTheory) -> dict[str, Any]:
    """The theory as a JSON object; a result adds its keys to this one."""
    names = named.universe.names
    implications = []
    for premise, conclusion, comment in statements(named):
        entry: dict[str, Any] = {"premise": [names[position] for position in positions_in(premise)]}
        entry["conclusion"] = None if conclusion is None else [names[position] for position in positions_in(conclusion)]
        if comment:
            entry["comment"] = comment
        implications.append(entry)
    return {"attributes": list(names), "implications": implications}


def layout(value: Mapping[str, Any]) -> str:
    """The object as text: a key a line, and where a value is a list of objects, one of these a line."""
    parts = []
    for key, item in value.items():
        if isinstance(item, list) and item and isinstance(item[0], Mapping):
            inner = ",\n".join("    " + _compact(entry) for entry in item)
            parts.append(f"  {_compact(key)}: [\n{inner}\n  ]")
        else:
            parts.append(f"  {_compact(key)}: {_compact(item)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _shape(value: Any) -> _Shape:
    """Which of the known shapes the value has."""
    if isinstance(value, list):
        return _Shape("json", value)
    if not isinstance(value, Mapping):
        raise FormatError(f'{called(value)} is no theory; an object with "implications" is')
    if isinstance(value.get("implications"), Mapping):
        return _shape(value["implications"])  # a context of fcaR that carries its implications
    if "implications" in value:
        ours = "attributes" in value or "format" in value
        return _Shape("json" if ours else "conexp", value["implications"], value.get("attributes"), ours=ours)
    if "rules" in value:
        return _Shape("fcar-json", value["rules"], value.get("attributes"), ("lhs", "rhs"))
    if value.get("type") == "implication_set" and "data" in value:
        return _Shape("conexp", value["data"])
    sets = value.get("implication_sets")
    if isinstance(sets, list) and len(sets) == 1:
        return _shape(sets[0])
    if isinstance(sets, list):
        raise FormatError(f'"implication_sets" holds {len(sets)} theories; keep one of them')
    raise FormatError(f'no "implications" among the keys {some(value)}; if this is a table, say --as table')


def _attributes(shape: _Shape) -> Sequence[str] | None:
    """The names that the file declares; for pairs of numbers, 0 to the largest."""
    names = shape.attributes
    if names is None:
        if shape.ours:
            raise FormatError('"attributes" is missing; list all names in order')
        return _numbers(shape.rows)
    if isinstance(names, str) and shape.format == "fcar-json":
        return [names]  # jsonlite writes a list of one as that one
    if not isinstance(names, list):
        raise FormatError(f'"attributes" is {called(names)}; it must be a list of names')
    return names


def _numbers(rows: Any) -> list[str] | None:
    """0, 1, ... where the rows are pairs of lists of such numbers and of nothing else."""
    if not isinstance(rows, list) or not rows:
        return None
    largest = -1
    for row in rows:
        if not (isinstance(row, list) and len(row) == 2 and all(isinstance(side, list) for side in row)):
            return None
        for side in row:
            if not all(type(name) is int and 0 <= name < 1_000_000 for name in side):
                return None
            largest = max([largest, *side])
    return list(map(str, range(largest + 1)))


def _read_row(draft: Draft, shape: _Shape, row: Any, extra: dict[str, int], numbers: dict[str, None]) -> None:
    left, right = shape.sides
    if isinstance(row, Mapping):
        for side in shape.sides:
            if side not in row:
                raise FormatError(f"{side!r} is missing; it has {some(row) or 'no key'}")
        if row.get("confidence", 1) != 1:
            raise FormatError(
                f"the confidence is {called(row['confidence'])}; only implications, of confidence 1, can be read"
            )
        for key in row:
            if key not in _KNOWN:
                extra[key] = extra.get(key, 0) + 1
        premise, conclusion, comment = row[left], row[right], row.get("comment", "")
    elif isinstance(row, list) and len(row) == 2 and not shape.ours:
        premise, conclusion, comment = *row, ""
    else:
        raise FormatError(f"is {called(row)}; it must be an object with {left!r} and {right!r}")
    if not isinstance(comment, str):
        raise FormatError(f"the comment is {called(comment)}; it must be a string")
    body = _side(premise, left, shape)
    head = None if conclusion is None else _side(conclusion, right, shape)
    if draft.universe is None:
        _note_numbers(draft, premise, numbers)
        _note_numbers(draft, conclusion, numbers)
    draft.add(body, head, comment)


def _side(names: Any, which: str, shape: _Shape) -> list[str]:
    """The names of one side."""
    if isinstance(names, list) and set(map(type, names)) <= {str}:
        return names
    if isinstance(names, Mapping) and shape.format == "fcar-json":
        for name, degree in names.items():
            if degree != 1:
                raise FormatError(
                    f"the {which} has {shown(name)} to a degree of {called(degree)}; only degree 1 can be read"
                )
        return list(names)
    if isinstance(names, str) and shape.format == "fcar-json":
        return [names]
    if not isinstance(names, list):
        raise FormatError(f"the {which} is {called(names)}; it must be a list of names")
    if shape.ours:
        odd = next(name for name in names if type(name) is not str)
        raise FormatError(f"the {which} holds {called(odd)}; names are strings")
    return [_named(name, which) for name in names]


def _named(name: Any, which: str) -> str:
    """A number as a name, in files of others."""
    if type(name) is not int and not isinstance(name, str):
        raise FormatError(f"the {which} holds {called(name)}; names are strings")
    return str(name)


def _note_numbers(draft: Draft, side: Any, numbers: dict[str, None]) -> None:
    """Keeps apart the numbers and the strings among the names."""
    if not isinstance(side, list):
        return
    new = [str(name) for name in side if type(name) is int]
    strings = [name for name in side if isinstance(name, str)]
    both = [name for name in strings if name in numbers or name in new]
    both += [name for name in new if name in draft and name not in numbers]
    if both:
        raise FormatError(
            f"the number {cut(both[0])} and the string {shown(both[0])} would be one attribute; rename one"
        )
    numbers.update(dict.fromkeys(new))


def _about(value: Mapping[str, Any]) -> list[str]:
    """Remarks on the other keys."""
    written = value.get("format")
    if isinstance(written, str) and written.startswith("hornbook/"):
        if written != _RESULT:
            raise FormatError(f"written as {shown(written)}, and this Hornbook reads {_RESULT}; update it")
        learner, status = (
            said if isinstance(said := value.get(key), str) else "unknown" for key in ("learner", "status")
        )
        return [f"a result, learner: {shown(learner)[1:-1]}, status: {shown(status)[1:-1]}"]
    others = [key for key in value if key not in _KNOWN]
    return [f"keys left out: {some(others)}"] if others else []
