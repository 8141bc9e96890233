"""The looks of a file: which format it has, told from its first lines, where the ending does not say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hornbook.errors import FormatError
from hornbook.formats.content import wide_encoding

HEAD = 1 << 16

_MAGIC = ((b"PAR1", "parquet"), (b"SQLite format 3\0", "sqlite"), (b"ARROW1", "arrow"))
_SIDES = re.compile(r"(\[[^\[\]\n]*\]|\{[^{}\n\"]*\})[ \t]*(-{1,2}>|={1,2}>|→)")
_TUPLE = re.compile(r"\[?\s*\(\s*[(\[]\s*['\")\]]")
_IMPL = re.compile(r"[\[({\s]*\(\s*impl\s")
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\"{\[\]\dtfn-]")
_UVL = re.compile(r"(namespace\s+\S+|include|imports|features|constraints)[ \t]*(//.*)?$", re.MULTILINE)
_ARROW = re.compile(r"-{1,3}>|={1,3}>|[→⟶⇒⟹]")
_HEADER = re.compile(r"^[ \t]*#[ \t]*attributes\b.*:", re.MULTILINE | re.IGNORECASE)
_TABLE_KEYS = ("context", "incidence", "formal_context", "objects", "I", "mondher_version")
_THEORY_KEYS = ("implications", "rules", "data", "implication_sets")
_AS_FALLBACK = {"theory": "imp", "formula": "dimacs", "table": "csv", "relation": "csv"}


def format_by_looks(data: bytes, names: Sequence[str], as_: str | None) -> str:
    """The name of the format that these bytes look like, among names."""
    if len(names) == 1:
        return names[0]
    if not data.strip():
        raise FormatError("there is nothing in this file")
    for name in _guesses(data, names, as_):
        if name in names:
            return name
    raise FormatError("the looks of it say nothing; say --as theory|table|formula|relation, or give it a known ending")


def like_json(head: str) -> bool:
    """Whether a text that begins so is meant to be JSON."""
    return not _SIDES.match(head) and _JSON.match(head) is not None


def _guesses(data: bytes, names: Sequence[str], as_: str | None) -> Iterator[str]:
    """Formats that it looks like, the surest first."""
    for magic, name in _MAGIC:
        if data.startswith(magic):
            yield name
    head = data[:HEAD].decode(wide_encoding(data[:64]) or "utf-8", "replace").lstrip("\ufeff").lstrip()
    if _SIDES.match(head):
        yield "desbordante" if head.startswith("[") and "->" in head else "text"
    elif like_json(head):
        yield from _json_guesses(data, head, names, as_)
    yield from _text_guesses(head)
    if as_ is not None:
        yield _AS_FALLBACK[as_]


def _text_guesses(head: str) -> Iterator[str]:
    lines = [line for line in head.splitlines() if line.strip()]
    if not lines:
        return
    if lines[0].strip() == "# TABLES":
        yield "metanome"
    if lines[0].strip() == "B":
        yield "cxt"
    if re.search(r"^p\s+cnf\b", head, re.MULTILINE):
        yield "dimacs"
    if _UVL.match(head):
        yield "uvl"
    if _TUPLE.match(head):
        yield "desbordante"
    if "⟶" in head or "#{" in head or _IMPL.match(head):
        yield "conexp"
    if re.search(r":-|^%\s*attributes\s*:", head, re.MULTILINE):
        yield "datalog"
    if _HEADER.search(head):
        yield "imp"
    yield from _arrow_guesses(lines)
    if all(re.fullmatch(r"[\d\s]*", line) for line in lines):
        yield "dat"
    if "\t" in lines[0] and len(lines) > 1:
        yield "tsv"
    if re.search(r"[,;]", lines[0]) and len(lines) > 1:  # Of one line nobody knows that it is a header.
        yield "csv"


def _arrow_guesses(lines: list[str]) -> Iterator[str]:
    """Among the dialects of `a b -> c`: commas and other arrows, elements in the first line, or ours."""
    said = [line for line in lines if not line.lstrip().startswith("#")]
    first = next((line for line in said if _ARROW.search(line)), None)
    if first is None:
        return
    if "->" not in first or re.search(r"[,;{}→⟶⇒⟹]|-->|=>", first):
        yield "text"
    elif not _ARROW.search(said[0]) and said[0] == lines[0]:
        yield "java-lattices"
    else:
        yield "imp"


def _json_guesses(data: bytes, head: str, names: Sequence[str], as_: str | None) -> Iterator[str]:
    """Theory or table, told from the keys of the whole value, which is read for that where it must be."""
    if '"FunctionalDependency"' in head:
        yield "metanome"
    if as_ == "theory" or "json-table" not in names:
        yield "json"
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        if _is_object(head.splitlines()[0]):
            yield "json-rows"
    else:
        yield from _value_guesses(value)
    # What is no JSON goes to a reader that says where it breaks.
    yield "json-table" if as_ == "table" else "json"
    yield "json-rows"


def _value_guesses(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if value.get("type") == "FormalContext" or any(key in value for key in _TABLE_KEYS):
            yield "json-table"
        if any(key in value for key in _THEORY_KEYS):
            yield "json"
        yield "json-table"
    elif isinstance(value, list):
        yield "json-rows" if value and isinstance(value[0], Mapping) else "json"


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), Mapping)
    except (ValueError, RecursionError):
        return False
