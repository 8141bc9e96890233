"""Kernels against the definitions: small closure systems, rules of all shapes, both paths, then real data."""

from __future__ import annotations

import copy
import os
import pickle
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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

Rule = tuple[int, int]

SIZES = [0, 1, 2, 63, 64, 65, 128, 1000]
SOURCE = Path(__file__).resolve().parents[1] / "src"


@contextmanager
def path(*, compiled: bool, together: bool = False) -> Iterator[None]:
    """Everything goes one of the two ways, whatever it costs; canonical bases by the one kernel or by the other."""
    from hornbook.kernels import front

    with (
        patch.object(switch, "pays", lambda *_: compiled),
        patch.multiple(chaining, FEW=0, PACK=0, PACK_RULE=0),
        patch.object(front, "saved_together", lambda _: together),
    ):
        yield


def closure(rules: Sequence[Rule], attrs: int) -> int:
    """Whatever a rule adds is added, until none adds anything."""
    grown = True
    while grown:
        grown = False
        for premise, conclusion in rules:
            if premise | attrs == attrs and conclusion | attrs != attrs:
                attrs, grown = attrs | conclusion, True
    return attrs


def is_canonical(basis: Sequence[Rule], rules: Sequence[Rule]) -> bool:
    """The same theory; of premises that are not closed; each with all closures of smaller ones, and its own closure."""
    premises = [premise for premise, _ in basis]
    return (
        all(closure(basis, premise) == closure(rules, premise) for premise, _ in [*basis, *rules])
        and len(set(premises)) == len(premises)
        and all(premise != closed == closure(rules, premise) for premise, closed in basis)
        and all(closed | p == p for p in premises for q, closed in basis if q != p and q | p == p)
    )


def some_rules(size: int, count: int, seed: int) -> list[Rule]:
    """Rules of all shapes: none or many in premise and conclusion, conclusions in premises, repeated ones."""
    rng = random.Random(seed)
    rules: list[Rule] = []
    for _ in range(count):
        needs = rng.choice([0, 1, 1, 2, 2, 3, 4, 9] if rng.random() < 0.2 else [1, 2, 2, 3])
        premise, conclusion = some_set(rng, size, needs), some_set(rng, size, rng.choice([0, 1, 1, 1, 2, 7, 30]))
        shape = rng.random()
        if shape < 0.1 and rules:
            premise = rng.choice(rules)[0]
        elif shape < 0.2:
            conclusion |= premise
        rules.append((premise, conclusion))
        if shape > 0.95:
            rules.append((premise, conclusion))
    return rules


def some_set(rng: random.Random, size: int, most: int) -> int:
    attrs = 0
    for _ in range(most if size else 0):
        attrs |= 1 << rng.randrange(size)
    return attrs


def some_sets(size: int, count: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [some_set(rng, size, rng.choice([0, 1, 2, 5, size // 6, size])) for _ in range(count)]


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


# The switch


@pytest.fixture
def fresh() -> Iterator[None]:
    """Nothing is spent, nothing is loaded, Numba is not imported and was never there."""
    modules = {name: module for name, module in sys.modules.items() if name != "numba"}
    with (
        patch.multiple(switch._State, spent=0, families=frozenset(), broken=False),
        patch.dict(sys.modules, modules, clear=True),
        patch.object(switch, "_compiled_before", lambda _: False),
    ):
        yield


@pytest.mark.usefixtures("fresh")
def test_kernels_are_loaded_when_plain_python_has_cost_as_much() -> None:
    price = switch.LOAD + switch.IMPORT + switch.COMPILE[switch.CLOSURE]
    switch.spend(price - 1)
    assert not switch.pays(switch.CLOSURE, 0)
    assert switch.pays(switch.CLOSURE, 1)
    assert switch.pays(switch.CLOSURE, 0)
    assert not switch.pays(switch.CLOSURE, 9, 10)
    assert not switch.pays(switch.CANONICAL, 10**7), "what is spent is spent only once"


@pytest.mark.usefixtures("fresh")
def test_kernels_that_lie_on_disk_are_cheap() -> None:
    with patch.object(switch, "_compiled_before", lambda _: True):
        assert not switch.pays(switch.SLICES, switch.LOAD + switch.IMPORT - 1)
        assert switch.pays(switch.SLICES, switch.LOAD + switch.IMPORT)


@pytest.mark.usefixtures("fresh")
def test_without_numba_everything_goes_on_in_plain_python_and_says_so_once() -> None:
    rules, sets = some_rules(30, 40, seed=1), some_sets(30, 50, seed=1)
    with patch.dict(sys.modules, {"numba": None}):
        with pytest.warns(RuntimeWarning, match="plain Python instead"):
            assert not switch.pays(switch.CLOSURE, 10**12)
        assert not switch.pays(switch.SLICES, 10**12)
        assert chaining.closures(30, rules, sets) == [closure(rules, attrs) for attrs in sets]


def test_where_numba_is_told_not_to_compile_nothing_asks_it_to() -> None:
    code = (
        "from hornbook.kernels import switch; from hornbook.theory import Theory;"
        "print(switch.pays(switch.CLOSURE, 10**12), Theory.of(20, [(1 << i, 2 << i) for i in range(19)]).closure(1))"
    )
    assert python(code, NUMBA_DISABLE_JIT="1") == f"False {2**20 - 1}"


def test_small_work_never_waits_for_numba() -> None:
    code = """
import sys
from hornbook.theory import Theory
theory = Theory.of(40, [(3 << i, 4 << i) for i in range(38)])
for attrs in range(300):
    assert theory.closure(attrs) >= attrs
theory.closures(range(100)), theory.canonical(), theory.classes()
print(sorted(name for name in sys.modules if name in ("numpy", "numba", "llvmlite")))
"""
    assert python(code) == "[]"


def test_large_work_does_not_wait_for_plain_python() -> None:
    code = """
import sys
from hornbook.theory import Theory
theory = Theory.of(6000, [(1 << i, 2 << i) for i in range(5999)])
assert [rule.premise for rule in theory.canonical()] == [1 << i for i in range(5999)]
print("numba" in sys.modules)
"""
    assert python(code) == "True"


def test_importing_hornbook_imports_nothing_heavy() -> None:
    code = "import hornbook, hornbook.theory, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    assert {"numpy", "numba", "llvmlite"}.isdisjoint(python(code).split())


# Caches, threads, copies


def python(code: str, source: Path = SOURCE, **environment: str) -> str:
    """What a new process prints."""
    environment = {**os.environ, "PYTHONPATH": str(source), **environment}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert not result.stderr
    return result.stdout.strip()


MEMBERS = """
from hornbook.kernels import sets
starts, members = sets.members_of([5, 2**70], 2)
print(sets.__file__, members.tolist(), sum(sets.scatter.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_kernels_run_where_no_folder_can_be_written(tmp_path: Path) -> None:
    shutil.copytree(SOURCE / "hornbook", tmp_path / "hornbook", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "hornbook" / "kernels" / "__pycache__").write_text("a file where a folder should be")
    nowhere = str(tmp_path / "hornbook" / "kernels" / "__pycache__" / "inside")
    printed = python(MEMBERS, tmp_path, XDG_CACHE_HOME=nowhere, NUMBA_CACHE_DIR=nowhere, HOME=nowhere)
    assert printed == f"{tmp_path / 'hornbook' / 'kernels' / 'sets.py'} [0, 2, 70] 0"
    assert not list(tmp_path.rglob("*.nbi"))


@pytest.mark.slow
def test_a_damaged_cache_costs_a_compilation_and_no_more(tmp_path: Path) -> None:
    def hits() -> str:
        return python(MEMBERS, NUMBA_CACHE_DIR=str(tmp_path)).split()[-1]

    assert [hits(), hits()] == ["0", "1"]
    for index in tmp_path.rglob("*.nbi"):
        index.write_bytes(index.read_bytes()[:20])
    assert hits() == "0"
    for code in tmp_path.rglob("*.nbc"):
        code.write_bytes(b"damaged")
    assert hits() == "0"


def test_what_is_cached_belongs_to_the_text_of_all_kernels() -> None:
    from hornbook.kernels import canonical as kernels
    from hornbook.kernels import compiled

    def key() -> object:
        # The parts of `minimise` are from another file, so that its own text does not tell enough.
        return kernels.minimise._cache._index_key(None, kernels.minimise.targetctx.codegen())  # type: ignore[attr-defined]

    before = key()
    assert before == key()
    with patch.object(compiled, "_text", lambda: "another version"):
        assert key() != before


def test_threads_may_close_under_the_same_rules() -> None:
    rules, sets = some_rules(120, 300, seed=7), some_sets(120, 400, seed=7)
    expected = [closure(rules, attrs) for attrs in sets]
    with path(compiled=True):
        closer = chaining.closer(120, rules)
        with ThreadPoolExecutor(4) as threads:
            singles = [threads.submit(lambda: [closer(attrs) for attrs in sets]) for _ in range(8)]
            batches = [threads.submit(closer.all, sets) for _ in range(8)]
            assert all(future.result() == expected for future in singles + batches)


def test_a_theory_that_has_closed_sets_can_be_copied_and_sent() -> None:
    rules = some_rules(70, 50, seed=3)
    with path(compiled=True):
        theory = Theory.of(70, rules)
        theory.closure(5), theory.closures([1, 2, 3] * 100)
        for other in (copy.deepcopy(theory), pickle.loads(pickle.dumps(theory))):
            assert other == theory and other.closure(5) == closure(rules, 5)


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
