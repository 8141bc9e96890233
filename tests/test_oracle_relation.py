"""Relations as oracles: against the definition, pair of rows by pair of rows, and against published covers."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbook.conformance import check_oracle
from hornbook.dialogue import run
from hornbook.formats.values import Relation
from hornbook.learners.closures_only import closures_only
from hornbook.oracles import relation as relations
from hornbook.oracles.relation import Dependencies, agree_sets
from hornbook.routes import served
from hornbook.universe import Attrs, Universe, everything, members

Rows = Sequence[Sequence[int]]


def relation_of(size: int, rows: Rows) -> Relation:
    codes = np.array(rows, dtype=np.int32).reshape(len(rows), size)
    return Relation(Universe.numbered(size), codes)


def determined(size: int, rows: Rows, attrs: Attrs, *, distinct_nulls: bool = False) -> Attrs:
    """All columns on which every two rows agree that agree on attrs; a column determines itself."""

    def agree(x: Sequence[int], y: Sequence[int], column: int) -> bool:
        return x[column] == y[column] and not (distinct_nulls and x[column] == -1)

    closed = everything(size)
    for x, y in combinations(rows, 2):
        if all(agree(x, y, column) for column in members(attrs)):
            closed &= sum(1 << column for column in range(size) if agree(x, y, column))
    return closed | attrs


@pytest.fixture(params=["agreements", "groups"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to find out, whatever the number of rows."""
    monkeypatch.setattr(relations, "FEW_ROWS", -1 if request.param == "groups" else 1 << 60)
    way: str = request.param
    return way


def test_every_relation_of_up_to_three_rows_over_two_columns(way: str) -> None:
    for count in range(4):
        for values in product(range(-1, 2), repeat=2 * count):
            rows = [values[2 * i : 2 * i + 2] for i in range(count)]
            for distinct_nulls in (False, True):
                oracle = Dependencies(relation_of(2, rows), distinct_nulls=distinct_nulls)
                for attrs in range(4):
                    expected = determined(2, rows, attrs, distinct_nulls=distinct_nulls)
                    assert oracle.closure(attrs) == expected, (rows, attrs, distinct_nulls)


@given(
    st.integers(0, 5).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.lists(st.integers(-1, 3), min_size=n, max_size=n), max_size=12), st.booleans()
        )
    )
)
def test_a_relation_conforms(drawn: tuple[int, list[list[int]], bool]) -> None:
    size, rows, distinct_nulls = drawn
    few = relations.FEW_ROWS
    try:
        for relations.FEW_ROWS in (-1, 1 << 60):
            oracle = Dependencies(relation_of(size, rows), distinct_nulls=distinct_nulls)
            check_oracle(oracle, size)
            for attrs in range(1 << size):
                assert oracle.closure(attrs) == determined(size, rows, attrs, distinct_nulls=distinct_nulls)
    finally:
        relations.FEW_ROWS = few


@pytest.mark.parametrize("size", [4, 70])
def test_larger_relations_agree_with_all_pairs_of_rows(way: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "MOST_PAIRS", 5)
    monkeypatch.setattr(relations, "CACHE_BYTES", 20_000)
    chance = random.Random(size)
    base = [chance.choice([2, 3, 5, 40]) for _ in range(size)]
    rows = [[chance.randrange(base[column]) for column in range(size)] for _ in range(100)]
    for row in rows:  # Some columns follow from others.
        row[3] = row[0] * 7 + row[1]
        row[size - 1] = row[2] % 2
    oracle = Dependencies(relation_of(size, rows))
    for _ in range(40):
        attrs = sum(1 << column for column in chance.sample(range(size), chance.choice([0, 1, 1, 2, 2, 3])))
        assert oracle.closure(attrs) == determined(size, rows, attrs)


def test_columns_of_huge_codes_are_renumbered() -> None:
    rows = [[10**9 + i % 7, i % 5, (10**9 + i % 7) // 2] for i in range(300)]
    oracle = Dependencies(relation_of(3, rows))
    assert [oracle.closure(x) for x in range(8)] == [determined(3, rows, x) for x in range(8)]


def test_one_row_or_none_determines_everything_and_constants_need_nothing(way: str) -> None:
    assert Dependencies(relation_of(3, [])).closure(0) == 0b111
    assert Dependencies(relation_of(3, [(1, 2, 3)])).closure(0) == 0b111
    assert Dependencies(relation_of(3, [(1, 2, 3)] * 4)).closure(0) == 0b111  # the same row
    assert Dependencies(relation_of(3, [(1, 2, 3), (1, 4, 3)])).closure(0) == 0b101
    assert Dependencies(relation_of(0, [])).closure(0) == 0
    assert Dependencies(relation_of(0, [(), ()])).closure(0) == 0


def test_nulls_are_equal_unless_told_otherwise(way: str) -> None:
    rows = [(-1, 1), (-1, 2), (3, 3)]
    assert Dependencies(relation_of(2, rows)).closure(0b01) == 0b01
    assert Dependencies(relation_of(2, rows), distinct_nulls=True).closure(0b01) == 0b11
    assert Dependencies(relation_of(2, [(1, -1), (1, -1), (2, 1)])).closure(0b01) == 0b11


def test_the_agree_sets_are_those_of_all_pairs() -> None:
    rows = [(1, 1, 2), (1, 2, 2), (3, 1, 2)]
    packed = agree_sets(np.array(rows, dtype=np.int32))
    assert sorted(int(word) for word in packed.ravel()) == [0b100, 0b101, 0b110]


def test_frames_are_relations_too() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"zip": ["1", "1", "2"], "city": ["A", "A", "A"], "name": ["x", "y", "x"]})
    oracle = Dependencies(frame)
    assert [oracle.closure(x) for x in (0, 1, 4)] == [2, 3, 6]


def read_csv(path: Path) -> tuple[list[str], list[list[int]]]:
    """Header and codes; blank is a value like any other, as in the published figures."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    known: list[dict[str, int]] = [{} for _ in header]
    return header, [[known[c].setdefault(value, len(known[c])) for c, value in enumerate(row)] for row in rows]


SMALL = ["play_tennis", "university_fd", "wdc_planets", "wdc_satellites", "abalone", "bridges", "echocardiogram"]
SMALL += ["iris", "ncvoter_1001r_19c", "diagnostics", "forestfires", "hughes", "servo", "balance-scale"]
SMALL += ["breast-cancer-wisconsin", "caulkins", "dog_breeds", "cmc", "hospital", "pglw00"]


@pytest.mark.parametrize("name", SMALL)
def test_learned_covers_have_the_known_size(data: Path, name: str) -> None:
    with (data / "expected" / "relations.tsv").open() as file:
        expected = {row["table"]: row for row in csv.DictReader(file, delimiter="\t")}[name]
    header, rows = read_csv(data / "relations" / f"{name}.csv")
    oracle = Dependencies(Relation(Universe.of(header), np.array(rows, dtype=np.int32)))
    found = run(served(closures_only(oracle.size), oracle, oracle.size), oracle)
    learned = found.theory.canonical()
    assert found.complete and len(learned) == int(expected["canonical_size"])
    assert sum(i.premise.bit_count() for i in learned) == int(expected["sum_premise"])
    assert sum(i.added.bit_count() for i in learned) == int(expected["sum_conclusion"])


def test_the_example_shows_what_nulls_change() -> None:
    example = Path(__file__).parents[1] / "examples" / "oracles" / "orders.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True, timeout=60)
    lines = done.stdout.splitlines()
    assert lines[4] == "   currency coupon -> -"
    assert lines[10] == "   currency coupon -> order customer city country"
