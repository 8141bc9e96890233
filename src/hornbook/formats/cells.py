"""Where the cells of separated values stand: quick where quotes are as they should be, cell by cell where they are not.

A cell that starts with a quote ends with one, and a quote in it is doubled; in any other cell a quote is a character
like others. Lines with nothing on them are no records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbook.formats.content import Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_WIDTH = 1 << 20
_BLOCK = 1 << 19
_STEP = 1 << 16  # How much is read cell by cell before the quick way is tried again.

CUT, WRONG = -1, -2

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some records: cell j of record i is data[starts[i, j]:ends[i, j]], with its quotes; data starts on `line`."""

    data: bytes
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    line: int
    blank_lines: int

    def raw(self, column: int, most: int | None = None) -> list[bytes]:
        """The cells of one column, or so many of them."""
        data = self.data
        spans = zip(self.starts[:most, column].tolist(), self.ends[:most, column].tolist(), strict=True)
        return [data[start:end] for start, end in spans]


def chunks(source: Source, offset: int, line: int, delimiter: bytes, width: int) -> Iterator[Chunk]:
    """The records from this offset on, which is on this line; a record of another width is an error."""
    data, size = b"", _BLOCK
    while True:
        piece = source.content[offset : offset + size]
        offset += len(piece)
        final = offset >= len(source.content) or not piece
        data += piece
        if final and data and not data.endswith(b"\n"):
            data += b"\n"
        used = 0
        while data if final else b"\n" in data:
            chunk, used = _chunk(data, line, delimiter, width, source, final)
            if used == 0:
                break
            yield chunk
            line += data.count(b"\n", 0, used)
            data = data[used:]
        if final:
            return
        # A record longer than the block: each time twice as much, so that it is not copied too often.
        size = size if len(data) < size else 2 * size


def _chunk(data: bytes, line: int, delimiter: bytes, width: int, source: Source, final: bool) -> tuple[Chunk, int]:
    """The records at the start of data, and how far they reach."""
    import numpy as np

    quoted = b'"' in data and re.search(b'(?:\\A|[\n%b])"' % re.escape(delimiter), data) is not None
    cut = len(data) if final else _cut(data) if quoted else data.rfind(b"\n") + 1
    quick = _quick(data[:cut] if cut < len(data) else data, delimiter[0], width, quoted) if cut else None
    if quick is not None:
        return Chunk(data, quick[0], quick[1], line, quick[2]), cut
    spans: list[Span] = []
    used = blank_lines = 0
    for record, end in records(data, delimiter, source, line, final):
        if end > used and not record:
            blank_lines += 1
        elif len(record) != width:
            problem = (
                f"this line has {len(record)} cells, not {width}; is one missing, or a {_named(delimiter)} unquoted?"
            )
            raise source.wrong_at(problem, data, record[0][0], line)
        spans += record
        used = end
        if used > _STEP:
            break
    both = np.array(spans, dtype=np.intp).reshape(-1, width, 2)
    return Chunk(data, both[:, :, 0], both[:, :, 1], line, blank_lines), used


def _named(delimiter: bytes) -> str:
    return {b",": "comma", b";": "semicolon", b"\t": "tab", b"|": "bar"}.get(delimiter, repr(delimiter.decode()))


def _cut(data: bytes) -> int:
    """Where the last line ends that is not inside of quotes; 0 if there is none."""
    end = len(data)
    odd = data.count(b'"') % 2
    while (newline := data.rfind(b"\n", 0, end)) >= 0:
        odd = (odd + data.count(b'"', newline, end)) % 2
        if not odd:
            return newline + 1
        end = newline
    return 0


def _quick(
    data: bytes, delimiter: int, width: int, quoted: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp], int] | None:
    """Starts and ends of the cells, and how many lines are blank; None if this takes a closer look.

    Where no cell starts with a quote, quotes are characters like others.
    """
    import numpy as np

    bytes_ = np.frombuffer(data, dtype=np.uint8)
    separates = (bytes_ == delimiter) | (bytes_ == 10)
    if quoted:
        inside = _inside_quotes(bytes_, separates)
        if inside is None:
            return None
        separates &= ~inside
    ends = np.flatnonzero(separates)
    starts = np.empty_like(ends)
    starts[:1], starts[1:] = 0, ends[:-1] + 1
    closing = bytes_[ends] == 10
    if b"\r" in data:
        ends[closing & (ends > starts) & (bytes_[ends - 1] == 13)] -= 1
    opening = np.empty_like(closing)
    opening[:1], opening[1:] = True, closing[:-1]
    blank = opening & closing & (starts == ends)
    blank_lines = int(np.count_nonzero(blank))
    if blank_lines:
        starts, ends, closing = starts[~blank], ends[~blank], closing[~blank]
    if len(ends) % width:
        return None
    shape = (-1, width) if len(ends) else (0, width)
    closing = closing.reshape(shape)
    if not closing[:, -1].all() or closing[:, :-1].any():
        return None
    return starts.reshape(shape), ends.reshape(shape), blank_lines


def _inside_quotes(bytes_: NDArray[np.uint8], separates: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Which bytes are in quotes; None unless every quoted cell is quoted from its start to its end."""
    import numpy as np

    quotes = bytes_ == 34
    inside = np.logical_xor.accumulate(quotes)
    if inside[-1]:
        return None
    places = np.flatnonzero(quotes)
    opens, closes = places[::2], places[1::2]
    before = opens[opens > 0] - 1
    after = closes + 1  # There is an after: the data ends with a line end that is not in quotes.
    returns = bytes_[after] == 13
    ended = separates[after] | quotes[after]
    ended[returns] = bytes_[after[returns] + 1] == 10
    return inside if (separates[before] | quotes[before]).all() and ended.all() else None


def records(data: bytes, delimiter: bytes, source: Source, line: int, final: bool) -> Iterator[tuple[list[Span], int]]:
    """Record after record with the offset where the next one starts; no spans for a blank line.

    Final data ends with a line end; of other data, what may go on is left out.
    """
    stop = re.compile(b"[" + re.escape(delimiter) + b"\n]")
    at = 0
    while at < len(data):
        record: list[Span] = []
        while not record or data[at - 1 : at] == delimiter:
            span, after = _cell(data, at, stop, delimiter)
            if after == WRONG:
                problem = "there is text after the closing quote; quotes in quoted cells are doubled"
                raise source.wrong_at(problem, data, span[1], line)
            if after == CUT:
                if final:
                    problem = "this quote is never closed; quotes in quoted cells are doubled"
                    raise source.wrong_at(problem, data, at, line)
                return
            record.append(span)
            at = after
            if len(record) > MAX_WIDTH:
                raise source.wrong_at(f"this line has more than {MAX_WIDTH:,} cells; is it a table?", data, at, line)
        yield ([] if len(record) == 1 and record[0][0] == record[0][1] else record), at


def _cell(data: bytes, at: int, stop: re.Pattern[bytes], delimiter: bytes) -> tuple[Span, int]:
    """The span of the cell that starts here and where the next one starts, or CUT, or WRONG after the span."""
    if data[at : at + 1] != b'"':
        found = stop.search(data, at)
        if found is None:
            return (at, at), CUT
        end = found.start()
        returns = data[end] == 10 and end > at and data[end - 1] == 13
        return (at, end - returns), end + 1
    close = data.find(b'"', at + 1)
    while data[close + 1 : close + 2] == b'"' and close > 0:
        close = data.find(b'"', close + 2)
    after = data[close + 1 : close + 3]
    if close < 0 or after in (b"", b"\r"):
        return (at, at), CUT
    if after[:1] in (delimiter, b"\n"):
        return (at, close + 1), close + 2
    return (at, close + 1), close + 3 if after == b"\r\n" else WRONG
