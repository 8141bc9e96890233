"""The text of a UVL file as a tree of lines: words, comments left out, what is indented below what stands above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hornbook.errors import FormatError
from hornbook.formats.propositional import Token
from hornbook.formats.text import shown

_TOKEN = re.compile(
    r"""(?P<blank>[^\S\n]+)|(?P<newline>\n)
    |(?P<word>[^\s(){}\[\],!&|=<>+*/"'.:-][^\s(){}\[\],!&|=<>+*/".:-]*)
    |(?P<comment>//[^\n]*|/\*[\s\S]*?\*/)|(?P<open>/\*)
    |(?P<name>"[^"\n]*")|(?P<string>'[^'\n]*')
    |(?P<sign><=>|=>|==|<=|>=|!=|\.\.|[<>!&|(){}\[\],.+*/-])|(?P<odd>.)""",
    re.VERBOSE,
)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_INDENTATION = re.compile(r"[ \t]*")


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
    depth = number = begin = 0
    for match in _TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind == "blank":
            continue
        if kind == "comment":
            if "\n" in word:
                number, begin = number + word.count("\n"), match.start() + word.rfind("\n") + 1
        elif kind == "newline":
            number, begin = number + 1, match.end()
            if tokens and depth == 0:
                yield Line(tokens, indentation)
                tokens = []
        else:
            if not tokens:
                blanks = _INDENTATION.match(text, begin)
                indentation = "" if blanks is None else blanks[0]
            token = _token(kind or "", word, number + 1, match.start() - begin + 1)
            tokens.append(token)
            if token.kind in _DEPTH:
                depth = max(0, depth + _DEPTH[token.kind])
    if tokens:
        yield Line(tokens, indentation)


def _token(kind: str, word: str, line: int, column: int) -> Token:
    """The word or sign that was matched as this kind."""
    if kind == "sign":
        return Token(word, word, line, column)
    if kind == "word":
        return Token("number" if word.isdecimal() else "word", word, line, column)
    if kind == "name" or kind == "string":
        return Token(kind, word[1:-1], line, column)
    problems = {
        "/*": "a comment /* that does not end",
        '"': 'a " that is not closed in its line',
        "'": "a ' that is not closed in its line",
    }
    problem = problems.get(word, f"{shown(word)} is no sign of UVL; a name with it stands between double quotes")
    raise FormatError(problem, line=line, column=column)
