"""Implications of java-lattices and GALACTIC: all elements in the first line, then one `a b -> c d` a line."""

from __future__ import annotations

import re

from hornbook.errors import FormatError
from hornbook.formats.drafts import (
    Draft,
    definite_statements,
    lost_comments,
    lost_negations,
    positions_in,
    theory_in,
)
from hornbook.formats.text import decode, encode, plural, shown
from hornbook.formats.values import Reading, Value

_WORD = re.compile(r"[^ \t\f]+")
_BREAK = re.compile(r"[ \t\f\r\n\0]")


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in a file of java-lattices. An element that the first line lacks is an error; there it is dropped."""
    text, notes = decode(data)
    lines = text.split("\n")
    elements = _WORD.findall(lines[0])
    if "->" in elements:
        raise FormatError("an implication where the first line must name all elements", line=1)
    number = 1
    try:
        draft = Draft(elements, hint="else add it to the elements in line 1")
        for number, line in enumerate(lines[1:], 2):  # noqa: B007
            words = _WORD.findall(line)
            if words:
                _read_words(draft, words)
    except FormatError as error:
        error.line = number
        raise
    named = draft.finished()
    notes.insert(0, f"{plural(named.universe.size, 'attribute')}, {plural(len(named.theory), 'implication')}")
    return Reading(named, "java-lattices", tuple(notes))


def write(value: Value) -> bytes:
    """The theory as text that java-lattices reads."""
    named = theory_in(value)
    names = named.universe.names
    for position, name in enumerate(names):
        marked = position == 0 and name.startswith("\ufeff")  # At the start of a file that is no part of a name.
        if not name or name == "->" or marked or _BREAK.search(name):
            raise FormatError(
                f"{shown(name)} cannot stand in a file of java-lattices; rename it, or write another format"
            )
    lines = [" ".join(names)]
    for premise, conclusion in definite_statements(named):
        left = [names[position] for position in positions_in(premise)]
        lines.append(" ".join([*left, "->", *[names[position] for position in positions_in(conclusion)]]))
    return encode("\n".join(lines) + "\n")


def losses(value: Value) -> list[str]:
    """What a file of java-lattices does not keep, and what its reader drops."""
    named = theory_in(value)
    remarks = lost_negations(named, "java-lattices") + lost_comments(named)
    empty = sum(1 for _, conclusion in definite_statements(named) if not conclusion)
    if empty:
        remarks.append(f"java-lattices drops {plural(empty, 'implication')} with nothing behind the arrow")
    return remarks


def _read_words(draft: Draft, words: list[str]) -> None:
    arrows = words.count("->")
    if arrows != 1:
        raise FormatError(f"{arrows or 'no'} -> in {shown(' '.join(words))}; an implication is `a b -> c`")
    arrow = words.index("->")
    draft.add(words[:arrow], words[arrow + 1 :])
