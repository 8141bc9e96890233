"""The questions that a learner can ask, what each answer means, and the one method that an oracle needs for each.

T is the target. Sets are ints. A general Horn target, one with negative clauses, has no closure for a contradictory
set: the answer is None, and `embedding.embedded` turns such a target into a definite one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs


@dataclass(frozen=True, slots=True)
class Query:
    """One question. `kind` names it in counts, `method` is what an oracle must have to answer it."""

    kind: ClassVar[str]
    method: ClassVar[str]

    def ask(self, oracle: Any) -> Any:
        """The oracle's answer."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Close(Query):
    """Closure query (CQ): the least model of T that contains attrs, or None where no model does."""

    kind = "closure"
    method = "closure"
    attrs: Attrs

    def __hash__(self) -> int:
        return hash(self.attrs)  # Half the time of the hash that dataclasses make, and caches ask for it.

    def ask(self, oracle: Closes) -> Attrs | None:
        return oracle.closure(self.attrs)


@dataclass(frozen=True, slots=True)
class CloseAll(Query):
    """A batch of closure queries: the closures of all these sets, in order. Counts as that many queries."""

    kind = "closure"
    method = "closures"
    sets: tuple[Attrs, ...]

    def ask(self, oracle: ClosesMany) -> Sequence[Attrs | None]:
        return oracle.closures(self.sets)


@dataclass(frozen=True, slots=True)
class Contains(Query):
    """Standard membership query (SMQ): whether attrs is a model of T."""

    kind = "membership"
    method = "contains"
    attrs: Attrs

    def __hash__(self) -> int:
        return hash(self.attrs)  # Half the time of the hash that dataclasses make, and caches ask for it.

    def ask(self, oracle: ContainsModels) -> bool:
        return oracle.contains(self.attrs)


@dataclass(frozen=True, slots=True)
class Equivalent(Query):
    """Standard equivalence query (SEQ): None for yes, else a model of exactly one of T and the hypothesis."""

    kind = "equivalence"
    method = "counterexample"
    hypothesis: Theory

    def ask(self, oracle: Compares) -> Attrs | None:
        return oracle.counterexample(self.hypothesis)


@dataclass(frozen=True, slots=True)
class Entails(Query):
    """Entailment membership query (EMQ): whether T entails the clause premise -> attribute; no attribute is FALSE."""

    kind = "entailment"
    method = "entails"
    premise: Attrs
    attribute: int | None

    def ask(self, oracle: EntailsClauses) -> bool:
        return oracle.entails(self.premise, self.attribute)


@dataclass(frozen=True, slots=True)
class EntailmentEquivalent(Query):
    """Entailment equivalence query (EEQ): None for yes, else a clause that T entails and the hypothesis does not,
    or the other way round."""

    kind = "entailment_equivalence"
    method = "distinguishing_clause"
    hypothesis: Theory

    def ask(self, oracle: ComparesConsequences) -> Implication | None:
        return oracle.distinguishing_clause(self.hypothesis)


@dataclass(frozen=True, slots=True)
class Holds(Query):
    """The implication question of attribute exploration: None for yes, else a model of T that violates it."""

    kind = "implication"
    method = "refutation"
    implication: Implication

    def ask(self, oracle: Refutes) -> Attrs | None:
        return oracle.refutation(self.implication)


@dataclass(frozen=True, slots=True)
class Correct(Query):
    """Correction query: the model of T nearest to attrs in Hamming distance; ties go to the first one `by_size`.

    The nearest model *above* attrs is its closure: that correction query is `Close`.
    """

    kind = "correction"
    method = "correction"
    attrs: Attrs

    def ask(self, oracle: Corrects) -> Attrs | None:
        return oracle.correction(self.attrs)


@dataclass(frozen=True, slots=True)
class Unspecified(Query):
    """Unspecified attribute value query (UAV), with don't-cares: `ones` are in, `zeros` are out, the rest is open.

    True: every completion is a model of T. False: none is. None: some are.
    """

    kind = "unspecified"
    method = "unspecified"
    ones: Attrs
    zeros: Attrs

    def ask(self, oracle: CompletesSets) -> bool | None:
        return oracle.unspecified(self.ones, self.zeros)


QUERIES: tuple[type[Query], ...] = (
    Close,
    CloseAll,
    Contains,
    Equivalent,
    Entails,
    EntailmentEquivalent,
    Holds,
    Correct,
    Unspecified,
)

KINDS = ("closure", "membership", "equivalence", "entailment", "entailment_equivalence", "implication")
"""The kinds that every account lists, even at 0; other kinds are listed where they were asked."""


def answers(oracle: object) -> frozenset[type[Query]]:
    """The kinds of query that the oracle can answer."""
    return frozenset(query for query in QUERIES if callable(getattr(oracle, query.method, None)))


class Closes(Protocol):
    def closure(self, attrs: Attrs, /) -> Attrs | None: ...


class ClosesMany(Protocol):
    def closures(self, sets: Sequence[Attrs], /) -> Sequence[Attrs | None]: ...


class ContainsModels(Protocol):
    def contains(self, attrs: Attrs, /) -> bool: ...


class Compares(Protocol):
    def counterexample(self, hypothesis: Theory, /) -> Attrs | None: ...


class EntailsClauses(Protocol):
    def entails(self, premise: Attrs, attribute: int | None, /) -> bool: ...


class ComparesConsequences(Protocol):
    def distinguishing_clause(self, hypothesis: Theory, /) -> Implication | None: ...


class Refutes(Protocol):
    def refutation(self, implication: Implication, /) -> Attrs | None: ...


class Corrects(Protocol):
    def correction(self, attrs: Attrs, /) -> Attrs | None: ...


class CompletesSets(Protocol):
    def unspecified(self, ones: Attrs, zeros: Attrs, /) -> bool | None: ...
