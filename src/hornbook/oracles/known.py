"""A theory that is known: it answers every kind of query exactly, all but corrections in polynomial time.

Equivalence never enumerates 2^n sets: two theories are equivalent when each entails the implications of the other.
Which counterexample is given is a policy, a function, so that a learner can be tried against friends and enemies.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hornbook.errors import BadQuestion
from hornbook.oracles.nearest import nearest_model
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, members

Candidates = Iterator[Attrs]
Policy = Callable[[Candidates, Theory, Theory], Attrs | None]
"""Chooses among counterexamples, made one after the other in the file order of the implications they violate."""


def first(candidates: Candidates, hypothesis: Theory, target: Theory) -> Attrs | None:
    """The first of them."""
    return next(candidates, None)


def smallest(candidates: Candidates, hypothesis: Theory, target: Theory) -> Attrs | None:
    """The smallest of them, the first one among equals. For a saturated hypothesis it is a smallest there is."""
    return min(candidates, key=int.bit_count, default=None)


def largest(candidates: Candidates, hypothesis: Theory, target: Theory) -> Attrs | None:
    """The largest of them, the first one among equals."""
    return max(candidates, key=int.bit_count, default=None)


def adversarial(candidates: Candidates, hypothesis: Theory, target: Theory) -> Attrs | None:
    """The first one, grown greedily to a maximal counterexample: the least helpful kind."""
    x = next(candidates, None)
    if x is None:
        return None
    inside, outside = _parted(x, hypothesis, target)
    # Anything larger violates an implication: if x does so too, an attribute can be added, else the premise can.
    additions = [1 << position for position in range(target.size)] + [known.premise for known in outside]
    smaller = None
    while x != smaller:  # What could not be added to x may fit to what has been added since.
        smaller, x = x, _grown(x, inside, outside, additions)
    return x


def at_random(seed: int) -> Policy:
    """Any of them, grown by attributes drawn at random.

    What is drawn depends on the seed and the hypothesis alone, so a run that is resumed goes on as if never stopped.
    """

    def policy(candidates: Candidates, hypothesis: Theory, target: Theory) -> Attrs | None:
        every = list(candidates)
        if not every:
            return None
        chance = random.Random(f"{seed} {hypothesis.rules}")
        drawn = [position for position in range(target.size) if chance.random() < 0.5]
        chance.shuffle(drawn)
        x = chance.choice(every)
        return _grown(x, *_parted(x, hypothesis, target), [1 << position for position in drawn])

    return policy


def _parted(x: Attrs, hypothesis: Theory, target: Theory) -> tuple[Theory, Theory]:
    """The theory that the counterexample is a model of, and the other one."""
    return (hypothesis, target) if hypothesis.satisfies(x) else (target, hypothesis)


def _grown(x: Attrs, inside: Theory, outside: Theory, additions: Iterable[Attrs]) -> Attrs:
    """A larger set that tells the two theories apart in the same way: each addition is tried once, in this order."""
    for added in additions:
        if added & ~x:
            larger = inside.closure(x | added)
            if inside.satisfies(larger) and not outside.satisfies(larger):
                x = larger
    return x


@dataclass(frozen=True, slots=True)
class KnownTheory:
    """An oracle that holds its target."""

    theory: Theory
    policy: Policy = first
    _sound: set[Implication] = field(default_factory=set, init=False, repr=False, compare=False)

    def closure(self, attrs: Attrs) -> Attrs | None:
        self._check(attrs)
        closed = self.theory.closure(attrs)
        return None if closed == self.theory.everything and not self.theory.top else closed

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs | None]:
        for attrs in sets:
            self._check(attrs)
        full = None if not self.theory.top else self.theory.everything
        return [full if closed == self.theory.everything else closed for closed in self.theory.closures(sets)]

    def contains(self, attrs: Attrs) -> bool:
        self._check(attrs)
        return self.theory.satisfies(attrs)

    def entails(self, premise: Attrs, attribute: int | None) -> bool:
        closed = self.closure(premise)
        return closed is None or (attribute is not None and closed >> attribute & 1 == 1)

    def refutation(self, implication: Implication) -> Attrs | None:
        closed = self.closure(implication.premise)
        return None if closed is None or implication.conclusion & ~closed == 0 else closed

    def counterexample(self, hypothesis: Theory) -> Attrs | None:
        if hypothesis.size != self.theory.size:
            raise BadQuestion(f"the hypothesis has {hypothesis.size} attributes, the target {self.theory.size}")
        if hypothesis.top != self.theory.top:
            return self.theory.everything
        return self.policy(self._counterexamples(hypothesis), hypothesis, self.theory)

    def distinguishing_clause(self, hypothesis: Theory) -> Implication | None:
        x = self.counterexample(hypothesis)
        if x is None:
            return None
        other = self.theory if hypothesis.satisfies(x) else hypothesis
        added = other.closure(x) & ~x
        return Implication(x, added & -added if added else other.everything)

    def correction(self, attrs: Attrs) -> Attrs | None:
        self._check(attrs)
        return nearest_model(self.theory, attrs)

    def unspecified(self, ones: Attrs, zeros: Attrs) -> bool | None:
        closed = self.closure(ones)
        if closed is None or closed & zeros:
            return False
        if closed != ones:
            return None
        largest_completion = self.theory.everything & ~zeros
        stars = members(largest_completion & ~ones)
        # The completions are the intersections of these, and models are closed under intersection.
        lower = (largest_completion ^ (1 << star) for star in stars)
        return (self.contains(largest_completion) and all(map(self.contains, lower))) or None

    def _check(self, attrs: Attrs) -> None:
        if attrs >> self.theory.size:
            raise BadQuestion(f"{attrs:#b} reaches beyond the {self.theory.size} attributes of the target")

    def _counterexamples(self, hypothesis: Theory) -> Candidates:
        """Positive ones first: the closures of the hypothesis' premises that violate it. Then the negative ones."""
        for implication in hypothesis:
            # What held once holds for ever: the target does not change.
            if implication not in self._sound:
                closed = self.theory.closure(implication.premise)
                if implication.conclusion & ~closed:
                    yield closed
                else:
                    self._sound.add(implication)
        # In chunks, so that a counterexample found early does not wait for all closures.
        target, start, chunk = self.theory.implications, 0, 64
        while start < len(target):
            some = target[start : start + chunk]
            for implication, closed in zip(some, hypothesis.closures([i.premise for i in some]), strict=True):
                if implication.conclusion & ~closed:
                    yield closed
            start, chunk = start + chunk, chunk * 4
