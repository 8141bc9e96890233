"""What Section 4.1 of the paper concludes: Theorem 9 on entailment, Corollary 1 on the three models of queries."""

from __future__ import annotations

from functools import partial

from hornbook.dialogue import Handlers, Learner, run, through
from hornbook.layers import counted, no_counts
from hornbook.oracles.known import KnownTheory, adversarial, at_random
from hornbook.paper.claims import Claim, Context, Finding
from hornbook.paper.runs import Run, ending, enough, four, play, policies, random_targets, small_theories
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent, Query
from hornbook.routes import served
from hornbook.theory import Theory


def _targets(context: Context) -> list[Theory]:
    return [*small_theories(), *four(context, 12), *random_targets(context)]


def _by_entailment(context: Context) -> list[Run]:
    """ClH put to entailment queries by the reductions of rows 3 and 8, and LRN, which asks them itself."""

    def make() -> list[Run]:
        found = []
        for target in _targets(context)[:: context.either(1, 2)]:
            handlers: Handlers = {
                Close: context.methods.close_by_entails(target.size),
                Equivalent: context.methods.counterexample_by_clause(target.size),
            }
            for policy in policies(context):
                most = enough(target) * (target.size + 1)
                found.append(play(context.methods.clh, target, policy, handlers=handlers, most=most))
                if found[-1].learned is None:
                    return found  # One run that does not end is enough to know.
                found.append(play(context.methods.lrn, target, policy))
        return found

    return context.once("by entailment", make)


def learns_from_entailment(context: Context) -> Finding:
    """ClH through the reductions and LRN learn every definite theory from entailment queries alone; the embedding E1
    carries both to general Horn theories."""
    runs = _by_entailment(context)
    allowed = (Entails, EntailmentEquivalent)
    right = sum(
        one.learned is not None
        and one.learned.equivalent(one.target)
        and all(isinstance(query, allowed) for query, _ in one.records)
        for one in runs
    )
    general = cases = 0
    for theory in small_theories():
        for top in (True, False):
            target = Theory(theory.size, theory.implications, top)
            oracle = KnownTheory(target, at_random(context.seed))
            learner = context.methods.embedded(context.methods.lrn(target.size), target.size)
            learned = run(ending(served(learner, oracle, target.size)), oracle)
            cases += 1
            general += learned.top == top and learned.equivalent(target)
    return Finding(
        right == len(runs) and general == cases,
        f"{right} of {len(runs)} runs on definite theories, entailment queries only; general Horn, which the proof "
        f"does not cover, by the embedding E1: {general} of {cases} theories",
        {"runs": len(runs), "right": right, "general": general, "general cases": cases},
    )


def basis_from_entailment(context: Context) -> Finding:
    """Those runs end with the canonical basis."""
    runs = _by_entailment(context)
    right = sum(one.canonical for one in runs)
    return Finding(right == len(runs), f"{right} of {len(runs)} runs", {"runs": len(runs), "right": right})


# Corollary 1


def closure_and_entailment(context: Context) -> Finding:
    """CQ+SEQ <-> EMQ+EEQ: LRN on closure queries, ClH on entailment queries, at most 1 and n + 1 queries for one."""
    methods = context.methods
    there = _overhead(
        context,
        methods.lrn,
        lambda size: {
            Entails: methods.entails_by_closure,
            EntailmentEquivalent: methods.clause_by_counterexample,
        },
        lambda size, kind: 2 if kind is EntailmentEquivalent else 1,
    )
    back = _overhead(
        context,
        methods.clh,
        lambda size: {
            Close: methods.close_by_entails(size),
            Equivalent: methods.counterexample_by_clause(size),
        },
        lambda size, kind: size + 1 if kind is Equivalent else size,
    )
    return Finding(
        there[0] and back[0],
        f"LRN by closure queries: {there[1]}; ClH by entailment queries: {back[1]}",
        {"to closures": there[2], "to entailment": back[2]},
    )


def standard_by_entailment(context: Context) -> Finding:
    """EMQ+EEQ => SMQ+SEQ: AFP on entailment queries."""
    methods = context.methods
    found = _overhead(
        context,
        methods.afp,
        lambda size: {
            Contains: methods.contains_by_entails(size),
            Equivalent: methods.counterexample_by_clause(size),
        },
        lambda size, kind: size + 1 if kind is Equivalent else max(size, 1),
    )
    return Finding(found[0], f"AFP by entailment queries: {found[1]}", {"to entailment": found[2]})


def standard_by_closure(context: Context) -> Finding:
    """CQ+SEQ => SMQ+SEQ: AFP on closure and equivalence queries, one for one."""
    found = _overhead(
        context,
        context.methods.afp,
        lambda size: {Contains: context.methods.contains_by_closure},
        lambda size, kind: 1,
    )
    return Finding(found[0], f"AFP by closure queries: {found[1]}", {"to closures": found[2]})


def _overhead(context: Context, make: object, handlers: object, bound: object) -> tuple[bool, str, float]:
    """Whether every run learns its basis with at most bound(n, kind) queries for one; in words; the largest factor."""
    assert callable(make) and callable(handlers) and callable(bound)
    right = cases = 0
    factor = 0.0
    for target in _targets(context):
        n = target.size
        for policy in (adversarial, at_random(context.seed)):
            wanted: dict[type[Query], int] = {}
            asked = no_counts()
            learner = through(_tallied(make(n), wanted), handlers(n))
            learned = run(ending(counted(learner, asked)), KnownTheory(target, policy))
            most = sum(count * bound(n, kind) for kind, count in wanted.items())
            total, queries = sum(asked.values()), sum(wanted.values())
            cases += 1
            right += learned.in_order().rules == target.canonical().rules and total <= most
            factor = max(factor, total / queries)
    return right == cases, f"{right} of {cases} runs, at most {factor:.2f} queries for one", round(factor, 4)


def _tallied(learner: Learner[Theory], wanted: dict[type[Query], int]) -> Learner[Theory]:
    """The learner; what it asks before any reduction is counted by type."""
    try:
        query = next(learner)
        while True:
            wanted[type(query)] = wanted.get(type(query), 0) + 1
            query = learner.send((yield query))
    except StopIteration as end:
        result: Theory = end.value
        return result


def trivial_reduction(context: Context) -> Finding:
    """SEQ+SMQ => CQ by learning: paid once for all closures, within the bounds of AFP."""
    right = within = free = cases = 0
    constant = 0.0

    def ended(size: int) -> Learner[Theory]:
        return ending(context.methods.afp(size))

    for target in _targets(context)[:: context.either(2, 1)]:
        n, m = target.size, len(target)
        asked = no_counts()
        close = context.methods.close_by_learning(partial(ended, n))
        oracle = KnownTheory(target, adversarial)
        sets = range(min(1 << n, 64))
        answers = [run(ending(counted(close(Close(0)), asked)), oracle)]
        first = sum(asked.values())
        answers += [run(counted(close(Close(attrs)), asked), oracle) for attrs in sets[1:]]
        cases += 1
        right += answers == [target.closure(attrs) for attrs in sets]
        free += sum(asked.values()) == first
        bound = m * max(2 * n - 1, 0) + 1 + m * m * max(n - 1, 0) + m * (m - 1) // 2
        within += first <= bound
        constant = max(constant, first / (n * m * m) if m else 0.0)
    return Finding(
        right == within == free == cases,
        f"all closures right for {right} of {cases} targets; the first costs up to {constant:.2f} n m^2 queries, SEQs "
        f"among them, all others nothing ({free} of {cases})",
        {"targets": cases, "right": right, "within": within, "free": free, "constant": round(constant, 4)},
    )


CLAIMS = (
    Claim(
        "Theorem 9, part 1",
        "Horn theories are learnable from entailment queries in polynomial time",
        learns_from_entailment,
        "hornbook.reductions.counterexample_by_clause",
        "the proof shows it for definite Horn theories",
        (17,),
    ),
    Claim(
        "Theorem 9, part 2",
        "such learning can output the canonical basis",
        basis_from_entailment,
        "hornbook.reductions.close_by_entails",
    ),
    Claim(
        "Corollary 1, part 1",
        "CQ+SEQ <-> EMQ+EEQ up to a linear number of queries",
        closure_and_entailment,
        "hornbook.dialogue.through",
        "1 for an EMQ and 2 for an EEQ in one direction, n for a CQ and n + 1 for a SEQ in the other",
        (20,),
    ),
    Claim(
        "Corollary 1, part 2",
        "EMQ+EEQ => SMQ+SEQ up to a linear number of queries",
        standard_by_entailment,
        "hornbook.dialogue.through",
    ),
    Claim(
        "Corollary 1, part 3",
        "CQ+SEQ => SMQ+SEQ up to a linear number of queries",
        standard_by_closure,
        "hornbook.dialogue.through",
        "one for one",
        (20,),
    ),
    Claim(
        "Corollary 1, the trivial reduction",
        "SEQ+SMQ => CQ by learning the target with AFP: O(n m^2) queries",
        trivial_reduction,
        "hornbook.reductions.close_by_learning",
        "m is the size of the target; the cost is paid once, all later closures are free; it spends SEQs",
        (6, 10),
    ),
)
