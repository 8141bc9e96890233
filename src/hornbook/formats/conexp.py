"""Implications of conexp-clj: its JSON, which names no attributes first, and its text.

The text is `(#{"a"} ⟶ #{"b"})`, as it is printed, or `(impl a ==> b)`, as it is typed.
"""

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
_IMPL = re.compile(r"\(\s*impl(?=\s)")
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
        if macro := _IMPL.match(text, start):
            start, depth = _read_macro(draft, text, macro.end()), depth + 1
        elif char in "([":
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
        name, end = _name(text, start)
        if end == start:
            raise _error(text, start, "a set that is not closed with }")
        names.append(name)
        start = _skip(text, end)
    return names, start + 1


def _read_macro(draft: Draft, text: str, start: int) -> int:
    """Where the bracket stands that closes an implication `(impl a b ==> c)`, which goes to the draft."""
    sides: list[list[str]] = [[]]
    begin, start = start, _skip(text, start)
    while start < len(text) and text[start] != ")":
        arrow = next((arrow for arrow in _ARROWS if text.startswith(arrow, start)), None)
        if arrow is None:
            name, end = _name(text, start)
            sides[-1].append(name)
        else:
            sides.append([])
            end = start + len(arrow)
        if end == start:
            break
        start = _skip(text, end)
    if len(sides) != 2 or not text.startswith(")", start):
        raise _error(text, begin, "an implication is `(impl a b ==> c)`")
    draft.add(sides[0], sides[1])
    return start


def _name(text: str, start: int) -> tuple[str, int]:
    """The name that begins here, and what comes behind it: nothing of both where none does."""
    if text.startswith('"', start):
        try:
            name, end = _json.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise _error(text, error.pos, error.msg) from error
        return str(name), end
    if text.startswith("[", start):
        end = _vector(text, start)
    else:
        stop = _END.search(text, start)
        end = stop.start() if stop else len(text)
    return text[start:end], end


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
