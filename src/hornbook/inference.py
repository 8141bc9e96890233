"""A layer that asks nothing whose answer follows from the answers so far.

What follows is said by `Knowledge`.
"""

from __future__ import annotations

from typing import Any, TypeVar

from hornbook.dialogue import Learner, asking
from hornbook.knowledge import UNKNOWN, Knowledge
from hornbook.layers import Counts
from hornbook.queries import Close, CloseAll, Query
from hornbook.universe import Attrs

__all__ = ["UNKNOWN", "Knowledge", "inferred"]

T = TypeVar("T")


def inferred(
    learner: Learner[T], size: int, knowledge: Knowledge | None = None, counts: Counts | None = None
) -> Learner[T]:
    """The learner; what is known answers what it can. counts says how much that was, by kind."""
    known = Knowledge(size) if knowledge is None else knowledge
    spared: Counts = {} if counts is None else counts

    def answered(query: Query) -> Learner[Any]:
        if isinstance(query, CloseAll):
            return (yield from _inferred_batch(query, known, spared))
        if (answer := known.answer(query)) is UNKNOWN:
            answer = yield query
            known.learn(query, answer)
        else:
            spared[query.kind] = spared.get(query.kind, 0) + 1
        return answer

    return asking(learner, answered)


def _inferred_batch(batch: CloseAll, known: Knowledge, spared: Counts) -> Learner[list[Attrs | None]]:
    """The closures of the batch; only sets that are not known are asked for, each once."""
    found = {attrs: known.closure(attrs) for attrs in batch.sets}
    open_sets = tuple(attrs for attrs, closed in found.items() if closed is UNKNOWN)
    if open_sets:
        for attrs, closed in zip(open_sets, (yield CloseAll(open_sets)), strict=True):
            known.learn(Close(attrs), closed)
            found[attrs] = closed
    spared[batch.kind] = spared.get(batch.kind, 0) + len(batch.sets) - len(open_sets)
    return [found[attrs] for attrs in batch.sets]
