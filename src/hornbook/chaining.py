"""Forward chaining over (premise, conclusion) pairs: plain Python first, compiled kernels where they pay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, TypeAlias

from hornbook.kernels import switch
from hornbook.universe import Attrs, everything

if TYPE_CHECKING:
    from hornbook.kernels.closure import Words

Rule: TypeAlias = tuple[Attrs, Attrs]

# Nanoseconds, as measured; docs/kernels.md has the measurements.
GLANCE = 60  # Plain Python looks at a rule once, which is the least that a closure takes for each.
PACK, PACK_RULE = 30_000, 200  # Rules are made into a program.
CHAIN_RULE = 3  # A kernel closes a set, for each rule.
CALL = 150  # And it takes so much longer to pass than one of many that are passed together.
SLICE, SLICE_RULE = 60_000, 110  # Many sets are closed together, few of them as many.

FEW = 8
"""Under so few rules plain Python is done before a kernel would be called."""
SWEEPS = 20
"""So often plain Python looks at the rules before it looks at the clock. Most closures take less."""
BATCH = 256
"""So many sets are closed before it is asked again whether to close the rest together."""


def close(attrs: Attrs, rules: Iterable[Rule]) -> Attrs:
    """The least superset of attrs that satisfies every rule. A rule that has fired is not looked at again."""
    before = None
    while attrs != before:
        before = attrs
        attrs, rules = _sweep(attrs, rules)
    return attrs


def _sweep(attrs: Attrs, rules: Iterable[Rule]) -> tuple[Attrs, list[Rule]]:
    """What attrs becomes when every rule is looked at once, and the rules that did not fire."""
    waiting = []
    for rule in rules:
        if rule[0] & attrs == rule[0]:
            attrs |= rule[1]
        else:
            waiting.append(rule)
    return attrs, waiting


def closer(size: int, rules: Iterable[Rule]) -> Closer:
    """What closes sets under the rules."""
    return Closer(size, tuple(rules))


def closures(size: int, rules: Iterable[Rule], sets: Iterable[Attrs]) -> list[Attrs]:
    """The closures of the sets, in their order."""
    return Closer(size, tuple(rules)).all(sets)


class Closer:
    """Closes sets under rules: in plain Python, and with kernels as soon as they pay (see `kernels.switch`)."""

    __slots__ = ("_close_one", "_left", "_length", "_program", "_stream", "rules", "size")

    def __init__(self, size: int, rules: tuple[Rule, ...]) -> None:
        self.size, self.rules = size, rules
        self._length = (size + 7) // 8
        self._program: Words | None = None
        self._stream: Words | None = None
        # So much of plain Python is worth the packing.
        self._left = PACK + PACK_RULE * len(rules)

    def __reduce__(self) -> tuple[type[Closer], tuple[int, tuple[Rule, ...]]]:
        return Closer, (self.size, self.rules)

    def __call__(self, attrs: Attrs) -> Attrs:
        """The closure of attrs."""
        program = self._program
        if program is None:
            return self._plainly(attrs)
        if attrs >> self.size:
            # What is no attribute stays as it is, as in plain Python.
            known = attrs & everything(self.size)
            return self(known) | attrs ^ known
        data = bytearray(attrs.to_bytes(self._length, "little"))
        self._close_one(program, data)
        return int.from_bytes(data, "little")

    def all(self, sets: Iterable[Attrs]) -> list[Attrs]:
        """The closures of the sets, in their order."""
        sets, closed = list(sets), list[Attrs]()
        known = not max(sets, default=0) >> self.size  # What is no attribute has no place in the kernels.
        for start in range(0, len(sets), BATCH):
            if known and self._together(len(sets) - start):
                return closed + self._sliced(sets[start:])
            closed += map(self, sets[start : start + BATCH])
        return closed

    def _plainly(self, attrs: Attrs) -> Attrs:
        """The closure in plain Python, which goes over to a kernel where it becomes long."""
        rules: Iterable[Rule] = self.rules
        if len(self.rules) < FEW:
            return close(attrs, rules)
        before = None
        while attrs != before:
            if self._left <= 0 and switch.pays(switch.CLOSURE, 0):
                return self._packed()(attrs)
            started = perf_counter_ns()
            for _ in range(SWEEPS):
                before = attrs
                attrs, rules = _sweep(attrs, rules)
                if attrs == before:
                    break
            took = perf_counter_ns() - started
            self._left -= took
            switch.spend(took)
        return attrs

    def _together(self, count: int) -> bool:
        """Whether to close so many sets together."""
        rules = len(self.rules)
        least = SLICE + SLICE_RULE * rules
        if self._program is not None or switch.loaded(switch.CLOSURE):
            return switch.pays(switch.SLICES, count * (CALL + CHAIN_RULE * rules), least)
        return switch.pays(switch.SLICES, count * GLANCE * rules, least + PACK + PACK_RULE * rules)

    def _packed(self) -> Closer:
        """This closer, with a program to call."""
        if self._program is None:
            from hornbook.kernels import front

            self._close_one = front.close_one
            self._program = front.program(self.size, self.rules)
        return self

    def _sliced(self, sets: Sequence[Attrs]) -> list[Attrs]:
        from hornbook.kernels import front

        program = self._packed()._program
        assert program is not None
        if self._stream is None:
            self._stream = front.stream(program)
        return front.close_many(self._stream, self.size, sets)
