"""The paper, run: every table, theorem, lemma, proposition, corollary, example, mimic and open problem, measured.

Learning Definite Horn Formulas from Closure Queries (Arias, Balcazar, Tirnauca). A claim holds, or is an erratum (a
witness shows it false as printed, and its correction holds), or fails.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hornbook.paper import (
    learning,
    lemmas,
    lower_bound,
    mimic_claims,
    mimic_orders,
    models,
    open_problems,
    preliminaries,
    table1,
    table1_steps,
    table2,
)
from hornbook.paper.claims import SAMPLE_SEED, Claim, Context, Item, Methods, settle

__all__ = ["SAMPLE_SEED", "Claim", "Context", "Item", "Methods", "claims", "run"]


def claims() -> list[Claim]:
    """Every claim, in the order of the paper."""
    return [
        *preliminaries.CLAIMS,
        *learning.CLAIMS,
        *lemmas.CLAIMS,
        *models.CLAIMS,
        *lower_bound.CLAIMS,
        *table1.CLAIMS,
        *table1_steps.CLAIMS,
        *table2.CLAIMS,
        *mimic_claims.OF_CLH,
        *mimic_orders.CLAIMS,
        *mimic_claims.OF_LRN,
        *open_problems.CLAIMS,
    ]


def run(
    methods: Methods | None = None,
    *,
    quick: bool = True,
    seed: int = SAMPLE_SEED,
    data: Path | None = None,
    only: Callable[[Claim], bool] = lambda claim: True,
    done: Callable[[Item], None] = lambda item: None,
) -> list[Item]:
    """Every claim, settled, with these methods under test. `only` picks claims, `done` hears of each when settled.

    `data` is a folder of real theories, .imp files, to measure Table 2 on; some are there without it.
    """
    context = Context(methods or Methods(), quick, seed, data)
    items = []
    for claim in claims():
        if only(claim):
            items.append(settle(claim, context))
            done(items[-1])
    return items
