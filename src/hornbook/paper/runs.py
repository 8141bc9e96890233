"""Runs of learners that claims are checked on: every branch of small theories, policies on larger ones, worst cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from hornbook.dialogue import Handlers, Learner, Session, through
from hornbook.errors import BadQuestion
from hornbook.layers import Counts, no_counts
from hornbook.oracles.known import Candidates, KnownTheory, Policy, adversarial, at_random, first, largest, smallest
from hornbook.paper.claims import Context, Make
from hornbook.queries import EntailmentEquivalent, Equivalent, Query
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Theory
from hornbook.universe import Attrs, everything, members

T = TypeVar("T")

Record: TypeAlias = tuple[Query, Any]

MOST = 4_000
"""A run of more queries than this does not seem to end, unless a larger bound is known for it."""


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run: `learned` is None where it was cut off because it did not seem to end."""

    target: Theory
    records: tuple[Record, ...]
    learned: Theory | None

    @property
    def counts(self) -> Counts:
        """The queries by kind."""
        counts = no_counts()
        for query, _ in self.records:
            counts[query.kind] = counts.get(query.kind, 0) + 1
        return counts

    @property
    def hypotheses(self) -> list[Theory]:
        """What equivalence was asked about, in order."""
        return [query.hypothesis for query, _ in self.records if isinstance(query, Equivalent | EntailmentEquivalent)]

    @property
    def canonical(self) -> bool:
        """Whether the canonical basis was learned, which the target is given by."""
        return self.learned is not None and self.learned.in_order().rules == self.target.canonical().rules


def play(
    make: Make,
    target: Theory,
    policy: Policy = first,
    *,
    handlers: Handlers | None = None,
    most: int = MOST,
    sound: bool = False,
) -> Run:
    """The learner against a known target, its queries of some kinds answered by reductions.

    A learner that ought to be `sound`, like ClH and LRN, is cut off at the first hypothesis that the target does not
    entail: what it does then can take long and shows nothing more.
    """
    oracle = KnownTheory(target, policy)
    learner = make(target.size)
    session = Session(learner if handlers is None else through(learner, handlers))
    records: list[Record] = []
    while session.query is not None and len(records) < most:
        query = session.query
        records.append((query, query.ask(oracle)))
        if sound and isinstance(query, Equivalent | EntailmentEquivalent) and not target.entails(query.hypothesis):
            break
        session.answer(records[-1][1])
    return Run(target, tuple(records), None if session.query is not None else session.result)


def ending(learner: Learner[T], most: int = MOST) -> Learner[T]:
    """The learner; BadQuestion where it asks more queries than that."""
    try:
        query = next(learner)
        for _ in range(most):
            query = learner.send((yield query))
    except StopIteration as end:
        result: T = end.value
        return result
    raise BadQuestion(f"more than {most} queries: the learner does not seem to end; it asks {query}")


MOST_BRANCHES = 5_000
"""A target on three attributes has far fewer; a learner whose hypotheses do not become better could have any number."""


def branches(make: Make, target: Theory, most: int = 300) -> Iterator[Run]:
    """A run for each way of choosing counterexamples; hypotheses that come back, in the same order, are not pursued.

    The first hypothesis that the target does not entail ends all: ClH has none, and beyond it a run need not end.
    """
    models = set(target.models())
    oracle = KnownTheory(target)
    waiting: list[list[Attrs | None]] = [[]]
    seen: set[Theory] = set()
    for _ in range(MOST_BRANCHES):
        if not waiting:
            return
        chosen = waiting.pop()
        left = iter(chosen)
        session = Session(make(target.size))
        records: list[Record] = []
        while session.query is not None and len(records) < most:
            query = session.query
            if isinstance(query, Equivalent):
                if not target.entails(query.hypothesis):
                    yield Run(target, (*records, (query, None)), None)
                    return
                answer: Any = next(left, ...)
                if answer is ...:
                    if query.hypothesis not in seen:
                        seen.add(query.hypothesis)
                        wrong = _distinguishing(query.hypothesis, models)
                        waiting += [[*chosen, x] for x in wrong]
                    break
            else:
                answer = query.ask(oracle)
            records.append((query, answer))
            session.answer(answer)
        else:
            yield Run(target, tuple(records), None if session.query is not None else session.result)
    raise BadQuestion(
        f"more than {MOST_BRANCHES} ways through a run on {target.size} attributes: it does not seem to end"
    )


def _distinguishing(hypothesis: Theory, models: set[Attrs]) -> list[Attrs | None]:
    """Every counterexample there is, or None alone for yes."""
    found: list[Attrs | None] = [x for x in range(1 << hypothesis.size) if hypothesis.satisfies(x) != (x in models)]
    return found or [None]


def slack(target: Theory) -> int:
    """The sum of n - |P| over the premises P of the basis."""
    return sum(target.size - implication.premise.bit_count() for implication in target)


def closure_bound(target: Theory) -> int:
    """m^2 (n - 1) + m (m + 1) / 2, and nothing for the empty basis."""
    n, m = target.size, len(target)
    return m * m * (n - 1) + m * (m + 1) // 2 if m else 0


def enough(target: Theory) -> int:
    """More queries than ClH may ask: a run that asks as many is cut off."""
    return closure_bound(target) + slack(target) + 20


def small_theories(most: int = 3) -> list[Theory]:
    """Every theory on up to this many attributes, by its canonical basis."""
    return [theory for size in range(most + 1) for theory in every_theory(size)]


def four(context: Context, stride: int = 9) -> list[Theory]:
    """Theories on four attributes: all 2,480 in a thorough run, else one in every `stride`."""
    every = context.once("four", lambda: list(every_theory(4)))
    return every[:: context.either(stride, 1)]


def policies(context: Context) -> list[Policy]:
    """The orders of counterexamples that runs are tried with."""
    return [first, smallest, largest, adversarial, *(at_random(context.seed + i) for i in range(context.either(2, 4)))]


def studied(context: Context, name: str) -> list[Run]:
    """Runs of the learner called `name`: all branches on up to three attributes, all policies on four, and on random
    theories of six to ten."""
    return context.once(("studied", name), lambda: list(_study(context, getattr(context.methods, name))))


def _study(context: Context, make: Make) -> Iterator[Run]:
    for target in small_theories():
        yield from branches(make, target)
    for target in [*four(context), *random_targets(context)]:
        for policy in policies(context):
            yield play(make, target, policy, most=enough(target), sound=True)


def random_targets(context: Context, sizes: Iterable[int] = (6, 8, 10)) -> list[Theory]:
    """Random theories, as many implications as attributes, by their canonical bases."""
    return [
        random_theory(size, size, seed=context.seed + draw).canonical()
        for size in sizes
        for draw in range(context.either(3, 12))
    ]


# The worst case: each of the first attributes implies everything, and the teacher takes the others away one by one.


def covering(count: int, fillers: int) -> Theory:
    """{a_i -> everything} for `count` attributes, and `fillers` attributes that imply nothing."""
    size = count + fillers
    return Theory.of(size, [(1 << i, everything(size)) for i in range(count)])


def filler_by_filler(candidates: Candidates, hypothesis: Theory, target: Theory) -> Attrs | None:
    """The teacher that makes the bounds tight on `covering`: each premise starts full and loses a filler at a time."""
    leaders = sum(i.premise for i in target)
    fillers = target.everything & ~leaders
    for rule in target:
        if not any(rule.premise & known.premise for known in hypothesis):
            return rule.premise | fillers
    fullest = max((known.premise for known in hypothesis), key=int.bit_count, default=0)
    for filler in members(fullest & fillers):
        x = fullest ^ (1 << filler)
        if hypothesis.satisfies(x) and not target.satisfies(x):
            return x
    return first(candidates, hypothesis, target)
