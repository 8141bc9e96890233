"""The closures of sets under a table of bits, one at a time and many in one pass.

The table lies column by column in blocks of 4,096 rows, so that a closure reads the columns of its set and hardly any
other: a column that is not in the closure shows it within the first rows that have the set. A batch takes the blocks in
turn, all its sets for each, while the block is in the cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hornbook.kernels.compiled import ONE, ZERO, compiled, u64

Words = NDArray[np.uint64]

WIDTH = 64
"""Words of 64 rows to a block and column."""

ROWS = 64 * WIDTH
_WIDTH = u64(WIDTH)
_BITS = u64(64)
_ALL = ~ZERO


@compiled
def transpose_table(rows: Words, count: np.uint64, words: np.uint64, columns: np.uint64, blocks: Words) -> None:
    """Fills `blocks` (zeroed) from `count` rows of `words` words each: 64 rows by 64 columns at a time."""
    square = np.empty(64, np.uint64)
    for start in range(ZERO, count, _BITS):
        block, lane = start // u64(ROWS), start // _BITS % _WIDTH
        for word in range(ZERO, words):
            any_bit = ZERO
            for i in range(ZERO, _BITS):
                row = start + i
                square[i] = rows[row * words + word] if row < count else ZERO
                any_bit |= square[i]
            if any_bit == ZERO:
                continue
            # Hacker's Delight, 7-3: swap ever smaller quarters; here bit 0 is the first column and row.
            half, mask = u64(32), u64(0xFFFFFFFF)
            while half > ZERO:
                k = ZERO
                while k < _BITS:
                    swap = (square[k] >> half ^ square[k + half]) & mask
                    square[k] ^= swap << half
                    square[k + half] ^= swap
                    k = (k + half + ONE) & ~half
                half >>= ONE
                mask ^= mask << half
            for i in range(ZERO, _BITS):
                column = word * _BITS + i
                if column < columns:
                    blocks[(block * columns + column) * _WIDTH + lane] = square[i]


@compiled
def scan_table(
    possible: Words,
    certain: Words,
    columns: np.uint64,
    rows: np.uint64,
    asked: Words,
    starts: Words,
    alive: Words,
    counts: Words,
) -> None:
    """Leaves in `alive` the columns that all rows above each set have; `counts` says how many of them there are.

    Set q asks for the columns asked[starts[q] : starts[q + 1]], and its candidates stand from alive[q * columns] on. A
    row is above a set when it has all of it in `possible`; a candidate stays when all these have it in `certain`.
    """
    extent = np.empty(WIDTH, np.uint64)
    blocks = (rows + u64(ROWS - 1)) // u64(ROWS)
    queries = u64(counts.size)
    for block in range(ZERO, blocks):
        base = block * columns
        last = min(_WIDTH, (rows - block * u64(ROWS) + u64(63)) // _BITS)
        for q in range(ZERO, queries):
            left = counts[q]
            if left == ZERO:
                continue
            for k in range(ZERO, _WIDTH):
                extent[k] = _ALL if k < last else ZERO
            if last < _WIDTH or block + ONE == blocks:
                rest = rows % _BITS
                if rest > ZERO:
                    extent[last - ONE] = (ONE << rest) - ONE
            found = _ALL
            for i in range(starts[q], starts[q + ONE]):
                column = (base + asked[i]) * _WIDTH
                found = ZERO
                for k in range(ZERO, _WIDTH):
                    extent[k] &= possible[column + k]
                    found |= extent[k]
                if found == ZERO:
                    break
            if found == ZERO:
                continue
            first = q * columns
            tried = ZERO
            while tried < left:
                candidate = (base + alive[first + tried]) * _WIDTH
                lacking = ZERO
                for k in range(ZERO, _WIDTH):
                    lacking |= extent[k] & ~certain[candidate + k]
                if lacking == ZERO:
                    tried += ONE
                else:
                    left -= ONE
                    alive[first + tried] = alive[first + left]
            counts[q] = left
