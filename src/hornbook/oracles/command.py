"""A program as an oracle: `Command` is one process, a line of names in and a line out; `Exec` is one call a query.

A program that ends without an answer is started and asked again, a few times in all; one that hangs is ended. Lines
that start with # are remarks; among them `# attributes: a b c` tells the universe. docs/oracles/command.md has it all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self

from hornbook.errors import BadAnswer, FormatError
from hornbook.oracles.child import Child
from hornbook.oracles.programs import Programs
from hornbook.oracles.protocol import (
    attrs_answered,
    has_arrow,
    is_remark,
    line_of,
    listed_attributes,
    refused,
    shown,
    spread,
)
from hornbook.universe import Attrs, Universe

TIMEOUT = 60.0
RESTARTS = 3


class _Program:
    """What both have in common. How it is asked, and how it tells its attributes, is theirs."""

    def __init__(
        self,
        argv: str | Sequence[str],
        universe: Universe,
        *,
        timeout: float | None = TIMEOUT,
        restarts: int = RESTARTS,
        workers: int = 1,
    ) -> None:
        self.universe = universe
        self._programs = Programs(argv, timeout, restarts, workers)
        self._known: dict[Attrs, Attrs | None] = {}

    @classmethod
    def found(
        cls,
        argv: str | Sequence[str],
        *,
        timeout: float | None = TIMEOUT,
        restarts: int = RESTARTS,
        workers: int = 1,
    ) -> Self:
        """The oracle, its attributes told by the program when it is asked for the empty set. The answer is kept."""
        program = cls(argv, Universe(()), timeout=timeout, restarts=restarts, workers=workers)
        try:
            program.universe, program._known[0] = program._opening()
        except BaseException:
            program.close()
            raise
        return program

    def closure(self, attrs: Attrs) -> Attrs | None:
        return self._known[attrs] if attrs in self._known else self._closed(attrs)

    @property
    def workers(self) -> int:
        """How many sets can be closed at a time."""
        return self._programs.workers

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs | None]:
        return spread(self.closure, sets, self._programs.threads)

    def close(self) -> None:
        """Ends the processes."""
        self._programs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _closed(self, attrs: Attrs) -> Attrs | None:
        raise NotImplementedError

    def _opening(self) -> tuple[Universe, Attrs | None]:
        """The attributes that it tells, and the closure of the empty set."""
        raise NotImplementedError


class Command(_Program):
    """An oracle that keeps a process: for each set it gets a line of names and says the closure in a line.

    With several workers there are so many processes, and a batch is spread over them.
    """

    def _closed(self, attrs: Attrs) -> Attrs | None:
        who, question = self._programs.name, shown(self.universe, attrs)
        said = f"{line_of(self.universe, attrs)}\n".encode()

        def talk(child: Child, deadline: float | None) -> Attrs | None:
            _still_silent(child, who)
            child.send(said, deadline)
            while is_remark(line := _text(child.line(deadline), who, question)):
                pass
            return attrs_answered(self.universe, attrs, line, who)

        return self._programs.ask(question, talk)

    def _opening(self) -> tuple[Universe, Attrs | None]:
        """Asked for the empty set, since many a program says nothing before it is asked; in remarks before that."""
        who, question = self._programs.name, "the empty set"

        def talk(child: Child, deadline: float | None) -> tuple[Universe, Attrs | None]:
            child.send(b"\n", deadline)
            remarks = []
            while is_remark(line := _text(child.line(deadline), who, question)):
                remarks.append(line)
            universe = _universe_in(remarks, who)
            return universe, attrs_answered(universe, 0, line, who)

        return self._programs.ask(question, talk)


class Exec(_Program):
    """An oracle that calls a program for each set, the names as its arguments; it prints the closure in one line."""

    def _closed(self, attrs: Attrs) -> Attrs | None:
        def talk(child: Child, deadline: float | None) -> Attrs | None:
            return self._answer(self.universe, attrs, self._lines(child, deadline))

        question, names = shown(self.universe, attrs), self.universe.names_in(attrs)
        closed = self._programs.ask(question, talk, arguments=names)
        if not attrs:
            # A program may list its attributes there, at the price of many calls of its own.
            self._known[attrs] = closed
        return closed

    def _opening(self) -> tuple[Universe, Attrs | None]:
        def talk(child: Child, deadline: float | None) -> tuple[Universe, Attrs | None]:
            lines = self._lines(child, deadline)
            universe = _universe_in(lines, self._programs.name)
            return universe, self._answer(universe, 0, lines)

        return self._programs.ask("the empty set", talk, arguments=())

    def _lines(self, child: Child, deadline: float | None) -> list[str]:
        """All that it prints; a call that does not end with status 0 is a crash."""
        lines = []
        try:
            while True:
                lines.append(_text(child.line(deadline), self._programs.name, "a call"))
        except EOFError:
            if child.end() != 0:
                raise
        return lines

    def _answer(self, universe: Universe, attrs: Attrs, lines: Sequence[str]) -> Attrs | None:
        """The closure among the lines; none at all stands for the empty set."""
        answers = [line for line in lines if line.strip() and not is_remark(line) and not has_arrow(line)]
        if len(answers) > 1:
            said = f"{len(answers)} lines, {answers[0][:80]!r} and {answers[1][:80]!r} among them"
            raise refused(self._programs.name, shown(universe, attrs), said, "one line is wanted")
        return attrs_answered(universe, attrs, answers[0] if answers else "", self._programs.name)


def _still_silent(child: Child, who: str) -> None:
    """Raises when it has said more than it was asked: its answers may belong to other questions."""
    while (line := child.unasked()) is not None:
        text = line.decode("utf-8", "replace")
        if not is_remark(text):
            raise BadAnswer(
                f"{who} says {text[:200]!r} without being asked; it must print one line for each line it reads"
            )


def _universe_in(lines: Iterable[str], who: str) -> Universe:
    """The attributes that the remarks tell; a long list may take several of them."""
    names: list[str] = []
    told = False
    for line in lines:
        more = listed_attributes(line) if is_remark(line) else None
        if more is not None:
            told = True
            names += more
    if not told:
        raise FormatError(
            f"{who} does not say which attributes there are: give --attributes a,b,c "
            "or let it print a line `# attributes: a b c` first"
        )
    return Universe.of(names)


def _text(line: bytes, who: str, question: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refused(who, question, repr(line[:200]), f"byte {error.start} is no UTF-8") from error
