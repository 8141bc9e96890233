"""How kernels are compiled: by Numba, at the first call, kept on disk where some folder can be written.

A kernel knows arrays only. Its numbers are unsigned: a signed index is checked at each use for Python's counting from
the end, and Numba makes a float of an unsigned and a signed number together.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

if TYPE_CHECKING:

    def u64(number: Any) -> int:
        """A number without a sign; to whoever checks types, an int like those that Python counts with."""
else:
    u64 = np.uint64

ZERO, ONE = u64(0), u64(1)


class _Forgiving(FunctionCache):  # type: ignore[misc]
    """The cache of Numba, except that a full disk or a damaged file costs a compilation and no more."""

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)
        except Exception:
            return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            super().save_overload(*arguments)
        except Exception:
            self.disable()


def compiled(function: Function, *, nogil: bool = True) -> Function:
    """The function as a kernel.

    A kernel has one signature, and a name that no other has: the cache keeps a file a name, and two processes that
    write two signatures at once may swap them.
    """
    kernel: Function = njit(nogil=nogil)(function)
    # Without a folder that can be written, every process compiles for itself.
    with suppress(RuntimeError):
        kernel._cache = _Forgiving(function)  # type: ignore[attr-defined]
    return kernel


def part(function: Function) -> Function:
    """The function as a part of kernels. It stands in their file, by whose text they are cached."""
    piece: Function = njit(function)
    return piece


@intrinsic  # type: ignore[untyped-decorator]
def lowest(typing: Any, word: Any) -> Any:
    """The position of the lowest bit of a word that has one."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return word(word), code
