"""Reductions: one function for each arrow between query models, Table 1 of the paper and more.

A reduction answers one kind of query by asking others. It is a generator, so it *is* a small learner, and its cost is
what it yields. n is the number of attributes; where a reduction needs n, a function of n returns it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from hornbook.dialogue import Learner
from hornbook.errors import BadAnswer, CannotAnswer
from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Unspecified,
)
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, attrs_of, everything, members

# Table 1 of the paper, from the bottom up: what closure and equivalence queries give.


def contains_by_closure(query: Contains) -> Learner[bool]:
    """CQ => SMQ: one closure query."""
    closed: Attrs | None = yield Close(query.attrs)
    return closed == query.attrs


def entails_by_closure(query: Entails) -> Learner[bool]:
    """CQ => EMQ: one closure query. A contradictory premise entails everything."""
    closed = yield Close(query.premise)
    if closed is None:
        return True
    return query.attribute is not None and closed >> query.attribute & 1 == 1


def distinguishing_clause_by_counterexample(query: EntailmentEquivalent) -> Learner[Implication | None]:
    """SEQ + CQ => EEQ: one equivalence query, and one closure query for a negative counterexample."""
    hypothesis = query.hypothesis
    x = yield Equivalent(hypothesis)
    if x is None:
        return None
    if hypothesis.satisfies(x):  # x is a model of the hypothesis, so none of the target.
        closed = yield Close(x)
        beyond = hypothesis.everything if closed is None else closed
    else:
        beyond = hypothesis.closure(x)
    return _clause(x, beyond)


# What entailment queries give.


def close_by_entails(size: int) -> Callable[[Close], Learner[Attrs]]:
    """EMQ => CQ: one entailment query for each attribute outside, at most n.

    The closure of a contradictory set comes out as all attributes: only the clause without a head tells more.
    """

    def close(query: Close) -> Learner[Attrs]:
        closed = query.attrs
        for attribute in members(everything(size) & ~query.attrs):
            if (yield Entails(query.attrs, attribute)):
                closed |= 1 << attribute
        return closed

    return close


def contains_by_entails(size: int) -> Callable[[Contains], Learner[bool]]:
    """EMQ => SMQ: at most n entailment queries; the first entailed attribute settles it."""

    def contains(query: Contains) -> Learner[bool]:
        outside: list[int | None] = list(members(everything(size) & ~query.attrs))
        # Only the set of all attributes needs the clause without a head: elsewhere that clause entails all others.
        for attribute in outside or [None]:
            if (yield Entails(query.attrs, attribute)):
                return False
        return True

    return contains


def counterexample_by_clause(size: int) -> Callable[[Equivalent], Learner[Attrs | None]]:
    """EEQ + EMQ => SEQ: one entailment equivalence query, and at most n entailment queries.

    A clause that the target entails gives a negative counterexample for free: its premise closed under the hypothesis.
    A clause that the hypothesis entails gives a positive one: its premise closed under the target.
    """

    def counterexample(query: Equivalent) -> Learner[Attrs | None]:
        clause: Implication | None = yield EntailmentEquivalent(query.hypothesis)
        if clause is None:
            return None
        if not query.hypothesis.entails(clause):
            return query.hypothesis.closure(clause.premise)
        return (yield from close_by_entails(size)(Close(clause.premise)))

    return counterexample


# What membership queries alone give: everything, at an exponential price that no reduction can avoid.


def close_by_contains(size: int) -> Callable[[Close], Learner[Attrs | None]]:
    """SMQ => CQ: at most 2^(n - |y|) membership queries; the first model found above y is the closure."""

    def close(query: Close) -> Learner[Attrs | None]:
        for superset in _supersets(query.attrs, everything(size)):
            if (yield Contains(superset)):
                return superset
        return None

    return close


def entails_by_contains(size: int) -> Callable[[Entails], Learner[bool]]:
    """SMQ => EMQ: at most 2^(n - |premise| - 1) membership queries; a model without the attribute refutes."""

    def entails(query: Entails) -> Learner[bool]:
        head = 0 if query.attribute is None else 1 << query.attribute
        if head & query.premise:
            return True
        for superset in _supersets(query.premise, everything(size) & ~head):
            if (yield Contains(superset)):
                return False
        return True

    return entails


# With equivalence queries the price is polynomial: learn the target first.


def close_by_learning(learn: Callable[[], Learner[Theory]]) -> Callable[[Close], Learner[Attrs | None]]:
    """SEQ + SMQ => CQ: learn the target with this learner when first asked, then answer from what was learned.

    The queries of one run of AFP, O(n m^2) of them for a target of m implications, are paid once for all closures.
    """
    learned: list[Theory] = []

    def close(query: Close) -> Learner[Attrs | None]:
        if not learned:
            learned.append((yield from learn()))
        return learned[0].closure(query.attrs) if learned[0].consistent(query.attrs) else None

    return close


# The implication question of attribute exploration.


def refutation_by_closure(query: Holds) -> Learner[Attrs | None]:
    """CQ => implication question: one closure query; the closure of the premise is the counterexample."""
    closed = yield Close(query.implication.premise)
    return None if closed is None or query.implication.conclusion & ~closed == 0 else closed


def entails_by_refutation(query: Entails) -> Learner[bool]:
    """Implication question => EMQ: one question. Negative clauses are out of its reach."""
    if query.attribute is None:
        raise CannotAnswer("an implication question cannot tell whether the set of all attributes is a model")
    return (yield Holds(Implication(query.premise, 1 << query.attribute))) is None


def close_by_refutation(size: int) -> Callable[[Close], Learner[Attrs]]:
    """Implication question => CQ: at most n - |y| + 1 questions, since each refutation rules attributes out."""

    def close(query: Close) -> Learner[Attrs]:
        upper = everything(size)
        while (model := (yield Holds(Implication(query.attrs, upper)))) is not None:
            if upper & ~model == 0:
                raise BadAnswer(f"{model:#b} does not refute {query.attrs:#b} -> {upper:#b}: it has all of it")
            upper &= model
        return upper

    return close


# Don't-care queries.


def entails_by_unspecified(query: Entails) -> Learner[bool]:
    """UAV => EMQ: one query; no completion without the attribute is a model."""
    if query.attribute is not None and query.premise >> query.attribute & 1:
        return True
    zeros = 0 if query.attribute is None else 1 << query.attribute
    return (yield Unspecified(query.premise, zeros)) is False


def contains_by_unspecified(size: int) -> Callable[[Contains], Learner[bool]]:
    """UAV => SMQ: one query without don't-cares."""

    def contains(query: Contains) -> Learner[bool]:
        return (yield Unspecified(query.attrs, everything(size) & ~query.attrs)) is True

    return contains


def close_by_unspecified(size: int) -> Callable[[Close], Learner[Attrs | None]]:
    """UAV => CQ: d (1 + ceil(log2 n)) + 1 queries for a closure that adds d attributes, by halving."""

    def close(query: Close) -> Learner[Attrs | None]:
        closed, unknown = query.attrs, list(members(everything(size) & ~query.attrs))
        while unknown and (yield Unspecified(closed, attrs_of(unknown))) is False:
            group = unknown
            while len(group) > 1:
                half = group[: len(group) // 2]
                if (yield Unspecified(closed, attrs_of(half))) is False:
                    group = half
                else:
                    group = group[len(half) :]
                    unknown = [attribute for attribute in unknown if attribute not in half]
            closed |= 1 << group[0]
            unknown.remove(group[0])
        if closed == everything(size) and (yield Unspecified(closed, 0)) is False:
            return None
        return closed

    return close


def unspecified_by_closure(size: int) -> Callable[[Unspecified], Learner[bool | None]]:
    """CQ => UAV: one query for 'none', at most n + 1 more for 'all'."""

    def unspecified(query: Unspecified) -> Learner[bool | None]:
        closed = yield Close(query.ones)
        if closed is None or closed & query.zeros:
            return False
        if closed != query.ones:
            return None
        largest = everything(size) & ~query.zeros
        # The completions are the intersections of these, and models are closed under intersection.
        for attrs in (largest, *(largest ^ (1 << star) for star in members(largest & ~query.ones))):
            if (yield Close(attrs)) != attrs:
                return None
        return True

    return unspecified


# Corrections and batches.


def contains_by_correction(query: Contains) -> Learner[bool]:
    """Correction query => SMQ: one query; exactly the models need no correction."""
    nearest: Attrs | None = yield Correct(query.attrs)
    return nearest == query.attrs


def close_all_by_closure(query: CloseAll) -> Learner[list[Attrs | None]]:
    """A batch, one closure query at a time."""
    closures = []
    for attrs in query.sets:
        closures.append((yield Close(attrs)))
    return closures


def close_by_batch(query: Close) -> Learner[Attrs | None]:
    """A batch of one."""
    closures: list[Attrs | None] = yield CloseAll((query.attrs,))
    return closures[0]


# Small helpers.


def _clause(x: Attrs, beyond: Attrs) -> Implication:
    """A clause with premise x and the first attribute of `beyond` that x lacks; none is left where x is everything."""
    added = beyond & ~x
    return Implication(x, added & -added if added else beyond)


def _supersets(lower: Attrs, upper: Attrs) -> Iterator[Attrs]:
    """The sets between lower and upper, smaller ones first."""
    free = list(members(upper & ~lower))
    for count in range(len(free) + 1):
        for chosen in combinations(free, count):
            yield lower | attrs_of(chosen)
