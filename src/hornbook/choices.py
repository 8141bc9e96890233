"""What is known of an implication but for its conclusion, and whether any target agrees with all that is known.

A set that is no model implies an attribute that it lacks, and nothing may tell which one: a *choice*. A *denial* says
that the closure of a set lacks some attributes. A target agrees with rules, models, choices and denials if and only if
each choice has an option such that, with these implications among the rules, nothing follows that is denied. All sets
closed under these rules then make such a target; and so do the known models, the closures of the denied sets, and the
intersections of these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from hornbook.columns import Columns
from hornbook.solving import minisat, solved
from hornbook.universe import Attrs, members

Choice = tuple[Attrs, Attrs]
"""A premise, closed under the known rules, and its options: it implies one of them. It has none of them itself."""

Denial = tuple[Attrs, Attrs]
"""A set, closed under the known rules, and what its closure lacks."""


class Choices:
    """Choices, found by the sets that leave them open."""

    __slots__ = ("_all", "_numbers", "_options", "_premises")

    def __init__(self, size: int) -> None:
        self._numbers: dict[Choice, int] = {}
        self._all: list[Choice] = []
        self._premises = Columns(size)
        self._options = Columns(size)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self._numbers)

    def __contains__(self, choice: Choice) -> bool:
        return choice in self._numbers

    def add(self, choice: Choice) -> None:
        """Add the choice."""
        if choice not in self._numbers:
            number = self._numbers[choice] = len(self._all)
            self._all.append(choice)
            self._premises.put(number, choice[0])
            self._options.put(number, choice[1])

    def remove(self, choice: Choice) -> None:
        """Forget the choice."""
        number = self._numbers.pop(choice)
        self._premises.take(number, choice[0])
        self._options.take(number, choice[1])

    def within(self, attrs: Attrs) -> list[Choice]:
        """The choices whose premises lie in attrs."""
        return [self._all[number] for number in members(self._premises.within(attrs))]

    def closed_no_more(self, premise: Attrs, conclusion: Attrs) -> list[Choice]:
        """The choices whose premises this rule adds to."""
        above = self._premises.containing(premise)
        return [choice for number in members(above) if conclusion & ~(choice := self._all[number])[0]]

    def broken(self, attrs: Attrs) -> Choice | None:
        """A choice of which attrs has the premise and no option, or None. With one, attrs is no model."""
        found = self._premises.within(attrs)
        if found:
            found &= ~self._options.touching(attrs)
        return self._all[found.bit_length() - 1] if found else None


Close = Callable[[Attrs], Attrs]


def agreeing(close: Close, choices: Choices, denials: Sequence[Denial], more: Sequence[Choice] = ()) -> Any:
    """The closures of the denied sets in some target that agrees, in order; None where no target does.

    `close` closes under the rules. Each option of a choice must be in every known model above its premise.
    """
    search = _Search(close, choices, denials, more)
    try:
        return search.found()
    finally:
        search.end()


class _Search:
    """A SAT solver picks options; what follows from them and is denied is a clause against some of them."""

    def __init__(self, close: Close, choices: Choices, denials: Sequence[Denial], more: Sequence[Choice]) -> None:
        self._close, self._choices, self._denials = close, choices, denials
        self._solver: Any = None
        self._rules: list[Choice] = [(0, 0)]
        """The implication of each variable of the solver; they begin at 1."""
        self._more = list(more)

    def end(self) -> None:
        if self._solver is not None:
            self._solver.delete()
            self._solver = None

    def found(self) -> list[Attrs] | None:
        picked: list[int] = []
        while True:
            closures = self._closures(picked)
            if closures is not None:
                choice = self._open(closures)
                if choice is None:
                    return closures
                self._decide(choice)
            if self._solver is None or not solved(self._solver):
                return None
            picked = [literal for literal in self._solver.get_model() if literal > 0]

    def _closures(self, picked: list[int]) -> list[Attrs] | None:
        """The closures of the denied sets under the rules and what was picked, or None: then it is excluded."""
        closures = []
        for attrs, missing in self._denials:
            closed, used = self._closed(attrs, picked)
            if closed & missing:
                self._exclude(attrs, missing, used)
                return None
            closures.append(closed)
        return closures

    def _closed(self, attrs: Attrs, picked: list[int]) -> tuple[Attrs, list[int]]:
        used: list[int] = []
        waiting = picked
        while True:
            ready = [number for number in waiting if self._rules[number][0] & ~attrs == 0]
            if not ready:
                return attrs, used
            waiting = [number for number in waiting if self._rules[number][0] & ~attrs]
            for number in ready:
                if self._rules[number][1] & ~attrs:
                    used.append(number)
                    attrs = self._close(attrs | self._rules[number][1])

    def _exclude(self, attrs: Attrs, missing: Attrs, used: list[int]) -> None:
        """Never again all of these; of those used, no more than it takes. Where it takes none, that is the end."""
        for number in list(used):
            fewer = [other for other in used if other != number]
            if self._closed(attrs, fewer)[0] & missing:
                used = fewer
        if used:
            self._clause([-number for number in used])
        else:
            self.end()

    def _open(self, closures: Iterable[Attrs]) -> Choice | None:
        """A choice that is left open: the closures and known models above its premise have no option in common."""
        above = list(dict.fromkeys(closures))
        if len(above) == 1 and not self._more:
            return self._choices.broken(above[0])
        some: list[Choice] = [*self._more, *self._choices]
        for choice in some:
            premise, options = choice
            for closed in above:
                if premise & ~closed == 0:
                    options &= closed
                    if not options:
                        return choice
        return None

    def _decide(self, choice: Choice) -> None:
        premise, options = choice
        first = len(self._rules)
        self._rules += [(premise, 1 << position) for position in members(options)]
        self._clause(list(range(first, len(self._rules))))

    def _clause(self, literals: list[int]) -> None:
        if self._solver is None:
            self._solver = minisat(())
        self._solver.add_clause(literals)
