"""ClH: Algorithm 1 of Arias, Balcazar and Tirnauca, *Learning Definite Horn Formulas from Closure Queries*.

Exact bounds, sharper than the paper's: at most 1 + sum of (n - |P|) over the premises P of the basis equivalence
queries, and m^2 (n - 1) + m (m + 1) / 2 closure queries, where m is the size of the basis.
"""

from __future__ import annotations

from hornbook.dialogue import Learner
from hornbook.queries import Close, Equivalent
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs


def clh(size: int) -> Learner[Theory]:
    """Learn the canonical basis from closure and equivalence queries."""
    hypothesis = Theory(size)
    x: Attrs | None
    while (x := (yield Equivalent(hypothesis))) is not None:
        # Every implication is true of the target, so x is always a negative counterexample.
        for i, known in enumerate(hypothesis):
            meet = x & known.premise
            # Only the first premise that can be refined is: refining more, or in another order, loses the basis.
            if meet != known.premise and (closed := (yield Close(meet))) != meet:
                hypothesis = hypothesis.replace(i, Implication(meet, closed))
                break
        else:
            hypothesis = hypothesis.append(Implication(x, (yield Close(x))))
    return hypothesis
