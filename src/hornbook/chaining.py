"""Forward chaining over (premise, conclusion) pairs: plain Python first, compiled kernels where they pay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from hornbook.universe import Attrs, everything

Rule: TypeAlias = tuple[Attrs, Attrs]
Closer: TypeAlias = Callable[[Attrs], Attrs]


def close(attrs: Attrs, rules: Iterable[Rule]) -> Attrs:
    """The least superset of attrs that satisfies every rule. A rule that has fired is not looked at again."""
    waiting = rules
    while True:
        before = attrs
        later = []
        for rule in waiting:
            if rule[0] & attrs == rule[0]:
                attrs |= rule[1]
            else:
                later.append(rule)
        if attrs == before:
            return attrs
        waiting = later


def closer(size: int, rules: Sequence[Rule]) -> Closer:
    """A function that closes sets under the rules."""

    def chained(attrs: Attrs) -> Attrs:
        return close(attrs, rules)

    return chained


def closed_sets(size: int, closure: Closer) -> Iterator[Attrs]:
    """Every closed set, in lectic order (Ganter 1984): the first attribute is the most significant one."""
    closed = closure(0)
    full = everything(size)
    yield closed
    while closed != full:
        for position in range(size - 1, -1, -1):
            bit = 1 << position
            if closed & bit:
                closed ^= bit
                continue
            grown = closure(closed | bit)
            if (grown & ~closed) & (bit - 1) == 0:
                closed = grown
                break
        yield closed
