"""What proves a basis: closed sets that refute every implication which does not follow from it.

A closed set that is a meet (an intersection) of others says nothing new, so a certificate keeps the meet-irreducible
ones, the characteristic models. Together with the implications they leave no other theory possible: each closed set of
the source is one of the implications', and each of these is a meet of closed sets of the source.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hornbook.errors import BadAnswer
from hornbook.theory import Theory
from hornbook.universe import Attrs, Universe, by_size, members

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
    """The meet-irreducible closed sets, smaller ones first, or None where there are more than the limit.

    As in `Theory.characteristic_models`, the set of all attributes, the meet of no sets, is none of them.

    A SAT solver finds a closed set without attribute b that no known one contains; grown to a maximal one without
    b it is new. So k of them take n + k calls, and the limit bounds the time as well.
    """
    found: list[Attrs] = []
    size = theory.size
    with _searching(theory) as solver:
        for b in range(size):
            assumed = [-(b + 1), *((size + 1 + j) * (1 if j == b else -1) for j in range(size))]
            while solver.solve(assumed):
                if len(found) == limit:
                    return None
                model = solver.get_model()
                largest = _grown(theory, sum(1 << j for j in range(size) if model[j] > 0), b)
                found.append(largest)
                solver.add_clause([size + 1 + j if largest >> j & 1 else j + 1 for j in range(size)])
    return sorted(found, key=by_size)


def _searching(theory: Theory) -> Any:
    """A solver whose models are the closed sets of the theory; variable size + 1 + b says that b is missing."""
    from pysat.solvers import Solver

    solver = Solver(name="cadical153")
    for implication in theory:
        body = [-(i + 1) for i in members(implication.premise)]
        for i in members(implication.added):
            solver.add_clause([*body, i + 1])
    # A large closed set is soon grown to a maximal one.
    solver.set_phases([i + 1 for i in range(theory.size)])
    return solver


def _grown(theory: Theory, attrs: Attrs, b: int) -> Attrs:
    """A maximal closed set without attribute b that contains this closed one."""
    for e in range(theory.size):
        if e != b and not attrs >> e & 1:
            larger = theory.closure(attrs | 1 << e)
            if not larger >> b & 1:
                attrs = larger
    return attrs


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
