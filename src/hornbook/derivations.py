"""Derivations: forward chains to a goal, in which no step can be left out and none adds what nobody needs.

A step is the index of a rule with what it adds. In a theory with negative clauses a rule whose conclusion is everything
is one of them: it adds None, "impossible".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from hornbook import chaining
from hornbook.chaining import Rule
from hornbook.universe import Attrs

Link: TypeAlias = tuple[int, Attrs | None]


def derived(rules: Sequence[Rule], premise: Attrs, goal: Attrs, indices: Iterable[int]) -> list[Link] | None:
    """A derivation of goal from premise by the rules at these indices; None where there is none."""
    kept = _needed(rules, premise, goal, indices)
    if kept is None:
        return None
    for index in list(kept):
        # What was needed on the way found first may still be spared on another.
        shorter = _needed(rules, premise, goal, [i for i in kept if i != index])
        kept = kept if shorter is None else shorter
    return _steps(rules, premise, goal, kept)


def contradicted(rules: Sequence[Rule], premise: Attrs, full: Attrs) -> list[Link]:
    """Why no model has all of a contradictory premise: what the first clause against it stands on, and that clause.

    Where no clause says that full is no model, it ends with the derivation of full.
    """
    definite = definite_in(rules, full)
    known = chaining.close(premise, [rules[index] for index in definite])
    for index, (against, conclusion) in enumerate(rules):
        if conclusion == full and against & ~known == 0:
            return [*(derived(rules, premise, against, definite) or ()), (index, None)]
    return derived(rules, premise, full, definite) or []


def definite_in(rules: Sequence[Rule], full: Attrs) -> list[int]:
    """The indices of the rules that are no negative clauses."""
    return [index for index, (_, conclusion) in enumerate(rules) if conclusion != full]


def _needed(rules: Sequence[Rule], premise: Attrs, goal: Attrs, indices: Iterable[int]) -> list[int] | None:
    """Those of the rules that a shortest forward chain to the goal uses, in order of use."""
    known, fired = premise, []
    waiting = list(indices)
    while goal & ~known:
        ready = [i for i in waiting if rules[i][0] & ~known == 0]
        waiting = [i for i in waiting if rules[i][0] & ~known]
        before = known
        for index in ready:
            if rules[index][1] & ~known:
                fired.append((index, known))
                known |= rules[index][1]
        if known == before:
            return None
    wanted, used = goal & ~premise, []
    for index, had in reversed(fired):
        needs, gives = rules[index]
        if gives & ~had & wanted:
            used.append(index)
            wanted = (wanted & ~(gives & ~had)) | (needs & ~premise)
    return used[::-1]


def _steps(rules: Sequence[Rule], premise: Attrs, goal: Attrs, indices: list[int]) -> list[Link]:
    """The derivation, each step with only what a later step or the goal needs of it."""
    known, added = premise, []
    for index in indices:
        added.append((index, rules[index][1] & ~known))
        known |= rules[index][1]
    wanted: Attrs = goal & ~premise
    trimmed: list[Link] = []
    for index, new in reversed(added):
        trimmed.append((index, new & wanted))
        wanted |= rules[index][0] & ~premise
    return trimmed[::-1]
