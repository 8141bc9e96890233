"""A function as an oracle: what follows about the weather.

python weather.py
hornbook learn python:weather:closure              (in this folder)
hornbook learn python-bits:weather:closure_bits
"""

from __future__ import annotations

ATTRIBUTES = ["rain", "sun", "wet", "rainbow", "snow", "cold"]


def closure(names: list[str]) -> list[str] | None:
    """All that follows from the names; None where it cannot be."""
    known = set(names)
    if "rain" in known or "snow" in known:
        known.add("wet")
    if "snow" in known:
        known.add("cold")
    if {"rain", "sun"} <= known:
        known.add("rainbow")
    if "rainbow" in known:
        known |= {"rain", "sun", "wet"}
    return None if {"snow", "rainbow"} <= known else sorted(known)


def closure_bits(attrs: int) -> int | None:
    """The same on ints, bit i for the attribute at position i."""
    closed = closure([name for position, name in enumerate(ATTRIBUTES) if attrs >> position & 1])
    return None if closed is None else sum(1 << ATTRIBUTES.index(name) for name in closed)


def main() -> None:
    for names in (["snow"], ["rain", "sun"], ["rainbow", "cold"], ["snow", "rainbow"]):
        closed = closure(names)
        print(*names, "->", *["!"] if closed is None else [name for name in closed if name not in names])


if __name__ == "__main__":
    main()
