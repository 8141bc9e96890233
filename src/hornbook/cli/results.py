"""Verbs that look at what runs left: verify, retract, show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hornbook.cli import common
from hornbook.errors import FormatError

if TYPE_CHECKING:
    from hornbook.facts import Asked
    from hornbook.queries import Query
    from hornbook.universe import Universe


def verify(
    result: Annotated[
        str, typer.Argument(metavar="RESULT", help="Of `hornbook learn`, as JSON; - for standard input.")
    ],
    source: Annotated[
        str | None, typer.Option("--source", metavar="SOURCE", help="Ask this source again what is on trust.")
    ] = None,
    kind: common.As = None,
    query_timeout: Annotated[
        float, typer.Option(min=0.001, metavar="N", help="Seconds for one answer of a program.")
    ] = 60.0,
    shape: common.Format = None,
    output: common.Output = None,
) -> int:
    """Check what a result proves, without any learner, and say what it takes on trust. Exit 1 if it does not hold."""
    from hornbook import certificate

    said = _result(result)
    if source is None:
        verdict = certificate.verify(said)
    else:
        from hornbook.sources import Settings, opened

        settings = Settings(None if kind is None else kind.value, timeout=query_timeout)
        with common.aside(), opened(source, settings) as target:
            verdict = certificate.verify(said, _same_order(target, said, result))
    if common.shape_of(shape, output) is common.Shape.json:
        findings = [{"ok": ok, "what": what} for ok, what in verdict.findings]
        common.put_json({"verified": verdict.ok, "findings": findings, "trusted": list(verdict.trusted)}, output)
    else:
        common.put("\n".join(verdict.lines()) + "\n", output)
    return 0 if verdict.ok else 1


def _result(file: str) -> dict[str, Any]:
    """What the file says, if it is a result."""
    from hornbook.formats.text import decode, load_json

    takes = "verify takes what `hornbook learn SOURCE -o FILE.json` writes"
    try:
        said: Any = load_json(decode(common.bytes_of(file))[0])
    except FormatError as error:
        if error.file is None:
            error.file, error.problem = file, f"{error.problem}; {takes}"
        raise
    if not isinstance(said, dict) or said.get("format") != "hornbook/1":
        raise FormatError(f'is no result: it has no "format": "hornbook/1"; {takes}', file=file)
    return said


def _same_order(target: Any, said: dict[str, Any], file: str) -> Any:
    """The source, over the attributes of the result: sets are told by name, not by position."""
    from hornbook.errors import Mismatch
    from hornbook.universe import Universe

    names = said.get("attributes")
    if not isinstance(names, list) or set(map(str, names)) != set(target.universe):
        raise Mismatch(f"{file} is about other attributes than {target.name}")
    universe = Universe.of(names)

    class Renamed:
        def closure(self, attrs: int) -> int | None:
            closed = target.close(target.universe.attrs(universe.names_in(attrs)))
            return None if closed is None else universe.attrs(target.universe.names_in(closed))

    return Renamed()


def retract(
    book: Annotated[Path, typer.Argument(metavar="TRANSCRIPT", help="Of a run.", show_default=False)],
    line: Annotated[
        int, typer.Argument(metavar="LINE", help="The number of the line to take back.", show_default=False)
    ],
) -> None:
    """Take one answer of a transcript back; the next run asks that question again if it still wants to know."""
    from hornbook import transcript

    common.put(transcript.retract(book, line) + "\n", None)
    common.note(f"line {line} is taken back; run the same `hornbook learn` again to go on")


def show(
    book: Annotated[str, typer.Argument(metavar="TRANSCRIPT", help="Of a run, or - for standard input.")],
    output: common.Output = None,
) -> None:
    """Show a transcript: each question with its answer, after the number of its line."""
    from hornbook import transcript
    from hornbook.formats.text import plural

    if book == "-":
        header, known = transcript.parsed(common.bytes_of(book), "standard input")
    else:
        header, known = transcript.read(Path(book))
    universe = header.universe
    rows = [f"{plural(len(known), 'answer')} of {header.oracle} over {plural(universe.size, 'attribute')}"]
    for fact in known:
        question, answer = _question(fact.query, universe), _answer(fact.query, fact.answer, universe)
        rows.append(f"{fact.line:>6}  {fact.query.kind.replace('_', ' ')}: {question}  =  {answer}")
    common.put("\n".join(rows) + "\n", output)


def _question(query: Query | Asked, universe: Universe) -> str:
    """What was asked, for a reader."""
    from hornbook import queries
    from hornbook.facts import Asked
    from hornbook.formats.text import plural

    if isinstance(query, Asked):
        return "a theory" if query.implications is None else plural(query.implications, "implication")
    if isinstance(query, queries.Unspecified):
        return f"{_set(universe, query.ones)}; not {_set(universe, query.zeros)}"
    if isinstance(query, queries.Entails):
        return common.rule(universe, query.premise, None if query.attribute is None else 1 << query.attribute)
    if isinstance(query, queries.Holds):
        return common.rule(universe, query.implication.premise, query.implication.conclusion)
    return _set(universe, query.attrs)  # type: ignore[attr-defined]


def _answer(query: Query | Asked, answer: Any, universe: Universe) -> str:
    """What was answered, for a reader."""
    from hornbook import queries
    from hornbook.theory import Implication

    closing = isinstance(query, queries.Close | queries.Correct)
    if answer is None:
        return "impossible" if closing else "some" if isinstance(query, queries.Unspecified) else "yes"
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, Implication):
        return f"no: {common.rule(universe, answer.premise, answer.conclusion)}"
    return _set(universe, answer) if closing else f"no: {_set(universe, answer)}"


def _set(universe: Universe, attrs: int) -> str:
    return common.quoted(universe, attrs) or "{}"
