"""Implications in the text dialects of other programs: attributes between commas, sides between any kind of arrow.

`a, b => c`, `a,b -> c; c -> d`, `{'a', 'b'} → {'c'}` and what fcaR prints are read; blanks inside a name belong to it.
"""

from __future__ import annotations

import re

from hornbook.errors import FormatError
from hornbook.formats.drafts import Draft
from hornbook.formats.text import decode, plural, shown
from hornbook.formats.values import Reading

_ARROW = re.compile(r"-{1,3}>|={1,3}>|[→⟶⇒⟹]")
_RULE = re.compile(r"Rule\s+\d+\s*:")
_TITLE = re.compile(r"(Implication|Rule) set with \d+ (implication|rule)s?\.?")
_EMPTY = ("∅", "{}", "[]")


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in a text of `a, b -> c`."""
    text, notes = decode(data)
    draft = Draft()
    titles = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#") or _TITLE.fullmatch(line.strip()):
            titles += 1
            continue
        column = 1
        for part in line.split(";"):
            try:
                _read_part(draft, part)
            except FormatError as error:
                error.line, error.column = number, column + len(part) - len(part.lstrip())
                raise
            column += len(part) + 1
    named = draft.finished("an implication is `a, b -> c`")
    much = f"{plural(named.universe.size, 'attribute')}, {plural(len(named.theory), 'implication')}"
    notes.insert(0, f"{much}; attributes between commas, in order of first appearance")
    if titles:
        notes.append(f"{plural(titles, 'line')} of comment left out")
    return Reading(named, "text", tuple(notes))


def _read_part(draft: Draft, part: str) -> None:
    if not part.strip():
        return
    rule = _RULE.match(part.lstrip())
    if rule:
        part = part.lstrip()[rule.end() :]
    sides = _ARROW.split(part)
    if len(sides) != 2:
        problem = "no arrow" if len(sides) == 1 else f"{len(sides) - 1} arrows"
        raise FormatError(f"{problem} in {shown(part.strip())}; an implication is `a, b -> c`")
    draft.add(_names(sides[0]), _names(sides[1]))


def _names(side: str) -> list[str]:
    """The names between the commas, without the braces around them all."""
    side = side.strip()
    if not side or side in _EMPTY:
        return []
    if side[0] + side[-1] in ("{}", "[]"):
        side = side[1:-1].strip()
        if not side:
            return []
    if not balanced(side):
        raise FormatError(f"brackets that do not match in {shown(side)}; sides are `a, b` or `{{a, b}}`")
    return [_name(" ".join(name.split()), side) for name in side.split(",")]


def balanced(text: str) -> bool:
    """Whether every round bracket that is opened is closed."""
    depth = 0
    for bracket in re.findall("[()]", text):
        depth += 1 if bracket == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def _name(name: str, side: str) -> str:
    """The name without its quotes."""
    if not name:
        raise FormatError(f"an empty name in {shown(side)}; there is a comma too many")
    if name[0] not in "'\"":
        return name
    if len(name) < 3 or name[-1] != name[0]:
        raise FormatError(f"a quote that does not end in {shown(side)}; names have no commas in them")
    return name[1:-1]
