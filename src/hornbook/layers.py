"""What stands between a learner and its oracle: light generators that count, cache, record, repeat and limit.

docs/design.md has the order in which a run puts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hornbook.dialogue import Learner, asking
from hornbook.queries import KINDS, Close, CloseAll, EntailmentEquivalent, Equivalent, Query

T = TypeVar("T")

Counts = dict[str, int]


def no_counts() -> Counts:
    """An account in which nothing has been asked yet."""
    return dict.fromkeys(KINDS, 0)


def counted(learner: Learner[T], counts: Counts, *, each: int = 1) -> Learner[T]:
    """The learner; each query that is answered adds `each` to its kind, a batch as many times that as it has sets."""
    try:
        query = next(learner)
        while True:
            answer = yield query
            kind = query.kind
            counts[kind] = counts.get(kind, 0) + (each * len(query.sets) if isinstance(query, CloseAll) else each)
            query = learner.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


def cached(learner: Learner[T], memory: dict[Query, Any] | None = None) -> Learner[T]:
    """The learner; no query is asked twice. Equivalence passes: a hypothesis hardly ever comes back."""
    answers: dict[Query, Any] = {} if memory is None else memory
    recall = answers.get
    try:
        query = next(learner)
        while True:
            if type(query) in _PASSING:
                answer = yield query
            elif type(query) is CloseAll:
                answer = yield from _cached_batch(query, answers)
            elif (answer := recall(query, _NEW)) is _NEW:
                answer = answers[query] = yield query
            query = learner.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


_PASSING = frozenset((Equivalent, EntailmentEquivalent))
_NEW = object()
"""What no answer is. None is one, and so is False."""


def _cached_batch(batch: CloseAll, answers: dict[Query, Any]) -> Learner[list[Any]]:
    """The closures of the batch; only the sets that are new are asked for, each once."""
    new = tuple(attrs for attrs in dict.fromkeys(batch.sets) if Close(attrs) not in answers)
    if new:
        for attrs, closed in zip(new, (yield CloseAll(new)), strict=True):
            answers[Close(attrs)] = closed
    return [answers[Close(attrs)] for attrs in batch.sets]


def recorded(learner: Learner[T], record: Callable[[Query, Any], None]) -> Learner[T]:
    """The learner; each query and its answer are recorded before the learner sees the answer."""

    def answered(query: Query) -> Learner[Any]:
        answer = yield query
        record(query, answer)
        return answer

    return asking(learner, answered)


def in_pieces(learner: Learner[T], most: Callable[[], int], told: Callable[[CloseAll, list[Any]], None]) -> Learner[T]:
    """The learner; no batch is larger than `most` says each time, and each piece is told before the next is asked."""

    def answered(query: Query) -> Learner[Any]:
        if not isinstance(query, CloseAll):
            return (yield query)
        answers: list[Any] = []
        while len(answers) < len(query.sets):
            piece = CloseAll(query.sets[len(answers) : len(answers) + most()])
            closed = yield piece
            told(piece, closed)
            answers += closed
        return answers

    return asking(learner, answered)


Differ = Callable[[Query, Any, Sequence[int]], None]
"""Told of a query that was answered differently: the majority, and how often it and each other answer was given."""


def repeated(learner: Learner[T], times: int, differ: Differ, *, together: bool = False) -> Learner[T]:
    """The learner; every query is asked that often, and the majority is its answer. Of equals the first one counts.

    Of a batch there is a majority for each set. Whenever the answers differ, `differ` is told: an oracle that wavers
    never does so silently. `together`: closures are asked that often in one batch, for an oracle with several workers.
    """

    def answered(query: Query) -> Learner[Any]:
        answers: list[Any] = []
        if together and isinstance(query, Close | CloseAll):
            sets = (query.attrs,) if isinstance(query, Close) else query.sets
            said = yield CloseAll(sets * times)
            rounds = [said[start : start + len(sets)] for start in range(0, len(said), len(sets))]
            answers = rounds if isinstance(query, CloseAll) else said
        else:
            for _ in range(times):
                answers.append((yield query))
        return _majority(query, answers, differ)

    return asking(learner, answered)


def _majority(query: Query, answers: list[Any], differ: Differ) -> Any:
    if isinstance(query, CloseAll):
        by_set = zip(query.sets, zip(*answers, strict=True), strict=True)
        return [_majority(Close(attrs), list(said), differ) for attrs, said in by_set]
    votes = {answer: answers.count(answer) for answer in answers}
    answer = max(votes, key=lambda said: votes[said])
    if len(votes) > 1:
        differ(query, answer, sorted(votes.values(), reverse=True))
    return answer


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a learner returns that was stopped before its end, and why."""

    reason: str


def limited(learner: Learner[T], exhausted: Callable[[Query], str | None]) -> Learner[T | Stopped]:
    """The learner; it is stopped when `exhausted` gives a reason not to ask the next query."""
    try:
        query = next(learner)
        while (reason := exhausted(query)) is None:
            query = learner.send((yield query))
    except StopIteration as end:
        result: T = end.value
        return result
    learner.close()
    return Stopped(reason)
