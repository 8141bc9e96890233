"""The conformance kit: try your own learner or oracle on every small theory there is, and on random larger ones.

from hornbook.testing import check_learner, check_oracle, every_theory, random_theory
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hornbook.conformance import check_oracle
from hornbook.dialogue import Learner, Session, run
from hornbook.errors import BadQuestion
from hornbook.layers import Counts, counted, no_counts
from hornbook.oracles.known import KnownTheory, Policy, adversarial, at_random, first, largest, smallest
from hornbook.queries import CloseAll, EntailmentEquivalent, Entails, Equivalent, Holds, Query, Unspecified
from hornbook.routes import served
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything

__all__ = [
    "POLICIES",
    "Trial",
    "audited",
    "check_learner",
    "check_lemmas",
    "check_oracle",
    "closure_systems_below",
    "every_closure_system",
    "every_theory",
    "random_theory",
    "theory_of",
]

POLICIES: dict[str, Policy] = {"first": first, "smallest": smallest, "largest": largest, "adversarial": adversarial}


def every_closure_system(size: int) -> Iterator[list[Attrs]]:
    """Every family of sets that is closed under intersection and has the set of all attributes; largest set first.

    There are 1, 2, 7, 61, 2,480 and 1,385,552 of them on 0 to 5 attributes.
    """
    full = everything(size)
    return closure_systems_below(full, [full])


def closure_systems_below(limit: Attrs, family: Sequence[Attrs]) -> Iterator[list[Attrs]]:
    """Every closure system whose sets from `limit` upwards, as numbers, are the family."""

    def extend(attrs: Attrs, family: list[Attrs], forced: frozenset[Attrs]) -> Iterator[list[Attrs]]:
        # From the largest number down: an intersection is never larger than what is being decided.
        if attrs < 0:
            yield family
            return
        yield from extend(attrs - 1, [*family, attrs], forced.union(attrs & other for other in family))
        if attrs not in forced:
            yield from extend(attrs - 1, family, forced)

    start = list(family)
    return extend(limit - 1, start, frozenset(a & b for a in start for b in start))


def theory_of(size: int, family: Sequence[Attrs]) -> Theory:
    """The canonical basis of a closure system, straight from the definition of pseudo-closed sets.

    P is pseudo-closed when it is not closed and contains the closure of every pseudo-closed proper subset.
    """

    def closure(attrs: Attrs) -> Attrs:
        closed = full
        for member in family:
            if attrs & ~member == 0:
                closed &= member
        return closed

    full = everything(size)
    basis: list[Implication] = []
    for attrs in sorted(range(full + 1), key=lambda attrs: (attrs.bit_count(), attrs)):
        closed = closure(attrs)
        if closed != attrs and all(known.premise & ~attrs or not known.conclusion & ~attrs for known in basis):
            basis.append(Implication(attrs, closed))
    return Theory(size, tuple(basis))


def every_theory(size: int) -> Iterator[Theory]:
    """The canonical basis of every closure system on this many attributes."""
    return (theory_of(size, family) for family in every_closure_system(size))


def random_theory(
    size: int,
    count: int,
    *,
    premise: tuple[int, int] = (1, 3),
    conclusion: tuple[int, int] = (1, 2),
    seed: int = 0,
) -> Theory:
    """A theory of `count` random implications, their sides of these sizes; the same for the same seed."""
    chance = random.Random(seed)

    def draw(least: int, most: int) -> Attrs:
        chosen = chance.sample(range(size), min(size, chance.randint(least, most)))
        return sum(1 << position for position in chosen)

    return Theory.of(size, [(draw(*premise), draw(*conclusion)) for _ in range(count)])


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a learner: what it learned, against whom, and what it asked."""

    target: Theory
    learned: Theory
    policy: str
    counts: Counts


def check_learner(
    learner: Callable[[int], Learner[Any]],
    targets: Iterable[Theory] | None = None,
    *,
    seeds: int = 5,
    canonical: bool = True,
    most: int = 100_000,
) -> list[Trial]:
    """Run the learner on every target under every policy of counterexamples; raise at the first wrong result.

    The targets are all theories on up to three attributes unless given. The result is a theory, or has one in its field
    `theory`; a learner that promises no more than an equivalent one is checked with canonical=False. The same answers
    must lead to the same questions each time. One that asks more than `most` queries does not seem to end.
    """
    if targets is None:
        targets = [theory for size in range(4) for theory in every_theory(size)]
    policies = POLICIES | {f"random, seed {seed}": at_random(seed) for seed in range(seeds)}
    trials = []
    for target in targets:
        expected = target.canonical()
        for name, policy in policies.items():
            counts = no_counts()
            try:
                learned = _learned(learner, KnownTheory(target, policy), counts, most)
                right = learned.in_order() == expected if canonical else learned.equivalent(expected)
                if not right:
                    raise BadQuestion(f"under policy {name}, {learned} was learned where the target is {expected}")
            except Exception as error:
                error.add_note(f"under policy {name}, the target is {target}")
                raise
            trials.append(Trial(target, learned, name, counts))
    return trials


def _learned(learner: Callable[[int], Learner[Any]], oracle: KnownTheory, counts: Counts, most: int) -> Theory:
    """What the learner learned; BadQuestion where it is no theory."""
    size = oracle.theory.size
    asking = _ending(served(_in_step(learner(size), learner(size), size), oracle, size), counts, most)
    found = run(asking, oracle)
    learned = getattr(found, "theory", found)
    if not isinstance(learned, Theory) or learned.size != size:
        raise BadQuestion(f"{found!r} was learned, and a theory over {size} attributes is wanted")
    return learned


def _in_step(learner: Learner[Any], twin: Learner[Any], size: int) -> Learner[Any]:
    """The learner, and beside it another one of its make, told the same; BadQuestion where the two part ways.

    Or where a question is none, or not about these attributes.
    """
    one, other = Session(learner), Session(twin)
    while one.query is not None:
        if other.query != one.query:
            raise BadQuestion(f"after the same answers it asks {one.query} one time and {other.query} another time")
        _check_question(one.query, size)
        answer = yield one.query
        one.answer(answer)
        other.answer(answer)
    if other.query is not None or one.result != other.result:
        raise BadQuestion(f"after the same answers it returns {one.result} one time and not another time")
    return one.result


def _check_question(query: Any, size: int) -> None:
    """Raise unless it is a query, and about these attributes."""
    if not isinstance(query, Query):
        raise BadQuestion(f"{query!r} is asked, which is no query; yield one of those in hornbook.queries")
    if isinstance(query, Equivalent | EntailmentEquivalent):
        inside = query.hypothesis.size == size
    else:
        inside = all(isinstance(attrs, int) and attrs >> size == 0 for attrs in _sets(query))
    if not inside:
        raise BadQuestion(f"{query} does not ask about {size} attributes")


def _sets(query: Any) -> Sequence[Attrs]:
    """The sets that the query is about."""
    if isinstance(query, CloseAll):
        return query.sets
    if isinstance(query, Entails):
        return [query.premise] if query.attribute is None else [query.premise, 1 << query.attribute]
    if isinstance(query, Holds):
        return [query.implication.premise, query.implication.conclusion]
    if isinstance(query, Unspecified):
        return [query.ones, query.zeros]
    return [query.attrs]


def _ending(learner: Learner[Any], counts: Counts, most: int) -> Learner[Any]:
    """The learner, its queries counted; it is stopped when it has asked more than that."""
    asking = counted(learner, counts)
    try:
        query = next(asking)
        while sum(counts.values()) <= most:
            query = asking.send((yield query))
    except StopIteration as end:
        return end.value
    raise BadQuestion(f"more than {most} queries, {counts}: the learner does not seem to end; it asks {query}")


def audited(learner: Learner[Theory], target: Theory) -> Learner[Theory]:
    """The learner; each hypothesis that it asks about must keep what the lemmas on ClH promise."""
    basis = target.canonical()
    try:
        query = next(learner)
        while True:
            if isinstance(query, Equivalent | EntailmentEquivalent):
                check_lemmas(query.hypothesis, basis)
            query = learner.send((yield query))
    except StopIteration as end:
        result: Theory = end.value
        return result


def check_lemmas(hypothesis: Theory, target: Theory) -> None:
    """Raise unless the hypothesis is one that ClH may ask about: the invariants of the paper's Section 3.

    No longer than the basis; sound and right-saturated under the target; a model of the target between the meet of any
    two premises and the later of the two (Lemma z); saturated, so the canonical basis of what it represents.
    """
    premises = [known.premise for known in hypothesis]
    if len(premises) > len(target):
        raise BadQuestion(f"{len(premises)} implications, where the target has {len(target)}: {hypothesis}")
    for known in hypothesis:
        if known.conclusion != target.closure(known.premise):
            raise BadQuestion(f"{known} is not right-saturated under the target {target}")
    for later, y in enumerate(premises):
        for x in premises[:later]:
            if target.closure(x & y) & ~y:
                raise BadQuestion(f"no model of the target lies between {x & y} and {y} (Lemma z): {hypothesis}")
    if not hypothesis.saturated() or hypothesis.in_order() != hypothesis.canonical():
        raise BadQuestion(f"not saturated: {hypothesis}")
