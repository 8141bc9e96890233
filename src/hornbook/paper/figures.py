"""Figures: what the learners ask on the worst case and on random targets, with the bounds of the paper drawn in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hornbook.errors import CannotAnswer
from hornbook.oracles.known import adversarial
from hornbook.paper.claims import Context
from hornbook.paper.lower_bound import play_closure
from hornbook.paper.runs import Run, covering, filler_by_filler, play, random_targets
from hornbook.paper.table2 import ROWS, SHORT, Row
from hornbook.queries import Close


def require() -> None:
    """Raise, with the way out, where figures cannot be drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as missing:
        raise CannotAnswer(
            "a report with figures needs matplotlib: install hornbook[plots], or print the report alone with "
            "-o FILE.txt or -o FILE.json"
        ) from missing


def draw(folder: Path, context: Context) -> list[Path]:
    """The figures, drawn into the folder; their files."""
    require()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = []
    for name, make in (
        ("queries-by-m", _by_implications),
        ("queries-by-n", _by_attributes),
        ("random-targets", _random),
        ("lower-bound", _exponential),
    ):
        figure = Figure(figsize=(9, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        make(figure, context)
        path = folder / f"{name}.png"
        figure.savefig(path, dpi=110, metadata={"Software": None})
        drawn.append(path)
    return drawn


def _rows() -> list[Row]:
    return [row for row in ROWS if row.name != "HORN1"]


def _worst(context: Context, row: Row, count: int, fillers: int) -> Run:
    target = covering(count, fillers)
    most = row.memberships(target) + row.equivalences(target) + 10
    return play(getattr(context.methods, row.method), target, filler_by_filler, most=most)


def _by_implications(figure: Any, context: Context) -> None:
    _growing(figure, context, "m (6 attributes that imply nothing)", lambda x: (x, 6))


def _by_attributes(figure: Any, context: Context) -> None:
    _growing(figure, context, "n (4 implications)", lambda x: (4, x - 4))


def _growing(figure: Any, context: Context, label: str, shape: Any) -> None:
    """Membership-like queries on the left, equivalence queries on the right, each learner with its bound."""
    left, right = figure.subplots(1, 2)
    values = [x for x in context.either((5, 6, 8, 10, 12), (5, 6, 8, 10, 12, 16, 20)) if min(shape(x)) > 0]
    for row in _rows():
        runs = [_worst(context, row, *shape(x)) for x in values]
        (line,) = left.plot(
            values, [run.counts[row.membership] for run in runs], "o-", label=f"{row.name}: {SHORT[row.membership]}s"
        )
        bounds = [row.memberships(run.target) for run in runs]
        left.plot(values, bounds, ":", color=line.get_color(), label=f"{row.name}: bound")
        right.plot(values, [run.counts[row.equivalence] for run in runs], "o-", color=line.get_color(), label=row.name)
        bounds = [row.equivalences(run.target) for run in runs]
        right.plot(values, bounds, ":", color=line.get_color(), label=f"{row.name}: bound")
    left.set(yscale="log", xlabel=label, ylabel="queries", title="{a_i -> everything}")
    right.set(xlabel=label, ylabel="equivalence queries", title="{a_i -> everything}")
    left.legend(fontsize="x-small")
    right.legend(fontsize="x-small")


def _random(figure: Any, context: Context) -> None:
    """Queries against m^2 n and mn, a dot a run; the lines are the paper's orders with constant 1."""
    left, right = figure.subplots(1, 2)
    targets = [t for t in random_targets(context, context.either((6, 8, 10), (6, 8, 10, 12, 14, 16))) if len(t)]
    for row in _rows():
        runs = [play(getattr(context.methods, row.method), t, adversarial, most=1_000_000) for t in targets]
        cubes = [len(t) ** 2 * t.size for t in targets]
        left.scatter(cubes, [run.counts[row.membership] for run in runs], s=14, label=SHORT[row.membership])
        products = [len(t) * t.size for t in targets]
        right.scatter(products, [run.counts[row.equivalence] for run in runs], s=14, label=row.name)
    for axes, unit in ((left, "m^2 n"), (right, "mn")):
        low, high = axes.get_xlim()
        axes.plot([max(low, 1), high], [max(low, 1), high], ":", color="gray", label=unit)
        axes.set(xscale="log", yscale="log", xlabel=unit, ylabel="queries", title="random targets")
        axes.legend(fontsize="x-small")


def _exponential(figure: Any, context: Context) -> None:
    """What a closure costs in membership queries against the adversary, with the lower bound."""
    axes = figure.subplots()
    sizes = list(range(1, context.either(9, 12)))
    close = context.methods.close_by_contains
    plays = [play_closure(size, close(size)(Close(0))) for size in sizes]
    axes.plot(sizes, [play.queries for play in plays], "o-", label="close_by_contains against the adversary")
    axes.plot(sizes, [2**size - 2 for size in sizes], ":", label="2^n - 2")
    axes.set(yscale="log", xlabel="n", ylabel="membership queries", title="the closure of the empty set")
    axes.legend()
