"""Runs that meet the world: killed, cut short, lied to, kept waiting, and resumed to the same result."""

from __future__ import annotations

import gzip
import importlib
import io
import json
import operator
import os
import pty
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hornbook import front, transcript, worth
from hornbook.accounts import Progress
from hornbook.bounds import ClosedSets
from hornbook.cli import endings, progress, status
from hornbook.errors import FormatError
from hornbook.knowledge import Knowledge
from hornbook.learners import afp
from hornbook.learners.gaps import Gaps
from hornbook.queries import Contains
from hornbook.testing import random_theory
from hornbook.universe import Universe

NAMES = [f"a{i}" for i in range(12)]
TARGET = random_theory(12, 14, premise=(1, 3), seed=3)

BOX = f"""
import os, time
from hornbook.theory import Theory
from hornbook.universe import Universe
ATTRIBUTES = {NAMES!r}
theory = Theory.of(12, {TARGET.rules!r})
universe = Universe.of(ATTRIBUTES)

def closure(names):
    with open("asked.log", "a") as log:
        log.write(" ".join(names) + chr(10))
    time.sleep(float(os.environ.get("WAIT", "0")))
    return universe.names_in(theory.closure(universe.attrs(names)))

def liar(names):
    return [*names, "a5"] if names == ["a3"] else closure(names)

def failing(names):
    if len(names) > 1:
        raise RuntimeError("out of order")
    return closure(names)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "box.py").write_text(BOX)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(*arguments: str, wait: float = 0.0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hornbook", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"WAIT": str(wait), "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def learned(*arguments: str, wait: float = 0.0) -> tuple[int, str, str]:
    process = start("learn", *arguments, wait=wait)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def asked() -> list[str]:
    log = Path("asked.log")
    return log.read_text().splitlines() if log.exists() else []


def without_time(path: str | Path) -> dict:
    result = json.loads(Path(path).read_text())
    return {key: value for key, value in result.items() if key not in ("seconds", "checksum")}


def test_a_run_from_end_to_end(folder: Path) -> None:
    code, out, err = learned("python:box:closure", "-o", "result.json")
    assert code == 0 and out == "" and "exact" in err and "Traceback" not in err
    result = json.loads(Path("result.json").read_text())
    assert result["status"] == "exact" and result["learner"] == "closures-only"
    assert result["queries"]["closure"] == len(asked()) == len(set(asked()))
    expected = [[r.premise, r.added] for r in TARGET.canonical()]
    place = {name: i for i, name in enumerate(NAMES)}
    bits = [[sum(1 << place[n] for n in i[side]) for side in ("premise", "conclusion")] for i in result["implications"]]
    assert bits == expected
    assert status(["verify", "result.json", "--source", "python:box:closure"]) == 0
    result["implications"].pop()
    Path("result.json").write_text(json.dumps(result))
    assert status(["verify", "result.json"]) == 1


def told(path: str = "run.jsonl") -> int:
    """How many answers are on disk."""
    try:
        return len(transcript.read(Path(path))[1])
    except FormatError:  # Not even the header.
        return 0


@pytest.mark.slow
def test_fifty_kills_at_random_moments_cost_at_most_the_question_in_flight(folder: Path) -> None:
    arguments = ["python:box:closure", "--transcript", "run.jsonl", "-o", "result.json", "--quiet"]
    assert learned("python:box:closure", "-o", "whole.json")[0] == 0
    questions = set(asked())
    chance, kills = random.Random(1), 0
    lost = known = 0
    Path("asked.log").unlink()
    while kills < 50:
        process = start("learn", *arguments, wait=0.02)
        try:
            process.wait(timeout=chance.uniform(0.2, 0.8))
            assert process.returncode == 0
            assert len(asked()) <= told() - known + lost
            # It got to its end: forget some of it, so that there is more to kill.
            lines = Path("run.jsonl").read_bytes()
            Path("run.jsonl").write_bytes(lines[: chance.randrange(len(lines))])
            Path("asked.log").unlink(missing_ok=True)
            known, lost = told(), 0
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills, lost = kills + 1, lost + 1
        process.communicate()
    code, _, err = learned(*arguments)
    assert code == 0, err
    assert without_time("result.json") == without_time("whole.json")
    assert set(asked()) <= questions and len(asked()) <= told() - known + lost


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_a_polite_end_writes_what_is_certain_and_says_how_to_go_on(folder: Path, number: int, code: int) -> None:
    process = start("learn", "python:box:closure", "--transcript", "run.jsonl", "-o", "part.json", wait=0.05)
    while len(asked()) < 8 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == code, err
    assert "go on with: hornbook learn python:box:closure --transcript run.jsonl" in err and "Traceback" not in err
    assert err.count("interrupted") == 1, "nobody is told twice"
    part = json.loads(Path("part.json").read_text())
    assert part["status"] == "incomplete" and part["reason"] == "interrupted"
    assert status(["verify", "part.json"]) == 0
    told = len(Path("run.jsonl").read_text().splitlines()) - 1
    assert told >= 7
    code, _, err = learned("python:box:closure", "--transcript", "run.jsonl", "-o", "whole.json")
    assert code == 0 and json.loads(Path("whole.json").read_text())["status"] == "exact"
    assert len(asked()) <= len(set(asked())) + 1, "at most the question in flight is asked again"


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        (["--max-queries", "9"], "budget of 9 queries"),
        (["--max-implications", "3"], "more than 3 implications"),
        (["--max-closed-sets", "3"], "there are more than 3 closed sets"),
        (["--timeout", "0.5"], "0.5 s"),
    ],
)
def test_a_budget_ends_with_exit_code_3_and_a_partial_result(folder: Path, budget: list[str], reason: str) -> None:
    wait = 0.03 if "--timeout" in budget else 0.0
    code, _, err = learned("python:box:closure", *budget, "-o", "part.json", "--transcript", "run.jsonl", wait=wait)
    assert code == 3 and reason in err and "go on with: hornbook learn" in err
    part = json.loads(Path("part.json").read_text())
    assert part["status"] == "incomplete" and reason in part["reason"]
    assert status(["verify", "part.json"]) == 0
    code, _, _ = learned("python:box:closure", "-o", "whole.json", "--transcript", "run.jsonl")
    assert code == 0 and len(asked()) == len(set(asked()))


@pytest.mark.parametrize(
    ("module", "code", "says"),
    [
        ("ATTRIBUTES = ['a']\ndef closure(names):\n    time.sleep(60)\n", 3, "the time of 0.3 s is over"),
        ("time.sleep(60)\n", 2, "the time was over before python:hangs:closure could be opened"),
    ],
)
def test_a_time_limit_ends_what_asks_nothing(folder: Path, module: str, code: int, says: str) -> None:
    (folder / "hangs.py").write_text(f"import time\n{module}")
    ended, _, err = learned("python:hangs:closure", "--timeout", "0.3", "-o", "part.json")
    assert ended == code and says in err and "Traceback" not in err


STUBBORN = """
import os, pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    time.sleep(float(os.environ["WAIT"]))
    print(line.strip(), flush=True)
pathlib.Path("closing").touch()
time.sleep(60)
"""


def test_an_alarm_while_the_source_closes_costs_no_result(folder: Path) -> None:
    (folder / "stubborn.py").write_text(STUBBORN)
    names = ",".join(f"a{i}" for i in range(40))
    source = f"command:{sys.executable} stubborn.py"
    code, _, err = learned(source, "--attributes", names, "--timeout", "1", "-o", "part.json", wait=0.1)
    assert code == 3 and "the time of 1 s is over" in err and "could be opened" not in err
    assert json.loads(Path("part.json").read_text())["status"] == "incomplete"


def test_an_interruption_while_the_source_closes_costs_no_result(folder: Path) -> None:
    (folder / "stubborn.py").write_text(STUBBORN)
    process = start("learn", f"command:{sys.executable} stubborn.py", "--attributes", "a,b,c", "-o", "whole.json")
    while not Path("closing").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 0 and "ending already" in err, err
    assert json.loads(Path("whole.json").read_text())["status"] == "exact"


@pytest.mark.parametrize(("seconds", "code"), [("inf", 0), ("1e20", 0), ("nan", 2)])
def test_time_limits_that_no_clock_knows(folder: Path, seconds: str, code: int) -> None:
    ended, _, err = learned("python:box:closure", "--timeout", seconds)
    assert ended == code and "Traceback" not in err


def test_what_an_oracle_prints_is_no_result(folder: Path, capsys) -> None:
    (folder / "chatty.py").write_text(
        "import box\nATTRIBUTES = box.ATTRIBUTES\nprint('hello')\n"
        "def closure(names):\n    print('I was asked')\n    return box.closure(names)\n"
    )
    for verb in (["learn"], ["verify", "result.json", "--source"], ["close"]):
        assert status([*verb, "python:chatty:closure", *(["-o", "result.json"] if verb == ["learn"] else [])]) == 0
        out, err = capsys.readouterr()
        assert "I was asked" in err and "I was asked" not in out and "hello" not in out


def test_a_limit_that_allows_no_answer_is_refused(folder: Path, capsys) -> None:
    assert status(["learn", "python:box:closure", "--repeat", "3", "--max-queries", "2"]) == 2
    assert "--repeat 3 takes 3 queries for an answer" in capsys.readouterr().err


def test_the_way_on_after_an_error_is_one_that_can_be_gone(folder: Path) -> None:
    _, _, err = learned("python:box:liar", "--transcript", "run.jsonl")
    assert "line " in err and "hornbook retract run.jsonl LINE" in err
    (folder / "odd.py").write_text("ATTRIBUTES = ['a', 'b']\ndef closure(names):\n    return [*names, 'zz']\n")
    _, _, err = learned("python:odd:closure", "--transcript", "odd.jsonl")
    assert "zz" in err and "retract" not in err and "all answers so far are in odd.jsonl" in err


def test_wavering_is_told_after_an_error_and_after_a_pause(folder: Path) -> None:
    (folder / "flaky.py").write_text(
        "import box, os\nATTRIBUTES = box.ATTRIBUTES\n"
        "asked = dict()\n"
        "def closure(names):\n"
        "    key = tuple(names)\n    asked[key] = asked.get(key, 0) + 1\n"
        "    if len(asked) > 5 and 'FAIL' in os.environ: raise RuntimeError('out of order')\n"
        "    if key == ('a1',) and asked[key] == 2: return list(ATTRIBUTES)\n"
        "    return box.closure(names)\n"
    )
    arguments = ["python:flaky:closure", "--repeat", "3", "--transcript", "run.jsonl", "-o", "flaky.json"]
    os.environ["FAIL"] = "1"
    try:
        code, _, err = learned(*arguments)
    finally:
        del os.environ["FAIL"]
    assert code == 2 and "out of order" in err and "wavered: line 4: " in err and "2 of 3 answers" in err
    code, _, err = learned(*arguments)
    assert code == 0 and "wavered: line 4: " in err
    assert len(json.loads(Path("flaky.json").read_text())["wavered"]) == 1


def test_a_liar_is_shown_its_two_lines_and_one_can_be_taken_back(folder: Path, capsys) -> None:
    arguments = ["learn", "python:box:liar", "--transcript", "run.jsonl", "--probe", "60", "-o", "result.json"]
    assert status(arguments) == 2
    err = capsys.readouterr().err
    assert "contradict each other" in err and "hornbook retract run.jsonl LINE" in err
    shown = [line for line in err.splitlines() if line.startswith("  line ")]
    assert len(shown) == 2
    numbers = [int(line.split()[1].rstrip(":")) for line in shown]
    texts = Path("run.jsonl").read_text().splitlines()
    assert all(texts[number - 1] in line for number, line in zip(numbers, shown, strict=True))
    lie = next(number for number in numbers if json.loads(texts[number - 1])["set"] == ["a3"])
    assert status(["retract", "run.jsonl", str(lie)]) == 0
    capsys.readouterr()
    # The box has been mended meanwhile.
    text = Path("run.jsonl").read_text().replace("box:liar", "box:closure")
    Path("run.jsonl").write_text(text)
    arguments[1] = "python:box:closure"
    assert status(arguments) == 0
    assert json.loads(Path("result.json").read_text())["probes"] == 60


def test_an_oracle_that_fails_keeps_its_answers(folder: Path) -> None:
    code, _, err = learned("python:box:failing", "--transcript", "run.jsonl")
    assert code == 2 and "out of order" in err and "Traceback" not in err
    assert "all answers so far are in run.jsonl" in err
    assert len(Path("run.jsonl").read_text().splitlines()) == 1 + 13


def test_a_run_that_never_began_promises_nothing(folder: Path) -> None:
    header = transcript.Header(Universe.of(NAMES), "python:box:closure")
    with transcript.open_transcript(Path("run.jsonl"), header):
        code, _, err = learned("python:box:closure", "--transcript", "run.jsonl")
    assert code == 2 and "being written by another run" in err and "all answers" not in err


def test_a_limit_on_what_is_known_is_to_be_raised(folder: Path) -> None:
    for option in ("--max-implications", "--max-closed-sets"):
        _, _, err = learned("python:box:closure", option, "3", "--transcript", "run.jsonl")
        assert f"raise or leave out {option}, and go on with: hornbook learn" in err
    _, _, err = learned("python:box:closure", "--max-queries", "3", "--transcript", "other.jsonl")
    assert "raise or leave" not in err


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_asked(folder: Path, capsys) -> None:
    (folder / "file").write_text("mine")
    for output in (folder / "no" / "such.json", folder / "file" / "x.json"):
        assert status(["learn", "python:box:closure", "-o", str(output)]) == 2
        err = capsys.readouterr().err
        assert str(output) in err and "folder" in err
    assert asked() == []
    assert status(["learn", "python:box:closure", "-o", "file", "-q", "--max-queries", "0"]) == 3
    assert (folder / "file").read_text() != "mine"


def test_a_result_that_cannot_be_written_at_the_end_is_printed(folder: Path, capsys) -> None:
    (folder / "gone").mkdir()
    (folder / "removing.py").write_text(
        "import box, os\nATTRIBUTES = box.ATTRIBUTES\n"
        "def closure(names):\n    if os.path.exists('gone'): os.rmdir('gone')\n    return box.closure(names)\n"
    )
    assert status(["learn", "python:removing:closure", "-o", "gone/x.json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == "exact"
    assert "gone/x.json" in err and "the result is on standard output instead" in err


def test_what_was_read_is_said_and_that_a_table_needs_no_queries(folder: Path, capsys) -> None:
    (folder / "t.csv").write_text("a,b\n1,1\n0,1\n")
    for verb in (["learn"], ["learn", "-q"], ["close"]):
        assert status([*verb, "t.csv"]) == 0
        err = capsys.readouterr().err
        assert ("t.csv: " in err and "2 attributes" in err) == (verb != ["learn", "-q"])
        assert ("`hornbook basis` finds the same without queries" in err) == (verb == ["learn"])


def test_a_program_is_asked_by_a_function_in_it(folder: Path, capsys) -> None:
    assert status(["learn", "box.py"]) == 2
    assert "python:box:FUNCTION" in capsys.readouterr().err


def test_what_a_result_does_not_prove_is_said(folder: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worth, "MOST_CLOSED", 1)
    (folder / "t.imp").write_text("# attributes: a b c\na -> b\n")
    assert status(["learn", "t.imp", "-o", "t.json"]) == 0
    assert "no proof: there are more than 1 char" in capsys.readouterr().err
    assert status(["verify", "t.json"]) == 1
    assert "NOT verified" in capsys.readouterr().out


def test_probes_that_were_not_all_asked_are_said_to_be_so(folder: Path, capsys) -> None:
    for most, says in ((1, "probed: 1 of 20 more questions;"), (90, "probed: 20 more questions;")):
        status(["learn", "python:box:closure", "--probe", "20", "--max-queries", str(most)])
        assert says in capsys.readouterr().err


def test_without_a_transcript_a_contradiction_suggests_one(folder: Path) -> None:
    _, _, err = learned("python:box:liar", "--probe", "60")
    assert "contradict each other" in err and "--transcript FILE" in err


def test_a_transcript_of_another_run_is_refused(folder: Path) -> None:
    assert learned("python:box:closure", "--transcript", "run.jsonl")[0] == 0
    code, _, err = learned("python:box:failing", "--transcript", "run.jsonl")
    assert code == 2 and "the answers of python:box:closure" in err
    code, _, err = learned("python:box:closure", "--transcript", "run.jsonl", "--attributes", "a0,a1")
    assert code == 2 and "another universe" in err


def test_a_repeated_flaky_oracle_is_outvoted_and_named(folder: Path) -> None:
    (folder / "flaky.py").write_text(
        "import box, itertools\nATTRIBUTES = box.ATTRIBUTES\nasked = itertools.count(1)\n"
        "def closure(names):\n"
        "    return list(ATTRIBUTES) if next(asked) % 8 == 0 else box.closure(names)\n"
    )
    code, _, err = learned("python:flaky:closure", "--repeat", "3", "-o", "flaky.json")
    assert code == 0 and "wavered: " in err
    assert learned("python:box:closure", "-o", "plain.json")[0] == 0
    flaky, plain = (json.loads(Path(f"{name}.json").read_text()) for name in ("flaky", "plain"))
    assert flaky["implications"] == plain["implications"] and flaky["repeat"] == 3 and flaky["wavered"]


def test_several_workers_change_nothing_but_the_time(folder: Path) -> None:
    (folder / "program.py").write_text(
        "import sys, box\nprint('# attributes:', *box.ATTRIBUTES, flush=True)\n"
        "for line in sys.stdin:\n    print(*box.closure(line.split()), flush=True)\n"
    )
    source = f"command:{sys.executable} program.py"
    for workers in ("1", "3"):
        arguments = ["--workers", workers, "--transcript", f"{workers}.jsonl", "-o", f"{workers}.json"]
        code, _, err = learned(source, *arguments)
        assert code == 0, err
    assert without_time("1.json") == without_time("3.json")
    assert Path("1.jsonl").read_bytes() == Path("3.jsonl").read_bytes()


def test_show_prints_a_transcript_for_a_reader(folder: Path, capsys) -> None:
    assert status(["learn", "python:box:closure", "--transcript", "run.jsonl", "-o", "x.json", "-q"]) == 0
    assert capsys.readouterr().err == ""
    assert status(["show", "run.jsonl"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("answers of python:box:closure over 12 attributes")
    assert lines[1].strip().startswith("2  closure: {}  =  ")


EVERY_KIND = """{"hornbook": "transcript/1", "oracle": "o", "attributes": ["a", "b"]}
{"ask": "closure", "set": ["a"], "answer": null}
{"ask": "membership", "set": [], "answer": true}
{"ask": "correction", "set": ["a"], "answer": []}
{"ask": "equivalence", "digest": "d", "implications": 1, "answer": ["a"]}
{"ask": "equivalence", "digest": "e", "answer": null}
{"ask": "entailment_equivalence", "digest": "d", "answer": {"premise": ["a"], "conclusion": ["b"]}}
{"ask": "entailment", "premise": ["a"], "attribute": null, "answer": false}
{"ask": "implication", "premise": ["a"], "conclusion": ["b"], "answer": ["a"]}
{"ask": "unspecified", "ones": ["a"], "zeros": ["b"], "answer": null}
"""


def test_show_has_a_line_for_every_kind_of_question(folder: Path, capsys, monkeypatch) -> None:
    Path("every.jsonl").write_text(EVERY_KIND)
    assert status(["show", "every.jsonl"]) == 0
    shown = capsys.readouterr().out
    assert [line.strip() for line in shown.splitlines()] == [
        "9 answers of o over 2 attributes",
        "2  closure: a  =  impossible",
        "3  membership: {}  =  yes",
        "4  correction: a  =  {}",
        "5  equivalence: 1 implication  =  no: a",
        "6  equivalence: a theory  =  yes",
        "7  entailment equivalence: a theory  =  no: a -> b",
        "8  entailment: a -> !  =  no",
        "9  implication: a -> b  =  no: a",
        "10  unspecified: a; not b  =  some",
    ]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(EVERY_KIND.encode())))
    assert status(["show", "-"]) == 0
    assert capsys.readouterr().out == shown


def test_verify_reads_standard_input_and_prints_json(folder: Path, capsys, monkeypatch) -> None:
    assert status(["learn", "python:box:closure", "-o", "x.json.gz", "-q"]) == 0
    text = gzip.decompress(Path("x.json.gz").read_bytes())
    for arguments in (["-"], ["x.json.gz"]):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert status(["verify", *arguments]) == 0
        assert capsys.readouterr().out.endswith("verified\n")
    result = json.loads(text)
    result["implications"].pop()
    Path("y.json").write_text(json.dumps(result))
    assert status(["verify", "y.json", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["verified"] is False and {"ok", "what"} == set(said["findings"][0]) and said["trusted"]


def test_verify_says_which_file_is_no_result_and_what_it_takes(folder: Path, capsys) -> None:
    Path("bin.json").write_bytes(b"{\n\0")
    Path("basis.json").write_text('{"attributes": [], "implications": []}')
    for name, says in (("bin.json", "bin.json:2:1: a NUL byte"), ("basis.json", "basis.json: is no result")):
        assert status(["verify", name]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"hornbook: {says}") and "`hornbook learn SOURCE -o FILE.json`" in said


@pytest.mark.parametrize("learner", ["clh", "frugal", "afp", "horn", "horn1", "lrn", "explore", "closures-only"])
@pytest.mark.parametrize("policy", ["first", "random", "smallest", "largest", "adversarial"])
def test_every_learner_and_policy_can_be_named(tmp_path: Path, capsys, learner: str, policy: str) -> None:
    path = tmp_path / "rules.imp"
    path.write_text("# attributes: a b c d\na -> b\nb -> c\nc d -> !\n")
    assert status(["learn", str(path), "--learner", learner, "--counterexamples", policy, "--seed", "5"]) == 0
    assert capsys.readouterr().out == "# attributes: a b c d\na -> b c\nb -> c\nc d -> !\n"


def test_equivalence_can_be_sampled_or_by_closures(folder: Path) -> None:
    arguments = ["python:box:closure", "--equivalence", "sampled", "--epsilon", "0.02", "--delta", "0.1", "--seed", "3"]
    code, _, err = learned(*arguments, "-o", "pac.json")
    result = json.loads(Path("pac.json").read_text())
    assert code == 0 and "probably approximately correct" in err
    assert (result["epsilon"], result["delta"], result["learner"]) == (0.02, 0.1, "frugal")
    code, _, _ = learned("python:box:closure", "--equivalence", "closures", "--learner", "clh", "-o", "exact.json")
    assert code == 0 and json.loads(Path("exact.json").read_text())["status"] == "exact"
    code, _, err = learned("python:box:closure", "--equivalence", "exact")
    assert code == 2 and "no way to answer Equivalent" in err
    code, _, err = learned("python:box:closure", "--equivalence", "sampled", "--epsilon", "3")
    assert code == 2 and "--epsilon 3" in err


@pytest.mark.parametrize(
    ("name", "text", "option", "expected"),
    [
        ("t.cxt", "B\n\n2\n2\n\nx\ny\na\nb\nXX\n.X\n", [], "# attributes: a b\n-> b\n"),
        ("t.csv", "a,b\n1,1\n0,1\n", [], "# attributes: a b\n-> b\n"),
        ("f.cnf", "c 1 a\nc 2 b\nc 3 c\np cnf 3 2\n-1 2 3 0\n-3 2 0\n", [], "# attributes: a b c\na -> b\nc -> b\n"),
        ("r.csv", "n,c\nA,1\nB,1\n", ["--as", "relation"], "# attributes: n c\n-> c\n"),
    ],
)
def test_tables_formulas_and_relations_are_learned(tmp_path, capsys, name, text, option, expected) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert status(["learn", str(path), *option]) == 0
    assert capsys.readouterr().out == expected


# Terminals.


def on_a_terminal(*arguments: str) -> tuple[int, str, str]:
    """As `learned`, stderr being a terminal: what it showed comes last."""
    ours, theirs = pty.openpty()
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "COLUMNS": "200"}
    with Path("out.txt").open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "hornbook", *arguments], stdout=out, stderr=theirs, env=env)
    os.close(theirs)
    said = b""
    with suppress(OSError):  # The end of a terminal on Linux.
        while some := os.read(ours, 65536):
            said += some
    os.close(ours)
    return process.wait(timeout=60), Path("out.txt").read_text(), said.decode()


def test_the_result_goes_to_stdout_after_progress_was_shown(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\nATTRIBUTES = ['a', 'b', 'c']\n"
        "def closure(names):\n    time.sleep(0.2)\n    print('I was asked')\n"
        "    return [*names, 'b'] if 'a' in names else names\n"
    )
    code, out, err = on_a_terminal("learn", "python:slow:closure")
    assert (code, out) == (0, "# attributes: a b c\na -> b\n")
    assert "closure; 0 implications" in err and "exact: 1 implication" in err and "I was asked" in err


def test_a_run_that_waits_for_one_answer_is_seen_to_wait(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\nATTRIBUTES = ['a']\ndef closure(names):\n    time.sleep(3)\n    return names\n"
    )
    code, _, err = on_a_terminal("learn", "python:slow:closure")
    assert code == 0 and "nothing asked" in err and "waiting 2 s" in err


def test_a_run_that_asks_nobody_does_not_wait(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\nfrom hornbook.knowledge import Knowledge\nfrom hornbook.worth import Evidence\n"
        "ATTRIBUTES = ['a']\n"
        "def slowly(function):\n"
        "    def slow(*arguments):\n        time.sleep(2.3)\n        return function(*arguments)\n    return slow\n"
        "Evidence.worth = slowly(Evidence.worth)\nKnowledge.learn = slowly(Knowledge.learn)\n"
        "def closure(names):\n    return names\n"
    )
    code, _, err = on_a_terminal("learn", "python:slow:closure")
    assert code == 0 and "closed sets" in err and "; proving" in err and "waiting" not in err


def test_a_source_that_takes_its_time_is_seen_to_close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "stubborn.py").write_text(STUBBORN)
    monkeypatch.setenv("WAIT", "0.1")
    code, _, err = on_a_terminal("learn", f"command:{sys.executable} stubborn.py", "--attributes", "a,b,c")
    assert code == 0 and "; closing the source" in err


def test_a_terminal_that_is_gone_costs_no_result(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import time\nATTRIBUTES = ['a', 'b', 'c']\ndef closure(names):\n    time.sleep(0.4)\n    return names\n"
    )
    ours, theirs = pty.openpty()
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
    arguments = [sys.executable, "-m", "hornbook", "learn", "python:slow:closure", "-o", "whole.json"]
    process = subprocess.Popen(arguments, stderr=theirs, env=env)
    os.close(theirs)
    assert os.read(ours, 1)
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert json.loads(Path("whole.json").read_text())["status"] == "exact"


def test_progress_counts_the_implications_of_the_hypothesis() -> None:
    seen: list[Progress] = []
    learned = front.learn(TARGET, NAMES, learner=afp, report=seen.append)
    assert seen[-1].implications == len(learned.theory) == max(progress.implications for progress in seen)


def test_progress_is_reported_now_and_then_and_stays_what_it_was() -> None:
    seen: list[Progress] = []
    learned = front.learn(TARGET, NAMES, report=seen.append)
    assert 2 <= len(seen) <= 2 + learned.seconds / front.REPORTED_EVERY
    assert sum(seen[0].queries.values()) == 0 and seen[-1].queries == learned.queries


def test_a_line_now_and_then_where_there_is_no_terminal(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_PLAIN", 0.01)
    monkeypatch.setattr(progress, "PLAIN_EVERY", 0.01)
    with progress.shown(quiet=False) as report:
        assert report is not None
        time.sleep(0.1)
        report(Progress(3, {"closure": 2}, 2, 10, 0, 1, 1, None))
        time.sleep(0.1)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "opening the source" and lines[-1].startswith("2 closure; 1 implication, 1 closed set")


# Interruptions.


MOMENTS = [
    "numpy",
    "numpy.ma",
    "llvmlite.binding",
    "numba.core",
    "numba.cpython.unicode",
    "hornbook.kernels.closure",
    "",
]
"""What is imported when the signal comes, the third last while a kernel is compiled. Nothing is: when all is loaded."""


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interruption_never_leaves_half_a_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    (folder / "loads.py").write_text(
        "import atexit, os, signal, sys, time\nATTRIBUTES = ['a', 'b', 'c']\nsent = []\n"
        "def interrupt():\n    sent.append(os.kill(os.getpid(), signal.SIGINT))\n"
        "def heard(event, arguments):\n"
        "    if event == 'import' and arguments[0] == os.environ['MOMENT'] and not sent: interrupt()\n"
        "def load():\n    import hornbook.kernels.front\n"
        "    print('whole:', hornbook.kernels.front.close_all(2, [(1, 3)], [1]))\n"
        "def closure(names):\n"
        "    if names:\n"
        "        atexit.register(load)\n        sys.addaudithook(heard)\n        load()\n"
        "        if not sent: interrupt()\n        time.sleep(20)\n"
        "    return names\n"
    )
    monkeypatch.setenv("MOMENT", moment)
    code, out, err = learned("python:loads:closure", "-o", "part.json")
    assert code == 130 and "Traceback" not in err, err
    assert "whole: [3]" in out, "what was imported is there at the end"
    assert json.loads(Path("part.json").read_text())["reason"] == "interrupted"


def test_an_interruption_ends_a_hard_search_for_gaps() -> None:
    gaps = Gaps(110)
    for pigeon in range(11):
        gaps._solver.add_clause([10 * pigeon + hole + 1 for hole in range(10)])
        for other in range(pigeon):
            for hole in range(10):
                gaps._solver.add_clause([-(10 * pigeon + hole + 1), -(10 * other + hole + 1)])
    with subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -INT {os.getpid()}"]), pytest.raises(KeyboardInterrupt):
        gaps.find(0, ClosedSets(110))
    gaps.close()


def test_only_a_third_interruption_costs_the_result(folder: Path) -> None:
    (folder / "slow.py").write_text(
        "import signal, os, time\nfrom hornbook.theory import Theory\nATTRIBUTES = ['a', 'b', 'c']\n"
        "canonical = Theory.canonical\n"
        "def slowly(theory):\n"
        "    for _ in range(int(os.environ['TIMES']) - 1):\n        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return canonical(theory)\n"
        "Theory.canonical = slowly\n"
        "def closure(names):\n"
        "    if names: os.kill(os.getpid(), signal.SIGINT)\n    return names\n"
    )
    for times in (1, 2, 3):
        os.environ["TIMES"] = str(times)
        try:
            code, out, err = learned("python:slow:closure")
        finally:
            del os.environ["TIMES"]
        assert code == 130 and "Traceback" not in err
        assert ("incomplete" in err) == (times < 3) == bool(out)
        assert ("once more to end without a result" in err) == (times > 1)


def test_an_interruption_is_held_back_for_so_long_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    half = iter([True, True, False])
    monkeypatch.setattr(endings, "half_made", lambda frame: next(half, True))
    for patience in (60.0, 0.0):
        monkeypatch.setattr(endings, "PATIENCE", patience)
        with endings.polite(), pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(20)
    assert list(half) == []


def test_what_is_held_back_ends_with_the_block_and_hides_no_other_signal(capsys, monkeypatch) -> None:
    monkeypatch.setattr(endings, "half_made", lambda frame: True)
    for _ in range(5):
        with endings.polite():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(3 * endings.AGAIN)
            os.kill(os.getpid(), signal.SIGINT)
    assert capsys.readouterr().err.count("ending already") == 5
    time.sleep(3 * endings.AGAIN)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_answer_is_taken_in_whole_and_a_question_can_be_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    whole: list[bool] = []

    def lower(knowledge: Knowledge, attrs: int) -> int:
        whole.append(endings.half_made(sys._getframe()))
        return attrs

    monkeypatch.setattr(Knowledge, "lower", lower)
    Knowledge(3).closure(1)
    assert whole and not any(whole)
    whole.clear()
    Knowledge(3).learn(Contains(1), False)
    assert whole and all(whole)
    for module, name in endings.DONE_WHOLE:
        assert callable(operator.attrgetter(name)(importlib.import_module(module)))
