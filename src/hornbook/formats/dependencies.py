"""Functional dependencies as other programs find them: Metanome's two result files, Desbordante's `[A B] -> C`."""

from __future__ import annotations

import ast
import re
from typing import Any

from hornbook.errors import FormatError
from hornbook.formats.drafts import Draft
from hornbook.formats.text import called, decode, load_json, plural, shown
from hornbook.formats.values import Reading

_SECTIONS = ("# TABLES", "# COLUMN", "# RESULTS")
_TUPLE = re.compile(r"\s*\[?\s*\(")
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def read_metanome(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The dependencies in a result of Metanome, its text with numbered columns or its lines of JSON."""
    text, notes = decode(data)
    draft, tables = _json_lines(text) if text.lstrip().startswith(("{", "[")) else _numbered(text)
    named = draft.finished("a list of FunctionalDependency was expected")
    much = f"{plural(named.universe.size, 'column')}, {plural(len(named.theory), 'dependency')}"
    notes.insert(0, much.replace("dependencys", "dependencies"))
    if draft.universe is None:
        notes.append("columns in order of first appearance; one that is in no dependency is not in the file")
    if tables > 1:
        notes.append(f"{tables} tables, so columns are called table.column")
    return Reading(named, "metanome", tuple(notes))


def read_desbordante(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The dependencies that Desbordante prints."""
    text, notes = decode(data)
    draft = Draft()
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                (_read_tuple if _TUPLE.match(line) else _read_bracketed)(draft, line)
            except FormatError as error:
                error.line = number
                raise
    named = draft.finished("a dependency is `[A B] -> C`")
    much = f"{plural(named.universe.size, 'column')}, {plural(len(named.theory), 'dependency')}"
    notes.insert(0, much.replace("dependencys", "dependencies"))
    notes.append("columns in order of first appearance; one that is in no dependency is not in the file")
    return Reading(named, "desbordante", tuple(notes))


# Metanome's numbered columns


def _numbered(text: str) -> tuple[Draft, int]:
    tables: dict[str, str] = {}
    columns: dict[str, str] = {}
    names: dict[str, str] = {}
    draft: Draft | None = None
    section, number = "", 0
    try:
        for number, line in enumerate(text.split("\n"), 1):  # noqa: B007
            if line.strip() in _SECTIONS:
                section = line.strip()
                if section == "# RESULTS":
                    names = _column_names(tables, columns)
                    draft = Draft(names.values())
            elif line.strip() and draft is not None:
                _read_numbers(draft, names, line)
            elif line.strip():
                name, key = _keyed(line, section)
                (tables if section == "# TABLES" else columns)[key] = name
        if draft is None:
            raise FormatError("no # RESULTS; is the file cut off?")
    except FormatError as error:
        error.line = number
        raise
    return draft, len(tables)


def _keyed(line: str, section: str) -> tuple[str, str]:
    """The name in a line of a section, and its number."""
    if not section:
        raise FormatError(f"{shown(line)} before # TABLES, # COLUMN and # RESULTS; this is no Metanome result")
    name, tab, key = line.rpartition("\t")
    if not tab:
        raise FormatError(f"no tab in {shown(line)}; a line here is a name, a tab and a number")
    return name, key.strip()


def _column_names(tables: dict[str, str], columns: dict[str, str]) -> dict[str, str]:
    """What each number stands for: the column, with its table if there are several."""
    names = {}
    for key, name in columns.items():
        table, dot, column = name.partition(".")
        names[key] = name if not dot else column if len(tables) <= 1 else f"{tables.get(table, table)}.{column}"
    return names


def _read_numbers(draft: Draft, names: dict[str, str], line: str) -> None:
    left, arrow, right = line.partition("->")
    if not arrow or "->" in right:
        raise FormatError(f"{shown(line)} is no dependency; one is `1,2->3`")
    sides: list[list[str]] = []
    for side in (left, right):
        keys = [key.strip() for key in side.strip().strip("[]").split(",")]
        unknown = next((key for key in keys if key and key not in names), None)
        if unknown is not None:
            raise FormatError(f"column {shown(unknown)} is not under # COLUMN")
        sides.append([names[key] for key in keys if key])
    draft.add(sides[0], sides[1])


# Metanome's lines of JSON


def _json_lines(text: str) -> tuple[Draft, int]:
    found: list[tuple[list[tuple[str, str]], tuple[str, str]]] = []
    if text.lstrip().startswith("["):
        for index, item in enumerate(load_json(text), 1):
            found.append(_dependency(item, f"dependency {index}: "))
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    found.append(_dependency(load_json(line), ""))
                except FormatError as error:
                    error.line = number
                    raise
    tables = dict.fromkeys(table for left, right in found for table, _ in [*left, right])
    draft = Draft()

    def called(column: tuple[str, str]) -> str:
        return ".".join(column) if len(tables) > 1 else column[1]

    for left, right in found:
        draft.add([called(column) for column in left], [called(right)])
    return draft, len(tables)


def _dependency(item: Any, where: str) -> tuple[list[tuple[str, str]], tuple[str, str]]:
    if not isinstance(item, dict) or item.get("type") != "FunctionalDependency":
        kind = item.get("type") if isinstance(item, dict) else item
        raise FormatError(f"{where}{called(kind)} where a FunctionalDependency is expected")
    try:
        left = [_column(column) for column in item["determinant"]["columnIdentifiers"]]
        return left, _column(item["dependant"])
    except (KeyError, TypeError) as error:
        raise FormatError(f"{where}a FunctionalDependency without determinant, dependant or their columns") from error


def _column(value: Any) -> tuple[str, str]:
    table, column = value.get("tableIdentifier") if isinstance(value, dict) else None, None
    if isinstance(value, dict):
        column = value["columnIdentifier"]
    if not isinstance(column, str) or not (table is None or isinstance(table, str)):
        raise TypeError("a column is a string")
    return table or "", column


# Desbordante


def _read_tuple(draft: Draft, line: str) -> None:
    """Adds `(('A', 'B'), 'C')`, as Desbordante's to_name_tuple() is printed in Python."""
    try:
        value = ast.literal_eval(line.strip().rstrip(","))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    for dependency in value if isinstance(value, list) else [value]:
        sides = dependency if isinstance(dependency, tuple) and len(dependency) == 2 else (None, None)
        names: list[Any] = [*sides[0], sides[1]] if isinstance(sides[0], tuple | list) else [None]
        if not all(isinstance(name, str) for name in names):
            raise FormatError(f"{shown(line.strip())} is no dependency; one is `[A B] -> C` or `(('A', 'B'), 'C')`")
        draft.add(names[:-1], names[-1:])


def _read_bracketed(draft: Draft, line: str) -> None:
    left, arrow, right = line.partition("->")
    bracketed = _BRACKETED.fullmatch(left.strip())
    if not arrow or not bracketed or not right.strip() or "->" in right:
        raise FormatError(f"{shown(line.strip())} is no dependency; one is `[A B] -> C`")
    conclusion = _BRACKETED.fullmatch(right.strip())
    if conclusion is None and len(right.split()) > 1:
        raise FormatError(
            f"the column {shown(right.strip())} has a blank, and `[A B]` cannot tell one such column from two; "
            "rename the columns, or save pairs of lists of names as JSON"
        )
    draft.add(bracketed[1].split(), (conclusion[1] if conclusion else right).split())
