"""What is known about one target, and what follows from it.

After closure, entailment and implication answers, models and equivalences it is complete: what it does not know has
different answers in some two targets that agree with everything so far. That a set lies in some model, the no to a
clause without a head, is used for the set of all attributes alone. A set known to be no model leaves a choice of
what it lacks; of that, only what follows for membership, and where no choice is left, is used. An implication question
is refuted by models that were answers, and intersections of these.
"""

from __future__ import annotations

from typing import Any

from hornbook.bounds import ClosedSets, Rules
from hornbook.errors import BadAnswer
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
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything, members

UNKNOWN = object()
"""What nothing known implies. None is an answer of its own."""


class Knowledge:
    """What is known about one target. Its questions are answered, or UNKNOWN; its lessons raise BadAnswer.

    A general Horn target is known by its embedding; `top` says whether the set of all attributes is really a model:
    None until an answer tells, True from the start where the target is known to be definite. `exact`: the target is
    known to be equivalent to what the rules say.
    """

    __slots__ = ("_no_models", "_not_entailed", "closed_sets", "exact", "rules", "size", "top")

    def __init__(self, size: int, *, top: bool | None = None) -> None:
        self.size = size
        self.top = top
        self.rules = Rules()
        self.closed_sets = ClosedSets(size)
        self._no_models: list[Attrs] = []
        self._not_entailed: dict[Attrs, Attrs] = {}
        self.exact = False

    # What follows

    def lower(self, attrs: Attrs) -> Attrs:
        """What the closure of attrs has at least."""
        return self.rules.close(attrs)

    def upper(self, attrs: Attrs) -> Attrs:
        """What the closure of attrs has at most."""
        if self.exact:
            return self.lower(attrs)
        upper = self.closed_sets.above(attrs)
        if self._not_entailed:
            for position in members(upper & ~self.lower(attrs)):
                if self._denied(attrs, position):
                    upper ^= 1 << position
        return upper

    def settles(self, attrs: Attrs, lower: Attrs) -> bool:
        """Whether the closure of attrs is known to be `lower`, given that it is no less."""
        if self.exact or self.closed_sets.bounds(attrs, lower):
            return True
        if not self._not_entailed:
            return False
        return all(self._denied(attrs, position) for position in members(self.closed_sets.above(attrs) & ~lower))

    def _denied(self, attrs: Attrs, position: int) -> bool:
        """Whether the attribute would bring to the closure of a set around attrs what that set does not entail."""
        bit = 1 << position
        return any(
            missing & bit or self.lower(known | bit) & missing
            for known, missing in self._not_entailed.items()
            if attrs & missing == 0 and (known == attrs or attrs & ~self.lower(known) == 0)
        )

    def closure(self, attrs: Attrs) -> Any:
        """The closure of attrs, None for a contradictory set, or UNKNOWN."""
        lower = self.lower(attrs)
        if lower == everything(self.size):
            return UNKNOWN if self.top is None else lower if self.top else None
        return lower if self.settles(attrs, lower) else UNKNOWN

    def contains(self, attrs: Attrs) -> Any:
        """Whether attrs is a model, or UNKNOWN."""
        if attrs == everything(self.size):
            return UNKNOWN if self.top is None else self.top
        if self.lower(attrs) != attrs:
            return False
        if self.settles(attrs, attrs):
            return True
        # Else its intersection with a closed set would be a set that is none.
        if any(y & ~attrs == 0 and self.closed_sets.above(y) & attrs == y for y in self._no_models):
            return False
        return UNKNOWN

    def entails(self, premise: Attrs, attribute: int | None) -> Any:
        """Whether the target entails the clause, or UNKNOWN."""
        lower = self.lower(premise)
        if attribute is None:
            if self.top or self.upper(premise) != everything(self.size):
                return False
            return True if self.top is False and lower == everything(self.size) else UNKNOWN
        if lower >> attribute & 1:
            return True
        if self.exact or not self.closed_sets.above(premise) >> attribute & 1:
            return False
        return False if self._not_entailed and self._denied(premise, attribute) else UNKNOWN

    def refutation(self, implication: Implication) -> Any:
        """None where the implication holds, a model that refutes it where one is known, or UNKNOWN."""
        if implication.conclusion & ~self.lower(implication.premise) == 0:
            return None
        model = self.lower(implication.premise) if self.exact else self.closed_sets.above(implication.premise)
        return model if implication.conclusion & ~model else UNKNOWN

    def answer(self, query: Query) -> Any:
        """The answer to the query, or UNKNOWN."""
        if isinstance(query, Close):
            return self.closure(query.attrs)
        if isinstance(query, Contains):
            return self.contains(query.attrs)
        if isinstance(query, Entails):
            return self.entails(query.premise, query.attribute)
        if isinstance(query, Holds):
            return self.refutation(query.implication)
        return UNKNOWN

    # What is learned

    def learn(self, query: Query, answer: Any) -> None:
        """Take in an answer of the oracle; BadAnswer where it contradicts what earlier ones imply."""
        learns = _LEARNS.get(type(query))
        if learns is not None:
            learns(self, query, answer)

    def closes(self, attrs: Attrs, closed: Attrs | None) -> None:
        """The closure of attrs is this, or there is none."""
        if closed is None:
            self.contradicts(attrs)
        else:
            if attrs & ~closed:
                raise BadAnswer(f"the closure of {attrs:#b} cannot be {closed:#b}, which does not contain it")
            self.is_model(closed)
            self.implies(attrs, closed)

    def contradicts(self, attrs: Attrs) -> None:
        """No model contains attrs."""
        self.tells_top(False)
        self.implies(attrs, everything(self.size))

    def implies(self, premise: Attrs, conclusion: Attrs) -> None:
        """The target satisfies premise -> conclusion."""
        refuting = self.lower(premise) if self.exact else self.closed_sets.above(premise)
        if conclusion & ~refuting:
            raise BadAnswer(f"{premise:#b} -> {conclusion:#b} is refuted by earlier answers: {refuting:#b} is closed")
        if not self.rules.add(premise, conclusion):
            return
        self._no_models = [y for y in self._no_models if premise & ~y or not conclusion & ~y]
        for denied, missing in self._not_entailed.items():
            if entailed := self.lower(denied) & missing:
                raise BadAnswer(f"{denied:#b} -> {entailed:#b} follows from this answer, and an earlier one denies it")

    def is_model(self, attrs: Attrs) -> None:
        """attrs is a model."""
        lower = self.lower(attrs)
        if lower != attrs:
            raise BadAnswer(f"{attrs:#b} cannot be closed: earlier answers imply {attrs:#b} -> {lower:#b}")
        if attrs == everything(self.size):
            self.tells_top(True)
        elif self.closed_sets.add(attrs) and self._no_models:
            for y in [y for y in self._no_models if y & ~attrs == 0]:
                self._lacks_one(y)

    def is_no_model(self, attrs: Attrs) -> None:
        """attrs is no model."""
        if attrs == everything(self.size):
            self.tells_top(False)
        elif self.lower(attrs) == attrs:
            if self.exact or self.closed_sets.bounds(attrs, attrs):
                raise BadAnswer(f"{attrs:#b} must be closed: it is an intersection of closed sets of earlier answers")
            if attrs not in self._no_models:
                self._no_models.append(attrs)
                self._lacks_one(attrs)

    def implies_not(self, premise: Attrs, attribute: int) -> None:
        """The target does not entail premise -> attribute."""
        lower = self.lower(premise)
        if lower >> attribute & 1:
            raise BadAnswer(f"earlier answers imply {premise:#b} -> {1 << attribute:#b}, and this one denies it")
        if self.closed_sets.above(premise) >> attribute & 1:
            self._not_entailed[premise] = self._not_entailed.get(premise, 0) | 1 << attribute
            if self.settles(premise, lower):
                del self._not_entailed[premise]
                self.is_model(lower)

    def is_exactly(self, theory: Theory) -> None:
        """The target is equivalent to the theory."""
        self.tells_top(theory.top)
        for premise, conclusion in self.rules.pairs():
            if conclusion & ~theory.closure(premise):
                raise BadAnswer(f"{premise:#b} -> {conclusion:#b} follows from earlier answers, not from this theory")
        for implication in theory:
            self.implies(implication.premise, implication.conclusion)
        for attrs in self._no_models:
            raise BadAnswer(f"{attrs:#b} is no model by an earlier answer, and one of this theory")
        self.exact = True

    def tells_top(self, top: bool) -> None:
        """The set of all attributes is a model, or it is none."""
        if self.top is not None and self.top != top:
            raise BadAnswer("the set of all attributes is a model by one answer and none by another")
        self.top = top

    def _lacks_one(self, attrs: Attrs) -> None:
        """Where a set that is no model can lack only one attribute, that is an implication."""
        missing = self.closed_sets.above(attrs) & ~attrs
        if missing & (missing - 1) == 0:
            if missing == 0:
                raise BadAnswer(f"{attrs:#b} is no model by one answer, and an intersection of models by others")
            self.implies(attrs, missing)


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
    elif query.zeros & (query.zeros - 1) == 0:  # Of several, the closure has at least one: a choice.
        known.implies(query.ones, query.zeros)


_LEARNS: dict[type[Query], Any] = {
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
