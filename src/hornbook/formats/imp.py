r"""Implications as text: `a b -> c d` a line, `#` comments, `# attributes: a b c` for universe and order.

A word that begins with a double quote is a JSON string: `"two words"`, `"a\"b"`. Names are written so if they are
empty, begin like a negation, or hold blanks, `"`, `#`, `->` or control characters. `a b -> !` is negative.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from hornbook.errors import FormatError
from hornbook.formats.drafts import Draft, positions_in, statements, theory_in
from hornbook.formats.text import decode, encode, one_line, plural, shown, some, word
from hornbook.formats.values import Reading, Value

_HEADER = re.compile(r"^[ \t]*#[ \t]*attributes[ \t]*(?:\([^)\n]*\))?[ \t]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_COMMENT_LINE = re.compile(r"^[ \t]*#", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|\s)#")
_END = re.compile(r'[\s"]|->')
_BLANKS = re.compile(r"\s*")
_OTHER_ARROW = re.compile(r"=>|⟶|→|⇒|:-|<-")
_NEGATIONS = ("!", "~", "¬")

_json = json.JSONDecoder(strict=False)


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in an .imp file."""
    text, notes = decode(data)
    lines = text.split("\n")
    headers = _headers(lines) if _HEADER.search(text) else []
    draft = _draft(headers)
    number, line = 0, ""
    try:
        for number, line in enumerate(lines, 1):  # noqa: B007
            _read_line(draft, line)
    except FormatError as error:
        error.line, error.column = number, error.column or _column_of_stranger(draft, line)
        raise
    named = draft.finished(
        "an implication is `a b -> c`, and an empty theory names its attributes: # attributes: a b c"
    )
    much = f"{plural(named.universe.size, 'attribute')}, {plural(len(named.theory), 'implication')}"
    notes.insert(0, much if headers else f"{much}; attributes in order of first appearance")
    left_out = sum(1 for _ in _COMMENT_LINE.finditer(text)) - len(headers)
    if left_out:
        notes.append(f"{plural(left_out, 'comment line')} left out; those behind implications are read")
    odd = [name for name in named.universe if name.startswith(_NEGATIONS) and json.dumps(name) not in text]
    if odd:
        notes.append(f"taken as names, not as negations: {some(odd)}")
    commas = [name for name in islice((name for name in named.universe if "," in name), 20) if f'"{name}"' not in text]
    if commas:
        notes.append(f"taken as one name each, for blanks part names, not commas: {some(commas)}")
    return Reading(named, "imp", tuple(notes))


def write(value: Value) -> bytes:
    """The theory as an .imp file, its attributes first."""
    named = theory_in(value)
    words = [word(name) for name in named.universe]
    lines = [" ".join(["# attributes:", *words])]
    for premise, conclusion, comment in statements(named):
        left = [words[position] for position in positions_in(premise)]
        right = ["!"] if conclusion is None else [words[position] for position in positions_in(conclusion)]
        tail = one_line(comment) if comment else ""
        lines.append(" ".join([*left, "->", *right, *(["#", tail] if tail else [])]))
    return encode("\n".join(lines) + "\n")


def losses(value: Value) -> list[str]:
    """What an .imp file does not keep: line breaks in comments."""
    broken = sum(1 for comment in theory_in(value).comments if one_line(comment) != comment.strip())
    return [f"line breaks in {plural(broken, 'comment')} written as blanks"] if broken else []


def _headers(lines: list[str]) -> list[tuple[int, re.Match[str]]]:
    """The lines that name the attributes, with their numbers."""
    return [(number, header) for number, line in enumerate(lines, 1) if (header := _HEADER.match(line))]


def _draft(headers: list[tuple[int, re.Match[str]]]) -> Draft:
    """An empty theory over the attributes that the headers name; over any where there is no header."""
    if not headers:
        return Draft()
    lines: dict[str, int] = {}
    for number, header in headers:
        try:
            for kind, token, column in _words(header.string, header.start(1)):
                if kind in ("arrow", "!"):
                    raise FormatError(f"{token} among the attributes; as a name it is quoted", column=column)
                if kind == "name" and token in lines:
                    raise FormatError(f"{shown(token)} stands in line {lines[token]} already; keep one", column=column)
                if kind == "name":
                    lines[token] = number
        except FormatError as error:
            error.line = number
            raise
    return Draft(lines, hint=f"else add it to the attributes in line {headers[0][0]}")


def _read_line(draft: Draft, line: str) -> None:
    """Adds the implication in this line, if there is one."""
    comment, plain = "", line
    if "#" in line and (start := _COMMENT.search(line)):
        comment, plain = line[start.end() :].strip(), line[: start.start()]
    left, arrow, right = plain.partition("->")
    if '"' in line or "!" in plain or "->" in right:
        _read_carefully(draft, line)
    elif arrow:
        draft.add(left.split(), right.split(), comment)
    elif plain.strip():
        raise _no_arrow(plain)


def _read_carefully(draft: Draft, line: str) -> None:
    """The same for a line with quotes or marks, word by word."""
    sides: list[list[str]] = [[]]
    impossible, comment = False, ""
    for kind, token, column in _words(line, 0):
        if kind == "comment":
            comment = token
        elif kind == "arrow":
            if len(sides) == 2:
                raise FormatError(
                    "a second ->; one implication a line, and a name with an arrow is quoted", column=column
                )
            sides.append([])
        elif impossible or (kind == "!" and (len(sides) == 1 or sides[1])):
            raise FormatError('! stands alone behind ->; a name that is called ! is quoted: "!"', column=column)
        elif kind == "!":
            impossible = True
        else:
            sides[-1].append(token)
    if len(sides) == 2:
        draft.add(sides[0], None if impossible else sides[1], comment)
    elif sides[0]:
        raise _no_arrow(line)


def _words(line: str, start: int) -> Iterator[tuple[str, str, int]]:
    """The words from start on: their kind (name, arrow, ! or comment), themselves, and the column of each."""
    after_blank = True
    while (begin := _end_of_blanks(line, start)) < len(line):
        after_blank = after_blank or begin > start
        if after_blank and line[begin] == "#":
            yield "comment", line[begin + 1 :].strip(), begin + 1
            return
        if line.startswith("->", begin):
            yield "arrow", "->", begin + 1
            start, after_blank = begin + 2, False
            continue
        if line[begin] == '"':
            token, start = _quoted(line, begin)
            kind = "name"
        else:
            stop = _END.search(line, begin)
            start = stop.start() if stop else len(line)
            token = line[begin:start]
            kind = "!" if token == "!" else "name"
            if stop and stop[0] == '"':
                raise FormatError('a quote inside a name; write it as a JSON string, "a\\"b"', column=start + 1)
        yield kind, token, begin + 1
        after_blank = False


def _end_of_blanks(line: str, start: int) -> int:
    blanks = _BLANKS.match(line, start)
    return start if blanks is None else blanks.end()


def _quoted(line: str, begin: int) -> tuple[str, int]:
    """The name that the quote at begin opens, and where it ends."""
    try:
        token, stop = _json.raw_decode(line, begin)
    except json.JSONDecodeError as error:
        way_out = 'end it with "' if error.pos == begin else r"a backslash is written \\"
        raise FormatError(f"{error.msg}; {way_out}", column=error.pos + 1) from error
    if stop < len(line) and not line[stop].isspace() and not line.startswith("->", stop):
        raise FormatError("a blank is missing behind the closing quote", column=stop + 1)
    return str(token), stop


def _no_arrow(line: str) -> FormatError:
    other = _OTHER_ARROW.search(line)
    if other is not None:
        return FormatError(f"no -> in this line; {other[0]} is no arrow here, write ->", column=other.start() + 1)
    return FormatError(f"no -> in {shown(line.strip())}; an implication is `a b -> c`, a comment begins with #")


def _column_of_stranger(draft: Draft, line: str) -> int | None:
    """Where the first name stands that the draft does not know."""
    if draft.universe is None:
        return None
    for kind, token, column in _words(line, 0):
        if kind == "name" and token not in draft.universe:
            return column
    return None
