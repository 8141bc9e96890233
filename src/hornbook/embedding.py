"""General Horn targets for learners of definite theories, by the embedding E1.

What the learner is put to are the models of the real target together with the set of all attributes: a definite theory
over the same attributes, so that no learner knows the difference.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

from hornbook.dialogue import Handlers, Learner, through
from hornbook.errors import BadAnswer
from hornbook.queries import Close, CloseAll, Contains, EntailmentEquivalent, Equivalent
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything

T = TypeVar("T")


def embedded(learner: Learner[T], size: int) -> Learner[T]:
    """The learner of definite theories, put to a general Horn target.

    Whether the set of all attributes is itself a model is asked once, when a hypothesis or the result must say it. The
    result is a theory, or a value that has one in its field `theory`.
    """
    target = _Embedded(size)
    handlers: Handlers = {
        Close: target.close,
        CloseAll: target.close_all,
        Contains: target.contains,
        Equivalent: target.equivalent,
        EntailmentEquivalent: target.equivalent,
    }
    learned: Any = yield from through(learner, handlers)
    theory = learned if isinstance(learned, Theory) else learned.theory
    theory = Theory(size, theory.implications, (yield from target.top()))
    result: Any = theory if isinstance(learned, Theory) else replace(learned, theory=theory)
    return cast(T, result)


class _Embedded:
    """The definite target: its answers are made of the real one's, and of whether all attributes are a model there."""

    def __init__(self, size: int) -> None:
        self._size, self._full = size, everything(size)
        self._top: bool | None = None

    def top(self) -> Learner[bool]:
        if self._top is None:
            self._top = yield Contains(self._full)
        return self._top

    def close(self, query: Close) -> Learner[Attrs]:
        closed: Attrs | None = yield query
        return self._full if closed is None else closed

    def close_all(self, query: CloseAll) -> Learner[list[Attrs]]:
        return [self._full if closed is None else closed for closed in (yield query)]

    def contains(self, query: Contains) -> Learner[bool]:
        return True if query.attrs == self._full else (yield query)

    def equivalent(self, query: Equivalent | EntailmentEquivalent) -> Learner[object]:
        implications, top = query.hypothesis.implications, (yield from self.top())
        answer = yield type(query)(Theory(self._size, implications, top))
        if answer is None or answer not in (self._full, Implication(self._full, self._full)):
            return answer
        if not top:
            raise BadAnswer("the set of all attributes is no model by one answer, and a counterexample by another")
        # Implication questions cannot tell that the set of all attributes is no model; equivalence can.
        self._top = False
        return (yield type(query)(Theory(self._size, implications, top=False)))
