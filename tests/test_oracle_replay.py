"""A transcript as an oracle: the run it came from can be run again, and what follows from it is answered too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hornbook as hb
from hornbook.accounts import Budget
from hornbook.cli import status
from hornbook.conformance import check_oracle
from hornbook.errors import BadAnswer, CannotAnswer, FormatError
from hornbook.oracles.replay import replay
from hornbook.queries import Close
from hornbook.testing import random_theory
from hornbook.transcript import Header, open_transcript
from hornbook.universe import Universe

TARGET = random_theory(6, 7, premise=(1, 3), seed=4)
NAMES = list("abcdef")


@pytest.mark.parametrize("learner", [hb.clh, hb.frugal, hb.closures_only, hb.afp, hb.lrn, hb.explore])
def test_every_run_can_be_replayed_from_its_transcript(tmp_path: Path, learner) -> None:
    path = tmp_path / "run.jsonl"
    learned = hb.learn(TARGET, attributes=NAMES, learner=learner, transcript=path)
    again = hb.learn(f"transcript:{path}", learner=learner)
    assert again.theory == learned.theory and again.exact
    assert again.queries == learned.queries


def test_a_whole_run_from_closures_alone_answers_every_closure(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    hb.learn(TARGET, attributes=NAMES, learner=hb.closures_only, transcript=path)
    oracle = replay(path)
    assert [oracle.closure(attrs) for attrs in range(64)] == [TARGET.closure(attrs) for attrs in range(64)]
    check_oracle(oracle, 6, TARGET)


def test_what_it_was_not_told_it_does_not_make_up(tmp_path: Path, capsys) -> None:
    path = tmp_path / "run.jsonl"
    hb.learn(TARGET, attributes=NAMES, learner=hb.closures_only, transcript=path, budget=Budget(queries=3))
    oracle = replay(path)
    known = 0
    for attrs in range(64):
        try:
            assert oracle.closure(attrs) == TARGET.closure(attrs)
            known += 1
        except CannotAnswer as error:
            assert '{"ask": "closure", "set": [' in str(error) and "none follows" in str(error)
    assert 3 <= known < 64
    assert status(["learn", f"transcript:{path}"]) == 2
    assert "the transcript has no answer to" in capsys.readouterr().err


def test_a_replay_is_a_source_for_close_and_verify(tmp_path: Path, capsys) -> None:
    path, result = tmp_path / "run.jsonl", tmp_path / "result.json"
    learned = hb.learn(TARGET, attributes=NAMES, learner=hb.closures_only, transcript=path)
    result.write_text(json.dumps(learned.as_json()))
    assert status(["verify", str(result), "--source", f"transcript:{path}"]) == 0
    assert status(["close", f"transcript:{path}", "a"]) == 0
    assert capsys.readouterr().out.endswith(" ".join(learned.closure(["a"]) or []) + "\n")


def test_a_transcript_that_contradicts_itself_is_refused_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with open_transcript(path, Header(Universe.of(list("abc")), "box")) as book:
        book.add(Close(1), 3)
        book.add(Close(4), 4)
        book.add(Close(3), 7)
    with pytest.raises(BadAnswer) as found:
        replay(path)
    assert "line 2: " in str(found.value) and "line 4: " in str(found.value) and "line 3" not in str(found.value)
    assert "retract" in found.value.__notes__[0]


@pytest.mark.parametrize("line", ['{"ask": "closure", "set": [], "answer": [], "votes": [1e999]}'])
def test_a_line_that_means_nothing_is_refused_with_its_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(Header(Universe.of(list("abc")), "box").line() + "\n" + line + "\n")
    with pytest.raises(FormatError) as found:
        replay(path)
    assert found.value.line == 2


def test_a_header_that_names_an_attribute_twice_is_refused_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"hornbook": "transcript/1", "oracle": "x", "attributes": ["a", "a"]}\n')
    with pytest.raises(FormatError, match="appears twice") as found:
        replay(path)
    assert found.value.file == str(path) and found.value.line == 1


def test_the_example_asks_the_expert_once_and_says_what_it_was_not_told() -> None:
    example = Path(__file__).parents[1] / "examples" / "oracles" / "replayed.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True, timeout=60)
    *lines, last = done.stdout.splitlines()
    assert lines == [
        "the expert was asked 13 times",
        "closures_only: exact, the same theory",
        "explore: exact, the same theory",
        "clh: exact, the same theory",
        "and is still at 13",
        "rain -> rain wet",
        "rain wet -> rain wet",
    ]
    assert last.startswith("sun cold -> ? the transcript has no answer to")
