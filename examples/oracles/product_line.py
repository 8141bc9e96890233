"""A formula as an oracle: what selecting features of a product line forces.

python product_line.py                              a phone, made up
python product_line.py MODEL.dimacs FEATURE ...     a model of your own, in named DIMACS or UVL
"""

from __future__ import annotations

import sys

from hornbook.formats.values import NamedFormula
from hornbook.oracles.formula import Formula
from hornbook.universe import Universe

FEATURES = Universe.of(["phone", "screen", "basic", "colour", "touch", "camera", "media", "gps", "battery"])
RULES = [
    "phone",
    "screen | !phone", "phone | !screen",
    "basic | colour | touch | !screen", "!basic | !colour", "!basic | !touch", "!colour | !touch",
    "screen | !basic", "screen | !colour", "screen | !touch",
    "!camera | touch | colour", "!camera | media", "!media | battery", "!gps | battery", "!gps | !basic",
    "!touch | battery", "!colour | battery",
]  # fmt: skip


def phone() -> NamedFormula:
    """The phone: a screen that is basic, colour or touch, and what the extras ask for."""

    def literal(word: str) -> int:
        variable = FEATURES.position(word.removeprefix("!")) + 1
        return -variable if word.startswith("!") else variable

    return NamedFormula(FEATURES, tuple(tuple(map(literal, rule.split(" | "))) for rule in RULES))


def model(path: str) -> NamedFormula:
    """The feature model in a file."""
    from hornbook import formats

    value = formats.read(path, as_="formula").value
    assert isinstance(value, NamedFormula)
    return value


def main(path: str | None = None, *selected: str) -> None:
    formula = phone() if path is None else model(path)
    names, oracle = formula.universe, Formula(formula)
    core = oracle.core()
    if core is None:
        print("no product at all")
        return
    print("in every product:", *names.names_in(core))
    print("in no product:", *names.names_in(oracle.dead()) or ["-"])
    for chosen in [selected] if selected else [["camera"], ["gps"], ["basic"], ["basic", "gps"]]:
        closed = oracle.closure(names.attrs(chosen))
        forced = ["!"] if closed is None else names.names_in(closed & ~core & ~names.attrs(chosen)) or ["-"]
        print(*chosen, "->", *forced)
    gap = oracle.horn_gap()
    if gap is None:
        print("implications say all of it")
    else:
        print("implications do not say all of it: two products, and what they share is none")
        for product in (*gap, gap[0] & gap[1]):
            print("  ", *names.names_in(product))


if __name__ == "__main__":
    main(*sys.argv[1:])
