"""A table as an oracle: which animals have what, two cells of it unknown, and what follows from flying.

python animals.py
"""

from __future__ import annotations

from hornbook.formats.values import BinaryTable
from hornbook.oracles.table import Table
from hornbook.universe import Universe

NAMES = Universe.of(["flies", "feathers", "eggs", "milk", "swims"])
ANIMALS = {  # x has it, . has it not, ? nobody has looked
    "sparrow": "xxx..",
    "penguin": ".xx.x",
    "bat": "x..x.",
    "platypus": "..xxx",
    "duck": "xxx.?",
    "emu": ".x?..",
}


def table() -> BinaryTable:
    """The animals, packed."""

    def having(mark: str) -> list[int]:
        return [sum(1 << i for i, cell in enumerate(row) if cell == mark) for row in ANIMALS.values()]

    return BinaryTable.of(NAMES, having("x"), objects=ANIMALS, unknown=having("?"))


def main() -> None:
    oracle = Table(table())
    for asked in (["feathers"], ["feathers", "flies"], ["milk", "flies"], ["eggs", "flies"], ["milk", "feathers"]):
        closed = oracle.closure(NAMES.attrs(asked))
        print(*asked, "->", *NAMES.names_in(closed & ~NAMES.attrs(asked)) or ["-"])


if __name__ == "__main__":
    main()
