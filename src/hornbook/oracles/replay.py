"""A transcript as an oracle: it answers what it was told, and whatever follows from that."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hornbook import transcript
from hornbook.errors import BadAnswer, CannotAnswer
from hornbook.facts import Fact, encode, key, known_from
from hornbook.knowledge import UNKNOWN
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Holds, Query
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, Universe


class Replay:
    """An oracle that holds facts. It has only the methods for what the facts can tell."""

    def __init__(self, universe: Universe, facts: Sequence[Fact], *, definite: bool = False) -> None:
        self.universe, self.definite = universe, definite
        self._answers = {fact.query: fact.answer for fact in facts}
        self._knowledge = known_from(facts, universe, definite=definite)
        kinds = {fact.query.kind for fact in facts}
        # No other equivalence can be answered than those that were.
        if Equivalent.kind in kinds:
            self.counterexample = self._counterexample
        if EntailmentEquivalent.kind in kinds:
            self.distinguishing_clause = self._distinguishing_clause

    def closure(self, attrs: Attrs) -> Attrs | None:
        closed: Attrs | None = self._answer(Close(attrs))
        return closed

    def contains(self, attrs: Attrs) -> bool:
        member: bool = self._answer(Contains(attrs))
        return member

    def entails(self, premise: Attrs, attribute: int | None) -> bool:
        entailed: bool = self._answer(Entails(premise, attribute))
        return entailed

    def refutation(self, implication: Implication) -> Attrs | None:
        model: Attrs | None = self._answer(Holds(implication))
        return model

    def _counterexample(self, hypothesis: Theory) -> Attrs | None:
        model: Attrs | None = self._answer(Equivalent(hypothesis))
        return model

    def _distinguishing_clause(self, hypothesis: Theory) -> Implication | None:
        clause: Implication | None = self._answer(EntailmentEquivalent(hypothesis))
        return clause

    def _answer(self, query: Query) -> Any:
        answer = self._answers.get(key(query), UNKNOWN)
        if answer is UNKNOWN:
            answer = self._knowledge.answer(query)
        if answer is UNKNOWN:
            question = encode(query, None, self.universe).partition(', "answer"')[0]
            raise CannotAnswer(
                f"the transcript has no answer to {question}}}, and none follows from those it has; "
                "finish its run first, with the source that it is about"
            )
        return answer


def replay(path: Path) -> Replay:
    """The oracle of the transcript at the path."""
    header, facts = transcript.read(path)
    try:
        return Replay(header.universe, facts, definite=header.definite)
    except BadAnswer as error:
        error.add_note(f"take a wrong one back with: hornbook retract {path} LINE")
        raise
