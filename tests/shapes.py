"""Rules and sets of all shapes, the closure as it is defined, and each of the two ways to it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from hornbook import chaining
from hornbook.kernels import switch

Rule = tuple[int, int]


@contextmanager
def path(*, compiled: bool, together: bool = False) -> Iterator[None]:
    """Everything goes one of the two ways, whatever it costs; canonical bases by the one kernel or by the other."""
    from hornbook.kernels import front

    with (
        patch.object(switch, "pays", lambda *_: compiled),
        patch.multiple(chaining, FEW=0, PACK=0, PACK_RULE=0),
        patch.object(front, "saved_together", lambda _: together),
    ):
        yield


def closure(rules: Sequence[Rule], attrs: int) -> int:
    """Whatever a rule adds is added, until none adds anything."""
    grown = True
    while grown:
        grown = False
        for premise, conclusion in rules:
            if premise | attrs == attrs and conclusion | attrs != attrs:
                attrs, grown = attrs | conclusion, True
    return attrs


def is_canonical(basis: Sequence[Rule], rules: Sequence[Rule]) -> bool:
    """The same theory; of premises that are not closed; each with all closures of smaller ones, and its own closure."""
    premises = [premise for premise, _ in basis]
    return (
        all(closure(basis, premise) == closure(rules, premise) for premise, _ in [*basis, *rules])
        and len(set(premises)) == len(premises)
        and all(premise != closed == closure(rules, premise) for premise, closed in basis)
        and all(closed | p == p for p in premises for q, closed in basis if q != p and q | p == p)
    )


def some_rules(size: int, count: int, seed: int) -> list[Rule]:
    """Rules of all shapes: none or many in premise and conclusion, conclusions in premises, repeated ones."""
    rng = random.Random(seed)
    rules: list[Rule] = []
    for _ in range(count):
        needs = rng.choice([0, 1, 1, 2, 2, 3, 4, 9] if rng.random() < 0.2 else [1, 2, 2, 3])
        premise, conclusion = some_set(rng, size, needs), some_set(rng, size, rng.choice([0, 1, 1, 1, 2, 7, 30]))
        shape = rng.random()
        if shape < 0.1 and rules:
            premise = rng.choice(rules)[0]
        elif shape < 0.2:
            conclusion |= premise
        rules.append((premise, conclusion))
        if shape > 0.95:
            rules.append((premise, conclusion))
    return rules


def some_set(rng: random.Random, size: int, most: int) -> int:
    attrs = 0
    for _ in range(most if size else 0):
        attrs |= 1 << rng.randrange(size)
    return attrs


def some_sets(size: int, count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [some_set(rng, size, rng.choice([0, 1, 2, 5, size // 6, size])) for _ in range(count)]
