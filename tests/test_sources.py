"""From what a user names to an oracle; bases without queries, small tables whole, against bases known elsewhere."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import definitions
from hornbook import formats, lectic
from hornbook.errors import CannotAnswer, FormatError
from hornbook.formats.values import BinaryTable, NamedFormula
from hornbook.oracles.known import KnownTheory
from hornbook.sources import Settings, basis_of, opened
from hornbook.testing import random_theory
from hornbook.universe import Universe, members


def test_pseudo_closed_sets_come_one_by_one_from_any_closure() -> None:
    for size in range(4):
        for family in definitions.closure_systems(size):
            found = list(lectic.pseudo_closed_sets(size, lambda x, f=family, n=size: definitions.closure(f, x, n)))
            assert dict(found) == dict(definitions.canonical(size, family))
            assert len(found) == len(dict(found))
            closed = list(lectic.closed_sets(size, lambda x, f=family, n=size: definitions.closure(f, x, n)))
            assert sorted(closed) == list(family)


def small_tables(data: Path) -> list[tuple[str, int, int]]:
    with (data / "expected" / "tables.tsv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["name"].endswith(".cxt")]
    chosen = [row for row in rows if int(row["intents"]) < 1500 and int(row["canonical_size"]) < 600]
    return [(row["name"], int(row["attributes"]), int(row["canonical_size"])) for row in chosen]


@pytest.mark.slow
def test_small_tables_have_their_known_bases(data: Path) -> None:
    tables = small_tables(data)
    assert len(tables) > 35
    for name, attributes, count in tables:
        universe, theory = basis_of(formats.read(data / "tables" / name).value)
        assert (len(universe), len(theory)) == (attributes, count), name
        expected = set()
        for line in (data / "expected" / "tables" / name.replace(".cxt", ".dg.txt")).read_text().splitlines():
            premise, _, added = line.partition("->")
            expected.add((tuple(map(int, premise.split())), tuple(map(int, added.split()))))
        assert {(tuple(members(r.premise)), tuple(members(r.added))) for r in theory} == expected, name


def test_sources_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "box.py").write_text("def f(names): return names\ndef g(attrs): return attrs | 1\n")
    (tmp_path / "x.imp").write_text("a -> b\n")
    settings = Settings(attributes=["a", "b"])
    with opened("python:box:f", settings) as target:
        assert target.close(1) == 1 and target.theory is None and target.name == "python:box:f"
    with opened("python-bits:box:g", settings) as target:
        assert target.close(2) == 3
    with opened("x.imp") as target:
        assert target.close(1) == 3 and target.theory is not None and target.definite
        assert target.digest is not None and len(target.digest()) == 24
    with opened(random_theory(3, 3, seed=1)) as target:
        assert target.universe == Universe.numbered(3)
    with opened(KnownTheory(random_theory(3, 3, seed=1))) as target:
        assert target.universe.size == 3
    with pytest.raises(FormatError, match="says itself which attributes"), opened("x.imp", settings):
        pass


def test_a_formula_needs_queries_or_must_be_horn() -> None:
    formula = NamedFormula(Universe.of(["a", "b"]), ((1, 2),))
    with pytest.raises(CannotAnswer, match="hornbook learn x.cnf"):
        basis_of(formula, "x.cnf")


def test_a_table_without_rows_closes_everything_to_everything() -> None:
    table = BinaryTable.of(Universe.of(["a", "b"]), [])
    _, theory = basis_of(table)
    assert theory.rules == [(0, 3)]
