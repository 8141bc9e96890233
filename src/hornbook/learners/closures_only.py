"""Exact learning from closure queries alone: no equivalence query, and yet a proof that nothing is missing.

For each attribute b a SAT solver looks for a gap: a set without b that the known rules allow and the known closed sets
do not explain. The closure of a largest or smallest one is asked. If a largest one is closed, it is a new
characteristic model: every closed set around it has b, or it would not be largest. One that is not closed is a
counterexample, which is taken as `frugal` takes its own. When no attribute has a gap, the target is the theory, and the
closed sets prove it.

No run asks more than `bound`, which is 2 k + O(m n^2 (n log n + m)). A largest gap that turns out closed is a new
characteristic model, a smallest one that does is followed by a largest one, and any that turns out not closed is a
counterexample. What is taken as a counterexample, each time, adds an implication or makes the premise of one smaller,
as in ClH: there are never more than m implications, and those that end as P lose at most n - |P| attributes, so at most
S, the sum of n - |P| over the basis, are ever taken. To minimise one takes at most n rounds of n + 10 queries that look
for a smaller set, and n (2 + log n) that reduce it by halves; to take it, at most m + 1.

At least m + k' are needed by any learner that asks closures only, where k' counts the characteristic models that are no
closure of a pseudo-closed set: either kind of set could be otherwise without changing any other answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hornbook.dialogue import Learner
from hornbook.learners.gaps import Gaps
from hornbook.learners.minimising import QUERIES
from hornbook.learners.refining import Refinement
from hornbook.theory import Theory
from hornbook.universe import Attrs, everything, members


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: the attributes that are certified, of how many, and how much is known."""

    certified: Attrs
    attributes: int
    implications: int
    closed_sets: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a run found: the canonical basis and all characteristic models, unless some attributes are uncertified.

    An uncertified attribute is one for which more implications may conclude it than the theory knows. What the theory
    says is true all the same, and so are the closed sets.
    """

    theory: Theory
    closed: tuple[Attrs, ...]
    uncertified: Attrs
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether the theory is certainly equivalent to the target."""
        return self.uncertified == 0


def closures_only(
    size: int, *, most_closed: int | None = None, report: Callable[[Progress], None] | None = None
) -> Learner[Found]:
    """Learn the canonical basis from closure queries; stop, uncertified, once more than most_closed sets are kept."""
    # A smallest gap is a guess already, and a better one.
    learned = Refinement(size, guesses=False)
    closed_sets = learned.known.closed_sets
    # Independent of each other, and most of what there is to know about many real theories.
    yield from learned.ask_all([0, *(1 << position for position in range(size))])
    yield from learned.catch_up()
    search = _Search(learned, report)
    try:
        # An attribute with more models than its share waits until the others have had theirs.
        while search.uncertified and (most_closed is None or len(closed_sets) <= most_closed):
            for count, position in enumerate(waiting := list(members(search.uncertified))):
                share = None if most_closed is None else (most_closed - len(closed_sets)) // (len(waiting) - count)
                yield from search.certify(position, share)
        search.settle()
    finally:
        search.gaps.close()
    reason = f"there are more than {most_closed} closed sets to tell apart" if search.uncertified else ""
    return Found(learned.hypothesis, tuple(closed_sets.irreducible()), search.uncertified, reason)


class _Search:
    """The attributes that are not certified, and what is asked to certify them."""

    __slots__ = ("_ends", "_learned", "_report", "gaps", "uncertified")

    def __init__(self, learned: Refinement, report: Callable[[Progress], None] | None) -> None:
        size = learned.known.size
        self.uncertified = everything(size)
        self.gaps = Gaps(size)
        self._learned, self._report, self._ends = learned, report, _Ends()

    def certify(self, position: int, share: int | None) -> Learner[None]:
        """Ask until the attribute has no gap, or more new closed sets than its share are known."""
        learned, ends = self._learned, self._ends
        before = len(learned.known.closed_sets)
        while (gap := self._gap(position)) is not None:
            if share is not None and len(learned.known.closed_sets) - before > share:
                return
            asked = gap if ends.largest else self._smallest(gap)
            model = (yield from learned.ask(asked)) == asked
            if not model and not ends.largest:
                # A smaller pseudo-closed set, with its closure outside, would be closed under the rules and no model.
                learned.pseudo_closed.add(asked)
            ends.learn(model)
            yield from learned.catch_up()
            self._tell()
        self.uncertified ^= 1 << position
        self._tell()

    def _smallest(self, gap: Attrs) -> Attrs:
        """A gap within this one, of any attribute, that has no other gap in it."""
        smaller: Attrs | None = gap
        while smaller is not None:
            gap = self._learned.least_doubtful(smaller)
            smaller = self.gaps.find_smaller(gap, self._learned.known.closed_sets)
        return gap

    def settle(self) -> None:
        """Certify what has no gap any more, since other attributes were searched after it."""
        for position in members(self.uncertified):
            if self._gap(position) is None:
                self.uncertified ^= 1 << position
        self._tell()

    def _gap(self, position: int) -> Attrs | None:
        for rule in self._learned.news():
            self.gaps.learn(rule)
        return self.gaps.find(position, self._learned.known.closed_sets)

    def _tell(self) -> None:
        if self._report is not None:
            known = self._learned.known
            certified = everything(known.size) ^ self.uncertified
            self._report(Progress(certified, known.size, len(self._learned.hypothesis), len(known.closed_sets)))


def bound(target: Theory, models: int) -> int:
    """The most queries that `closures_only` asks about a target with this canonical basis and so many models.

    The models are the characteristic ones.
    """
    n, m = target.size, len(target)
    steps = sum(n - known.premise.bit_count() for known in target)
    minimising = n * (n + QUERIES + n * (2 + n.bit_length()))
    return 2 + n + 2 * models + steps * (2 + minimising + m + 1)


class _Ends:
    """Which end of a gap to ask for: a largest set finds a model, a smallest one finds a premise, for one query each.

    The largest while it succeeds, the smallest while it does not. A smallest set that was a model, so that little was
    learned, is followed by a largest one.
    """

    __slots__ = ("_premises", "largest")

    def __init__(self) -> None:
        self.largest = True
        self._premises = 0

    def learn(self, model: bool) -> None:
        """The set that was asked was a model, or not."""
        if not model:
            self._premises = min(3, self._premises + 1)
        elif self.largest:
            self._premises = max(-3, self._premises - 1)
        self.largest = self._premises <= 0 or (model and not self.largest)
