"""Theorem 10 and Corollary 2: the adversary for the family f_x, played against any learner with membership queries.

f_x has exactly two models, x and the set of all attributes. The adversary says no to every set but that of all, until
one x is left: each answer rules out one target at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hornbook.dialogue import Learner, Session
from hornbook.errors import CannotAnswer
from hornbook.paper.claims import Claim, Context, Finding, letters
from hornbook.queries import Close, Contains, Entails
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything, members


def f(size: int, x: Attrs) -> Theory:
    """f_x: nothing implies each attribute of x, every other attribute implies everything."""
    full = everything(size)
    rules = [(0, 1 << v) for v in members(x)] + [(1 << w, full) for w in members(full & ~x)]
    return Theory.of(size, rules)


@dataclass(slots=True)
class Adversary:
    """An oracle for membership that commits to no target before it must. `left` are the x that no answer rules out."""

    size: int
    wants: Callable[[set[Attrs]], bool] = lambda left: len(left) > 1
    left: set[Attrs] = field(default_factory=set)
    told: list[tuple[Attrs, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = set(range(everything(self.size)))

    def contains(self, attrs: Attrs) -> bool:
        """No, as long as the question stays open: `wants` says of a set of targets whether it does."""
        answer = attrs == everything(self.size) or self.left == {attrs}
        if not answer:
            self.left.discard(attrs)
        self.told.append((attrs, answer))
        return answer

    @property
    def queries(self) -> int:
        return len(self.told)

    def refuting(self, wants_another: Callable[[Theory], bool]) -> Theory | None:
        """A target that all answers are true of and that wants another answer than the learner's, if there is one."""
        for x in sorted(self.left):
            target = f(self.size, x)
            if wants_another(target) and all(target.satisfies(attrs) == answer for attrs, answer in self.told):
                return target
        return None

    @property
    def open(self) -> bool:
        """Whether targets are left that want different answers."""
        return self.wants(self.left)


@dataclass(frozen=True, slots=True)
class Play:
    """How a learner fared: its answer, its queries, whether it had asked enough to be sure, and what refutes it."""

    answer: Any
    queries: int
    sure: bool
    refuted_by: Theory | None

    @property
    def right(self) -> bool:
        """Whether no target that is left wants another answer."""
        return self.refuted_by is None


def play_closure(size: int, learner: Learner[Attrs], most: int = 1 << 20) -> Play:
    """A learner that is to find the closure of the empty set, against the adversary."""
    adversary = Adversary(size)
    answer = _driven(learner, adversary, most)
    return Play(
        answer,
        adversary.queries,
        not adversary.open,
        adversary.refuting(lambda target: target.closure(0) != answer),
    )


def play_entailment(size: int, attribute: int, learner: Learner[bool], most: int = 1 << 20) -> Play:
    """A learner that is to find out whether nothing implies the attribute, against the adversary."""
    adversary = Adversary(size, lambda left: len({x >> attribute & 1 for x in left}) > 1)
    answer = _driven(learner, adversary, most)
    return Play(
        answer,
        adversary.queries,
        not adversary.open,
        adversary.refuting(lambda target: target.entails(Implication(0, 1 << attribute)) is not answer),
    )


def _driven(learner: Learner[Any], adversary: Adversary, most: int) -> Any:
    session = Session(learner)
    while session.query is not None:
        if not isinstance(session.query, Contains):
            raise CannotAnswer(f"the adversary answers membership queries alone, not {session.query}")
        if adversary.queries >= most:
            raise CannotAnswer(f"the learner has asked {most} queries and does not seem to end")
        session.answer(adversary.contains(session.query.attrs))
    return session.result


# Learners with membership queries alone


def from_below(size: int) -> Learner[Attrs]:
    """The closure of the empty set: the first model among all sets, counted up."""
    for attrs in range(everything(size)):
        if (yield Contains(attrs)):
            return attrs
    return everything(size)


def from_above(size: int) -> Learner[Attrs]:
    """The meet of all models."""
    closed = everything(size)
    for attrs in reversed(range(everything(size))):
        if (yield Contains(attrs)):
            closed &= attrs
    return closed


def hasty(size: int) -> Learner[Attrs]:
    """A guess after the empty set and the single attributes: polynomial, and wrong."""
    for attrs in (0, *(1 << position for position in range(size))):
        if (yield Contains(attrs)):
            return attrs
    return everything(size) ^ 1


def hasty_entailment(size: int, guess: bool) -> Learner[bool]:
    """A guess whether nothing implies the last attribute, after the same queries."""
    found = yield from hasty(size)
    return guess if found == everything(size) ^ 1 else bool(found >> (size - 1) & 1)


def family(context: Context) -> Finding:
    """The models of f_x are x and the set of all; its basis has at most n implications."""
    right = cases = 0
    sizes = range(1, context.either(7, 9))
    for size in sizes:
        for x in range(everything(size)):
            theory = f(size, x)
            zeros = size - x.bit_count()
            expected = (x != 0) + (zeros if zeros > 1 else 0)
            models = {y for y in range(1 << size) if theory.satisfies(y)}
            cases += 1
            right += models == {x, everything(size)} and len(theory.canonical()) == expected <= size
    return Finding(
        right == cases,
        f"{right} of {cases} theories up to n = {sizes[-1]}: models x and 1^n, and [x != 0] + (n - |x| if |x| < n - 1) "
        "implications, at most n",
        {"theories": cases, "right": right},
    )


def closure_is_hard(context: Context) -> Finding:
    """Learners that answer rightly ask at least 2^n - 2 queries; one that asks fewer is refuted; no strategy does
    better, by trying all of them for n = 2 and 3."""
    sizes = context.either((2, 4, 6, 8), (2, 4, 6, 8, 10, 12))
    asked, holds, refuted = [], True, list[str]()
    for size in sizes:
        close = context.methods.close_by_contains
        for learner in (close(size)(Close(0)), from_below(size), from_above(size)):
            play = play_closure(size, learner)
            holds = holds and play.right and play.sure and play.queries >= 2**size - 2
            asked.append(play.queries)
        guess = play_closure(size, hasty(size))
        holds = holds and (guess.sure or not guess.right)
        refuted += _refutations(size, guess)
    exact = {size: _least(size, lambda left: len(left) <= 1) for size in (1, 2, 3)}
    holds = holds and all(least == 2**size - 2 for size, least in exact.items())
    return Finding(
        holds,
        f"{', '.join(map(str, asked[::3]))} queries of close_by_contains for n = {', '.join(map(str, sizes))}; a guess "
        f"after n + 1 queries is refuted by {', '.join(refuted)}; least possible, all strategies tried: "
        + ", ".join(f"{least} at n = {size}" for size, least in exact.items()),
        {
            "sizes": list(sizes),
            "queries": asked[::3],
            "least": {str(n): least for n, least in exact.items()},
            "refuted by": refuted,
        },
    )


def _refutations(size: int, play: Play) -> list[str]:
    """The target that refutes a guess, by name, if there is one."""
    if play.refuted_by is None:
        return []
    return [f"f_x with x = {letters(play.refuted_by.closure(0), size)} at n = {size}"]


def entailment_is_hard(context: Context) -> Finding:
    """Whether nothing implies an attribute: at least 2^(n - 1) - 1 membership queries, and as many are enough."""
    sizes = context.either((2, 4, 6, 8), (2, 4, 6, 8, 10, 12))
    asked, holds, refuted = [], True, list[str]()
    for size in sizes:
        entails = context.methods.entails_by_contains(size)
        play = play_entailment(size, size - 1, entails(Entails(0, size - 1)))
        holds = holds and play.right and play.sure and play.queries >= 2 ** (size - 1) - 1
        asked.append(play.queries)
        for guess in (True, False):
            hasty_play = play_entailment(size, size - 1, hasty_entailment(size, guess))
            holds = holds and (hasty_play.sure or not hasty_play.right)
            if size == sizes[-1]:
                refuted += [f"{guess} by {target}" for target in _refutations(size, hasty_play)]
    exact = {size: _least(size, lambda left: len({x & 1 for x in left}) <= 1) for size in (1, 2, 3)}
    holds = holds and all(least == 2 ** (size - 1) - 1 for size, least in exact.items())
    return Finding(
        holds,
        f"{', '.join(map(str, asked))} queries of entails_by_contains for n = {', '.join(map(str, sizes))}; guesses "
        f"after n + 1 queries are refuted, {', '.join(refuted)}; least possible, all strategies tried: "
        + ", ".join(f"{least} at n = {size}" for size, least in exact.items()),
        {
            "sizes": list(sizes),
            "queries": asked,
            "least": {str(n): least for n, least in exact.items()},
            "refuted by": refuted,
        },
    )


def _least(size: int, settled: Callable[[frozenset[Attrs]], bool]) -> int:
    """The least number of membership queries that settle the question whatever x is: all strategies, all answers."""
    memory: dict[frozenset[Attrs], int] = {}

    def value(left: frozenset[Attrs]) -> int:
        if settled(left):
            return 0
        if left not in memory:
            # A set that is no candidate is a model of none of them: asking for it says nothing.
            memory[left] = min(1 + max(value(left - {x}), value(frozenset({x}))) for x in sorted(left))
        return memory[left]

    return value(frozenset(range(everything(size))))


CODE = "hornbook.paper.lower_bound"

CLAIMS = (
    Claim(
        "Theorem 10, the family",
        "each f_x is satisfied by exactly two assignments: x and 1^n",
        family,
        f"{CODE}.f",
        "and has at most n implications, so that the bound is exponential in m, too",
        (11,),
    ),
    Claim(
        "Theorem 10",
        "answering a CQ may require an exponential number of SMQs",
        closure_is_hard,
        f"{CODE}.Adversary",
        "at least 2^n - 2, and these are enough for the family",
        (11,),
    ),
    Claim(
        "Corollary 2",
        "answering an EMQ may require an exponential number of SMQs",
        entailment_is_hard,
        f"{CODE}.play_entailment",
        "at least 2^(n - 1) - 1 for the EMQ {} -> v, and these are enough for the family",
        (11,),
    ),
)
