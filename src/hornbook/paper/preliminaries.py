"""Section 2 of the paper: Horn functions, the two closure operators, saturation and the canonical basis."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import combinations

from hornbook.paper import saturation
from hornbook.paper.claims import Claim, Context, Finding, letters, spelled
from hornbook.paper.runs import four, small_theories
from hornbook.paper.steps import linear_closure, literals
from hornbook.testing import random_theory, theory_of
from hornbook.theory import Theory
from hornbook.universe import Attrs, everything, members

EXAMPLE_1 = Theory.of(
    6,
    [
        (0b010000, 0b001000),
        (0b000110, 0b001000),
        (0b001010, 0b000100),
        (0b001100, 0b000010),
        (0b001001, 0b010110),
        (0b010100, 0b000011),
    ],
)
"""e -> d, bc -> d, bd -> c, cd -> b, ad -> bce, ce -> ab over a to f."""

EXAMPLE_2 = Theory.of(4, [(0b0001, 0b0010), (0b0001, 0b0100), (0b0100, 0b1000)])
"""a -> b, a -> c, c -> d."""


def horn_iff_intersection(context: Context) -> Finding:
    """Every Boolean function: its strongest Horn CNF has exactly its models iff they are closed under intersection."""
    agree = functions = horn = 0
    for size in range(context.either(4, 5)):
        clauses = _clause_models(size)
        for family in range(1 << (1 << size)):
            strongest = (1 << (1 << size)) - 1
            for models in clauses:
                if family & ~models == 0:
                    strongest &= models
            closed = _closed_under_meet(family, size)
            functions += 1
            horn += closed
            agree += (strongest == family) == closed
    return Finding(
        agree == functions,
        f"{agree} of {functions} Boolean functions on up to {context.either(3, 4)} variables agree; {horn} are Horn",
        {"functions": functions, "agree": agree, "horn": horn},
    )


def _clause_models(size: int) -> list[int]:
    """For each Horn clause, definite or negative, the set of sets that satisfy it, as a bitset of 2^n bits."""
    found = []
    for premise in range(1 << size):
        for head in (None, *range(size)):
            satisfied = (x for x in range(1 << size) if premise & ~x or (head is not None and x >> head & 1))
            found.append(sum(1 << x for x in satisfied))
    return list(dict.fromkeys(found))


def _closed_under_meet(family: int, size: int) -> bool:
    models = [x for x in range(1 << size) if family >> x & 1]
    return all(family >> (x & y) & 1 for x, y in combinations(models, 2))


def closure_is_least_model(context: Context) -> Finding:
    """Proposition 2, all three parts, for every theory, attribute set and attribute."""
    close = context.methods.closure
    right = [0, 0, 0]
    cases = [0, 0, 0]
    for size, family, theory in _systems(context):
        for attrs in range(1 << size):
            closed = close(theory, attrs)
            above = [y for y in family if attrs & ~y == 0]
            for attribute in range(size):
                cases[0] += 1
                entailed = all(y >> attribute & 1 for y in above)
                right[0] += entailed == bool(closed >> attribute & 1)
            cases[1] += 1
            right[1] += (closed == attrs) == (attrs in family)
            cases[2] += 1
            right[2] += closed == _meet(above, size)
    parts = ", ".join(f"({i + 1}) {right[i]} of {cases[i]}" for i in range(3))
    return Finding(right == cases, parts, {"right": right, "cases": cases})


def star_is_closure(context: Context) -> Finding:
    """Extensive, monotone, idempotent, and the same for every way to say the theory."""
    close = context.methods.closure
    return _closure_operator(context, close, close)


def bullet_is_closure(context: Context) -> Finding:
    """The same for the quasi-closure."""
    return _closure_operator(context, context.methods.quasi_closure, context.methods.closure)


def _closure_operator(context: Context, operator: object, star: object) -> Finding:
    assert callable(operator) and callable(star)
    theories = wrong = values = 0
    for size, _, theory in _systems(context):
        theories += 1
        other = Theory.of(size, [(p, 1 << b) for p, c in theory.rules[::-1] for b in members(c)])
        table = [operator(theory, attrs) for attrs in range(1 << size)]
        for attrs, closed in enumerate(table):
            values += 1
            good = attrs & ~closed == 0 and table[closed] == closed and closed & ~star(theory, attrs) == 0
            good = good and all(closed & ~table[attrs | 1 << b] == 0 for b in range(size))
            wrong += not (good and operator(other, attrs) == closed)
    return Finding(
        wrong == 0,
        f"{values - wrong} of {values} values of {theories} theories are extensive, monotone, idempotent, and the "
        "same for another representation",
        {"theories": theories, "values": values, "wrong": wrong},
    )


def closure_is_linear(context: Context) -> Finding:
    """Steps of counting forward chaining, on random theories and on the chain in the order that is worst for sweeps."""
    worst, right, cases, seen = 0.0, 0, 0, []
    for size in context.either((8, 16, 32, 64), (8, 16, 32, 64, 128, 256)):
        chain = Theory.of(size, [(1 << i, 1 << (i + 1)) for i in reversed(range(size - 1))])
        drawn = [random_theory(size, 2 * size, seed=context.seed + i) for i in range(4)]
        for theory in [chain, *drawn]:
            for attrs in (1, 3, (1 << size // 2) - 1):
                closed, steps = linear_closure(theory.rules, attrs)
                right += closed == context.methods.closure(theory, attrs)
                cases += 1
                worst = max(worst, steps / (literals(theory.rules) + size))
        seen.append(round(linear_closure(chain.rules, 1)[1] / (literals(chain.rules) + size), 3))
    return Finding(
        right == cases and worst <= 2 and seen[-1] <= 1.1 * seen[0],
        f"at most {worst:.2f} (|T| + n) steps in {cases} closures; on chains of doubling length "
        + ", ".join(f"{ratio:.2f}" for ratio in seen),
        {"worst": round(worst, 4), "chain": seen, "cases": cases},
    )


def closest_correction(context: Context) -> Finding:
    """For every negative set: the models above it at least distance are one, its closure."""
    right = cases = 0
    for size, family, theory in _systems(context):
        for y in range(1 << size):
            if y not in family:
                above = [x for x in family if y & ~x == 0]
                least = min((x ^ y).bit_count() for x in above)
                nearest = [x for x in above if (x ^ y).bit_count() == least]
                cases += 1
                right += nearest == [context.methods.closure(theory, y)]
    return Finding(right == cases, f"{right} of {cases} negative sets", {"cases": cases, "right": right})


# The examples


def example_1(context: Context) -> Finding:
    """The three classes, as printed."""
    close = context.methods.closure
    classes = [letters(close(EXAMPLE_1, i.premise), 6) for i in EXAMPLE_1]
    expected = ["de", "bcd", "bcd", "bcd", "abcde", "abcde"]
    groups = [[index + 1 for index in group] for group in EXAMPLE_1.classes()]
    return Finding(
        classes == expected and groups == [[1], [2, 3, 4], [5, 6]],
        f"classes {', '.join(classes)}; groups {groups}",
        {"classes": classes, "groups": groups},
    )


def example_1_variables(context: Context) -> Finding:
    """Which variables occur, and that the free one changes no class."""
    occurring = 0
    for implication in EXAMPLE_1:
        occurring |= implication.premise | implication.conclusion
    without = Theory.of(5, EXAMPLE_1.rules)
    close = context.methods.closure
    same = all(close(EXAMPLE_1, i.premise) == close(without, i.premise) for i in EXAMPLE_1)
    free = all(close(EXAMPLE_1, x | 32) == close(EXAMPLE_1, x) | 32 for x in range(32))
    return Finding(
        same and free and occurring == 0b011111,
        f"{letters(occurring, 6)} occur in H; f is free, and every class is the same with and without it",
        {"occurring": letters(occurring, 6)},
        refuted=occurring != EXAMPLE_1.everything,
    )


def example_1_basis(context: Context) -> Finding:
    """The canonical basis of Example 1, against the definition of pseudo-closed sets."""
    basis = EXAMPLE_1.canonical(context.methods.two_pass)
    defined = theory_of(6, list(EXAMPLE_1.models()))
    unsaturated = [
        letters(i.premise, 6) for i in EXAMPLE_1 if context.methods.quasi_closure(EXAMPLE_1, i.premise) != i.premise
    ]
    return Finding(
        set(basis.rules) == set(defined.rules) and len(basis) == 6 and unsaturated == ["ce"],
        f"canonical basis {spelled(basis)}; not quasi-closed in H: {', '.join(unsaturated)}",
        {"basis": spelled(basis), "not quasi-closed": unsaturated},
    )


def example_2(context: Context) -> Finding:
    """(ac)* = abcd and (ac) bullet = acd."""
    star = letters(context.methods.closure(EXAMPLE_2, 0b0101), 4)
    bullet = letters(context.methods.quasi_closure(EXAMPLE_2, 0b0101), 4)
    close = context.methods.closure
    inside = [i for i in EXAMPLE_2 if close(EXAMPLE_2, i.premise) == close(EXAMPLE_2, 0b0101)]
    same = [letters(i.premise, 4) + "->" + letters(i.conclusion, 4) for i in inside]
    return Finding(
        (star, bullet, same) == ("abcd", "acd", ["a->b", "a->c"]),
        f"(ac)* = {star}, (ac) bullet = {bullet}, H(ac) = {{{', '.join(same)}}}",
        {"star": star, "bullet": bullet, "class": same},
    )


# What they share


def _systems(context: Context) -> Iterator[tuple[int, frozenset[Attrs], Theory]]:
    """Every closure system on up to three attributes and some or all on four: size, models, and a theory of it."""
    chance = random.Random(context.seed)
    for theory in [*small_theories(), *four(context, 31)]:
        rules = [*theory.rules]
        chance.shuffle(rules)
        said = Theory.of(theory.size, [(p, c & ~p) for p, c in rules])
        yield theory.size, context.once(("models", theory), partial(_models, theory)), said


def _models(theory: Theory) -> frozenset[Attrs]:
    """The models by brute force."""
    return frozenset(x for x in range(1 << theory.size) if all(p & ~x or c & ~x == 0 for p, c in theory.rules))


def _meet(sets: list[Attrs], size: int) -> Attrs:
    met = everything(size)
    for attrs in sets:
        met &= attrs
    return met


CLAIMS = (
    Claim(
        "Theorem 1",
        "a Boolean function has a Horn CNF iff its models are closed under intersection",
        horn_iff_intersection,
        "hornbook.testing.every_closure_system",
    ),
    Claim(
        "Proposition 2",
        "(1) f |= A -> b iff b in A*; (2) x = x* iff x |= f; (3) x* is the meet of the models above x",
        closure_is_least_model,
        "hornbook.theory.Theory.closure",
    ),
    Claim(
        "Proposition 2, the operator star",
        "star is a closure operator and depends on the function only",
        star_is_closure,
        "hornbook.theory.Theory.closure",
    ),
    Claim(
        "Proposition 2, closest correction",
        "upwards, y* is the unique closest correction of a negative y",
        closest_correction,
        "hornbook.queries.Close",
    ),
    Claim(
        "Proposition 2, linear time",
        "closures are answered in time linear in |T| and n",
        closure_is_linear,
        "hornbook.paper.steps.linear_closure",
    ),
    Claim(
        "Example 1",
        "six implications in three classes: de; bcd, three times; abcde, twice",
        example_1,
        "hornbook.theory.Theory.classes",
    ),
    Claim(
        "Example 1, variables",
        "thus, the propositional variables are a, b, c, d, e, f",
        example_1_variables,
        "hornbook.paper.preliminaries.EXAMPLE_1",
        corrected="a to e occur in H; f occurs nowhere and is free",
        errata=(15,),
    ),
    Claim(
        "Example 1, canonical basis",
        "H, like any definite Horn function, has one canonical basis (by Theorem 3; it is not written down)",
        example_1_basis,
        "hornbook.theory.Theory.canonical",
        corrected="six implications too; H itself is not saturated, ce is not quasi-closed",
        errata=(15,),
    ),
    Claim(
        "Example 2",
        "(ac)* = abcd and (ac) bullet = acd, with H(ac) = {a -> b, a -> c}",
        example_2,
        "hornbook.theory.Theory.quasi_closure",
    ),
    Claim(
        "Example 2, the operator bullet",
        "bullet is a closure operator; its closed sets are the quasi-closed ones",
        bullet_is_closure,
        "hornbook.theory.Theory.quasi_closure",
    ),
    Claim(
        "Theorem 3, saturated formulas",
        "any saturated definite Horn CNF is irredundant",
        saturation.saturated_is_irredundant,
        "hornbook.paper.saturation.saturated_in_2011",
        corrected="so it is if each premise satisfies all other implications and violates its own (Arias, Balcazar "
        "2011); y = y bullet is weaker, even with distinct premises that are not closed",
        errata=(1, 22),
    ),
    Claim(
        "Theorem 3",
        "there is at most one saturated basis",
        saturation.one_saturated_basis,
        "hornbook.paper.saturation.one_saturated_basis",
        corrected="there is exactly one, saturated being as in 2011: every premise satisfies all other implications",
        errata=(2, 22),
    ),
    Claim(
        "Theorem 3, minimum size",
        "the saturated basis is of minimum implicational size",
        saturation.saturated_is_smallest,
        "hornbook.theory.Theory.canonical",
    ),
    Claim(
        "Theorem 3, the procedure of Section 2.4",
        "right-saturate, left-saturate by classes, remove what is redundant: the canonical basis",
        saturation.procedure_by_classes,
        "hornbook.canonical.by_classes",
    ),
    Claim(
        "Theorem 3, two passes",
        "there is one saturated basis, so every procedure that ends with one ends with the same",
        saturation.procedure_two_pass,
        "hornbook.canonical.two_pass",
        corrected="right sides under all rules, then left sides under the others: the same basis",
    ),
)
