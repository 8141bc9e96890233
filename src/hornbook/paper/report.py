"""The items as text in 80 columns, as JSON, and as a page with links to the code."""

from __future__ import annotations

import os
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hornbook.paper.claims import Item

WIDTH = 80


def as_json(items: Sequence[Item]) -> dict[str, object]:
    """All items, and how many have which verdict."""
    return {"items": [item.as_json() for item in items], "verdicts": verdicts(items)}


def verdicts(items: Sequence[Item]) -> dict[str, int]:
    """How many items have which verdict; those that are open, and do not fail, are counted apart."""
    counts = Counter("open" if item.claim.open and item.verdict != "fails" else item.verdict for item in items)
    return {name: counts[name] for name in ("holds", "erratum", "fails", "open")}


def text(items: Sequence[Item]) -> str:
    """The report, an item a paragraph."""
    return "\n".join([*(_paragraph(item) for item in items), summary(items)]) + "\n"


def summary(items: Sequence[Item]) -> str:
    """The last line: the verdicts counted."""
    counts = verdicts(items)
    return (
        f"{len(items)} items: {counts['holds']} hold, {counts['erratum']} errata, {counts['open']} open, "
        f"{counts['fails']} fail"
    )


def _paragraph(item: Item) -> str:
    claim = item.claim
    verdict = item.verdict + (" (open)" if claim.open else "")
    lines = [f"{claim.item} {'.' * max(2, WIDTH - len(claim.item) - len(verdict) - 2)} {verdict}"]
    for name, value in (("claimed", claim.claimed), ("corrected", claim.corrected), ("measured", item.measured)):
        if value:
            lines += textwrap.wrap(f"  {name:<11}{value}", WIDTH, subsequent_indent=" " * 13, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def page(items: Sequence[Item], folder: Path, figures: Sequence[tuple[str, str]] = ()) -> str:
    """The report as Markdown to stand in this folder: a table, each item linked to its code, and the figures.

    A figure is a file, from the folder, and what it shows.
    """
    lines = ["| item | claimed | corrected | measured | verdict | code |", "| --- | --- | --- | --- | --- | --- |"]
    for item in items:
        claim = item.claim
        verdict = item.verdict + (" (open)" if claim.open else "")
        cells = [claim.item, claim.claimed, claim.corrected or "", item.measured, verdict]
        lines.append("| " + " | ".join([*map(_cell, cells), _linked(claim.code, folder)]) + " |")
    shown = [f"![{caption}]({file})\n\n{caption}\n" for file, caption in figures]
    return "\n".join([*lines, "", summary(items), "", *shown])


def _cell(text: str) -> str:
    for sign in ("\\", "|", "*", "<", "_"):
        text = text.replace(sign, "\\" + sign)
    return text


def _linked(code: str, folder: Path) -> str:
    """The dotted name, linked to its file where that can be reached from the folder."""
    name = f"`{code.removeprefix('hornbook.')}`"
    path = link(code, folder)
    return f"[{name}]({path})" if path else name


def link(code: str, folder: Path) -> str | None:
    """The way from the folder to the file that has the code of this dotted name."""
    import importlib.util

    parts = code.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.util.find_spec(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        if found is not None and found.origin is not None:
            try:
                return Path(os.path.relpath(Path(found.origin).resolve(), folder.resolve())).as_posix()
            except ValueError:  # On another drive.
                return None
    return None
