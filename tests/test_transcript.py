"""Transcripts: what is on disk is enough, wherever the file was cut, and nothing in it is asked again."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbook import disk, facts, transcript
from hornbook.dialogue import Learner, run
from hornbook.errors import CannotAnswer, FormatError, Mismatch
from hornbook.layers import cached, counted, no_counts
from hornbook.learners import afp, clh, lrn
from hornbook.oracles.known import KnownTheory, at_random
from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
)
from hornbook.testing import random_theory
from hornbook.theory import Implication, Theory
from hornbook.transcript import Header, kept, open_transcript
from hornbook.universe import Universe

UNIVERSE = Universe.of(["a", "b c", 'say "d"', "é", "", "null"])
HEADER = Header(UNIVERSE, "test")
TARGET = random_theory(6, 7, premise=(2, 3), seed=4)

SETS = st.integers(0, 63)
IMPLICATIONS = st.builds(Implication, SETS, SETS)
FACTS = st.one_of(
    st.tuples(st.builds(Close, SETS), st.none() | SETS),
    st.tuples(st.builds(Contains, SETS), st.booleans()),
    st.tuples(st.builds(Correct, SETS), st.none() | SETS),
    st.tuples(st.builds(Entails, SETS, st.none() | st.integers(0, 5)), st.booleans()),
    st.tuples(st.builds(Holds, IMPLICATIONS), st.none() | SETS),
    st.tuples(st.builds(Unspecified, SETS, SETS), st.none() | st.booleans()),
    st.tuples(st.builds(lambda i: Equivalent(Theory(6, (i,))), IMPLICATIONS), st.none() | SETS),
    st.tuples(st.builds(lambda i: EntailmentEquivalent(Theory(6, (i,))), IMPLICATIONS), st.none() | IMPLICATIONS),
)


@given(FACTS)
def test_a_fact_survives_its_line(fact: tuple[Query, Any]) -> None:
    query, answer = fact
    line = facts.encode(query, answer, UNIVERSE)
    assert "\n" not in line
    assert facts.decode(line, UNIVERSE, 7) == facts.Fact(facts.key(query), answer, 7)


@given(FACTS, st.data())
def test_a_spoiled_line_is_a_format_error_with_its_number(fact: tuple[Query, Any], data: st.DataObject) -> None:
    said = json.loads(facts.encode(*fact, UNIVERSE))
    field = data.draw(st.sampled_from(sorted(said)))
    wrong = data.draw(st.sampled_from(["zz", ["zz"], [3], 7, {"a": 1}, [["a"]]]))
    if field == "digest" or (field == "implications") or (said["ask"] == "entailment" and wrong == "zz"):
        return
    with pytest.raises(FormatError) as error:
        facts.decode(json.dumps(said | {field: wrong}), UNIVERSE, 7, "run.jsonl")
    assert str(error.value).startswith("run.jsonl:7: ")


def learned(path: Path, learner: Learner[Theory], oracle: object) -> tuple[Theory, dict[str, int], int]:
    """What a run with this transcript learns, what reached the oracle, and how much was recalled."""
    counts, recalled = no_counts(), []
    with open_transcript(path, HEADER) as book:
        asking = kept(cached(learner), book, recall=recalled.append)
        return run(counted(asking, counts), oracle), counts, len(recalled)


@pytest.mark.parametrize("learner", [clh, afp, lrn])
def test_a_second_run_asks_nothing(tmp_path: Path, learner) -> None:
    path = tmp_path / "run.jsonl"
    first, asked, recalled = learned(path, learner(6), KnownTheory(TARGET))
    assert sum(asked.values()) > 5 and recalled == 0
    before = path.read_bytes()
    again, asked_again, recalled = learned(path, learner(6), object())
    assert again == first and not sum(asked_again.values()) and recalled == sum(asked.values())
    assert path.read_bytes() == before


def test_a_crash_at_any_byte_costs_no_whole_answer(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    expected, _, _ = learned(whole, clh(6), KnownTheory(TARGET))
    data = whole.read_bytes()
    lines = data.splitlines(keepends=True)
    ends = [sum(map(len, lines[: i + 1])) for i in range(len(lines))]
    path = tmp_path / "cut.jsonl"
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        result, asked, _ = learned(path, clh(6), KnownTheory(TARGET))
        # The end of the line is not part of the answer: without it the line is whole all the same.
        kept_lines = sum(end - 1 <= cut for end in ends[1:]) if cut else 0
        assert result == expected
        assert sum(asked.values()) == len(lines) - 1 - kept_lines, cut
        assert path.read_bytes() == data


def test_a_batch_is_kept_answer_by_answer(tmp_path: Path) -> None:
    def batch() -> Learner[list[int]]:
        return (yield CloseAll((1, 2, 1, 3)))

    path = tmp_path / "run.jsonl"
    with open_transcript(path, HEADER) as book:
        session_answers = run(kept(batch(), book), KnownTheory(TARGET))
    assert session_answers == [TARGET.closure(x) for x in (1, 2, 1, 3)]
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    path.write_bytes(b"".join(lines[:3]))
    asked: list[Query] = []

    class Listening(KnownTheory):
        def closures(self, sets):
            asked.extend(sets)
            return KnownTheory.closures(self, sets)

    with open_transcript(path, HEADER) as book:
        assert run(kept(batch(), book), Listening(TARGET)) == session_answers
    assert asked == [3]


def test_an_interrupted_run_has_everything_it_was_told_on_disk(tmp_path: Path) -> None:
    class Failing(KnownTheory):
        asked = 0

        def closure(self, attrs: int) -> int | None:
            Failing.asked += 1
            if Failing.asked == 4:
                raise KeyboardInterrupt
            return KnownTheory.closure(self, attrs)

    path = tmp_path / "run.jsonl"
    with pytest.raises(KeyboardInterrupt):
        learned(path, clh(6), Failing(TARGET))
    closures = [fact for fact in transcript.read(path)[1] if isinstance(fact.query, Close)]
    assert len(closures) == 3
    assert learned(path, clh(6), KnownTheory(TARGET))[0] == run(clh(6), KnownTheory(TARGET))


def test_a_retracted_answer_alone_is_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    learned(path, clh(6), KnownTheory(TARGET, at_random(1)))
    before = path.read_text().splitlines()
    taken = transcript.retract(path, 4)
    assert taken == before[3] and path.read_text().splitlines() == before[:3] + before[4:]
    _, asked, _ = learned(path, clh(6), KnownTheory(TARGET, at_random(1)))
    assert sum(asked.values()) == 1
    for line in (0, 1, len(before) + 1):
        with pytest.raises(FormatError, match="answers are in lines 2 to"):
            transcript.retract(path, line)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (Header(Universe.of(["a"]), "test"), "it has 'b c', too"),
        (Header(Universe.of([*UNIVERSE, "more"]), "test"), "it lacks 'more'"),
        (Header(Universe.of(reversed(UNIVERSE.names)), "test"), "in another order"),
        (Header(UNIVERSE, "somebody else"), "the answers of test, not of somebody else"),
    ],
)
def test_a_transcript_of_another_run_is_a_mismatch_that_says_what_differs(tmp_path: Path, other: Header, says) -> None:
    path = tmp_path / "run.jsonl"
    learned(path, clh(6), KnownTheory(TARGET))
    before = path.read_bytes()
    with pytest.raises(Mismatch, match=says):
        open_transcript(path, other)
    assert path.read_bytes() == before


def test_an_answer_is_taken_back_in_the_file_behind_a_link_whose_mode_stays(tmp_path: Path) -> None:
    path, link = tmp_path / "run.jsonl", tmp_path / "link.jsonl"
    learned(path, clh(6), KnownTheory(TARGET))
    path.chmod(0o600)
    link.symlink_to(path)
    before = path.read_text().splitlines()
    transcript.retract(link, 4)
    assert link.is_symlink() and path.read_text().splitlines() == before[:3] + before[4:]
    assert path.stat().st_mode & 0o777 == 0o600


def test_nobody_else_writes_while_an_answer_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.jsonl"
    learned(path, clh(6), KnownTheory(TARGET))
    replace, refused = Path.replace, []

    def replaced(beside: Path, file: Path) -> Path:
        with pytest.raises(CannotAnswer, match="being written"):
            open_transcript(path, HEADER)
        refused.append(file)
        return replace(beside, file)

    monkeypatch.setattr(Path, "replace", replaced)
    transcript.retract(path, 4)
    assert len(refused) == 1


def test_the_disk_has_an_answer_soon_whether_or_not_another_one_comes(tmp_path: Path, monkeypatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(disk, "SECONDS", 0.1)
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    path = tmp_path / "run.jsonl"
    with open_transcript(path, HEADER) as book:
        for attrs in range(8):
            book.add(Close(attrs), attrs)
        deadline = time.monotonic() + 10
        while not synced or synced[-1] < path.stat().st_size:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert len(synced) <= 2, "not each answer by itself"
        book.add(Close(8), 8)
    assert synced[-1] == path.stat().st_size


def test_a_split_vote_stays_with_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with open_transcript(path, HEADER) as book:
        book.add(Close(1), 3, (2, 1))
        book.add(Close(2), 2)
    assert [fact.votes for fact in transcript.read(path)[1]] == [(2, 1), ()]


def test_a_file_with_other_contents_is_another_oracle(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    open_transcript(path, Header(UNIVERSE, "x.imp", "one")).close()
    open_transcript(path, Header(UNIVERSE, "elsewhere/x.imp", "one")).close()
    with pytest.raises(Mismatch, match="when x.imp held something else"):
        open_transcript(path, Header(UNIVERSE, "x.imp", "two"))


def test_another_version_of_the_format_is_a_mismatch(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(HEADER.line().replace("transcript/1", "transcript/9") + "\n")
    with pytest.raises(Mismatch, match="transcript/9"):
        transcript.read(path)


def test_only_one_run_writes_a_transcript_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    with open_transcript(path, HEADER), pytest.raises(CannotAnswer, match="being written by another run"):
        open_transcript(path, HEADER)
    open_transcript(path, HEADER).close()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not json\n", "first line is no header"),
        ('{"attributes": ["a"]}\n', "first line is no header"),
        ('{"hornbook": "transcript/1", "oracle": "x", "attributes": ["a", "a"]}\n', "appears twice"),
        (HEADER.line() + '\n{"ask": "closure"}\n', "run.jsonl:2: is no line of a transcript"),
        (HEADER.line() + '\n{"ask": "closure", "set": "a", "answer": ["a"]}\n', "run.jsonl:2: is no line"),
        (
            HEADER.line() + '\n{"ask": "closure", "set": ["a"], "answer": ["zz"]}\n',
            "run.jsonl:2: unknown attribute 'zz'",
        ),
        (HEADER.line() + "\n\n", "run.jsonl:2"),
        ("", "is empty"),
    ],
)
def test_what_is_no_transcript_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    with pytest.raises(FormatError, match=says):
        transcript.read(path)
    if text:
        with pytest.raises(FormatError, match=says):
            open_transcript(path, HEADER)
        assert path.read_text() == text, "a file that is not understood is left alone"


@pytest.mark.parametrize("text", ["a -> b", "-> a", "é", '{"hornbook', HEADER.line()[:-1], HEADER.line()])
def test_a_line_without_an_end_is_a_torn_header_or_no_transcript(tmp_path: Path, text: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(text)
    if HEADER.line().startswith(text):
        open_transcript(path, HEADER).close()
        assert path.read_text() == HEADER.line() + "\n"
    else:
        with pytest.raises(FormatError, match="is no transcript"):
            open_transcript(path, HEADER)
        assert path.read_text() == text


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(HEADER.line().encode() + b"\n\xff\xfe\n")
    with pytest.raises(FormatError, match="run.jsonl:2: is not UTF-8"):
        transcript.read(path)
    with pytest.raises(FormatError, match="cannot be opened"):
        transcript.read(tmp_path / "missing")
    with pytest.raises(FormatError, match="cannot be written"):
        open_transcript(tmp_path / "no" / "such" / "folder", HEADER)
