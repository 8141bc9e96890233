r"""Implications for a paper: a line `$\{a, b\} \Rightarrow \{c\}$` each, with nothing to load. Written only."""

from __future__ import annotations

from hornbook.formats.drafts import positions_in, statements, theory_in
from hornbook.formats.text import encode, one_line, plural
from hornbook.formats.values import Value

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "|": r"\textbar{}",
}
_TABLE = str.maketrans(_SPECIAL)


def write(value: Value) -> bytes:
    """The theory, a formula a line; negative clauses end in a falsum."""
    named = theory_in(value)
    words = [rf"\mbox{{{_escaped(name)}}}" for name in named.universe]
    lines = [f"% {plural(len(named.theory), 'implication')} over {plural(named.universe.size, 'attribute')}"]
    for premise, conclusion, comment in statements(named):
        left = _set([words[position] for position in positions_in(premise)])
        right = r"\bot" if conclusion is None else _set([words[position] for position in positions_in(conclusion)])
        remark = f" % {one_line(comment)}" if comment else ""
        lines.append(rf"$ {left} \Rightarrow {right} $\\{remark}")
    return encode("\n".join(lines) + "\n")


def losses(value: Value) -> list[str]:
    """What cannot be seen in LaTeX: attributes that no implication has, and where blanks stood."""
    named = theory_in(value)
    used = 0
    for premise, conclusion, _ in statements(named):
        used |= premise | (conclusion or 0)
    unused = named.universe.size - used.bit_count()
    return [f"{plural(unused, 'attribute')} in no implication left out"] if unused else []


def _set(words: list[str]) -> str:
    return r"\{" + ", ".join(words) + r"\}" if words else r"\emptyset"


def _escaped(name: str) -> str:
    return one_line(name).translate(_TABLE)
