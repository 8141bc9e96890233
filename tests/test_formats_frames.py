"""Tables as JSON, Parquet, SQLite, Arrow and DataFrames: each as its own library understands it, or an error."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbook import formats
from hornbook.errors import FormatError
from hornbook.formats import cxt, duck, json_tables, tabular
from hornbook.formats.duck import relation_from, table_from
from hornbook.formats.values import BinaryTable, Reading, Relation
from hornbook.universe import Universe

BIRDS = BinaryTable.of(Universe.of(["flies", "swims"]), [3, 2, 0], objects=["duck", "cod", "hen"])

Shown = tuple[tuple[str, ...], tuple[str, ...], list[int], list[int]]


def shown(value: object) -> Shown:
    """All that a table says."""
    assert isinstance(value, BinaryTable)
    return value.objects, value.universe.names, value.rows(), value.unknown_rows()


def text_rows(value: object) -> list[list[str | None]]:
    assert isinstance(value, Relation)
    return [value.row(index) for index in range(len(value.codes))]


def partition(value: object) -> list[list[int]]:
    """For each column the first row with the same value, or -1 for NULL: what a relation says of its rows."""
    assert isinstance(value, Relation)
    columns = value.codes.T.tolist()
    return [[-1 if code < 0 else column.index(code) for code in column] for column in columns]


# Frames

COLUMNS: dict[str, list[Any]] = {"flies": [True, False, False], "swims": [1, 1, 0]}
NAMED = {"bird": ["duck", "cod", "hen"], **COLUMNS}
FRAMES: dict[str, Any] = {
    "pandas with an index": pd.DataFrame(COLUMNS, index=["duck", "cod", "hen"]),
    "pandas with a first column": pd.DataFrame(NAMED),
    "pandas with extension types": pd.DataFrame(NAMED).convert_dtypes(),
    "pandas with objects": pd.DataFrame(NAMED).astype(object),
    "pandas with categories": pd.DataFrame(NAMED).astype("category"),
    "pandas with floats": pd.DataFrame(NAMED).astype({"flies": float, "swims": "float32"}),
    "polars": pl.DataFrame(NAMED),
    "polars, lazy": pl.LazyFrame(NAMED),
    "arrow table": pa.table(NAMED),
    "arrow batch": pa.RecordBatch.from_pydict(NAMED),
    "arrow with dictionaries": pa.table({**NAMED, "bird": pa.array(NAMED["bird"]).dictionary_encode()}),
    "arrow from pandas": pa.Table.from_pandas(pd.DataFrame(COLUMNS, index=["duck", "cod", "hen"])),
    "a named index last": pa.table({**COLUMNS, "bird": NAMED["bird"]}),
    "a list of dicts": [dict(zip(NAMED, row, strict=True)) for row in zip(*NAMED.values(), strict=True)],
    "lists of names": {"duck": ["flies", "swims"], "cod": ["swims"], "hen": []},
    "sets of names": {"duck": {"swims", "flies"}, "cod": {"swims"}, "hen": frozenset()},
    "dicts of truth": {
        "duck": {"flies": True, "swims": True},
        "cod": {"flies": False, "swims": 1},
        "hen": {"flies": 0, "swims": "no"},
    },
    "a table": BIRDS,
}


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_gives_the_same_table(name: str) -> None:
    assert shown(table_from(FRAMES[name])) == shown(BIRDS)


def test_duckdb_relations_are_frames() -> None:
    relation = duckdb.sql("SELECT 'duck' AS bird, true AS flies, NULL AS swims")
    assert shown(table_from(relation)) == (("duck",), ("flies", "swims"), [1], [2])


def test_rows_without_names_are_numbered() -> None:
    assert shown(table_from(pd.DataFrame(COLUMNS)))[0] == ("0", "1", "2")
    assert shown(table_from(pl.DataFrame(COLUMNS)))[0] == ("0", "1", "2")
    assert shown(table_from(np.array([[1, 0, 0], [0, 0, 1]]))) == (("0", "1"), ("0", "1", "2"), [1, 4], [0, 0])
    assert shown(table_from(np.array([["x", ""]]))) == (("0",), ("0", "1"), [1], [0])


def test_missing_values_are_unknown_in_a_table() -> None:
    wanted = (("0", "1", "2"), ("a", "b"), [1, 1, 2], [2, 0, 1])
    a: list[Any] = [True, True, None]
    b: list[Any] = [None, 0, 1]
    for frame in (
        pd.DataFrame({"a": pd.array(a, dtype="boolean"), "b": pd.array(b, dtype="Int8")}),
        pd.DataFrame({"a": a, "b": b}),
        pd.DataFrame({"a": a, "b": b}, dtype=object),
        pl.DataFrame({"a": a, "b": b}),
        pl.DataFrame({"a": [1.0, 1.0, float("nan")], "b": b}),
        pa.table({"a": a, "b": b}),
        [{"a": left, "b": right} for left, right in zip(a, b, strict=True)],
    ):
        assert shown(table_from(frame)) == wanted
    assert shown(table_from(np.array([[1, np.nan], [1, 0], [np.nan, 1]])))[2:] == wanted[2:]


def test_a_key_that_a_row_lacks_is_blank() -> None:
    assert shown(table_from([{"a": True}, {"b": True}]))[2:] == ([1, 2], [0, 0])
    assert shown(table_from([{"a": True}, {"b": False}]))[2:] == ([1, 0], [2, 1])


def test_sixty_five_columns_and_more_are_packed_right() -> None:
    cells = np.random.default_rng(5).random((9, 200)) < 0.5
    wanted = [sum(1 << j for j in range(200) if row[j]) for row in cells]
    names = [f"a{j}" for j in range(200)]
    for frame in (cells, pd.DataFrame(cells, columns=names), pl.DataFrame(cells, schema=names)):
        assert table_from(frame).rows() == wanted


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pd.DataFrame({"a": [1, 2]}), "'2' under 'a' in row 2"),
        (pd.DataFrame({"bird": ["duck"], "age": [7]}), "'7' under 'age' in row 1"),
        (pd.DataFrame({"a": ["maybe"], "b": [1]}, index=["x"]), "'maybe' under 'a'"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]), "b": ["x y"]}), "is neither a cross"),
        (pl.DataFrame({"a": [[1], [0]]}), "'[1]' under 'a'"),
        (pd.Series([1, 0]), "a Series has no columns"),
        (pl.Series([1, 0]), "a Series has no columns"),
        (pa.array([1]), "has no columns"),
        (np.zeros(3), "1 dimensions"),
        (7, "a int is no table"),
        ("duck", "a str is no table"),
        ([["duck"]], "is no row"),
        ({"duck": "flies"}, "'duck' has 'flies'"),
        ({"duck": 7}, "'duck' has 7"),
        ({"duck": [True, False]}, "make a DataFrame"),
        ({"duck": ["flies"], "cod": {"flies": True}}, "a list of names"),
        (pd.DataFrame([[1, 0]], columns=["a", "a"]), "columns 1 and 2 are both called 'a'"),
    ],
)
def test_what_is_no_table_of_crosses_is_refused(frame: object, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        table_from(frame)
    assert words in str(caught.value)


def test_relations_of_all_frames_have_the_same_codes() -> None:
    columns = {"town": ["Bonn", "Bonn", None], "size": [1.5, 2.5, 1.5], "old": [True, None, False]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    wanted = [[0, 0, -1], [0, 1, 0], [0, -1, 2]]
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), rows, columns):
        found = relation_from(frame)
        assert found.universe.names == ("town", "size", "old")
        assert partition(found) == wanted
        assert text_rows(found) == [["Bonn", "1.5", "True"], ["Bonn", "2.5", None], [None, "1.5", "False"]]


def test_numbers_and_texts_that_look_the_same_differ_in_a_relation() -> None:
    assert partition(relation_from([{"a": 1}, {"a": "1"}, {"a": 1.0}, {"a": True}, {"a": [1]}])) == [[0, 1, 0, 3, 4]]
    assert partition(relation_from({"a": [float("nan"), float("nan"), None]})) == [[0, 0, -1]]
    with pytest.raises(FormatError, match="1 and 2 values"):
        relation_from({"a": [1], "b": [1, 2]})
    assert relation_from(relation := Relation.of(Universe.of([]), [])) is relation


# JSON

CONTEXTS: dict[str, Any] = {
    "conexp-clj 1.1": {
        "objects": ["duck", "cod", "hen"],
        "attributes": ["flies", "swims"],
        "incidence": [["duck", "flies"], ["cod", "swims"], ["duck", "swims"]],
        "additional_information": "",
    },
    "conexp-clj 1.0": {
        "formal_context": [
            {"object": "duck", "attributes": ["flies", "swims"]},
            {"object": "cod", "attributes": ["swims"]},
            {"object": "hen", "attributes": []},
        ]
    },
    "fcaR": {
        "type": "FormalContext",
        "objects": ["duck", "cod", "hen"],
        "attributes": ["flies", "swims"],
        "I": {"indices": [0, 1, 1], "columns": [0, 0, 1], "values": [1, 1, 1]},
        "grades_set": [0, 1],
        "description": {},
        "is_many_valued": False,
    },
    "concepts": {
        "objects": ["duck", "cod", "hen"],
        "properties": ["flies", "swims"],
        "context": [[0, 1], [1], []],
    },
    "a dict of lists": {"duck": ["flies", "swims"], "cod": ["swims"], "hen": []},
    "a dict of dicts": {
        "duck": {"flies": 1, "swims": 1},
        "cod": {"flies": 0, "swims": 1},
        "hen": {"flies": 0, "swims": 0},
    },
    "records": [
        {"bird": "duck", "flies": True, "swims": True},
        {"bird": "cod", "flies": False, "swims": True},
        {"bird": "hen", "flies": False, "swims": False},
    ],
}
CONTEXTS["a bundle of conexp-clj"] = {"context": CONTEXTS["conexp-clj 1.1"], "source": "the pond"}


@pytest.mark.parametrize("name", CONTEXTS)
def test_every_shape_of_json_gives_the_same_table(name: str, tmp_path: Path) -> None:
    text = json.dumps(CONTEXTS[name])
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16")):
        assert shown(json_tables.read(data, "f.json", "table").value) == shown(BIRDS)


def test_what_a_json_table_has_beside_is_said_to_be_left_out() -> None:
    assert json_tables.read(json.dumps(CONTEXTS["a bundle of conexp-clj"]).encode(), "f").notes == (
        "3 objects, 2 attributes, 3 crosses",
        "conexp-clj, schema 1.1",
        "'source' was left out",
    )


def test_one_record_a_line_is_a_table_or_a_relation(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(row) for row in CONTEXTS["records"]) + "\n\n"
    assert shown(duck.read_json_rows(lines.encode(), "f.jsonl", None).value) == shown(BIRDS)
    (tmp_path / "f.jsonl").write_text(lines)
    assert shown(duck.read_path(tmp_path / "f.jsonl").value) == shown(BIRDS)
    found = duck.read_path(tmp_path / "f.jsonl", "relation").value
    assert text_rows(found) == [["duck", "True", "True"], ["cod", "False", "True"], ["hen", "False", "False"]]
    with pytest.raises(FormatError, match=r"f\.jsonl:2:"):
        duck.read_json_rows(b'{"a": 1}\n{"a": 1,}\n{"a": 0}\n', "f.jsonl")


def test_a_context_of_fcar_may_have_bare_values_for_lists_of_one() -> None:
    one = {"type": "FormalContext", "objects": "o", "attributes": "m", "I": {"indices": 0, "columns": 0, "values": 1}}
    assert shown(json_tables.read(json.dumps(one).encode(), "f").value) == (("o",), ("m",), [1], [0])
    none = {**one, "I": {"indices": {}, "columns": [], "values": None}}
    assert shown(json_tables.read(json.dumps(none).encode(), "f").value) == (("o",), ("m",), [0], [0])


PAIRS = CONTEXTS["conexp-clj 1.1"]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({**PAIRS, "incidence": [["duck", "runs"]]}, "unknown attribute 'runs'"),
        ({**PAIRS, "incidence": [["dog", "flies"]]}, "not among the objects"),
        ({**PAIRS, "incidence": [["duck"]]}, "no pair"),
        ({**PAIRS, "incidence": 3}, "not a list"),
        ({**PAIRS, "objects": ["duck", "duck"]}, "'duck' is there twice"),
        ({**PAIRS, "attributes": ["flies", "flies"]}, "appears twice"),
        ({**PAIRS, "attributes": [["flies"]]}, "no name"),
        ({**PAIRS, "attributes": [True]}, "no name"),
        ({"objects": [], "attributes": []}, "no table known"),
        ({"objects": ["o"], "properties": ["m"], "context": [[1]]}, "no number of an attribute"),
        ({"objects": ["o"], "properties": ["m"], "context": []}, "0 of them"),
        ({"formal_context": [{"object": "o"}]}, "formal_context"),
        ({**CONTEXTS["fcaR"], "I": {"indices": [0], "columns": [0], "values": [0.5]}}, "0.5"),
        ({**CONTEXTS["fcaR"], "I": {"indices": [0], "columns": [3], "values": [1]}}, "no number of an object"),
        ({**CONTEXTS["fcaR"], "I": {"indices": [0, 1], "columns": [3], "values": [1]}}, "differ in number"),
        ({**CONTEXTS["fcaR"], "is_many_valued": True}, "many-valued"),
        ({"attributes": ["a"], "implications": []}, "implications, not a table"),
        ({"a": 3}, "no table known"),
        (3, "no table"),
        ([3], "no row"),
        ([{"age": 7, "size": 3}], "--as relation"),
    ],
)
def test_json_that_is_no_table_is_refused(value: object, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        json_tables.read(json.dumps(value).encode(), "f.json", "table")
    assert words in str(caught.value)
    assert caught.value.file == "f.json"


def test_broken_json_is_an_error_at_its_place() -> None:
    with pytest.raises(FormatError) as caught:
        json_tables.read(b'{"duck": ["flies"\n,}', "f.json")
    assert (caught.value.line, caught.value.column) == (2, 2)
    with pytest.raises(FormatError, match="twice"):
        json_tables.read(b'{"duck": ["flies"], "duck": []}', "f.json")
    for deep in (b"[" * 100_000, b'{"context":' * 100_000, b'{"context":' * 300 + b"1" + b"}" * 300):
        with pytest.raises(FormatError):
            json_tables.read(deep, "f.json")


def test_json_is_written_as_conexp_clj_reads_it() -> None:
    assert json.loads(json_tables.write(BIRDS)) == {
        "objects": ["duck", "cod", "hen"],
        "attributes": ["flies", "swims"],
        "incidence": [["duck", "flies"], ["duck", "swims"], ["cod", "swims"]],
    }
    for bad, words in (
        (BinaryTable.of(Universe.of(["m"]), [0], unknown=[1]), "unknown"),
        (BinaryTable.of(Universe.of(["m"]), [0, 1], objects=["o", "o"]), "same name"),
    ):
        with pytest.raises(FormatError, match=words):
            json_tables.write(bad)


# Files of databases


def test_parquet_keeps_tables_with_what_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "a [b]*'c.parquet"
    made = BinaryTable.of(Universe.of(["object", "é", "m"]), [5, 2, 0], objects=["", "1", "1"], unknown=[2, 0, 4])
    duck.write_path(made, path)
    assert shown(duck.read_path(path).value) == shown(made)
    assert pq.read_table(path).to_pydict() == {
        "object_": ["", "1", "1"],
        "object": [True, False, False],
        "é": [None, True, False],
        "m": [True, False, None],
    }


@pytest.mark.parametrize(("objects", "attributes"), [([], []), (["1", "0"], []), ([], ["m"]), (["0"], ["m", "n"])])
def test_parquet_keeps_tables_without_rows_or_columns(
    objects: list[str], attributes: list[str], tmp_path: Path
) -> None:
    made = BinaryTable.of(Universe.of(attributes), [0] * len(objects), objects=objects)
    duck.write_path(made, tmp_path / "f.parquet")
    assert shown(duck.read_path(tmp_path / "f.parquet").value) == shown(made)


@pytest.mark.parametrize(
    "made",
    [
        BinaryTable.of(Universe.of(["a\ud800"]), [1]),
        BinaryTable.of(Universe.of(["a"]), [1], objects=["\ud800"]),
        Relation.of(Universe.of(["a\ud800"]), [["1"]]),
        Relation.of(Universe.of(["a"]), [["\ud800"]]),
    ],
)
def test_parquet_refuses_half_a_character(made: BinaryTable | Relation, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"surrogate|encode"):
        formats.write(made, tmp_path / "f.parquet")
    assert not list(tmp_path.iterdir())


def test_parquet_keeps_relations_and_null(tmp_path: Path) -> None:
    made = Relation.of(Universe.of(["a", "b"]), [["x", None], ["", "1"], [None, None]])
    duck.write_path(made, tmp_path / "f.parquet")
    found = duck.read_path(tmp_path / "f.parquet", "relation")
    assert text_rows(found.value) == text_rows(made)
    assert found.notes[0] == "3 rows, 2 columns of values; 3 values NULL"


def test_parquet_of_others_is_read_by_its_own_names_and_types(tmp_path: Path) -> None:
    columns = {"a": [1, 0], "A": [True, None], "": ["x", "."], "b": [1.0, 0.0]}
    pq.write_table(pa.table(columns), tmp_path / "f.parquet")
    found = shown(duck.read_path(tmp_path / "f.parquet").value)
    # The column without a name is not the first one, so it is an attribute.
    assert found[1:] == (("a", "A", "", "b"), [15, 0], [0, 2])
    nested = pa.table(
        {"s": [{"x": 1, "y": [2]}, {"x": 1, "y": [2]}], "t": [1.5, 2.5], "u": pa.array([1, 1], pa.decimal128(20, 3))}
    )
    pq.write_table(nested, tmp_path / "g.parquet")
    assert partition(duck.read_path(tmp_path / "g.parquet", "relation").value) == [[0, 0], [0, 1], [0, 0]]
    with pytest.raises(FormatError, match="--as relation"):
        duck.read_path(tmp_path / "g.parquet")


def test_parquet_from_pandas_has_its_index_back(tmp_path: Path) -> None:
    pd.DataFrame(COLUMNS, index=["duck", "cod", "hen"]).to_parquet(tmp_path / "f.parquet")
    assert shown(duck.read_path(tmp_path / "f.parquet").value) == shown(BIRDS)


@pytest.mark.parametrize("names", [["x", "y"], ["t", "n"], ["17", "?"]])
def test_an_index_with_a_name_is_told_by_what_pandas_left_in_the_file(names: list[str], tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 0], "b": [0, 1]}, index=pd.Index(names, name="who"))
    frame.to_parquet(tmp_path / "f.parquet")
    feather.write_feather(pa.Table.from_pandas(frame), tmp_path / "f.arrow")
    for name in ("f.parquet", "f.arrow"):
        assert shown(duck.read_path(tmp_path / name).value) == (tuple(names), ("a", "b"), [1, 2], [0, 0])
        assert duck.read_path(tmp_path / name, "relation").value.universe.names == ("a", "b", "who")  # type: ignore[union-attr]


def test_an_index_of_several_levels_names_objects_by_all_of_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 0]}, index=pd.MultiIndex.from_tuples([("x", "1"), ("y", "0")]))
    frame.to_parquet(tmp_path / "f.parquet")
    assert shown(duck.read_path(tmp_path / "f.parquet").value) == shown(table_from(frame))
    plain = pd.DataFrame({"a": [1, 0]})
    plain.to_parquet(tmp_path / "g.parquet")
    assert shown(duck.read_path(tmp_path / "g.parquet").value) == shown(table_from(plain))


def test_texts_that_look_like_marks_of_another_kind_are_names(tmp_path: Path) -> None:
    wanted = (("x", "y"), ("a", "b"), [1, 2], [0, 0])
    columns = {"who": ["x", "y"], "a": [1, 0], "b": [0, 1]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert shown(table_from(frame)) == wanted
    assert shown(table_from(pd.DataFrame({"a": [1, 0], "who": ["x", "y"], "b": [0, 1]}))) == wanted
    rows = "INSERT INTO birds VALUES ('x', 1, 0), ('y', 0, 1)"
    path = database(tmp_path / "f.db", "CREATE TABLE birds (who TEXT, a INT, b INT)", rows)
    assert shown(duck.read_path(path).value) == wanted
    with pytest.raises(FormatError, match="'who' has t and f where the others have 1 and 0.*call the column `object`"):
        table_from(pd.DataFrame({**columns, "who": ["t", "f"]}))
    assert shown(table_from(pd.DataFrame({"who": ["t", "t"], "a": [1, 0]})))[1] == ("who", "a")


def test_names_that_duckdb_would_change_are_refused(tmp_path: Path) -> None:
    for names, words in ((["a", "A"], "case only"), (["", "a"], "no name")):
        with pytest.raises(FormatError, match=words):
            duck.write_path(BinaryTable.of(Universe.of(names), [1]), tmp_path / "f.parquet")
        assert not (tmp_path / "f.parquet").exists()


def test_wide_parquet_is_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duck, "_AT_ONCE", 300)
    made = BinaryTable.of(Universe.numbered(130), [(1 << 130) // (3 + i) for i in range(5)])
    duck.write_path(made, tmp_path / "f.parquet")
    assert shown(duck.read_path(tmp_path / "f.parquet").value) == shown(made)


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def test_the_table_of_a_sqlite_file_is_read(tmp_path: Path) -> None:
    path = database(
        tmp_path / "f.db",
        "CREATE TABLE birds (bird TEXT, flies BOOL, swims INT)",
        "INSERT INTO birds VALUES ('duck', 1, 1), ('cod', 0, 1), ('hen', 0, 0)",
    )
    reading = duck.read_path(path)
    assert shown(reading.value) == shown(BIRDS)
    assert reading.notes[1] == "table 'birds' of a SQLite file"
    assert text_rows(duck.read_path(path, "relation").value)[1] == ["cod", "0", "1"]
    database(path, "CREATE TABLE ages (bird TEXT, age)", "INSERT INTO ages VALUES ('duck', NULL), ('cod', 2)")
    with pytest.raises(FormatError, match="there are 2 tables, 'birds', 'ages'") as caught:
        duck.read_path(path)
    assert f"""sqlite3 -header -csv {path} 'SELECT * FROM "birds"' > table.csv""" in str(caught.value)
    assert text_rows(duck.read_path(path, "relation", table="ages").value) == [["duck", None], ["cod", "2"]]
    with pytest.raises(FormatError, match="no table 'cats'"):
        duck.read_path(path, table="cats")
    with pytest.raises(FormatError, match="no tables"):
        duck.read_path(database(tmp_path / "empty.db", "CREATE TABLE t (a)", "DROP TABLE t"))


def test_arrow_files_and_streams_are_read(tmp_path: Path) -> None:
    made = pa.table(NAMED)
    feather.write_feather(made, tmp_path / "f.feather")
    with pa.OSFile(str(tmp_path / "f.arrow"), "wb") as sink, pa.ipc.new_file(sink, made.schema) as writer:
        writer.write_table(made)
    with pa.OSFile(str(tmp_path / "f.ipc"), "wb") as sink, pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_table(made)
    for name in ("f.feather", "f.arrow", "f.ipc"):
        assert shown(duck.read_path(tmp_path / name).value) == shown(BIRDS)
        assert text_rows(duck.read_path(tmp_path / name, "relation").value)[0] == ["duck", "True", "1"]


def test_without_its_library_a_format_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duck.write_path(BIRDS, tmp_path / "f.parquet")
    feather.write_feather(pa.table(NAMED), tmp_path / "f.feather")
    for library, name, words in (
        ("duckdb", "f.parquet", r"hornbook\[tables\]"),
        ("pyarrow", "f.feather", "pip install"),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, library, None)
            with pytest.raises(FormatError, match=words):
                duck.read_path(tmp_path / name)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(FormatError, match="not installed"):
        duck.write_path(BIRDS, tmp_path / "g.parquet")


# Round trips and faults

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(
    ["", "X", "1", "a b", '"', "'", "\n", "\0"]
)


@st.composite
def tables(draw: st.DrawFn, unknown: bool) -> BinaryTable:
    attributes = draw(st.lists(NAMES, max_size=4, unique=True))
    everything = (1 << len(attributes)) - 1
    objects = draw(st.lists(NAMES, max_size=4, unique=not unknown))
    rows = [draw(st.integers(0, everything)) for _ in objects]
    gone = [draw(st.integers(0, everything)) & ~row if unknown else 0 for row in rows]
    return BinaryTable.of(Universe.of(attributes), rows, objects=objects, unknown=gone if any(gone) else None)


@given(tables(unknown=False))
def test_json_keeps_every_table_whose_objects_differ(made: BinaryTable) -> None:
    assert shown(json_tables.read(json_tables.write(made), "f.json").value) == shown(made)


@settings(max_examples=40)
@given(tables(unknown=True))
def test_parquet_keeps_every_table_or_refuses_it(made: BinaryTable) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.parquet"
        try:
            duck.write_path(made, path)
        except FormatError:
            names = [name.casefold() for name in made.universe]
            assert "" in names or len(set(names)) < len(names) or any("\0" in name for name in [*names, *made.objects])
        else:
            assert shown(duck.read_path(path).value) == shown(made)


KEYS = ["a", "objects", "attributes", "properties", "incidence", "context", "formal_context", "type", "object"]
KEYS += ["I", "indices", "columns", "values"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(["a", "b", "1", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner | st.just("FormalContext"),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=400)
@given(JSON.map(json.dumps) | st.text(max_size=20), st.sampled_from([None, "table", "relation"]))
def test_whatever_json_is_read_is_a_value_or_an_error_of_format(text: str, as_: str | None) -> None:
    for read in (json_tables.read, duck.read_json_rows):
        try:
            reading = read(text.encode(errors="replace"), "f", as_)
        except FormatError as error:
            assert error.file == "f"
        else:
            assert isinstance(reading, Reading)
            assert reading.notes


@settings(max_examples=60)
@given(st.integers(0, 3), st.data())
def test_whatever_file_of_a_database_is_read_is_a_value_or_an_error_of_format(kind: int, draws: st.DataObject) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        if kind == 0:
            path.write_bytes(
                draws.draw(st.sampled_from([b"PAR1", b"SQLite format 3\0", b"", b"{", b"\xff\xff\xff\xff"]))
                + draws.draw(st.binary())
            )
        elif kind == 1:
            duck.write_path(BIRDS, path)
        elif kind == 2:
            database(path, "CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 0)")
        else:
            feather.write_feather(pa.table(NAMED), path, compression="uncompressed")
        damaged = bytearray(path.read_bytes())
        if kind == 3:
            # Flatbuffers with bytes changed at will may ask Arrow for any amount of memory, so only their end is cut.
            damaged = damaged[: draws.draw(st.integers(0, len(damaged)))]
        for _ in range(draws.draw(st.integers(0, 4)) if kind < 3 else 0):
            place = draws.draw(st.integers(0, len(damaged)))
            damaged[place : place + draws.draw(st.integers(0, 2))] = draws.draw(st.binary(max_size=2))
        path.write_bytes(damaged)
        for as_ in (None, "relation"):
            try:
                duck.read_path(path, as_)
            except FormatError as error:
                assert error.file == str(path)


def test_the_modules_import_no_heavy_library() -> None:
    names = ["cxt", "fimi", "tabular", "json_tables", "duck", "frames", "libraries", "values", "columns", "dialects"]
    code = "import sys\n" + "".join(f"import hornbook.formats.{name}\n" for name in names)
    code += "print(sorted({'numpy', 'duckdb', 'pandas', 'polars', 'pyarrow', 'sqlite3', 'numba'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Real data


def test_real_contexts_survive_json_and_parquet(data: Path, tmp_path: Path) -> None:
    for name in ("fcarepo_livingbeings_en", "conexp_zoo", "gcp_iam", "xflr6_bob-ross"):
        made = cxt.read_path(data / "tables" / f"{name}.cxt").value
        assert isinstance(made, BinaryTable)
        assert shown(json_tables.read(json_tables.write(made), "f.json").value) == shown(made)
        duck.write_path(made, tmp_path / f"{name}.parquet")
        assert shown(duck.read_path(tmp_path / f"{name}.parquet").value) == shown(made)
        frame = pd.DataFrame([[row >> j & 1 for j in range(len(made.universe))] for row in made.rows()])
        frame.columns, frame.index = pd.Index(made.universe.names), pd.Index(made.objects)
        assert shown(table_from(frame)) == shown(made)


def test_real_relations_are_the_same_through_pandas_polars_and_parquet(data: Path, tmp_path: Path) -> None:
    for name in ("iris", "bridges", "hepatitis", "dog_breeds", "ncvoter_1001r_19c"):
        path = data / "relations" / f"{name}.csv"
        wanted = partition(tabular.read_path(path, "relation").value)
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        assert partition(relation_from(frame)) == wanted
        assert partition(relation_from(pl.from_pandas(frame))) == wanted
        frame.to_parquet(tmp_path / "f.parquet")
        assert partition(duck.read_path(tmp_path / "f.parquet", "relation").value) == wanted
