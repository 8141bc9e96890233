"""Table 1 of the paper, and Corollary 1: each query answered by others, against the definitions.

Every reduction is tried on every theory on up to three attributes with every input, and row 7 and 8 with every
counterexample. Steps are counted elsewhere, on larger theories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hornbook.dialogue import Learner, Session
from hornbook.paper.claims import Claim, Context, Finding, letters, spelled
from hornbook.paper.runs import four, small_theories
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Query
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything

Reduce = Callable[[Any], Learner[Any]]


@dataclass(slots=True)
class Tally:
    """What the tries of one reduction came to. `worst` is the most queries over the bound, by number of attributes."""

    cases: int = 0
    right: int = 0
    within: int = 0
    wrong: str = ""
    most: dict[int, int] = field(default_factory=dict)

    def add(self, size: int, right: bool, asked: int, bound: int, *case: object) -> None:
        self.cases += 1
        self.right += right
        self.within += asked <= bound
        self.most[size] = max(self.most.get(size, 0), asked)
        if not self.wrong and not (right and asked <= bound):
            self.wrong = f"; the first that is not: {_told(case, size)}, {asked} queries"

    def finding(self, *, extra: str = "", holds: bool = True) -> Finding:
        most = ", ".join(f"{count} at n = {size}" for size, count in sorted(self.most.items()))
        return Finding(
            holds and self.right == self.within == self.cases,
            f"{self.right} of {self.cases} answers right, {self.within} within the bound{self.wrong}; most queries "
            f"{most}{extra}",
            {"cases": self.cases, "right": self.right, "within": self.within, "most": dict(sorted(self.most.items()))},
        )


def _told(case: tuple[object, ...], size: int) -> str:
    """The try for a reader: sets as words, targets by their models, theories by their implications."""
    words = []
    for value in case:
        if isinstance(value, Theory):
            words.append(spelled(value))
        elif isinstance(value, _Defined):
            words.append("models " + ", ".join(letters(model, size) for model in sorted(value.models)))
        else:
            words.append(letters(value, size) if isinstance(value, int) else str(value))
    return f"{' / '.join(words)} at n = {size}"


def ask(reduction: Learner[Any], oracle: object, most: int = 5_000) -> tuple[Any, list[Query]]:
    """The reduction's answer and what it asked; an answer of `...` where it does not seem to end."""
    session, asked = Session(reduction), list[Query]()
    while session.query is not None:
        if len(asked) == most:
            return ..., asked
        asked.append(session.query)
        session.answer(session.query.ask(oracle))
    return session.result, asked


@dataclass(frozen=True, slots=True)
class _Defined:
    """A target by its models alone: the definitions that reductions are compared with, no forward chaining."""

    size: int
    models: frozenset[Attrs]

    def closure(self, attrs: Attrs) -> Attrs:
        closed = everything(self.size)
        for model in self.models:
            if attrs & ~model == 0:
                closed &= model
        return closed

    def contains(self, attrs: Attrs) -> bool:
        return attrs in self.models

    def entails(self, premise: Attrs, attribute: int | None) -> bool:
        above = (model for model in self.models if premise & ~model == 0)
        return attribute is not None and all(model >> attribute & 1 for model in above)


def _targets(context: Context) -> list[_Defined]:
    def define() -> list[_Defined]:
        return [_Defined(t.size, frozenset(t.models())) for t in [*small_theories(), *four(context, 40)]]

    return context.once("defined targets", define)


# Rows 1 to 6


def closing(context: Context, reduction: Callable[[int], Reduce], bound: Callable[[int, Attrs], int]) -> Finding:
    """Closures of every set of every target."""
    tally = Tally()
    for target in _targets(context):
        for attrs in range(1 << target.size):
            closed, asked = ask(reduction(target.size)(Close(attrs)), target)
            right = closed == target.closure(attrs)
            tally.add(target.size, right, len(asked), bound(target.size, attrs), attrs, target)
    return tally.finding()


def containing(context: Context, reduction: Callable[[int], Reduce], bound: Callable[[int, Attrs], int]) -> Finding:
    """The sign of every set of every target."""
    tally = Tally()
    for target in _targets(context):
        for attrs in range(1 << target.size):
            positive, asked = ask(reduction(target.size)(Contains(attrs)), target)
            right = positive is target.contains(attrs)
            tally.add(target.size, right, len(asked), bound(target.size, attrs), attrs, target)
    return tally.finding()


def entailing(context: Context, reduction: Callable[[int], Reduce], bound: Callable[[int, Attrs], int]) -> Finding:
    """Every clause of every target."""
    tally = Tally()
    for target in _targets(context):
        for premise in range(1 << target.size):
            for head in range(target.size):
                entailed, asked = ask(reduction(target.size)(Entails(premise, head)), target)
                right = entailed is target.entails(premise, head)
                most = bound(target.size, premise)
                tally.add(target.size, right, len(asked), most, premise, target)
    return tally.finding()


def row_1(context: Context) -> Finding:
    return entailing(context, context.methods.entails_by_contains, lambda n, x: 1 << max(n - x.bit_count() - 1, 0))


def row_2(context: Context) -> Finding:
    return closing(context, context.methods.close_by_contains, lambda n, x: 1 << (n - x.bit_count()))


def row_3(context: Context) -> Finding:
    return closing(context, context.methods.close_by_entails, lambda n, x: n - x.bit_count())


def row_4(context: Context) -> Finding:
    # Whether the set of all attributes is a model takes one query: a definite target has no clause without a head.
    return containing(context, context.methods.contains_by_entails, lambda n, x: max(n - x.bit_count(), 1))


def row_5(context: Context) -> Finding:
    return entailing(context, lambda size: context.methods.entails_by_closure, lambda n, x: 1)


def row_6(context: Context) -> Finding:
    return containing(context, lambda size: context.methods.contains_by_closure, lambda n, x: 1)


# Rows 7 and 8: every target with every hypothesis and every counterexample


def _pairs(context: Context) -> Iterator[tuple[Theory, Theory]]:
    for size in range(4):
        theories = [theory for theory in small_theories() if theory.size == size]
        for k, target in enumerate(theories):
            stride = context.either(4, 1) if size == 3 else 1
            for hypothesis in theories[k % stride :: stride]:
                yield target, hypothesis


@dataclass(frozen=True, slots=True)
class Showing:
    """A known target that shows this counterexample."""

    target: Theory
    shown: Any

    def counterexample(self, hypothesis: Theory) -> Any:
        return self.shown

    def distinguishing_clause(self, hypothesis: Theory) -> Any:
        return self.shown

    def closure(self, attrs: Attrs) -> Attrs:
        return self.target.closure(attrs)

    def entails(self, premise: Attrs, attribute: int) -> bool:
        return bool(self.target.closure(premise) >> attribute & 1)


def row_7(context: Context) -> Finding:
    """SEQ + CQ => EEQ."""
    tally = Tally()
    for target, hypothesis in _pairs(context):
        sets = [x for x in range(1 << target.size) if target.satisfies(x) != hypothesis.satisfies(x)]
        answers: list[Attrs | None] = [*sets] or [None]
        for shown in answers:
            reduction = context.methods.clause_by_counterexample(EntailmentEquivalent(hypothesis))
            clause, asked = ask(reduction, Showing(target, shown))
            right = _tells_apart(clause, target, hypothesis) if sets else clause is None
            kinds = [type(query) for query in asked]
            right = right and kinds.count(Equivalent) == 1
            # A closure query for a negative counterexample alone.
            most = 2 if shown is not None and hypothesis.satisfies(shown) else 1
            tally.add(target.size, right, len(asked), most, target, hypothesis)
    return tally.finding(extra=" (1 SEQ, at most 1 CQ, that for negative ones only)")


def row_8(context: Context) -> Finding:
    """EEQ + EMQ => SEQ; the sign of the set is the opposite of the sign of the clause."""
    tally, signs = Tally(), True
    for target, hypothesis in _pairs(context):
        clauses: list[Implication | None] = [*_distinguishing_clauses(target, hypothesis)]
        for shown in clauses or [None]:
            reduction = context.methods.counterexample_by_clause(target.size)(Equivalent(hypothesis))
            x, asked = ask(reduction, Showing(target, shown))
            right = x is None
            if shown is not None:
                right = isinstance(x, int) and target.satisfies(x) != hypothesis.satisfies(x)
                positive_clause = target.entails(shown)
                signs = signs and right and positive_clause != target.satisfies(x)
                most = 1 if positive_clause else 1 + target.size - shown.premise.bit_count()
            else:
                most = 1
            right = right and [type(query) for query in asked].count(EntailmentEquivalent) == 1
            tally.add(target.size, right, len(asked), most, target, hypothesis)
    return tally.finding(
        extra="; positive clauses give negative sets with no EMQ, negative clauses positive sets", holds=signs
    )


def _distinguishing_clauses(target: Theory, hypothesis: Theory) -> Iterator[Implication]:
    for premise in range(1 << target.size):
        for head in range(target.size):
            clause = Implication(premise, 1 << head)
            if target.entails(clause) != hypothesis.entails(clause):
                yield clause


def _tells_apart(clause: object, target: Theory, hypothesis: Theory) -> bool:
    return (
        isinstance(clause, Implication)
        and clause.conclusion.bit_count() == 1
        and target.entails(clause) != hypothesis.entails(clause)
    )


ROWS = (
    ("SMQ => EMQ: O(2^n) queries", row_1, "entails_by_contains", "at most 2^(n - |A| - 1) for A -> b", (12,)),
    ("SMQ => CQ: O(2^n) queries", row_2, "close_by_contains", "at most 2^(n - |y|): supersets by size", (12,)),
    ("EMQ => CQ: O(n) queries", row_3, "close_by_entails", "at most n - |y|", ()),
    ("EMQ => SMQ: O(n) queries", row_4, "contains_by_entails", "at most n - |x|, 1 for the set of all", ()),
    ("CQ => EMQ: 1 query", row_5, "entails_by_closure", None, ()),
    ("CQ => SMQ: 1 query", row_6, "contains_by_closure", None, ()),
    (
        "SEQ+CQ => EEQ: 1 SEQ + 1 CQ",
        row_7,
        "distinguishing_clause_by_counterexample",
        "the counterexample is a clause, not a query; the CQ only for a negative set",
        (8,),
    ),
    (
        "EEQ+EMQ => SEQ: 1 EEQ + O(n) EMQ",
        row_8,
        "counterexample_by_clause",
        "positive and negative are said of clauses: a positive clause gives a negative set with no EMQ, a negative "
        "one a positive set with at most n - |A|; any hypothesis will do, not only hyp(N)",
        (7,),
    ),
)


def _claims() -> Iterator[Claim]:
    for number, (claimed, check, name, corrected, errata) in enumerate(ROWS, 1):
        code = f"hornbook.reductions.{name}"
        yield Claim(f"Table 1, row {number}", claimed, check, code, corrected, errata)


CLAIMS = tuple(_claims())
