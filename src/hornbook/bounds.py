"""The two ends between which a closure lies: under the rules that are known, and within the closed sets that are.

The closure of a set lies between its closure under the known rules and the intersection of the known closed sets above
it. Both ends are the closure in some target that agrees with every closure answer, so nothing more can be inferred.
The two ends have one structure each: `Rules` closes from below, `ClosedSets` bounds from above.
"""

from __future__ import annotations

from functools import reduce
from itertools import islice
from operator import and_

from hornbook.chaining import Rule
from hornbook.columns import Columns, chosen
from hornbook.universe import Attrs, attrs_of, everything, members

AT_ONCE = 24
"""So many columns are met before it is looked how many sets are left."""

MANY = 100
"""So many sets are looked at before it is asked of single attributes which set lacks them."""

FEW = 50
"""So many sets are looked at one by one; of more, those that matter are found by columns."""


class Rules:
    """Rules that grow, and the closure under them; rules that follow from the others are dropped as they double."""

    __slots__ = ("_columns", "_free", "_limit", "_numbered", "_numbers", "_rules", "_watching")

    def __init__(self) -> None:
        self._rules: dict[Attrs, Attrs] = {}
        self._numbers: dict[Attrs, int] = {}
        self._numbered: list[Rule] = []
        self._free: list[int] = []
        self._columns = Columns(0)
        """Of each rule what it adds, and then its premise: two bits beside each other."""
        self._watching: dict[Attrs, list[Rule]] = {}
        self._limit = 64

    def __len__(self) -> int:
        return len(self._rules)

    def pairs(self) -> list[Rule]:
        """The rules that are kept, oldest first. All that were added follow from them."""
        return list(self._rules.items())

    def close(self, attrs: Attrs) -> Attrs:
        """The least superset of attrs that satisfies every rule."""
        if 4 * attrs.bit_count() > len(self._columns):
            return self._close_large(attrs)
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

    def _close_large(self, attrs: Attrs) -> Attrs:
        """The same; the rules that add to attrs are told by what it lacks, and mostly there are none."""
        columns, full = self._columns, everything(len(self._columns))
        adding = everything(len(self._numbered)) // 3
        touched = adding
        while touched:
            if touched.bit_count() > FEW:
                lacking = columns.touching(full & ~attrs)
                touched = lacking & adding
                touched ^= touched & lacking >> 1
            before = attrs
            while touched:
                number = touched.bit_length() - 1
                touched ^= 1 << number
                premise, conclusion = self._numbered[number]
                if premise & attrs == premise:
                    attrs |= conclusion
            touched = columns.touching(attrs ^ before) >> 1 & adding
        return attrs

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
        if not self._free:
            self._free.append(len(self._numbered))
            self._numbered += [(0, 0)] * 2
        number = self._numbers[premise] = self._free.pop()
        self._numbered[number] = (premise, conclusion)
        self._columns.put(number, conclusion & ~premise)
        self._columns.put(number + 1, premise)

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
        number = self._numbers.pop(premise)
        self._columns.take(number, conclusion & ~premise)
        self._columns.take(number + 1, premise)
        self._free.append(number)

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

    __slots__ = ("_columns", "_full", "_rare", "sets")

    def __init__(self, size: int) -> None:
        self._full = everything(size)
        self._columns = [0] * size
        self._rare = self._full
        """The attributes that fewer sets have than have others: they tell most, and so they are looked at first."""
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
        if len(self.sets) & (len(self.sets) - 1) == 0:
            self._find_rare()
        return True

    def above(self, attrs: Attrs) -> Attrs:
        """The intersection of all known closed sets that contain attrs."""
        found = self._containing(attrs)
        if not found:
            return self._full
        if found.bit_count() <= FEW:
            return self._met(found)
        meet, columns = self._met_first(found), self._columns
        doubtful = meet & ~attrs
        if reduce(and_, chosen(columns, doubtful), found) != found:
            for position in members(doubtful):
                if found & columns[position] != found:
                    meet ^= 1 << position
        return meet

    def bounds(self, attrs: Attrs, lower: Attrs) -> bool:
        """Whether `above(attrs)` is no more than lower. Usually told after a few columns."""
        found, sure = self._sharing((1 << len(self.sets)) - 1, self._rare, attrs)
        if not sure:
            likely = self._full & ~self._rare & ~lower
            # What more sets than those above attrs have in common, those above attrs have, too.
            if likely and found & self._columns[likely.bit_length() - 1] == found:
                return False
            found, _ = self._sharing(found, ~self._rare, attrs)
        return self._meets(found, lower)

    def irreducible(self) -> list[Attrs]:
        """The known sets that are no intersection of others of them, in the order in which they were added."""
        return [
            attrs
            for number, attrs in enumerate(self.sets)
            if not self._meets(self._containing(attrs) ^ 1 << number, attrs)
        ]

    def refutes(self, attrs: Attrs, position: int) -> bool:
        """Whether a known set contains attrs and lacks the attribute."""
        found = self._containing(attrs)
        return found & self._columns[position] != found

    def lacking(self, attrs: Attrs, position: int) -> list[Attrs]:
        """The known sets that contain attrs and lack the attribute."""
        found = self._containing(attrs)
        found ^= found & self._columns[position]
        some = []
        while found:
            number = found.bit_length() - 1
            found ^= 1 << number
            some.append(self.sets[number])
        return some

    def _find_rare(self) -> None:
        """Told anew whenever the sets have doubled."""
        counts = [column.bit_count() for column in self._columns]
        self._rare = attrs_of(i for i, count in enumerate(counts) if count * len(counts) <= sum(counts))

    def _meets(self, found: int, lower: Attrs) -> bool:
        """Whether the sets found, all above lower, meet in it."""
        if not found:
            return lower == self._full
        columns, sets = self._columns, self.sets
        doubtful = sets[found.bit_length() - 1] & ~lower
        while doubtful:
            # What most sets have, all of these may have.
            likely = doubtful & ~self._rare or doubtful
            # found & ~column would take ten times as long as this: ints have no complement of their length.
            lacking = found ^ (found & columns[likely.bit_length() - 1])
            if not lacking:
                return False
            doubtful &= sets[lacking.bit_length() - 1]
        return True

    def _containing(self, attrs: Attrs) -> int:
        """The known sets that contain attrs, as a column."""
        found, sure = self._sharing((1 << len(self.sets)) - 1, self._rare, attrs)
        return found if sure else self._sharing(found, ~self._rare, attrs)[0]

    def _sharing(self, found: int, some: Attrs, attrs: Attrs) -> tuple[int, bool]:
        """Those of the sets found that contain what attrs has of some; and whether they surely contain all of attrs."""
        columns = chosen(self._columns, attrs & some)
        while met := list(islice(columns, AT_ONCE)):
            found = reduce(and_, met, found)
            if not found:
                return 0, True
            if found.bit_count() <= FEW:
                return self._sifted(found, attrs), True
        return found, attrs & ~some == 0

    def _met_first(self, found: int) -> Attrs:
        """The intersection of some of the sets found: it lacks most of what the intersection of all of them lacks."""
        first = max(0, found.bit_length() - MANY)
        return reduce(and_, chosen(self.sets[first : first + MANY], found >> first))

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
