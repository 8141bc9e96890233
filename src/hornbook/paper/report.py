"""The items as text in 80 columns, as JSON, and as a page with links to the code."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

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


def page(items: Sequence[Item]) -> str:
    """The report as a table in Markdown, each item linked to its code, for the documentation."""
    lines = ["| item | claimed | corrected | measured | verdict |", "| --- | --- | --- | --- | --- |"]
    for item in items:
        claim = item.claim
        verdict = item.verdict + (" (open)" if claim.open else "")
        cells = [f"[{claim.item}]({link(claim.code)})", claim.claimed, claim.corrected or "", item.measured, verdict]
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join([*lines, "", summary(items), ""])


def _cell(text: str) -> str:
    for sign in ("\\", "|", "*", "<", "_"):
        text = text.replace(sign, "\\" + sign) if not text.startswith("[") else text.replace("|", "\\|")
    return text


def link(code: str) -> str:
    """Where the code of this dotted name is, from the folder of the documentation."""
    import importlib.util

    parts = code.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            continue
        if found is not None:
            inner = "/__init__.py" if found.submodule_search_locations else ".py"
            return "../src/" + name.replace(".", "/") + inner
    return ""
