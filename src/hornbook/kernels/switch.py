"""When compiled code pays: decided by what plain Python has cost so far, and without importing anything heavy.

To load kernels costs part of a second in every process, and to compile them seconds, once. As with skis that one rents
or buys, plain Python works until it has cost, or is about to cost, as much as the kernels would. So nothing takes much
more than twice the time of the better choice. Only time depends on all this, never a result.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from functools import cache

CLOSURE, SLICES, CANONICAL = "closure", "slices", "canonical"

# In nanoseconds. `python -m bench startup` measures them anew.
IMPORT = 300_000_000
LOAD = 10_000_000
COMPILE = {CLOSURE: 1_200_000_000, SLICES: 1_500_000_000, CANONICAL: 1_200_000_000}
LAST_KERNEL = {CLOSURE: "closure._close_one-*", SLICES: "slices.close_rows_*", CANONICAL: "canonical.minimise-*"}


class _State:
    """What plain Python has cost since kernels were last loaded; which ones are; whether there are any."""

    spent = 0
    families: frozenset[str] = frozenset()
    broken = False


def loaded(family: str) -> bool:
    """Whether the kernels of this family are there for nothing."""
    return family in _State.families


def spend(nanoseconds: int) -> None:
    """Notes what plain Python has cost."""
    _State.spent += nanoseconds


def pays(family: str, work: int, least: int = 0) -> bool:
    """Whether kernels are to do what would cost plain Python so many nanoseconds.

    Of loaded kernels, only the preparation counts: that pays when there is at least so much to do.
    """
    if loaded(family):
        return work >= least
    # The first test is all that most calls get to.
    total = _State.spent + work
    if total < LOAD or _State.broken:
        return False
    price = LOAD if _imported() else LOAD + IMPORT
    return total >= price and (_compiled_before(family) or total >= price + COMPILE[family]) and _load(family)


def _imported() -> bool:
    return "numba" in sys.modules


def _load(family: str) -> bool:
    try:
        from numba import config
    except ImportError as error:
        # Numba is often behind the newest Python or NumPy; all works without it, if more slowly.
        _State.broken = True
        warnings.warn(f"no compiled kernels, plain Python instead: {error}", RuntimeWarning, stacklevel=2)
        return False
    _State.broken = bool(config.DISABLE_JIT)
    if not _State.broken:
        _State.families |= {family}
        _State.spent = 0
    return not _State.broken


@cache
def _compiled_before(family: str) -> bool:
    """Whether the kernels lie in a folder where Numba keeps them, and that can be searched."""
    from pathlib import Path

    name = f"{LAST_KERNEL[family]}.nbi"
    home = os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME', '')}/.cache"
    shared = Path(os.environ.get("NUMBA_CACHE_DIR") or f"{home}/numba")
    for folder, where in (Path(__file__).parent, "__pycache__"), (shared, "*"):
        # A folder that may not be searched has nothing for us.
        with suppress(OSError):
            if any(folder.glob(f"{where}/{name}")):
                return True
    return False
