"""The meet-irreducible closed sets of a set of rules, found by a SAT solver: those maximal without some attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hornbook.chaining import Rule
from hornbook.solving import cadical, solved
from hornbook.universe import Attrs, members

Close = Callable[[Attrs], Attrs]


def models(size: int, rules: Sequence[Rule], close: Close) -> Iterator[Attrs]:
    """Each meet-irreducible closed set once; the set of all attributes, the meet of no sets, is none of them.

    A SAT solver finds a closed set without attribute b that lies in no known one without b; grown to a maximal one it
    is new. So k of them take n + k calls, and whoever wants no more stops asking.
    """
    with _searching(size, rules) as solver:
        for b in range(size):
            assumed = [-(b + 1), *((size + 1 + j) * (1 if j == b else -1) for j in range(size))]
            while solved(solver, assumed):
                model = solver.get_model()
                largest = _grown(size, close, sum(1 << j for j in range(size) if model[j] > 0), b)
                solver.add_clause([size + 1 + j if largest >> j & 1 else j + 1 for j in range(size)])
                yield largest


def _searching(size: int, rules: Sequence[Rule]) -> Any:
    """A solver whose models are the closed sets; variable size + 1 + b says that b is missing."""
    solver = cadical(())
    for premise, conclusion in rules:
        body = [-(i + 1) for i in members(premise)]
        for i in members(conclusion & ~premise):
            solver.add_clause([*body, i + 1])
    # A large closed set is soon grown to a maximal one.
    solver.set_phases([i + 1 for i in range(size)])
    return solver


def _grown(size: int, close: Close, attrs: Attrs, b: int) -> Attrs:
    """A maximal closed set without attribute b that contains this closed one."""
    for e in range(size):
        if e != b and not attrs >> e & 1:
            larger = close(attrs | 1 << e)
            if not larger >> b & 1:
                attrs = larger
    return attrs
