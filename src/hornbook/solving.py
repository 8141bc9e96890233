"""SAT solvers that heed signals: a search runs in slices, and Python's own handlers between them.

Left to itself, pysat answers Ctrl-C by a jump out of the solver: what the solver held may be broken, SIGINT stays
blocked for good, and the error is not KeyboardInterrupt; all other signals wait for the end of the search. So its
handler is never set here. Only the compiled half of pysat can be told so; the other sets it in the main thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

CONFLICTS = 1000
"""A slice ends after so many: some 0.05 s of a hard search. An easy one, of fewer, is not cut at all."""


def cadical(clauses: Iterable[Sequence[int]]) -> Any:
    """A solver for searches; delete() frees it."""
    from pysat.solvers import Solver

    return Solver(name="cadical153", bootstrap_with=clauses)


def minisat(clauses: Iterable[Sequence[int]]) -> Any:
    """A solver for propagation, since CaDiCaL's is not to be trusted after a search."""
    from pysat.solvers import Solver

    return Solver(name="minisat22", bootstrap_with=clauses)


def solved(solver: Any, assumed: Sequence[int] = ()) -> bool:
    """Whether some model has these literals; then get_model() gives it, else get_core() those that it cannot have.

    The solver is one of pysat's that can be given a budget of conflicts: CaDiCaL 1.5.3, Glucose, MiniSat and so on.
    """
    literals = list(assumed)
    while True:
        solver.conf_budget(CONFLICTS)
        answer = _slice(solver.solver, literals)
        if answer is not None:
            return answer


def propagated(solver: Any, assumed: Sequence[int]) -> tuple[bool, list[int]]:
    """Whether MiniSat's propagation of these literals meets no contradiction, and what it says; nothing for none."""
    import pysolvers

    consistent, implied = pysolvers.minisat22_propagate(solver.solver.minisat, list(assumed), 0, 0)
    return bool(consistent), implied or []


def _slice(inner: Any, assumed: list[int]) -> bool | None:
    """What a part of the search has found; None where it has found nothing yet."""
    if not hasattr(inner, "cadical"):
        # Those that can be interrupted set no handler when told that they may be.
        answer: bool | None = inner.solve_limited(assumed, expect_interrupt=True)
        return answer
    import pysolvers

    found = pysolvers.cadical153_solve_lim(inner.cadical, assumed, 0)
    # What get_model() and get_core() look at.
    status = None if found == 0 else found > 0
    inner.status, inner.prev_assumps = status, assumed
    return status
