"""Theorem 3 and what surrounds it: saturated formulas, the one saturated basis, and the procedure that finds it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from hornbook.chaining import Rule
from hornbook.paper.claims import Context, Finding, spelled
from hornbook.paper.runs import four, small_theories
from hornbook.theory import Theory
from hornbook.universe import Attrs, members

WITNESSES = (
    Theory.of(1, [(0b1, 0b1)]),
    Theory.of(2, [(0b01, 0b11), (0b01, 0b11)]),
    Theory.of(2, [(0b00, 0b11), (0b01, 0b11)]),
)
"""Saturated as printed, and redundant: {a -> a}; {a -> ab, a -> ab}; {{} -> ab, a -> ab}, where a bullet is a, because
the first implication is in the class of a."""


def saturated_is_irredundant(context: Context) -> Finding:
    """Under the printed definition three witnesses are redundant; under that of 2011 nothing is."""
    witnesses = sum(saturated_as_printed(context, w) and not w.irredundant() for w in WITNESSES)
    saturated = redundant = 0
    for _, formula in _right_saturated_formulas(3):
        if saturated_in_2011(context, formula):
            saturated += 1
            redundant += not formula.irredundant()
    return Finding(
        redundant == 0 and saturated > 0,
        f"{{a -> a}}, {{a -> ab, a -> ab}}, {{{{}} -> ab, a -> ab}}: {witnesses} of 3 saturated as printed and "
        f"redundant; corrected: {redundant} of {saturated} saturated formulas on up to 3 attributes",
        {"witnesses": witnesses, "saturated": saturated, "redundant": redundant},
        refuted=witnesses == 3,
    )


def one_saturated_basis(context: Context) -> Finding:
    """Of all formulas y -> y* that are equivalent to the target, the number that is saturated: printed, and of 2011."""
    counts = _bases(context)
    exactly = sum(count.saturated == 1 for count in counts)
    several = sum(count.as_printed > 1 for count in counts)
    return Finding(
        exactly == len(counts),
        f"as printed (y = y bullet, y != y*, distinct premises) {several} of {len(counts)} theories on up to 3 "
        f"attributes have several, up to {max(count.as_printed for count in counts)}; corrected, {exactly} have "
        "exactly one",
        {"theories": len(counts), "exactly one": exactly, "several as printed": several},
        refuted=several > 0,
    )


def saturated_is_smallest(context: Context) -> Finding:
    """The saturated basis has as few implications as any basis: right-saturating one never makes it longer."""
    counts = _bases(context)
    smallest = sum(count.size == count.least for count in counts)
    return Finding(
        smallest == len(counts),
        f"{smallest} of {len(counts)} saturated bases are of minimum size, by trying every basis",
        {"theories": len(counts), "smallest": smallest},
    )


@dataclass(slots=True)
class _Bases:
    """What all bases of one theory show: how many are saturated, the size of such a one, the least size of any."""

    as_printed: int = 0
    saturated: int = 0
    size: int = -1
    least: int = 99


def _bases(context: Context) -> list[_Bases]:
    def count() -> list[_Bases]:
        found: dict[Theory, _Bases] = {}
        for target, formula in _right_saturated_formulas(3):
            if formula.equivalent(target):
                bases = found.setdefault(target, _Bases())
                bases.least = min(bases.least, len(formula))
                # All premises here are distinct and not closed, so nothing but the definition is at stake.
                bases.as_printed += saturated_as_printed(context, formula)
                if saturated_in_2011(context, formula):
                    bases.saturated, bases.size = bases.saturated + 1, len(formula)
        return list(found.values())

    return context.once("saturated bases", count)


def _right_saturated_formulas(most: int) -> Iterator[tuple[Theory, Theory]]:
    """Every target on up to `most` attributes, with every set of implications y -> y* that are true of it."""
    for target in small_theories(most):
        rules = [(y, target.closure(y)) for y in range(1 << target.size)]
        rules = [rule for rule in rules if rule[0] != rule[1]]
        for count in range(len(rules) + 1):
            for chosen in combinations(rules, count):
                yield target, Theory.of(target.size, chosen)


def saturated_as_printed(context: Context, formula: Theory) -> bool:
    """Quasi-closed on the left and the whole closure on the right."""
    methods = context.methods
    return all(
        methods.quasi_closure(formula, i.premise) == i.premise and methods.closure(formula, i.premise) == i.conclusion
        for i in formula
    )


def saturated_in_2011(context: Context, formula: Theory) -> bool:
    """As Arias and Balcazar define it: each premise satisfies all other implications and violates its own."""
    return all(
        i.conclusion == context.methods.closure(formula, i.premise)
        and not i.satisfied_by(i.premise)
        and all(j.satisfied_by(i.premise) for place, j in enumerate(formula) if place != index)
        for index, i in enumerate(formula)
    )


# The procedure of Section 2.4


def procedure_by_classes(context: Context) -> Finding:
    """Section 2.4 on every theory, said in several ways, against the definition of pseudo-closed sets."""
    return _procedure(context, context.methods.by_classes)


def procedure_two_pass(context: Context) -> Finding:
    """The same for the two passes used everywhere else here."""
    return _procedure(context, context.methods.two_pass)


def _procedure(context: Context, method: Callable[[int, Sequence[Rule]], list[Rule]]) -> Finding:
    right, cases, wrong = 0, 0, None
    for target in [*small_theories(), *four(context, 9)]:
        for rules in _said(target, context.seed):
            cases += 1
            if sorted(method(target.size, rules)) == sorted(target.rules):
                right += 1
            elif wrong is None:
                wrong = spelled(Theory.of(target.size, rules))
    shown = "" if wrong is None else f"; wrong on {wrong}"
    return Finding(
        right == cases,
        f"{right} of {cases} representations lead to the pseudo-closed sets{shown}",
        {"cases": cases, "right": right},
    )


def _said(target: Theory, seed: int) -> list[list[Rule]]:
    """The theory in five ways: as is, in single clauses, by small premises, with noise and repeats, by all its sets."""
    chance = random.Random(seed)
    clauses = [(p, 1 << b) for p, c in target.rules for b in members(c & ~p)]
    small = [(_smallest(target, p, c), c) for p, c in target.rules]
    noisy = [*clauses, *target.rules, *clauses[:2], (1, 1)] if target.size else []
    every = [(y, target.closure(y)) for y in range(1 << target.size)]
    for rules in (clauses, noisy, every):
        chance.shuffle(rules)
    return [target.rules, clauses, small, noisy, every]


def _smallest(target: Theory, premise: Attrs, closed: Attrs) -> Attrs:
    """A premise with the same closure from which no attribute can be left out."""
    for position in members(premise):
        if target.closure(premise ^ (1 << position)) == closed:
            premise ^= 1 << position
    return premise
