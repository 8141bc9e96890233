"""Kernels against the definitions: small closure systems, rules of all shapes, both paths, then real data."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import definitions
from hornbook import canonical, chaining
from hornbook.errors import BadQuestion
from hornbook.kernels import switch
from hornbook.theory import Theory
from hornbook.universe import by_size
from shapes import Rule, closure, is_canonical, path, some_rules, some_set, some_sets

SIZES = [0, 1, 2, 63, 64, 65, 128, 1000]


@st.composite
def rule_sets(draw: st.DrawFn) -> tuple[int, list[Rule], list[int]]:
    size = draw(st.sampled_from([0, 1, 2, 3, 5, 9, 63, 64, 65, 130]))
    members = st.frozensets(st.integers(0, max(size - 1, 0)), max_size=6)
    sets = members.map(lambda members: sum(1 << position for position in members) & 2**size - 1)
    return size, draw(st.lists(st.tuples(sets, sets), max_size=25)), draw(st.lists(sets, max_size=70))


# Against the definitions


@pytest.mark.parametrize("compiled", [False, True])
def test_all_closures_and_canonical_bases_of_small_systems_are_those_of_the_definitions(compiled: bool) -> None:
    for size in range(4):
        for family in definitions.closure_systems(size):
            expected = [definitions.closure(family, attrs, size) for attrs in range(2**size)]
            basis = sorted(definitions.canonical(size, family), key=lambda rule: by_size(rule[0]))
            for rules in definitions.representations(size, family):
                with path(compiled=compiled):
                    closer = chaining.closer(size, rules)
                    assert [closer(attrs) for attrs in range(2**size)] == expected
                    assert closer.all(range(2**size)) == expected
                    assert canonical.two_pass(size, rules) == basis
                with path(compiled=compiled, together=True):
                    assert canonical.two_pass(size, rules) == basis


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("count", [0, 1, 4, 60, 300])
def test_rules_of_all_shapes_close_as_defined(size: int, count: int) -> None:
    rules, sets = some_rules(size, count, seed=size + count), some_sets(size, 150, seed=size)
    expected = [closure(rules, attrs) for attrs in sets]
    with path(compiled=True):
        closer = chaining.closer(size, rules)
        # Twice: the scratch must be left as it was found.
        assert [closer(attrs) for attrs in [*sets, *sets]] == [*expected, *expected]
        assert closer.all(sets) == expected
        assert chaining.closures(size, rules, sets) == expected


@pytest.mark.parametrize("size", [0, 1, 2, 6, 30, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("count", [0, 1, 5, 40, 90])
@pytest.mark.parametrize("together", [False, True])
def test_the_canonical_basis_of_rules_of_all_shapes_is_as_defined(size: int, count: int, together: bool) -> None:
    for seed in range(2):
        rules = some_rules(size, count, seed=seed * 1000 + size + count)
        with path(compiled=True, together=together):
            basis = canonical.two_pass(size, rules)
        assert is_canonical(basis, rules)
        assert basis == sorted(basis, key=lambda rule: by_size(rule[0]))


def test_quasi_closures_are_closures_under_guarded_rules_on_every_small_closure_system() -> None:
    for size in range(5):
        for family in definitions.closure_systems(size):
            rules = definitions.representations(size, family)[5]
            basis = canonical.together(size, rules, lambda _, rules, sets: [chaining.close(x, rules) for x in sets])
            assert set(basis) == definitions.canonical(size, family)
            assert len(basis) == len(set(basis))


@pytest.mark.parametrize("together", [False, True])
def test_classes_of_many_equivalent_premises_keep_their_heirs(together: bool) -> None:
    # Cycles with chords and tails: most rules are redundant, one by way of the other.
    for seed in range(60):
        rng = random.Random(seed)
        size = rng.randrange(3, 9)
        rules = [(1 << a, 1 << (a + 1) % size) for a in range(size)]
        rules += [(some_set(rng, size, 2), some_set(rng, size, 2)) for _ in range(size)]
        rules += [(some_set(rng, size, 3) | 1 << size, 1 << size + rng.randrange(3)) for _ in range(4)]
        rng.shuffle(rules)
        with path(compiled=True, together=together):
            basis = canonical.two_pass(size + 3, rules)
        assert set(basis) == definitions.canonical(size + 3, definitions.models(size + 3, rules))


@pytest.mark.parametrize("words", [1, 8, 32, 64])
@pytest.mark.parametrize("count", [1, 63, 64, 65, 511, 513, 2049, 4097])
def test_slices_of_any_length_close_any_number_of_sets(words: int, count: int) -> None:
    from hornbook.kernels import front

    rules, sets = some_rules(100, 80, seed=words), some_sets(100, count, seed=count)
    groups = front.stream(front.program(100, rules))
    with patch.object(front, "words_for", lambda *_: words):
        assert front.close_many(groups, 100, sets) == [chaining.close(attrs, rules) for attrs in sets]


@pytest.mark.parametrize("compiled", [False, True])
def test_the_order_of_a_chain_makes_no_difference(compiled: bool) -> None:
    size = 700
    upwards = [(1 << a, 1 << a + 1) for a in range(size - 1)]
    shuffled = random.Random(0).sample(upwards, len(upwards))
    for rules in (upwards, upwards[::-1], shuffled):
        with path(compiled=compiled):
            assert chaining.closer(size, rules)(1) == 2**size - 1
            assert chaining.closures(size, rules, [1, 2, 0]) == [2**size - 1, 2**size - 2, 0]


def test_wide_premises_and_conclusions_are_no_special_case() -> None:
    # More than 255 in a premise: counters are no bytes.
    size = 900
    rules = [(2**600 - 1, 1 << 700), (2**599 - 1, 1 << 599), (1 << 700, (2**size - 1) ^ (2**701 - 1)), (0, 3)]
    sets = [0, 2**599 - 1, 2**599 - 2, 2**599 - 4, 2**598 - 1]
    expected = [closure(rules, attrs) for attrs in sets]
    assert len(set(expected)) == 3
    with path(compiled=True):
        assert list(map(chaining.closer(size, rules), sets)) == chaining.closures(size, rules, sets) == expected


# Both paths


@given(rule_sets())
def test_both_paths_give_identical_results(drawn: tuple[int, list[Rule], list[int]]) -> None:
    size, rules, sets = drawn
    results = []
    for compiled, together in ((False, False), (True, False), (True, True)):
        with path(compiled=compiled, together=together):
            one_by_one = list(map(chaining.closer(size, rules), sets))
            results.append((one_by_one, chaining.closures(size, rules, sets), canonical.two_pass(size, rules)))
    assert results[0] == results[1] == results[2]
    assert results[0][0] == results[0][1] == [closure(rules, attrs) for attrs in sets]
    assert results[0][2] == canonical.by_classes(size, rules)


def test_each_path_is_really_taken() -> None:
    from hornbook.kernels import front

    with path(compiled=False), patch.object(front, "program", side_effect=AssertionError):
        assert chaining.closures(3, [(1, 2)], [1]) == [3]
        assert canonical.two_pass(3, [(1, 2)]) == [(1, 3)]
    with path(compiled=True), patch.object(chaining, "_sweep", side_effect=AssertionError):
        assert chaining.closer(3, [(1, 2)])(1) == 3
        assert chaining.closures(3, [(1, 2)], [1]) == [3]
        assert canonical.two_pass(3, [(1, 2)]) == [(1, 3)]
        with patch.object(canonical, "together", side_effect=AssertionError):
            assert canonical.two_pass(3, [(1, 2)]) == [(1, 3)]
    with path(compiled=True, together=True), patch.object(front, "canonical", side_effect=AssertionError):
        assert canonical.two_pass(3, [(1, 2)]) == [(1, 3)]


def test_a_closure_goes_over_to_a_kernel_in_its_midst() -> None:
    upwards = [(1 << a, 1 << a + 1) for a in range(400)][::-1]
    answers = iter([False, False, True])
    with path(compiled=True), patch.object(switch, "pays", lambda *_: next(answers)):
        assert chaining.closer(401, upwards)(1) == 2**401 - 1
    assert next(answers, None) is None


def test_a_canonical_basis_goes_over_to_kernels_in_its_midst() -> None:
    rules = some_rules(40, 300, seed=4)
    with path(compiled=False):
        expected = canonical.two_pass(40, rules)
    for turn in range(1, 4):
        calls: list[int] = []

        def pays(family: str, *_: int, turn: int = turn, calls: list[int] = calls) -> bool:
            calls.append(1)
            return family == switch.CANONICAL and len(calls) > turn

        with path(compiled=True), patch.object(switch, "pays", pays):
            assert canonical.two_pass(40, rules) == expected


@pytest.mark.parametrize("compiled", [False, True])
def test_what_is_no_attribute_stays_as_it_is(compiled: bool) -> None:
    with path(compiled=compiled):
        closer = chaining.closer(3, [(1, 2)] * 3)
        assert [closer(attrs) for attrs in (1, 0b1001, 1 << 100)] == [3, 0b1011, 1 << 100]
        assert closer.all([1, 0b1001, 1 << 100]) == [3, 0b1011, 1 << 100]


def test_a_rule_beyond_the_attributes_is_refused_before_it_is_compiled() -> None:
    with path(compiled=True), pytest.raises(BadQuestion, match=r"attribute 3; there are 3"):
        chaining.closer(3, [(1, 8)])(1)


# Real data


def implications(file: Path) -> tuple[int, list[Rule]]:
    """A file of lines `a b -> c d`, whose comments may fix the order of the attributes."""
    positions: dict[str, int] = {}
    rules = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            names = line.partition(": ")[2] if line.startswith("# attributes") else ""
            for name in names.split():
                positions.setdefault(name, len(positions))
        elif "->" in line:
            premise, conclusion = (
                sum(1 << positions.setdefault(name, len(positions)) for name in side.split())
                for side in line.split("->")
            )
            rules.append((premise, conclusion))
    return len(positions), rules


BASES = ["zoo", "post-operative", "vote", "SPECT", "breast-cancer", "flare", "breast-w"]


@pytest.mark.parametrize("shape", ["min", "min2", "proper", "mingen"])
@pytest.mark.parametrize("name", BASES)
def test_equivalent_theories_reduce_to_the_published_basis(data: Path, name: str, shape: str) -> None:
    folder = data / "theories" / "uci_bases"
    if not (folder / f"{name}_{shape}.imp").exists():
        pytest.skip("there is none of this shape")
    size, rules = implications(folder / f"{name}_{shape}.imp")
    same_size, published = implications(folder / f"{name}_DG.imp")
    assert size == same_size
    expected = {(premise, premise | conclusion) for premise, conclusion in published}
    # One premise after the other takes seconds where there are more.
    for together in (False, True) if len(rules) < 10_000 else (True,):
        with path(compiled=True, together=together):
            basis = canonical.two_pass(size, rules)
        assert len(basis) == len(published)
        assert set(basis) == expected


def test_whether_to_close_all_together_is_judged_by_how_much_closures_overlap(data: Path) -> None:
    from hornbook.kernels import front

    crowded = implications(data / "theories" / "uci_bases" / "SPECT_mingen.imp")
    sparse = implications(data / "theories" / "buildroot_full.imp")
    assert front.saved_together(front.program(*crowded)) > 10**9
    assert front.saved_together(front.program(*sparse)) < 0
    assert front.saved_together(front.program(0, [])) <= 0


def test_buildroot_is_minimised_in_little_memory(data: Path) -> None:
    size, rules = implications(data / "theories" / "buildroot_full.imp")
    assert (size, len(rules)) == (6834, 8750)
    with path(compiled=True):
        theory = Theory.of(size, rules)
        basis = theory.canonical()
        assert len(basis) == 6800
        premises = [premise for premise, _ in rules]
        assert theory.closures(premises) == basis.closures(premises) == [theory.closure(p) for p in premises]
    # Of pseudo-closed sets, what the definition says of two of them, sampled.
    for one in random.Random(1).sample(list(basis), 40):
        for other in basis:
            if other != one and other.premise | one.premise == one.premise:
                assert other.conclusion | one.premise == one.premise


def test_rows_keep_every_bit() -> None:
    from hornbook.kernels.sets import members_of, rows_of, sets_of

    sets = [0, 1, 1 << 63, 1 << 63 | 1, 1 << 64, (1 << 65) - 1, 1 << 127, (1 << 128) - 1]
    rows = rows_of(sets, 2)
    assert rows.dtype == np.uint64
    assert sets_of(rows, 2) == sets
    starts, members = members_of(sets, 2)
    lists = [members[start:stop].tolist() for start, stop in pairwise(starts)]
    assert lists == [[a for a in range(128) if attrs >> a & 1] for attrs in sets]
    with patch("hornbook.kernels.sets.CHUNK", 40):
        again = members_of(sets, 2)
    assert all(np.array_equal(one, other) for one, other in zip(again, (starts, members), strict=True))
