"""Many closures at once, bit-sliced: every attribute has a slice, one bit for each set that is closed.

An implication is then an AND of slices and an OR into others, for 64 to 4,096 sets at a time. A slice is a vector of
LLVM: one operation here is one operation on the widest registers that the machine has, or a few. The groups of a
stream (see `stream`) are swept until a whole round of them has changed nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model
from numpy.typing import NDArray

from hornbook.kernels.closure import Words
from hornbook.kernels.compiled import ONE, ZERO, compiled, part, u64

Slices = NDArray[np.uint64]

WORD = ir.IntType(64)
LOG_WORD, LAST = u64(6), u64(63)
HALVES = tuple(
    u64(half)
    for half in (
        0x00000000FFFFFFFF,
        0x0000FFFF0000FFFF,
        0x00FF00FF00FF00FF,
        0x0F0F0F0F0F0F0F0F,
        0x3333333333333333,
        0x5555555555555555,
    )
)
"""The lower half of each 64 bits, of each 32, 16, 8, 4 and 2."""


class Slice(types.Type):  # type: ignore[misc]
    """The type of one slice of so many words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Slice({words})")


@register_model(Slice)
class SliceModel(models.PrimitiveModel):  # type: ignore[misc]
    """What a slice is to LLVM: a vector."""

    def __init__(self, manager: Any, slice_type: Slice) -> None:
        super().__init__(manager, slice_type, ir.VectorType(WORD, slice_type.words))


def _place(context: Any, builder: Any, signature: Any, arguments: Any, words: int) -> Any:
    """Where in the array, the first argument, the slice stands whose index is the second."""
    array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    first = builder.mul(arguments[1], ir.Constant(WORD, words))
    return builder.bitcast(builder.gep(array.data, [first]), ir.VectorType(WORD, words).as_pointer())


def _intrinsic(function: Callable[..., Any]) -> Any:
    """What compiled code calls: from the types of its arguments, its signature and what writes its LLVM."""
    return intrinsic(prefer_literal=True)(function)


@_intrinsic
def filled(typing: Any, word: Any, words: Any) -> Any:
    """The slice that is this word, so many times."""
    result = Slice(words.literal_value)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _spread(builder, arguments[0], result.words)

    return result(types.uint64, words), code


@_intrinsic
def like(typing: Any, word: Any, sample: Any) -> Any:
    """The slice, as long as the sample, that is this word again and again."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _spread(builder, arguments[0], sample.words)

    return sample(types.uint64, sample), code


def _spread(builder: Any, word: Any, words: int) -> Any:
    vector = ir.Constant(ir.VectorType(WORD, words), ir.Undefined)
    vector = builder.insert_element(vector, word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), words), None))


@_intrinsic
def length(typing: Any, sample: Any) -> Any:
    """How many words a slice has: a constant where it is compiled."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return ir.Constant(WORD, sample.words)

    return types.uint64(sample), code


@_intrinsic
def load(typing: Any, slices: Any, index: Any, sample: Any) -> Any:
    """The slice at this index; the sample says how long slices are."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Aligned slices are faster, but none has to be.
        return builder.load(_place(context, builder, signature, arguments, sample.words), align=8)

    return sample(slices, types.uint64, sample), code


@_intrinsic
def store(typing: Any, slices: Any, index: Any, value: Any) -> Any:
    """Puts the slice there."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _place(context, builder, signature, arguments, value.words), align=8)
        return context.get_dummy_value()

    return types.void(slices, types.uint64, value), code


def _operation(instruction: str) -> Any:
    """The instruction of LLVM on two slices."""

    def operation(typing: Any, one: Any, other: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        return one(one, other), code

    return _intrinsic(operation)


both, either, differ, raised, lowered = map(_operation, ("and_", "or_", "xor", "shl", "lshr"))


@_intrinsic
def some(typing: Any, value: Any) -> Any:
    """Whether the slice has a bit."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(WORD, [ir.VectorType(WORD, value.words)])
        union = builder.module.declare_intrinsic(f"llvm.vector.reduce.or.v{value.words}i64", (), kind)
        return builder.icmp_unsigned("!=", builder.call(union, arguments), ir.Constant(WORD, 0))

    return types.boolean(value), code


@part
def sweep(stream: Words, slices: Slices, none: Any) -> None:
    """Closes the sets under the groups of the stream. An empty slice says how long slices are."""
    groups, quiet, at = u64(stream[ZERO]), ZERO, ONE
    while quiet < groups:
        premises, met = u64(stream[at]), none
        at += ONE
        for _ in range(premises):
            end = at + u64(stream[at])
            has_all = load(slices, u64(stream[at + ONE]), none)
            for j in range(at + ONE + ONE, end + ONE):
                has_all = both(has_all, load(slices, u64(stream[j]), none))
            met = either(met, has_all)
            at = end + ONE
        end, gained = at + u64(stream[at]), none
        for j in range(at + ONE, end + ONE):
            before = load(slices, u64(stream[j]), none)
            after = either(before, met)
            gained = either(gained, differ(before, after))
            store(slices, u64(stream[j]), after)
        at = ONE if end + ONE == u64(stream.size) else end + ONE
        quiet = ZERO if some(gained) else quiet + ONE


@part
def transpose(slices: Slices, first: int, none: Any) -> None:
    """Transposes 64 slices: every square of 64 by 64 bits, one for each word of a slice, at once.

    Halves of halves change places (Warren, Hacker's Delight, Section 7-3).
    """
    distance = u64(32)
    for half in HALVES:
        mask, shift = like(half, none), like(distance, none)
        for i in range(u64(32)):
            # The numbers below 64 without the bit of distance.
            low = i & (distance - ONE)
            here = first + (i - low << ONE) + low
            there = here + distance
            one, other = load(slices, here, none), load(slices, there, none)
            moved = both(differ(lowered(one, shift), other), mask)
            store(slices, here, differ(one, raised(moved, shift)))
            store(slices, there, differ(other, moved))
        distance >>= ONE


@part
def close_blocks(stream: Words, rows: Slices, width: int, slices: Slices, none: Any) -> None:
    """Closes rows of so many words in place, as many at a time as a slice has bits."""
    words, count = length(none), u64(rows.size) // width
    for start in range(ZERO, count, words << LOG_WORD):
        stop = min(count, start + (words << LOG_WORD))
        for i in range(start, stop):
            for w in range(width):
                at = (w << LOG_WORD) + (i & LAST)
                slices[at * words + (i - start >> LOG_WORD)] = rows[i * width + w]
        for w in range(width):
            transpose(slices, w << LOG_WORD, none)
        store(slices, width << LOG_WORD, like(~ZERO, none))
        sweep(stream, slices, none)
        for w in range(width):
            transpose(slices, w << LOG_WORD, none)
        for i in range(start, stop):
            for w in range(width):
                at = (w << LOG_WORD) + (i & LAST)
                rows[i * width + w] = slices[at * words + (i - start >> LOG_WORD)]


@cache
def row_closer(words: int) -> Callable[[Words, Slices, int, Slices], None]:
    """The kernel that closes rows with slices of so many words.

    It has no parts in its cells: these would make it another function, for the cache, in each process.
    """

    def close_rows(stream: Words, rows: Slices, width: int, slices: Slices) -> None:
        """Closes the sets, which are rows of so many words, in place. There is a slice more than bits in a row."""
        close_blocks(stream, rows, width, slices, filled(ZERO, words))

    close_rows.__qualname__ = f"close_rows_{words}"
    return compiled(close_rows)
