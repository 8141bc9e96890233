"""How learners and oracles meet, with no I/O of its own.

A learner is a plain generator: it yields queries, is sent the answers, and returns what it learned. `through` answers
some kinds of query by reductions; `run`, `run_async` and `Session` drive a learner to its end.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from hornbook.errors import BadQuestion, CannotAnswer
from hornbook.queries import Close, CloseAll, Query

T = TypeVar("T")

Learner: TypeAlias = Generator[Query, Any, T]
Handlers: TypeAlias = Mapping[type[Query], Callable[[Any], "Learner[Any]"]]


def through(learner: Learner[T], handlers: Handlers) -> Learner[T]:
    """The learner, its queries of these kinds answered by asking the handlers' queries instead. The others pass.

    What a handler asks passes too: interpret it by another `through` around this one.
    """
    try:
        query = next(learner)
        while True:
            handler = handlers.get(type(query))
            answer = (yield query) if handler is None else (yield from handler(query))
            query = learner.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


def asking(learner: Learner[T], answered: Callable[[Query], Learner[Any]]) -> Learner[T]:
    """The learner, each of its queries answered by `answered`, which may ask it, or others, or none."""
    try:
        query = next(learner)
        while True:
            query = learner.send((yield from answered(query)))
    except StopIteration as end:
        result: T = end.value
        return result


def run(learner: Learner[T], oracle: object) -> T:
    """What the learner returns when the oracle answers all its queries; a batch one by one if it must."""
    known: set[type[Query]] = set()
    try:
        query = next(learner)
    except StopIteration as end:
        result: T = end.value
        return result
    while True:
        if type(query) in known:
            answer = query.ask(oracle)
        elif isinstance(query, CloseAll) and not hasattr(oracle, CloseAll.method):
            close = _method(query, oracle, Close.method)
            answer = [close(attrs) for attrs in query.sets]  # Not by map, which a StopIteration would end.
        else:
            _require(query, oracle)
            known.add(type(query))
            answer = query.ask(oracle)
        try:  # Around send alone: a StopIteration that escapes an oracle is no end of the learner.
            query = learner.send(answer)
        except StopIteration as end:
            result = end.value
            return result


async def run_async(learner: Learner[T], oracle: object, *, workers: int = 1) -> T:
    """As `run`; the oracle's methods may be coroutines, and a batch is put to at most `workers` of them at once.

    Plain methods run in threads where there are several workers. The answers reach the learner in the order of its
    questions, so the result and the transcript are those of `run`. A call that fails ends the others of its batch; one
    that runs in a thread comes to its end unheard.
    """
    if workers < 1:
        raise BadQuestion(f"{workers} workers answer nothing; one is the least")
    session = Session(learner)
    while session.query is not None:
        query = session.query
        if isinstance(query, CloseAll) and not hasattr(oracle, CloseAll.method):
            answer: Any = await _each(_method(query, oracle, Close.method), query.sets, workers)
        else:
            _require(query, oracle)
            answer = await _call(query.ask, oracle, workers)
        session.answer(answer)
    return session.result


async def _each(function: Callable[[Any], Any], arguments: Sequence[object], workers: int) -> list[Any]:
    """The answers, in order. After the first failure, which is raised, no more calls are made."""
    import asyncio  # Costs a tenth of what `import hornbook` may.

    answers: list[Any] = [None] * len(arguments)
    waiting = iter(enumerate(arguments))

    async def work() -> None:
        for index, argument in waiting:
            answers[index] = await _call(function, argument, workers)

    tasks = [asyncio.ensure_future(work()) for _ in range(min(workers, len(arguments)))]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return answers


async def _call(function: Callable[[Any], Any], argument: object, workers: int) -> Any:
    from asyncio import to_thread

    if workers > 1 and not inspect.iscoroutinefunction(function):
        answer = await to_thread(function, argument)
    else:
        answer = function(argument)
    return await answer if inspect.isawaitable(answer) else answer


class Session(Generic[T]):
    """A learner at rest: `query` is what it wants to know, until it is None and `result` is there."""

    __slots__ = ("_learner", "_result", "query")

    def __init__(self, learner: Learner[T]) -> None:
        self._learner = learner
        self.query: Query | None = None
        self._advance(None)

    def answer(self, answer: Any) -> None:
        """Answer the query; the next one, or the result, is there afterwards."""
        if self.query is None:
            raise BadQuestion("this session has ended and asks nothing more")
        self._advance(answer)

    @property
    def result(self) -> T:
        """What the learner returned."""
        if self.query is not None:
            raise BadQuestion(f"this session waits for the answer to {self.query}")
        if not hasattr(self, "_result"):
            raise BadQuestion("this session was ended by an error and has no result; start it anew with the answers")
        return self._result

    def _advance(self, answer: Any) -> None:
        try:
            self.query = self._learner.send(answer)
        except StopIteration as end:
            self.query = None
            self._result: T = end.value
        except BaseException:
            self.query = None  # Else the next answer would pass for an end of the learner.
            raise


def _require(query: Query, oracle: object) -> None:
    _method(query, oracle, type(query).method)


def _method(query: Query, oracle: object, name: str) -> Callable[[Any], Any]:
    method = getattr(oracle, name, None)
    if not callable(method):
        raise CannotAnswer(
            f"{type(oracle).__name__} has no {name}(), so it cannot answer {type(query).__name__}; "
            "try routes.served(learner, ...), which asks what it can answer instead"
        )
    answer: Callable[[Any], Any] = method
    return answer
