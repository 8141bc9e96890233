"""How many sets to draw in place of an equivalence query, and how to draw them.

D. Angluin, *Queries and Concept Learning*, 1988, section 2.4, replaces the i-th equivalence query by the comparison of
so many random sets that all the queries of a run together err with probability delta at most. That the *closures* of
few sets are wrong is the strong approximation of D. Borchmann, T. Hanika and S. Obiedkov, *Probably approximately
correct learning of Horn envelopes from queries*, 2020.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context, Decimal

from hornbook.errors import BadQuestion
from hornbook.universe import Attrs

SampleCount = Callable[[float, float, int], int]
"""Epsilon, delta and i give how many sets to draw for the i-th equivalence query, counted from 1."""

# Decimal, and not the machine's logarithm: no rounding can move a ceiling, and all machines draw the same number.
_PRECISE = Context(prec=60)


def angluin(epsilon: float, delta: float, i: int) -> int:
    """ceil((ln(1/delta) + i ln 2) / epsilon), Angluin 1988: the i-th query may err with probability delta / 2^i."""
    halvings = _PRECISE.multiply(Decimal(i), _PRECISE.ln(Decimal(2)))
    return _ceil(_PRECISE.subtract(halvings, _PRECISE.ln(_decimal(delta))), epsilon)


def telescoping(epsilon: float, delta: float, i: int) -> int:
    """ceil(ln(i (i + 1) / delta) / epsilon): the i-th query may err with probability delta (1/i - 1/(i + 1)).

    These sum to delta too, and the counts grow with the logarithm of i: far fewer sets in a run of many queries.
    """
    product = _PRECISE.ln(Decimal(i * (i + 1)))
    return _ceil(_PRECISE.subtract(product, _PRECISE.ln(_decimal(delta))), epsilon)


def _ceil(logarithm: Decimal, epsilon: float) -> int:
    return int(_PRECISE.divide(logarithm, _decimal(epsilon)).to_integral_value(ROUND_CEILING))


def _decimal(value: float) -> Decimal:
    """The number as it is written: 0.1 is a tenth."""
    return Decimal(repr(float(value)))


@dataclass(frozen=True, slots=True)
class Distribution:
    """Draws sets over this many attributes; what is guaranteed is guaranteed for sets drawn like this."""

    name: str
    draw: Callable[[random.Random, int], Attrs]


UNIFORM = Distribution("uniformly", lambda chance, size: chance.getrandbits(size) if size else 0)


def each_with(probability: float) -> Distribution:
    """Each attribute is in with this probability: small sets where it is small, and uniform ones hardly ever are."""
    if not 0 < probability < 1:
        raise BadQuestion(f"attributes cannot be drawn with probability {probability}; it lies between 0 and 1")
    return Distribution(
        f"attribute by attribute, each with probability {probability}",
        lambda chance, size: sum(1 << position for position in range(size) if chance.random() < probability),
    )


@dataclass(frozen=True, slots=True)
class Sample:
    """Which sets are drawn for which equivalence query, and how many of them were needed."""

    size: int
    epsilon: float
    delta: float
    seed: int
    distribution: Distribution
    count: SampleCount
    used: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, value in (("epsilon", self.epsilon), ("delta", self.delta)):
            if not 0 < value < 1:
                raise BadQuestion(f"{name} is {value}; it lies between 0 and 1, say 0.05")

    def draws(self) -> Iterator[Attrs]:
        """The sets for the next equivalence query, from a stream of its own; counted as they are taken."""
        self.used.append(0)
        number = len(self.used)
        chance = random.Random(f"{self.seed}/{number}")
        for _ in range(self.count(self.epsilon, self.delta, number)):
            self.used[-1] += 1
            yield self.distribution.draw(chance, self.size)

    @property
    def taken(self) -> int:
        """How many sets were taken so far, for all queries together."""
        return sum(self.used)

    @property
    def promise(self) -> str:
        """What may be said of a hypothesis that all sets of its own query agreed with, up to the verb."""
        sure, how = _PRECISE.subtract(Decimal(1), _decimal(self.delta)), self.distribution.name
        return f"with probability at least {sure}, at most {_decimal(self.epsilon)} of all sets (drawn {how})"
