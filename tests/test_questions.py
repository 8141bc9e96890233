"""The committed numbers of questions: those of what the project generates are counted again."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import questions  # noqa: E402


def numbers(line: str) -> dict[str, int]:
    return {kind: int(count) for kind, count in re.findall(r"(\w+) (\d+)", line)}


@pytest.mark.parametrize("task", questions.shipped(), ids=lambda task: task.key)
def test_each_learner_asks_exactly_as_many_questions_as_committed(task: questions.Task) -> None:
    assert questions.shown(task.counts()) == questions.committed("shipped.json")[task.key]


def test_nothing_is_committed_that_is_not_counted() -> None:
    assert set(questions.committed("shipped.json")) == {task.key for task in questions.shipped()}
    assert set(questions.committed("data.json")) <= {task.key for task in questions.of_data()}


def test_the_frugal_learner_keeps_its_promises_on_real_theories() -> None:
    kept = {key: numbers(line) for key, line in questions.committed("data.json").items()}
    limits = {
        "theories/pibase_definite | first | frugal": (420, 3_500),
        "theories/pibase_definite | smallest | frugal": (511, 1_600),
        "theories/debian_build_essential | largest | frugal": (124, 124),
        "theories/rmzoo_rca | first | frugal": (140, 5 * 139),
        "theories/catdat_category | largest | frugal": (369, 5 * 368),
    }
    for key, (equivalences, closures) in limits.items():
        assert kept[key]["EQ"] <= equivalences and kept[key]["CQ"] <= closures, key


def test_closures_alone_learn_the_flags_of_a_compiler_in_200_questions() -> None:
    counted = numbers(questions.committed("data.json")["gcc_isa/gcc_isa_unary | - | closures-only"])
    assert set(counted) == {"CQ"} and counted["CQ"] <= 200
