"""The docs: every command that they show is run as it stands, and prints what they say it prints."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sessions(page: Path) -> list[list[tuple[str, str]]]:
    """Each console block as commands, every one with what it prints."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        steps: list[tuple[str, str]] = []
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], ""))
            else:
                command, printed = steps.pop()
                steps.append((command, printed + line + "\n"))
        found.append(steps)
    return found


SHOWN = [
    pytest.param(steps, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, steps in enumerate(sessions(page), 1)
]


def matches(expected: str, printed: str) -> bool:
    """Whether they are equal, where a line `...` stands for any lines, and `...` in a line for any text."""
    pattern = "".join(
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


@pytest.mark.parametrize("steps", SHOWN)
def test_the_commands_of_the_docs_print_what_they_say(steps: list[tuple[str, str]], tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    if any("gcc" in command or "compiler" in command for command, _ in steps) and shutil.which("gcc") is None:
        pytest.skip("there is no gcc on this machine")
    for command, expected in steps:
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert matches(expected, run.stdout), f"$ {command}\n{run.stdout}\n--- but the page says\n{expected}"


PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/kernels.md"])
def test_the_python_of_the_docs_runs_and_its_assertions_hold(page: str) -> None:
    blocks = PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))
    assert blocks
    subprocess.run([sys.executable, "-c", "\n".join(blocks)], check=True, capture_output=True, timeout=60)


def test_the_first_example_prints_what_the_readme_says() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    printed = subprocess.run(
        [sys.executable, "-c", PYTHON.findall(text)[0]], check=True, capture_output=True, text=True
    )
    assert f"prints\n\n```\n{printed.stdout}```\n" in text


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
