"""Hornbook learns the rules of anything that can close a set of attributes.

import hornbook as hb

learned = hb.learn(closure, attributes=["a", "b", "c"])     # for most people
theory = hb.run(hb.through(hb.afp(3), {...}), oracle)       # for those who compose
session = hb.Session(hb.clh(3))                             # for those who bring their own loop
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hornbook.accounts import Budget, Care, Learned
    from hornbook.dialogue import Session, run, run_async, through
    from hornbook.front import learn
    from hornbook.learners.afp import afp, horn, horn1
    from hornbook.learners.clh import clh
    from hornbook.learners.closures_only import closures_only
    from hornbook.learners.exploration import explore
    from hornbook.learners.frugal import frugal
    from hornbook.learners.lrn import lrn
    from hornbook.oracles.known import KnownTheory
    from hornbook.sources import Settings
    from hornbook.theory import Implication, Theory
    from hornbook.universe import Universe

_ROOMS = {
    "accounts": ("Budget", "Care", "Learned"),
    "dialogue": ("Session", "run", "run_async", "through"),
    "front": ("learn",),
    "learners": ("afp", "clh", "closures_only", "explore", "frugal", "horn", "horn1", "lrn"),
    "oracles.known": ("KnownTheory",),
    "sources": ("Settings",),
    "theory": ("Implication", "Theory"),
    "universe": ("Universe",),
}
_WHERE = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Budget",
    "Care",
    "Implication",
    "KnownTheory",
    "Learned",
    "Session",
    "Settings",
    "Theory",
    "Universe",
    "__version__",
    "afp",
    "clh",
    "closures_only",
    "explore",
    "frugal",
    "horn",
    "horn1",
    "learn",
    "lrn",
    "run",
    "run_async",
    "through",
]


def __getattr__(name: str) -> Any:
    """Each name is imported when it is first used, so that `import hornbook` takes no time."""
    room = _WHERE.get(name)
    if room is None:
        raise AttributeError(f"module 'hornbook' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hornbook.{room}"), name)
    globals()[name] = value
    return value
