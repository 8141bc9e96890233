"""The canonical basis in two passes, over one program that is built once: sparse, and in place.

Pass 1 counts the closure of every premise. Pass 2 closes every premise under the other rules. A rule that fires on the
way has its closure within that of the premise: it is of the same class if the two are of one size. Where one such rule
fires, or the closure is reached without one, the rule at hand is redundant. Else the premise has grown to its
quasi-closure, and the rule stays.

The premises in the program need not grow with it. What is reached before a rule of the same class fires is the closure
under the rules of other classes, which is the same for whichever of equivalent premises these have. Nor need the
conclusions become closures, which are long. What a redundant rule adds is handed on to the rule that made it redundant,
its heir: the premise of the one reaches that of the other, so that the theory stays what it was.
"""

from __future__ import annotations

from hornbook.kernels.closure import (
    BEGINS,
    FIRED,
    PREMISES,
    PRESENT,
    QUEUE,
    Words,
    begin,
    chain,
    conclude,
    reset,
    strike,
)
from hornbook.kernels.compiled import ONE, ZERO, compiled, part, u64
from hornbook.kernels.sets import Rows


@compiled
def closure_sizes(program: Words, rules: Words, sizes: Words) -> None:
    """Fills in the sizes of the closures of the premises of these rules; zero where the premise is closed."""
    for i in range(u64(rules.size)):
        rule = u64(rules[i])
        count = enter(program, rule)
        closed = chain(program, count)
        sizes[rule] = closed if closed > count else ZERO


@compiled
def minimise(
    program: Words,
    sizes: Words,
    nexts: Words,
    lasts: Words,
    start: int,
    stop: int,
    width: int,
    rows: Rows,
) -> int:
    """Writes two rows, premise and closure, for each rule of this range that stays; returns how many do.

    A size of zero says that a rule is gone. Rules are linked, counted from one, to the next whose heir they have.
    """
    kept: int = ZERO
    for rule in range(start, stop):
        size = u64(sizes[rule])
        if size == ZERO:
            continue
        count, ready = enter(program, rule), begin(program)
        done, count, heir = settle(program, sizes, nexts, rule, size, ZERO, count, ready)
        if heir:
            nexts[u64(lasts[heir - ONE])], lasts[heir - ONE] = rule + ONE, lasts[rule]
        if heir or count == size:
            sizes[rule] = ZERO
        else:
            write(program, count, rows, (kept << ONE) * width, width)
            count = conclude_all(program, nexts, rule, count)
            done, count, heir = settle(program, sizes, nexts, rule, ZERO, done, count, ZERO)
            write(program, count, rows, (kept << ONE) * width + width, width)
            kept += ONE
        reset(program, done, count)
    return kept


@part
def enter(program: Words, rule: int) -> int:
    """Puts the premise of the rule into the queue; returns its size."""
    queue, present, premises = u64(program[QUEUE]), u64(program[PRESENT]), u64(program[PREMISES])
    begins = u64(program[BEGINS]) + rule
    count: int = ZERO
    for j in range(premises + u64(program[begins]), premises + u64(program[begins + ONE])):
        program[queue + count] = program[j]
        program[present + u64(program[j])] = ONE
        count += ONE
    return count


@part
def settle(
    program: Words,
    sizes: Words,
    nexts: Words,
    apart: int,
    size: int,
    done: int,
    count: int,
    ready: int,
) -> tuple[int, int, int]:
    """Chains on without the rule that stands apart, up to the first rule whose closure has the size: that plus one.

    Returns how many of the queue are done, how many there are, and that rule, or zero.
    """
    while True:
        for i in range(ready):
            rule = u64(program[u64(program[FIRED]) + i])
            if rule != apart and sizes[rule]:
                if u64(sizes[rule]) == size:
                    return done, count, rule + ONE
                count = conclude_all(program, nexts, rule, count)
        if done == count:
            return done, count, ZERO
        ready = strike(program, u64(program[u64(program[QUEUE]) + done]))
        done += ONE


@part
def conclude_all(program: Words, nexts: Words, rule: int, count: int) -> int:
    """Adds what the rule and those whose heir it is add; returns how many there are then."""
    link = rule + ONE
    while link:
        count = conclude(program, link - ONE, count)
        link = u64(nexts[link - ONE])
    return count


@part
def write(program: Words, count: int, rows: Rows, first: int, width: int) -> None:
    """Writes the first so many of the queue as a row."""
    for w in range(first, first + width):
        rows[w] = ZERO
    for i in range(count):
        a = u64(program[u64(program[QUEUE]) + i])
        rows[first + (a >> u64(6))] |= ONE << (a & u64(63))
