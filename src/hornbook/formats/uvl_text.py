"""The text of a UVL file as a tree of lines: words, comments left out, what is indented below what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hornbook.errors import FormatError
from hornbook.formats.propositional import Token
from hornbook.formats.text import shown

_SIGNS = ("<=>", "=>", "==", "<=", ">=", "!=", "..", *"<>!&|(){}[],.+-*/")
_WORD = re.compile(r"""[^\s(){}\[\],!&|=<>+*/"'.:-][^\s(){}\[\],!&|=<>+*/".:-]*""")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_BLANKS = re.compile(r"[ \t]*")
_INDENTATION = re.compile(r"[ \t]*")
_INTEGER = re.compile(r"[0-9]+")


@dataclass(slots=True)
class Line:
    """A line and those below it. Lines inside brackets belong to the one that opens them."""

    tokens: list[Token]
    indentation: str
    below: list[Line] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.tokens[0].line


def tree(text: str) -> list[Line]:
    """The lines that are not indented, each with those below it."""
    top = Line([], "")
    stack = [top]
    for line in _lines(text):
        while len(stack) > 1 and len(line.indentation) <= len(stack[-1].indentation):
            stack.pop()
        above = stack[-1]
        siblings = above.below
        expected = siblings[0].indentation if siblings else above.indentation
        fits = line.indentation == expected if siblings or above is top else line.indentation.startswith(expected)
        if not fits:
            raise FormatError(
                "the indentation fits no line above; use tabs or blanks, not both, and as many on each level",
                line=line.number,
            )
        siblings.append(line)
        stack.append(line)
    return top.below


def _lines(text: str) -> Iterator[Line]:
    """The lines with words, in order."""
    tokens: list[Token] = []
    indentation = ""
    depth = 0
    for token, start in _tokens(text):
        if token.kind != "\n":
            if not tokens:
                blanks = _INDENTATION.match(text, start - token.column + 1)
                indentation = "" if blanks is None else blanks[0]
            tokens.append(token)
            depth = max(0, depth + (token.kind in _OPENING) - (token.kind in _CLOSING))
        elif tokens and depth == 0:
            yield Line(tokens, indentation)
            tokens = []
    if tokens:
        yield Line(tokens, indentation)


def _tokens(text: str) -> Iterator[tuple[Token, int]]:
    """The words and signs, and where each begins; a line break is one too."""
    number, begin, start = 1, 0, 0
    while start < len(text):
        char = text[start]
        here = start
        if char == "\n":
            yield Token("\n", char, number, start - begin + 1), start
            number, start = number + 1, start + 1
            begin = start
        elif char.isspace():
            blanks = _BLANKS.match(text, start)
            start = start + 1 if blanks is None else max(start + 1, blanks.end())
        elif text.startswith("//", start):
            stop = text.find("\n", start)
            start = len(text) if stop < 0 else stop
        elif text.startswith("/*", start):
            stop = text.find("*/", start + 2)
            if stop < 0:
                raise FormatError("a comment /* that does not end", line=number, column=start - begin + 1)
            number, start = number + text.count("\n", start, stop), stop + 2
            begin = max(begin, text.rfind("\n", here, stop) + 1)
        else:
            kind, word, start = _word(text, start, number, start - begin + 1)
            yield Token(kind, word, number, here - begin + 1), here


def _word(text: str, start: int, number: int, column: int) -> tuple[str, str, int]:
    """Kind and text of the word or sign that begins here, and where it ends."""
    char = text[start]
    if char in "\"'":
        line_end = text.find("\n", start)
        stop = text.find(char, start + 1, len(text) if line_end < 0 else line_end)
        if stop < 0:
            raise FormatError(f"a {char} that is not closed in its line", line=number, column=column)
        return ("name" if char == '"' else "string"), text[start + 1 : stop], stop + 1
    word = _WORD.match(text, start)
    if word is not None:
        return ("number" if _INTEGER.fullmatch(word[0]) else "word"), word[0], word.end()
    for sign in _SIGNS:
        if text.startswith(sign, start):
            return sign, sign, start + len(sign)
    raise FormatError(
        f"{shown(char)} is no sign of UVL; a name with it stands between double quotes", line=number, column=column
    )
