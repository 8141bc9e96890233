"""Tables in text files: every dialect gives the same table, or an error that says where; never a shifted one."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbook import formats
from hornbook.errors import BadQuestion, FormatError
from hornbook.formats import cells, coders, content, cxt, duck, fimi, marks, tabular
from hornbook.formats.values import BinaryTable, Reading, Relation, pack, unpack
from hornbook.universe import Universe

Shown = tuple[tuple[str, ...], tuple[str, ...], list[int], list[int]]

BIRDS = BinaryTable.of(Universe.of(["flies", "swims"]), [3, 2, 0], objects=["duck", "cod", "hen"])


def shown(value: object) -> Shown:
    """All that a table says."""
    assert isinstance(value, BinaryTable)
    return value.objects, value.universe.names, value.rows(), value.unknown_rows()


def table(reading: Reading) -> Shown:
    return shown(reading.value)


def text_rows(value: object) -> list[list[str | None]]:
    assert isinstance(value, Relation)
    return [value.row(index) for index in range(len(value.codes))]


def refused(read: Callable[..., Reading], data: bytes | str, as_: str | None = None) -> FormatError:
    """The error that this input gives."""
    with pytest.raises(FormatError) as caught:
        read(data.encode() if isinstance(data, str) else data, "some.file", as_)
    assert caught.value.file == "some.file"
    return caught.value


# Values


@pytest.mark.parametrize("size", [0, 1, 7, 63, 64, 65, 200])
def test_packed_rows_are_the_rows_that_were_packed(size: int) -> None:
    universe = Universe.numbered(size)
    rows = [universe.everything, 0, universe.everything >> 1, universe.everything // 3]
    packed = BinaryTable.of(universe, rows)
    assert packed.rows() == rows
    cells_ = unpack(packed.crosses, size)
    assert cells_.tolist() == [[row >> j & 1 for j in range(size)] for row in rows]
    assert np.array_equal(pack(cells_), packed.crosses)
    assert BinaryTable.of(universe, []).rows() == []


def test_a_table_of_names_takes_its_attributes_in_order_of_appearance() -> None:
    birds = BinaryTable.of_names({"duck": ["flies", "swims"], "cod": ["swims"], "hen": []})
    assert shown(birds) == shown(BIRDS)


def test_a_table_whose_parts_do_not_fit_is_refused() -> None:
    universe = Universe.numbered(3)
    with pytest.raises(BadQuestion, match="outside"):
        BinaryTable.of(universe, [8])
    with pytest.raises(BadQuestion, match="unknown at once"):
        BinaryTable.of(universe, [1], unknown=[3])
    with pytest.raises(BadQuestion, match="shape"):
        BinaryTable(universe, ("a", "b"), np.zeros((1, 1), dtype=np.uint64))


def test_a_relation_of_rows_gives_equal_codes_to_equal_values_and_keeps_them() -> None:
    rows: list[list[object]] = [["a", None], ["", 1], ["a", "1"]]
    relation = Relation.of(Universe.of(["x", "y"]), rows)
    assert relation.codes.tolist() == [[0, -1], [1, 0], [0, 0]]
    assert text_rows(relation) == [["a", None], ["", "1"], ["a", "1"]]
    with pytest.raises(FormatError, match="1 values, not 2"):
        Relation.of(Universe.of(["x", "y"]), [["a"]])


# Burmeister

DIALECTS = {
    "canonical": "B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "a name on line 2": "B\nbirds\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "a name that is a number": "B\n7\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "no line for a name": "B\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "no blank line 5": "B\nno name\n3\n2\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "a comment on line 5": "B\n\n3\n2\nseen in May\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "a blank line between the names": "B\n\n3\n2\n\nduck\ncod\nhen\n\nflies\nswims\nXX\n.X\n..\n",
    "only a blank line between the names": "B\n\n3\n2\nduck\ncod\nhen\n\nflies\nswims\nXX\n.X\n..\n",
    "a blank line before the rows": "B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\n\nXX\n.X\n..\n",
    "blank lines everywhere": "B\n\n3\n2\n\nduck\ncod\nhen\n\nflies\nswims\n\nXX\n.X\n..\n\n\n",
    "CRLF": "B\r\n\r\n3\r\n2\r\n\r\nduck\r\ncod\r\nhen\r\nflies\r\nswims\r\nXX\r\n.X\r\n..\r\n",
    "carriage returns": "B\r\r3\r2\r\rduck\rcod\rhen\rflies\rswims\rXX\r.X\r..\r",
    "a byte-order mark": "\ufeffB\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
    "lower case": "B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nxx\n.X\n..\n",
    "no last line end": "B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..",
    "trailing blank lines": "B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n\n  \n\n",
    "blanks after rows": "B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX \n.X\n..\t\n",
    "blanks around the counts": "B \n\n 3\n2 \n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n",
}


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_of_burmeister_gives_the_same_table(name: str, tmp_path: Path) -> None:
    data = DIALECTS[name].encode()
    assert table(cxt.read(data, "birds.cxt")) == shown(BIRDS)
    (tmp_path / "birds.cxt").write_bytes(data)
    assert table(cxt.read_path(tmp_path / "birds.cxt")) == shown(BIRDS)


def test_utf_16_is_read_with_and_without_its_mark() -> None:
    text = DIALECTS["canonical"].replace("duck", "dück")
    wanted = (("dück", "cod", "hen"), *shown(BIRDS)[1:])
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        assert table(cxt.read(text.encode(encoding), "birds.cxt")) == wanted
    assert table(cxt.read(text.encode("latin-1"), "birds.cxt")) == wanted
    assert "Latin-1" in " ".join(cxt.read(text.encode("latin-1"), "birds.cxt").notes)


def test_the_notes_say_what_was_understood_and_what_was_not_kept() -> None:
    def notes(name: str) -> tuple[str, ...]:
        return cxt.read(DIALECTS[name].encode(), "birds.cxt").notes

    assert notes("canonical") == ("3 objects, 2 attributes; crosses are X; Burmeister",)
    assert notes("lower case")[0] == "3 objects, 2 attributes; crosses are X and x; Burmeister"
    assert notes("a name on line 2")[1] == "the name 'birds' on line 2 is not kept"
    assert notes("a comment on line 5")[1] == "line 5, 'seen in May', is taken for a comment"
    assert notes("no blank line 5")[2] == "no blank line 5"
    assert "between objects and attributes" in notes("a blank line between the names")[1]


def test_unknown_cells_stay_unknown() -> None:
    reading = cxt.read(b"B\n\n2\n3\n\na\nb\nm\nn\no\nX?.\n?.x\n", "f.cxt")
    assert table(reading) == (("a", "b"), ("m", "n", "o"), [1, 4], [2, 1])
    assert "2 cells unknown (?)" in reading.notes[0]


def test_a_table_without_names_is_numbered() -> None:
    assert table(cxt.read(b"A\n2\n3\nX..\n..X\n", "f.cxt")) == (("0", "1"), ("0", "1", "2"), [1, 4], [0, 0])
    assert "after line 3 there are 3" in str(refused(cxt.read, "A\n2\n3\nX..\n..X\nXXX\n"))


@pytest.mark.parametrize(
    ("text", "objects", "attributes"),
    [
        ("B\n\n0\n0\n\n", (), ()),
        ("B\n\n0\n0\n", (), ()),
        ("B\n\n2\n0\n\na\nb\n\n\n", ("a", "b"), ()),
        ("B\n\n2\n0\n\na\nb\n", ("a", "b"), ()),
        ("B\nno name\n2\n0\na\nb\n\n\n", ("a", "b"), ()),
        ("B\n\n0\n2\n\nm\nn\n", (), ("m", "n")),
        ("B\n\n0\n2\nm\nn\n", (), ("m", "n")),
        ("B\n\n2\n1\n\n\n\nm\nX\nX\n", ("", ""), ("m",)),
        ("B\n\n1\n2\n\na\n\nm\nXX\n", ("a",), ("", "m")),
        ("B\n\n2\n2\n\na\na\nm\nM\nXX\nXX\n", ("a", "a"), ("m", "M")),
    ],
)
def test_empty_sides_and_odd_names_are_kept(text: str, objects: tuple[str, ...], attributes: tuple[str, ...]) -> None:
    rows = [(1 << len(attributes)) - 1] * len(objects)
    assert table(cxt.read(text.encode(), "f.cxt")) == (objects, attributes, rows, [0] * len(objects))


def burmeister(
    objects: tuple[str, ...], attributes: tuple[str, ...], rows: tuple[int, ...], *, title: str = "", tail: int = 0
) -> list[str]:
    """The lines of the canonical form, by its grammar."""
    marks_ = ["".join("X" if row >> j & 1 else "." for j in range(len(attributes))) for row in rows]
    return ["B", title, str(len(objects)), str(len(attributes)), "", *objects, *attributes, *marks_, *[""] * tail]


def small_tables() -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]]:
    """Up to two objects and attributes, with names that are empty or look like rows."""
    for height, width in itertools.product(range(3), repeat=2):
        for objects in itertools.product(("", "a", "X"), repeat=height):
            for attributes in itertools.permutations(("", "b", "x."), width):
                for rows in itertools.product(range(1 << width), repeat=height):
                    yield objects, attributes, rows


def test_canonical_files_are_read_right_whatever_the_names() -> None:
    for objects, attributes, rows in small_tables():
        wanted = (objects, attributes, list(rows), [0] * len(rows))
        for title, tail in (("", 0), ("7", 0), ("", 2)):
            lines = burmeister(objects, attributes, rows, title=title, tail=tail)
            assert table(cxt.read("".join(f"{line}\n" for line in lines).encode(), "f")) == wanted
        assert cxt.write(BinaryTable.of(Universe(attributes), rows, objects=objects)).decode().split("\n")[:-1] == (
            burmeister(objects, attributes, rows)
        )


def test_a_file_that_lacks_a_line_never_gives_another_table() -> None:
    outcomes = set()
    for objects, attributes, rows in small_tables():
        lines = burmeister(objects, attributes, rows)
        for cut in range(1, len(lines)):
            data = "".join(f"{line}\n" for line in lines[:cut] + lines[cut + 1 :]).encode()
            try:
                assert table(cxt.read(data, "f"))[:3] == (objects, attributes, list(rows))
                outcomes.add("right")
            except FormatError:
                outcomes.add("refused")
    assert outcomes == {"right", "refused"}


def test_without_blank_names_no_placing_of_blank_lines_shifts_a_table() -> None:
    for blanks in itertools.product((0, 1), repeat=4):
        lines = ["B", "", "2", "2", *[""] * blanks[0], "a", "b", *[""] * blanks[1], "m", "n", *[""] * blanks[2], "X."]
        data = "".join(f"{line}\n" for line in [*lines, "XX", *[""] * blanks[3]]).encode()
        assert table(cxt.read(data, "f")) == (("a", "b"), ("m", "n"), [1, 3], [0, 0])


def test_blank_lines_that_may_be_names_or_separators_are_refused() -> None:
    # Objects b and "", or a comment and then c and "": a blank line 5 would tell.
    error = refused(cxt.read, "B\n\n2\n2\na\n\n\nm\nn\nX.\n.X\n")
    assert "empty names or separators" in str(error)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, None, "not B"),
        ("duck,cod\n", 1, None, "is it another format?"),
        ("B\n\nthree\n2\n", 2, None, "number of objects"),
        ("B\n\n-3\n2\n\n", 2, None, "number of objects"),
        ("B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n", 5, None, "there are 7"),
        ("B\nt\n3\n2\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n", 4, None, "there are 7"),
        ("B\n\n3\n2\n\nduck\ncod\nhen\nflies\nswims\nXX\n.X\n..\n..\n", 4, None, "there are 9"),
        ("B\n\n1\n2\n\nduck\nflies\nswims\nX0\n", 9, 2, "'0' is no mark"),
        ("B\n\n1\n2\n\nduck\nflies\nswims\nXé\n", 9, 2, "'é' is no mark"),
        ("B\n\n2\n2\n\na\nb\nflies\nswims\nX.\nX..\n", 11, 3, "3 marks"),
        ("B\n\n2\n2\n\na\nb\nflies\nswims\nX.\nX\n", 11, 2, "1 mark;"),
        ("B\n\n2\n2\n\na\nb\nflies\nswims\nX.X\n.XX\n", 10, 3, "3 marks;"),
        ("B\n\n1\n2\n\nduck\nflies\nflies\nXX\n", 8, None, "as number 1 (line 7) and as number 2"),
        ("B\n\n1\n2\n\nduck\nflies\nswims\nX\0\n", 9, 2, "is no mark"),
        ("B\n\n999999999999\n999999999999\n\na\n", 4, None, "are the counts wrong?"),
        ("B\n\n" + "9" * 5000 + "\n1\n", 2, None, "number of objects"),
    ],
)
def test_what_is_no_table_of_burmeister_is_an_error_at_its_place(
    text: str, line: int, column: int | None, words: str
) -> None:
    error = refused(cxt.read, text)
    assert (error.line, error.column) == (line, column)
    assert words in str(error)


def test_reading_in_small_blocks_gives_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [i * 97 % 1024 for i in range(40)]
    wanted = BinaryTable.of(Universe.numbered(10), rows, objects=[f"o{i}" * (i % 3) for i in range(40)])
    (tmp_path / "f.cxt").write_bytes(cxt.write(wanted))
    (tmp_path / "f.csv").write_bytes(tabular.write(wanted))
    (tmp_path / "f.dat").write_bytes(fimi.write(wanted))
    for size in (1, 5, 64, 300):
        monkeypatch.setattr(content, "BLOCK", size)
        monkeypatch.setattr(content.blocks, "__defaults__", (0, size))
        monkeypatch.setattr(cells, "_BLOCK", size)
        assert table(cxt.read_path(tmp_path / "f.cxt")) == shown(wanted)
        assert table(tabular.read_path(tmp_path / "f.csv")) == shown(wanted)
        assert table(fimi.read_path(tmp_path / "f.dat"))[2] == rows


def test_names_that_burmeister_cannot_hold_are_refused_before_the_file_is_touched(tmp_path: Path) -> None:
    (tmp_path / "f.cxt").write_text("precious")
    for objects, attributes in ((["a\nb"], ["m"]), (["a"], ["m\r"]), (["\ud800"], ["m"])):
        bad = BinaryTable.of(Universe.of(attributes), [1], objects=objects)
        with pytest.raises(FormatError, match=r"line end|surrogate"):
            cxt.write_path(bad, tmp_path / "f.cxt")
    assert (tmp_path / "f.cxt").read_text() == "precious"
    with pytest.raises(FormatError, match="holds a table"):
        cxt.write(Relation.of(Universe.of([]), []))


def test_reading_a_table_as_something_else_is_refused() -> None:
    for module in (cxt, fimi):
        assert "cannot be read as a theory" in str(refused(module.read, "B\n", "theory"))
    assert "cannot be read as a formula" in str(refused(tabular.read, "a,b\n1,0\n", "formula"))


# Separated values

CROSSES = {
    "concepts": ",flies,swims\nduck,X,X\ncod,,X\nhen,,\n",
    "concepts with numbers": ",flies,swims\nduck,1,1\ncod,0,1\nhen,0,0\n",
    "conexp-clj named binary": "NB,flies,swims\nduck,1,1\ncod,0,1\nhen,0,0\n",
    "conexp-ng": ";flies;swims\nduck;1;1\ncod;0;1\nhen;0;0\n",
    "R with quotes": '"","flies","swims"\n"duck",1,1\n"cod",0,1\n"hen",0,0\n',
    "R without a head for the rows": "flies,swims\nduck,1,1\ncod,0,1\nhen,0,0\n",
    "tabs": "\tflies\tswims\nduck\t1\t1\ncod\t0\t1\nhen\t0\t0\n",
    "bars": "bird|flies|swims\nduck|1|1\ncod|0|1\nhen|0|0\n",
    "all in quotes": '"bird","flies","swims"\n"duck","1","1"\n"cod","0","1"\n"hen","0","0"\n',
    "true and false": "bird,flies,swims\nduck,True,True\ncod,False,True\nhen,False,False\n",
    "TRUE and FALSE": "bird,flies,swims\nduck,TRUE,TRUE\ncod,FALSE,TRUE\nhen,FALSE,FALSE\n",
    "yes and no": "bird,flies,swims\nduck,yes,Yes\ncod,no,yes\nhen,no,no\n",
    "letters": "bird,flies,swims\nduck,t,t\ncod,f,t\nhen,f,f\n",
    "floats": "bird,flies,swims\nduck,1.0,1.0\ncod,0.0,1.0\nhen,0.0,0.0\n",
    "x and full stop": "bird,flies,swims\nduck,x,x\ncod,.,x\nhen,.,.\n",
    "1 and blank": "bird,flies,swims\nduck,1,1\ncod,,1\nhen,,\n",
    "blanks in cells": "bird,flies,swims\nduck, 1,1 \ncod, 0, 1\nhen,0 ,0\n",
    "CRLF": "bird,flies,swims\r\nduck,1,1\r\ncod,0,1\r\nhen,0,0\r\n",
    "carriage returns": "bird,flies,swims\rduck,1,1\rcod,0,1\rhen,0,0\r",
    "a byte-order mark": "\ufeffbird,flies,swims\nduck,1,1\ncod,0,1\nhen,0,0\n",
    "a mark and an empty head": "\ufeff,flies,swims\nduck,1,1\ncod,0,1\nhen,0,0\n",
    "blank lines": "\nbird,flies,swims\n\nduck,1,1\ncod,0,1\n\nhen,0,0\n\n\n",
    "no last line end": "bird,flies,swims\nduck,1,1\ncod,0,1\nhen,0,0",
    "a separator at the end of each line": "bird,flies,swims,\nduck,1,1,\ncod,0,1,\nhen,0,0,\n",
    "what Excel puts on top": "sep=;\nbird;flies;swims\nduck;1;1\ncod;0;1\nhen;0;0\n",
}


@pytest.mark.parametrize("name", CROSSES)
def test_every_dialect_of_csv_gives_the_same_table(name: str, tmp_path: Path) -> None:
    data = CROSSES[name].encode()
    assert table(tabular.read(data, "birds.csv")) == shown(BIRDS)
    (tmp_path / "birds.csv").write_bytes(data)
    assert table(tabular.read_path(tmp_path / "birds.csv")) == shown(BIRDS)
    assert table(tabular.read_path_tsv(tmp_path / "birds.csv")) == shown(BIRDS)


@pytest.mark.parametrize(
    ("text", "objects", "attributes"),
    [
        ("flies,swims\n1,1\n0,1\n0,0\n", "012", ("flies", "swims")),
        ("flies,swims\nTrue,True\nFalse,True\nFalse,False\n", "012", ("flies", "swims")),
        ("binary CSV\n1,1\n0,1\n0,0\n", "012", ("0", "1")),
        ("1,1\n0,1\n0,0\n", "012", ("0", "1")),
        ("duck,1,1\ncod,0,1\nhen,0,0\n", ("duck", "cod", "hen"), ("0", "1")),
        ("x,y\n1,1\n0,1\n0,0\n", "012", ("x", "y")),
        (",1,0\n0,1,1\n1,0,1\nx,0,0\n", "01x", ("1", "0")),
        ("number,flies,swims\n0,1,1\n1,0,1\n2,0,0\n", "012", ("flies", "swims")),
        ("object,flies,swims\n1,1,1\n1,0,1\n0,0,0\n", "110", ("flies", "swims")),
        ("who,flies,swims\nx,1,1\ny,0,1\nt,0,0\n", "xyt", ("flies", "swims")),
        ("who,flies,swims\nt,1,1\nf,0,1\nn,0,0\n", "tfn", ("flies", "swims")),
        ("who,flies,swims\n1,x,x\ny,,x\nt,,\n", "1yt", ("flies", "swims")),
        ("x,1,1\ny,0,1\nt,0,0\n", "xyt", ("0", "1")),
    ],
)
def test_headers_and_objects_are_told_from_marks(text: str, objects: str, attributes: tuple[str, ...]) -> None:
    assert table(tabular.read(text.encode(), "f.csv")) == (tuple(objects), attributes, [3, 2, 0], [0, 0, 0])


def test_a_header_and_a_separator_may_be_given() -> None:
    reading = tabular.read(b"1,0\n1,1\n", "f.csv", header=True)
    assert table(reading) == (("0",), ("1", "0"), [3], [0])
    assert table(tabular.read(b"x;y\n1;0\n", "f.csv", separator=";"))[2] == [1]
    assert table(tabular.read(b"a|b,c\n1\n0\n", "f.csv", separator=";"))[1:3] == (("a|b,c",), [1, 0])
    assert text_rows(tabular.read(b"a b\nc d\n", "f", "relation", separator=" ", header=False).value) == [
        ["a", "b"],
        ["c", "d"],
    ]
    with pytest.raises(FormatError, match="cannot separate"):
        tabular.read(b"a\n", "f.csv", separator="::")


def test_object_names_that_look_like_marks_at_first_are_still_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbook.formats.dialects._SAMPLE_CELLS", 1)
    rows = "".join(f"{i},{i % 2},1\n" for i in range(50))
    reading = tabular.read(f"id,odd,there\n{rows}".encode(), "f.csv")
    assert table(reading) == (tuple(map(str, range(50))), ("odd", "there"), [2 + i % 2 for i in range(50)], [0] * 50)


@pytest.mark.parametrize("rows", ["t,1,0\nf,0,1\n", "x,1,0\n", "y,x,\nn,,x\n"])
def test_marks_that_may_be_names_are_refused(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    error = refused(tabular.read, f"who,a,b\n{rows}")
    assert "'who' has " in str(error) and "call the column `object`" in str(error)
    assert table(tabular.read(f"object,a,b\n{rows}".encode(), "f.csv"))[1] == ("a", "b")
    # Once a mark is there twice, no names are meant.
    assert table(tabular.read(f"who,a,b\n{rows}{rows}".encode(), "f.csv"))[1] == ("who", "a", "b")
    # What the first lines leave open, the others may tell.
    monkeypatch.setattr("hornbook.formats.dialects._SAMPLE_CELLS", 1)
    monkeypatch.setattr("hornbook.formats.dialects._SAMPLE_BYTES", 20)
    more = tabular.read(f"who,a,b\n{rows}true,,\n".encode(), "f.csv")
    assert table(more)[1] == ("a", "b") and table(more)[0][-1] == "true"


def test_a_last_column_without_a_name_is_left_out_if_nothing_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbook.formats.dialects._SAMPLE_CELLS", 1)
    said = tabular.read(b",a,b,\no,1,0,\np,0,1,\n", "f.csv")
    assert table(said) == (("o", "p"), ("a", "b"), [1, 2], [0, 0])
    assert "the last column has no name and nothing in it, and was left out" in said.notes
    kept = tabular.read(b",a,b,\no,1,0,\np,0,1,\nq,1,1,\nr,1,1,1\n", "f.csv")
    assert table(kept)[1:] == (("a", "b", ""), [1, 2, 3, 7], [4, 4, 4, 0])


def test_a_last_column_of_values_without_a_name_is_left_out_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbook.formats.dialects._SAMPLE_CELLS", 1)
    said = tabular.read(b"a,b,\n5,0,\n7,1,\n", "f.csv", "relation")
    assert isinstance(said.value, Relation) and said.value.universe.names == ("a", "b")
    assert text_rows(said.value) == [["5", "0"], ["7", "1"]]
    assert "the last column has no name and nothing in it, and was left out" in said.notes
    kept = tabular.read(b"a,b,\n5,0,\n7,1,\n7,1,\n7,1,x\n", "f.csv", "relation").value
    assert isinstance(kept, Relation) and kept.universe.names == ("a", "b", "")
    assert [row[2] for row in text_rows(kept)] == ["", "", "", "x"]


def test_a_column_of_values_without_a_name_is_written_so_that_it_is_not_left_out() -> None:
    made = Relation.of(Universe.of(["a", ""]), [["1", ""], ["2", ""]])
    assert tabular.write(made) == b'a,\n1,""\n2,""\n'
    found = tabular.read(tabular.write(made), "f.csv", "relation").value
    assert isinstance(found, Relation) and found.universe.names == ("a", "")
    assert text_rows(found) == [["1", ""], ["2", ""]]


def test_a_first_line_of_marks_is_said_to_be_an_object() -> None:
    said = tabular.read(b"0,1\n1,0\n1,1\n", "f.csv")
    assert len(shown(said.value)[0]) == 3
    assert "no header, for line 1 has no names, so columns are numbers" in said.notes[0]


def test_a_blank_is_no_cross_unless_there_is_another_sign_for_that() -> None:
    assert table(tabular.read(b",a,b\no,1,\np,,1\n", "f.csv"))[2:] == ([1, 2], [0, 0])
    mixed = tabular.read(b",a,b\no,1,\np,0,1\nq,NA,?\n", "f.csv")
    assert table(mixed)[2:] == ([1, 2, 0], [2, 0, 3])
    assert "3 cells unknown (? and NA and blank)" in mixed.notes[0]
    assert table(tabular.read(b",a,b\no,X,?\np,,\n", "f.csv"))[2:] == ([1, 0], [2, 0])


def test_lines_of_an_object_and_an_attribute_make_a_table() -> None:
    wanted = (("duck", "cod"), ("flies", "swims"), [3, 2], [0, 0])
    lines = "duck,flies\nduck,swims\ncod,swims\n"
    assert table(tabular.read(lines.encode(), "f.csv")) == wanted
    assert table(tabular.read(f"object,attribute\n{lines}".encode(), "f.csv")) == wanted
    assert table(tabular.read(b"o,1\np,2\no,3\n", "f.csv"))[1:3] == (("1", "2", "3"), [5, 2])
    assert "each line is an object and one attribute" in tabular.read(lines.encode(), "f.csv").notes[0]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, None, "nothing"),
        ("\n\n", 1, None, "nothing"),
        (",ring,OS\nbenzene,hex,\n", 2, 9, "--as relation"),
        ("who,flies,swims\nduck,1,1\ncod,2,1\n", 3, 5, "'2' under 'flies'"),
        ('who,flies\n"du\nck",1\ncod,1\nhen,1\nköt,zwei\n', 6, 5, "'zwei'"),
        ("who,flies,swims\nduck,1,1\ncod,1\n", 3, 1, "2 cells, not 3"),
        ("who,flies,swims\nduck,1,1\ncod,la,1,1\n", 3, 1, "4 cells, not 3"),
        ("a,b,c\n1,0,1\n1,1,0\n0,0,0\n1,1,0\n2,0,1\n", 6, 1, "'2' under 'a'"),
        ("who,flies,flies\nduck,1,1\n", 1, None, "columns 2 and 3 are both called 'flies'"),
        ('who,flies\nduck,"1\ncod,1\n', 2, 6, "never closed"),
        ('who,flies\n"duck"s,1\n', 2, 7, "text after the closing quote"),
        ("name,age\nbob,23\nann,41\n", 1, None, "--as relation"),
        ("bird\nduck\ncod\n", 2, 1, "neither a cross"),
        ("flies\n", 1, None, "too little"),
        ("duck,flies\n", 1, None, "too little"),
        ("binary CSV\n", 2, None, "no rows"),
        ("a\nX\n\nX\n", 3, None, "is blank"),
        ("a\r\nX\r\n\r\nX\r\n", 3, None, "is blank"),
        ("a\n\n\nX\n", 2, None, "is blank"),
        ("o,j\np,\nq,k\np,k\n", 2, 3, "attribute is missing"),
        ("who,flies\ncod,1\nhen,0\nduck,1\0\n", 4, 6, "neither a cross"),
    ],
)
def test_what_is_no_table_of_crosses_is_an_error_at_its_place(
    text: str, line: int, column: int | None, words: str
) -> None:
    error = refused(tabular.read, text)
    assert (error.line, error.column) == (line, column)
    assert words in str(error)


@pytest.mark.parametrize(
    ("text", "objects", "attributes"),
    [
        (",a,b\n", (), ("a", "b")),
        ("a,b,c\n", (), ("a", "b", "c")),
        ('""\n', (), ()),
        ('""\nx\ny\n', ("x", "y"), ()),
        ('""\n""\ny\n', ("", "y"), ()),
        ('"",""\nx,0\n', ("x",), ("",)),
        ("a\nX\n0\n\n\n", ("0", "1"), ("a",)),
        ('a\nX\n""\n \n', ("0", "1", "2"), ("a",)),
    ],
)
def test_tables_without_rows_or_columns_are_kept(
    text: str, objects: tuple[str, ...], attributes: tuple[str, ...]
) -> None:
    assert table(tabular.read(text.encode(), "f.csv"))[:2] == (objects, attributes)


def test_a_line_of_very_many_cells_is_refused_and_one_of_very_many_bytes_is_read() -> None:
    assert "more than 1,048,576 cells" in str(refused(tabular.read, b"0," * 1_200_000 + b"1\n"))
    name = "n" * 3_000_000
    assert table(tabular.read(f",{name}\no,1\n".encode(), "f.csv"))[1] == (name,)


# Cells, quick and one by one

TEXTS = st.text(st.sampled_from('ab",;\n\r \0é'), max_size=6)


@st.composite
def well_formed(draw: st.DrawFn) -> tuple[str, list[list[str]]]:
    """Separated values as they should be, with quotes where they must be and where they may be."""
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1, max_size=6))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = []
    for row in rows:
        cells_ = []
        for text in row:
            must = any(sign in text for sign in '",\n\r') or (width == 1 and not text)
            quoted = must or draw(st.booleans())
            cells_.append('"' + text.replace('"', '""') + '"' if quoted else text)
        lines.append(",".join(cells_) + end)
    blank = draw(st.integers(0, 2))
    return end * blank + "".join(lines), rows


@given(well_formed())
def test_well_formed_values_are_read_as_the_standard_library_reads_them(made: tuple[str, list[list[str]]]) -> None:
    text, rows = made
    assert [row for row in csv.reader(io.StringIO(text, newline="")) if row] == rows
    reading = tabular.read(text.encode(), "f.csv", "relation", separator=",", header=False)
    assert text_rows(reading.value) == rows


@given(st.text(st.sampled_from('a1,"\n\r'), max_size=30), st.integers(1, 3))
def test_the_quick_way_finds_the_same_cells_as_the_slow_one(text: str, width: int) -> None:
    data = (text + "\n").encode()
    quick = cells._quick(data, ord(","), width, quoted=True)
    source = content.source_of(data, "f.csv")
    if quick is None:
        return
    slow = [span for record, _ in cells.records(data, b",", source, 1, final=True) for span in record]
    assert list(zip(quick[0].ravel().tolist(), quick[1].ravel().tolist(), strict=True)) == slow


@given(st.lists(st.tuples(st.sampled_from(["", "a", 'a"', 'a""', 'a"b"']), st.sampled_from(["1", "0"])), min_size=1))
def test_quotes_inside_of_unquoted_cells_are_characters(rows: list[tuple[str, str]]) -> None:
    text = ",m\n" + "".join(f"{name},{mark}\n" for name, mark in rows)
    found = table(tabular.read(text.encode(), "f.csv", separator=","))
    assert found[0] == tuple(name for name, _ in rows)
    assert found[2] == [int(mark) for _, mark in rows]


@given(st.text(st.sampled_from('a1,"\n\r'), max_size=40), st.integers(1, 3), st.integers(1, 9))
def test_the_size_of_the_blocks_changes_nothing(text: str, width: int, size: int) -> None:
    data = text.encode()
    source = content.source_of(data, "f.csv")

    def outcome() -> object:
        try:
            chunks = list(cells.chunks(source, 0, 1, b",", width))
        except FormatError as error:
            return str(error)
        rows = [list(row) for chunk in chunks for row in zip(*(chunk.raw(j) for j in range(width)), strict=True)]
        return rows, sum(chunk.blank_lines for chunk in chunks)

    whole = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "_BLOCK", size)
        patch.setattr(cells, "_STEP", size)
        assert outcome() == whole


@given(
    st.lists(
        st.lists(
            st.sampled_from(["", "a", '"a"', '"', "aaaaaaaa", "aaaaaaaab", "bbbbbbbbb", "a" * 70, "a\nb", "a\0", "é"]),
            min_size=2,
            max_size=2,
        )
    )
)
def test_equal_values_and_only_they_get_equal_codes(rows: list[list[str]]) -> None:
    relation = Relation.of(Universe.of(["x", "y"]), rows)
    found = tabular.read(tabular.write(relation), "f.csv", "relation").value
    assert isinstance(found, Relation)
    assert text_rows(found) == rows
    assert found.codes.tolist() == relation.codes.tolist()
    assert found.values == relation.values


def test_long_and_short_spellings_of_a_value_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "_BLOCK", 8)
    reading = tabular.read(b'v,w\nabcdefg,1\n"abcdefg",2\n"b",1\nb,3\n', "f.csv", "relation")
    assert isinstance(reading.value, Relation)
    assert reading.value.codes.tolist() == [[0, 0], [0, 1], [1, 0], [1, 2]]
    assert coders.TextCoder("utf-8").texts() == ()


@pytest.mark.parametrize("mix", [0, coders._MIX])
def test_long_values_that_share_a_number_stay_apart(mix: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coders, "_MIX", mix)
    rows = [["aaaaaaaa12345678"], ["bbbbbbbb12345678"], ["12345678"], ["aaaaaaaa12345678"], ["aaaaaaaa1234567"]]
    found = tabular.read(("x\n" + "".join(f"{row[0]}\n" for row in rows)).encode(), "f.csv", "relation").value
    assert isinstance(found, Relation) and text_rows(found) == rows and found.codes[:, 0].tolist() == [0, 1, 2, 0, 3]


def test_many_pairs_in_any_order_are_read_as_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "_BLOCK", 1 << 10)
    chance = np.random.default_rng(0)
    places = np.argwhere(chance.random((90, 200)) < 0.3)
    chance.shuffle(places)
    data = "".join(f'"object {i}",attribute number {j}\n' if j % 2 else f"object {i},{j}\n" for i, j in places)
    found = tabular.read(data.encode(), "f.csv").value
    assert isinstance(found, BinaryTable)
    listed: dict[str, set[str]] = {}
    for i, j in places:
        listed.setdefault(f"object {i}", set()).add(f"attribute number {j}" if j % 2 else str(j))
    assert found.objects == tuple(listed)
    assert [set(found.universe.names_in(row)) for row in found.rows()] == list(listed.values())


def test_a_relation_has_a_header_unless_it_is_said_to_have_none() -> None:
    text = b"a;b\n1;\n?;NULL\n1;\n"
    reading = tabular.read(text, "f.csv", "relation")
    assert isinstance(reading.value, Relation)
    assert reading.value.universe.names == ("a", "b")
    assert text_rows(reading.value) == [["1", ""], ["?", "NULL"], ["1", ""]]
    assert reading.notes[0] == "3 rows, 2 columns of values, compared as text; semicolon separated, names in line 1"
    bare = tabular.read(text, "f.csv", "relation", header=False).value
    assert isinstance(bare, Relation)
    assert (bare.universe.names, len(bare.codes)) == (("0", "1"), 4)
    error = refused(tabular.read, "a,b,a\n1,2,3\n", "relation")
    assert "columns 1 and 3 are both called 'a'" in str(error)


def test_null_is_written_as_a_blank_and_said_to_be_lost() -> None:
    universe = Universe.of(["x"])
    assert tabular.write(Relation.of(universe, [["a"], [None]])) == b'x\na\n""\n'
    assert tabular.losses(Relation.of(universe, [["a"], [None]])) != []
    assert tabular.losses(Relation.of(universe, [["a"], [""]])) == []
    with pytest.raises(FormatError, match="NULL and the empty text"):
        tabular.write(Relation.of(universe, [[""], [None]]))


def test_values_that_differ_and_have_one_text_are_said_to_be_merged() -> None:
    codes = np.array([[0, 0], [1, 0], [2, 1]], dtype=np.int32)
    made = Relation(Universe.of(["a", "b"]), codes, (("1", "1", "2"), ("1", "2")))
    [remark] = tabular.losses(made)
    assert remark == "values that differ are written as one text and read back as equal: '1' in column 'a'"
    assert duck.losses(made) == [remark]
    assert tabular.losses(Relation.of(made.universe, [("1", "1"), ("2", None)]))[0].startswith("NULL is written")


def test_marks_count_what_they_met() -> None:
    signs = marks.Marks("utf-8")
    data = b"1,0,,true, x ,maybe,1"
    ends = np.array([i for i, byte in enumerate(data + b",") if byte == 44])
    starts = np.concatenate([[0], ends[:-1] + 1])
    codes = signs.codes(data, starts[None, :5], ends[None, :5])
    assert codes.tolist() == [[marks.YES, marks.NO, marks.BLANK, marks.YES, marks.YES]]
    assert dict(signs.counts()) == {"1": 1, "0": 1, "true": 1, "x": 1}
    assert signs.codes(data, starts[None, 4:], ends[None, 4:])[0, 1] == marks.OTHER


# FIMI


def test_transactions_become_a_table_of_the_items_that_occur() -> None:
    reading = fimi.read(b"3 10 1\n\n  10\t 3 3 \r\n", "f.dat")
    assert table(reading) == (("0", "1", "2"), ("1", "3", "10"), [7, 0, 6], [0, 0, 0])
    assert reading.notes == (
        "3 objects, 3 attributes; items are called by their numbers; FIMI",
        "1 object without attributes: empty lines",
    )
    assert table(fimi.read(b"5", "f.dat")) == (("0",), ("5",), [1], [0])
    assert table(fimi.read(b"\n\n", "f.dat")) == (("0", "1"), (), [0, 0], [0, 0])


def test_a_table_without_objects_is_no_file_of_transactions_for_a_cut_one_looks_the_same(tmp_path: Path) -> None:
    assert "nothing in this file" in str(refused(fimi.read, ""))
    assert "nothing in this file" in str(refused(fimi.read, b"\xef\xbb\xbf"))
    path = tmp_path / "none.dat"
    with pytest.raises(FormatError, match=r"no objects.*write \.cxt"):
        formats.write(BinaryTable.of(Universe.of(["1"]), []), path)
    assert not path.exists()


def test_items_may_be_as_large_as_eighteen_digits() -> None:
    huge = "999999999999999999"
    reading = fimi.read(f"5 {huge}\n16777216\n{huge} 4294967296\n".encode(), "f.dat")
    assert table(reading)[1:3] == (("5", "16777216", "4294967296", huge), [9, 2, 12])


def test_a_file_that_is_not_there_is_an_error_of_format(tmp_path: Path) -> None:
    for module in (cxt, tabular, fimi):
        for path in (tmp_path, tmp_path / "none"):
            with pytest.raises(FormatError, match=str(path)):
                module.read_path(path)


def test_names_beside_a_dat_file_are_its_attributes(tmp_path: Path) -> None:
    (tmp_path / "f.dat").write_bytes(b"0 2\n1\n")
    (tmp_path / "f.names").write_text("flies\nswims\nruns\nsleeps\n")
    assert table(fimi.read_path(tmp_path / "f.dat"))[1:3] == (("flies", "swims", "runs", "sleeps"), [5, 2])
    (tmp_path / "f.names").write_text("flies\nswims\n")
    with pytest.raises(FormatError, match=r"f\.dat:1: item 2 has no name"):
        fimi.read_path(tmp_path / "f.dat")
    (tmp_path / "f.names").write_text("flies\nswims\nflies\n")
    with pytest.raises(FormatError, match=r"f\.names:3: the items 0 and 2"):
        fimi.read_path(tmp_path / "f.dat")


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("1 2\n3 -4\n", 2, 3, "'-4' is no item"),
        ("1 2\n3 x4 5\n", 2, 3, "'x4' is no item"),
        ("1.5\n", 1, 1, "'1.5' is no item"),
        ("1\0\n", 1, 1, "is no item"),
        ("3 " + "é" * 300, 1, 3, "é' is no item"),
        ("3 a" + "é" * 300, 1, 3, "é' is no item"),
        ("1 2\n" + "9" * 19 + "\n", 2, 1, "19 digits"),
    ],
)
def test_what_is_no_item_is_an_error_at_its_place(text: str, line: int, column: int, words: str) -> None:
    error = refused(fimi.read, text)
    assert (error.line, error.column) == (line, column)
    assert words in str(error)


def test_transactions_say_what_they_lose() -> None:
    assert fimi.write(BIRDS) == b"0 1\n1\n\n"
    assert fimi.losses(BIRDS) == [
        "the names of the objects are not kept",
        "the names of the attributes are not kept; item 0 is the first, and so on. A file beside it that ends with "
        ".names gives them back: one name a line, in their order",
    ]
    numbers = BinaryTable.of(Universe.of(["2", "7", "30"]), [5, 4])
    assert fimi.write(numbers) == b"2 30\n30\n"
    assert fimi.losses(numbers) == ["attributes that no object has are not kept: 7"]
    with pytest.raises(FormatError, match="unknown"):
        fimi.write(BinaryTable.of(Universe.of(["2"]), [0], unknown=[1]))
    for names in (["07"], ["-1"], ["7", "3"], ["1", "x"]):
        assert "the names of the attributes" in fimi.losses(BinaryTable.of(Universe.of(names), [1]))[0]


def test_a_sparse_file_that_would_fill_the_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", lambda _: 64)
    data = "".join(f"{item}\n" for item in range(500)).encode()
    assert "leave out attributes" in str(refused(fimi.read, data))


def test_names_beside_transactions_give_back_what_writing_them_lost(tmp_path: Path) -> None:
    wide = BinaryTable.of(Universe.of(["nobody", "flies", "swims"]), [6, 4, 0])
    path = tmp_path / "birds.dat"
    formats.write(wide, path)
    path.with_suffix(".names").write_text("\n".join(wide.universe) + "\n", encoding="utf-8")
    assert shown(formats.read(path).value) == shown(wide)


# Round trips

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(
    [
        "",
        "X",
        "1",
        "0",
        "a,b",
        "a;b;c",
        'say "hi"',
        '"',
        " ",
        "\t",
        "line\nend",
        "\r",
        "sep=;",
        "NB",
        "?",
        "\ufeff",
        "\0",
        "B",
    ]
)


@st.composite
def tables(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES, unknown: bool = True) -> BinaryTable:
    """Any table, with any names."""
    attributes = draw(st.lists(names, max_size=5, unique=True))
    everything = (1 << len(attributes)) - 1
    objects = draw(st.lists(names, max_size=5))
    rows = [draw(st.integers(0, everything)) for _ in objects]
    gone = [draw(st.integers(0, everything)) & ~row if unknown else 0 for row in rows]
    return BinaryTable.of(Universe.of(attributes), rows, objects=objects, unknown=gone if any(gone) else None)


@given(tables())
def test_separated_values_keep_every_table(made: BinaryTable) -> None:
    assert table(tabular.read(tabular.write(made), "f.csv")) == shown(made)
    assert table(tabular.read_tsv(tabular.write_tsv(made), "f.tsv")) == shown(made)


@given(tables(NAMES.filter(lambda name: not set(name) & {"\n", "\r"})))
def test_burmeister_keeps_every_table_whose_names_are_lines(made: BinaryTable) -> None:
    written = cxt.write(made)
    assert table(cxt.read(written, "f.cxt")) == shown(made)
    assert table(cxt.read(written.replace(b"\n", b"\r\n"), "f.cxt")) == shown(made)
    assert table(cxt.read(b"\xef\xbb\xbf" + written + b"\n\n", "f.cxt")) == shown(made)


@given(tables(st.integers(0, 99).map(str), unknown=False))
def test_transactions_keep_what_is_in_them(made: BinaryTable) -> None:
    if not made.objects:
        return
    found = fimi.read(fimi.write(made), "f.dat").value
    assert isinstance(found, BinaryTable)
    if fimi._names_are_items(made):
        wanted = [sorted(made.universe.names_in(row), key=int) for row in made.rows()]
        assert [found.universe.names_in(row) for row in found.rows()] == wanted
    else:
        named = fimi.read(fimi.write(made), "f.dat", names=made.universe.names).value
        assert shown(named)[1:] == shown(made)[1:]


RELATIONS = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(NAMES, min_size=width, max_size=width, unique=True),
        st.lists(st.lists(NAMES, min_size=width, max_size=width), max_size=6),
    )
)


def test_quotes_tell_the_separator_where_the_width_does_not() -> None:
    relation = Relation.of(Universe.of(["duck", "flies|"]), [["|ck", "swims"]])
    assert text_rows(tabular.read(tabular.write(relation), "f.csv", "relation").value) == [["|ck", "swims"]]


def test_an_empty_first_cell_tells_the_separator() -> None:
    assert table(tabular.read(b",b;c;d\n", "f.csv"))[1] == ("b;c;d",)
    assert table(tabular.read(b";b,c,d;e\nx,y,z;1;0\n", "f.csv"))[:3] == (("x,y,z",), ("b,c,d", "e"), [1])


@pytest.mark.parametrize("name", ["\ufeffa", "sep=,", "binary CSV", "a\0b\0c\0", "NB", '"', "\r"])
def test_a_first_name_that_looks_like_something_else_is_a_name(name: str) -> None:
    relation = Relation.of(Universe.of([name, "b"]), [[name, "c"]])
    found = tabular.read(tabular.write(relation), "f.csv", "relation").value
    assert isinstance(found, Relation)
    assert (found.universe.names, text_rows(found)) == ((name, "b"), [[name, "c"]])


@given(RELATIONS)
def test_separated_values_keep_every_relation_with_a_header(made: tuple[list[str], list[list[str]]]) -> None:
    names, rows = made
    relation = Relation.of(Universe.of(names), rows)
    for write, read in ((tabular.write, tabular.read), (tabular.write_tsv, tabular.read_tsv)):
        found = read(write(relation), "f.csv", "relation").value
        assert isinstance(found, Relation)
        assert (found.universe.names, text_rows(found)) == (tuple(names), rows)


# Faults

SEEDS = [*DIALECTS.values(), *CROSSES.values(), "duck,flies\nduck,swims\n", "1 2\n3\n\n", 'a,b\n"x ""y""",2\n']


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A valid file with some bytes changed, doubled or gone."""
    data = bytearray(draw(st.sampled_from(SEEDS)).encode())
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 4))
        data[place : place + length] = draw(
            st.binary(max_size=3)
            | st.sampled_from([b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"9" * 30])
        )
    return bytes(data)


@settings(max_examples=400)
@given(st.binary(max_size=60) | mutated())
def test_whatever_is_read_is_a_value_or_an_error_of_format(data: bytes) -> None:
    for read in (cxt.read, tabular.read, tabular.read_tsv, fimi.read):
        for as_ in (None, "relation"):
            try:
                reading = read(data, "f", as_)
            except FormatError as error:
                assert error.file == "f"
            else:
                assert reading.notes
                assert isinstance(reading.value, BinaryTable | Relation)


@settings(max_examples=200)
@given(mutated())
def test_what_is_read_from_a_damaged_file_survives_being_written(data: bytes) -> None:
    try:
        found = tabular.read(data, "f").value
    except FormatError:
        return
    assert table(tabular.read(tabular.write(found), "f.csv")) == shown(found)


# Real data


def expected(data: Path, name: str, key: str) -> dict[str, dict[str, str]]:
    with (data / "expected" / name).open(encoding="utf-8") as file:
        return {row[key]: row for row in csv.DictReader(file, delimiter="\t")}


def test_real_contexts_have_the_sizes_that_are_known(data: Path) -> None:
    known = expected(data, "tables.tsv", "name")
    for path in sorted((data / "tables").glob("*.cxt")):
        found = cxt.read_path(path).value
        assert isinstance(found, BinaryTable)
        if path.name in known:
            row = known[path.name]
            sizes = len(found.objects), len(found.universe), len(set(found.rows()))
            assert sizes == (int(row["objects"]), int(row["attributes"]), int(row["distinct_rows"])), path.name
        # By the grammar: the rows are the last lines, and crosses are X or x.
        lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")[-len(found.objects) :]
        wanted = [sum(1 << j for j, mark in enumerate(line) if mark in "Xx") for line in lines]
        assert found.rows() == wanted, path.name
        for write, read in ((cxt.write, cxt.read), (tabular.write, tabular.read)):
            assert table(read(write(found), "again")) == shown(found), path.name


def test_real_transactions_have_the_sizes_that_are_known(data: Path) -> None:
    known = expected(data, "fimi.tsv", "name")
    for path in sorted((data / "fimi").glob("*.dat")):
        found = fimi.read_path(path).value
        assert isinstance(found, BinaryTable)
        names = found.universe.names
        with path.open() as file:
            wanted = [set(line.split()) for line in file]
        assert names == tuple(sorted(set().union(*wanted), key=int))
        if len(wanted) < 4000:
            assert [set(found.universe.names_in(row)) for row in found.rows()] == wanted, path.name
        if path.name in known:
            row = known[path.name]
            sizes = len(found.objects), len(names), len(set(found.rows()))
            assert sizes == (int(row["objects"]), int(row["attributes"]), int(row["distinct_rows"])), path.name


def test_real_relations_are_read_as_the_standard_library_reads_them(data: Path) -> None:
    known = expected(data, "relations.tsv", "table")
    for path in sorted((data / "relations").glob("*.csv")):
        found = tabular.read_path(path, "relation").value
        assert isinstance(found, Relation)
        with path.open(newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        assert found.universe.names == tuple(names)
        assert found.codes.shape == (int(known[path.stem]["rows"]), int(known[path.stem]["columns"])), path.name
        assert text_rows(found) == rows, path.name


def test_real_tables_of_values_are_not_taken_for_crosses(data: Path) -> None:
    for name in ("adult", "iris", "letter", "hospital", "nursery", "plista_1k"):
        path = data / "relations" / f"{name}.csv"
        if path.exists():
            with pytest.raises(FormatError, match="--as relation") as caught:
                tabular.read_path(path)
            assert caught.value.line == 2


def test_real_incomplete_tables_keep_what_is_unknown(data: Path) -> None:
    path = data / "tables" / "pibase_spaces_deduced.csv"
    found = tabular.read_path(path).value
    assert isinstance(found, BinaryTable)
    with path.open(newline="") as file:
        _, *rows = csv.reader(file)
    assert [sum(1 << j for j, cell in enumerate(row[1:]) if cell == "1") for row in rows] == found.rows()
    assert [sum(1 << j for j, cell in enumerate(row[1:]) if cell == "?") for row in rows] == found.unknown_rows()
    assert found.objects == tuple(row[0] for row in rows)
    with pytest.raises(FormatError, match=r":68:1: this line has 176 cells, not 175"):
        tabular.read_path(data / "tables" / "catdat_categories_deduced.csv")


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes_is_no_trouble() -> None:
    line = b"x" * 100_000_000
    assert "not B" in str(refused(cxt.read, line))
    assert "is no item" in str(refused(fimi.read, line))
    assert "too little" in str(refused(tabular.read, line))
    assert "'xxx" in cxt.read(b"B\n" + line + b"\n1\n1\n\no\nm\nX\n", "f.cxt").notes[1]
    assert text_rows(tabular.read(b"a,b\n1," + line + b"\n", "f.csv", "relation").value)[0][0] == "1"
