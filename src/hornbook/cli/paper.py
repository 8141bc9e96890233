"""The verb paper: every claim of the paper, run and measured."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hornbook.cli import common
from hornbook.errors import FormatError

if TYPE_CHECKING:
    from hornbook.paper import Context, Item


class Positives(StrEnum):
    """How the mimic is shown what it cannot ask for."""

    at_once = "at-once"
    late = "late"
    bits = "bits"


class Form(StrEnum):
    """Which AFP mimics."""

    published = "2011"
    kept = "kept"
    horn1 = "horn1"


MIMIC = "A mimic (Section 4.2)"

Report = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Print to this file; a folder gets the report with figures.", metavar="PATH"),
]


def paper(
    quick: Annotated[bool, typer.Option("--quick", help="Smaller samples: seconds instead of minutes.")] = False,
    item: Annotated[
        list[str] | None, typer.Option("--item", help="Only items whose name starts so; may be repeated.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="A folder of more real theories, .imp files.", file_okay=False, exists=True),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Where random samples start; with --mimic, the --seed of that run.")
    ] = None,
    mimic: Annotated[
        Path | None,
        typer.Option(
            "--mimic",
            rich_help_panel=MIMIC,
            help="Instead: a transcript of `learn --learner clh` or `lrn`, with equivalence exact, closures or sampled "
            "(with its usual numbers), beside the run of AFP that mimics it. -o FILE.jsonl writes that run's "
            "transcript.",
        ),
    ] = None,
    positives: Annotated[
        Positives,
        typer.Option(
            "--positives",
            rich_help_panel=MIMIC,
            help="When AFP is shown the closures it cannot ask for: at once, late, or an attribute at a time.",
        ),
    ] = Positives.at_once,
    form: Annotated[
        Form,
        typer.Option(
            "--afp", rich_help_panel=MIMIC, help="AFP as published in 2011, keeping positive answers, too, or HORN1."
        ),
    ] = Form.kept,
    shape: common.Format = None,
    output: Report = None,
) -> int:
    """Every claim of *Learning Definite Horn Formulas from Closure Queries*, run: what holds, what is an erratum."""
    if mimic is not None:
        _mimic(mimic, positives, form, seed or 0, shape, output)
        return 0
    folder = output if output is not None and (output.is_dir() or not output.suffix) and str(output) != "-" else None
    items, context = _run(quick, item or [], data, seed, drawing=folder is not None)
    if folder is not None:
        _write(folder, items, context)
    else:
        _print(items, shape, output)
    return 1 if any(one.verdict == "fails" for one in items) else 0


def _mimic(
    path: Path, positives: Positives, form: Form, seed: int, shape: common.Shape | None, output: Path | None
) -> None:
    from hornbook.learners import afp, horn1
    from hornbook.paper import mimics
    from hornbook.paper.claims import afp_as_published
    from hornbook.paper.replay import mimicked

    teach = {
        Positives.at_once: mimics.at_once,
        Positives.late: mimics.late,
        Positives.bits: mimics.bit_by_bit,
    }[positives]
    make = {Form.published: afp_as_published, Form.kept: afp, Form.horn1: horn1}[form]
    name = "HORN1" if form is Form.horn1 else f"AFP ({form})"
    lines = common.shape_of(shape, output) is common.Shape.json
    lines = lines or (shape is None and output is not None and output.suffix.lower() == ".jsonl")
    common.put(mimicked(path, lines=lines, form=make, teach=teach, seed=seed, name=name), output)


def _run(
    quick: bool, starts: list[str], data: Path | None, seed: int | None, *, drawing: bool
) -> tuple[list[Item], Context]:
    from hornbook import paper as the_paper
    from hornbook.paper import figures, table2

    if drawing:
        figures.require()  # Before minutes of work, not after.
    sample = the_paper.SAMPLE_SEED if seed is None else seed
    names = [claim.item for claim in the_paper.claims()]
    for start in starts:
        if not any(_named(name, start) for name in names):
            kinds = ", ".join(dict.fromkeys(name.split()[0] for name in names))
            raise FormatError(f"--item {start!r}: no item starts so; they start with {kinds}")
    context = the_paper.Context(quick=quick, seed=sample, data=data)
    for left_out in table2.real(context).left_out if data is not None else ():
        common.note(f"left out: {left_out}")
    items = the_paper.run(
        quick=quick,
        seed=sample,
        data=data,
        only=lambda claim: not starts or any(_named(claim.item, start) for start in starts),
        done=lambda one: common.note(f"{one.verdict:8}{one.claim.item}") if one.verdict == "fails" else None,
    )
    return items, context


def _named(item: str, start: str) -> bool:
    """Whether the item's name begins so, and not with a longer number."""
    rest = item.removeprefix(start)
    return item.startswith(start) and not (start[-1:].isdigit() and rest[:1].isdigit())


def _print(items: list[Item], shape: common.Shape | None, output: Path | None) -> None:
    from hornbook.paper import report

    if common.shape_of(shape, output) is common.Shape.json:
        common.put_json(report.as_json(items), output)
        return
    if shape is None and output is not None and output.suffix.lower() == ".md":
        common.put(report.page(items, output.parent), output)
    else:
        common.put(report.text(items), output)
    common.note(report.summary(items))


def _write(folder: Path, items: list[Item], context: Context) -> None:
    from hornbook.paper import figures, report

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be made: {error.strerror or error}", file=str(folder)) from error
    common.put(report.text(items), folder / "report.txt")
    common.put_json(report.as_json(items), folder / "report.json")
    drawn = figures.draw(folder, context)
    common.put(report.page(items, folder, [(path.name, caption) for path, caption in drawn]), folder / "report.md")
    common.note(f"{report.summary(items)}; report.txt, report.md, report.json and {len(drawn)} figures in {folder}")
