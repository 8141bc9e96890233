"""One closure at a time, with counters: LinClosure (Beeri and Bernstein 1979; Dowling and Gallier 1984).

A program is one array, for each array that Python passes costs as much as a small closure. It has a header that says
where its sections start, and the sections. The last four are scratch: between closures, the counters equal the sizes of
the premises and nothing is present.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hornbook.kernels.compiled import ONE, ZERO, compiled, lowest, part, u64
from hornbook.kernels.sets import Members

Words = NDArray[np.uint32]

SIZE, RULES = u64(0), u64(1)
BEGINS, PREMISES = u64(2), u64(3)  # for each rule, its premise: where that starts, and that
ADDS, ADDED = u64(4), u64(5)  # for each rule, what it adds: where that starts, and that
NEEDS = u64(6)  # for each rule, the size of its premise
STARTS, USERS = u64(7), u64(8)  # for each attribute, the rules whose premise has it: where they start, and they
FACTS = u64(9)  # the rules of empty premise: how many, and they
COUNTERS = u64(10)  # for each rule, how much of its premise is lacking
PRESENT = u64(11)  # for each attribute, whether it is in the set
QUEUE = u64(12)  # the set as it grew, and a place for what turns out to be present
FIRED = u64(13)  # the rules that lack nothing any more, and a place for one that turns out to lack something
HEADER = 14


def program_of(size: int, premises: Members, conclusions: Members) -> Words:
    """The program of the rules with these premises, and conclusions without the premises."""
    rules, entries = len(premises[0]) - 1, len(premises[1])
    given = (rules + 1, entries, rules + 1, len(conclusions[1]))
    filled = (rules, size + 1, entries, 1 + rules)
    scratch = (rules, size, size + 1, rules + 1)
    at = np.cumsum((HEADER, *given, *filled, *scratch))
    program = np.zeros(at[-1], np.uint32)
    program[:HEADER] = size, rules, *at[:-1]
    np.concatenate((*premises, *conclusions), out=program[at[0] : at[4]])
    lay_out(program)
    return program


@compiled
def lay_out(program: Words) -> None:
    """Fills the sections that follow from the premises; they are all zero before."""
    begins, premises = u64(program[BEGINS]), u64(program[PREMISES])
    starts, users, facts = u64(program[STARTS]), u64(program[USERS]), u64(program[FACTS])
    for j in range(premises, u64(program[ADDS])):
        program[starts + u64(program[j])] += ONE
    total = ZERO
    for a in range(starts, users):
        total += u64(program[a])
        program[a] = total
    # Every attribute has the end of its users now. They are entered last to first, which makes it their start.
    for i in range(u64(program[RULES])):
        k = u64(program[RULES]) - ONE - i
        first, last = u64(program[begins + k]), u64(program[begins + k + ONE])
        program[u64(program[NEEDS]) + k] = last - first
        program[u64(program[COUNTERS]) + k] = last - first
        for j in range(premises + first, premises + last):
            a = starts + u64(program[j])
            program[a] -= ONE
            program[users + u64(program[a])] = k
        if first == last:
            program[facts] += ONE
            program[facts + u64(program[facts])] = k


def _close_one(program: Words, attrs: bytearray) -> None:
    """Closes the set of these bytes, in place."""
    queue, present, count = u64(program[QUEUE]), u64(program[PRESENT]), ZERO
    for i in range(u64(len(attrs))):
        byte = u64(attrs[i])
        while byte:
            a = (i << u64(3)) + lowest(byte)
            program[queue + count] = a
            program[present + a] = ONE
            count += ONE
            byte &= byte - ONE
    closed = chain(program, count)
    for i in range(count, closed):
        a = u64(program[queue + i])
        attrs[a >> u64(3)] |= ONE << (a & u64(7))


close_one = compiled(_close_one, nogil=False)
"""Keeps the GIL: a program has one scratch, and a closure is over before the GIL would have changed hands."""


@part
def chain(program: Words, count: int) -> int:
    """Closes the first so many of the queue, which are present, there; returns how many there are then."""
    done, ready = ZERO, begin(program)
    while True:
        for i in range(ready):
            count = conclude(program, u64(program[u64(program[FIRED]) + i]), count)
        if done == count or count == u64(program[SIZE]):
            break
        ready = strike(program, u64(program[u64(program[QUEUE]) + done]))
        done += ONE
    reset(program, done, count)
    return count


@part
def begin(program: Words) -> int:
    """Fires the rules of empty premise; returns how many there are."""
    fired, facts = u64(program[FIRED]), u64(program[FACTS])
    ready: int = u64(program[facts])
    for i in range(ready):
        program[fired + i] = program[facts + ONE + i]
    return ready


@part
def conclude(program: Words, rule: int, count: int) -> int:
    """Adds what a rule adds to the so many in the queue; returns how many there are then."""
    queue, present = u64(program[QUEUE]), u64(program[PRESENT])
    adds, added = u64(program[ADDS]) + rule, u64(program[ADDED])
    for j in range(added + u64(program[adds]), added + u64(program[adds + ONE])):
        a = u64(program[j])
        # Without a branch: what is present already is overwritten by the next one.
        program[queue + count] = a
        count += ONE - u64(program[present + a])
        program[present + a] = ONE
    return count


@part
def strike(program: Words, attribute: int) -> int:
    """Strikes the attribute off what the premises lack; returns how many rules that fires."""
    start, users = u64(program[STARTS]) + attribute, u64(program[USERS])
    counters, fired = u64(program[COUNTERS]), u64(program[FIRED])
    ready: int = ZERO
    for j in range(users + u64(program[start]), users + u64(program[start + ONE])):
        rule = u64(program[j])
        lacking = u64(program[counters + rule]) - ONE
        program[counters + rule] = lacking
        program[fired + ready] = rule
        ready += u64(lacking == ZERO)
    return ready


@part
def reset(program: Words, done: int, count: int) -> None:
    """Makes the scratch what it was: where it was touched, or all of the counters where that is less work."""
    starts, users = u64(program[STARTS]), u64(program[USERS])
    needs, counters = u64(program[NEEDS]), u64(program[COUNTERS])
    queue, present, touched = u64(program[QUEUE]), u64(program[PRESENT]), ZERO
    for i in range(count):
        program[present + u64(program[queue + i])] = ZERO
    for i in range(done):
        start = starts + u64(program[queue + i])
        touched += u64(program[start + ONE]) - u64(program[start])
    if touched << u64(3) > u64(program[RULES]):
        for k in range(u64(program[RULES])):
            program[counters + k] = program[needs + k]
        return
    for i in range(done):
        start = starts + u64(program[queue + i])
        for j in range(users + u64(program[start]), users + u64(program[start + ONE])):
            k = u64(program[j])
            program[counters + k] = program[needs + k]
