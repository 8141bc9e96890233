"""Searches of SAT solvers: right, and ended by any signal, however hard they are."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import combinations

import pytest

from hornbook import solving
from hornbook.solving import cadical, minisat, propagated, solved

PIGEONS = 11
PIGEONHOLE = [[PIGEONS * pigeon + hole + 1 for hole in range(PIGEONS)] for pigeon in range(PIGEONS + 1)]
PIGEONHOLE += [[-x, -y] for holes in zip(*PIGEONHOLE, strict=True) for x, y in combinations(holes, 2)]


def glucose(clauses: list[list[int]]) -> object:
    from pysat.solvers import Solver

    return Solver(name="glucose4", bootstrap_with=clauses)


def run(code: str) -> str:
    """What the code prints; it is given up when it does not end, as a search that heeds nothing does not."""
    code = f"import os, signal, threading\nCLAUSES = {PIGEONHOLE}\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("maker", [cadical, minisat, glucose])
def test_slices_find_what_a_whole_search_finds(maker: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "CONFLICTS", 1)
    chance = random.Random(4)
    answers = []
    for _ in range(60):
        variables = range(1, 41)
        clauses = [[v * chance.choice([1, -1]) for v in chance.sample(variables, 3)] for _ in range(165)]
        with cadical(clauses) as whole, maker(clauses) as solver:  # type: ignore[operator]
            for _ in range(5):
                assumed = [v * chance.choice([1, -1]) for v in chance.sample(variables, chance.choice([0, 1, 3]))]
                answers.append(solved(solver, assumed))
                assert answers[-1] == whole.solve(assumed)
                if answers[-1]:
                    model = set(solver.get_model())
                    assert model.issuperset(assumed) and all(model.intersection(clause) for clause in clauses)
                else:
                    assert set(solver.get_core() or ()) <= set(assumed)
    assert {True, False} == set(answers)


def test_propagation_says_what_pysat_says() -> None:
    with minisat([[-1, 2], [-2, 3], [-4, -1]]) as solver:
        assert propagated(solver, [1]) == solver.propagate([1]) == (True, [1, 2, -4, 3])
        assert propagated(solver, [1, 4])[0] is False
        assert propagated(solver, []) == (True, [])


@pytest.mark.parametrize("sent", ["SIGALRM", "SIGTERM"])
def test_a_handler_ends_a_search_that_would_take_hours(sent: str) -> None:
    said = run(
        f"""
from hornbook.formats.values import NamedFormula
from hornbook.oracles.formula import Formula
from hornbook.universe import Universe

class Enough(Exception): pass

def ring(number, frame): raise Enough

signal.signal(signal.{sent}, ring)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.{sent})).start()
try:
    Formula(NamedFormula(Universe.numbered({PIGEONS * (PIGEONS + 1)}), tuple(map(tuple, CLAUSES))))
except Enough:
    print("enough")
"""
    )
    assert said == "enough\n"


@pytest.mark.parametrize("maker", ["cadical(CLAUSES)", "Solver(name='glucose4', bootstrap_with=CLAUSES)"])
def test_ctrl_c_ends_a_search_again_and_again_and_the_solver_stays_whole(maker: str) -> None:
    said = run(
        f"""
from hornbook.solving import cadical, solved
from pysat.solvers import Solver

for turn in range(5):
    solver = {maker}
    if os.fork() == 0:
        # From outside: what a thread of this process sends, another of its threads may get.
        signal.sigtimedwait([], 0.1)
        os.kill(os.getppid(), signal.SIGINT)
        os._exit(0)
    try:
        solved(solver)
    except KeyboardInterrupt:
        os.wait()
        solver.add_clause([-1])
        print("interrupted", solver.solve(assumptions=[1]), solver.get_core())
    solver.delete()
"""
    )
    assert said == "interrupted False [1]\n" * 5
