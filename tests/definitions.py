"""The definitions, word for word and by brute force: what everything else is compared with. Sets are ints here too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations

Rule = tuple[int, int]


def subset(a: int, b: int) -> bool:
    return a | b == b


def models(size: int, rules: Iterable[Rule]) -> list[int]:
    rules = list(rules)
    return [x for x in range(2**size) if all(not subset(p, x) or subset(c, x) for p, c in rules)]


def closure(family: Iterable[int], attrs: int, size: int) -> int:
    closed = 2**size - 1
    for model in family:
        if subset(attrs, model):
            closed &= model
    return closed


@cache
def closure_systems(size: int) -> tuple[tuple[int, ...], ...]:
    """Every intersection-closed family with the full set, grown from below: no shared code with the package."""
    full = 2**size - 1
    families = {frozenset([full])}
    for candidate in range(full):
        grown = set()
        for family in families:
            larger = {candidate} | {candidate & member for member in family} | family
            if all(a & b in larger for a, b in combinations(larger, 2)):
                grown.add(frozenset(larger))
        families |= grown
    return tuple(sorted((tuple(sorted(family)) for family in families), key=lambda f: (len(f), f)))


def pseudo_closed(size: int, family: Sequence[int]) -> list[int]:
    """P is pseudo-closed: P != P*, and Q* lies in P for every pseudo-closed Q that lies properly in P."""
    found: list[int] = []
    for attrs in sorted(range(2**size), key=int.bit_count):
        star = closure(family, attrs, size)
        if star != attrs and all(subset(closure(family, q, size), attrs) for q in found if subset(q, attrs)):
            found.append(attrs)
    return found


def canonical(size: int, family: Sequence[int]) -> set[Rule]:
    return {(p, closure(family, p, size)) for p in pseudo_closed(size, family)}


def meet_irreducible(size: int, family: Sequence[int]) -> set[int]:
    """Closed sets, the full one apart, that are no intersection of larger closed sets."""
    full = 2**size - 1
    found = set()
    for x in family:
        above = full
        for y in family:
            if y != x and subset(x, y):
                above &= y
        if x != full and above != x:
            found.add(x)
    return found


def quasi_closure(size: int, rules: Sequence[Rule], attrs: int) -> int:
    """Forward chaining without the rules whose premise has the same closure as attrs."""
    family = models(size, rules)
    star = closure(family, attrs, size)
    allowed = [(p, c) for p, c in rules if closure(family, p, size) != star]
    return closure(models(size, allowed), attrs, size)


def representations(size: int, family: Sequence[int]) -> list[list[Rule]]:
    """The same theory said in six ways: all pairs, right sides cut up, left sides shrunk, repeated with noise."""
    basis = sorted(canonical(size, family))
    every = [(a, closure(family, a, size)) for a in range(2**size)]
    clauses = [(p, 1 << b) for p, c in basis for b in range(size) if c >> b & 1]
    shrunk = []
    for p, c in basis:
        for b in range(size):
            if p >> b & 1 and closure(family, p ^ (1 << b), size) == c:
                p ^= 1 << b
        shrunk.append((p, c & ~p))
    return [basis, basis[::-1], every, clauses, shrunk, shrunk + basis + [(3 % 2**size, 1 % 2**size)]]
