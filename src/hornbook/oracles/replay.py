"""A transcript as an oracle: it answers what it was told, and whatever follows from that."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hornbook import transcript
from hornbook.errors import CannotAnswer
from hornbook.facts import Asked, Fact, encode, key
from hornbook.knowledge import UNKNOWN, Knowledge
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Holds, Query
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, Universe


class Replay:
    """An oracle that holds facts. It has only the methods for what the facts can tell."""

    def __init__(self, universe: Universe, facts: Iterable[Fact], *, definite: bool = False) -> None:
        self.universe, self.definite = universe, definite
        self._answers: dict[Query | Asked, Any] = {}
        self._knowledge = Knowledge(universe.size, top=True if definite else None)
        for fact in facts:
            self._answers[fact.query] = fact.answer
            if isinstance(fact.query, Query):
                self._knowledge.learn(fact.query, fact.answer)

    def closure(self, attrs: Attrs) -> Attrs | None:
        closed: Attrs | None = self._answer(Close(attrs))
        return closed

    def contains(self, attrs: Attrs) -> bool:
        return bool(self._answer(Contains(attrs)))

    def entails(self, premise: Attrs, attribute: int | None) -> bool:
        return bool(self._answer(Entails(premise, attribute)))

    def refutation(self, implication: Implication) -> Attrs | None:
        model: Attrs | None = self._answer(Holds(implication))
        return model

    def _answer(self, query: Query) -> Any:
        answer = self._answers.get(key(query), UNKNOWN)
        if answer is UNKNOWN:
            answer = self._knowledge.answer(query)
        if answer is UNKNOWN:
            question = encode(query, None, self.universe).partition(', "answer"')[0]
            raise CannotAnswer(f"the transcript has no answer to {question}}}, and none follows from those it has")
        return answer


class ReplayOfEquivalence(Replay):
    """One that holds answers to equivalence queries, too."""

    def counterexample(self, hypothesis: Theory) -> Attrs | None:
        model: Attrs | None = self._answer(Equivalent(hypothesis))
        return model


class ReplayOfEntailment(Replay):
    """One that holds answers to entailment equivalence queries, too."""

    def distinguishing_clause(self, hypothesis: Theory) -> Implication | None:
        clause: Implication | None = self._answer(EntailmentEquivalent(hypothesis))
        return clause


def replay(path: Path) -> Replay:
    """The oracle of the transcript at the path."""
    header, facts = transcript.read(path)
    kinds = {fact.query.kind for fact in facts}
    make = Replay
    if Equivalent.kind in kinds:
        make = ReplayOfEquivalence
    elif EntailmentEquivalent.kind in kinds:
        make = ReplayOfEntailment
    return make(header.universe, facts, definite=header.definite)
