"""The docs: the commands of each block, typed into one shell, print what the page says they print."""

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
END = "--- the end of what a command prints ---"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


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
    pytest.param(steps, id=f"{name(page)}-{number}") for page in PAGES for number, steps in enumerate(sessions(page), 1)
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
    run = subprocess.run(
        ["bash", "-c", "\n".join(f"{command}\nprintf %s '{END}'" for command, _ in steps)],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    for (command, expected), printed in zip(steps, run.stdout.split(END), strict=False):
        assert matches(expected, printed), f"$ {command}\n{printed}\n--- but the page says\n{expected}"
    assert run.stdout.count(END) == len(steps)


PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SKETCHES = {"CONTRIBUTING.md", "docs/certificates.md", "docs/formats_tables.md"}
"""The pages whose blocks stand for what the reader brings: an oracle, a result, a DataFrame."""


def blocks(page: str) -> list[str]:
    return PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [page for page in map(name, PAGES) if page not in SKETCHES and blocks(page)])
def test_the_python_of_a_page_runs_from_its_top_and_its_assertions_hold(page: str) -> None:
    subprocess.run([sys.executable, "-c", "\n".join(blocks(page))], check=True, capture_output=True, timeout=60)


def test_the_first_example_prints_what_the_readme_says() -> None:
    first = blocks("README.md")[0]
    printed = subprocess.run([sys.executable, "-c", first], check=True, capture_output=True, text=True)
    assert f"prints\n\n```\n{printed.stdout}```\n" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted(map(name, (ROOT / "docs" / "oracles").glob("*.md"))))
def test_what_the_python_of_an_oracle_prints_is_shown_below_it(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in PYTHON.finditer(text):
        printed = subprocess.run([sys.executable, "-c", block[1]], check=True, capture_output=True, text=True).stdout
        shown = f"\n\nprints\n\n```\n{printed}```\n" if printed else ""
        assert text[block.end() :].startswith(shown), block[1] + printed


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{name(page)} links to {target}"
