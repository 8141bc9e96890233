"""A recorded run and its mimic, side by side on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from hornbook.errors import BadQuestion
from hornbook.paper.mimics import Mimic, Record
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent
from hornbook.theory import Implication
from hornbook.universe import Attrs, members


def side_by_side(mimic: Mimic, names: Sequence[str] | None = None, *, width: int = 80) -> str:
    """Both transcripts in two columns, block by block; positive counterexamples of the mimic are marked with +."""
    column = (width - 3) // 2
    kind = "LRN" if isinstance(mimic.steps[0].original[0][0], EntailmentEquivalent) else "ClH"
    size = _size(mimic)
    spell = _speller(size, names)
    lines = [_row([kind], ["AFP"], column), "-" * column + "-+-" + "-" * column]
    for step in mimic.steps:
        left = [line for record in step.original for line in _told(record, spell, column)]
        right = [line for record in step.mimic for line in _told(record, spell, column)]
        lines.append(_row(left, right, column))
        lines.append(" " * column + " |")
    counts = (
        f"a = {mimic.equivalences} equivalence queries, b = {mimic.sign_tests} sign tests, p = {mimic.taught} "
        f"positive examples; AFP: {mimic.asked(Equivalent)} SEQ, {mimic.asked(Contains)} SMQ"
    )
    return "\n".join([*lines[:-1], "", *textwrap.wrap(counts, width)]) + "\n"


def _row(left: list[str], right: list[str], column: int) -> str:
    rows = max(len(left), len(right))
    left, right = left + [""] * (rows - len(left)), right + [""] * (rows - len(right))
    return "\n".join(f"{one:<{column}} | {two}".rstrip() for one, two in zip(left, right, strict=True))


def _told(record: Record, spell: Callable[[Attrs], str], column: int) -> list[str]:
    """A record on one or several lines of a column."""
    query, answer = record
    if isinstance(query, Equivalent | EntailmentEquivalent):
        name = "SEQ" if isinstance(query, Equivalent) else "EEQ"
        rules = ", ".join(f"{spell(i.premise)}->{spell(i.added)}" for i in query.hypothesis) or "{}"
        sign = ""
        if answer is None:
            told = "yes"
        elif isinstance(answer, Implication):
            told = f"{spell(answer.premise)}->{spell(answer.conclusion)}"
        else:
            sign = "" if query.hypothesis.satisfies(answer) else "+"
            told = spell(answer)
        text = f"{name} {rules} = {sign}{told}"
    elif isinstance(query, Close):
        text = f"CQ  {spell(query.attrs)} = {spell(answer)}"
    elif isinstance(query, Contains):
        text = f"SMQ {spell(query.attrs)} = {'yes' if answer else 'no'}"
    elif isinstance(query, Entails):
        head = "FALSE" if query.attribute is None else spell(1 << query.attribute)
        text = f"EMQ {spell(query.premise)}->{head} = {'yes' if answer else 'no'}"
    else:
        raise BadQuestion(f"{type(query).__name__} is asked in no run of AFP, ClH or LRN")
    return textwrap.wrap(text, column, subsequent_indent="    ")


def _speller(size: int, names: Sequence[str] | None) -> Callable[[Attrs], str]:
    if names is None:
        names = [chr(ord("a") + i) for i in range(size)] if size <= 26 else [str(i) for i in range(size)]
    glue = "" if all(len(name) == 1 for name in names) else " "
    return lambda attrs: glue.join(names[position] for position in members(attrs)) or "{}"


def _size(mimic: Mimic) -> int:
    first: Any = mimic.steps[0].original[0][0]
    size: int = first.hypothesis.size
    return size
