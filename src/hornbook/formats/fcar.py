"""Implications of fcaR: its text `a,b -> c`, one a line or ended by semicolons, and its JSON of rules."""

from __future__ import annotations

import re

from hornbook.errors import FormatError
from hornbook.formats import foreign, json_theory
from hornbook.formats.drafts import (
    definite_statements,
    lost_comments,
    lost_negations,
    lost_order,
    positions_in,
    theory_in,
)
from hornbook.formats.text import encode, plural, shown, some
from hornbook.formats.values import NamedTheory, Reading, Value

_UNSAFE = re.compile(r"[,;{}\[\]]|->|=>|→|⟶|⇒|^[#'\"]|\s\s")
_REGEX = re.compile(r"[][.^$*+?(){}|\\]")


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in a text file of fcaR."""
    reading = foreign.read(data, source, as_)
    return Reading(reading.value, "fcar", reading.notes)


def read_fcar_json(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The theory in a JSON file of fcaR."""
    return json_theory.read(data, source, as_)


def write(value: Value) -> bytes:
    """The theory as text that fcaR reads."""
    named = theory_in(value)
    names = named.universe.names
    used = {position for sides in definite_statements(named) for side in sides for position in positions_in(side)}
    for position in sorted(used):
        name = names[position]
        plain = name and name == name.strip() and name.isprintable() and foreign.balanced(name)
        if not plain or _UNSAFE.search(name):
            raise FormatError(f"{shown(name)} cannot stand in fcaR's text; write fcar-json, or rename it")
    lines = [
        ",".join([names[position] for position in positions_in(premise)])
        + " -> "
        + ",".join([names[position] for position in positions_in(conclusion)])
        for premise, conclusion in definite_statements(named)
    ]
    if not lines:
        raise FormatError(
            "a theory without implications cannot stand in fcaR's text, it would be an empty file; write fcar-json"
        )
    return encode("".join(line.strip() + "\n" for line in lines))


def losses(value: Value) -> list[str]:
    """What fcaR's text does not keep, and what fcaR does not read as it is meant."""
    named = theory_in(value)
    remarks = lost_order(named) + lost_negations(named, "fcaR") + lost_comments(named)
    patterns = [name for name in named.universe if _REGEX.search(name)]
    if patterns:
        remarks.append(f"fcaR takes names for regular expressions and may misread {some(patterns)}; fcar-json is safe")
    empty = sum(1 for premise, conclusion in definite_statements(named) if not premise or not conclusion)
    if empty:
        remarks.append(f"fcaR takes the empty side of {plural(empty, 'implication')} for a name; fcar-json is safe")
    return remarks


def write_fcar_json(value: Value) -> bytes:
    """The theory as JSON that fcaR reads."""
    named = theory_in(value)
    names = named.universe.names
    rules = [
        {
            "lhs": [names[position] for position in positions_in(premise)],
            "rhs": [names[position] for position in positions_in(conclusion)],
        }
        for premise, conclusion in definite_statements(named)
    ]
    return encode(json_theory.layout({"type": "ImplicationSet", "attributes": list(names), "rules": rules}))


def losses_fcar_json(value: Value) -> list[str]:
    """What fcaR's JSON does not keep."""
    named: NamedTheory = theory_in(value)
    return lost_negations(named, "fcaR") + lost_comments(named)
