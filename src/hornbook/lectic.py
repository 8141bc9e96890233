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
