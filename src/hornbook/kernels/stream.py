"""The rules as groups, in an order in which few rounds reach the closure.

A stream is its number of groups and then the groups. A group is a number of premises, each behind its size, and a
number of conclusions: whoever has all of one of the premises has all of the conclusions. Narrow rules are cut up and
grouped by what they conclude, shorter premises first, so that the processor foresees where each one ends. Wide rules,
for which that would be more work, are groups of their own.
"""

from __future__ import annotations

import numpy as np

from hornbook.kernels.closure import ADDED, ADDS, BEGINS, NEEDS, PREMISES, RULES, SIZE, STARTS, USERS, Words
from hornbook.kernels.compiled import ONE, ZERO, compiled, part, u64


def stream_of(program: Words, ones: int) -> Words:
    """The stream of the rules of a program. An empty premise becomes that of an attribute which all sets have."""
    size, rules = int(program[SIZE]), int(program[RULES])
    entries, added = (int(program[end] - program[start]) for start, end in ((PREMISES, ADDS), (ADDED, NEEDS)))
    ranks, seen = np.empty(size, np.uint32), np.zeros(size + rules, np.uint32)
    # The stack has a place more, for a node that turns out to have been seen.
    cursors, ends, stack = np.empty((3, size + rules + 1), np.uint32)
    rank(program, cursors, ends, stack, seen, ranks)
    shortest_last = np.argsort(program[program[NEEDS] :][:rules], kind="stable")[::-1].astype(np.uint32)
    firsts, nexts, owners = np.zeros(2 * size, np.uint32), np.empty(added, np.uint32), np.empty(added, np.uint32)
    # The premise of a narrow rule is written so often that it takes at most premise + 2 * added places.
    stream = np.empty(1 + 3 * size + 4 * rules + entries + 4 * added, np.uint32)
    length = arrange(program, ranks, shortest_last, firsts, nexts, owners, u64(ones), stream)
    return stream[:length]


@compiled
def rank(program: Words, cursors: Words, ends: Words, stack: Words, seen: Words, ranks: Words) -> None:
    """Ranks the attributes in reverse postorder from premises to conclusions, so that causes come before effects."""
    size, rules = u64(program[SIZE]), u64(program[RULES])
    # The nodes of the search are the attributes and, behind them, the rules.
    for a in range(size):
        at = u64(program[STARTS]) + a
        cursors[a], ends[a] = program[USERS] + program[at], program[USERS] + program[at + ONE]
    for k in range(rules):
        at = u64(program[ADDS]) + k
        cursors[size + k], ends[size + k] = program[ADDED] + program[at], program[ADDED] + program[at + ONE]
    left = size
    for root in range(size):
        stack[ZERO], depth = root, u64(seen[root] == ZERO)
        seen[root] = ONE
        while depth:
            node = u64(stack[depth - ONE])
            if cursors[node] == ends[node]:
                depth -= ONE
                if node < size:
                    left -= ONE
                    ranks[node] = left
                continue
            child = u64(program[u64(cursors[node])]) + (size if node < size else ZERO)
            cursors[node] += ONE
            stack[depth] = child
            depth += u64(seen[child] == ZERO)
            seen[child] = ONE


@compiled
def arrange(
    program: Words,
    ranks: Words,
    shortest_last: Words,
    firsts: Words,
    nexts: Words,
    owners: Words,
    ones: int,
    stream: Words,
) -> int:
    """Writes the stream; returns its length."""
    begins, premises = u64(program[BEGINS]), u64(program[PREMISES])
    adds, added = u64(program[ADDS]), u64(program[ADDED])
    chain_up(program, ranks, shortest_last, firsts, nexts, owners)
    groups: int = ZERO
    at: int = ONE
    for chain in range(u64(firsts.size)):
        link = u64(firsts[chain])
        while link:
            # Of wide rules, each is a group; the narrow ones that conclude the same are one group.
            narrow, group, premises_written = chain & ONE, at, ZERO
            first, last, rule = ZERO, ZERO, ZERO
            at += ONE
            while link and (narrow or premises_written == ZERO):
                first, last, rule = link - ONE, link, u64(owners[link - ONE])
                begin, end = premises + u64(program[begins + rule]), premises + u64(program[begins + rule + ONE])
                at = write(stream, at, program, begin, end, ones)
                premises_written += ONE
                link = u64(nexts[link - ONE])
            stream[group] = premises_written
            if not narrow:
                first, last = u64(program[adds + rule]), u64(program[adds + rule + ONE])
            at = write(stream, at, program, added + first, added + last, ones)
            groups += ONE
    stream[ZERO] = groups
    return at


@part
def chain_up(program: Words, ranks: Words, shortest_last: Words, firsts: Words, nexts: Words, owners: Words) -> None:
    """Links conclusions, counted from one: for each rank the wide rules that begin there, and the narrow ones."""
    added = u64(program[ADDED])
    for i in range(u64(shortest_last.size)):
        k = u64(shortest_last[i])
        adds = u64(program[ADDS]) + k
        start, stop = u64(program[adds]), u64(program[adds + ONE])
        needs = u64(program[u64(program[NEEDS]) + k])
        # To AND the premise once and OR it into each conclusion, or to AND it for each?
        wide = needs * (stop - start) > needs + (stop - start) + (stop - start)
        if wide:
            earliest = start
            for j in range(start, stop):
                if ranks[u64(program[added + j])] < ranks[u64(program[added + earliest])]:
                    earliest = j
            start, stop = earliest, earliest + ONE
        for j in range(start, stop):
            chain = (u64(ranks[u64(program[added + j])]) << ONE) + u64(not wide)
            owners[j], nexts[j], firsts[chain] = k, firsts[chain], j + ONE


@part
def write(stream: Words, at: int, program: Words, first: int, last: int, ones: int) -> int:
    """Writes a range of the program behind its length, `ones` where it is empty; returns where that ends."""
    length = max(last - first, ONE)
    stream[at], stream[at + ONE] = length, ones
    for j in range(first, last):
        stream[at + ONE + j - first] = program[j]
    end: int = at + ONE + length
    return end
