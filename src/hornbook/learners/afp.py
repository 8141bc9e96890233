"""AFP in three forms: learning from membership and equivalence queries.

`horn` and `horn1` are the two algorithms of Angluin, Frazier and Pitt, *Learning conjunctions of Horn clauses*, Machine
Learning 9 (1992). `afp` is the form of Arias and Balcazar, *Construction and learnability of canonical Horn formulas*,
Machine Learning 85 (2011), whose conclusions are the strongest that the positive counterexamples allow. `afp` and
`horn1` return the canonical basis, `horn` a theory equivalent to it.

A counterexample needs no query to tell its sign: it is positive where it violates the hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable

from hornbook.dialogue import Learner
from hornbook.queries import Contains, Equivalent
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything


def afp(size: int, *, keep: bool = True) -> Learner[Theory]:
    """Learn the canonical basis.

    At most m (2n - 1) + 1 equivalence and m^2 (n - 1) + m (m - 1) / 2 membership queries.

    Sets that a membership query finds positive are kept as examples, too. Without them (keep=False, the algorithm as it
    was published) it learns the same, but its hypotheses are not always saturated.
    """
    hypothesis = Theory(size)
    positives = [everything(size)]

    def with_positive(known: Theory, positive: Attrs) -> Theory:
        positives.append(positive)
        return _reduced(known, positive)

    def strongest(premise: Attrs) -> Implication:
        """The premise implies whatever all positive examples above it have."""
        return Implication(premise, _common(positives, premise))

    x: Attrs | None
    while (x := (yield Equivalent(hypothesis))) is not None:
        if not hypothesis.satisfies(x):
            hypothesis = with_positive(hypothesis, x)
            continue
        for i, known in enumerate(hypothesis):
            meet = x & known.premise
            if meet != known.premise:
                if not (yield Contains(meet)):
                    hypothesis = hypothesis.replace(i, strongest(meet))
                    break
                if keep:
                    hypothesis = with_positive(hypothesis, meet)
        else:
            hypothesis = hypothesis.append(strongest(x))
    return hypothesis


def horn1(size: int) -> Learner[Theory]:
    """Learn the canonical basis; at most 2mn + 1 equivalence and O(m^2 n) membership queries.

    An implication is a metaclause: it starts with the strongest conclusion, and a refinement moves what leaves the
    premise to the added attributes, so that premise and conclusion together never grow.
    """
    hypothesis = Theory(size)

    def new(premise: Attrs) -> Implication:
        return Implication(premise, everything(size))

    def refined(known: Implication, meet: Attrs) -> Implication:
        return Implication(meet, known.premise | known.conclusion)

    x: Attrs | None
    while (x := (yield Equivalent(hypothesis))) is not None:
        if not hypothesis.satisfies(x):
            hypothesis = _reduced(hypothesis, x)
        else:
            hypothesis = yield from _with_negative(hypothesis, x, refined, new)
    return hypothesis


def horn(size: int) -> Learner[Theory]:
    """Learn an equivalent theory; O(m^2 n^2) equivalence and O(m^2 n) membership queries.

    Every negative counterexample rebuilds all clauses from scratch: what positive ones had taught is forgotten.
    """
    hypothesis = Theory(size)

    def new(premise: Attrs) -> Implication:
        return Implication(premise, everything(size))

    x: Attrs | None
    while (x := (yield Equivalent(hypothesis))) is not None:
        if not hypothesis.satisfies(x):
            hypothesis = _reduced(hypothesis, x)
        else:
            changed = yield from _with_negative(hypothesis, x, lambda _, meet: new(meet), new)
            hypothesis = Theory(size, tuple(new(known.premise) for known in changed))
    return hypothesis


def _with_negative(
    hypothesis: Theory,
    x: Attrs,
    refined: Callable[[Implication, Attrs], Implication],
    new: Callable[[Attrs], Implication],
) -> Learner[Theory]:
    """The hypothesis after a negative counterexample: the first premise that can be refined is, else x is a new one."""
    for i, known in enumerate(hypothesis):
        meet = x & known.premise
        if meet != known.premise and not (yield Contains(meet)):
            return hypothesis.replace(i, refined(known, meet))
    return hypothesis.append(new(x))


def _reduced(hypothesis: Theory, positive: Attrs) -> Theory:
    """The hypothesis without what the positive counterexample refutes, in every implication that it violates."""
    return Theory(
        hypothesis.size,
        tuple(
            known if known.satisfied_by(positive) else Implication(known.premise, known.conclusion & positive)
            for known in hypothesis
        ),
    )


def _common(positives: list[Attrs], attrs: Attrs) -> Attrs:
    """What all positive examples above attrs have in common; the first of them is the set of all attributes."""
    common = positives[0]
    for positive in positives:
        if attrs & ~positive == 0:
            common &= positive
    return common
