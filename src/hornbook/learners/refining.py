"""A hypothesis that learns as much as can be from each counterexample: what `frugal` and `closures_only` share.

A counterexample is minimised, taken like in ClH, and what the answers on the way imply beyond the hypothesis is taken
too, smallest first, before anything else is asked. So the hypothesis always says as much as all answers so far do, and
the invariants of ClH hold: it is saturated, and has no more implications than the target's canonical basis.
"""

from __future__ import annotations

from typing import Any

from hornbook.bounds import Rules
from hornbook.chaining import Rule
from hornbook.dialogue import Learner
from hornbook.knowledge import UNKNOWN, Knowledge
from hornbook.learners.minimising import Patience, minimised
from hornbook.queries import Close, CloseAll
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, members


class Refinement:
    """The hypothesis, and the knowledge behind it. Its verbs are generators of closure queries."""

    __slots__ = ("_closer", "_news", "_patience", "_pending", "_weights", "hypothesis", "known", "pseudo_closed")

    def __init__(self, size: int, *, guesses: bool = True) -> None:
        self.hypothesis = Theory(size)
        self.known = Knowledge(size, top=True)
        self._closer = Rules()
        self._pending: dict[Rule, Attrs] = {}
        self._news: list[Rule] = []
        self.pseudo_closed: set[Attrs] = set()
        self._weights = [1] * size
        self._patience = Patience(guesses=guesses)

    def ask(self, attrs: Attrs) -> Learner[Attrs]:
        """The closure of attrs; a query only where it is not known."""
        closed: Any = self.known.closure(attrs)
        if closed is UNKNOWN:
            closed = yield Close(attrs)
            self._note(attrs, closed)
        result: Attrs = closed
        return result

    def ask_all(self, sets: list[Attrs]) -> Learner[None]:
        """Make the closures of these sets known, by one batch."""
        unknown = tuple(attrs for attrs in sets if self.known.closure(attrs) is UNKNOWN)
        if unknown:
            for attrs, closed in zip(unknown, (yield CloseAll(unknown)), strict=True):
                self._note(attrs, closed)

    def least_doubtful(self, attrs: Attrs) -> Attrs:
        """A set within attrs, closed under what is known, that is not known to be a model; no smaller one was found."""
        # Attributes that imply much go first: a premise of the others says more.
        order = sorted(members(attrs), key=lambda position: (-self._weights[position], -position))
        for position in order:
            if attrs >> position & 1:
                smaller = self._closer.close(attrs ^ 1 << position)
                if smaller != attrs and not self.known.closed_sets.bounds(smaller, smaller):
                    attrs = smaller
        return attrs

    def news(self) -> list[Rule]:
        """The rules that were learned since this was last asked."""
        news, self._news = self._news, []
        return news

    def _note(self, attrs: Attrs, closed: Attrs) -> None:
        self.known.closes(attrs, closed)
        if closed != attrs:
            self._pending[attrs, closed] = self._closer.close(attrs)
            self._news.append((attrs, closed))
            if attrs & (attrs - 1) == 0 and attrs:
                self._weights[attrs.bit_length() - 1] = closed.bit_count()

    def take(self, x: Attrs) -> Learner[None]:
        """Learn from a counterexample: a set that is closed under the hypothesis, and not under the target."""
        above = self.known.closed_sets.above(x)
        if (above & ~x).bit_count() == 1:
            self._note(x, above)  # It lacks something, and there is only this.
        yield from self._take_one(x)
        yield from self.catch_up()

    def catch_up(self) -> Learner[None]:
        """Learn what the answers say and the hypothesis does not."""
        while (x := self._smallest_pending()) is not None:
            yield from self._take_one(x)

    def _smallest_pending(self) -> Attrs | None:
        """The smallest set closed under the hypothesis that a known rule refutes. So far it is pseudo-closed."""
        self._pending = {rule: x for rule, x in self._pending.items() if rule[1] & ~x}
        return min(self._pending.values(), key=lambda x: (x.bit_count(), x), default=None)

    def _take_one(self, x: Attrs) -> Learner[None]:
        if x not in self.pseudo_closed:
            x, sure = yield from minimised(x, self.known, self.ask, self._weights, self._patience)
            if sure:
                self.pseudo_closed.add(x)
        closed = yield from self.ask(x)
        certain = self.pseudo_closed if x in self.pseudo_closed else set()
        for index, known in enumerate(self.hypothesis):
            meet = x & known.premise
            # If neither of two pseudo-closed sets contains the other, their meet is closed: else some pseudo-closed
            # set in it would have its closure outside of one of them.
            if meet == known.premise or (meet != x and known.premise in certain):
                continue
            meet_closed = closed if meet == x else (yield from self.ask(meet))
            if meet_closed != meet:
                self._replace(index, known, Implication(meet, meet_closed))
                return
        self.hypothesis = self.hypothesis.append(Implication(x, closed))
        self._closer.add(x, closed)
        for rule, known_x in self._pending.items():
            if x & ~known_x == 0 and closed & ~known_x:
                self._pending[rule] = self._closer.close(known_x)

    def _replace(self, index: int, old: Implication, new: Implication) -> None:
        self.hypothesis = self.hypothesis.replace(index, new)
        kept = dict(self._closer.pairs())
        if old.premise in kept:
            self._closer.remove(old.premise)
        # The new one, and what followed from the old one, so that it was dropped as nothing new.
        for known in self.hypothesis:
            if known.premise not in kept:
                self._closer.add(known.premise, known.conclusion)
        # What the old one helped to derive may be lost: the closure of such a premise contains the old one.
        pending = [*self._pending, (old.premise, old.conclusion)]
        pending += [rule for rule in self.known.rules.pairs() if not old.premise & ~rule[1]]
        self._pending = {rule: self._closer.close(rule[0]) for rule in pending}
