"""What each kind of answer says, in the terms of `Knowledge`: models, rules, choices and denials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
)
from hornbook.theory import Implication
from hornbook.universe import Attrs, everything, members

if TYPE_CHECKING:
    from hornbook.knowledge import Knowledge


def _from_batch(known: Knowledge, query: CloseAll, answer: Any) -> None:
    for attrs, closed in zip(query.sets, answer, strict=True):
        known.closes(attrs, closed)


def _from_contains(known: Knowledge, query: Contains, answer: bool) -> None:
    if answer:
        known.is_model(query.attrs)
    else:
        known.is_no_model(query.attrs)


def _from_entails(known: Knowledge, query: Entails, answer: bool) -> None:
    if query.attribute is None:
        if answer:
            known.contradicts(query.premise)
        elif query.premise == everything(known.size):
            known.tells_top(True)
    elif answer:
        known.implies(query.premise, 1 << query.attribute)
    else:
        known.implies_not(query.premise, query.attribute)


def _from_holds(known: Knowledge, query: Holds, answer: Attrs | None) -> None:
    if answer is None:
        known.implies(query.implication.premise, query.implication.conclusion)
    else:
        known.is_model(answer)


def _from_equivalent(known: Knowledge, query: Equivalent, answer: Attrs | None) -> None:
    if answer is None:
        known.is_exactly(query.hypothesis)
    elif query.hypothesis.satisfies(answer):
        known.is_no_model(answer)
    else:
        known.is_model(answer)


def _from_clause(known: Knowledge, query: EntailmentEquivalent, answer: Implication | None) -> None:
    if answer is None:
        known.is_exactly(query.hypothesis)
    elif answer.premise == everything(known.size):
        known.tells_top(not query.hypothesis.top)  # The clause without a head: no attribute is left to be one.
    elif not query.hypothesis.entails(answer):
        known.implies(answer.premise, answer.conclusion)
    elif answer.added & (answer.added - 1) == 0:
        known.implies_not(answer.premise, answer.added.bit_length() - 1)


def _from_correct(known: Knowledge, query: Correct, answer: Attrs | None) -> None:
    if answer is None:
        known.contradicts(0)
        return
    known.is_model(answer)
    if answer != query.attrs:
        known.is_no_model(query.attrs)


def _from_unspecified(known: Knowledge, query: Unspecified, answer: bool | None) -> None:
    largest = everything(known.size) & ~query.zeros
    if answer:
        known.is_model(largest)
        for position in members(largest & ~query.ones):
            known.is_model(largest ^ 1 << position)
    elif answer is None:
        for position in members(query.zeros):
            known.implies_not(query.ones, position)
    elif query.zeros == 0:
        known.contradicts(query.ones)
    else:
        known.implies_some(query.ones, query.zeros)


LESSONS: dict[type[Query], Any] = {
    Close: lambda known, query, answer: known.closes(query.attrs, answer),
    CloseAll: _from_batch,
    Contains: _from_contains,
    Entails: _from_entails,
    Holds: _from_holds,
    Equivalent: _from_equivalent,
    EntailmentEquivalent: _from_clause,
    Correct: _from_correct,
    Unspecified: _from_unspecified,
}
