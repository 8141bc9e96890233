"""How kernels are compiled: by Numba, at the first call, kept on disk where some folder can be written.

A kernel knows arrays only. Its numbers are unsigned: a signed index is checked at each use for Python's counting from
the end, and Numba makes a float of an unsigned and a signed number together.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

u64: Any = np.uint64
ZERO, ONE = u64(0), u64(1)


class _Cache(FunctionCache):  # type: ignore[misc]
    """The cache of Numba, except that it knows all kernels' text, and that what goes wrong with it costs only time.

    Numba looks at the file of a function, but the parts and the constants that were compiled into it come from others:
    after an update of these, what lies there would be wrong.
    """

    def _index_key(self, *arguments: Any) -> Any:
        return *super()._index_key(*arguments), _text()

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


@cache
def _text() -> str:
    """What tells these kernels from those of another version."""
    digest = sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def compiled(function: Function, *, nogil: bool = True) -> Function:
    """The function as a kernel.

    A kernel has one signature, and a name that no other has: the cache keeps a file a name, and two processes that
    write two signatures at once may swap them.
    """
    kernel: Function = njit(nogil=nogil, no_cfunc_wrapper=True)(function)
    # Without a folder that can be written, or a text that can be read, every process compiles for itself.
    with suppress(RuntimeError, OSError):
        kernel._cache = _Cache(function)  # type: ignore[attr-defined]
    return kernel


def part(function: Function) -> Function:
    """The function as a part of kernels, which it is compiled into."""
    piece: Function = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return piece


@intrinsic  # type: ignore[untyped-decorator]
def lowest(typing: Any, word: Any) -> Any:
    """The position of the lowest bit of a word that has one."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return word(word), code
