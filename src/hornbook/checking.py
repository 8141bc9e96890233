"""Layers that do not take an oracle at its word: `checked` finds contradictions, `probed` goes looking for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from hornbook.dialogue import Learner, asking
from hornbook.errors import BadAnswer, BadQuestion
from hornbook.knowledge import Knowledge
from hornbook.layers import Counts, recorded
from hornbook.queries import Close, CloseAll, Contains, EntailmentEquivalent, Entails, Holds, Query, Unspecified
from hornbook.theory import Implication
from hornbook.universe import Attrs, everything

T = TypeVar("T")

Told = tuple[Query, Any]
"""A query and the answer to it."""


def checked(learner: Learner[T], size: int, show: Callable[[Query, Any], str]) -> Learner[T]:
    """The learner; where it finds that an answer contradicts earlier ones, the error shows which.

    The learner in question is one behind `inferred`, which notices contradictions: this layer remembers the answers and
    names those few that cannot all be true. Answers of a wrong kind are refused here before anyone uses them.
    """
    told: list[Told] = []
    try:
        query = next(learner)
        while True:
            _sensible(query, size)
            answer = yield query
            facts = _single(query, answer, size)
            _lawful(facts, size, show)
            try:
                query = learner.send(answer)
            except BadAnswer as error:
                raise explained([*told, *facts], size, show, error) from error
            told += facts
    except StopIteration as end:
        result: T = end.value
        return result


def vetted(learner: Learner[T], size: int) -> Learner[T]:
    """The learner; an answer of a wrong kind is refused at once, before any other layer writes or compares it."""

    def answered(query: Query) -> Learner[Any]:
        answer = yield query
        _single(query, answer, size)
        return answer

    return asking(learner, answered)


def _sensible(query: Query, size: int) -> None:
    """BadQuestion where it is about attributes that there are not."""
    sets = query.sets if isinstance(query, CloseAll) else (query.attrs,) if isinstance(query, Close | Contains) else ()
    for attrs in sets:
        if not _is_set(attrs, size):
            raise BadQuestion(f"{attrs!r} is no set over {size} attributes, and its closure was to be asked for")


def _single(query: Query, answer: Any, size: int) -> list[Told]:
    """The answers to single questions; BadAnswer where one is no answer to such a question at all."""
    facts: list[Told] = [(query, answer)]
    if isinstance(query, CloseAll):
        if not isinstance(answer, Sequence):
            raise BadAnswer(f"{answer!r} is no answer to CloseAll: a list is wanted, with a closure for each set")
        if len(answer) != len(query.sets):
            raise BadAnswer(f"{len(query.sets)} sets were to be closed and {len(answer)} answers came")
        facts = list(zip(map(Close, query.sets), answer, strict=True))
    for asked, said in facts:
        wanted = _wanted(asked, said, size)
        if wanted is not None:
            raise BadAnswer(f"{said!r} is no answer to {type(asked).__name__}: {wanted}")
    return facts


def _lawful(facts: Sequence[Told], size: int, show: Callable[[Query, Any], str]) -> None:
    """BadAnswer where an answer is wrong whatever the others are."""
    for asked, said in facts:
        if isinstance(asked, Close) and said is not None and asked.attrs & ~said:
            raise BadAnswer(f"a closure contains what it is the closure of, and this one does not: {show(asked, said)}")
        if isinstance(asked, Holds) and said is not None and asked.implication.satisfied_by(said):
            raise BadAnswer(f"a refutation has the premise and lacks some of the conclusion: {show(asked, said)}")
        # With everything as its premise a clause has no head, and says whether that is a model.
        if isinstance(said, Implication) and said.added == 0 and said.premise != everything(size):
            raise BadAnswer(f"a clause that is true of every set distinguishes nothing: {show(asked, said)}")


def is_answer(query: Query, answer: object, size: int) -> bool:
    """Whether the answer is one to such a question, true or not."""
    return _wanted(query, answer, size) is None


def _wanted(query: Query, answer: Any, size: int) -> str | None:
    """What the answer should have been, if it is of a wrong kind."""
    if isinstance(query, Contains | Entails):
        return None if isinstance(answer, bool) else "True or False is wanted"
    if isinstance(query, Unspecified):
        return None if answer is None or isinstance(answer, bool) else "True, False or None is wanted"
    if isinstance(query, EntailmentEquivalent):
        clause = isinstance(answer, Implication) and _is_set(answer.premise | answer.conclusion, size)
        return None if answer is None or clause else f"an Implication over {size} attributes or None is wanted"
    return (
        None if answer is None or _is_set(answer, size) else f"a set over {size} attributes, an int, or None is wanted"
    )


def _is_set(value: object, size: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= everything(size)


def explained(told: Sequence[Told], size: int, show: Callable[[Query, Any], str], error: BadAnswer) -> BadAnswer:
    """The error with the fewest answers that contradict each other; as it was where none are found."""
    conflict = contradiction(told, size)
    if not conflict:
        return error
    lines = "\n".join(f"  {show(*fact)}" for fact in conflict)
    both = (
        "this answer cannot be true" if len(conflict) == 1 else f"these {len(conflict)} answers contradict each other"
    )
    return BadAnswer(f"{both}:\n{lines}")


def contradiction(told: Sequence[Told], size: int) -> list[Told]:
    """Some answers that cannot all be true, of which none can be left out; in order. Empty where all agree.

    Closures always contradict each other in pairs, so two are found where two will do.
    """
    needed: list[Told] = []
    rest = list(told)
    while not _contradicts(needed, size):
        known = _knowledge(needed, size)
        for number, fact in enumerate(rest):
            if known is None or not _learns(known, fact):
                # The last one of a shortest prefix is needed; the others come from before it.
                needed.append(fact)
                rest = rest[:number]
                break
        else:
            return []
    return [fact for fact in dict.fromkeys(told) if fact in needed]


def _contradicts(facts: Sequence[Told], size: int) -> bool:
    return _knowledge(facts, size) is None


def _knowledge(facts: Sequence[Told], size: int) -> Knowledge | None:
    """What is known after these answers, or None where they contradict each other."""
    known = Knowledge(size)
    return known if all(_learns(known, fact) for fact in facts) else None


def _learns(known: Knowledge, fact: Told) -> bool:
    try:
        known.learn(*fact)
    except BadAnswer:
        return False
    return True


def probes(size: int, count: int, seed: int, kind: type[Close | Contains] = Close) -> Iterator[Query]:
    """Queries that try an oracle: the empty set, every single attribute, then random sets and supersets.

    No set comes twice as long as a few draws find another one.
    """
    chance = random.Random(seed)
    sets: dict[Attrs, None] = dict.fromkeys([0, *(1 << position for position in range(size))])
    for attrs in list(sets)[:count]:
        yield kind(attrs)
    last = 0
    for number in range(count - len(sets)):
        drawn = last
        for _ in range(20):
            outside = [position for position in range(size) if not last >> position & 1]
            if number % 2 and outside:
                drawn = last | 1 << chance.choice(outside)
            else:
                # Small ones, too: large sets tend to have everything in their closure.
                density = chance.choice((0.1, 0.3, 0.5))
                drawn = sum(1 << position for position in range(size) if chance.random() < density)
            if drawn not in sets:
                break
        sets[drawn], last = None, drawn
        yield kind(drawn)


def probed(learner: Learner[T], extra: Learner[Any], knowledge: Knowledge, counts: Counts) -> Learner[T]:
    """The learner, after these extra queries, asked even where their answers are known: that is their point."""

    def note(query: Query, answer: Any) -> None:
        counts[query.kind] = counts.get(query.kind, 0) + (len(query.sets) if isinstance(query, CloseAll) else 1)
        knowledge.learn(query, answer)

    yield from recorded(extra, note)
    return (yield from learner)


def each_of(queries: Iterable[Query]) -> Learner[None]:
    """A learner that asks these queries, closures in one batch, and learns nothing."""
    closures = []
    for query in queries:
        if isinstance(query, Close):
            closures.append(query.attrs)
        else:
            yield query
    if closures:
        yield CloseAll(tuple(closures))
