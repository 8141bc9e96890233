#!/usr/bin/env python3
"""A black box on your machine: which warnings of gcc switch on which others, answered by gcc itself.

    hornbook learn python:warning_flags:closure            (in this folder)
    hornbook learn "exec:python3 warning_flags.py"         (the same, as a program)

Without arguments it lists its attributes, as `exec:` wants it; with arguments it prints their closure on one line.
Where there is no gcc, either ends with a word that says so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache

GROUPS = ["all", "extra"]
"""These switch others on, and no listing tells whether they themselves are on."""


def states(flags: Iterable[str]) -> dict[str, bool]:
    """Each warning that is plainly on or off, and which it is when gcc gets these flags."""
    command = ["gcc", *(f"-W{flag}" for flag in flags), "-Q", "--help=warnings"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = (line.split() for line in listing.splitlines())
    return {
        row[0].removeprefix("-W"): row[1] == "[enabled]"
        for row in words
        if len(row) == 2 and row[0].startswith("-W") and row[1] in ("[enabled]", "[disabled]")
    }


@cache
def attributes() -> list[str]:
    """The groups, and every warning that is off unless somebody asks for it."""
    return GROUPS + sorted(name for name, on in states([]).items() if not on and name not in GROUPS)


def closure(flags: Iterable[str]) -> list[str]:
    """What is on when these are asked for. gcc is asked until nothing is added."""
    on = set(flags)
    while True:
        more = on | {name for name, enabled in states(sorted(on)).items() if enabled and name in attributes()}
        if more == on:
            return [name for name in attributes() if name in on]
        on = more


if shutil.which("gcc") is None:
    sys.exit("there is no gcc on this machine, and this example asks gcc; install it, or take examples/groups")

ATTRIBUTES = attributes()

if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(*closure(sys.argv[1:]))
    else:
        print("# attributes:", *attributes())
