"""Learners driven by hand, by run and by run_async; layers that count, cache and record."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from hornbook.dialogue import Learner, Session, run, run_async, through
from hornbook.errors import BadAnswer, BadQuestion, CannotAnswer
from hornbook.layers import cached, counted, no_counts, recorded
from hornbook.learners import clh
from hornbook.oracles.known import KnownTheory, at_random
from hornbook.queries import Close, CloseAll, Contains, Equivalent, Query
from hornbook.testing import random_theory
from hornbook.theory import Theory

TARGET = random_theory(7, 8, seed=5)


class Echo:
    """An oracle whose closures are the sets themselves; it remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def closure(self, attrs: int) -> int:
        self.asked.append(attrs)
        return attrs


def sums(*queries: Query) -> Learner[list[Any]]:
    answers = []
    for query in queries:
        answers.append((yield query))
    return answers


def silent() -> Learner[str]:
    """A learner that knows it all."""
    return "nothing to ask"
    yield


def test_a_session_waits_for_answers_and_ends_with_a_result() -> None:
    session = Session(clh(7))
    oracle = KnownTheory(TARGET)
    steps = 0
    while session.query is not None:
        with pytest.raises(BadQuestion, match="waits for the answer"):
            _ = session.result
        session.answer(session.query.ask(oracle))
        steps += 1
    assert session.result == run(clh(7), oracle) and steps > 5
    with pytest.raises(BadQuestion, match="has ended"):
        session.answer(0)


@pytest.mark.parametrize("drive", [run, lambda learner, oracle: asyncio.run(run_async(learner, oracle))])
def test_a_learner_that_asks_nothing_is_done_at_once(drive) -> None:
    assert drive(silent(), object()) == "nothing to ask"
    assert drive(counted(cached(through(silent(), {})), no_counts()), object()) == "nothing to ask"
    assert Session(silent()).result == "nothing to ask"


def test_a_session_whose_learner_raised_has_no_result() -> None:
    def failing() -> Learner[int]:
        yield Close(0)
        raise BadAnswer("no")

    session = Session(failing())
    with pytest.raises(BadAnswer):
        session.answer(0)
    with pytest.raises(BadQuestion, match="ended"):
        session.answer(0)
    with pytest.raises(BadQuestion, match="by an error"):
        _ = session.result


def test_an_oracle_that_raises_stop_iteration_does_not_end_the_learner() -> None:
    class Careless:
        def closure(self, attrs: int) -> int:
            return next(iter(()))

    with pytest.raises(StopIteration):
        run(sums(Close(1), Close(2)), Careless())


def test_counting_tells_kinds_and_counts_a_batch_by_its_sets() -> None:
    counts = no_counts()
    run(counted(sums(Close(1), Contains(2), CloseAll((1, 2, 3))), counts), KnownTheory(TARGET))
    assert counts == no_counts() | {"closure": 4, "membership": 1}
    assert list(no_counts()) == [
        "closure",
        "membership",
        "equivalence",
        "entailment",
        "entailment_equivalence",
        "implication",
    ]


def test_cached_asks_nothing_twice_and_cuts_batches_down_to_what_is_new() -> None:
    asked: list[Query] = []
    learner = sums(Close(1), Close(1), CloseAll((1, 2, 2, 3)), CloseAll((3, 2)), Close(3), Contains(1))
    answers = run(recorded(cached(learner), lambda query, _: asked.append(query)), KnownTheory(TARGET))
    assert asked == [Close(1), CloseAll((2, 3)), Contains(1)]
    close = TARGET.closure
    assert answers[:5] == [close(1), close(1), [close(x) for x in (1, 2, 2, 3)], [close(3), close(2)], close(3)]


def test_cached_tells_an_answer_of_none_from_no_answer() -> None:
    oracle = KnownTheory(Theory.of(2, [(1, 3)], top=False))
    counts = no_counts()
    assert run(counted(cached(sums(Close(1), Close(1))), counts), oracle) == [None, None]
    assert counts["closure"] == 1


def test_recorded_sees_an_answer_before_the_learner_does() -> None:
    order: list[object] = []

    def learner() -> Learner[None]:
        order.append(("used", (yield Close(1))))

    run(recorded(learner(), lambda query, answer: order.append(("recorded", answer))), KnownTheory(Theory(2)))
    assert order == [("recorded", 1), ("used", 1)]


def test_what_a_handler_asks_is_answered_by_the_handlers_around_it() -> None:
    def contains(query: Contains) -> Learner[bool]:
        return (yield Close(query.attrs)) == query.attrs

    def close(query: Close) -> Learner[int]:
        return (yield CloseAll((query.attrs,)))[0]

    learner = through(through(sums(Contains(1), Close(2)), {Contains: contains}), {Close: close})
    counts = no_counts()
    asked: list[Query] = []
    run(recorded(counted(learner, counts), lambda query, _: asked.append(query)), KnownTheory(TARGET))
    assert asked == [CloseAll((1,)), CloseAll((2,))]


@pytest.mark.parametrize("workers", [1, 3])
def test_run_async_gives_what_run_gives_in_the_same_order(workers: int) -> None:
    def transcript(drive) -> tuple[Theory, list[Any]]:
        seen: list[Any] = []
        learned = drive(recorded(clh(7), lambda *fact: seen.append(fact)), KnownTheory(TARGET, at_random(3)))
        return learned, seen

    expected = transcript(run)
    assert transcript(lambda learner, oracle: asyncio.run(run_async(learner, oracle, workers=workers))) == expected


def test_run_async_puts_a_batch_to_several_coroutines_and_keeps_its_order() -> None:
    class Slow:
        busy = most = 0

        async def closure(self, attrs: int) -> int:
            self.busy += 1
            self.most = max(self.most, self.busy)
            await asyncio.sleep(0.002 * (8 - attrs))
            self.busy -= 1
            return attrs

    oracle = Slow()
    answers = asyncio.run(run_async(sums(CloseAll(tuple(range(8)))), oracle, workers=3))
    assert answers == [list(range(8))] and oracle.most == 3


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("plain", [True, False])
def test_run_async_asks_no_more_of_a_batch_once_a_call_has_failed(workers: int, plain: bool) -> None:
    begun: list[int] = []

    class Failing:
        if plain:

            def closure(self, attrs: int) -> int:
                begun.append(attrs)
                time.sleep(0.05)
                raise ValueError(f"no closure of {attrs}")

        else:

            async def closure(self, attrs: int) -> int:
                begun.append(attrs)
                if attrs:
                    await asyncio.sleep(60)
                raise ValueError(f"no closure of {attrs}")

    async def failing() -> None:
        with pytest.raises(ValueError, match="no closure of"):
            await run_async(sums(CloseAll(tuple(range(20)))), Failing(), workers=workers)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await asyncio.sleep(0.1)

    asyncio.run(failing())
    assert len(begun) <= 2 * workers


@pytest.mark.parametrize("workers", [0, -1])
def test_run_async_wants_a_worker(workers: int) -> None:
    with pytest.raises(BadQuestion, match=f"{workers} workers"):
        asyncio.run(run_async(clh(7), KnownTheory(TARGET), workers=workers))


def test_run_async_asks_plain_methods_too() -> None:
    oracle = Echo()
    learner = sums(CloseAll((3, 1, 2)), Close(5))
    assert asyncio.run(run_async(learner, oracle, workers=2)) == [[3, 1, 2], 5]
    assert sorted(oracle.asked) == [1, 2, 3, 5]


def test_an_oracle_without_the_method_is_named_with_the_way_out() -> None:
    with pytest.raises(CannotAnswer, match=r"Echo has no counterexample\(\).*served"):
        run(sums(Equivalent(Theory(1))), Echo())
    with pytest.raises(CannotAnswer, match=r"Echo has no contains\(\)"):
        asyncio.run(run_async(sums(Contains(1)), Echo()))
