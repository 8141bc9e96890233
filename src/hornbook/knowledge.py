"""What is known about one target, and what follows from it.

After closure, membership and entailment answers, models, equivalences and confirmed implications it is complete for
closures, membership and entailment: what it does not know has different answers in some two targets that agree with
everything so far. A set known to be no model leaves a choice of what it implies, and so does an "all are negative" to
unspecified values; what follows from choices is searched for (`choices`), where the rules and the closed sets do not
tell. Two answers are not used to the full: the no to a clause without a head, which says that a set lies in some model,
is used for the set of all attributes alone; and of a "some are" to unspecified values, that one of the completions is
no model. An implication question is refuted by models that were answers, and intersections of these.
"""

from __future__ import annotations

from typing import Any

from hornbook.bounds import ClosedSets, Rules
from hornbook.choices import Choice, Choices, agreeing
from hornbook.denials import Denials
from hornbook.errors import BadAnswer
from hornbook.lessons import LESSONS
from hornbook.queries import Close, Contains, Entails, Holds, Query
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

    __slots__ = ("_choices", "_denials", "_example", "closed_sets", "exact", "rules", "size", "top")

    def __init__(self, size: int, *, top: bool | None = None) -> None:
        self.size = size
        self.top = top
        self.rules = Rules()
        self.closed_sets = ClosedSets(size)
        self.exact = False
        self._choices = Choices(size)
        self._denials = Denials(size, self.rules.close)
        self._example: list[Attrs] | None = None

    # What follows

    def lower(self, attrs: Attrs) -> Attrs:
        """What the closure of attrs has at least, by the rules alone."""
        return self.rules.close(attrs)

    def upper(self, attrs: Attrs) -> Attrs:
        """What the closure of attrs has at most, by the closed sets and what was denied."""
        lower = self.lower(attrs)
        if self.exact:
            return lower
        upper = self.closed_sets.above(attrs)
        if self._denials:
            for position in members(upper & ~lower):
                if self._denials.deny(lower, position):
                    upper ^= 1 << position
        return upper

    def closure(self, attrs: Attrs) -> Any:
        """The closure of attrs, None for a contradictory set, or UNKNOWN."""
        closed = self.lower(attrs)
        if closed != everything(self.size) and not self._settles(attrs, closed):
            if not self._choices:
                return UNKNOWN
            for position in members(self.closed_sets.above(attrs) & ~closed):
                told = self.entails(closed, position)
                if told is UNKNOWN:
                    return UNKNOWN
                closed |= told << position
        if closed == everything(self.size):
            return UNKNOWN if self.top is None else closed if self.top else None
        return closed

    def contains(self, attrs: Attrs) -> Any:
        """Whether attrs is a model, or UNKNOWN."""
        if attrs == everything(self.size):
            return UNKNOWN if self.top is None else self.top
        if self.lower(attrs) != attrs:
            return False
        if self._settles(attrs, attrs):
            return True
        if not self._choices:
            return UNKNOWN
        if self._choices.broken(attrs) is not None:
            return False
        if not self._denials:
            return UNKNOWN
        outside = everything(self.size) & ~attrs
        if not self._may_lack(attrs, outside):
            return False
        # Were it none, it would imply one of these.
        return UNKNOWN if self._agrees([(attrs, outside & self.closed_sets.above(attrs))]) else True

    def entails(self, premise: Attrs, attribute: int | None) -> Any:
        """Whether the target entails the clause, or UNKNOWN."""
        if attribute is None:
            return self._excludes(self.lower(premise))
        if self.closed_sets.refutes(premise, attribute):
            return False
        lower = self.lower(premise)
        if lower >> attribute & 1:
            return True
        if self.exact or self._never(lower, attribute):
            return False
        return UNKNOWN if self._may_lack(lower, 1 << attribute) else True

    def refutation(self, implication: Implication) -> Any:
        """None where the implication holds, a model that refutes it where one is known, or UNKNOWN."""
        lower = self.lower(implication.premise)
        missing = implication.conclusion & ~lower
        if missing == 0:
            return None
        model = lower if self.exact else self.closed_sets.above(implication.premise)
        if implication.conclusion & ~model:
            return model
        return UNKNOWN if self._may_lack_one(lower, missing) else None

    def _settles(self, attrs: Attrs, lower: Attrs) -> bool:
        """Whether the closure of attrs is known to be `lower`, given that it is no less."""
        if self.exact or self.closed_sets.bounds(attrs, lower):
            return True
        if not self._denials:
            return False
        return all(self._never(lower, position) for position in members(self.closed_sets.above(attrs) & ~lower))

    def _excludes(self, lower: Attrs) -> Any:
        """Whether no model contains a set that is closed under the rules, or UNKNOWN."""
        missing = everything(self.size) & ~lower
        if self.top or self.upper(lower) != everything(self.size):
            return False
        if missing and self._choices and not self._agrees([(lower, 1 << position) for position in members(missing)]):
            return False
        return UNKNOWN if self.top is None or self._may_lack_one(lower, missing) else True

    # What follows from choices and denials together. Sets called lower are closed under the rules.

    def _never(self, lower: Attrs, position: int) -> bool:
        """Whether what was denied keeps the set from implying the attribute, which no closed set refutes."""
        if not self._denials:
            return False
        if self._denials.deny(lower, position):
            return True
        if not self._choices or all(closed >> position & 1 for closed in self._some() if lower & ~closed == 0):
            return False
        return not self._agrees([(lower, 1 << position)])

    def _may_lack(self, lower: Attrs, missing: Attrs) -> bool:
        """Whether some target agrees in which the closure of the set has none of what is missing in it."""
        if not self._choices or self._may_be_model(lower):
            return True
        return agreeing(self.lower, self._choices, [*self._denials.all(), (lower, missing)]) is not None

    def _may_lack_one(self, lower: Attrs, missing: Attrs) -> bool:
        """Whether some target agrees in which the closure of the set lacks some of what is missing in it."""
        return any(self._may_lack(lower, 1 << position) for position in members(missing))

    def _may_be_model(self, lower: Attrs) -> bool:
        """Whether the set can be one more model of a target that agrees. False says nothing where there are denials."""
        if not self._denials:
            return self._choices.broken(lower) is None
        for premise, options in self._choices.within(lower):
            options &= lower
            for closed in self._some():
                if premise & ~closed == 0:
                    options &= closed
            if not options:
                return False
        return True

    def _agrees(self, more: list[Choice]) -> bool:
        """Whether a target agrees that makes these choices, too; each option is in every known model above."""
        return agreeing(self.lower, self._choices, self._denials.all(), more) is not None

    def _some(self) -> list[Attrs]:
        """The closures of the denied sets in one of the targets that agree, the same one until more is learned."""
        if self._example is None:
            self._example = agreeing(self.lower, self._choices, self._denials.all())
            if self._example is None:
                raise BadAnswer("no theory agrees with all answers so far: each lets another one be false")
        return self._example

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
        lesson = LESSONS.get(type(query))
        if lesson is not None:
            lesson(self, query, answer)
            if self._choices and self._denials:
                self._some()

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
        self._example = None
        self._denials.raised(premise, conclusion)
        for choice in self._choices.closed_no_more(premise, conclusion):
            if choice in self._choices:
                self._choices.remove(choice)
                self.implies_some(*choice)

    def implies_some(self, premise: Attrs, options: Attrs) -> None:
        """The target satisfies premise -> attribute for at least one of the options."""
        lower = self.lower(premise)
        if lower & options == 0:
            options &= lower if self.exact else self.closed_sets.above(lower)
            if options == 0:
                raise BadAnswer(f"{lower:#b} is no model by one answer, and an intersection of models by others")
            if options & (options - 1) == 0:
                self.implies(lower, options)
            else:
                self._example = None
                self._choices.add((lower, options))

    def is_model(self, attrs: Attrs) -> None:
        """attrs is a model."""
        lower = self.lower(attrs)
        if lower != attrs:
            raise BadAnswer(f"{attrs:#b} cannot be closed: earlier answers imply {attrs:#b} -> {lower:#b}")
        if attrs == everything(self.size):
            self.tells_top(True)
        elif self.closed_sets.add(attrs):
            self._example = None
            for choice in self._choices.within(attrs) if self._choices else ():
                if choice[1] & ~attrs and choice in self._choices:
                    self._choices.remove(choice)
                    self.implies_some(*choice)

    def is_no_model(self, attrs: Attrs) -> None:
        """attrs is no model."""
        if attrs == everything(self.size):
            self.tells_top(False)
        elif self.lower(attrs) == attrs:
            self.implies_some(attrs, everything(self.size) & ~attrs)

    def implies_not(self, premise: Attrs, attribute: int) -> None:
        """The target does not entail premise -> attribute."""
        lower = self.lower(premise)
        if lower >> attribute & 1:
            raise BadAnswer(f"earlier answers imply {premise:#b} -> {1 << attribute:#b}, and this one denies it")
        if not self.closed_sets.refutes(premise, attribute):
            self._example = None
            self._denials.add(lower, 1 << attribute)
            rest = self.closed_sets.above(lower) & ~lower
            if all(self._denials.deny(lower, position) for position in members(rest)):
                self._denials.remove(lower)
                self.is_model(lower)

    def is_exactly(self, theory: Theory) -> None:
        """The target is equivalent to the theory."""
        self.tells_top(theory.top)
        for premise, conclusion in self.rules.pairs():
            if conclusion & ~theory.closure(premise):
                raise BadAnswer(f"{premise:#b} -> {conclusion:#b} follows from earlier answers, not from this theory")
        for implication in theory:
            self.implies(implication.premise, implication.conclusion)
        for attrs, _ in self._choices:
            raise BadAnswer(f"{attrs:#b} is no model by an earlier answer, and one of this theory")
        self.exact = True

    def tells_top(self, top: bool) -> None:
        """The set of all attributes is a model, or it is none."""
        if self.top is not None and self.top != top:
            raise BadAnswer("the set of all attributes is a model by one answer and none by another")
        self.top = top
