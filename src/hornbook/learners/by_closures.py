"""Exact equivalence from closure queries, for any learner: what `closures_only` does between its counterexamples.

The implications of a hypothesis are asked for one by one; once they hold, a SAT solver looks for a set closed under
them that no known closed set explains, and the closure of that set is asked. The proof is that of `closures_only`.
"""

from __future__ import annotations

from hornbook.bounds import ClosedSets, Rules
from hornbook.dialogue import Learner
from hornbook.equivalence import Equivalence, exact
from hornbook.learners.gaps import Gaps
from hornbook.queries import Close, Equivalent
from hornbook.theory import Theory
from hornbook.universe import Attrs, everything


def by_closures(size: int) -> Equivalence:
    """A way to answer equivalence queries by closure queries. What one hypothesis taught serves for the next."""
    gaps, rules, closed_sets = Gaps(size), Rules(), ClosedSets(size)
    certified: list[int] = []

    def learn(premise: Attrs, closed: Attrs) -> None:
        if rules.add(premise, closed):
            gaps.learn((premise, closed))

    def closure(attrs: Attrs) -> Learner[Attrs]:
        answer: Attrs | None = yield Close(attrs)
        closed = everything(size) if answer is None else answer
        learn(attrs, closed)
        closed_sets.add(closed)
        return closed

    def refuted(hypothesis: Theory) -> Learner[Attrs | None]:
        """A closed set that violates the hypothesis, if it is too strong somewhere."""
        for implication in hypothesis:
            if implication.conclusion & ~rules.close(implication.premise):
                closed = yield from closure(implication.premise)
                if implication.conclusion & ~closed:
                    return closed
        return None

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        hypothesis = query.hypothesis
        positive = yield from refuted(hypothesis)
        if positive is not None:
            return positive
        for premise, conclusion in rules.pairs():
            x = hypothesis.closure(premise)
            if conclusion & ~x:
                return x
        # Now the hypothesis says all that is known, and what is known allows no more than it does.
        for position in range(len(certified), size):
            while (gap := gaps.find(position, closed_sets)) is not None:
                if (yield from closure(gap)) != gap:
                    return hypothesis.closure(gap)
            certified.append(position)
        return None

    return Equivalence(answer, exact, "closures")
