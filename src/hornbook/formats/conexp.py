"""Implications of conexp-clj: its JSON, which names no attributes first, and its printed text `(#{"a"} ⟶ #{"b"})`."""

from __future__ import annotations

import json
import re

from hornbook.errors import FormatError
from hornbook.formats import json_theory
from hornbook.formats.drafts import (
    Draft,
    definite_statements,
    lost_comments,
    lost_negations,
    lost_order,
    positions_in,
    theory_in,
)
from hornbook.formats.looks import like_json
from hornbook.formats.text import decode, encode, place, plural, shown
from hornbook.formats.values import Reading, Value

_ARROWS = ("⟶", "->", "==>", "=>", "→")
_SKIP = re.compile(r"[\s,]*")
_END = re.compile(r'[\s,(){}\[\]"]')
_BRACKETS = re.compile(r'[\[\]"]')
_json = json.JSONDecoder(strict=False)


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in a file of conexp-clj, JSON or text."""
    text, notes = decode(data)
    if like_json(text[:4096].lstrip()):
        return json_theory.read(data, source, as_)
    draft = Draft()
    _read_text(draft, text)
    named = draft.finished("" if text.strip() else 'an implication is `(#{"a"} ⟶ #{"b"})`, no implications are `#{}`')
    much = f"{plural(named.universe.size, 'attribute')}, {plural(len(named.theory), 'implication')}"
    notes.insert(0, f"{much}; attributes in order of first appearance")
    return Reading(named, "conexp", tuple(notes))


def write(value: Value) -> bytes:
    """The theory as the JSON that conexp-clj reads."""
    names = theory_in(value).universe.names
    implications = [
        {
            "premise": [names[position] for position in positions_in(premise)],
            "conclusion": [names[position] for position in positions_in(conclusion)],
        }
        for premise, conclusion in definite_statements(theory_in(value))
    ]
    return encode(json_theory.layout({"implications": implications}))


def losses(value: Value) -> list[str]:
    """What conexp-clj's JSON does not keep."""
    named = theory_in(value)
    return lost_order(named) + lost_negations(named, "conexp-clj") + lost_comments(named)


def _read_text(draft: Draft, text: str) -> None:
    """Every `set arrow set`; brackets around an implication or around all of them are passed over."""
    start, depth = _skip(text, 0), 0
    while start < len(text):
        char = text[start]
        if char in "([":
            start, depth = start + 1, depth + 1
        elif char in ")]}":
            start, depth = start + 1, depth - 1
        elif (inside := _opened(text, start)) is None:
            raise _error(text, start, f"{shown(text[start : start + 20])} where a set #{{...}} should begin")
        elif text.startswith("(", inside):
            start, depth = inside, depth + 1  # a set of implications
        else:
            start = _read_implication(draft, text, inside)
        if depth < 0:
            raise _error(text, start - 1, f"{char} closes what was never opened")
        start = _skip(text, start)
    if depth:
        raise _error(text, len(text), "brackets are still open at the end; is the file cut off?")


def _read_implication(draft: Draft, text: str, start: int) -> int:
    """Where the implication ends whose premise has just been opened; it goes to the draft."""
    premise, start = _set(text, start)
    start = _skip(text, start)
    arrow = next((arrow for arrow in _ARROWS if text.startswith(arrow, start)), None)
    if arrow is None:
        if start >= len(text) and not premise and not len(draft):
            return start  # the empty set, of implications
        raise _error(text, start, "no ⟶ behind a set; an implication is (#{...} ⟶ #{...})")
    behind = _skip(text, start + len(arrow))
    inside = _opened(text, behind)
    if inside is None:
        raise _error(text, behind, f"no set #{{...}} behind {arrow}")
    conclusion, start = _set(text, inside)
    draft.add(premise, conclusion)
    return start


def _opened(text: str, start: int) -> int | None:
    """Where the first thing inside a set stands that begins here; None where none begins."""
    for bracket in ("#{", "{"):
        if text.startswith(bracket, start):
            return _skip(text, start + len(bracket))
    return None


def _set(text: str, start: int) -> tuple[list[str], int]:
    """The names from start to the next }, and what comes behind it."""
    names = []
    while not text.startswith("}", start):
        begin = start
        if text.startswith('"', start):
            try:
                name, start = _json.raw_decode(text, start)
            except json.JSONDecodeError as error:
                raise _error(text, error.pos, error.msg) from error
        elif text.startswith("[", start):
            start = _vector(text, start)
            name = text[begin:start]
        else:
            stop = _END.search(text, start)
            start = stop.start() if stop else len(text)
            name = text[begin:start]
        if begin == start:
            raise _error(text, begin, "a set that is not closed with }")
        names.append(name)
        start = _skip(text, start)
    return names, start + 1


def _vector(text: str, start: int) -> int:
    """Where the [...] ends that begins here; as an attribute it is called what it looks like."""
    depth = 0
    for bracket in _BRACKETS.finditer(text, start):
        depth += {"[": 1, "]": -1}.get(bracket[0], 0)
        if bracket[0] == '"':
            break
        if depth == 0:
            return bracket.end()
    raise _error(text, start, "an attribute that begins with [ and does not end; only vectors of words can be read")


def _skip(text: str, start: int) -> int:
    blanks = _SKIP.match(text, start)
    return start if blanks is None else blanks.end()


def _error(text: str, offset: int, problem: str) -> FormatError:
    line, column = place(text, offset)
    return FormatError(problem, line=line, column=column)
