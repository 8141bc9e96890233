"""The two ends between which a closure lies: under the rules that are known, and within the closed sets that are.

The closure of a set lies between its closure under the known rules and the intersection of the known closed sets above
it. Both ends are the closure in some target that agrees with every closure answer, so nothing more can be inferred.
The two ends have one structure each: `Rules` closes from below, `ClosedSets` bounds from above.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import compress
from operator import or_

from hornbook.chaining import Rule
from hornbook.universe import Attrs, everything, members

FEW = 32
"""So many sets are looked at one by one; of more, those that matter are found by columns."""


class Columns:
    """Numbered sets by attribute: for each one an int with a bit for every set that has it."""

    __slots__ = ("_columns", "_full", "there")

    def __init__(self, size: int) -> None:
        self._columns = [0] * size
        self._full = everything(size)
        self.there = 0

    def put(self, number: int, attrs: Attrs) -> None:
        """The set of this number is attrs."""
        bit, columns = 1 << number, self._columns
        self.there |= bit
        for position in members(attrs):
            columns[position] |= bit

    def take(self, number: int, attrs: Attrs) -> None:
        """No set has this number any more; it was attrs."""
        bit, columns = 1 << number, self._columns
        self.there ^= bit
        for position in members(attrs):
            columns[position] ^= bit

    def having(self, position: int) -> int:
        """The sets that have the attribute."""
        return self._columns[position]

    def touching(self, attrs: Attrs) -> int:
        """The sets that have some of attrs."""
        return reduce(or_, self._of(attrs), 0)

    def within(self, attrs: Attrs) -> int:
        """The sets that lie in attrs."""
        return self.there & ~self.touching(self._full & ~attrs)

    def containing(self, attrs: Attrs) -> int:
        """The sets that contain attrs."""
        found = self.there
        for column in self._of(attrs):
            found &= column
            if not found:
                break
        return found

    def _of(self, attrs: Attrs) -> Iterator[int]:
        return compress(self._columns, f"{attrs:b}"[::-1].encode().translate(_TRUTH))


class Rules:
    """Rules that grow, and the closure under them; rules that follow from the others are dropped as they double."""

    __slots__ = ("_limit", "_rules", "_watching")

    def __init__(self) -> None:
        self._rules: dict[Attrs, Attrs] = {}
        self._watching: dict[Attrs, list[Rule]] = {}
        self._limit = 64

    def __len__(self) -> int:
        return len(self._rules)

    def pairs(self) -> list[Rule]:
        """The rules that are kept, oldest first. All that were added follow from them."""
        return list(self._rules.items())

    def close(self, attrs: Attrs) -> Attrs:
        """The least superset of attrs that satisfies every rule."""
        watching = self._watching
        waiting: dict[Attrs, list[Rule]] = {}
        todo = attrs
        for rule in watching.get(0, ()):
            todo |= rule[1]
        attrs = todo
        while todo:
            lowest = todo & -todo
            todo ^= lowest
            rules = watching.get(lowest, ())
            if lowest in waiting:
                rules = [*rules, *waiting.pop(lowest)]
            for rule in rules:
                missing = rule[0] & ~attrs
                if missing:
                    # Woken up again when this one is there; until then the rule cannot fire.
                    waiting.setdefault(missing & -missing, []).append(rule)
                else:
                    added = rule[1] & ~attrs
                    attrs |= added
                    todo |= added
        return attrs

    def add(self, premise: Attrs, conclusion: Attrs) -> bool:
        """Add the rule; False where it says nothing new."""
        if conclusion & ~self.close(premise) == 0:
            return False
        self._keep(premise, conclusion | self._rules.get(premise, 0) | premise)
        if len(self._rules) > self._limit:
            self._prune()
            self._limit = max(64, 2 * len(self._rules))
        return True

    def remove(self, premise: Attrs) -> None:
        """Forget the rule with this premise."""
        self._drop(premise, self._rules[premise])

    def _keep(self, premise: Attrs, conclusion: Attrs) -> None:
        """Each rule waits at one attribute of its premise, the one at which the fewest wait."""
        old = self._rules.get(premise)
        if old is not None:
            self._drop(premise, old)
        self._rules[premise] = conclusion
        watching = self._watching
        watch, load = 0, -1
        rest = premise
        while rest and load:
            lowest = rest & -rest
            rest ^= lowest
            waiting = len(watching.get(lowest, ()))
            if load < 0 or waiting < load:
                watch, load = lowest, waiting
        watching.setdefault(watch, []).append((premise, conclusion))

    def _drop(self, premise: Attrs, conclusion: Attrs) -> None:
        rule = (premise, conclusion)
        rest, watches = premise, [0]
        while rest:
            watches.append(rest & -rest)
            rest &= rest - 1
        for watch in watches:
            if rule in self._watching.get(watch, ()):
                self._watching[watch].remove(rule)
                break
        del self._rules[premise]

    def _prune(self) -> None:
        """Drop, oldest first, what follows from the rest."""
        for premise, conclusion in list(self._rules.items()):
            self._drop(premise, conclusion)
            if conclusion & ~self.close(premise):
                self._keep(premise, conclusion)


class ClosedSets:
    """Closed sets that grow in number, and the least intersection of them above a set. All attributes are one.

    For each attribute a column, an int with one bit for each set that has it: the sets above a given one are the AND of
    its attributes' columns. A set that is an intersection of known ones is not kept.
    """

    __slots__ = ("_columns", "_full", "sets")

    def __init__(self, size: int) -> None:
        self._full = everything(size)
        self._columns = [0] * size
        self.sets: list[Attrs] = []

    def __len__(self) -> int:
        return len(self.sets)

    def add(self, closed: Attrs) -> bool:
        """Add a closed set; False where it was an intersection of known ones."""
        if self.above(closed) == closed:
            return False
        bit = 1 << len(self.sets)
        self.sets.append(closed)
        for position in members(closed):
            self._columns[position] |= bit
        return True

    def above(self, attrs: Attrs) -> Attrs:
        """The intersection of all known closed sets that contain attrs."""
        found = self._containing(attrs)
        if not found:
            return self._full
        columns, sets = self._columns, self.sets
        if found.bit_count() <= FEW:
            return self._met(found)
        meet = sets[found.bit_length() - 1]
        doubtful = meet & ~attrs
        while doubtful:
            lowest = doubtful & -doubtful
            lacking = found & ~columns[lowest.bit_length() - 1]
            if lacking:
                doubtful &= sets[lacking.bit_length() - 1]
                meet &= sets[lacking.bit_length() - 1]
            else:
                doubtful ^= lowest
        return meet

    def bounds(self, attrs: Attrs, lower: Attrs) -> bool:
        """Whether `above(attrs)` is no more than lower. Usually told after a few columns."""
        return self._meets(self._containing(attrs), lower)

    def irreducible(self) -> list[Attrs]:
        """The known sets that are no intersection of others of them, in the order in which they were added."""
        return [
            attrs
            for number, attrs in enumerate(self.sets)
            if not self._meets(self._containing(attrs) & ~(1 << number), attrs)
        ]

    def refutes(self, attrs: Attrs, position: int) -> bool:
        """Whether a known set contains attrs and lacks the attribute."""
        return self._containing(attrs) & ~self._columns[position] != 0

    def lacking(self, attrs: Attrs, position: int) -> list[Attrs]:
        """The known sets that contain attrs and lack the attribute."""
        found = self._containing(attrs) & ~self._columns[position]
        some = []
        while found:
            number = found.bit_length() - 1
            found ^= 1 << number
            some.append(self.sets[number])
        return some

    def _meets(self, found: int, lower: Attrs) -> bool:
        """Whether the sets found, all above lower, meet in it."""
        if not found:
            return lower == self._full
        columns, sets = self._columns, self.sets
        doubtful = sets[found.bit_length() - 1] & ~lower
        while doubtful:
            lacking = found & ~columns[doubtful.bit_length() - 1]
            if not lacking:
                return False
            doubtful &= sets[lacking.bit_length() - 1]
        return True

    def _containing(self, attrs: Attrs) -> int:
        """The known sets that contain attrs, as a column."""
        found = (1 << len(self.sets)) - 1
        columns = self._columns
        digits = f"{attrs:b}"[::-1].encode().translate(_TRUTH)
        for count, column in enumerate(compress(columns, digits)):
            found &= column
            if not found:
                break
            if count & 15 == 15 and found.bit_count() <= FEW:
                return self._sifted(found, attrs)
        return found

    def _met(self, found: int) -> Attrs:
        """The intersection of the sets found."""
        meet, sets = self._full, self.sets
        while found:
            number = found.bit_length() - 1
            found ^= 1 << number
            meet &= sets[number]
        return meet

    def _sifted(self, found: int, attrs: Attrs) -> int:
        """Those of the sets found that contain attrs."""
        kept, sets = 0, self.sets
        while found:
            number = found.bit_length() - 1
            found ^= 1 << number
            if attrs & ~sets[number] == 0:
                kept |= 1 << number
        return kept


_TRUTH = bytes.maketrans(b"01", b"\0\1")
