"""A black box of algebra: which permutations of four things generate which others.

    hornbook learn python:examples.groups.subgroups:closure

The attributes are the 24 elements of the symmetric group S4, written by where they send abcd. The closure of a set of
permutations is the subgroup that it generates, so the closed sets are the 30 subgroups of S4.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

ATTRIBUTES = ["".join(permutation) for permutation in permutations("abcd")]


def then(first: str, second: str) -> str:
    """First the one permutation, then the other."""
    return "".join(second["abcd".index(letter)] for letter in first)


def closure(generators: Iterable[str]) -> list[str]:
    """The subgroup generated: the products of the generators. (In a finite group inverses are among them.)"""
    generators = list(generators)
    group, new = {"abcd"}, ["abcd"]
    while new:
        product = {then(element, generator) for element in new for generator in generators} - group
        group |= product
        new = sorted(product)
    return [element for element in ATTRIBUTES if element in group]
