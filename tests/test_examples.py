"""The examples: each is run, and what it finds is what mathematics, or the compiler, says."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import hornbook as hb
from hornbook import certificate

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(path: str) -> ModuleType:
    """The example as a module."""
    file = EXAMPLES / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_main_example_finds_its_theorems_and_proves_them() -> None:
    script = EXAMPLES / "relations" / "run.py"
    printed = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True, timeout=120)
    assert "5. irreflexive, transitive  =>  antisymmetric, asymmetric" in printed.stdout
    assert "33 implications, exact" in printed.stdout and "three elements" in printed.stdout
    assert printed.stdout.splitlines()[-2] == "verified"
    assert max(map(len, printed.stdout.splitlines())) < 80


def test_the_table_of_all_relations_has_the_same_basis(tmp_path: Path) -> None:
    from hornbook import formats
    from hornbook.sources import basis_of

    relations = example("relations/relations.py")
    path = tmp_path / "relations.csv"
    path.write_text(relations.table())
    universe, theory = basis_of(formats.read(path).value)
    learned = hb.learn(relations.closure, attributes=relations.ATTRIBUTES)
    assert list(universe) == relations.ATTRIBUTES and theory == learned.theory


def test_the_closed_sets_of_the_permutations_are_the_thirty_subgroups() -> None:
    subgroups = example("groups/subgroups.py")
    learned = hb.learn(subgroups.closure, attributes=subgroups.ATTRIBUTES)
    assert learned.exact and certificate.verify(learned.as_json()).ok
    orders = sorted(model.bit_count() for model in learned.theory.models())
    assert len(orders) == 30 and all(24 % order == 0 for order in orders)
    assert learned.queries["closure"] == 144


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc on this machine")
def test_what_the_warnings_of_the_compiler_switch_on() -> None:
    flags = example("compiler/warning_flags.py")
    learned = hb.learn(flags.closure, attributes=flags.ATTRIBUTES)
    assert learned.exact and certificate.verify(learned.as_json()).ok
    assert learned.queries["closure"] < 4 * len(flags.ATTRIBUTES)
    assert set(learned.closure(["unused"]) or []) >= {"unused", "unused-variable", "unused-function"}
    assert set(learned.closure(["all"]) or []) >= {"all", "unused", "parentheses", "uninitialized"}


def test_without_a_compiler_its_example_ends_with_a_word(tmp_path: Path) -> None:
    script = EXAMPLES / "compiler" / "warning_flags.py"
    for arguments in ([], ["unused"]):
        command = [sys.executable, str(script), *arguments]
        ended = subprocess.run(command, check=False, capture_output=True, text=True, env={"PATH": str(tmp_path)})
        assert ended.returncode == 1 and ended.stdout == ""
        assert ended.stderr.startswith("there is no gcc on this machine") and ended.stderr.count("\n") == 1
