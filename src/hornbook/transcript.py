"""Transcripts: the questions and answers of a run on disk, a fact a line, so that a run survives whatever stops it.

The first line says whose answers these are: the universe, the oracle, the version of the format. An answer is on disk
before it is used: it is written with one system call, so a killed process loses nothing; a second later at most the
disk itself has it, so a second is what a power failure can cost. A file that was cut somewhere is
good up to there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from hornbook import __version__
from hornbook.dialogue import Learner, asking
from hornbook.disk import Growing
from hornbook.errors import CannotAnswer, FormatError, Mismatch
from hornbook.facts import Asked, Fact, decode, encode, key
from hornbook.formats.files import located, opened
from hornbook.queries import Close, CloseAll, Query
from hornbook.universe import Universe

T = TypeVar("T")

FORMAT = "transcript/1"
_HEAD = b'{"hornbook": "'
"""How every transcript begins: a file whose only line is cut short is one if it begins like this."""


@dataclass(frozen=True, slots=True)
class Header:
    """Whose answers these are. `digest` tells what the source holds, and how it was read, where it holds anything.

    `definite`: the set of all attributes was known to be a model, so no answer says it.
    """

    universe: Universe
    oracle: str
    digest: str | None = None
    definite: bool = False

    def line(self) -> str:
        head: dict[str, Any] = {"hornbook": FORMAT, "version": __version__, "oracle": self.oracle}
        if self.digest is not None:
            head["digest"] = self.digest
        if self.definite:
            head["definite"] = True
        return json.dumps(head | {"attributes": list(self.universe)}, ensure_ascii=False)


# Files.


def read(path: Path) -> tuple[Header, list[Fact]]:
    """The header and the facts of a transcript; a line that was cut short at the end is left out."""
    return _begun(*_read(path), str(path))


def parsed(data: bytes, file: str) -> tuple[Header, list[Fact]]:
    """The same of what is read already; `file` is for messages."""
    return _begun(*_parsed(data, file), file)


def _begun(header: Header | None, facts: list[Fact], good: int, file: str) -> tuple[Header, list[Fact]]:
    if header is None:
        raise FormatError("is empty: no run has written it yet", file=file)
    return header, facts


def _read(path: Path) -> tuple[Header | None, list[Fact], int]:
    """The header, if it is whole, the facts, and how many bytes of the file are good."""
    with located(str(path)):
        if path.is_char_device():
            raise FormatError("is a device, no transcript")
        with opened(path) as file:
            return _parsed(file.read(), str(path))


def _parsed(data: bytes, file: str) -> tuple[Header | None, list[Fact], int]:
    header, facts, good = None, [], 0
    for number, text, end in _lines(data, file):
        if header is None:
            header = _header(text, file)
        else:
            facts.append(decode(text, header.universe, number, file))
        good = end
    return header, facts, good


def _lines(data: bytes, file: str) -> Iterator[tuple[int, str, int]]:
    """The whole lines: number, text, where they end. The last one may lack its end of line, if it is whole JSON."""
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        torn = end < 0
        raw = data[start:] if torn else data[start:end]
        number, start = number + 1, len(data) if torn else end + 1
        try:
            text = raw.decode("utf-8")
            if torn:
                json.loads(text)
        except ValueError as error:
            if torn and (number > 1 or raw.startswith(_HEAD[: len(raw)])):
                return
            if number == 1:
                raise FormatError("is no transcript: its first line is no header", file=file, line=1) from error
            raise FormatError("is not UTF-8, so no line of a transcript", file=file, line=number) from error
        yield number, text, start


def _header(text: str, file: str) -> Header:
    try:
        said = json.loads(text)
        version = said["hornbook"]
        header = Header(
            Universe.of(said["attributes"]), str(said["oracle"]), said.get("digest"), said.get("definite") is True
        )
    except FormatError as error:
        raise FormatError(error.problem, file=file, line=1) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError("is no transcript: its first line is no header", file=file, line=1) from error
    if version != FORMAT:
        raise Mismatch(f"{file} is of format {version!r}, and this version of Hornbook reads {FORMAT!r}")
    return header


@dataclass(slots=True)
class Transcript:
    """A transcript that is being written: what it knows already, and a place for what comes."""

    path: Path
    header: Header
    facts: list[Fact]
    _file: Growing
    _answers: dict[Query | Asked, Fact] = field(init=False)
    _lines: int = field(init=False)

    def __post_init__(self) -> None:
        self._answers = {fact.query: fact for fact in self.facts}
        self._lines = 1 + len(self.facts)

    def __enter__(self) -> Transcript:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def known(self, query: Query) -> Fact | None:
        """The fact that answers the query, if it is there. (An answer may itself be None.)"""
        return self._answers.get(key(query))

    def add(self, query: Query, answer: Any, votes: tuple[int, ...] = ()) -> int:
        """Put the answer on disk; the number of its line."""
        self._write(encode(query, answer, self.header.universe, votes))
        self._lines += 1
        fact = Fact(key(query), answer, self._lines, votes)
        self.facts.append(fact)
        self._answers[fact.query] = fact
        return self._lines

    def close(self) -> None:
        """Make sure that the disk has it all, and let others have the file."""
        self._file.close()

    def _write(self, text: str) -> None:
        try:
            self._file.write(f"{text}\n".encode())
        except OSError as error:
            raise CannotAnswer(f"{self.path} cannot take the next answer: {error.strerror or error}") from error


def open_transcript(path: Path, header: Header) -> Transcript:
    """The transcript at the path, or a new one, ready to go on. No other run can write it meanwhile."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FormatError("is a device or a pipe, which keeps no answers; name a file", file=str(path))
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", file=str(path)) from error
    try:
        _lock(file, path)
        known, facts, good = _read(path)
        if known is not None:
            _same(known, header, path)
        # What was torn is cut off, else the next line would be glued to it.
        os.ftruncate(file, good)
        transcript = Transcript(path, header, facts, Growing(file))
        if known is None:
            transcript._write(header.line())
        elif good and os.pread(file, 1, good - 1) != b"\n":
            os.write(file, b"\n")
    except BaseException:
        os.close(file)
        raise
    return transcript


def kept(
    learner: Learner[T],
    book: Transcript,
    *,
    recall: Callable[[Fact], None] = lambda fact: None,
    votes: Mapping[Query, tuple[int, ...]] = MappingProxyType({}),
) -> Learner[T]:
    """The learner; what the transcript knows is not asked again, and every new answer is in it before it is used.

    What it recalls is told. `votes` go with an answer into the file, where there are any.
    """

    def answered(query: Query) -> Learner[Any]:
        if isinstance(query, CloseAll):
            return (yield from _kept_batch(query, book, recall, votes))
        if (fact := book.known(query)) is not None:
            recall(fact)
            return fact.answer
        answer = yield query
        book.add(query, answer, votes.get(query, ()))
        return answer

    return asking(learner, answered)


def _kept_batch(
    batch: CloseAll, book: Transcript, recall: Callable[[Fact], None], votes: Mapping[Query, tuple[int, ...]]
) -> Learner[list[Any]]:
    new = []
    for attrs in dict.fromkeys(batch.sets):
        if (fact := book.known(Close(attrs))) is None:
            new.append(attrs)
        else:
            recall(fact)
    if new:
        for attrs, closed in zip(new, (yield CloseAll(tuple(new))), strict=True):
            book.add(Close(attrs), closed, votes.get(Close(attrs), ()))
    facts = [book.known(Close(attrs)) for attrs in batch.sets]
    return [fact.answer for fact in facts if fact is not None]


def retract(path: Path, line: int) -> str:
    """Take the answer in this line back; its text. The others stay: each is a fact by itself."""
    header, _ = read(path)
    file = path.resolve()  # Not the link, where it is one.
    beside = file.with_name(f".{file.name}.new")
    # Locked to the end: a run that starts meanwhile would write to the file that goes.
    with open_transcript(path, header) as book:
        if not 2 <= line <= len(book.facts) + 1:
            raise FormatError(
                f"there is no answer in line {line}; answers are in lines 2 to {len(book.facts) + 1}", file=str(path)
            )
        lines = file.read_bytes().split(b"\n")
        taken = lines.pop(line - 1)
        beside.unlink(missing_ok=True)
        with beside.open("xb") as rest:
            os.fchmod(rest.fileno(), file.stat().st_mode & 0o777)
            rest.write(b"\n".join(lines))
            rest.flush()
            os.fsync(rest.fileno())
        beside.replace(file)
    return taken.decode("utf-8")


def _lock(file: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # No such locks on this system.
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file), path.stat()):
            return
        problem = "was replaced just now; try again"
    except OSError:
        problem = "is being written by another run; wait for it or name another file"
    raise CannotAnswer(f"{path} {problem}")


def _same(known: Header, wanted: Header, path: Path) -> None:
    """Mismatch, with what differs, unless both headers speak of the same oracle over the same universe."""
    other = f"name another file, or remove {path} to start anew"
    if known.universe != wanted.universe:
        raise Mismatch(f"{path} is about {_difference(known.universe, wanted.universe)}; {other}")
    if known.digest is not None and wanted.digest is not None:
        if known.digest != wanted.digest:
            raise Mismatch(
                f"{path} was written when {wanted.oracle} held something else, or was read as something else; {other}"
            )
    elif known.oracle != wanted.oracle:
        raise Mismatch(f"{path} has the answers of {known.oracle}, not of {wanted.oracle}; {other}")


def _difference(known: Universe, wanted: Universe) -> str:
    missing = [name for name in wanted if name not in known]
    more = [name for name in known if name not in wanted]
    if missing:
        return f"another universe: it lacks {missing[0]!r}"
    if more:
        return f"another universe: it has {more[0]!r}, too"
    return "the same attributes in another order"
