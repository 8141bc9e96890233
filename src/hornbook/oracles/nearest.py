"""The model of a theory nearest to a set in Hamming distance, by MaxSAT.

RC2: Ignatiev, Morgado and Marques-Silva, *RC2: an efficient MaxSAT solver*, JSAT 11 (2019).
"""

from __future__ import annotations

from typing import Any

from hornbook.theory import Theory
from hornbook.universe import Attrs, attrs_of, members


def nearest_model(theory: Theory, attrs: Attrs) -> Attrs | None:
    """The nearest model, or None where there is none; of several the one that is first `by_size`."""
    if theory.satisfies(attrs):
        return attrs
    from pysat.examples.rc2 import RC2

    with RC2(_formula(theory, attrs)) as search:
        # The models that satisfy what RC2 assumes in the end are those of least cost: the nearest, smallest ones.
        return None if search.compute() is None else _first(theory.size, search.oracle, search.active_assumps())


def _formula(theory: Theory, attrs: Attrs) -> Any:
    """Its solutions of least cost are the nearest models, of these the smallest: leaving out costs n, putting in n + 2.

    For let a model m put in i and leave out o, and a farther one, m', put in i' and leave out o', e >= 1 more in all:
    then m' costs n e - 2 (i - i') more. What m alone puts in, at least i - i', and what m' alone leaves out, at least
    o' - o = i - i' + e, are disjoint. So 2 (i - i') + e <= n, which makes i - i' <= (n - 1) / 2: m' costs more.
    """
    from pysat.formula import WCNF

    formula = WCNF()
    for clause in _clauses(theory):
        formula.append(clause)
    for position in range(theory.size):
        inside = attrs >> position & 1
        weight = theory.size if inside else theory.size + 2
        formula.append([position + 1 if inside else -(position + 1)], weight=weight)
    return formula


def _first(size: int, solver: Any, assumed: list[int]) -> Attrs:
    """The first model, by position, under these assumptions, of which all models have the same size."""
    model, chosen = _model(size, solver), list(assumed)
    for position in range(size):
        # What the model at hand has need not be tried.
        if not model >> position & 1 and solver.solve([*chosen, position + 1]):
            model = _model(size, solver)
        chosen.append(position + 1 if model >> position & 1 else -(position + 1))
    return model


def _model(size: int, solver: Any) -> Attrs:
    return attrs_of(literal - 1 for literal in solver.get_model() if 0 < literal <= size)


def _clauses(theory: Theory) -> list[list[int]]:
    clauses = []
    for implication in theory:
        negative = [-(position + 1) for position in members(implication.premise)]
        clauses += [[*negative, position + 1] for position in members(implication.added)]
    if not theory.top:
        clauses.append([-(position + 1) for position in range(theory.size)])
    return clauses
