"""The door of the formats: which reader a file finds, what is said where none fits, files whole or not there."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hornbook import formats
from hornbook.errors import FormatError
from hornbook.formats.files import silence
from hornbook.formats.values import NamedFormula, NamedTheory
from hornbook.theory import Theory
from hornbook.universe import Universe

TEA = NamedTheory(Universe(("tea", "cup", "hot water")), Theory.of(3, [(1, 6), (6, 2)]))
CNF = NamedFormula(Universe(("tea", "milk")), ((1, 2), (-1, -2)))


def stored(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: object, as_: str | None = None) -> str:
    with pytest.raises(FormatError) as caught:
        formats.read(path, as_=as_)  # type: ignore[arg-type]
    return str(caught.value)


def test_the_door_opens_without_loading_any_format() -> None:
    code = "import sys, hornbook.formats; print([m for m in sys.modules if m in ('numpy', 'json', 'duckdb', 'numba')])"
    code += "; print(sorted(m for m in sys.modules if m.startswith('hornbook.formats.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "['hornbook.formats.files']"]


@pytest.mark.parametrize("row", formats.FORMATS, ids=lambda row: row.name)
def test_every_format_has_what_the_table_says(row: formats.Format) -> None:
    module = importlib.import_module(f"hornbook.formats.{row.module}")
    assert module.__doc__
    assert row.reads or row.writes
    assert bool(row.reads) == bool(row.function("read") or row.function("read_path"))
    if row.writes:
        assert row.function("write") or row.function("write_path")
    assert set(row.reads) | set(row.writes) <= set(formats.KINDS)


def test_formats_have_names_of_their_own() -> None:
    assert len({row.name for row in formats.FORMATS}) == len(formats.FORMATS)
    for row in formats.FORMATS:
        assert formats.named(row.name) is row
    with pytest.raises(FormatError, match="no format 'xml'; there are imp, json"):
        formats.named("xml")


# Reading


@pytest.mark.parametrize(
    ("name", "content", "as_", "format_"),
    [
        ("a.imp", "a -> b", None, "imp"),
        ("a.IMP", "a -> b", "theory", "imp"),
        ("a.json", '{"attributes": ["a"], "implications": []}', None, "json"),
        ("a.json", '{"implications": []}', None, "conexp"),
        ("a.json", '{"attributes": ["a"], "rules": []}', None, "fcar-json"),
        ("a.json", "[[[0], [1]]]", None, "json"),
        (
            "a.json",
            '{"type": "FunctionalDependency", "determinant": {"columnIdentifiers": []}, '
            '"dependant": {"columnIdentifier": "a"}}\n',
            None,
            "metanome",
        ),
        ("run_fds", "# TABLES\nt\t1\n# COLUMN\n1.a\t1\n# RESULTS\n->1\n", None, "metanome"),
        ("a.txt", "a b -> c", None, "imp"),
        ("a.txt", "# attributes: a,b c\na,b -> c", None, "imp"),
        ("a.txt", "a, b => c", None, "text"),
        ("a.txt", "a,b -> c", None, "text"),
        ("a.txt", "a b c\na b -> c\n", None, "java-lattices"),
        ("a.txt", "[A B] -> C\n", None, "desbordante"),
        ("a.txt", "(('A', 'B'), 'C')\n", None, "desbordante"),
        ("a.txt", '(#{"a"} ⟶ #{"b"})', None, "conexp"),
        ("a.txt", "(impl a ==> b c)\n", None, "conexp"),
        ("a.txt", '#{(#{"a"} ⟶ #{"b"})}', "theory", "conexp"),
        ("a.txt", "c :- a, b.\n", None, "datalog"),
        ("a.txt", "c 1 a\np cnf 1 1\n1 0\n", None, "dimacs"),
        ("a.pl", "c :- a, b.\n", None, "datalog"),
        ("a.dimacs", "p cnf 1 1\n1 0\n", None, "dimacs"),
        ("a.cnf", "p cnf 1 1\n1 0\n", "theory", "dimacs"),
        ("a.uvl", "features\n\tA\n", None, "uvl"),
        ("model", "namespace X\nfeatures\n\tA\n", "formula", "uvl"),
        ("model", "p cnf 1 1\n1 0\n", "formula", "dimacs"),
        ("noending", "a -> b", "theory", "imp"),
        ("noending", "# attributes:", "theory", "imp"),
        ("noending", '{"attributes": [], "implications": []}', "theory", "json"),
        ("noending", "{a} -> {b}", "theory", "text"),
    ],
)
def test_a_file_finds_its_reader(tmp_path: Path, name: str, content: str, as_: str | None, format_: str) -> None:
    assert formats.read(stored(tmp_path, name, content), as_=as_).format == format_
    packed = stored(tmp_path, name + ".gz", gzip.compress(content.encode()))
    assert formats.read(str(packed), as_=as_).format == format_


@pytest.mark.parametrize(
    ("name", "content", "as_", "format_"),
    [
        ("a.cxt", "B\n\n1\n1\n\no\na\nX\n", None, "cxt"),
        ("a.csv", ",a\no,1\n", None, "csv"),
        ("a.csv", "x,y\n1,2\n", "relation", "csv"),
        ("a.tsv", "\ta\no\t1\n", None, "tsv"),
        ("a.dat", "0 1\n1\n", None, "dat"),
        ("a.txt", "B\n\n1\n1\n\no\na\nX\n", None, "cxt"),
        ("a.txt", "x,y\n1,0\n", "table", "csv"),
        ("a.txt", "0 1\n1\n", "table", "dat"),
        ("a.json", '{"objects": ["o"], "attributes": ["a"], "incidence": [["o", "a"]]}', None, "json-table"),
        ("a.json", '[{"x": 1, "y": 0}]', None, "json-rows"),
        ("a.json", '[{"x": 1, "y": 0}]', "relation", "json-rows"),
        ("a.jsonl", '{"x": 1, "y": 0}\n', None, "json-rows"),
    ],
)
def test_a_table_finds_its_reader(tmp_path: Path, name: str, content: str, as_: str | None, format_: str) -> None:
    reading = formats.read(stored(tmp_path, name, content), as_=as_)
    assert formats.kind_of(reading.value) == (as_ or "table")
    assert reading.format.split()[0] == format_


def test_what_cannot_be_read_is_named_with_the_way_out(tmp_path: Path) -> None:
    missing = refused(tmp_path / "nowhere.imp")
    assert missing == f"{tmp_path / 'nowhere.imp'}: cannot be opened: No such file or directory"
    assert "is a folder; name a file in it" in refused(tmp_path, "theory")
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder; name a file in it" in refused(tmp_path / "folder.csv")
    assert "the ending .xyz is not known" in refused(stored(tmp_path, "a.xyz", "a -> b"))
    assert "--as theory|table|formula|relation" in refused(stored(tmp_path, "a.xyz", "a -> b"))
    assert "it has no ending" in refused(stored(tmp_path, "plain", "a -> b"))
    assert "say theory, table, formula, relation" in refused(tmp_path / "a.xyz", "lattice")
    table = stored(tmp_path, "t.cxt", "B\n\n1\n1\n\no\na\nX\n")
    assert f"holds a table and cannot be read as a theory; `hornbook basis {table}`" in refused(table, "theory")
    assert "leave out --as table" in refused(stored(tmp_path, "a.imp", "a -> b"), "table")
    assert "say nothing" in refused(stored(tmp_path, "a.txt", "hello"))
    assert "say nothing" in refused(stored(tmp_path, "a.txt", "one, line; no table\n"))
    assert ".zst is not read here" in refused(stored(tmp_path, "a.cnf.zst", "p cnf 1 1"))
    assert "cannot be opened: embedded null byte" in refused(tmp_path / "a\0b.imp")
    assert refused(stored(tmp_path, "bad.imp", "a -> b\nc")).startswith(f"{tmp_path / 'bad.imp'}:2: no -> in 'c'")
    assert str(tmp_path / "two.json") in refused(
        stored(tmp_path, "two.json", '{"attributes": ["a", "a"], "implications": []}')
    )


@pytest.mark.parametrize(
    ("name", "content", "as_"),
    [
        ("a.cnf", "", None),
        ("a.cnf", "c nothing\nc 1 a\n", None),
        ("a.cnf", "", "theory"),
        ("a.imp", "", None),
        ("a.imp", "# a comment\n\n", None),
        ("a.pl", "% a comment\n", None),
        ("a.pl", "", None),
        ("a.txt", "", None),
        ("a.txt", "", "theory"),
        ("a.json", "[]", None),
        ("a.json", "{}", None),
        ("a.json", "[]", "table"),
        ("a.json", "{}", "table"),
        ("a.json", "[]", "relation"),
        ("a.json", "", None),
        ("a.csv", "", None),
        ("a.uvl", "", None),
        ("a.cxt", "", None),
    ],
)
def test_an_empty_file_is_no_empty_value(tmp_path: Path, name: str, content: str, as_: str | None) -> None:
    assert refused(stored(tmp_path, name, content), as_)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.imp", "# attributes:\n"),
        ("a.imp", "# attributes: a b\n"),
        ("a.pl", "% attributes:\n"),
        ("a.cnf", "p cnf 0 0\n"),
        ("a.json", '{"attributes": [], "implications": []}'),
        ("a.json", '{"implications": []}'),
    ],
)
def test_a_value_that_says_that_it_is_empty_is_read(tmp_path: Path, name: str, content: str) -> None:
    assert formats.read(stored(tmp_path, name, content)).value


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, "a.imp", "a -> b")
    path.chmod(0)
    assert "Permission denied" in refused(path)


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_packed_files_are_unpacked_or_refused(tmp_path: Path, ending: str, pack: object) -> None:
    path = tmp_path / f"tea.imp{ending}"
    formats.write(TEA, path)
    assert formats.read(path).value == TEA_READ
    first = path.read_bytes()
    formats.write(TEA, path)
    assert path.read_bytes() == first
    damaged = stored(tmp_path, f"bad.imp{ending}", first[: len(first) // 2])
    assert f"is not what its ending {ending} says" in refused(damaged)
    assert "is not what its ending" in refused(stored(tmp_path, f"plain.imp{ending}", "a -> b"))


def test_a_file_that_fills_the_memory_when_unpacked_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: bytes) -> bytes:
        raise MemoryError

    monkeypatch.setattr(gzip, "decompress", full)
    assert "do not fit into the memory" in refused(stored(tmp_path, "bomb.imp.gz", gzip.compress(b"a -> b")))


def test_a_bug_in_unpacking_is_not_called_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bz2, "decompress", None)
    with pytest.raises(TypeError):
        formats.read(stored(tmp_path, "tea.imp.bz2", b"anything"))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files")
def test_a_stream_that_is_silenced_leaves_no_file_open(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as stream:
        before = len(list(Path("/proc/self/fd").iterdir()))
        silence(stream)
        print("gone", file=stream, flush=True)
        assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert (tmp_path / "out").read_bytes() == b""


TEA_READ = NamedTheory(TEA.universe, Theory.of(3, [(1, 6), (6, 0)]))


def test_standard_input_is_a_theory_unless_said_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(content: str) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content.encode())))

    given("a b -> c")
    assert formats.read("-").format == "imp"
    given('{"attributes": ["a"], "implications": []}')
    assert formats.read("-").format == "json"
    given("p cnf 1 1\n1 0\n")
    assert formats.kind_of(formats.read("-", as_="formula").value) == "formula"
    given("B\n\n1\n1\n\no\na\nX\n")
    assert formats.kind_of(formats.read("-", as_="table").value) == "table"
    given("x,y\n1,2\n")
    assert formats.kind_of(formats.read("-", as_="relation").value) == "relation"
    given("a b")
    with pytest.raises(FormatError, match="^standard input:1: no ->"):
        formats.read("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_with_a_name_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "tea.imp"
    os.mkfifo(pipe)
    with subprocess.Popen(["/bin/sh", "-c", f"echo 'a -> b' > '{pipe}'"]):
        assert formats.read(pipe).format == "imp"


# Writing


@pytest.mark.parametrize(
    ("name", "to", "start"),
    [
        ("a.imp", None, "# attributes:"),
        ("a.json", None, '{\n  "attributes"'),
        ("a.json", "conexp", '{\n  "implications"'),
        ("a.out", "fcar", "tea -> cup,hot water"),
        ("a", "fcar-json", '{\n  "type": "ImplicationSet"'),
        ("a.dimacs", None, "c 1 tea"),
        ("a.cnf", None, "c 1 tea"),
        ("a.pl", None, "% attributes: tea"),
        ("a.tex", None, "% 2 implications"),
        ("a.txt", "latex", "% 2 implications"),
    ],
)
def test_a_theory_is_written_by_ending_or_by_name(tmp_path: Path, name: str, to: str | None, start: str) -> None:
    formats.write(TEA, tmp_path / name, to=to)
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith(start)
    assert text.endswith("\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]
    if to is not None:
        assert formats.dumps(TEA, to) == text


def test_what_a_format_does_not_keep_is_said(tmp_path: Path) -> None:
    assert formats.write(TEA, tmp_path / "a.imp") == []
    assert formats.write(TEA, tmp_path / "a.dimacs") == [
        "1 implication with several conclusions written as a clause for each",
        "1 implication with nothing to add left out",
    ]


def test_a_negative_clause_is_one_clause_and_nothing_is_lost(tmp_path: Path) -> None:
    named = NamedTheory(TEA.universe, Theory.of(3, [(1, 2), (3, 7)], top=False))
    assert formats.write(named, tmp_path / "a.dimacs") == []
    assert formats.write(named, tmp_path / "a.pl") == []


def test_a_formula_is_a_theory_only_where_it_is_horn(tmp_path: Path) -> None:
    horn = NamedFormula(CNF.universe, ((-1, 2), (-1, -2)))
    formats.write(horn, tmp_path / "a.imp")
    assert (tmp_path / "a.imp").read_text() == "# attributes: tea milk\ntea -> milk\ntea milk -> !\n"
    formats.write(CNF, tmp_path / "a.cnf")
    with pytest.raises(FormatError, match="^clause 1 is not Horn"):  # It is not b.imp that is wrong.
        formats.write(CNF, tmp_path / "b.imp")
    assert not (tmp_path / "b.imp").exists()


def test_what_cannot_be_written_is_named_with_the_way_out(tmp_path: Path) -> None:
    def refusal(value: object, name: str, to: str | None = None) -> str:
        with pytest.raises(FormatError) as caught:
            formats.write(value, tmp_path / name, to=to)  # type: ignore[arg-type]
        return str(caught.value)

    assert "no theory goes into a .cxt file" in refusal(TEA, "a.cxt")
    assert ".imp .json" in refusal(TEA, "a.cxt")
    assert "the ending says no format" in refusal(TEA, "a.xyz")
    assert "the ending says no format" in refusal(TEA, "a")
    assert "a theory cannot be written as cxt; it can as imp, json" in refusal(TEA, "a.cxt", "cxt")
    assert "a theory cannot be written as uvl" in refusal(TEA, "a.uvl", "uvl")
    assert "no format 'xml'" in refusal(TEA, "a.xml", "xml")
    assert "nothing that files hold" in refusal(3, "a.imp")
    assert "cannot be written: No such file" in refusal(TEA, "nowhere/a.imp")
    (tmp_path / "folder.imp").mkdir()
    assert "cannot be written" in refusal(TEA, "folder.imp")
    table = formats.read(stored(tmp_path, "t.csv", ",a\no,1\n")).value
    with pytest.raises(FormatError, match="parquet is not text; write it to a file"):
        formats.dumps(table, "parquet")


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, "a.imp", "old")
    with pytest.raises(FormatError):
        formats.write(CNF, path)

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(FormatError, match="No space left"):
        formats.write(TEA, path)
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.imp"]


@pytest.mark.skipif(os.name == "nt", reason="modes and links of Unix")
def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path = stored(tmp_path, "a.imp", "old")
    path.chmod(0o640)
    link = tmp_path / "link.imp"
    link.symlink_to(path)
    formats.write(TEA, link)
    assert link.is_symlink()
    assert path.read_text().startswith("# attributes")
    assert path.stat().st_mode & 0o777 == 0o640
    formats.write(TEA, "/dev/null", to="imp")
    assert Path("/dev/null").is_char_device()


def test_a_dash_is_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert formats.write(TEA, "-") == []
    assert capsysbinary.readouterr().out == formats.dumps(TEA, "imp").encode()
    formats.write(TEA, "-", to="json")
    assert json.loads(capsysbinary.readouterr().out)["attributes"] == list(TEA.universe)


@pytest.mark.parametrize(
    ("name", "content", "as_", "start"),
    [
        ("a.imp", "a -> b\n", None, b"# attributes: a b\n"),
        ("a.cnf", "c 1 a\np cnf 1 1\n1 0\n", None, b"c 1 a\np cnf 1 1\n"),
        ("a.csv", ",a\no,1\n", None, b"B\n"),
        ("a.csv", "a\n1\n", "relation", b"a\n1\n"),
    ],
)
def test_a_dash_takes_each_kind_in_the_format_of_its_own(tmp_path, name, content, as_, start, capsysbinary) -> None:
    formats.write(formats.read(stored(tmp_path, name, content), as_=as_).value, "-")
    assert capsysbinary.readouterr().out.startswith(start)
