"""A counterexample made smaller by closure queries, down to a pseudo-closed set where that can be told.

Let x be closed under the hypothesis. A subset *escapes* when its closure is not within x: then its closure under the
rules that stay within x is a smaller counterexample. Escaping is monotone, so it is searched like a defect: shrink by
halves, and keep what cannot be left out. Where every subset that escapes generates x, x is pseudo-closed: if Q were a
smaller pseudo-closed set whose closure is not within x, it would escape, so some known rule z -> z* within x would
enlarge it; as Q is pseudo-closed z* would be Q*, which then is within x.

Telling this for certain can take exponentially many queries; the search has a limit, and says when it met it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hornbook import chaining
from hornbook.dialogue import Learner
from hornbook.knowledge import Knowledge
from hornbook.universe import Attrs, members

Asks = Callable[[Attrs], Learner[Attrs]]
"""The closure of a set, asked for where it is not known."""

GUESSES = 2
"""How many sets that look minimal may be asked for in one search."""

QUERIES, NODES = 10, 100
"""How many queries and how many sets the search for another escaping subset may take."""


class Patience:
    """What paid so far, and so may be tried again. Part of the learner's state: same answers, same questions."""

    __slots__ = ("_credit", "_guesses", "_turns", "asked", "escaped")

    def __init__(self, *, guesses: bool = True) -> None:
        self.asked = self.escaped = 0
        self._guesses = guesses
        self._credit, self._turns = 8, 0

    def proves(self) -> bool:
        """Whether to ask for another escaping subset: while there hardly ever is one.

        Then the answers show that x is pseudo-closed, and spare many later queries. Otherwise they only find a smaller
        set, which the next counterexample would bring at less cost.
        """
        return 4 * self.escaped <= self.asked + 4

    def guesses(self) -> bool:
        """Whether to ask for a set that looks minimal: while at least one in five is, else now and then, or never."""
        self._turns += 1
        return self._guesses and (self._credit > 0 or self._turns % 8 == 0)

    def guessed(self, right: bool) -> None:
        """Such a set escaped, or not."""
        self._credit = min(self._credit + 4, 16) if right else max(self._credit - 1, 0)


def minimised(
    x: Attrs, known: Knowledge, asks: Asks, weights: Sequence[int], patience: Patience
) -> Learner[tuple[Attrs, bool]]:
    """A smaller counterexample within x, and whether it is certainly pseudo-closed."""
    while True:
        within = _Within(x, known, asks, weights, patience)
        escaping = yield from within.search()
        if escaping is None:
            return x, within.sure
        x = yield from within.reduced(escaping)


class _Within:
    """The subsets of x, under the known rules that do not lead out of it."""

    __slots__ = ("_asks", "_known", "_needed", "_order", "_patience", "_rules", "sure", "x")

    def __init__(self, x: Attrs, known: Knowledge, asks: Asks, weights: Sequence[int], patience: Patience) -> None:
        self.x = x
        self.sure = False
        self._known, self._asks = known, asks
        self._rules = [rule for rule in known.rules.pairs() if not (rule[0] | rule[1]) & ~x]
        # Attributes that imply little come first: a premise of such attributes says more.
        self._order = sorted(members(x), key=lambda position: (weights[position], position))
        self._needed = 0
        self._patience = patience

    def close(self, attrs: Attrs) -> Attrs:
        return chaining.close(attrs, self._rules)

    def settled(self, attrs: Attrs) -> Attrs | None:
        """A set around attrs, within x, that does not escape, as far as is known without asking."""
        above = self._known.closed_sets.above(attrs)
        return None if above & ~self.x else above

    def escapes(self, attrs: Attrs) -> Learner[bool]:
        """Whether the closure of attrs, a set closed within x, is not within x."""
        if self._known.lower(attrs) & ~self.x:
            return True
        if self.settled(attrs) is not None:
            return False
        closed = yield from self._asks(attrs)
        if closed & ~self.x:
            return True
        if closed != attrs:
            self._rules.append((attrs, closed))
        return False

    def search(self) -> Learner[Attrs | None]:
        """A proper subset, closed within x, that escapes; None where there seems to be none, `sure` where there is."""
        guess = yield from self._guess()
        if guess is not None:
            return guess
        derived = 0
        for premise, conclusion in self._rules:
            derived |= conclusion & ~premise
        for position in reversed(self._order):
            bit = 1 << position
            if not derived & bit:
                if (yield from self.escapes(self.x ^ bit)):
                    return self.x ^ bit
                self._needed |= bit  # Whatever escapes has it.
        return (yield from self._search_further())

    def _guess(self) -> Learner[Attrs | None]:
        """A subset that escapes, of which nothing smaller seems to, if a few guesses find one."""
        if not self._patience.guesses():
            return None
        for _ in range(GUESSES):
            least = self._least_doubtful()
            if least == self.x:
                return None
            if self._known.lower(least) & ~self.x:
                return least
            right = yield from self.escapes(least)
            self._patience.guessed(right)
            if right:
                return least
        return None

    def _least_doubtful(self) -> Attrs:
        """A set closed within x that may escape, while nothing that it contains and that was tried may."""
        attrs = self.x
        for position in reversed(self._order):
            if attrs >> position & 1:
                smaller = self.close(attrs ^ 1 << position)
                if smaller != attrs and self.settled(smaller) is None:
                    attrs = smaller
        return attrs

    def _search_further(self) -> Learner[Attrs | None]:
        """As `search`, for subsets that lack none of what is needed, depth first."""
        queries, nodes = QUERIES, NODES
        stack = [(self.close(self._needed), 0)]
        while stack:
            attrs, without = stack.pop()
            if attrs == self.x:
                continue
            nodes -= 1
            if nodes < 0:
                return None
            if self._known.lower(attrs) & ~self.x:
                return attrs
            above = self.settled(attrs)
            if above is None:
                grown = self._grown(attrs, without)
                asks = self.settled(grown) is None and not self._known.lower(grown) & ~self.x
                if asks and (queries == 0 or not self._patience.proves()):
                    return None
                escaped = yield from self.escapes(grown)
                if asks:
                    queries -= 1
                    self._patience.asked += 1
                    self._patience.escaped += escaped
                if escaped:
                    return grown
                above = self.settled(grown)
                assert above is not None
            stack += self._beyond(attrs, above, without)
        self.sure = True
        return None

    def _grown(self, attrs: Attrs, without: Attrs) -> Attrs:
        """A maximal proper subset, closed within x, with attrs and without these others."""
        for position in self._order:
            if not (attrs | without) >> position & 1:
                larger = self.close(attrs | 1 << position)
                if larger != self.x and not larger & without:
                    attrs = larger
        return attrs

    def _beyond(self, attrs: Attrs, above: Attrs, without: Attrs) -> list[tuple[Attrs, Attrs]]:
        """The next larger sets that are not within `above`, each without what made the earlier ones."""
        larger = []
        for position in reversed(self._order):
            bit = 1 << position
            if not (above | without) & bit:
                closed = self.close(attrs | bit)
                if closed != self.x and not closed & without:
                    larger.append((closed, without))
                without |= bit
        return larger[::-1]

    def reduced(self, escaping: Attrs) -> Learner[Attrs]:
        """A set within the escaping one that escapes, by halves: the shortest part of a chain up to it that does."""
        base, top = self.close(self._needed & escaping), escaping
        order = self._generator(base, top)
        while True:
            steps = self._chain(base, order)
            if not steps:
                return base
            shortest = yield from self._shortest([attrs for _, attrs in steps])
            last, top = steps[shortest]
            base = self.close(base | 1 << last)
            if base == top or (yield from self.escapes(base)):
                return base
            order = [position for position in order if position != last and top >> position & 1]

    def _shortest(self, chain: list[Attrs]) -> Learner[int]:
        """The index of the first that escapes. The last one does."""
        low, high = 0, len(chain) - 1
        # What is known already is left out, so that a query halves what is not.
        while low < high and self.settled(chain[low]) is not None:
            low += 1
        while low < high and self._known.lower(chain[high - 1]) & ~self.x:
            high -= 1
        while low < high:
            middle = (low + high) // 2
            if (yield from self.escapes(chain[middle])):
                high = middle
            else:
                low = middle + 1
        return low

    def _chain(self, base: Attrs, order: Sequence[int]) -> list[tuple[int, Attrs]]:
        """The sets closed within x that base grows to as one attribute after the other comes in."""
        steps = []
        for position in order:
            if not base >> position & 1:
                base = self.close(base | 1 << position)
                steps.append((position, base))
        return steps

    def _generator(self, base: Attrs, top: Attrs) -> list[int]:
        """Attributes, none to spare, that generate top together with base; little ones are spared first."""
        free = top & ~base
        candidates = [position for position in self._order if free >> position & 1]
        for position in candidates:
            fewer = free & ~(1 << position)
            if self.close(base | fewer) == top:
                free = fewer
        return [position for position in candidates if free >> position & 1]
