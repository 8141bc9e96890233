"""What closures are known to lack: answers that an implication does not hold, by the sets they are about."""

from __future__ import annotations

from collections.abc import Callable

from hornbook.bounds import Columns
from hornbook.choices import Denial
from hornbook.errors import BadAnswer
from hornbook.universe import Attrs, members


class Denials:
    """For sets that are closed under the known rules, some of what their closures lack; none of it follows by a rule.

    A set moves up as rules come, and those that come to be one are one.
    """

    __slots__ = ("_close", "_missing", "_numbers", "_sets", "_starts")

    def __init__(self, size: int, close: Callable[[Attrs], Attrs]) -> None:
        self._close = close
        self._numbers: dict[Attrs, int] = {}
        self._sets: list[Denial] = []
        self._starts = Columns(size)
        self._missing = Columns(size)

    def __len__(self) -> int:
        return len(self._numbers)

    def all(self) -> list[Denial]:
        """Each set and what its closure lacks."""
        return [self._sets[number] for number in self._numbers.values()]

    def missing(self, attrs: Attrs) -> Attrs:
        """What the closure of this set, closed under the rules, was said to lack."""
        number = self._numbers.get(attrs)
        return 0 if number is None else self._sets[number][1]

    def add(self, attrs: Attrs, missing: Attrs) -> None:
        """The closure of attrs, closed under the rules, lacks this."""
        missing |= self.missing(attrs)
        self.remove(attrs)
        number = self._numbers[attrs] = len(self._sets)
        self._sets.append((attrs, missing))
        self._starts.put(number, attrs)
        self._missing.put(number, missing)

    def remove(self, attrs: Attrs) -> None:
        """Forget what was said of this set."""
        number = self._numbers.pop(attrs, None)
        if number is not None:
            self._starts.take(number, attrs)
            self._missing.take(number, self._sets[number][1])

    def raised(self, premise: Attrs, conclusion: Attrs) -> None:
        """This is a rule now: the sets that it adds to move up. BadAnswer where it brings what was denied."""
        for number in members(self._starts.containing(premise)):
            attrs, missing = self._sets[number]
            if conclusion & ~attrs:
                closed = self._close(attrs)
                if entailed := closed & missing:
                    raise BadAnswer(
                        f"{attrs:#b} -> {entailed:#b} follows from this answer, and an earlier one denies it"
                    )
                self.remove(attrs)
                self.add(closed, missing)

    def deny(self, attrs: Attrs, position: int) -> bool:
        """Whether the attribute would bring, to a set around attrs, what the closure of that set lacks.

        attrs is closed under the rules.
        """
        around = self._starts.containing(attrs)
        if not around:
            return False
        if around & self._missing.touching(self._close(attrs | 1 << position)):
            return True
        for number in members(around & ~self._starts.having(position)):
            start, missing = self._sets[number]
            if self._close(start | 1 << position) & missing:
                return True
        return False
