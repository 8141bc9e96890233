"""From rules to the canonical (Guigues-Duquenne) basis, two ways; rules are (premise, conclusion) pairs.

`two_pass` is the minimisation of Shock (1986), Day (1992) and Wild (1994); `by_classes` is the procedure of
Section 2.4 of Arias, Balcazar and Tirnauca, from Arias and Balcazar (2011). Both return premise -> closure,
smaller premises first.
"""

from __future__ import annotations

from collections.abc import Sequence

from hornbook.chaining import Rule, close, closer
from hornbook.universe import by_size


def two_pass(size: int, rules: Sequence[Rule]) -> list[Rule]:
    """The canonical basis: saturate every right side under all rules, then every left side under the others.

    One pass that does both at once is wrong: a left side may then grow under a right side that is still too small.
    """
    saturated = _right_saturated(size, rules)
    for premise, closed in list(saturated.items()):
        # Later left sides see the ones already grown: that is what makes the order free.
        del saturated[premise]
        grown = close(premise, saturated.items())
        if grown != closed:
            saturated[grown] = closed
    return _in_order(saturated)


def by_classes(size: int, rules: Sequence[Rule]) -> list[Rule]:
    """The canonical basis: saturate right sides, quasi-close left sides, remove what is redundant."""
    saturated = _right_saturated(size, rules)
    quasi_closed = {
        close(premise, ((p, c) for p, c in saturated.items() if c != closed)): closed
        for premise, closed in saturated.items()
    }
    for premise, closed in list(quasi_closed.items()):
        del quasi_closed[premise]
        if close(premise, quasi_closed.items()) != closed:
            quasi_closed[premise] = closed
    return _in_order(quasi_closed)


def _right_saturated(size: int, rules: Sequence[Rule]) -> dict[int, int]:
    """Premise -> closure for every premise that is not closed. Equal premises fall together."""
    closure = closer(size, rules)
    premises = dict.fromkeys(premise for premise, _ in rules)
    return {premise: closed for premise in premises if (closed := closure(premise)) != premise}


def _in_order(basis: dict[int, int]) -> list[Rule]:
    return sorted(basis.items(), key=lambda rule: by_size(rule[0]))
