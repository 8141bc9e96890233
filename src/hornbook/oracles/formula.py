"""A Boolean formula: the closure of a set is all that every model above it has, so its Horn envelope is the target.

Decided by SAT under assumptions. Unit propagation alone is incomplete; here it only saves calls, and everything found
is kept: each model rules out what it lacks for every set below it, each core becomes a clause that later propagation
uses. MiniSat propagates, because CaDiCaL's propagation after a search is not to be trusted; CaDiCaL searches, with all
features off first, which gives small models.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import reduce
from operator import or_

from hornbook.errors import FormatError
from hornbook.formats.values import NamedFormula
from hornbook.oracles.known import KnownTheory
from hornbook.solving import cadical, minisat, propagated, solved
from hornbook.theory import Theory
from hornbook.universe import Attrs, attrs_of, everything, members

Clause = Sequence[int]

MOST_MODELS = 1024
"""Models kept to narrow later answers. More of them rule out more and take longer to look through."""

MOST_CLAUSES = 20_000
"""Clauses learned from cores before the solvers are made anew, without them."""


def formula_oracle(formula: NamedFormula) -> Formula | KnownTheory:
    """The oracle for the formula; where each clause is Horn a known theory, which answers every kind of query."""
    theory = horn_theory(formula)
    return Formula(formula) if theory is None else KnownTheory(theory)


def horn_theory(formula: NamedFormula) -> Theory | None:
    """The same formula as a theory, or None where some clause has two positive literals."""
    full = everything(formula.universe.size)
    rules, top = [], True
    for clause in formula.clauses:
        positive, negative = _sides(clause)
        if positive & negative:
            continue
        if positive.bit_count() > 1:
            return None
        top = top and positive != 0
        rules.append((negative, positive or full))
    return Theory.of(formula.universe.size, rules, top=top)


class Formula:
    """An oracle that holds a CNF. It answers closures: None where no model has all of the set.

    Whether a theory is equivalent to the envelope is no question for a SAT solver (it asks for a set such that for all
    models ...), so there is no counterexample(): learn it by closures only, which is exact too.
    """

    def __init__(self, formula: NamedFormula) -> None:
        self.universe = formula.universe
        self.size = formula.universe.size
        self.clauses = _checked(formula)
        self._lock = threading.Lock()
        self._bits = [0, *(1 << position for position in range(self.size)), *[0] * self.size]
        self._models: list[Attrs] = []
        self._learned = 0
        self._core: Attrs | None = 0
        self._start()
        self._core = self.closure(0)

    def closure(self, attrs: Attrs) -> Attrs | None:
        with self._lock:
            return None if self._core is None else self._closure(attrs, self._core)

    def core(self) -> Attrs | None:
        """The attributes that every model has: the closure of the empty set."""
        return self._core

    def dead(self) -> Attrs:
        """The attributes that no model has."""
        with self._lock:
            alive = reduce(or_, self._models, 0)
            for position in range(self.size):
                if not alive >> position & 1 and solved(self._search, [position + 1]):
                    alive |= self._model()
        return everything(self.size) & ~alive

    def satisfied_by(self, attrs: Attrs) -> bool:
        """Whether the set is a model of the formula itself, not only of its envelope."""
        return all(_satisfied(clause, attrs) for clause in self.clauses)

    def horn_gap(self) -> tuple[Attrs, Attrs] | None:
        """Two models of the formula whose intersection, a model of the envelope, is none; None where it is Horn."""
        # A Horn clause that holds in two sets holds in their intersection, so only the others can fail there.
        failing = [clause for clause in self.clauses if not _is_horn(clause)]
        if not failing:
            return None
        with cadical(self._two_models(failing)) as solver:
            if not solved(solver):
                return None
            model = [literal for literal in solver.get_model() if 0 < literal <= 2 * self.size]
        first = attrs_of(literal - 1 for literal in model if literal <= self.size)
        return first, attrs_of(literal - 1 - self.size for literal in model if literal > self.size)

    def is_horn(self) -> bool:
        """Whether the models are closed under intersection, so that what is learned is all of the formula."""
        return self.horn_gap() is None

    def _closure(self, attrs: Attrs, core: Attrs) -> Attrs | None:
        assumed = [position + 1 for position in members(attrs)]
        lower = attrs | core
        if assumed:
            # Without assumptions MiniSat's propagation says nothing; what it would say is in the core.
            consistent, implied = propagated(self._propagation, assumed)
            if consistent:
                lower = reduce(or_, map(self._bits.__getitem__, implied), lower)
        upper: Attrs | None = self._narrowed(lower)
        if upper is None and (upper := self._solved(assumed)) is None:
            return None
        open_ = upper & ~lower
        while open_:
            last = open_.bit_length()
            model = self._solved([*assumed, -last])
            if model is None:
                lower |= 1 << last - 1
                open_ ^= 1 << last - 1
            else:
                open_ &= model
        return lower

    def _narrowed(self, lower: Attrs) -> Attrs | None:
        """What all the known models above have in common, None where no model above is known."""
        upper = -1
        for model in self._models:
            if lower & ~model == 0:
                upper &= model
                if upper == lower:
                    break
        return None if upper < 0 else upper

    def _solved(self, assumed: list[int]) -> Attrs | None:
        """A model with these literals, remembered, or None; then the clause that says why not is learned."""
        if solved(self._search, assumed):
            return self._model()
        clause = [-literal for literal in self._search.get_core() or ()]
        if clause:  # Else the formula has no model at all, and nothing more is asked.
            self._search.add_clause(clause)
            self._propagation.add_clause(clause)
            self._learned += 1
        if self._learned > MOST_CLAUSES:
            self._start()
        return None

    def _model(self) -> Attrs:
        """The model that the solver has found. An attribute in no clause may be missing there: it is not needed."""
        from array import array

        import numpy as np

        literals = np.frombuffer(array("i", self._search.get_model()[: self.size] or [0]), dtype=np.intc)
        model = int.from_bytes(np.packbits(literals > 0, bitorder="little").tobytes(), "little")
        if len(self._models) >= MOST_MODELS:
            del self._models[: MOST_MODELS // 2]
        self._models.append(model)
        return model

    def _start(self) -> None:
        self._search = cadical(self.clauses)
        self._search.set_phases([-variable for variable in range(1, self.size + 1)])
        self._propagation = minisat(self.clauses)
        self._learned = 0

    def _two_models(self, failing: Sequence[Clause]) -> list[list[int]]:
        """Two copies of the formula, and one of the failing clauses false in their intersection."""
        clauses = [list(clause) for clause in self.clauses]
        clauses += [[_shifted(literal, self.size) for literal in clause] for clause in self.clauses]
        first_free = 2 * self.size + 1
        for chosen, clause in enumerate(failing, first_free):
            for literal in clause:
                if literal > 0:
                    clauses.append([-chosen, -literal, -_shifted(literal, self.size)])
                else:
                    clauses += [[-chosen, -literal], [-chosen, -_shifted(literal, self.size)]]
        clauses.append(list(range(first_free, first_free + len(failing))))
        return clauses


def _checked(formula: NamedFormula) -> list[list[int]]:
    """The clauses, each literal one of the universe. An empty clause is said with literals: solvers differ on it."""
    size = formula.universe.size
    clauses: list[list[int]] = []
    for number, clause in enumerate(formula.clauses, 1):
        for literal in clause:
            if not 0 < abs(literal) <= size:
                raise FormatError(f"clause {number} has the literal {literal}, but there are {size} attributes")
        clauses += [list(clause)] if clause else [[size + 1], [-size - 1]]
    return clauses


def _sides(clause: Clause) -> tuple[Attrs, Attrs]:
    """The positive and the negative attributes of the clause."""
    positive = attrs_of(literal - 1 for literal in clause if literal > 0)
    return positive, attrs_of(-literal - 1 for literal in clause if literal < 0)


def _is_horn(clause: Clause) -> bool:
    positive, negative = _sides(clause)
    return positive & negative != 0 or positive.bit_count() < 2


def _satisfied(clause: Clause, attrs: Attrs) -> bool:
    positive, negative = _sides(clause)
    return positive & attrs != 0 or negative & ~attrs != 0


def _shifted(literal: int, by: int) -> int:
    return literal + by if literal > 0 else literal - by
