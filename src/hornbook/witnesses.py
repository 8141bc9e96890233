"""What proves a basis: closed sets that refute every implication which does not follow from it.

A closed set that is a meet (an intersection) of others says nothing new, so a certificate keeps the meet-irreducible
ones, the characteristic models. Together with the implications they leave no other theory possible: each closed set of
the source is one of the implications', and each of these is a meet of closed sets of the source.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hornbook import maximal
from hornbook.errors import BadAnswer
from hornbook.theory import Theory
from hornbook.universe import Attrs, Universe, by_size

LIMIT = 20_000
"""More characteristic models than this are no certificate that anyone wants to store or to check."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The closed sets that a result carries, or None and the reason why it carries none."""

    closed: tuple[Attrs, ...] | None
    reason: str = ""

    def as_json(self, universe: Universe) -> dict[str, Any]:
        """What stands under "certificate" in a result."""
        if self.closed is None:
            return {"closed": None, "reason": self.reason}
        return {"closed": [universe.names_in(attrs) for attrs in self.closed]}


def certificate(theory: Theory, closed: Iterable[Attrs], *, irreducible: bool = False) -> Certificate:
    """The certificate of what was learned, from sets that the source itself called closed.

    It proves the theory exact if enough of them are known, and it lets nobody pass off as exact what is not. The set of
    all attributes is one of them, unless it is no model: a definite source need not be asked. Whoever knows that none
    of the sets is an intersection of others says so, and saves a comparison of each with each.
    """
    sets = [attrs for attrs in closed if attrs != theory.everything]
    if not irreducible:
        sets = _irreducible(theory.everything, sets)
    sets += [theory.everything] if theory.top else []
    for attrs in sets:
        for implication in theory:
            if not implication.satisfied_by(attrs):
                raise BadAnswer(
                    f"the source closes {implication.premise:#b} to {implication.conclusion:#b}, and yet it called "
                    f"{attrs:#b} closed, which has the premise and not the conclusion; "
                    "it is no closure operator, or it changed while it was asked"
                )
    return Certificate(tuple(sorted(sets, key=by_size)))


def derived(theory: Theory, *, limit: int = LIMIT) -> Certificate:
    """The certificate of a theory that is known to be exact, its closed sets computed from the theory itself.

    For what an exact equivalence oracle confirmed: never for a theory that is only probably right, since these closed
    sets would make it look proved. Where there are more than the limit, the certificate says that it has none.
    """
    sets = characteristic_models(theory, limit=limit)
    if sets is None:
        return Certificate(None, f"there are more than {limit:,} characteristic models")
    return Certificate((*sets, theory.everything) if theory.top else tuple(sets))


def characteristic_models(theory: Theory, *, limit: int) -> list[Attrs] | None:
    """`Theory.characteristic_models`, or None where there are more than the limit; it bounds the time as well."""
    found = list(islice(maximal.models(theory.size, theory.rules, theory.closure), limit + 1))
    return None if len(found) > limit else sorted(found, key=by_size)


def _irreducible(full: Attrs, sets: Iterable[Attrs]) -> list[Attrs]:
    """Those of the sets, other than the full one, that are no intersection of others; the largest first."""
    kept: list[Attrs] = []
    for attrs in sorted(set(sets), key=lambda attrs: (-attrs.bit_count(), attrs)):
        meet = full
        for larger in kept:
            if attrs & ~larger == 0:
                meet &= larger
                if meet == attrs:
                    break
        if meet != attrs:
            kept.append(attrs)
    return kept
