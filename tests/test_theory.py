"""Theories against the definitions: every closure system on up to four attributes, then properties, then real data."""

from __future__ import annotations

import csv
import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import definitions
from conftest import DATA
from hornbook.canonical import by_classes, two_pass
from hornbook.errors import BadQuestion, FormatError
from hornbook.theory import Implication, Theory
from hornbook.universe import Universe, by_size, members
from shapes import path

A, B, C, D, E, F = (1 << position for position in range(6))

THE_SIX = Theory.of(6, [(E, D), (B | C, D), (B | D, C), (C | D, B), (A | D, B | C | E), (C | E, A | B)])
"""The example of Guigues and Duquenne that the paper takes up; f occurs in no implication."""


@st.composite
def rule_sets(draw: st.DrawFn, most: int = 6) -> tuple[int, list[tuple[int, int]]]:
    size = draw(st.integers(1, most))
    sets = st.integers(0, 2**size - 1)
    return size, draw(st.lists(st.tuples(sets, sets), max_size=10))


def systems(most: int) -> list[tuple[int, tuple[int, ...]]]:
    return [(size, family) for size in range(most + 1) for family in definitions.closure_systems(size)]


def test_there_are_as_many_closure_systems_as_there_should_be() -> None:
    assert [len(definitions.closure_systems(size)) for size in range(5)] == [1, 2, 7, 61, 2480]


@pytest.mark.parametrize("method", [two_pass, by_classes])
def test_canonical_is_the_set_of_pseudo_closed_sets_on_every_small_closure_system(method) -> None:
    for size, family in systems(4):
        expected = definitions.canonical(size, family)
        for rules in definitions.representations(size, family):
            basis = Theory.of(size, rules).canonical(method)
            assert set(basis.rules) == expected, (size, rules)
            assert len(basis) == len(expected)


def test_closure_models_and_satisfies_agree_with_brute_force_on_every_small_closure_system() -> None:
    for size, family in systems(4):
        theory = Theory.of(size, definitions.representations(size, family)[3])
        sets = range(2**size)
        assert [theory.closure(x) for x in sets] == [definitions.closure(family, x, size) for x in sets]
        assert theory.closures(list(sets)) == [theory.closure(x) for x in sets]
        assert sorted(theory.models()) == list(family) == [x for x in sets if theory.satisfies(x)]
        assert set(theory.characteristic_models()) == definitions.meet_irreducible(size, family)


def test_models_come_in_lectic_order() -> None:
    def lectic(attrs: int) -> tuple[int, ...]:
        return tuple(attrs >> position & 1 for position in range(5))

    found = list(Theory.of(5, [(A, B), (C | D, E)]).models())
    assert found == sorted(found, key=lectic)


@given(rule_sets())
def test_quasi_closure_is_the_closure_under_the_other_classes(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    size, rules = drawn
    theory = Theory.of(size, rules)
    for attrs in range(2**size):
        assert theory.quasi_closure(attrs) == definitions.quasi_closure(size, rules, attrs)


@given(rule_sets(), st.randoms(use_true_random=False))
def test_quasi_closure_depends_on_the_function_alone(drawn, chance) -> None:
    size, rules = drawn
    theory = Theory.of(size, rules)
    other = theory.canonical()
    attrs = chance.randrange(2**size)
    assert theory.quasi_closure(attrs) == other.quasi_closure(attrs)


@given(rule_sets(), st.data())
def test_closure_is_extensive_monotone_and_idempotent(drawn, data: st.DataObject) -> None:
    size, rules = drawn
    theory = Theory.of(size, rules)
    x, y = (data.draw(st.integers(0, 2**size - 1)) for _ in range(2))
    assert x & ~theory.closure(x) == 0
    assert theory.closure(x & y) & ~theory.closure(x) == 0
    assert theory.closure(theory.closure(x)) == theory.closure(x)


@given(rule_sets(), st.randoms(use_true_random=False))
def test_canonical_is_idempotent_equivalent_minimum_and_independent_of_order_and_names(drawn, chance) -> None:
    size, rules = drawn
    theory = Theory.of(size, rules)
    basis = theory.canonical()
    assert basis.canonical() == basis
    assert basis.equivalent(theory)
    assert basis.saturated() and basis.irredundant()
    assert len(basis) <= len(theory)
    shuffled = list(rules)
    chance.shuffle(shuffled)
    assert Theory.of(size, shuffled).canonical() == basis
    places = list(range(size))
    chance.shuffle(places)

    def moved(attrs: int) -> int:
        return sum(1 << places[position] for position in members(attrs))

    renamed = Theory.of(size, [(moved(p), moved(c)) for p, c in rules]).canonical()
    assert set(renamed.rules) == {(moved(p), moved(c)) for p, c in basis.rules}


def test_no_equivalent_theory_on_three_attributes_is_smaller_than_the_canonical_basis() -> None:
    # The smallest number of implications for each function, by trying all theories with fewer.
    pairs = [(p, c) for p in range(8) for c in range(8) if c & ~p]
    reached = {tuple(definitions.models(3, []))}
    smallest = dict.fromkeys(reached, 0)
    for count in range(1, 4):
        reached = {
            tuple(x for x in family if not definitions.subset(p, x) or definitions.subset(c, x))
            for family in reached
            for p, c in pairs
        }
        for family in reached:
            smallest.setdefault(family, count)
    for family in definitions.closure_systems(3):
        assert len(definitions.canonical(3, family)) == smallest[family]


@given(rule_sets(), rule_sets())
def test_difference_is_a_model_of_exactly_one_or_none_where_there_is_none(first, second) -> None:
    size = max(first[0], second[0])
    a, b = Theory.of(size, first[1]), Theory.of(size, second[1])
    witness = a.difference(b)
    if witness is None:
        assert definitions.models(size, first[1]) == definitions.models(size, second[1])
    else:
        assert a.satisfies(witness) != b.satisfies(witness)
    assert a.entails(b) == set(a.models()).issubset(b.models())


@given(rule_sets(), st.data())
def test_an_implication_is_entailed_when_every_model_satisfies_it(drawn, data: st.DataObject) -> None:
    size, rules = drawn
    p, c = (data.draw(st.integers(0, 2**size - 1)) for _ in range(2))
    entailed = all(not definitions.subset(p, x) or definitions.subset(c, x) for x in definitions.models(size, rules))
    assert Theory.of(size, rules).entails(Implication(p, c)) == entailed


@given(rule_sets())
def test_redundant_implications_are_those_that_follow_from_the_others(drawn) -> None:
    size, rules = drawn
    theory = Theory.of(size, rules)
    every = definitions.models(size, rules)
    follows = [definitions.models(size, rules[:i] + rules[i + 1 :]) == every for i in range(len(rules))]
    assert [theory.redundant(i) for i in range(len(rules))] == follows
    assert theory.irredundant() == (not any(follows))
    assert [theory.without(i).equivalent(theory) for i in range(len(rules))] == follows


@given(rule_sets(), st.data())
def test_an_explanation_derives_the_attribute_and_needs_each_of_its_steps(drawn, data: st.DataObject) -> None:
    size, rules = drawn
    theory = Theory.of(size, rules)
    premise = data.draw(st.integers(0, 2**size - 1))
    for attribute in range(size):
        steps = theory.explain(premise, attribute)
        if not theory.closure(premise) >> attribute & 1:
            assert steps is None
            continue
        assert steps is not None
        known = premise
        for step in steps:
            # Acyclic: each step stands on what the premise and earlier steps gave.
            assert step.implication == theory[step.index]
            assert definitions.subset(step.implication.premise, known)
            assert definitions.subset(step.added, step.implication.conclusion & ~known) and step.added
            known |= step.added
        assert known >> attribute & 1
        used = [theory[step.index] for step in steps]
        for left_out in range(len(used)):
            rest = Theory(size, tuple(used[:left_out] + used[left_out + 1 :]))
            assert not rest.closure(premise) >> attribute & 1, "a step could be left out"
    known = premise
    for step in theory.derivation(premise):
        assert definitions.subset(step.implication.premise, known) and step.added & ~known == step.added != 0
        known |= step.added
    assert known == theory.closure(premise)


@given(rule_sets(), st.data())
def test_a_contradiction_is_explained_by_a_negative_clause_and_all_that_it_stands_on(drawn, data) -> None:
    size, rules = drawn
    full = 2**size - 1
    clauses = [(p, full if data.draw(st.booleans()) else c) for p, c in rules]
    theory = Theory.of(size, clauses, top=False)
    definite = [(p, c) for p, c in clauses if c != full]
    for premise in range(2**size):
        for steps in (theory.derivation(premise), *(theory.explain(premise, one) for one in range(size))):
            known = premise
            for step in steps or []:
                assert definitions.subset(step.implication.premise, known)
                if step.added is None:
                    assert step is steps[-1] and step.implication.conclusion == full
                    assert not theory.consistent(premise)
                else:
                    assert step.implication.conclusion != full, "a negative clause adds no names"
                    assert definitions.subset(step.added, step.implication.conclusion & ~known) and step.added
                    known |= step.added
        if not theory.consistent(premise):
            reached = Theory.of(size, definite).closure(premise)
            told = any(c == full and definitions.subset(p, reached) for p, c in clauses)
            steps = theory.derivation(premise)
            assert told == (bool(steps) and steps[-1].added is None)
            assert told or reached == full


def test_what_follows_without_the_contradiction_is_explained_without_it() -> None:
    theory = Theory.of(5, [(A, B), (B, C), (C | D, 31)], top=False)
    assert [(step.index, step.added) for step in theory.explain(A | D, 1)] == [(0, B)]
    assert [(step.index, step.added) for step in theory.explain(A | D, 4)] == [(0, B), (1, C), (2, None)]
    assert theory.derivation(A | D) == theory.explain(A | D, 4)
    assert theory.explain(A, 4) is None and theory.explain(A | D, 3) == []
    # No clause says it here: every attribute follows, and that is no model.
    assert [(step.index, step.added) for step in Theory.of(2, [(A, B)], top=False).derivation(A)] == [(0, B)]


def test_the_example_of_guigues_and_duquenne_has_three_classes() -> None:
    assert THE_SIX.classes() == [[0], [1, 2, 3], [4, 5]]
    assert [THE_SIX.closure(premise) for premise, _ in THE_SIX.rules] == [
        D | E,
        *[B | C | D] * 3,
        *[A | B | C | D | E] * 2,
    ]


def test_the_basis_of_the_example_is_not_the_example() -> None:
    # ce is not quasi-closed: e -> d makes it cde, and bcd gives b.
    assert not THE_SIX.saturated()
    assert set(THE_SIX.canonical().rules) == {
        (E, D | E),
        (B | C, B | C | D),
        (B | D, B | C | D),
        (C | D, B | C | D),
        (A | D, A | B | C | D | E),
        (B | C | D | E, A | B | C | D | E),
    }


def test_the_bullet_operator_of_the_papers_second_example() -> None:
    theory = Theory.of(4, [(A, B), (A, C), (C, D)])
    assert theory.closure(A | C) == A | B | C | D
    assert theory.quasi_closure(A | C) == A | C | D


def test_saturated_excludes_what_says_nothing_and_what_is_said_twice() -> None:
    # Erratum: by the letter of the paper both are saturated, and neither is irredundant.
    nothing = Theory.of(1, [(A, A)])
    assert not nothing.saturated() and not nothing.irredundant()
    twice = Theory.of(2, [(A, A | B), (A, A | B)])
    assert not twice.saturated() and not twice.irredundant()
    assert twice.right_saturated(twice[0]) and twice.left_saturated(twice[0])
    assert Theory.of(2, [(A, A | B)]).saturated()


def test_every_theory_on_two_attributes_is_saturated_exactly_if_it_is_a_canonical_basis() -> None:
    pairs = [(p, c) for p in range(4) for c in range(4)]
    count = 0
    for size in range(4):
        for rules in permutations(pairs, size):
            basis = definitions.canonical(2, definitions.models(2, rules))
            theory = Theory.of(2, rules)
            assert theory.saturated() == (set(rules) == basis), rules
            assert not theory.saturated() or theory.irredundant()
            count += theory.saturated()
    assert count > 7
    # By the letter of the paper this one is saturated: its premises are quasi-closed, and differ.
    assert not Theory.of(2, [(0, 3), (1, 3)]).saturated()


def test_saturated_theories_are_exactly_the_canonical_bases() -> None:
    for size, family in systems(3):
        for rules in definitions.representations(size, family):
            theory = Theory.of(size, rules)
            is_basis = len(set(rules)) == len(rules) and set(rules) == definitions.canonical(size, family)
            assert theory.saturated() == is_basis


# General Horn: every family closed under intersection, with or without the set of all attributes.


def test_a_general_horn_theory_has_the_models_of_its_clauses() -> None:
    full = 7
    for family in definitions.closure_systems(3):
        theory = Theory.of(3, definitions.canonical(3, family), top=False)
        proper = [x for x in family if x != full]
        assert sorted(theory.models()) == proper == [x for x in range(8) if theory.satisfies(x)]
        for attrs in range(8):
            above = [x for x in proper if definitions.subset(attrs, x)]
            assert theory.consistent(attrs) == bool(above)
            if above:
                assert theory.closure(attrs) == definitions.closure(proper, attrs, 3)
        definite = Theory.of(3, definitions.canonical(3, family))
        assert theory.difference(definite) == definite.difference(theory) == full
        assert theory.entails(definite) and not definite.entails(theory)
        assert theory.canonical().equivalent(theory)


# Values.


def test_theories_are_values() -> None:
    theory = Theory(2).append(Implication(A, B))
    assert theory == Theory.of(2, [(A, B)]) and hash(theory) == hash(Theory.of(2, [(A, B)]))
    assert theory != Theory.of(2, [(A, B)], top=False)
    assert theory.replace(0, Implication(B, A)).rules == [(B, A)]
    assert theory.without(0) == Theory(2)
    with pytest.raises(AttributeError):
        theory.size = 3  # type: ignore[misc]
    theory.closure(A)
    assert theory == Theory.of(2, [(A, B)]), "what a theory has worked out is no part of its value"


def test_an_implication_beyond_the_universe_is_refused() -> None:
    for build in (
        lambda: Theory.of(2, [(A, C)]),
        lambda: Theory(2).append(Implication(C, A)),
        lambda: Theory.of(2, [(A, B)]).replace(0, Implication(C, A)),
    ):
        with pytest.raises(BadQuestion, match="beyond the 2 attributes"):
            build()
    with pytest.raises(BadQuestion, match="2 and 3 attributes"):
        Theory(2).equivalent(Theory(3))


def test_an_index_counts_from_the_end_or_is_refused_as_in_a_list() -> None:
    theory = Theory.of(3, [(A, B), (B, C), (A, C)])
    assert theory.redundant(-1) and not theory.redundant(-2)
    assert theory.without(-1) == theory.without(2)
    assert theory.replace(-1, theory[0]) == theory.replace(2, theory[0])
    for index in (3, -4):
        for build in (theory.without, theory.redundant, lambda index: theory.replace(index, theory[0])):
            with pytest.raises(BadQuestion, match=f"no implication {index} among 3"):
                build(index)


def test_what_lies_outside_of_the_universe_is_refused_at_the_door() -> None:
    theory = Theory.of(3, [(A, B)])
    for attribute in (-1, 3):
        with pytest.raises(BadQuestion, match=f"no attribute {attribute} among 3"):
            theory.explain(A, attribute)
    for attrs in (-1, 8):
        with pytest.raises(BadQuestion, match="beyond the 3 attributes"):
            theory.satisfies(attrs)
    for size in (-1, "ab", None):
        with pytest.raises(BadQuestion, match=re.escape(f"not over {size!r}")):
            Theory(size)  # type: ignore[arg-type]


def test_a_string_is_no_list_of_names() -> None:
    universe = Universe.of(["a", "b"])
    for build in (lambda: universe.attrs("ab"), lambda: Universe.of("ab"), lambda: Universe("ab")):
        with pytest.raises(FormatError, match="'ab'"):
            build()


def test_in_order_puts_small_premises_first() -> None:
    theory = Theory.of(3, [(A | B, C), (C, A), (B, A), (0, A)])
    assert [by_size(implication.premise) for implication in theory.in_order()] == [
        (0, []),
        (1, [1]),
        (1, [2]),
        (2, [0, 1]),
    ]


# Real data.


def known_answers() -> list[dict[str, str]]:
    """A row for each theory of which the sizes are known; without the folder of real data one that is skipped."""
    table = DATA / "expected" / "theories.tsv"
    if not table.exists():
        return [{"name": "none"}]
    with table.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def load(path: Path) -> tuple[tuple[str, ...], Theory]:
    from hornbook import formats
    from hornbook.formats.values import NamedTheory

    value = formats.read(path).value
    assert isinstance(value, NamedTheory)
    return value.universe.names, value.theory


def by_name(names: tuple[str, ...], theory: Theory) -> list[tuple[frozenset[str], frozenset[str]]]:
    """What the implications say, in an order that depends on nothing else."""
    said = [tuple(frozenset(names[i] for i in members(side)) for side in (r.premise, r.added)) for r in theory]
    return sorted(said, key=lambda sides: [sorted(side) for side in sides])


@pytest.mark.parametrize("row", known_answers(), ids=lambda row: row["name"])
def test_real_theories_have_the_known_bases(data: Path, row: dict[str, str]) -> None:
    name = row["name"]
    path = data / ("gcc_isa" if name.startswith("gcc_isa") else "theories") / f"{name}.imp"
    names, theory = load(path)
    basis = theory.canonical()
    assert {
        "attributes": len(names),
        "implications_in": len(theory),
        "canonical_size": len(basis),
        "sum_premise": sum(rule.premise.bit_count() for rule in basis),
        "sum_conclusion": sum(rule.added.bit_count() for rule in basis),
        "max_premise": max(rule.premise.bit_count() for rule in basis),
    } == {key: int(said) for key, said in row.items() if key not in ("name", "definition_check")}
    whole = data / "expected" / "theories" / f"{name}.dg.imp"
    if whole.exists():
        assert by_name(names, basis) == by_name(*load(whole))


# Those that plain Python reduces in a second or two, by either procedure.
SMALL_BASES = [
    *(("zoo", shape) for shape in ("DG", "min", "min2", "proper", "mingen")),
    *(("post-operative", shape) for shape in ("DG", "min", "min2", "proper")),
    *(("vote", shape) for shape in ("DG", "min", "min2")),
]


@pytest.mark.slow
@pytest.mark.parametrize("method", [two_pass, by_classes])
@pytest.mark.parametrize(("name", "shape"), SMALL_BASES)
def test_plain_python_reduces_to_the_published_bases_by_both_procedures(data: Path, name, shape, method) -> None:
    folder = data / "theories" / "uci_bases"
    with path(compiled=False):
        names, theory = load(folder / f"{name}_{shape}.imp")
        found = by_name(names, theory.canonical(method))
        assert found == by_name(*load(folder / f"{name}_DG.imp"))


def test_known_non_implications_of_reverse_mathematics_are_not_derived(data: Path) -> None:
    names, theory = load(data / "theories" / "rmzoo_rca.imp")
    place = {name: position for position, name in enumerate(names)}
    tried = 0
    for line in (data / "theories" / "rmzoo_nonimplications.txt").read_text().splitlines():
        if line.startswith("#") or "-|>" not in line:
            continue
        left, right = re.split(r" w?-\|> ", line)
        premise, conclusion = (sum(1 << place[name] for name in side.split("+")) for side in (left, right))
        assert not theory.entails(Implication(premise, conclusion)), line
        tried += 1
    assert tried == 139
