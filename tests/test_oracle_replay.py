"""A transcript as an oracle: the run it came from can be run again, and what follows from it is answered too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hornbook as hb
from hornbook.accounts import Budget
from hornbook.cli import status
from hornbook.conformance import check_oracle
from hornbook.errors import CannotAnswer
from hornbook.oracles.replay import replay
from hornbook.testing import random_theory

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
