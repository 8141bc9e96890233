"""What stands between a learner and its oracle: light generators that count, cache, record and limit.

The usual order, the learner's side first: reductions, inferred, cached, recorded, counted, so that what is counted is
what reached the oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hornbook.dialogue import Learner
from hornbook.queries import KINDS, Close, CloseAll, EntailmentEquivalent, Equivalent, Query

T = TypeVar("T")

Counts = dict[str, int]


def no_counts() -> Counts:
    """An account in which nothing has been asked yet."""
    return dict.fromkeys(KINDS, 0)


def counted(learner: Learner[T], counts: Counts) -> Learner[T]:
    """The learner; each query adds one to its kind in counts, a batch as many as it has sets."""
    try:
        query = next(learner)
        while True:
            kind = query.kind
            counts[kind] = counts.get(kind, 0) + (len(query.sets) if isinstance(query, CloseAll) else 1)
            query = learner.send((yield query))
    except StopIteration as end:
        result: T = end.value
        return result


def cached(learner: Learner[T], memory: dict[Query, Any] | None = None) -> Learner[T]:
    """The learner; no query is asked twice. Equivalence passes: a hypothesis hardly ever comes back."""
    answers: dict[Query, Any] = {} if memory is None else memory
    try:
        query = next(learner)
        while True:
            if query in answers:
                answer = answers[query]
            elif isinstance(query, CloseAll):
                answer = yield from _cached_batch(query, answers)
            elif isinstance(query, Equivalent | EntailmentEquivalent):
                answer = yield query
            else:
                answer = answers[query] = yield query
            query = learner.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


def _cached_batch(batch: CloseAll, answers: dict[Query, Any]) -> Learner[list[Any]]:
    """The closures of the batch; only the sets that are new are asked for, each once."""
    new = tuple(attrs for attrs in dict.fromkeys(batch.sets) if Close(attrs) not in answers)
    if new:
        for attrs, closed in zip(new, (yield CloseAll(new)), strict=True):
            answers[Close(attrs)] = closed
    return [answers[Close(attrs)] for attrs in batch.sets]


def recorded(learner: Learner[T], record: Callable[[Query, Any], None]) -> Learner[T]:
    """The learner; each query and its answer are recorded before the learner sees the answer."""
    try:
        query = next(learner)
        while True:
            answer = yield query
            record(query, answer)
            query = learner.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result
