"""Closed sets one after the other, in lectic order (Ganter's NextClosure, 1984)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hornbook.universe import Attrs


def next_closed(size: int, closure: Callable[[Attrs], Attrs], attrs: Attrs) -> Attrs | None:
    """The closed set that follows attrs, or None after the last. Position 0 is the most significant."""
    for position in range(size - 1, -1, -1):
        bit = 1 << position
        if attrs & bit:
            attrs ^= bit
        else:
            closed = closure(attrs | bit)
            if closed & ~attrs & (bit - 1) == 0:
                return closed
    return None


def closed_sets(size: int, closure: Callable[[Attrs], Attrs]) -> Iterator[Attrs]:
    """Every closed set, lazily."""
    closed: Attrs | None = closure(0)
    while closed is not None:
        yield closed
        closed = next_closed(size, closure, closed)


def pseudo_closed_sets(size: int, closure: Callable[[Attrs], Attrs]) -> Iterator[tuple[Attrs, Attrs]]:
    """Every pseudo-closed set with its closure, in lectic order: the canonical basis of any closure operator."""
    found: list[tuple[Attrs, Attrs]] = []
    candidate: Attrs | None = 0
    while candidate is not None:
        closed = closure(candidate)
        if closed != candidate:
            found.append((candidate, closed))
            yield candidate, closed
        candidate = _next_under(size, found, candidate)


def _next_under(size: int, rules: list[tuple[Attrs, Attrs]], attrs: Attrs) -> Attrs | None:
    """As `next_closed` under the rules; a closure that grows at a lower position is given up at once."""
    for position in range(size - 1, -1, -1):
        bit = 1 << position
        if attrs & bit:
            attrs ^= bit
        else:
            closed = _closed_above(rules, attrs | bit, bit - 1 & ~attrs)
            if closed is not None:
                return closed
    return None


def _closed_above(rules: list[tuple[Attrs, Attrs]], attrs: Attrs, forbidden: Attrs) -> Attrs | None:
    """The closure of attrs under the rules, or None if it has a forbidden attribute."""
    waiting = rules
    while True:
        before, later = attrs, []
        for rule in waiting:
            if rule[0] & attrs == rule[0]:
                if rule[1] & forbidden:
                    return None
                attrs |= rule[1]
            else:
                later.append(rule)
        if attrs == before:
            return attrs
        waiting = later
