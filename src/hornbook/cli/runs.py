"""The verb that talks to an oracle: learn."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hornbook.cli import common
from hornbook.errors import CannotAnswer, FormatError

if TYPE_CHECKING:
    from hornbook.accounts import Learned
    from hornbook.front import MakeEquivalence, MakeLearner
    from hornbook.oracles.known import Policy
    from hornbook.sources import Target

SOURCE_HELP = "A file, `python:module:function`, `python-bits:...`, `command:...`, `exec:PROGRAM`, `transcript:FILE`."

LearnerName = StrEnum("LearnerName", ["clh", "frugal", "afp", "horn", "horn1", "lrn", "explore", "closures-only"])
EquivalenceName = StrEnum("EquivalenceName", ["exact", "closures", "sampled"])
PolicyName = StrEnum("PolicyName", ["first", "random", "smallest", "largest", "adversarial"])


EQUIVALENCE, LIMITS, ORACLES = "Equivalence", "Limits", "Slow and wavering oracles"
"""The groups of options of `learn`, beside the plain ones."""


def _one_of(names: type[StrEnum], remark: str = "", panel: str | None = None) -> Any:
    """An option that takes one of the names. They stand in the help, since as its type they would not fit a line."""
    said = ", ".join(names) + (f"; {remark}" if remark else "")
    return typer.Option(metavar="NAME", help=f"{said}.", rich_help_panel=panel)


def _number(help: str, panel: str, *, least: float | None = None) -> Any:
    return typer.Option(min=least, metavar="N", help=help, rich_help_panel=panel)


def learn(
    source: Annotated[str, typer.Argument(help=SOURCE_HELP, show_default=False)],
    learner: Annotated[LearnerName | None, _one_of(LearnerName, "default: frugal or closures-only")] = None,
    counterexamples: Annotated[PolicyName, _one_of(PolicyName, "of known theories")] = PolicyName.first,
    attributes: common.Attributes = None,
    kind: common.As = None,
    book: Annotated[
        Path | None, typer.Option("--transcript", metavar="FILE", help="Keep every answer here; resumes.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="All counts, on stderr.")] = False,
    shape: common.Format = None,
    output: common.Output = None,
    equivalence: Annotated[EquivalenceName | None, _one_of(EquivalenceName, panel=EQUIVALENCE)] = None,
    epsilon: Annotated[float, _number("Sampled: the share of sets that may be wrong.", EQUIVALENCE)] = 0.05,
    delta: Annotated[float, _number("Sampled: the chance that more are.", EQUIVALENCE)] = 0.05,
    seed: Annotated[int, _number("Of all that is drawn at random.", EQUIVALENCE)] = 0,
    max_queries: Annotated[int | None, _number("Ask at most so many now.", LIMITS, least=0)] = None,
    max_implications: Annotated[int | None, _number("End when there are more.", LIMITS, least=0)] = None,
    max_closed_sets: Annotated[int, _number("Closures-only: end when there are more.", LIMITS, least=0)] = 20_000,
    timeout: Annotated[float | None, _number("Seconds for the whole run.", LIMITS, least=0)] = None,
    query_timeout: Annotated[float, _number("Seconds for one answer of a program.", ORACLES, least=0.001)] = 60.0,
    workers: Annotated[int, _number("Programs that answer batches side by side.", ORACLES, least=1)] = 1,
    repeat: Annotated[int, _number("Ask each query so often; the majority counts.", ORACLES, least=1)] = 1,
    probe: Annotated[int, _number("Extra queries that look for contradictions.", ORACLES, least=0)] = 0,
) -> int:
    """Learn the canonical basis of whatever the source closes, by asking it."""
    from hornbook import front
    from hornbook.accounts import Budget, Care
    from hornbook.cli.endings import settled
    from hornbook.cli.progress import shown
    from hornbook.errors import TimeIsUp
    from hornbook.sources import Settings, opened

    common.format_of(shape, output)  # Else it would be refused when all is learned.
    settings = Settings(
        None if kind is None else kind.value,
        common.attribute_list(attributes),
        _policy(counterexamples, seed),
        query_timeout,
        workers,
    )
    if repeat > 1 and max_queries is not None and max_queries < repeat:
        raise FormatError(
            f"--repeat {repeat} takes {repeat} queries for an answer, and --max-queries {max_queries} fewer"
        )
    _writable(output)
    learned: Learned | None = None
    try:
        with (
            shown(quiet=quiet) as report,
            _alarm(timeout),
            common.aside(),
            opened(source, settings) as target,
        ):
            if not quiet:
                _understood(target)
            learned = front.learn(
                target,
                learner=_learner(learner, equivalence),
                equivalence=_equivalence(equivalence, epsilon, delta, seed),
                transcript=book,
                budget=Budget(max_queries, max_implications, timeout, max_closed_sets),
                care=Care(repeat, probe, seed),
                report=report,
            )
            settled()
    except TimeIsUp as late:  # A run that has begun takes it itself.
        if learned is None:
            raise CannotAnswer(f"the time was over before {source} could be opened; give it more") from late
    except KeyboardInterrupt:
        if learned is None:
            raise
    assert learned is not None  # Else one of these has been raised.
    _put(learned, shape, output)
    return _told(learned, quiet=quiet, stats=stats, book=book, probe=probe)


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Ends a run that does not come back to look at its budget: a search, an oracle that hangs."""
    from hornbook.cli.endings import Held, heard_by
    from hornbook.errors import TimeIsUp

    if seconds is None or seconds == math.inf:
        yield
        return
    if math.isnan(seconds):
        raise FormatError("--timeout nan is no number of seconds")
    with heard_by(Held(TimeIsUp), [signal.SIGALRM]):
        # A grace for what ends by itself. No clock counts further than this.
        signal.setitimer(signal.ITIMER_REAL, min(seconds + 0.5, 1e8))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _writable(output: Path | None) -> None:
    """Refuses a file that cannot be written, while nothing is lost yet; leaves it as it is."""
    if output is None or str(output) == "-":
        return
    if output.is_dir():
        raise FormatError("this is a folder; name a file in it", file=str(output))
    folder = output.resolve().parent
    if output.exists() and not output.is_file():  # A device or a pipe.
        writable = os.access(output, os.W_OK)
    elif not folder.is_dir():
        raise FormatError(f"there is no folder {folder}", file=str(output))
    else:
        writable = os.access(folder, os.W_OK | os.X_OK)
    if not writable:
        raise FormatError("cannot be written; name another file", file=str(output))


def _understood(target: Target) -> None:
    """Say what was read, and of a table that there is another way."""
    for remark in target.notes:
        common.note(f"{target.name}: {remark}")
    if target.mined:
        common.note(f"{target.name}: `hornbook basis` finds the same without queries")


def _put(learned: Learned, shape: common.Shape | None, output: Path | None) -> None:
    from hornbook.formats.values import NamedTheory

    try:
        if common.shape_of(shape, output) is common.Shape.json:
            common.put_json(learned.as_json(), output)
        else:
            common.put_theory(NamedTheory(learned.universe, learned.theory), shape, output)
    except FormatError as error:
        if output is None:
            raise
        error.add_note("the result is on standard output instead")
        _put(learned, common.shape_of(shape, output), None)
        raise


def _told(learned: Learned, *, quiet: bool, stats: bool, book: Path | None, probe: int) -> int:
    """Say what the result is worth; the exit code that says so too."""
    from hornbook.formats.text import plural
    from hornbook.formats.values import NamedTheory

    status = learned.status
    size = plural(common.said(NamedTheory(learned.universe, learned.theory)), "implication")
    if status.status == "incomplete":
        resume = _again(book, status.reason or "")
        common.note(f"incomplete: {status.reason}; certain so far: {size}; {resume}")
    elif not quiet:
        asked = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in learned.queries.items() if count)
        common.note(f"{status.status}: {size}; asked: {asked or 'nothing'}")
        if status.guarantee:
            common.note(status.guarantee)
        if learned.more.get("horn") is False:
            one, other = learned.more["models"]
            shared = common.spelled([name for name in one if name in other]) or "nothing"
            common.note(
                "the formula is not Horn, so this is its Horn envelope: "
                f"what two of its models share is no model: {shared}"
            )
    if status.status == "exact" and learned.proof.closed is None and not quiet:
        common.note(f"no proof: {learned.proof.reason}; `hornbook verify` will say that it is NOT verified")
    if probes := learned.more.get("probes"):
        asked = f"{probes} of {probe}" if probes < probe else str(probes)
        common.note(f"probed: {asked} more question{'s' * (probe > 1)}; no answer contradicts another one")
    for line in learned.more.get("wavered", ()):
        common.note(f"wavered: {line}")
    if stats:
        for name in ("queries", "asked"):
            common.note(f"{name}: {json.dumps(getattr(learned, name))}")
        common.note(f"inferred: {learned.inferred}, seconds: {learned.seconds:.3f}")
    if status.status != "incomplete":
        return 0
    return common.Told(130) if (status.reason or "").startswith("interrupted") else 3


def _again(book: Path | None, reason: str) -> str:
    """How to go on. A limit on what is known is reached again at once, unless it is raised."""
    if book is None:
        return "with --transcript FILE a run can go on where it ended"
    limit = next((option for option, said in _STAYING.items() if said.search(reason)), None)
    other = "" if limit is None else f"raise or leave out {limit}, and "
    return f"{other}go on with: {shlex.join(['hornbook', *sys.argv[1:]])}"


_STAYING = {
    "--max-implications": re.compile(r"^there are more than \d+ implications"),
    "--max-closed-sets": re.compile(r"^there are more than \d+ closed sets"),
}
"""The limits on what is known, by the reason that each gives."""


def _learner(name: LearnerName | None, equivalence: EquivalenceName | None) -> MakeLearner | None:
    from hornbook import learners

    if name is not None:
        return getattr(learners, name.replace("-", "_"))  # type: ignore[no-any-return]
    if equivalence is EquivalenceName.exact:
        return learners.frugal
    return learners.closures_only if equivalence is EquivalenceName.closures else None


def _policy(name: PolicyName, seed: int) -> Policy:
    from hornbook.oracles import known

    return known.at_random(seed) if name is PolicyName.random else getattr(known, name)


def _equivalence(name: EquivalenceName | None, epsilon: float, delta: float, seed: int) -> MakeEquivalence | None:
    from hornbook import equivalence
    from hornbook.learners.by_closures import by_closures

    for option, value in (("--epsilon", epsilon), ("--delta", delta)):
        if not 0 < value < 1:
            raise FormatError(f"{option} {value:g} lies not between 0 and 1; try 0.05")
    if name is EquivalenceName.sampled:
        # As many at once for any number of workers, so that these change no transcript.
        return lambda size: equivalence.sampled(
            size, epsilon=epsilon, delta=delta, seed=seed, at_once=equivalence.AT_ONCE
        )
    if name is EquivalenceName.closures:
        return by_closures
    return None
