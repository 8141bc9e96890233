"""Tables as oracles: against the definition, row by row; unknown cells against all completions."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbook.conformance import check_oracle
from hornbook.dialogue import run
from hornbook.formats.values import BinaryTable
from hornbook.learners.exploration import explore
from hornbook.oracles import table as tables
from hornbook.oracles.table import Table
from hornbook.routes import served
from hornbook.universe import Attrs, Universe, everything, members


def packed(rows: Sequence[Attrs], size: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    words = (size + 63) // 64
    data = b"".join(row.to_bytes(8 * words, "little") for row in rows)
    return np.frombuffer(data, "<u8").astype(np.uint64).reshape(len(rows), words)


def table_of(size: int, rows: Sequence[Attrs], unknown: Sequence[Attrs] | None = None) -> BinaryTable:
    return BinaryTable(
        Universe.numbered(size),
        tuple(f"object {i}" for i in range(len(rows))),
        packed(rows, size),
        None if unknown is None else packed(unknown, size),
    )


def common(rows: Sequence[Attrs], attrs: Attrs, size: int) -> Attrs:
    closed = everything(size)
    for row in rows:
        if attrs & ~row == 0:
            closed &= row
    return closed


@pytest.fixture(params=["columns", "blocks"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to scan, whatever the number of rows."""
    monkeypatch.setattr(tables, "MANY_ROWS", 0 if request.param == "blocks" else 1 << 60)
    way: str = request.param
    return way


def test_every_table_of_up_to_three_rows_over_three_attributes(way: str) -> None:
    for count in range(4):
        for rows in product(range(8), repeat=count):
            oracle = Table(table_of(3, rows))
            expected = [common(rows, x, 3) for x in range(8)]
            assert oracle.closures(range(8)) == expected
            assert [oracle.closure(x) for x in range(8)] == expected


@pytest.mark.parametrize("size", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 4096, 4097, 9000])
def test_words_and_blocks_end_anywhere(way: str, size: int, count: int) -> None:
    chance = random.Random(size * count)
    rows = [chance.getrandbits(size) | chance.getrandbits(size) for _ in range(count)]
    oracle = Table(table_of(size, rows))
    sets = [0, everything(size), *(rows[i] for i in range(min(5, count)))]
    sets += [rows[chance.randrange(count)] & chance.getrandbits(size) for _ in range(10) if count]
    sets += [1 << chance.randrange(size) | 1 << chance.randrange(size) for _ in range(5)]
    expected = [common(rows, attrs, size) for attrs in sets]
    assert oracle.closures(sets) == expected
    assert [oracle.closure(attrs) for attrs in sets] == expected


def completions(row: Attrs, unknown: Attrs) -> list[Attrs]:
    done = [row]
    for position in members(unknown):
        done += [attrs | 1 << position for attrs in done]
    return done


def test_unknown_cells_leave_what_holds_in_every_completion(way: str) -> None:
    chance = random.Random(8)
    for _ in range(60):
        size, count = chance.randint(1, 4), chance.randint(0, 3)
        unknown = [chance.getrandbits(size) & chance.getrandbits(size) for _ in range(count)]
        rows = [chance.getrandbits(size) & ~cells for cells in unknown]
        oracle = Table(table_of(size, rows, unknown))
        whole = [completions(row, cells) for row, cells in zip(rows, unknown, strict=True)]
        for attrs in range(1 << size):
            # By the definition: in each completed table the closure; what is in all of them.
            expected = everything(size)
            for completed in product(*whole):
                expected &= common(completed, attrs, size)
            assert oracle.closure(attrs) == expected
        check_oracle(oracle, size)


def test_a_table_without_question_marks_may_still_have_the_array_for_them(way: str) -> None:
    rows = [0b011, 0b110]
    assert Table(table_of(3, rows, [0, 0])).closures(range(8)) == [common(rows, x, 3) for x in range(8)]


@given(st.integers(0, 6).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, (1 << n) - 1), max_size=9))))
def test_a_table_conforms(drawn: tuple[int, list[Attrs]]) -> None:
    check_oracle(Table(table_of(*drawn)), drawn[0])


def test_a_large_table_conforms_on_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    rows = [chance.getrandbits(40) | chance.getrandbits(40) for _ in range(5000)]
    by_columns = Table(table_of(40, rows))
    monkeypatch.setattr(tables, "MANY_ROWS", 100)
    monkeypatch.setattr(tables, "BATCH", 7)
    by_blocks = Table(table_of(40, rows))
    check_oracle(by_blocks, 40, samples=50)
    sets = [row & chance.getrandbits(40) for row in rows[:100]]
    assert by_blocks.closures(sets) == by_columns.closures(sets)
    assert by_blocks.closures([]) == []


def test_rows_that_are_the_same_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MANY_ROWS", 10)
    oracle = Table(table_of(3, [0b011, 0b110] * 50))
    assert isinstance(oracle._scan, tables.Columns)
    assert oracle.closure(0b010) == 0b010


def test_tables_without_rows_or_columns() -> None:
    assert Table(table_of(3, [])).closure(0) == 0b111
    assert Table(table_of(0, [])).closure(0) == 0
    assert Table(table_of(0, [0, 0])).closures([0, 0]) == [0, 0]


def test_frames_are_tables_too() -> None:
    pandas = pytest.importorskip("pandas")
    oracle = Table(pandas.DataFrame({"bird": [True, True, False], "flies": [True, False, False]}))
    assert oracle.universe.names == ("bird", "flies")
    assert [oracle.closure(x) for x in range(4)] == [0, 1, 3, 3]


def test_small_tables_need_no_compiler() -> None:
    script = """
import sys, numpy
from hornbook.formats.values import BinaryTable
from hornbook.oracles.table import Table
from hornbook.universe import Universe
oracle = Table(BinaryTable(Universe(("a", "b")), ("x",), numpy.array([[1]], dtype=numpy.uint64)))
assert oracle.closure(0) == 1
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def read_cxt(path: Path) -> tuple[int, list[Attrs]]:
    """Just enough of Burmeister's format for the files below."""
    lines = path.read_text(encoding="utf-8").split("\n")
    count, size = int(lines[2]), int(lines[3])
    crosses = [line for line in lines[5 + count + size :] if line]
    return size, [sum(1 << i for i, cross in enumerate(line) if cross in "Xx") for line in crosses[:count]]


@pytest.mark.parametrize("name", ["fcarepo_livingbeings_en", "conexp_forum_romanum", "fcaR_planets", "gcp_pubsub"])
def test_exploring_real_tables_gives_bases_of_the_known_size(data: Path, name: str) -> None:
    with (data / "expected" / "tables.tsv").open() as file:
        expected = {row["name"]: row["canonical_size"] for row in csv.DictReader(file, delimiter="\t")}
    size, crosses = read_cxt(data / "tables" / f"{name}.cxt")
    oracle = Table(table_of(size, crosses))
    learned = run(served(explore(size), oracle, size), oracle)
    assert len(learned) == int(expected[f"{name}.cxt"])
    assert all(common(crosses, i.premise, size) == i.conclusion for i in learned)


def test_the_example_reads_question_marks_as_documented() -> None:
    example = Path(__file__).parents[1] / "examples" / "oracles" / "animals.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [
        "feathers -> -",  # the emu may lay no eggs
        "feathers flies -> eggs",
        "milk flies -> -",
        "eggs flies -> feathers",
        "milk feathers -> flies eggs swims",  # no animal has both
    ]
