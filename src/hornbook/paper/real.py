"""Real theories to learn: three that are made here, and those in a folder.

Properties of binary relations are found by looking at all 512 relations on three elements, divisibility by computing
with numbers, and what holds of quadrilaterals is written down from school.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import lcm
from operator import and_
from pathlib import Path

from hornbook.errors import FormatError
from hornbook.lectic import pseudo_closed_sets
from hornbook.theory import Theory
from hornbook.universe import Attrs, attrs_of, everything, members

MOST_ATTRIBUTES, MOST_STATEMENTS = 180, 350

Pairs = frozenset[tuple[int, int]]

PROPERTIES: tuple[Callable[[Pairs], bool], ...] = (
    lambda r: all((x, x) in r for x in range(3)),  # reflexive
    lambda r: not any((x, x) in r for x in range(3)),  # irreflexive
    lambda r: all((y, x) in r for x, y in r),  # symmetric
    lambda r: all(x == y or (y, x) not in r for x, y in r),  # antisymmetric
    lambda r: all((y, x) not in r for x, y in r),  # asymmetric
    lambda r: all(y != z or (x, w) in r for x, y in r for z, w in r),  # transitive
    lambda r: all((x, y) in r or (y, x) in r for x in range(3) for y in range(3)),  # total
    lambda r: all(x != z or (y, w) in r for x, y in r for z, w in r),  # euclidean
    lambda r: len({x for x, _ in r}) == 3,  # serial
    lambda r: len({x for x, _ in r}) == len(r),  # functional
    lambda r: len({y for _, y in r}) == len(r),  # injective
    lambda r: len({y for _, y in r}) == 3,  # surjective
)

QUADRILATERALS = (
    ("parallelogram", "trapezium"),
    ("isosceles", "trapezium cyclic"),
    ("kite", "tangential"),
    ("rectangle", "parallelogram isosceles"),
    ("rhombus", "parallelogram kite"),
    ("square", "rectangle rhombus"),
    ("trapezium cyclic", "isosceles"),
    ("parallelogram cyclic", "rectangle"),
    ("parallelogram tangential", "rhombus"),
    ("kite trapezium", "rhombus"),
    ("rectangle kite", "square"),
)


def relations() -> Theory:
    """Which properties of a binary relation follow from which, on three elements."""
    places = [(x, y) for x in range(3) for y in range(3)]
    held = set()
    for chosen in product((False, True), repeat=9):
        pairs = frozenset(place for place, inside in zip(places, chosen, strict=True) if inside)
        held.add(attrs_of(i for i, holds in enumerate(PROPERTIES) if holds(pairs)))
    size = len(PROPERTIES)

    def closure(attrs: Attrs) -> Attrs:
        return reduce(and_, (having for having in held if attrs & ~having == 0), everything(size))

    return Theory.of(size, pseudo_closed_sets(size, closure)).in_order()


def divisibility(most: int = 18) -> Theory:
    """Which numbers from 2 on divide whatever others divide."""
    size = most - 1

    def closure(attrs: Attrs) -> Attrs:
        multiple = lcm(*(position + 2 for position in members(attrs)))
        return attrs_of(position for position in range(size) if multiple % (position + 2) == 0)

    return Theory.of(size, pseudo_closed_sets(size, closure)).in_order()


def quadrilaterals() -> Theory:
    """What a convex quadrilateral is, if it is something else."""
    names = list(dict.fromkeys(word for sides in QUADRILATERALS for side in sides for word in side.split()))
    said = [tuple(attrs_of(map(names.index, side.split())) for side in sides) for sides in QUADRILATERALS]
    return Theory.of(len(names), [(premise, conclusion) for premise, conclusion in said]).canonical()


@dataclass(frozen=True, slots=True)
class Collection:
    """Theories by name, each by its canonical basis, and what was left out, with the reason."""

    theories: tuple[tuple[str, Theory], ...]
    left_out: tuple[str, ...] = ()


def collected(folder: Path | None, most: int) -> Collection:
    """The theories made here and those in the .imp files of the folder, or of its folder `theories`.

    Bases of more than `most` implications are left out. A general Horn theory is the definite one of the embedding E1.
    """
    made = (("relations", relations()), ("divisibility", divisibility()), ("quadrilaterals", quadrilaterals()))
    if folder is None:
        return Collection(made)
    found, left_out = [], []
    for path, read in _read(folder):
        basis = read if isinstance(read, str) else _basis(read, most)
        if isinstance(basis, str):
            left_out.append(f"{path.name}: {basis}")
        else:
            found.append((path.stem, basis))
    if not found:
        why = "; ".join(left_out) or "it has no .imp files, nor has a folder `theories` in it"
        raise FormatError(f"holds no theory to measure: {why}", file=str(folder))
    return Collection((*made, *found), tuple(left_out))


def _read(folder: Path) -> Iterator[tuple[Path, Theory | str]]:
    from hornbook import formats

    inner = folder / "theories"
    for path in sorted((inner if inner.is_dir() else folder).glob("*.imp")):
        try:
            theory = getattr(formats.read(path).value, "theory", None)
        except FormatError as error:
            yield path, error.problem
            continue
        yield path, theory if isinstance(theory, Theory) else "is no theory"


def _basis(theory: Theory, most: int) -> Theory | str:
    """The canonical basis, or why not."""
    if theory.size > MOST_ATTRIBUTES or len(theory) > MOST_STATEMENTS:
        return (
            f"{theory.size} attributes and {len(theory)} implications are more than {MOST_ATTRIBUTES} and "
            f"{MOST_STATEMENTS}"
        )
    basis = Theory(theory.size, theory.implications).canonical()
    if len(basis) > most:
        return f"a basis of {len(basis)} implications is larger than {most}"
    return basis
