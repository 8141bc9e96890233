"""What closure answers leave open, found by an incremental SAT solver.

For an attribute b, a *gap* is a set without b that is closed under the known rules, while every known closed set around
it has b. The target is known when no attribute has a gap: each set closed under the rules is then an intersection of
known closed sets. Rules and closed sets only grow, so an attribute without gaps stays so.
"""

from __future__ import annotations

from typing import Any

from hornbook import chaining
from hornbook.bounds import ClosedSets, Rules
from hornbook.chaining import Rule
from hornbook.knowledge import Knowledge
from hornbook.solving import solved
from hornbook.universe import Attrs, attrs_of, everything, members


class Gaps:
    """The search: one variable an attribute, and one selector an attribute for what concerns its gaps alone."""

    __slots__ = ("_rules", "_size", "_small", "_solver", "_tries")

    def __init__(self, size: int) -> None:
        from pysat.solvers import Solver

        self._size = size
        self._rules = Rules()
        self._solver: Any = Solver(name="glucose4")
        # Large models are close to maximal ones.
        self._solver.set_phases([position + 1 for position in range(size)])
        # Small ones are close to minimal ones: another solver, so that neither spoils what the other remembers.
        self._small: Any = Solver(name="glucose4")
        self._small.set_phases([-(position + 1) for position in range(2 * size)])
        for position in range(size):
            self._small.add_clause([-(size + 1 + position), -(position + 1)])
        self._tries = 2 * size

    def close(self) -> None:
        """Free the solvers."""
        self._solver.delete()
        self._small.delete()

    def learn(self, rule: Rule) -> None:
        """Every gap from now on satisfies the rule. Only what it adds to the earlier ones becomes clauses."""
        premise, conclusion = rule
        added = conclusion & ~self._rules.close(premise)
        if added:
            generator = self._generator(premise)
            negative = [-(position + 1) for position in members(generator)]
            for position in members(added):
                self._solver.add_clause([*negative, position + 1])
                self._small.add_clause([*negative, position + 1])
            self._rules.add(premise, conclusion)

    def find(self, position: int, closed_sets: ClosedSets) -> Attrs | None:
        """A maximal set without the attribute that is closed under the rules and is a gap, or None."""
        selector = self._size + 1 + position
        while solved(self._solver, [-(position + 1), selector]):
            model = attrs_of(literal - 1 for literal in self._solver.get_model()[: self._size] if literal > 0)
            # The known closed sets come in only where the solver runs into them.
            if not self._explained(self._solver, model, position, closed_sets):
                return self._grown(model, position)
        self._solver.add_clause([-selector])
        return None

    def find_smaller(self, attrs: Attrs, closed_sets: ClosedSets) -> Attrs | None:
        """A proper subset of attrs that is closed under the rules and is a gap, of any attribute, or None."""
        size = self._size
        self._tries += 1
        self._small.add_clause([-self._tries, *(-(position + 1) for position in members(attrs))])
        self._small.add_clause([-self._tries, *range(size + 1, 2 * size + 1)])
        within = [self._tries, *(-(position + 1) for position in members(everything(size) & ~attrs))]
        found = None
        while found is None and solved(self._small, within):
            model = self._small.get_model()
            smaller = attrs_of(literal - 1 for literal in model[:size] if literal > 0)
            for position in range(size):
                if model[size + position] > 0 and not self._explained(self._small, smaller, position, closed_sets):
                    found = smaller
        self._small.add_clause([-self._tries])
        return found

    def _explained(self, solver: Any, attrs: Attrs, position: int, closed_sets: ClosedSets) -> bool:
        """Whether there are known closed sets around attrs that lack the attribute. The solver learns a few of them."""
        around = closed_sets.lacking(attrs, position)
        for known in around[:8]:
            outside = everything(self._size) & ~known
            solver.add_clause([-(self._size + 1 + position), *(other + 1 for other in members(outside))])
        return bool(around)

    def _grown(self, attrs: Attrs, position: int) -> Attrs:
        """A maximal superset without the attribute that is closed under the rules."""
        rules = [rule for rule in self._rules.pairs() if rule[1] & ~attrs]
        free = everything(self._size) & ~attrs & ~(1 << position)
        while free:
            lowest = free & -free
            free ^= lowest
            larger = chaining.close(attrs | lowest, rules)
            if not larger >> position & 1:
                attrs = larger
                free &= ~larger
                rules = [rule for rule in rules if rule[1] & ~attrs]
        return attrs

    def _generator(self, attrs: Attrs) -> Attrs:
        """Some of attrs, none to spare, that imply the rest: shorter clauses say more."""
        for position in members(attrs):
            fewer = attrs & ~(1 << position)
            if attrs & ~self._rules.close(fewer) == 0:
                attrs = fewer
        return attrs


def gaps_remain(known: Knowledge) -> bool:
    """Whether what is known leaves more than one theory possible."""
    gaps = Gaps(known.size)
    try:
        for rule in known.rules.pairs():
            gaps.learn(rule)
        return any(gaps.find(position, known.closed_sets) is not None for position in range(known.size))
    finally:
        gaps.close()
