"""What the rest of the package calls: ints in, ints out, arrays and kernels between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hornbook.errors import BadQuestion
from hornbook.kernels.canonical import closure_sizes, minimise
from hornbook.kernels.closure import ADDS, PREMISES, RULES, SIZE, Words, close_one, program_of
from hornbook.kernels.compiled import u64
from hornbook.kernels.sets import CHUNK, Members, Rows, chunks, joined, members_in, rows_of, sets_of, width_of
from hornbook.kernels.slices import row_closer
from hornbook.kernels.stream import stream_of

Rule = tuple[int, int]

__all__ = ["canonical", "close_all", "close_many", "close_one", "program", "saved_together", "stream"]

CACHE = 2**19
"""The bytes that slices may fill: half of what a processor has for itself today, at the second level."""


def program(size: int, rules: Sequence[Rule]) -> Words:
    """The rules as `close_one` takes them, by the highest attributes of their premises.

    Rules with attributes in common are met one after the other. Side by side, they are in the cache already.
    """
    width, rules = width_of(size), sorted(rules, key=_highest)
    parts: list[tuple[Members, Members]] = []
    for chunk in chunks(rules, max(1, CHUNK // (16 * width))):
        # Of many long sets, each look costs: they are in no cache. So it is their rows that are subtracted.
        given = rows_of([premise for premise, _ in chunk], width)
        added = rows_of([conclusion for _, conclusion in chunk], width) & ~given
        parts.append((members_in(given, width), members_in(added, width)))
    premises, conclusions = joined([part for part, _ in parts]), joined([part for _, part in parts])
    outside = max((int(members.max()) for _, members in (premises, conclusions) if members.size), default=-1)
    if outside >= size:
        raise BadQuestion(f"a rule has the attribute {outside}; there are {size}, counted from 0")
    return program_of(size, premises, conclusions)


def _highest(rule: Rule) -> int:
    return rule[0].bit_length()


def stream(packed: Words) -> Words:
    """The rules of a program as `close_many` takes them."""
    return stream_of(packed, 64 * width_of(int(packed[SIZE])))


def words_for(count: int, size: int) -> int:
    """The length of the slices in which so many sets are closed: as measured, 32 words where the cache has them.

    Fewer than 8 words take as long as 8, and more than 32 gain nothing that the way from ints to rows does not lose.
    """
    return 32 if count > 512 and 64 * width_of(size) * 32 * 8 <= CACHE else 8


def close_many(groups: Words, size: int, sets: Sequence[int]) -> list[int]:
    """The closures of the sets under the rules of a stream."""
    width, words = width_of(size), words_for(len(sets), size)
    close_rows, slices = row_closer(words), aligned((64 * width + 1) * words)
    block = 64 * words
    closed: list[int] = []
    for chunk in chunks(sets, max(1, CHUNK // (8 * width * block)) * block):
        rows = rows_of(chunk, width)
        close_rows(groups, rows, u64(width), slices)
        closed += sets_of(rows, width)
    return closed


def aligned(words: int) -> Rows:
    """So many words of zero, from the start of a cache line on."""
    spacious = np.zeros(words + 8, np.uint64)
    start = -(spacious.ctypes.data >> 3) % 8
    return spacious[start : start + words]


def close_all(size: int, rules: Sequence[Rule], sets: Sequence[int]) -> list[int]:
    """The closures of the sets under rules that are packed for them."""
    return close_many(stream(program(size, rules)), size, sets)


def canonical(packed: Words) -> list[Rule]:
    """The canonical basis, in the order `by_size` of its premises."""
    count, width = int(packed[RULES]), width_of(int(packed[SIZE]))
    sizes, nexts, lasts = np.zeros(count, np.uint32), np.zeros(count, np.uint32), np.arange(count, dtype=np.uint32)
    closure_sizes(packed, lasts, sizes)
    step = max(1, CHUNK // (16 * width))
    rows = np.empty(2 * width * min(step, count), np.uint64)
    basis: list[Rule] = []
    keys: list[tuple[int, bytes]] = []
    for start in range(0, count, step):
        kept = minimise(packed, sizes, nexts, lasts, u64(start), u64(min(count, start + step)), u64(width), rows)
        written = rows[: int(kept) * 2 * width]
        found = sets_of(written, width)
        basis += zip(found[::2], found[1::2], strict=True)
        keys += in_order(*members_in(written.reshape(-1, 2, width)[:, 0].ravel(), width))
    return [basis[i] for i in sorted(range(len(basis)), key=keys.__getitem__)]


def in_order(sizes: NDArray[np.uint32], members: NDArray[np.uint32]) -> Iterator[tuple[int, bytes]]:
    """For each set what orders it `by_size`: its size, and its members as bytes, of which the first tell the most."""
    text, end = members.astype(">u4").tobytes(), 0
    for size in sizes.tolist():
        start, end = end, end + 4 * size
        yield size, text[start:end]


def saved_together(packed: Words) -> int:
    """The nanoseconds that it saves to close all premises together, judged by some closures; negative for a loss."""
    size, rules = int(packed[SIZE]), int(packed[RULES])
    entries = int(packed[ADDS]) - int(packed[PREMISES])
    some = np.arange(0, rules, max(1, rules // 64), dtype=np.uint32)
    sizes = np.zeros(rules, np.uint32)
    closure_sizes(packed, some, sizes)
    # Every attribute of a closure is struck off the premises that have it, twice; slices meet all rules in each round.
    struck = 2 * rules * int(sizes[some].sum()) // max(1, len(some)) * entries // max(1, size)
    met = 16 * (rules // 2048 + 1) * (entries + 2 * rules)
    return struck - met - 6000 * rules
