"""The committed numbers of questions: some are counted again, promises hold, and the docs show what is committed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import _tasks, questions  # noqa: E402


@pytest.mark.parametrize("task", _tasks.shipped(), ids=lambda task: task.key)
def test_each_learner_asks_exactly_as_many_questions_as_committed(task: _tasks.Task) -> None:
    assert task.counted() == questions.committed("shipped.json")[task.key]


def test_nothing_is_committed_that_is_not_counted_and_nothing_is_left_out() -> None:
    assert set(questions.committed("shipped.json")) == {task.key for task in _tasks.shipped()}
    assert set(questions.committed("data.json")) == {task.key for task in _tasks.of_data()} | {_tasks.EXEC}
    assert set(questions.committed_sizes()) == set(_tasks.REAL)


@pytest.mark.parametrize("learner", ["frugal", "closures-only", "lrn through closures, spared"])
def test_real_theories_take_as_many_questions_as_committed(
    learner: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tasks, "DATA", data)
    for name in ("theories/catdat_functor", "gcc_isa/gcc_isa_unary"):
        assert _tasks.sizes.__wrapped__(name) == questions.committed_sizes()[name]
        some = [task for task in _tasks.of_data() if task.name == name and task.learner == learner]
        assert some
        for task in some:
            assert task.counted() == questions.committed("data.json")[task.key]


def test_every_promise_is_kept_by_what_is_committed(capsys: pytest.CaptureFixture[str]) -> None:
    assert questions.keeps_promises()
    printed = capsys.readouterr().out
    for name, size in questions.committed_sizes().items():
        assert f"{name} |" in printed or (size["k"] is None and f"exempt: {name}" in printed), name
    assert "NOT" not in printed


def test_a_promise_that_is_not_kept_is_found_out() -> None:
    size: questions.Sizes = {"n": 9, "m": 10, "k": 20, "k'": 20}
    key = "some | first | frugal"
    for line, right in (
        ("CQ 50 EQ 11", True),
        ("CQ 51 EQ 11", False),
        ("CQ 50 EQ 12", False),
        ("CQ > 20, stopped", False),
    ):
        assert [kept for *_, kept in questions.promised({key: line}, {"some": size})] == [right]
    key = "some | - | closures-only"
    for line, right in (("CQ 75", True), ("CQ 76", False)):
        assert [kept for *_, kept in questions.promised({key: line}, {"some": size})] == [right]
    assert not list(questions.promised({key: "CQ 76"}, {"some": size | {"k": None, "k'": None}}))


@pytest.mark.parametrize("table", questions.tables().split("\n\n"), ids=["shipped", "data", "closures"])
def test_the_docs_show_the_tables_that_are_committed(table: str) -> None:
    assert table in (ROOT / "docs" / "asking-little.md").read_text(encoding="utf-8")
