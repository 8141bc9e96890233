"""What verbs share: their options, and how results and remarks are printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hornbook.errors import FormatError
from hornbook.formats.files import given_out, located, opened, pack, replace, silence, taken_in, unpack, unpacked

if TYPE_CHECKING:
    from hornbook.formats.values import NamedTheory, Reading
    from hornbook.universe import Universe


class Kind(StrEnum):
    """What a file holds, where its ending does not say."""

    theory = "theory"
    table = "table"
    relation = "relation"
    formula = "formula"


class Shape(StrEnum):
    """How a result is printed."""

    text = "text"
    json = "json"


As = Annotated[
    Kind | None,
    typer.Option(
        "--as", metavar="KIND", help="theory, table, relation or formula, where a file's ending does not tell."
    ),
]
Format = Annotated[
    Shape | None, typer.Option("--format", metavar="NAME", help="text or json; told by -o FILE.json, else text.")
]
Attributes = Annotated[
    str | None,
    typer.Option(
        "--attributes", metavar="NAMES", help="The universe: a,b,c or a file with one name a line.", show_default=False
    ),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Print to this file instead.", dir_okay=False)
]


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No remarks.")]


def note(remark: str) -> None:
    """A remark for the person at the terminal."""
    try:
        print(remark, file=sys.stderr)
    except OSError:  # A full disk or a terminal that is gone must not cost the result.
        silence(sys.stderr)


def aside() -> redirect_stdout[Any]:
    """What an oracle prints is no result: meanwhile it goes to stderr."""
    return redirect_stdout(sys.stderr)


class Told(int):
    """An exit code whose reason the person knows already."""


def shape_of(shape: Shape | None, output: Path | None) -> Shape:
    """The shape asked for, or the one that the output file's ending says."""
    if shape is not None or output is None:
        return shape or Shape.text
    return Shape.json if unpacked(output.name.lower())[0].endswith(".json") else Shape.text


def format_of(shape: Shape | None, output: Path | None) -> str:
    """The format of a theory that is printed: the one asked for, or the one that the output file's ending says."""
    from hornbook import formats

    if shape is not None or output is None:
        return "json" if shape is Shape.json else "imp"
    return formats.by_ending("theory", output) or "imp"


def attribute_list(said: str | None) -> list[str] | None:
    """The names in --attributes: those of the file if one exists there, else the list itself."""
    if said is None:
        return None
    if not Path(said).is_file():
        names = [name.strip() for name in said.split(",")] if said.strip() else []
        if "" in names:
            raise FormatError(f"--attributes {said!r} has an empty name; write a,b,c")
        if len(names) == 1 and (os.sep in said or Path(said).suffix):
            raise FormatError(f"--attributes {said}: there is no such file; a list of names has commas, or a file does")
        return names
    try:
        text = Path(said).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read as a list of names: {error}", file=said) from error
    return [line.strip() for line in text.split("\n") if line.strip()]


def put(text: str, output: Path | None) -> None:
    """The result, on stdout or whole in its file."""
    if output is None or str(output) == "-":
        given_out(text.encode("utf-8", "backslashreplace"))
        return
    try:
        data = pack(text.encode("utf-8", "backslashreplace"), unpacked(output.name)[1])
        replace(output, lambda beside: beside.write_bytes(data))
    except FormatError as error:
        error.file = str(output)
        raise


def put_json(value: dict[str, Any], output: Path | None) -> None:
    """The result as JSON, an implication a line, so that it reads and diffs well."""
    from hornbook.formats import json_theory

    put(json_theory.layout(value), output)


def put_theory(named: NamedTheory, shape: Shape | None, output: Path | None) -> None:
    """The theory, on stdout or in the format that its file's ending says; what that cannot keep goes to stderr."""
    from hornbook import formats

    for remark in formats.write(named, "-" if output is None else output, to=format_of(shape, output)):
        note(f"{output}: {remark}")


def bytes_of(path: str) -> bytes:
    """All of the file, unpacked, or of standard input."""
    if path == "-":
        return taken_in()
    with located(path), opened(Path(path)) as file:
        return unpack(file.read(), unpacked(path)[1])


def read(path: str, kind: Kind | None = None, *, quiet: bool = True) -> Reading:
    """What the file holds; what its reader understood goes to stderr unless quiet."""
    from hornbook import formats

    reading = formats.read(path, as_=None if kind is None else kind.value)
    if not quiet:
        for remark in reading.notes:
            note(f"{path}: {remark}")
    return reading


def read_theory(path: str, kind: Kind | None = None) -> NamedTheory:
    """The theory in the file, or a word on how to get one from what it holds."""
    from hornbook import formats
    from hornbook.formats.values import NamedTheory

    reading = read(path, kind)
    if isinstance(reading.value, NamedTheory):
        return reading.value
    holds = formats.kind_of(reading.value)
    raise FormatError(f"holds a {holds} and no theory; {_WAYS_TO_A_THEORY[holds].format(path)}", file=path)


_WAYS_TO_A_THEORY = {
    "table": "`hornbook basis {} -o FILE.imp` finds its theory",
    "relation": "`hornbook basis {} --as relation -o FILE.imp` finds its theory",
    "formula": "--as theory reads one that is Horn, `hornbook learn {} -o FILE.imp` finds the best theory above others",
}


def said(named: NamedTheory) -> int:
    """How many implications a file says the theory in; that everything is no model is one, where no other says it."""
    from hornbook.formats.drafts import statements

    return sum(1 for _ in statements(named))


def rule(universe: Universe, premise: int, conclusion: int | None) -> str:
    """An implication on a line, as the text format writes it; None makes it a negative clause."""
    right = "!" if conclusion is None else quoted(universe, conclusion)
    return f"{quoted(universe, premise)} -> {right}".strip()


def quoted(universe: Universe, attrs: int) -> str:
    """The names of a set on a line, as the text format of implications writes them."""
    return spelled(universe.names_in(attrs))


def spelled(names: Iterable[str]) -> str:
    """The names on a line, as the text format of implications writes them."""
    from hornbook.formats.text import word

    return " ".join(map(word, names))
