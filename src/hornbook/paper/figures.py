"""Figures: what the learners ask on the worst case and on random targets, with the bounds of the paper drawn in."""

from __future__ import annotations

from collections.abc import Callable
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


def draw(folder: Path, context: Context) -> list[tuple[Path, str]]:
    """The figures, drawn into the folder: their files, and what each shows."""
    require()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = []
    for name, make, caption in FIGURES:
        figure = Figure(figsize=(9, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        make(figure, context)
        path = folder / f"{name}.png"
        figure.savefig(path, dpi=80, metadata={"Software": None})
        drawn.append((path, caption))
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


STYLES = (("o", 9.0, 6.0), ("s", 6.0, 3.5), ("^", 3.0, 1.3))
"""Marker, its size and the width of lines of each learner, so that lines that lie on one another are both seen."""


def _growing(figure: Any, context: Context, label: str, shape: Any) -> None:
    """Membership-like queries on the left, equivalence queries on the right, each learner with its bound."""
    left, right = figure.subplots(1, 2)
    values = [x for x in context.either((5, 6, 8, 10, 12), (5, 6, 8, 10, 12, 16, 20)) if min(shape(x)) > 0]
    for row, (marker, size, width) in zip(_rows(), STYLES, strict=True):
        runs = [_worst(context, row, *shape(x)) for x in values]
        for axes, kind, name, bound in (
            (left, row.membership, f"{row.name}: {SHORT[row.membership]}s", row.memberships),
            (right, row.equivalence, row.name, row.equivalences),
        ):
            style = {"marker": marker, "markersize": size, "markerfacecolor": "none", "linewidth": width, "alpha": 0.6}
            (line,) = axes.plot(values, [run.counts[kind] for run in runs], label=name, **style)
            bounds = {"linestyle": "--", "linewidth": width, "alpha": 0.6, "color": line.get_color()}
            axes.plot(values, [bound(run.target) for run in runs], label=f"{row.name}: bound", **bounds)
    left.set(yscale="log", xlabel=label, ylabel="queries", title="{a_i -> everything}")
    right.set(xlabel=label, ylabel="equivalence queries", title="{a_i -> everything}")
    left.legend(fontsize="x-small")
    right.legend(fontsize="x-small")


def _random(figure: Any, context: Context) -> None:
    """Queries against m^2 n and mn, a dot a run; the lines are these orders themselves, and no bounds."""
    left, right = figure.subplots(1, 2)
    targets = [t for t in random_targets(context, context.either((6, 8, 10), (6, 8, 10, 12, 14, 16))) if len(t)]
    for place, row in enumerate(_rows()):
        marker, size, _ = STYLES[place]
        runs = [play(getattr(context.methods, row.method), t, adversarial, most=1_000_000) for t in targets]
        style = {"marker": marker, "s": size * size, "facecolors": "none", "edgecolors": f"C{place}"}
        cubes = [len(t) ** 2 * t.size for t in targets]
        name = f"{row.name}: {SHORT[row.membership]}s"
        left.scatter(cubes, [run.counts[row.membership] for run in runs], label=name, **style)
        products = [len(t) * t.size for t in targets]
        right.scatter(products, [run.counts[row.equivalence] for run in runs], label=row.name, **style)
    for axes, unit in ((left, "m^2 n"), (right, "mn")):
        low, high = axes.get_xlim()
        axes.plot([max(low, 1), high], [max(low, 1), high], ":", color="gray", label=f"the order {unit}, no bound")
        axes.set(xscale="log", yscale="log", xlabel=unit, ylabel="queries", title="random targets")
        axes.legend(fontsize="x-small")


def _exponential(figure: Any, context: Context) -> None:
    """What a closure costs in membership queries against the adversary, with the lower bound."""
    axes = figure.subplots()
    sizes = list(range(2, context.either(9, 12)))  # For n = 1 the bound is 0, which no logarithm shows.
    close = context.methods.close_by_contains
    plays = [play_closure(size, close(size)(Close(0))) for size in sizes]
    axes.plot(sizes, [play.queries for play in plays], "o-", label="close_by_contains against the adversary")
    axes.plot(sizes, [2**size - 2 for size in sizes], ":", label="2^n - 2")
    axes.set(yscale="log", xlabel="n", ylabel="membership queries", title="the closure of the empty set")
    axes.legend()


FIGURES: tuple[tuple[str, Callable[[Any, Context], None], str], ...] = (
    ("queries-by-m", _by_implications, "Queries on the worst case for growing m, with the exact bounds"),
    ("queries-by-n", _by_attributes, "Queries on the worst case for growing n, with the exact bounds"),
    ("random-targets", _random, "Queries on random targets, over the orders of Table 2"),
    ("lower-bound", _exponential, "Membership queries for a closure, against the adversary of Theorem 10"),
)
