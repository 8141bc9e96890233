"""From rules to the canonical (Guigues-Duquenne) basis, two ways; rules are (premise, conclusion) pairs.

`two_pass` is the minimisation of Shock (1986), Day (1992) and Wild (1994); `by_classes` is the procedure of
Section 2.4 of Arias, Balcazar and Tirnauca, from Arias and Balcazar (2011). Both return premise -> closure,
smaller premises first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter_ns

from hornbook.chaining import GLANCE, Rule, close, closer
from hornbook.kernels import switch

PACK = 100_000
"""The nanoseconds of plain Python that are worth to pack the rules for the kernels, as measured."""
ROUND = 64
"""So many rules go through the second pass before it is asked again whether kernels would do better."""

_FLIPPED = bytes(int(f"{byte:08b}"[::-1], 2) ^ 255 for byte in range(256))


def two_pass(size: int, rules: Sequence[Rule]) -> list[Rule]:
    """The canonical basis: saturate every right side under all rules, then every left side under the others.

    One pass that does both at once is wrong: a left side may then grow under a right side that is still too small.
    """
    if switch.pays(switch.CANONICAL, 2 * GLANCE * len(rules) ** 2, PACK):
        return _compiled(size, rules)
    saturated = _right_saturated(size, rules)
    premises = list(saturated)
    for start in range(0, len(premises), ROUND):
        if switch.pays(switch.CANONICAL, GLANCE * len(saturated) * (len(premises) - start), PACK):
            return _compiled(size, rules)
        started = perf_counter_ns()
        for premise in premises[start : start + ROUND]:
            # Later left sides see the ones already grown: that is what makes the order free.
            closed = saturated.pop(premise)
            grown = close(premise, saturated.items())
            if grown != closed:
                saturated[grown] = closed
        switch.spend(perf_counter_ns() - started)
    return _in_order(saturated.items())


def _compiled(size: int, rules: Sequence[Rule]) -> list[Rule]:
    from hornbook.kernels import front

    return _in_order(front.canonical(size, rules))


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
    return _in_order(quasi_closed.items())


def _right_saturated(size: int, rules: Sequence[Rule]) -> dict[int, int]:
    """Premise -> closure for every premise that is not closed. Equal premises fall together."""
    closure = closer(size, rules)
    premises = dict.fromkeys(premise for premise, _ in rules)
    return {premise: closed for premise in premises if (closed := closure(premise)) != premise}


def _in_order(basis: Iterable[Rule]) -> list[Rule]:
    """The rules by the order `by_size` of their premises, told from their bytes: members would take too long."""
    return sorted(basis, key=_by_premise)


def _by_premise(rule: Rule) -> tuple[int, bytes]:
    premise = rule[0]
    # Of two sets of one size, first comes the one that has the lowest position in which they differ.
    return premise.bit_count(), premise.to_bytes((premise.bit_length() + 7) // 8, "little").translate(_FLIPPED)
