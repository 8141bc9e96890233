"""The command line: one verb a job, results on stdout, everything else on stderr, never a traceback for a mistake."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from hornbook import __version__
from hornbook.cli import common, paper, results, runs, theories
from hornbook.cli.endings import polite
from hornbook.errors import BadQuestion, HornbookError


class _Verbs(TyperGroup):
    """The verbs. Their help is plain text: to import what draws boxes would take as long as all the rest."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super(TyperGroup, self).format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            said = {name: " ".join((verb.help or "").replace("*", "").split()) for name, verb in self.commands.items()}
            formatter.write_dl(list(said.items()))


app = typer.Typer(
    name="hornbook",
    cls=_Verbs,
    help="Learn the rules of anything that can close a set of attributes.",
    epilog="Start with: hornbook basis FILE, or hornbook learn SOURCE. Each verb has a --help with an example.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
VERBS: tuple[tuple[Callable[..., int | None], str], ...] = (
    (runs.learn, "hornbook learn exec:./closure.sh --transcript run.jsonl -o basis.json"),
    (theories.basis, "hornbook basis animals.cxt --format json -o animals.json"),
    (theories.close, "hornbook close rules.imp bird penguin --why"),
    (theories.check, "hornbook check old.imp new.imp"),
    (theories.convert, "hornbook convert rules.imp rules.json"),
    (results.verify, "hornbook verify basis.json --source exec:./closure.sh"),
    (results.show, "hornbook show run.jsonl"),
    (results.retract, "hornbook retract run.jsonl 17"),
    (paper.paper, "hornbook paper --quick --item 'Table 1'"),
)
"""Each verb with an example of its use, in the order of `hornbook --help`."""

for verb, example in VERBS:
    app.command(epilog=f"Example: `{example}`")(verb)


def _version(wanted: bool) -> None:
    if wanted:
        common.put(f"hornbook {__version__}\n", None)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version.", callback=_version, is_eager=True),
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit code: 0 done, 1 no, 2 bad input, 3 incomplete, 130 interrupted."""
    if sys.stderr is None:  # Closed by who called us; print() would take stdout instead.
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 (it stays open)
    sys.exit(status(arguments))


def status(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one verb, run to its end."""
    try:
        with polite():
            code = app(arguments, prog_name="hornbook", standalone_mode=False)
        if code == 130 and not isinstance(code, common.Told):
            common.note("hornbook: interrupted")
        return int(code) if isinstance(code, int) else 0
    except HornbookError as error:
        kind = "internal error: " if isinstance(error, BadQuestion) else ""
        common.note("\n".join([f"hornbook: {kind}{error}", *getattr(error, "__notes__", ())]))
        return 2
    except typer.Abort:
        common.note("hornbook: aborted")
        return 130
    except KeyboardInterrupt:
        common.note("hornbook: interrupted")
        return 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        common.note(f"hornbook: {where}{error.strerror or error}")
        return 2
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        where = getattr(getattr(error, "ctx", None), "command_path", "hornbook")
        # No message: the help itself was printed, for want of a verb.
        says = str(error.format_message()).replace("Value error, ", "").strip()
        if says.startswith("Usage: "):
            common.note(says)
        elif says:
            common.note(f"hornbook: {says if says.endswith('?') else says.rstrip('.') + '.'} See {where} --help.")
        return 2
