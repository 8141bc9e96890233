"""The command line: results on stdout, the rest on stderr, exit codes that mean something, and no traceback ever."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hornbook.cli import common, status

RULES = "# attributes: a b c d\na -> b\nb -> c\nc d -> !\n"


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "rules.imp"
    path.write_text(RULES)
    return str(path)


def test_basis_prints_what_basis_reads(rules: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert status(["basis", rules]) == 0
    printed = capsys.readouterr()
    assert printed.out == "# attributes: a b c d\na -> b c\nb -> c\nc d -> !\n"
    assert "3 implications over 4 attributes" in printed.err
    one = tmp_path / "one.imp"
    one.write_text("-> a\n")
    assert status(["basis", str(one)]) == 0
    assert "1 implication over 1 attribute\n" in capsys.readouterr().err
    again = tmp_path / "again.imp"
    again.write_text(printed.out)
    assert status(["basis", str(again)]) == 0
    assert capsys.readouterr().out == printed.out


def test_json_is_for_programs(rules: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    expected = {
        "attributes": ["a", "b", "c", "d"],
        "implications": [
            {"premise": ["a"], "conclusion": ["b", "c"]},
            {"premise": ["b"], "conclusion": ["c"]},
            {"premise": ["c", "d"], "conclusion": None},
        ],
    }
    assert status(["basis", rules, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == expected
    output = tmp_path / "out.json"
    assert status(["basis", rules, "-o", str(output)]) == 0
    assert capsys.readouterr().out == "" and json.loads(output.read_text()) == expected
    assert status(["basis", str(output)]) == 0
    assert capsys.readouterr().out.startswith("# attributes: a b c d\n")


@pytest.mark.parametrize(
    ("names", "code", "text", "answer"),
    [
        (["a"], 0, "a b c\n", {"closure": ["a", "b", "c"], "consistent": True}),
        ([], 0, "\n", {"closure": [], "consistent": True}),
        (["d", "b"], 1, "", {"closure": None, "consistent": False}),
    ],
)
def test_close_prints_the_closure(rules, capsys, names, code, text, answer) -> None:
    assert status(["close", rules, *names]) == code
    assert capsys.readouterr().out == text
    assert status(["close", rules, *names, "--format", "json"]) == code
    assert json.loads(capsys.readouterr().out) == answer


def test_why_derives_step_by_step(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["close", rules, "a", "--why"]) == 0
    assert capsys.readouterr().out == "a b c\n  a -> b  (implication 1)\n  b -> c  (implication 2)\n"
    assert status(["close", rules, "a", "--goal", "b"]) == 0
    assert capsys.readouterr().out == "a b c\n  a -> b  (implication 1)\n"
    assert status(["close", rules, "b", "--goal", "a"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "b c\n" and "a does not follow from b" in printed.err
    assert status(["close", rules, "b", "--goal", "a", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"closure": ["b", "c"], "consistent": True, "why": None}
    assert status(["close", rules, "a", "--why", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["why"] == [
        {"premise": ["a"], "added": ["b"], "implication": 1},
        {"premise": ["b"], "added": ["c"], "implication": 2},
    ]


def test_why_ends_a_contradiction_with_the_clause_that_is_violated(rules: str, capsys, tmp_path: Path) -> None:
    # With four attributes every one of them is derived; with five none may be, by a clause that says none.
    lines = "  a -> b  (implication 1)\n  b -> c  (implication 2)\n  c d -> !  (implication 3)\n"
    wide, one = tmp_path / "wide.imp", tmp_path / "one.imp"
    wide.write_text(RULES.replace("a b c d", "a b c d e"))
    one.write_text("# attributes: a\n-> !\n")
    for path in (rules, str(wide)):
        assert status(["close", path, "a", "d", "--why"]) == 1
        assert capsys.readouterr().out == lines
    assert status(["close", str(wide), "a", "d", "--goal", "e"]) == 1
    assert capsys.readouterr().out == lines
    assert status(["close", str(one), "--why"]) == 1
    assert capsys.readouterr().out == "  -> !  (implication 1)\n"
    assert status(["close", str(wide), "c", "d", "--why", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["why"] == [{"premise": ["c", "d"], "added": None, "implication": 3}]


def test_check_tells_equivalence_and_gives_a_witness(rules: str, capsys, tmp_path: Path) -> None:
    other = tmp_path / "other.imp"
    other.write_text("# attributes: d c b a\nc d -> !\nb -> c\na -> b c\n")
    assert status(["check", rules, str(other)]) == 0
    assert capsys.readouterr().out == "equivalent\n"
    other.write_text("# attributes: d c b a\nc d -> !\nb -> c\n")
    assert status(["check", rules, str(other)]) == 1
    said = capsys.readouterr().out
    assert said == f"not equivalent\na\nis a model of {other} and none of {rules}, which violates: a -> b\n"
    assert status(["check", str(other), rules, "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "equivalent": False,
        "witness": ["a"],
        "model_of": str(other),
        "not_of": rules,
        "violates": {"premise": ["a"], "conclusion": ["b"]},
    }


def test_check_names_the_clause_that_only_the_set_of_all_attributes_violates(capsys, tmp_path: Path) -> None:
    one, other = tmp_path / "one.imp", tmp_path / "other.imp"
    one.write_text("# attributes: a b c\nb -> c\na -> b\n")
    other.write_text("# attributes: a b c\nb -> c\na -> b\na c -> !\n")
    assert status(["check", str(one), str(other)]) == 1
    assert capsys.readouterr().out.endswith(f"is a model of {one} and none of {other}, which violates: a c -> !\n")
    assert status(["check", str(other), str(one), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["violates"] == {"premise": ["a", "c"], "conclusion": None}


def test_a_table_that_is_to_explain_itself_is_sent_to_basis(capsys, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,1\n0,1\n")
    assert status(["close", str(path), "a", "--why"]) == 2
    assert f"hornbook basis {path} -o rules.imp" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("x.imp", "# attributes: a b c d\n"),
        ("x.json", '{\n  "attributes"'),
        ("x.pl", "%"),
        ("x.tex", "%"),
        ("x.txt", "# attributes: a b c d\n"),
        ("x.foo", "# attributes: a b c d\n"),
        ("x", "# attributes: a b c d\n"),
        ("x.imp.gz", "# attributes: a b c d\n"),
        ("x.json.gz", '{\n  "attributes"'),
    ],
)
@pytest.mark.parametrize("verb", ["basis", "learn"])
def test_the_ending_of_the_output_says_its_format(rules, capsys, tmp_path: Path, verb, name, begins) -> None:
    output = tmp_path / name
    assert status([verb, rules, "-q", "-o", str(output)]) == 0
    data = output.read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
    assert text.startswith(begins if verb == "basis" else begins.replace('attributes"', 'format"')), text
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("verb", ["basis", "learn"])
def test_no_theory_is_written_under_the_name_of_a_table(rules: str, capsys, tmp_path: Path, verb: str) -> None:
    output = tmp_path / "x.cxt"
    assert status([verb, rules, "-o", str(output)]) == 2
    assert "no theory goes into a .cxt file; a theory is written to .imp .json" in capsys.readouterr().err
    assert not output.exists()
    assert status([verb, rules, "-o", str(output), "--format", "text"]) == 0
    assert output.read_text().startswith("# attributes:")


def test_quiet_verbs_say_nothing(rules: str, capsys, tmp_path: Path) -> None:
    assert status(["basis", rules, "-q"]) == status(["convert", rules, str(tmp_path / "x.pl"), "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_remarks_count_as_people_do_and_tell_what_is_lost(capsys, tmp_path: Path) -> None:
    path = tmp_path / "one.imp"
    path.write_text("-> a,b # why\n")
    assert status(["basis", str(path)]) == 0
    said = capsys.readouterr().err
    assert "1 implication over 1 attribute\n" in said and "1 comment left out" in said
    assert "taken as one name each, for blanks part names, not commas: 'a,b'" in said


def test_check_takes_attributes_that_one_file_does_not_know_as_free(rules: str, capsys, tmp_path: Path) -> None:
    other = tmp_path / "other.imp"
    other.write_text("a -> b\nb -> c\nc d -> !\ne -> e\n")
    assert status(["check", rules, str(other)]) == 0
    printed = capsys.readouterr()
    assert printed.out == "equivalent\n" and "does not know e" in printed.err
    other.write_text("a -> b\nb -> c\nc d -> !\ne -> a\n")
    assert status(["check", str(other), rules]) == 1
    assert "e\nis a model of" in capsys.readouterr().out


def test_convert_goes_there_and_back(rules: str, capsys, tmp_path: Path) -> None:
    there, back = tmp_path / "there.json", tmp_path / "back.imp"
    assert status(["convert", rules, str(there)]) == 0
    assert "4 attributes, 3 implications" in capsys.readouterr().err
    assert status(["convert", str(there), str(back)]) == 0
    assert back.read_text() == RULES
    assert status(["convert", rules, "-", "--to", "latex"]) == 0
    assert r"\Rightarrow" in capsys.readouterr().out


def test_a_table_has_a_basis(capsys, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x,a,b,c\none,1,1,0\ntwo,0,1,1\nthree,0,0,1\n")
    assert status(["basis", str(path)]) == 0
    assert capsys.readouterr().out == "# attributes: a b c\na -> b\n"


def test_a_relation_has_a_basis(capsys, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,city,zip\nAnn,Rome,1\nBob,Rome,1\nCid,Oslo,2\n")
    assert status(["basis", str(path), "--as", "relation"]) == 0
    assert capsys.readouterr().out == "# attributes: name city zip\nname -> city zip\ncity -> zip\nzip -> city\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["basis", "missing.imp"], "missing.imp: cannot be opened"),
        (["basis"], "Missing argument 'file'. See hornbook basis --help."),
        (["frobnicate"], "No such command 'frobnicate'"),
        (["close", "RULES", "z"], "unknown attribute 'z'"),
        (["basis", "RULES", "--as", "poem"], "poem"),
        (["basis", "RULES", "--as", "formula"], "RULES"),
        (["convert", "RULES", "x.cxt"], "x.cxt"),
        (["convert", "RULES", "-", "--to", "morse"], "there is no format 'morse'"),
        (["close", "python:no_such_module:f", "a"], "no module 'no_such_module'"),
        (["close", "exec:", "a"], "names no program"),
        (["close", "exec:'", "a"], "no command line"),
        (["basis", "RULES", "-o", "no/such/folder/x.imp"], "no/such/folder/x.imp"),
        (["check", "RULES"], "Missing argument"),
        (["check", "-", "-"], "standard input can be read once; name one file"),
        (["lern"], "Did you mean 'learn'? See hornbook --help."),
        (["verify", "."], "hornbook: .: this is a folder; name a file in it"),
        (["show", "."], "hornbook: .: this is a folder; name a file in it"),
        (["verify", "RULES"], "RULES:1:1: no JSON: Expecting value; verify takes what `hornbook learn SOURCE -o"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_named_in_a_line_with_exit_code_2(rules, capsys, arguments, says, monkeypatch, tmp_path) -> None:
    monkeypatch.chdir(tmp_path)
    said = [rules if argument == "RULES" else argument for argument in arguments]
    assert status(said) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.splitlines()[-1].startswith("hornbook: ")
    assert says.replace("RULES", rules) in printed.err and "Traceback" not in printed.err


def test_a_broken_file_is_located(capsys, tmp_path: Path) -> None:
    path = tmp_path / "broken.imp"
    path.write_text("a -> b\na b c\n")
    assert status(["basis", str(path)]) == 2
    assert f"{path}:2" in capsys.readouterr().err


def test_what_holds_no_theory_says_the_way_to_one(capsys, tmp_path: Path) -> None:
    def said(name: str, content: str, *options: str) -> str:
        path = tmp_path / name
        path.write_text(content)
        assert status(["check", str(path), str(path), *options]) == 2
        return capsys.readouterr().err.replace(str(path), "FILE")

    formula = said("a.cnf", "p cnf 2 1\n1 2 0\n")
    assert formula.startswith("hornbook: FILE: holds a formula and no theory; --as theory") and "learn FILE" in formula
    assert "FILE: holds a table and no theory; `hornbook basis FILE -o" in said("a.csv", ",a\no,1\n")
    assert "basis FILE --as relation" in said("a.csv", "a\n1\n", "--as", "relation")


def test_a_formula_that_is_no_theory_is_located_where_it_is_from(capsys, tmp_path: Path) -> None:
    source, target = tmp_path / "a.cnf", tmp_path / "b.imp"
    source.write_text("c 1 tea\nc 2 milk\np cnf 2 2\n-1 2 0\n1 2 0\n")
    assert status(["convert", str(source), str(target)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"hornbook: {source}:5: clause 2 is not Horn") and "hornbook learn" in said
    assert not target.exists()


@pytest.mark.parametrize("verb", ["basis", "close", "check", "convert", "learn", "verify", "retract", "show"])
def test_every_verb_has_help_with_an_example(verb: str, capsys) -> None:
    assert status([verb, "--help"]) == 0
    assert f"hornbook {verb}" in capsys.readouterr().out.replace("\n", " ")


def hornbook(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hornbook", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)


def test_help_fits_eighty_columns(tmp_path: Path) -> None:
    for verb in ([], ["learn"], ["close"]):
        printed = hornbook(*verb, "--help", env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
        assert printed.returncode == 0 and max(map(len, printed.stdout.splitlines())) <= 80


def test_help_names_every_verb_and_imports_nothing_to_draw_with() -> None:
    code = "import sys; from hornbook.cli import status; status(['--help']); print(*sorted(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    *help, modules = printed.splitlines()
    for verb in ("learn", "basis", "close", "check", "convert", "verify", "show", "retract", "paper"):
        assert sum(line.startswith(f"  {verb}  ") for line in help) == 1
    assert {"rich", "markdown_it", "pygments"}.isdisjoint(modules.split())


def test_an_interrupt_before_anything_has_begun_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parents[1] / "src")])
    done = hornbook("--help", env=os.environ | {"PYTHONPATH": paths})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_standard_input_and_output_are_dashes(rules: str) -> None:
    printed = hornbook("basis", "-", input=RULES)
    assert printed.stdout == "# attributes: a b c d\na -> b c\nb -> c\nc d -> !\n"
    printed = hornbook("convert", "-", "-", "--to", "json", input=RULES)
    assert len(json.loads(printed.stdout)["implications"]) == 3


def test_a_reader_that_goes_away_is_no_error(rules: str) -> None:
    command = f"{sys.executable} -m hornbook basis {rules} | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Error" not in done.stderr and "Traceback" not in done.stderr


def test_the_version_is_told() -> None:
    import hornbook as package

    assert hornbook("--version").stdout == f"hornbook {package.__version__}\n"


def test_a_file_of_attributes_has_a_name_in_every_line_that_is_not_blank(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_bytes("a b\r\n#c\n\n  d\u2028e\n".encode())
    assert common.attribute_list(str(names)) == ["a b", "#c", "d\u2028e"]
    assert common.attribute_list("a, b") == ["a", "b"] and common.attribute_list(None) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["learn", ""], "no source is named; it is a file, or python:"),
        (["learn", "pyton:box:closure"], "there is no file pyton:box:closure, and no such kind of source"),
        (["learn", "python:box:closure", "--attributes", "none.txt"], "none.txt: there is no such file"),
        (["learn", "python:box:closure", "--attributes", "a,,b"], "has an empty name"),
        (["basis", "empty.json"], "there is nothing in this file"),
        (["basis", "run.jsonl"], "is a transcript: `hornbook show run.jsonl`"),
        (["learn", "python:box:closure", "--learner", "clh"], "add --equivalence closures, which is exact, or sampled"),
        (["learn", "transcript:run.jsonl"], "finish its run first"),
        (["basis", "folder/t.csv", "--as", "theory"], "`hornbook basis folder/t.csv` gives its implications"),
    ],
)
def test_mistakes_are_told_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("box.py").write_text("ATTRIBUTES = ['a', 'b']\ndef closure(names):\n    return names\n")
    Path("empty.json").write_text("\n")
    Path("run.jsonl").write_text('{"hornbook": "transcript/1", "oracle": "x", "attributes": ["a"]}\n')
    Path("folder").mkdir()
    Path("folder/t.csv").write_text("a,b\n1,0\n")
    assert status(arguments) == 2
    err = capsys.readouterr().err
    assert says in err and "goes on from there" not in err


def test_without_a_verb_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert status([]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Usage: hornbook") and err.endswith("--help with an example.\n")
