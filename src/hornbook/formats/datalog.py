"""Implications as propositional rules, `c :- a, b.`, the way Prolog and Datalog write them; `:- a, b.` is negative.

A comment `% attributes: a, b.` fixes universe and order; a comment behind a rule goes with it. Names are written bare
where Prolog takes them for atoms, else between single quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hornbook.errors import FormatError
from hornbook.formats.drafts import Draft, positions_in, statements, theory_in
from hornbook.formats.text import decode, encode, one_line, place, plural, shown, some
from hornbook.formats.values import Reading, Value

_SKIP = re.compile(r"\s*")
_END = re.compile(r"""[\s,()'"%;|!\\]|:-|\.(?=\s|%|\Z)|/\*""")
_HEADER = re.compile(r"^%[ \t]*attributes[ \t]*:(.*)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"\.(?:decl|input|output|type|printsize)\b[^\n]*")
_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*")
_QUOTE = re.compile(r"""['"\\]""")
_HEX = re.compile(r"x([0-9A-Fa-f]{1,6})\\")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_RESERVED = ("true", "false", "fail", "not")
_REFUSED = {
    ";": "a disjunction; write a rule for each side",
    "|": "a disjunction; write a rule for each side",
    "not": "a negation; only definite rules and `:- a, b.` can be read",
    "!": "a cut or a negation; only definite rules and `:- a, b.` can be read",
    "\\": "a negation; only definite rules and `:- a, b.` can be read",
}

Token = tuple[str, str, int]
"""Kind (quoted, word, comment, or the mark itself), text, and where it stands."""


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory that the rules are."""
    text, notes = decode(data)
    header = _HEADER.search(text)
    draft = Draft(None if header is None else _declared(text, header), hint="else add it to `% attributes:`")
    for rule, comment in _rules(text):
        try:
            _read_rule(draft, text, rule, comment)
        except FormatError as error:
            raise error if error.line else _error(text, rule[0][2], error.problem) from None
    named = draft.finished("a rule is `c :- a, b.`, and an empty theory names its attributes: % attributes: a, b, c.")
    much = f"{plural(named.universe.size, 'attribute')}, {plural(len(named.theory), 'rule')}"
    notes.insert(0, f"{much}; attributes in order of first appearance" if header is None else much)
    capital = [name for name in named.universe if name[:1].isupper() and f"'{name}'" not in text]
    if capital:
        notes.append(f"capitalised words taken as names, not as variables: {some(capital)}")
    return Reading(named, "datalog", tuple(notes))


def write(value: Value) -> bytes:
    """The theory as rules, one for each attribute that an implication adds."""
    named = theory_in(value)
    words = [_word(name) for name in named.universe]
    lines = [f"% attributes: {', '.join(words)}." if words else "% attributes:"]
    for premise, conclusion, comment in statements(named):
        body = ", ".join([words[position] for position in positions_in(premise)])
        remark = f" % {one_line(comment)}" if comment else ""
        if conclusion is None:
            lines.append(f":- {body or 'true'}.{remark}")
            continue
        for position in positions_in(conclusion):
            lines.append(f"{words[position]}{' :- ' if body else ''}{body}.{remark}")
            remark = ""
    return encode("\n".join(lines) + "\n")


def losses(value: Value) -> list[str]:
    """What rules do not keep: which of them were one implication."""
    named = theory_in(value)
    remarks = []
    wide = sum(1 for _, conclusion, _ in statements(named) if conclusion is not None and conclusion.bit_count() > 1)
    if wide:
        remarks.append(f"{plural(wide, 'implication')} with several conclusions written as a rule for each")
    empty = sum(1 for _, conclusion, _ in statements(named) if conclusion == 0)
    if empty:
        remarks.append(f"{plural(empty, 'implication')} with nothing to add left out")
    return remarks


def _declared(text: str, header: re.Match[str]) -> list[str]:
    tokens = [token for token in _tokens(text, header.start(1), header.end(1)) if token[0] not in (",", ".")]
    for kind, word, offset in tokens:
        if kind not in ("word", "quoted"):
            raise _error(text, offset, f"{shown(word)} among the attributes; names stand between commas")
    return [word for _, word, _ in tokens]


def _rules(text: str) -> Iterator[tuple[list[Token], str]]:
    """The tokens of each rule, and the comment behind it on its last line."""
    rule: list[Token] = []
    full_stop = -1
    done: list[Token] = []
    for token in _tokens(text, 0, len(text)):
        kind, word, offset = token
        if kind == "comment":
            if done and "\n" not in text[full_stop:offset]:
                yield done, word.strip()
                done = []
            continue
        if done:
            yield done, ""
            done = []
        if kind == "." and not rule:
            raise _error(text, offset, "a full stop without a rule")
        if kind == ".":
            rule, done, full_stop = [], rule, offset
        else:
            rule.append(token)
    if done:
        yield done, ""
    if rule:
        raise _error(text, rule[0][2], "the last rule does not end with a full stop; add it, or is the file cut off?")


def _read_rule(draft: Draft, text: str, rule: list[Token], comment: str) -> None:
    neck = next((index for index, token in enumerate(rule) if token[0] == ":-"), len(rule))
    head, body = _atoms(text, rule[:neck]), _atoms(text, rule[neck + 1 :])
    if len(head) > 1:
        raise _error(text, head[1][2], "a second head; write a rule for each")
    if neck == len(rule) - 1:
        raise _error(text, rule[neck][2], "nothing behind :-; a rule without a body has no :- either")
    for kind, word, offset in body:
        if kind == "word" and word in ("false", "fail"):
            raise _error(text, offset, f"{word} in a body: the rule says nothing; leave it out")
    premise = [word for kind, word, _ in body if (kind, word) != ("word", "true")]
    negative = not head or head[0][:2] == ("word", "false")
    draft.add(premise, None if negative else [head[0][1]], comment)


def _atoms(text: str, tokens: list[Token]) -> list[Token]:
    """The atoms between the commas."""
    atoms: list[Token] = []
    wanted = True
    index = 0
    while index < len(tokens):
        kind, word, offset = tokens[index]
        if word in _REFUSED and kind != "quoted":
            raise _error(text, offset, _REFUSED[word])
        if kind == ",":
            if wanted:
                raise _error(text, offset, "a comma too many")
            wanted = True
        elif kind == "(" and not wanted:
            if index + 1 == len(tokens) or tokens[index + 1][0] != ")":
                raise _error(text, offset, "an atom with arguments; only propositional rules can be read")
            index += 1
        elif kind in ("word", "quoted") and wanted:
            atoms.append(tokens[index])
            wanted = False
        else:
            raise _error(text, offset, f"{shown(word)} where a comma or a full stop is expected")
        index += 1
    if wanted and tokens:
        raise _error(text, tokens[-1][2], "a comma too many")
    return atoms


def _tokens(text: str, start: int, end: int) -> Iterator[Token]:
    while (start := _skip(text, start)) < end:
        begin, char = start, text[start]
        if char == "%":
            stop = text.find("\n", begin, end)
            start = end if stop < 0 else stop
            yield "comment", text[begin + 1 : start], begin
        elif text.startswith("/*", begin):
            stop = text.find("*/", begin + 2, end)
            if stop < 0:
                raise _error(text, begin, "a comment /* that does not end")
            start = stop + 2
        elif char in "'\"":
            word, start = _quoted(text, begin)
            yield "quoted", word, begin
        elif text.startswith(":-", begin):
            yield ":-", ":-", begin
            start = begin + 2
        elif char == "." and (directive := _DIRECTIVE.match(text, begin)):
            start = directive.end()
        else:
            stop_at = _END.search(text, begin, end)
            start = stop_at.start() if stop_at else end
            if start == begin:
                yield char, char, begin
                start += 1
            else:
                yield "word", text[begin:start], begin


def _skip(text: str, start: int) -> int:
    blanks = _SKIP.match(text, start)
    return start if blanks is None else blanks.end()


def _quoted(text: str, begin: int) -> tuple[str, int]:
    """The name between the quotes that open at begin, and what comes behind it."""
    quote, start, parts = text[begin], begin + 1, []
    while (mark := _QUOTE.search(text, start)) is not None:
        parts.append(text[start : mark.start()])
        start = mark.end()
        if mark[0] == "\\":
            number = _HEX.match(text, start)
            if number is not None and int(number[1], 16) < 0x110000:
                parts.append(chr(int(number[1], 16)))
                start = number.end()
            elif text[start : start + 1] in _ESCAPES and start < len(text):
                parts.append(_ESCAPES[text[start]])
                start += 1
            else:
                raise _error(text, mark.start(), r"an escape that is not known; a backslash is written \\")
        elif mark[0] != quote:
            parts.append(mark[0])
        elif text.startswith(quote, start):
            parts.append(quote)
            start += 1
        else:
            return "".join(parts), start
    raise _error(text, begin, f"a name between quotes that does not end; end it with {quote}")


def _word(name: str) -> str:
    """The name as an atom."""
    if _ATOM.fullmatch(name) and name not in _RESERVED:
        return name
    return "'" + "".join(map(_escaped, name)) + "'"


def _escaped(char: str) -> str:
    if char in "\\'":
        return "\\" + char
    if char == "\n":
        return "\\n"
    return char if char.isprintable() else f"\\x{ord(char):x}\\"


def _error(text: str, offset: int, problem: str) -> FormatError:
    line, column = place(text, offset)
    return FormatError(problem, line=line, column=column)
