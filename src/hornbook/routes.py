"""The cheapest way to put any learner to any oracle: reductions composed by themselves."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, TypeVar

from hornbook import reductions as by
from hornbook.dialogue import Handlers, Learner, through
from hornbook.embedding import embedded
from hornbook.errors import CannotAnswer
from hornbook.learners.afp import afp
from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
    answers,
)
from hornbook.universe import Attrs, everything

T = TypeVar("T")

Handler = Callable[[Any], Learner[Any]]


@dataclass(frozen=True, slots=True)
class Way:
    """A reduction: `query` is answered by queries of the kinds `needs`, at most `cost(n)` of the dearest one.

    `definite`: it cannot tell whether the set of all attributes is a model, and refuses or takes it for one. `general`:
    it asks just that, so it is not for what has only a definite way.
    """

    query: type[Query]
    needs: tuple[type[Query], ...]
    make: Callable[[int], Handler]
    cost: Callable[[int], float]
    definite: bool = False
    general: bool = False


def _plain(handler: Handler) -> Callable[[int], Handler]:
    return lambda size: handler


def _close_by_learning(size: int) -> Handler:
    return by.close_by_learning(lambda: embedded(afp(size), size))


def _close_by_clauses(size: int) -> Handler:
    """As `close_by_entails`; the clause without a head tells the contradictory sets from the others."""
    close = by.close_by_entails(size)

    def telling(query: Close) -> Learner[Attrs | None]:
        closed = yield from close(query)
        contradictory = closed == everything(size) and (yield Entails(closed, None))
        return None if contradictory else closed

    return telling


WAYS = (
    # Of equally cheap ways the first is taken.
    Way(Contains, (Entails,), by.contains_by_entails, lambda n: n, general=True),
    Way(CloseAll, (Close,), _plain(by.close_all_by_closure), lambda n: 1),
    Way(Close, (CloseAll,), _plain(by.close_by_batch), lambda n: 1),
    Way(Contains, (Close,), _plain(by.contains_by_closure), lambda n: 1),
    Way(Entails, (Close,), _plain(by.entails_by_closure), lambda n: 1),
    Way(Holds, (Close,), _plain(by.refutation_by_closure), lambda n: 1),
    Way(EntailmentEquivalent, (Equivalent, Close), _plain(by.distinguishing_clause_by_counterexample), lambda n: 1),
    Way(Contains, (Correct,), _plain(by.contains_by_correction), lambda n: 1),
    Way(Entails, (Holds,), _plain(by.entails_by_refutation), lambda n: 1, definite=True),
    Way(Entails, (Unspecified,), _plain(by.entails_by_unspecified), lambda n: 1),
    Way(Contains, (Unspecified,), by.contains_by_unspecified, lambda n: 1),
    Way(Close, (Holds,), by.close_by_refutation, lambda n: n + 1),
    Way(Close, (Entails,), _close_by_clauses, lambda n: n, general=True),
    Way(Close, (Entails,), by.close_by_entails, lambda n: n),
    Way(Equivalent, (EntailmentEquivalent, Entails), by.counterexample_by_clause, lambda n: n + 1),
    Way(Close, (Unspecified,), by.close_by_unspecified, lambda n: n * (1 + n.bit_length()) + 1),
    Way(Unspecified, (Close,), by.unspecified_by_closure, lambda n: n + 2),
    Way(Close, (Equivalent, Contains), _close_by_learning, lambda n: (n + 1.0) ** 2),  # Its price is paid once.
    Way(Close, (Contains,), by.close_by_contains, lambda n: 2.0**n),
    Way(Entails, (Contains,), by.entails_by_contains, lambda n: 2.0**n),
)

DEAREST = 2.0**20
"""No reduction that may ask more than this for one query is chosen by itself: it would not end."""


def served(learner: Learner[T], oracle: object, size: int) -> Learner[T]:
    """The learner, what the oracle cannot answer replaced by the cheapest reductions to what it can."""
    return through(learner, handlers(answers(oracle), size))


def handlers(known: Collection[type[Query]], size: int) -> Handlers:
    """For each kind of query that is not known, how to answer it; where there is no way, a handler that says so."""
    costs, chosen = _chosen(known, size)
    made: dict[type[Query], Handler] = {}
    for kind, way in chosen.items():
        # In order of cost, so that what a reduction asks is answered by one made before it.
        made[kind] = _composed(way.make(size), dict(made))
    for way in WAYS:
        if way.query not in costs:
            made[way.query] = partial(_hopeless, known=tuple(known), size=size)
    return made


def closes(known: Collection[type[Query]], size: int) -> bool:
    """Whether closures can be had at a price that a learner of closures may pay: a few queries for each attribute."""
    return _chosen(known, size)[0].get(Close, DEAREST) < (size + 1) ** 2


def _chosen(known: Collection[type[Query]], size: int) -> tuple[dict[type[Query], float], dict[type[Query], Way]]:
    """What each kind of query costs, and the way to it where it is not known."""
    costs: dict[type[Query], float] = dict.fromkeys(known, 1.0)
    chosen: dict[type[Query], Way] = {}
    while way := _cheapest(costs, size, chosen):
        costs[way.query] = _price(way, costs, size)
        chosen[way.query] = way
    return costs, chosen


def _cheapest(costs: dict[type[Query], float], size: int, chosen: dict[type[Query], Way]) -> Way | None:
    """The cheapest way to a kind of query that has none yet."""
    open_ways = [way for way in WAYS if way.query not in costs and all(need in costs for need in way.needs)]
    narrow = {kind for kind, way in chosen.items() if way.definite}
    open_ways = [way for way in open_ways if not (way.general and narrow.intersection(way.needs))]
    open_ways = [way for way in open_ways if _price(way, costs, size) <= DEAREST]
    return min(open_ways, key=lambda way: _price(way, costs, size), default=None)


def _price(way: Way, costs: dict[type[Query], float], size: int) -> float:
    return max(1.0, way.cost(size)) * max(costs[need] for need in way.needs)


def _composed(reduction: Handler, known: Handlers) -> Handler:
    return lambda query: through(reduction(query), known)


def _hopeless(query: Query, *, known: tuple[type[Query], ...], size: int) -> NoReturn:
    can = ", ".join(sorted(kind.__name__ for kind in known)) or "nothing"
    way_out = "bring an oracle that answers more, or another learner"
    if isinstance(query, Equivalent | EntailmentEquivalent):
        way_out = (
            "add --equivalence closures, which is exact, or sampled (in Python equivalence=by_closures, or see "
            "hornbook.equivalence); or take a learner that compares nothing, closures-only or explore"
        )
    error = CannotAnswer(f"no way to answer {type(query).__name__} over {size} attributes by asking {can}; {way_out}")
    error.hopeless = True
    raise error
