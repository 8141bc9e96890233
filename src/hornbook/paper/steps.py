"""Steps, counted and not timed: sets that count every operation on them, and forward chaining that counts its own.

A step is one operation on a whole set of attributes: a meet, a union, a complement, a shift, a comparison. On n
attributes it stands for n operations on bits, which is what the paper's time bounds count. What an oracle does is not
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
    """Counts steps."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def counting(self, attrs: Attrs) -> Attrs:
        """The same set; operations on it, and on what they return, count here."""
        counting = _Counting(attrs)
        counting.meter = self
        return counting


class _Counting(int):
    """An int whose set operations are counted. `_counted` gives it the operations, all alike."""

    meter: Meter

    __hash__ = int.__hash__


def _counted(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def operation(self: _Counting, *others: Any) -> Any:
        self.meter.steps += 1
        result = plain(self, *others)
        return self.meter.counting(result) if type(result) is int else result

    return operation


for _name in ("and", "rand", "or", "ror", "xor", "rxor", "invert", "neg", "lshift", "rshift", "eq", "ne", "bool"):
    setattr(_Counting, f"__{_name}__", _counted(f"__{_name}__"))


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
        return Theory(value.size, tuple(counting(meter, i) for i in value), value.top)
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
