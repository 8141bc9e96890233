"""The time column of Table 1, measured where each reduction has most to do.

Rows 1 and 2 meet a target f_x that lets no search end early, rows 7 and 8 the chain of implications in the order that
is worst for sweeps. m is the size of the hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from hornbook.dialogue import Learner
from hornbook.oracles.known import KnownTheory
from hornbook.paper.claims import Claim, Context, Finding
from hornbook.paper.lower_bound import f
from hornbook.paper.steps import Meter, counting, metered
from hornbook.paper.table1 import ROWS, Reduce, Showing, ask
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Query
from hornbook.testing import random_theory
from hornbook.theory import Implication, Theory
from hornbook.universe import everything


@dataclass(frozen=True, slots=True)
class _Try:
    """A query to put to a reduction, and the oracle that it may ask."""

    query: Query
    oracle: object
    implications: int = 1


def _tries(context: Context, row: int, size: int) -> Iterator[_Try]:
    last = size - 1
    if row <= 2:
        # The only model but that of all attributes comes last, so every superset is asked for.
        oracle = KnownTheory(f(size, everything(size) ^ 1 if row == 2 else 1 << last))
        yield _Try(Close(0) if row == 2 else Entails(0, last), oracle)
    elif row <= 6:
        nothing, chain = Theory(size), _chain(size, size)
        for target in (nothing, chain, random_theory(size, size, seed=context.seed)):
            for attrs in (0, 1, 6):
                query = Close(attrs) if row == 3 else Contains(attrs) if row in (4, 6) else Entails(attrs, last)
                yield _Try(query, KnownTheory(target))
    else:
        yield from _comparisons(context, row, size)


def _comparisons(context: Context, row: int, size: int) -> Iterator[_Try]:
    """Hypotheses with counterexamples of either sign: chains, and random theories of sparse and of full premises."""
    whole, shorter = _chain(size, size), _chain(size, size - 1)
    drawn = random_theory(size, 2 * size, seed=context.seed)
    dense = random_theory(size, 2 * size, premise=(size // 2, size // 2), seed=context.seed)
    for target, hypothesis in ((whole, shorter), (shorter, whole), (Theory(size), whole), (Theory(size), drawn),
                               (Theory(size), dense), (whole, drawn)):  # fmt: skip
        shown: Any
        if row == 7:
            shown = hypothesis.difference(target)
            query: Query = EntailmentEquivalent(hypothesis)
        else:
            shown = _clause(target, hypothesis) or _clause(hypothesis, target)
            query = Equivalent(hypothesis)
        yield _Try(query, Showing(target, shown), len(hypothesis))


def _chain(size: int, length: int) -> Theory:
    """a -> b, b -> c, ... over so many attributes, the last implication first."""
    return Theory.of(size, [(1 << i, 1 << (i + 1)) for i in reversed(range(length - 1))])


def _clause(one: Theory, other: Theory) -> Implication | None:
    """A clause that the first theory entails and the second one does not."""
    for attribute in range(one.size):
        beyond = one.closure(1 << attribute) & ~other.closure(1 << attribute)
        if beyond:
            return Implication(1 << attribute, 1 << (beyond.bit_length() - 1))
    for i in one:
        if beyond := i.conclusion & ~other.closure(i.premise):
            return Implication(i.premise, beyond & -beyond)
    return None


def steps(context: Context, row: int) -> Finding:
    """The most operations over what the table says, for doubling sizes: the constant does not grow."""
    exponential = row <= 2
    sizes = (4, 6, 8, 10) if exponential else context.either((8, 16, 32), (8, 16, 32, 64, 128))
    constants: list[float] = []
    bits: list[float] = []
    for size in sizes:
        most = most_bits = 0.0
        for tried in _tries(context, row, size):
            meter = Meter()
            asked = ask(metered(_reduction(context, row, size, tried.query, meter), meter), tried.oracle)[1]
            if not asked:
                return Finding(False, f"row {row} asked nothing at n = {size}")
            claimed = 2**size if exponential else size * tried.implications
            most = max(most, (meter.sets + meter.attributes if exponential else meter.bits(size)) / claimed)
            most_bits = max(most_bits, meter.bits(size) / claimed)
        constants.append(round(most, 2))
        bits.append(round(most_bits, 2))
    unit = "2^n" if exponential else "n" if row <= 6 else "nm"
    kind = "on sets and attributes" if exponential else "on bits"
    more = f"; on bits {_list(bits)} 2^n, since each set that is asked for has n" if exponential else ""
    return Finding(
        all(later <= 1.1 * earlier + 0.1 for earlier, later in pairwise(constants)),
        f"at most {_list(constants)} {unit} operations {kind} for n = {_list(sizes)}{more}",
        {"sizes": list(sizes), "constants": constants, "bits": bits},
    )


def _list(values: Any) -> str:
    return ", ".join(map(str, values))


def _reduction(context: Context, row: int, size: int, query: Query, meter: Meter) -> Learner[Any]:
    methods = context.methods
    handlers: tuple[Reduce, ...] = (
        methods.entails_by_contains(size),
        methods.close_by_contains(size),
        methods.close_by_entails(size),
        methods.contains_by_entails(size),
        methods.entails_by_closure,
        methods.contains_by_closure,
        methods.clause_by_counterexample,
        methods.counterexample_by_clause(size),
    )
    return handlers[row - 1](counting(meter, query))


TIMES = ("O(2^n)", "O(2^n)", "O(n)", "O(n)", "O(n)", "O(n)", "O(nm)", "O(nm)")
MEANT = (
    *("the same in operations on sets; each of them is n on bits",) * 2,
    *(None,) * 4,
    *("the same, if the hypothesis is closed in linear time; m is its size here, and that of the target in Table 2",)
    * 2,
)


def _claims() -> Iterator[Claim]:
    for number, (row, time, meant) in enumerate(zip(ROWS, TIMES, MEANT, strict=True), 1):
        yield Claim(
            f"Table 1, row {number}, steps",
            f"{row[0].split(':')[0]}: time {time}",
            partial(steps, row=number),
            f"hornbook.reductions.{row[2]}",
            meant,
            (6, 19) if number > 6 else (19,),
        )


CLAIMS = tuple(_claims())
