"""LRN: learning from entailment, after Frazier and Pitt, *Learning from entailment* (ICML 1993).

It is reconstructed from what the paper on ClH says of it; the original text was not at hand. It is ClH with entailment
queries in the place of closures, so every hypothesis is one of ClH and the result is the canonical basis. An entailment
query tells one bit about one attribute: a sign test may take n of them, and the LRN reconstructed here needs m^2 n^2 in
all in the worst case, not the m^2 n of the paper's Table 2.
"""

from __future__ import annotations

from hornbook.dialogue import Learner
from hornbook.queries import EntailmentEquivalent, Entails
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything, members


def lrn(size: int) -> Learner[Theory]:
    """Learn the canonical basis from entailment and entailment equivalence queries."""
    hypothesis = Theory(size)
    clause: Implication | None
    while (clause := (yield EntailmentEquivalent(hypothesis))) is not None:
        # The hypothesis is sound, so the target entails the clause: x is closed under the one and not under the other.
        x = hypothesis.closure(clause.premise)
        for i, known in enumerate(hypothesis):
            meet = x & known.premise
            # The closure of the meet lies within that of the premise, so no attribute beyond it needs a query.
            if meet != known.premise and (closed := (yield from _closed(meet, known.conclusion))) != meet:
                hypothesis = hypothesis.replace(i, Implication(meet, closed))
                break
        else:
            hypothesis = hypothesis.append(Implication(x, (yield from _closed(x, everything(size)))))
    return hypothesis


def _closed(attrs: Attrs, upper: Attrs) -> Learner[Attrs]:
    """The closure of attrs, known to lie within upper: one entailment query for each attribute between."""
    closed = attrs
    for attribute in members(upper & ~attrs):
        if (yield Entails(attrs, attribute)):
            closed |= 1 << attribute
    return closed
