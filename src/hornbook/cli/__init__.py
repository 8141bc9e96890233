"""The command line: one verb a job, results on stdout, everything else on stderr, never a traceback for a mistake."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from types import FrameType

import typer

from hornbook import __version__
from hornbook.cli import paper, runs, theories
from hornbook.errors import BadQuestion, HornbookError

app = typer.Typer(
    name="hornbook",
    help="Learn the rules of anything that can close a set of attributes.",
    epilog="Start with: hornbook basis FILE, or hornbook learn SOURCE. Each verb has a --help with an example.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
runs.add_to(app)
theories.add_to(app)
paper.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hornbook {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version.", callback=_version, is_eager=True),
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit code: 0 done, 1 no, 2 bad input, 3 incomplete, 130 interrupted."""
    sys.exit(status(arguments))


def status(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one verb, run to its end."""
    # A polite end: what a run has learned so far is kept, as after Ctrl-C.
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        code = app(arguments, prog_name="hornbook", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except HornbookError as error:
        kind = "internal error: " if isinstance(error, BadQuestion) else ""
        print(f"hornbook: {kind}{error}", file=sys.stderr)
        return 2
    except typer.Abort:
        print("hornbook: aborted", file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("hornbook: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        where = getattr(getattr(error, "ctx", None), "command_path", "hornbook")
        print(f"hornbook: {error.format_message()} See {where} --help.", file=sys.stderr)
        return 2
    finally:
        signal.signal(signal.SIGTERM, previous)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
