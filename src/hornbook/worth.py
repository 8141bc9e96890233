"""What the end of a run is worth: the theory, what may be claimed of it, and what proves that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from hornbook import equivalence as eq
from hornbook.equivalence import Equivalence, Status
from hornbook.knowledge import Knowledge
from hornbook.layers import Counts, Stopped, no_counts
from hornbook.learners.closures_only import Found
from hornbook.learners.gaps import gaps_remain
from hornbook.queries import EntailmentEquivalent, Equivalent, Holds, Query
from hornbook.sources import Target
from hornbook.theory import Theory
from hornbook.universe import Attrs
from hornbook.witnesses import Certificate, certificate, derived

MOST_CLOSED = 5_000
"""More closed sets than this make no certificate of a known theory: to compute these alone takes seconds."""

MOST_KEPT = 25_000
"""More closed sets than this are no evidence that anyone wants to store: some more than `closures_only` keeps."""

UNPROVED = "what the learner returned does not follow from the answers to its questions; this is what they say"


@dataclass(frozen=True, slots=True)
class Worth:
    """A theory, what may be claimed of it, and what makes the proof of that, which may take a while."""

    theory: Theory
    status: Status
    proving: Callable[[], Certificate]


class Evidence:
    """What a run has been told: `knowledge` by the oracle, the rest by its learner and the answers that one got.

    `confirmed` is the hypothesis that the chosen way to answer equivalence said yes to, and `held` the number of
    implications that the learner is known to hold. `uncertified` are the attributes that `closures_only` has left to
    certify, None for another learner.
    """

    def __init__(self, target: Target, equivalence: Equivalence | None) -> None:
        self.target, self.equivalence = target, equivalence
        self.size = target.universe.size
        self.knowledge = Knowledge(self.size, top=True if target.definite else None)
        self.asked: Counts = no_counts()
        self.confirmed: Theory | None = None
        self.uncertified: Attrs | None = None
        self.held = 0
        self._compares = False
        self._told: dict[Query, Any] = {}

    def tells(self, query: Query, answer: Any) -> None:
        """Take in what the learner asked, and was answered."""
        if isinstance(query, Equivalent | EntailmentEquivalent):
            self.held = len(query.hypothesis)
            self._compares = True
            self._told.clear()  # What it returns is worth what the last comparison was.
        elif not self._compares:
            self._told[query] = answer
            self.held += isinstance(query, Holds) and answer is None

    def certain(self) -> Theory:
        """What is certain so far."""
        top = self.knowledge.top is not False
        return Theory.of(self.size, self.knowledge.rules.pairs(), top=top).canonical()

    def worth(self, outcome: Any) -> Worth:
        """What the outcome of the run is worth."""
        if isinstance(outcome, Stopped):
            return self._partial(self.certain(), eq.incomplete(outcome.reason))
        if isinstance(outcome, Found):
            self.uncertified = outcome.uncertified
            if outcome.uncertified:
                return self._partial(outcome.theory, self._uncertified(outcome))
            proving = partial(certificate, outcome.theory, outcome.closed, irreducible=True)
            return Worth(outcome.theory, self._exact(), proving)
        theory: Theory = outcome.canonical()
        computed = partial(derived, theory, limit=MOST_CLOSED)
        if self.equivalence is not None and self.confirmed is not None and self.confirmed.equivalent(theory):
            status = self.equivalence.status()
            return Worth(theory, status, computed) if status.status == eq.EXACT else self._partial(theory, status)
        if self.knowledge.exact and self.certain().equivalent(theory):
            return Worth(theory, eq.exact(), computed)
        return self._unconfirmed(theory)

    def remarks(self, status: Status) -> dict[str, Any]:
        """What else a result says: how equivalence was answered; what is unknown where closures alone were asked."""
        said: dict[str, Any] = {"equivalence": self._compared()}
        if self.uncertified is not None and status.status == eq.INCOMPLETE:
            said["uncertified"] = self.target.universe.names_in(self.uncertified)
        return said

    def horn(self) -> dict[str, Any]:
        """Whether a formula is Horn, so that what is learned is all of it; if not, two models whose meet is none."""
        if self.target.horn_gap is None:
            return {}
        gap = self.target.horn_gap()
        if gap is None:
            return {"horn": True}
        return {"horn": False, "models": [self.target.universe.names_in(attrs) for attrs in gap]}

    def _compared(self) -> str:
        """How equivalence was answered, in a word or two."""
        if not self.asked[Equivalent.kind] + self.asked[EntailmentEquivalent.kind]:
            return "none asked"
        return "oracle" if self.equivalence is None else self.equivalence.name

    def _unconfirmed(self, theory: Theory) -> Worth:
        """The worth of what a learner returns that compares nothing, like exploration: what its answers prove."""
        told = Knowledge(self.size, top=True)  # The target of its questions is definite: the embedding E1.
        for query, answer in self._told.items():
            told.learn(query, answer)
        known = Theory.of(self.size, told.rules.pairs(), top=theory.top)
        if not known.equivalent(theory) or gaps_remain(told):
            return self._partial(self.certain(), eq.incomplete(UNPROVED))
        return Worth(theory, self._exact(), partial(certificate, theory, told.closed_sets.sets))

    def _exact(self) -> Status:
        """Nothing is missing; implication questions alone cannot tell whether all attributes together are a model."""
        return eq.exact("if the set of all attributes is a model" if self.knowledge.top is None else "")

    def _uncertified(self, found: Found) -> Status:
        names = self.target.universe.names_in(found.uncertified)
        shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        return eq.incomplete(
            f"{found.reason}; whether more implies {shown} is unknown ({len(names)} of {self.size} attributes)"
        )

    def _partial(self, theory: Theory, status: Status) -> Worth:
        """With the closed sets that came up: no proof that nothing is missing, but of what does not follow."""

        def proving() -> Certificate:
            closed = self.knowledge.closed_sets
            if len(closed) > MOST_KEPT:
                return Certificate(None, f"more than {MOST_KEPT:,} closed sets came up")
            return certificate(theory, closed.irreducible(), irreducible=True)

        return Worth(theory, status, proving)
