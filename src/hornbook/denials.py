"""What closures are known to lack: answers that an implication does not hold, by the sets they are about."""

from __future__ import annotations

from collections.abc import Callable

from hornbook.choices import Denial
from hornbook.columns import Columns
from hornbook.errors import BadAnswer
from hornbook.universe import Attrs, members


class Denials:
    """For sets that are closed under the known rules, some of what their closures lack; none of it follows by a rule.

    A set moves up as rules come, and those that come to be one are one. Each has a *clear* set around it, closed under
    the rules and with nothing that is denied: none of its attributes brings what the closure lacks. It grows by use.
    """

    __slots__ = ("_clear", "_clear_columns", "_close", "_denials", "_missing", "_numbers", "_starts")

    def __init__(self, size: int, close: Callable[[Attrs], Attrs]) -> None:
        self._close = close
        self._numbers: dict[Attrs, int] = {}
        self._denials: list[Denial] = []
        self._clear: list[Attrs] = []
        self._starts, self._missing, self._clear_columns = Columns(size), Columns(size), Columns(size)

    def __len__(self) -> int:
        return len(self._numbers)

    def all(self) -> list[Denial]:
        """Each set and what its closure lacks."""
        return [self._denials[number] for number in self._numbers.values()]

    def add(self, attrs: Attrs, missing: Attrs) -> None:
        """The closure of attrs, closed under the rules, lacks this."""
        number = self._numbers.get(attrs)
        clear = attrs
        if number is not None:
            missing |= self._denials[number][1]
            clear = attrs if self._clear[number] & missing else self._clear[number]
            self.remove(attrs)
        number = self._numbers[attrs] = len(self._denials)
        self._denials.append((attrs, missing))
        self._clear.append(clear)
        self._starts.put(number, attrs)
        self._missing.put(number, missing)
        self._clear_columns.put(number, clear)

    def remove(self, attrs: Attrs) -> None:
        """Forget what was said of this set."""
        number = self._numbers.pop(attrs)
        self._starts.take(number, attrs)
        self._missing.take(number, self._denials[number][1])
        self._clear_columns.take(number, self._clear[number])

    def raised(self, premise: Attrs, conclusion: Attrs) -> None:
        """This is a rule now: the sets that it adds to move up. BadAnswer where it brings what was denied."""
        for number in members(self._clear_columns.containing(premise)):
            attrs, missing = self._denials[number]
            if conclusion & ~self._clear[number]:
                clear, closed = self._close(self._clear[number]), self._close(attrs)
                if entailed := closed & missing:
                    raise BadAnswer(
                        f"{attrs:#b} -> {entailed:#b} follows from this answer, and an earlier one denies it"
                    )
                self._clears(number, closed if clear & missing else clear)
        for number in members(self._starts.containing(premise)):
            attrs, missing = self._denials[number]
            if conclusion & ~attrs:
                self.remove(attrs)
                self.add(self._close(attrs), missing)

    def deny(self, attrs: Attrs, position: int) -> bool:
        """Whether the attribute would bring, to a set around attrs, what the closure of that set lacks.

        attrs is closed under the rules.
        """
        around = self._starts.containing(attrs)
        if not around:
            return False
        if around & self._missing.touching(self._close(attrs | 1 << position)):
            return True
        around ^= around & self._clear_columns.having(position)
        for number in members(around):
            start, missing = self._denials[number]
            if self._close(start | 1 << position) & missing:
                return True
            larger = self._close(self._clear[number] | 1 << position)
            if not larger & missing:
                self._clears(number, larger)
        return False

    def _clears(self, number: int, attrs: Attrs) -> None:
        self._clear_columns.take(number, self._clear[number])
        self._clear[number] = attrs
        self._clear_columns.put(number, attrs)
