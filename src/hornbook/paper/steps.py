"""Steps, counted and not timed: sets that count every operation on them, and forward chaining that counts its own.

There are two units, counted apart. An operation on a *set* is a meet, a union, a complement, a comparison: on n
attributes it stands for n operations on bits. An operation on an *attribute* puts one in, takes one out, looks at one,
or finds the next one of a set: one operation on bits. The paper's time bounds count bits. What an oracle does is not
counted, as in the paper.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hornbook.chaining import Rule
from hornbook.dialogue import Learner
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Query
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, members

T = TypeVar("T")


class Meter:
    """Counts operations on sets and on attributes."""

    __slots__ = ("attributes", "sets")

    def __init__(self) -> None:
        self.sets = self.attributes = 0

    def bits(self, size: int) -> int:
        """All of them, as operations on bits."""
        return self.sets * size + self.attributes

    def counting(self, attrs: Attrs, role: str = "") -> Attrs:
        """The same set; operations on it, and on what they return, count here."""
        counting = _Counting(attrs)
        counting.meter, counting.role = self, role
        return counting


class _Counting(int):
    """An int whose set operations are counted. `_counted` gives it the operations, all alike.

    `role` tells how `attrs & -attrs`, the next attribute of a set, came about: "negated", then "single".
    """

    meter: Meter
    role: str

    __hash__ = int.__hash__


ON_ATTRIBUTES = frozenset(("neg", "lshift", "rshift", "bool"))
"""Steps from one attribute of a set to the next, or to one at a known position."""


def _counted(name: str) -> Callable[..., Any]:
    plain = getattr(int, f"__{name}__")

    def operation(self: _Counting, *others: Any) -> Any:
        roles = {self.role, *(_role(other) for other in others)}
        if name in ON_ATTRIBUTES or roles & {"single", "negated"}:
            self.meter.attributes += 1
        else:
            self.meter.sets += 1
        result = plain(self, *others)
        if type(result) is not int:
            return result
        role = "negated" if name == "neg" else "single" if name in ("and", "rand") and roles - {""} else ""
        return self.meter.counting(result, role)

    return operation


def _role(other: Any) -> str:
    """A plain power of two was made from a position; a set that happens to hold one attribute is counted as a set."""
    if isinstance(other, _Counting):
        return other.role
    return "single" if isinstance(other, int) and other > 0 and other & (other - 1) == 0 else ""


for _name in ("and", "rand", "or", "ror", "xor", "rxor", "invert", "neg", "lshift", "rshift", "eq", "ne", "bool"):
    setattr(_Counting, f"__{_name}__", _counted(_name))


class _Chained(Theory):
    """A hypothesis that closes sets by counting forward chaining, as the paper's linear time needs."""

    meter: Meter

    def closure(self, attrs: Attrs) -> Attrs:
        rules = [(int(premise), int(conclusion)) for premise, conclusion in self.rules]
        closed, steps = linear_closure(rules, int(attrs))
        self.meter.attributes += steps
        return self.meter.counting(closed)


def _chained(meter: Meter, theory: Theory) -> Theory:
    chained = _Chained(theory.size, tuple(counting(meter, i) for i in theory), theory.top)
    object.__setattr__(chained, "meter", meter)
    return chained


def metered(learner: Learner[T], meter: Meter) -> Learner[T]:
    """The learner or reduction; every operation on the sets that it is told is counted, and none of the oracle's."""
    try:
        query = next(learner)
        while True:
            query = learner.send(counting(meter, (yield plain(query))))
    except StopIteration as end:
        result: T = end.value
        return result


def counting(meter: Meter, value: Any) -> Any:
    """The value, its sets counting."""
    if type(value) is int:
        return meter.counting(value)
    if isinstance(value, Implication):
        return Implication(meter.counting(value.premise), meter.counting(value.conclusion))
    if isinstance(value, Theory):
        return _chained(meter, value)
    if isinstance(value, Close | Contains):
        return type(value)(meter.counting(value.attrs))
    if isinstance(value, Entails):
        return Entails(meter.counting(value.premise), value.attribute)
    if isinstance(value, Equivalent | EntailmentEquivalent):
        return type(value)(counting(meter, value.hypothesis))
    return value


def plain(query: Query) -> Query:
    """The query, its sets plain again."""
    if isinstance(query, Close | Contains):
        return type(query)(int(query.attrs))
    if isinstance(query, Entails):
        return Entails(int(query.premise), query.attribute)
    if isinstance(query, Equivalent | EntailmentEquivalent):
        hypothesis = query.hypothesis
        rules = [(int(premise), int(conclusion)) for premise, conclusion in hypothesis.rules]
        return type(query)(Theory.of(hypothesis.size, rules, top=hypothesis.top))
    return query


def linear_closure(rules: Sequence[Rule], attrs: Attrs) -> tuple[Attrs, int]:
    """The closure, and the number of single attributes looked at, reading the rules included (Dowling, Gallier 1984).

    Each implication counts down what its premise still lacks; no attribute is looked at twice in the same place.
    """
    steps = 0
    lacking: list[int] = []
    waiting_for: dict[int, list[int]] = {}
    known, queue = attrs, deque(members(attrs))
    for index, (premise, conclusion) in enumerate(rules):
        positions = list(members(premise))
        steps += len(positions) + 1
        lacking.append(len(positions))
        for position in positions:
            waiting_for.setdefault(position, []).append(index)
        if not positions:
            steps += conclusion.bit_count()
            queue.extend(members(conclusion & ~known))
            known |= conclusion
    while queue:
        position = queue.popleft()
        steps += 1
        for index in waiting_for.get(position, ()):
            steps += 1
            lacking[index] -= 1
            if not lacking[index]:
                steps += rules[index][1].bit_count()
                queue.extend(members(rules[index][1] & ~known))
                known |= rules[index][1]
    return known, steps


def literals(rules: Sequence[Rule]) -> int:
    """|T|: the attributes in premises and conclusions, counted as often as they stand there."""
    return sum(premise.bit_count() + conclusion.bit_count() for premise, conclusion in rules)
