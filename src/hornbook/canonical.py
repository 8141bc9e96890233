"""From rules to the canonical (Guigues-Duquenne) basis, two ways; rules are (premise, conclusion) pairs.

`two_pass` is the minimisation of Shock (1986), Day (1992) and Wild (1994); `by_classes` is the procedure of
Section 2.4 of Arias, Balcazar and Tirnauca, from Arias and Balcazar (2011). Both return premise -> closure,
smaller premises first. Where there is much to do, kernels do what `two_pass` does, or `together` spreads it over
closures of many sets at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isqrt
from time import perf_counter_ns
from typing import TypeAlias

from hornbook.chaining import GLANCE, Rule, close, closer
from hornbook.kernels import switch
from hornbook.universe import Attrs, everything

Closures: TypeAlias = Callable[[int, Sequence[Rule], Sequence[Attrs]], list[Attrs]]
"""From a size, rules and sets to the closures of the sets."""

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
    """The same with kernels: one premise after the other, or all together where closures overlap much."""
    from hornbook.kernels import front

    program = front.program(size, rules)
    saved = front.saved_together(program)
    if saved > 0 and switch.pays(switch.SLICES, saved):
        return _in_order(together(size, rules, front.close_all))
    return front.canonical(program)


def together(size: int, rules: Sequence[Rule], closures: Closures) -> list[Rule]:
    """The canonical basis by closures of many sets at once, not one of which waits for another.

    In each class of premises with the same closure, the pseudo-closed sets are the smallest of the quasi-closures that
    are not closed. Quasi-closures become closures like any other by two more attributes for each class, its row and its
    column in a square: a set has all of them but those of its own class, and each rule wants one or the other of its
    class. So it fires for the sets of all other classes, and for no set of its own.
    """
    premises = list(dict.fromkeys(premise for premise, _ in rules))
    stars = dict(zip(premises, closures(size, rules, premises), strict=True))
    side = isqrt(len(set(stars.values()))) + 1
    guards: dict[Attrs, tuple[Attrs, Attrs]] = {}
    for closed in stars.values():
        if closed not in guards:
            row, column = divmod(len(guards), side)
            guards[closed] = 1 << size + row, 1 << size + side + column
    rules = [(premise | guard, added) for premise, added in rules for guard in guards[stars[premise]]]
    every = everything(size + 2 * side) ^ everything(size)
    asked = [premise | every ^ sum(guards[closed]) for premise, closed in stars.items()]
    quasi_closed: dict[Attrs, set[Attrs]] = {}
    for closed, answer in zip(stars.values(), closures(size + 2 * side, rules, asked), strict=True):
        quasi_closed.setdefault(closed, set()).add(answer & closed)
    return [(premise, closed) for closed, sets in quasi_closed.items() for premise in _smallest(sets - {closed})]


def _smallest(sets: Iterable[Attrs]) -> list[Attrs]:
    """Those of the sets that have none of the others in them."""
    kept: list[Attrs] = []
    for attrs in sorted(sets, key=int.bit_count):
        if not any(smaller & attrs == smaller for smaller in kept):
            kept.append(attrs)
    return kept


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
