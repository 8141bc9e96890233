"""A black box of mathematics: which properties of binary relations follow from which, on three elements.

The closure of a set of properties is all that every relation with these properties has. There are 2^9 relations on
three elements; the box looks at all of them. Nobody tells it a theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import product

ELEMENTS = range(3)
Relation = frozenset[tuple[int, int]]


def everywhere(holds: Callable[..., bool], places: int) -> bool:
    """Whether it holds for all choices of so many elements."""
    return all(holds(*chosen) for chosen in product(ELEMENTS, repeat=places))


PROPERTIES: dict[str, Callable[[Relation], bool]] = {
    "reflexive": lambda r: everywhere(lambda x: (x, x) in r, 1),
    "irreflexive": lambda r: everywhere(lambda x: (x, x) not in r, 1),
    "symmetric": lambda r: everywhere(lambda x, y: (x, y) not in r or (y, x) in r, 2),
    "antisymmetric": lambda r: everywhere(lambda x, y: x == y or not {(x, y), (y, x)} <= r, 2),
    "asymmetric": lambda r: everywhere(lambda x, y: not {(x, y), (y, x)} <= r, 2),
    "transitive": lambda r: everywhere(lambda x, y, z: not {(x, y), (y, z)} <= r or (x, z) in r, 3),
    "total": lambda r: everywhere(lambda x, y: (x, y) in r or (y, x) in r, 2),
    "connected": lambda r: everywhere(lambda x, y: x == y or (x, y) in r or (y, x) in r, 2),
    "euclidean": lambda r: everywhere(lambda x, y, z: not {(x, y), (x, z)} <= r or (y, z) in r, 3),
    "serial": lambda r: everywhere(lambda x: any((x, y) in r for y in ELEMENTS), 1),
    "functional": lambda r: everywhere(lambda x, y, z: not {(x, y), (x, z)} <= r or y == z, 3),
    "injective": lambda r: everywhere(lambda x, y, z: not {(x, z), (y, z)} <= r or x == y, 3),
    "surjective": lambda r: everywhere(lambda y: any((x, y) in r for x in ELEMENTS), 1),
}

ATTRIBUTES = list(PROPERTIES)


@cache
def relations() -> list[frozenset[str]]:
    """For each relation on three elements, the properties that it has."""
    pairs = list(product(ELEMENTS, repeat=2))
    every = (
        frozenset(pair for pair, inside in zip(pairs, row, strict=True) if inside) for row in product((0, 1), repeat=9)
    )
    return [frozenset(name for name, holds in PROPERTIES.items() if holds(relation)) for relation in every]


def closure(properties: Iterable[str]) -> list[str]:
    """All properties that every relation with the given ones has."""
    given = set(properties)
    having = [has for has in relations() if given <= has]
    return [name for name in ATTRIBUTES if all(name in has for has in having)]


def table() -> str:
    """All relations and their properties, as CSV."""
    rows = [
        ",".join([str(number), *("01"[name in has] for name in ATTRIBUTES)]) for number, has in enumerate(relations())
    ]
    return "\n".join([",".join(["relation", *ATTRIBUTES]), *rows]) + "\n"


if __name__ == "__main__":
    print(table(), end="")
