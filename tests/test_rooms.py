"""The rooms: every module imports only from those before it, and the door opens fast."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "hornbook"

ROOMS = [
    ["errors", "universe"],
    ["kernels", "solving"],
    ["chaining", "lectic", "maximal", "columns"],
    ["bounds", "choices"],
    ["canonical", "derivations", "denials"],
    ["theory"],
    ["queries"],
    ["dialogue"],
    ["layers", "reductions", "embedding", "lessons", "knowledge"],
    ["inference", "sampling", "equivalence", "checking"],
    ["learners"],
    ["routes"],
    ["formats", "facts", "disk"],
    ["transcript"],
    ["oracles"],
    ["sources"],
    ["certificate", "witnesses"],
    ["accounts", "worth", "limits"],
    ["front"],
    ["paper", "testing", "conformance"],
    ["cli"],
]
"""From the ground up. Modules of one room may import each other."""


def room(module: str) -> int:
    for number, names in enumerate(ROOMS):
        if module in names:
            return number
    raise AssertionError(f"{module!r} is in no room; import from a module, and give a new one its room in ROOMS, here")


def imports(code: str) -> set[str]:
    """What of the package the code imports, anywhere in it: modules, names of its own door, `` for the door itself."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            found.add(_beginning(node.args[0]))
    return {(name + ".").split(".")[1] for name in found if name.partition(".")[0] == "hornbook"}


def _beginning(name: ast.expr) -> str:
    """The name of a module as far as the code says it: `hornbook.formats.` of an f-string that ends in a variable."""
    first = name.values[0] if isinstance(name, ast.JoinedStr) else name
    return str(first.value) if isinstance(first, ast.Constant) else ""


def modules() -> list[tuple[str, Path]]:
    inside = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent != SOURCE or path.stem[:2] != "__"]
    return [(path.relative_to(SOURCE).parts[0].removesuffix(".py"), path) for path in inside]


def test_each_module_imports_only_from_earlier_rooms() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {other}"
        for name, path in modules()
        for other in imports(path.read_text(encoding="utf-8")) - {"__version__"}
        if room(other) > room(name)
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from hornbook import learn", "learn"),
        ("from hornbook import *", "*"),
        ("import hornbook as hb", ""),
        ("import hornbook.theory", "theory"),
        ("from hornbook.theory import Theory", "theory"),
        ("import importlib\nimportlib.import_module('hornbook.front')", "front"),
        ("import importlib\nimportlib.import_module(f'hornbook.formats.{name}')", "formats"),
    ],
)
def test_no_way_to_import_from_the_package_is_overlooked(code: str, found: str) -> None:
    assert imports(code) == {found}


def test_each_room_is_used() -> None:
    present = {name for name, _ in modules()}
    assert [name for names in ROOMS for name in names if name not in present] == []


def test_the_first_line_of_each_module_says_what_it_is() -> None:
    for _, path in modules():
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring and len(docstring.splitlines()[0]) > 15, path


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    code = "import hornbook, hornbook.cli, sys; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "numba", "pysat", "duckdb", "matplotlib", "pandas", "rich", "asyncio"}
    assert heavy & set(loaded) == set()
