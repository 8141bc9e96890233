"""When kernels are used, what they cost before, and that nothing breaks where they cannot be had."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest

from hornbook import chaining
from hornbook.kernels import switch
from hornbook.theory import Theory
from shapes import closure, path, some_rules, some_sets

SOURCE = Path(__file__).resolve().parents[1] / "src"


@pytest.fixture
def fresh() -> Iterator[None]:
    """Nothing is spent, nothing is loaded, nothing lies on disk, and Numba is not imported yet."""
    with (
        patch.multiple(switch._State, spent=0, families=frozenset(), broken=False),
        patch.object(switch, "_imported", lambda: False),
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


def python(code: str, source: Path = SOURCE, through: Sequence[str] = (), **environment: str) -> str:
    """What a new process prints."""
    environment = {**os.environ, "PYTHONPATH": str(source), **environment}
    command = [*through, sys.executable, "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
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


CLOSURES = """
from hornbook.kernels import switch
from hornbook.theory import Theory
theory = Theory.of(100, [(1 << i, 2 << i) for i in range(99)])
assert switch.pays(switch.CLOSURE, 10**12) and switch.pays(switch.SLICES, 10**12)
sizes = [closed.bit_count() for closed in (theory.closure(1 << 50), *theory.closures([1 << i for i in range(100)] * 9))]
from hornbook.kernels.slices import row_closer
kernel = row_closer(32)
print(sum(sizes), len(kernel.signatures), sum(kernel.stats.cache_hits.values()))
"""


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o000, 0o444, 0o555])
def test_kernels_run_where_folders_may_not_be_searched_or_written(tmp_path: Path, mode: int) -> None:
    # To root all folders are open, unless it gives that up.
    mighty = os.geteuid() == 0
    if mighty and shutil.which("setpriv") is None:
        pytest.skip("root cannot become less here")
    less = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if mighty else ()
    shutil.copytree(SOURCE / "hornbook", tmp_path / "hornbook", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "hornbook" / "kernels").chmod(0o555)
    shut = tmp_path / "shut"
    (shut / "numba").mkdir(parents=True)
    shut.chmod(mode)
    environment = {"HOME": str(shut), "XDG_CACHE_HOME": f"{shut}/cache", "NUMBA_CACHE_DIR": f"{shut}/other"}
    assert python(CLOSURES, tmp_path, less, **environment) == "45500 1 0"
    shut.chmod(0o755)
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
