"""The model of a theory nearest to a set in Hamming distance, by MaxSAT."""

from __future__ import annotations

from hornbook.theory import Theory
from hornbook.universe import Attrs, attrs_of, everything, members


def nearest_model(theory: Theory, attrs: Attrs) -> Attrs | None:
    """The nearest model, or None where there is none; of several the one that is first `by_size`."""
    if theory.satisfies(attrs):
        return attrs
    clauses = _clauses(theory)
    model = _least_distant(theory.size, clauses, attrs)
    return None if model is None else _first_like(theory.size, clauses, attrs, model)


def _least_distant(size: int, clauses: list[list[int]], attrs: Attrs) -> Attrs | None:
    """A nearest model, and of the nearest ones a smallest: leaving out costs n, putting in costs n + 2."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    formula = WCNF()
    for clause in clauses:
        formula.append(clause)
    for position in range(size):
        inside = attrs >> position & 1
        formula.append([position + 1 if inside else -(position + 1)], weight=size if inside else size + 2)
    with RC2(formula) as solver:
        model = solver.compute()
    return None if model is None else attrs_of(literal - 1 for literal in model if 0 < literal <= size)


def _first_like(size: int, clauses: list[list[int]], attrs: Attrs, model: Attrs) -> Attrs:
    """The first, by position, of the models that leave out and put in as many attributes as this one."""
    from pysat.card import CardEnc, EncType
    from pysat.solvers import Solver

    left_out = [-(position + 1) for position in members(attrs)]
    put_in = [position + 1 for position in members(everything(size) & ~attrs)]
    used = size
    with Solver(name="cadical153", bootstrap_with=clauses) as solver:
        for literals, count in ((left_out, attrs & ~model), (put_in, model & ~attrs)):
            if literals:
                limit = CardEnc.atmost(literals, count.bit_count(), top_id=used, encoding=EncType.seqcounter)
                solver.append_formula(limit.clauses)
                used = max(used, limit.nv)
        chosen: list[int] = []
        for position in range(size):
            # What the model at hand has need not be tried.
            kept = model >> position & 1 or solver.solve([*chosen, position + 1])
            if kept and not model >> position & 1:
                model = attrs_of(literal - 1 for literal in solver.get_model() if 0 < literal <= size)
            chosen.append(position + 1 if kept else -(position + 1))
    return model


def _clauses(theory: Theory) -> list[list[int]]:
    clauses = []
    for implication in theory:
        negative = [-(position + 1) for position in members(implication.premise)]
        clauses += [[*negative, position + 1] for position in members(implication.added)]
    if not theory.top:
        clauses.append([-(position + 1) for position in range(theory.size)])
    return clauses
