"""Formulas as oracles: against all 2^n sets, and against what is published about real feature models."""

from __future__ import annotations

import csv
import importlib
import random
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbook.conformance import check_oracle
from hornbook.dialogue import run
from hornbook.embedding import embedded
from hornbook.errors import FormatError
from hornbook.formats.values import NamedFormula
from hornbook.learners.closures_only import closures_only
from hornbook.learners.exploration import explore
from hornbook.oracles import formula as formulas
from hornbook.oracles.formula import Formula, formula_oracle, horn_theory
from hornbook.oracles.known import KnownTheory
from hornbook.routes import served
from hornbook.testing import theory_of
from hornbook.universe import Attrs, Universe, everything

Clauses = tuple[tuple[int, ...], ...]


def cnf(size: int, *clauses: tuple[int, ...]) -> NamedFormula:
    return NamedFormula(Universe.numbered(size), clauses)


def models_of(size: int, clauses: Clauses) -> list[Attrs]:
    """By the definition of truth, set by set."""

    def true(literal: int, attrs: Attrs) -> bool:
        return (attrs >> (abs(literal) - 1) & 1 == 1) == (literal > 0)

    return [x for x in range(1 << size) if all(any(true(literal, x) for literal in clause) for clause in clauses)]


def common(models: list[Attrs], attrs: Attrs) -> Attrs | None:
    above = [model for model in models if attrs & ~model == 0]
    closed = -1
    for model in above:
        closed &= model
    return closed if above else None


def random_clauses(size: int, count: int, chance: random.Random) -> Clauses:
    def clause() -> tuple[int, ...]:
        chosen = chance.sample(range(1, size + 1), min(size, chance.choice([1, 2, 2, 3, 3, 4])))
        return tuple(v if chance.random() < 0.5 else -v for v in chosen)

    return tuple(clause() for _ in range(count))


def check_against_all_sets(size: int, clauses: Clauses, order: random.Random) -> None:
    oracle = Formula(cnf(size, *clauses))
    models = models_of(size, clauses)
    sets = list(range(1 << size))
    order.shuffle(sets)
    for attrs in sets:
        assert oracle.closure(attrs) == common(models, attrs), (clauses, attrs)
    assert oracle.core() == common(models, 0)
    alive = 0
    for model in models:
        alive |= model
    assert oracle.dead() == everything(size) & ~alive
    closed_under_meet = all(x & y in set(models) for x in models for y in models)
    assert oracle.is_horn() == closed_under_meet, clauses
    gap = oracle.horn_gap()
    if gap is not None:
        x, y = gap
        assert oracle.satisfied_by(x) and oracle.satisfied_by(y) and not oracle.satisfied_by(x & y)
        assert x in models and y in models and x & y not in models


def test_every_formula_of_up_to_three_clauses_over_two_attributes() -> None:
    literals = [(1,), (-1,), (2,), (-2,), (1, 2), (1, -2), (-1, 2), (-1, -2), (1, -1), ()]
    for count in range(4):
        for clauses in product(literals, repeat=count):
            check_against_all_sets(2, clauses, random.Random(count))


@pytest.mark.parametrize("seed", range(12))
def test_random_formulas_agree_with_all_sets(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(6):
        size = chance.randint(1, 8)
        check_against_all_sets(size, random_clauses(size, chance.randint(0, 4 * size), chance), chance)


@pytest.mark.parametrize("seed", range(3))
def test_formulas_over_twelve_attributes_agree_with_all_sets(seed: int) -> None:
    chance = random.Random(100 + seed)
    clauses = random_clauses(12, 22 + 4 * seed, chance)
    oracle, models = Formula(cnf(12, *clauses)), models_of(12, clauses)
    for attrs in chance.sample(range(1 << 12), 500):
        assert oracle.closure(attrs) == common(models, attrs)


@given(st.data())
def test_a_formula_conforms(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 5))
    literal = st.integers(1, max(size, 1)).flatmap(lambda v: st.sampled_from([v, -v]))
    clause = st.lists(literal, max_size=3).map(tuple) if size else st.just(())
    clauses = tuple(data.draw(st.lists(clause, max_size=6)))
    check_oracle(Formula(cnf(size, *clauses)), size)


def test_what_unit_propagation_misses_is_found() -> None:
    # a or b; each of them gives c.
    oracle = Formula(cnf(3, (1, 2), (-1, 3), (-2, 3)))
    assert oracle.closure(0) == 0b100
    assert oracle.core() == 0b100


def test_a_contradictory_set_has_no_closure() -> None:
    oracle = Formula(cnf(3, (-1, -2)))
    assert oracle.closure(0b11) is None
    assert oracle.closure(0b01) == 0b01
    assert oracle.closure(0b11) is None  # from the clause learned, now


def test_an_unsatisfiable_formula_closes_nothing_and_is_horn() -> None:
    oracle = Formula(cnf(2, (1, 2), (-1, 2), (1, -2), (-1, -2)))
    assert oracle.closure(0) is None and oracle.closure(0b11) is None
    assert oracle.core() is None and oracle.dead() == 0b11
    assert oracle.is_horn()


def test_attributes_in_no_clause_are_free() -> None:
    oracle = Formula(cnf(5, (-1, 2)))
    assert [oracle.closure(1 << i) for i in range(5)] == [0b11, 0b10, 0b100, 0b1000, 0b10000]
    assert oracle.dead() == 0
    assert Formula(cnf(3)).closure(0b101) == 0b101


def test_a_formula_that_looks_otherwise_may_be_horn() -> None:
    # a or b or not c is no Horn clause, but a holds anyway.
    assert Formula(cnf(3, (1,), (1, 2, -3))).is_horn()
    assert not Formula(cnf(2, (1, 2))).is_horn()


def test_a_formula_of_horn_clauses_is_a_known_theory() -> None:
    chance = random.Random(5)
    for _ in range(200):
        size = chance.randint(1, 5)
        clauses = tuple(
            clause if sum(v > 0 for v in clause) < 2 else tuple(-abs(v) for v in clause)
            for clause in random_clauses(size, chance.randint(0, 6), chance)
        )
        oracle = formula_oracle(cnf(size, *clauses))
        assert isinstance(oracle, KnownTheory)
        models = models_of(size, clauses)
        assert [oracle.closure(x) for x in range(1 << size)] == [common(models, x) for x in range(1 << size)]
        assert [oracle.contains(x) for x in range(1 << size)] == [x in models for x in range(1 << size)]
    assert horn_theory(cnf(2, (1, 2))) is None
    assert isinstance(formula_oracle(cnf(2, (1, 2))), Formula)
    assert horn_theory(cnf(2, (1, 2, -1))) is not None  # says nothing


def test_the_envelope_is_learned() -> None:
    chance = random.Random(11)
    for _ in range(30):
        size = chance.randint(1, 5)
        clauses = random_clauses(size, chance.randint(1, 8), chance)
        closed = [common(models_of(size, clauses), x) for x in range(1 << size)]
        top = closed[-1] is not None
        family = sorted({x for x in closed if x is not None} | {everything(size)}, reverse=True)
        learner = embedded(explore(size), size)
        learned = run(served(learner, Formula(cnf(size, *clauses)), size), Formula(cnf(size, *clauses)))
        assert learned.top == top
        assert learned.in_order().rules == theory_of(size, family).in_order().rules


def test_answers_survive_new_solvers_and_forgotten_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formulas, "MOST_CLAUSES", 3)
    monkeypatch.setattr(formulas, "MOST_MODELS", 4)
    chance = random.Random(2)
    for _ in range(10):
        check_against_all_sets(7, random_clauses(7, 14, chance), chance)


def test_a_literal_beyond_the_attributes_is_refused() -> None:
    with pytest.raises(FormatError, match="clause 2 has the literal -4, but there are 3 attributes"):
        Formula(cnf(3, (1,), (-4, 2)))
    with pytest.raises(FormatError, match="literal 0"):
        Formula(cnf(3, (0,)))


def read_dimacs(path: Path) -> NamedFormula:
    names, clauses = [], []
    for line in path.read_text().splitlines():
        words = line.split(maxsplit=2)
        if words and words[0] == "c":
            names.append(words[2])
        elif words and words[0] != "p":
            clauses.append(tuple(int(word) for word in line.split()[:-1]))
    return NamedFormula(Universe(tuple(names)), tuple(clauses))


def test_core_and_dead_features_of_real_models_are_as_published(data: Path) -> None:
    with (data / "expected" / "feature_models.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            formula = read_dimacs(data / "feature_models" / f"{row['model']}.dimacs")
            assert formula.universe.size == int(row["vars"])
            oracle = Formula(formula)
            core = oracle.closure(0)
            assert core is not None and core.bit_count() == int(row["core_here"]), row["model"]
            assert oracle.dead().bit_count() == int(row["dead_here"]), row["model"]


@pytest.mark.parametrize("model", ["jhipster_3.6.1", "axtls_berger2013", "financialservices_2018-05-09"])
def test_closures_of_real_models_agree_with_a_fresh_solver_for_each_attribute(data: Path, model: str) -> None:
    from pysat.solvers import Solver

    formula = read_dimacs(data / "feature_models" / f"{model}.dimacs")
    oracle, size, chance = Formula(formula), formula.universe.size, random.Random(3)
    with Solver(name="glucose4", bootstrap_with=[list(c) for c in formula.clauses]) as solver:
        for _ in range(6):
            chosen = chance.sample(range(size), chance.choice([1, 1, 2, 3]))
            assumed = [position + 1 for position in chosen]
            expected: Attrs | None = None
            if solver.solve(assumed):
                implied = [p for p in range(size) if not solver.solve([*assumed, -(p + 1)])]
                expected = sum(1 << position for position in implied)
            assert oracle.closure(sum(1 << position for position in chosen)) == expected


def test_real_models_that_are_not_horn_show_it(data: Path) -> None:
    formula = read_dimacs(data / "feature_models" / "jhipster_3.6.1.dimacs")
    oracle = Formula(formula)
    gap = oracle.horn_gap()
    assert gap is not None
    x, y = gap
    assert oracle.satisfied_by(x) and oracle.satisfied_by(y) and not oracle.satisfied_by(x & y)
    assert isinstance(formula_oracle(read_dimacs(data / "feature_models" / "xtext.dimacs")), KnownTheory)


@pytest.mark.parametrize(("model", "implications"), [("jhipster_3.6.1", 55), ("xtext", 113), ("e_shop", 108)])
def test_envelopes_of_real_models_have_the_known_size(data: Path, model: str, implications: int) -> None:
    formula = read_dimacs(data / "feature_models" / f"{model}.dimacs")
    oracle, size = Formula(formula), formula.universe.size

    class Definite:
        """The oracle, a contradictory set said to have everything."""

        def closure(self, attrs: Attrs) -> Attrs:
            closed = oracle.closure(attrs)
            return everything(size) if closed is None else closed

    found = run(served(closures_only(size), Definite(), size), Definite())
    assert found.complete and len(found.theory) == implications


EXAMPLE = Path(__file__).parents[1] / "examples" / "oracles" / "product_line.py"


def printed(*arguments: str | Path) -> list[str]:
    """What the example prints."""
    done = subprocess.run([sys.executable, EXAMPLE, *arguments], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def test_the_example_tells_what_a_choice_forces(tmp_path: Path) -> None:
    lines = printed()
    assert lines[:6] == [
        "in every product: phone screen",
        "in no product: -",
        "camera -> media battery",
        "gps -> battery",
        "basic -> -",
        "basic gps -> !",
    ]
    assert len(lines) == 10  # Two products, and what they share.
    model = tmp_path / "model.dimacs"
    model.write_text("c 1 car\nc 2 wheels\nc 3 roof\np cnf 3 2\n1 0\n-1 2 0\n")
    assert printed(model, "roof")[0] == "in every product: car wheels"
    assert printed(model)[2] == "1 others; selecting one forces 0.0 more on average, 0 at most"


def test_the_example_tells_of_a_large_product_line_what_its_core_features_do_not() -> None:
    core, dead, others, most, *_ = printed("router")
    assert core == "in every product: router link_layer ip tcp" and dead == "in no product: -"
    assert others == "296 others; selecting one forces 3.4 more on average, 11 at most"
    assert most.startswith("hotspot_page -> wifi radio ")
    # Each of the three ways to a vpn needs random numbers, and so does no rule of the vpn itself.
    assert printed("router", "vpn")[2] == "vpn -> random"
    assert printed("router", "ram_16", "media")[2] == "ram_16 media -> !"


@pytest.mark.parametrize("name", ["router", "axtls_berger2013", "busybox_1.18.0"])
def test_what_the_example_says_of_single_features_is_so(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    from pysat.solvers import Solver

    monkeypatch.syspath_prepend(EXAMPLE.parent)
    example = importlib.import_module("product_line")
    if name == "router":
        formula = example.model_called(name)
        assert formula.universe.size == 300
        example.main(name)
    else:
        folder = request.getfixturevalue("data")
        path = folder / "feature_models" / f"{name}.dimacs"
        formula = read_dimacs(path)
        with (folder / "expected" / "feature_models.tsv").open() as file:
            known = {row["model"]: row for row in csv.DictReader(file, delimiter="\t")}[name]
        example.main(str(path))
    core, dead, _, *most, _ = capsys.readouterr().out.splitlines()
    said = core.removeprefix("in every product: ").split()
    if name != "router":
        assert len(said) == int(known["core_here"])
        assert len(dead.removeprefix("in no product: ").split()) == int(known["dead_here"])
    with Solver(name="glucose4", bootstrap_with=formula.clauses) as solver:
        for line in most:
            feature, forced = line.split(" -> ")
            position = formula.universe.position(feature)
            assert solver.solve([position + 1])
            expected = [p for p in range(formula.universe.size) if not solver.solve([position + 1, -p - 1])]
            assert {formula.universe.names[p] for p in expected} == {feature, *forced.split(), *said}
