"""What oracles outside say and hear: a set as a line of names, and what is wrong with an answer.

Names are separated by blanks; one with blanks, quotes or the like in it is a JSON string, as in .imp files. An empty
line is the empty set, a line `!` says that no model contains the set that was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, Future, wait
from itertools import islice

from hornbook.errors import BadAnswer, FormatError
from hornbook.universe import Attrs, Universe

_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")(?=\s|$)|([^\s"]\S*))')
_UNSAFE = re.compile(r'[\s"#\\\x00-\x1f\x7f]|->|^[!~¬]|^$')
_HEADER = re.compile(r"#\s*attributes\s*:", re.IGNORECASE)

NONE = "!"
"""The answer to a contradictory set."""


def word(name: str) -> str:
    """The name as it stands in a line."""
    return json.dumps(name, ensure_ascii=False) if _UNSAFE.search(name) else name


def line_of(universe: Universe, attrs: Attrs) -> str:
    """The set as a line."""
    return " ".join(map(word, universe.names_in(attrs)))


def words(line: str) -> list[str]:
    """The names in a line; the bare mark `!` alone is no name, see `is_none`."""
    found, position = [], 0
    end = len(line.rstrip())
    while position < end:
        token = _TOKEN.match(line, position)
        if token is None:
            raise FormatError(f"a quote is wrong at {line[position:end].strip()[:40]!r}; write names as JSON strings")
        quoted, bare = token.groups()
        found.append(bare if quoted is None else _unquoted(quoted))
        position = token.end()
    return found


def is_none(line: str) -> bool:
    """Whether the line says that the set is contradictory."""
    return line.strip() == NONE


def is_remark(line: str) -> bool:
    """Whether the line is a comment."""
    return line.lstrip().startswith("#")


def listed_attributes(line: str) -> list[str] | None:
    """The names in a line `# attributes: a b c`; None for other lines."""
    header = _HEADER.match(line.lstrip())
    return None if header is None else words(line.lstrip()[header.end() :])


def has_arrow(line: str) -> bool:
    """Whether a bare `->` stands between blanks in the line, so that it is an implication and no set."""
    return " -> " in line and " -> " in re.sub(r'"(?:[^"\\]|\\.)*"', '""', f" {line} ")


def attrs_answered(universe: Universe, asked: Attrs, line: str, who: str) -> Attrs | None:
    """The set that the line says, which must be a superset of what was asked."""
    if is_none(line):
        return None
    try:
        return superset(universe, asked, universe.attrs(words(line)))
    except FormatError as error:
        raise refused(who, shown(universe, asked), repr(_short(line)), str(error)) from error


def attrs_named(universe: Universe, asked: Attrs, names: Iterable[str]) -> Attrs:
    """The set of these names, which must be a superset of what was asked."""
    # A generator that never ends is cut: no honest answer repeats names so often.
    most = 1000 + 100 * universe.size
    attrs = 0
    for count, name in enumerate(islice(names, most + 1)):
        if count == most:
            raise FormatError(f"more than {most:,} names; the answer seems to have no end")
        attrs |= 1 << universe.position(name)
    return superset(universe, asked, attrs)


def superset(universe: Universe, asked: Attrs, answered: Attrs) -> Attrs:
    """The answer, if it has all that was asked about."""
    missing = asked & ~answered
    if missing:
        what = line_of(universe, missing)
        raise FormatError(f"the closure of a set contains the set, but {_short(what)} is missing")
    return answered


def shown(universe: Universe, asked: Attrs) -> str:
    """The question, for a message."""
    return f"`{_short(line_of(universe, asked))}`" if asked else "the empty set"


def refused(who: str, question: str, answer: str, problem: str) -> BadAnswer:
    """The error that shows the question, the answer and what is wrong with it."""
    return BadAnswer(
        f"{who} answers {question} with {answer}: {problem}. "
        "An answer is all attributes that follow from the set, the set itself among them"
    )


def spread(
    closure: Callable[[Attrs], Attrs | None], sets: Sequence[Attrs], executor: Executor | None
) -> list[Attrs | None]:
    """The closures of all these sets, in order, asked for at once where there is an executor.

    When one fails, its error has an attribute `answered`: the sets closed by then, each with its closure. Nobody waits
    for the rest: what was not yet asked never is, and what is being asked ends, at the latest, with its oracle.
    """
    answered: dict[int, Attrs | None] = {}
    futures: list[Future[None]] = []

    def ask(place: int) -> None:
        answered[place] = closure(sets[place])

    try:
        for place in range(len(sets)):
            if executor is None:
                ask(place)
            else:
                futures.append(executor.submit(ask, place))
        wait(futures, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future.done():
                future.result()
    except BaseException as error:
        for future in futures:
            future.cancel()
        # A copy, for other threads may go on to answer.
        error.answered = [(sets[place], closed) for place, closed in sorted(answered.copy().items())]  # type: ignore[attr-defined]
        raise
    return [answered[place] for place in range(len(sets))]


def _unquoted(text: str) -> str:
    try:
        name: str = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise FormatError(f"{text} is no JSON string: {error.msg}") from error
    return name


def _short(text: str, most: int = 200) -> str:
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"
