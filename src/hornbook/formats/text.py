"""Bytes to text and back, names as words, and JSON with errors that say where: what every text format needs first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from hornbook.errors import FormatError
from hornbook.formats.content import wide_encoding

_UNSAFE = re.compile(r'["#]|->|^[!~¬]')


def decode(data: bytes) -> tuple[str, list[str]]:
    r"""The text, its lines ended by \n alone, and remarks on how it was decoded."""
    notes: list[str] = []
    if (wide := wide_encoding(data[:64])) is not None:
        text = _utf16(data, wide)
        why = "its byte-order mark says" if wide == "utf-16" else "every second byte is zero"
        notes.append(f"read as {wide.upper()}, as {why}")
    else:
        marked = data.startswith(b"\xef\xbb\xbf")
        try:
            text = data.decode("utf-8-sig" if marked else "utf-8")
        except UnicodeDecodeError as error:
            line, _ = _place(data, error.start)
            text = data.decode("latin-1")
            notes.append(f"not UTF-8 (byte 0x{data[error.start]:02X} in line {line}), so read as Latin-1")
    nul = text.find("\0")
    if nul >= 0:
        line, column = place(text, nul)
        raise FormatError("a NUL byte: this is no text, or a damaged file", line=line, column=column)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, notes


def encode(text: str) -> bytes:
    """The text as UTF-8."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        # Half a character: JSON and file names can hold one, a text file cannot.
        around = text[max(0, error.start - 20) : error.end + 20]
        raise FormatError(f"{around!r} is no Unicode text (a lone surrogate) and cannot be written") from error


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def plural(count: int, word: str) -> str:
    """`1 line`, `2,000 lines`."""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def word(name: str) -> str:
    """The name as a word of a line: itself, or a JSON string where a reader could take it for something else."""
    if name and name.isprintable() and " " not in name and not _UNSAFE.search(name):
        return name
    return json.dumps(name, ensure_ascii=False)


def shown(name: str) -> str:
    """The name, quoted, for a message; a long one is cut."""
    return repr(cut(name))


def cut(text: str) -> str:
    """The text for a message, cut where it is long."""
    return text if len(text) <= 80 else text[:77] + "..."


def some(names: Iterable[str], most: int = 5) -> str:
    """The first few names, quoted, for a message."""
    all_names = list(names)
    return ", ".join(map(shown, all_names[:most])) + (", ..." if len(all_names) > most else "")


def one_line(text: str) -> str:
    """The text with every control character, line breaks above all, turned into a blank."""
    if text.isprintable():
        return text.strip()
    return "".join(char if char >= " " and char != "\x7f" else " " for char in text).strip()


def load_json(text: str) -> Any:
    """The JSON value; a key that an object holds twice is an error, for one of the two would be lost."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise FormatError(f"no JSON: {error.msg}", line=error.lineno, column=error.colno) from error
    except RecursionError as error:
        raise FormatError("no JSON for us: brackets nested thousands deep") from error
    except ValueError as error:  # a number of thousands of digits
        raise FormatError(f"no JSON for us: {error}") from error


def called(value: Any) -> str:
    """What a reader of JSON calls the value, in a few words however big it is."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the string {shown(value)}"
    if isinstance(value, (int, float)):
        return f"the number {cut(str(value))}"
    return "a list" if isinstance(value, list) else "an object"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise FormatError(f"an object has the key {shown(twice)} twice; keep one")
    return value


def _utf16(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(f"starts like UTF-16 but is not: {error.reason} at byte {error.start}") from error


def _place(data: bytes, offset: int) -> tuple[int, int]:
    return data.count(b"\n", 0, offset) + 1, offset - data.rfind(b"\n", 0, offset)
