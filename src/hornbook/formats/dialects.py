"""How a file separates values, told from its first records: the separator, the header, what the first column is.

What is decided here is said in the notes of the reading; the rest of the file must agree, or it is an error there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hornbook.errors import FormatError
from hornbook.formats import cells, marks
from hornbook.formats.content import Source
from hornbook.formats.text import shown

SEPARATORS = (b",", b";", b"\t", b"|")
NAMES = {b",": "comma", b";": "semicolon", b"\t": "tab", b"|": "bar"}
_OBJECT_HEADS = {"", "object", "objects"}
_PAIR_HEADS = (_OBJECT_HEADS, {"attribute", "attributes", "property", "properties"})
_SAMPLE_BYTES = 1 << 15
_SAMPLE_CELLS = 20_000


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its cells as text, where it starts, the number of its line, whether its quotes are in order."""

    cells: tuple[str, ...]
    offset: int
    line: int
    clean: bool = True


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the records of values start and what is in them. Without names the columns are numbered."""

    separator: bytes
    offset: int
    line: int
    width: int
    names: tuple[str, ...] | None
    head: int | None = None  # The line of the names.
    objects: bool = False
    may_name: bool = False  # The first cells seen are marks, all different: the column may be of objects after all.
    blank_end: bool = False  # The last column has no name and nothing in the rows seen: a separator too many.
    pairs: bool = False
    remarks: tuple[str, ...] = ()

    def with_objects(self) -> Dialect:
        """The same with the first column for the names of the objects."""
        return replace(self, names=None if self.names is None else self.names[1:], objects=True, may_name=False)

    @property
    def separated(self) -> str:
        """How the cells are separated, in words."""
        return f"{NAMES.get(self.separator, repr(self.separator.decode()))} separated"


def table_dialect(source: Source, separator: bytes | None = None, header: bool | None = None) -> Dialect:
    """The dialect of a table of crosses."""
    found, sample = _sniffed(source, separator, table=True)
    first, body = sample[0], sample[1:]
    if first.cells[0].strip().casefold() == "binary csv" and not any(first.cells[1:]):
        return _binary_csv(source, found, sample)
    width = len(body[-1].cells) if body else len(first.cells)
    if header is False or (header is None and _headless(first, body)):
        dialect = Dialect(found, first.offset, first.line, width, None, may_name=width > 1 and _different(sample))
        return replace(dialect, objects=width > 1 and (_are_names(sample) or _are_odd(body)))
    if len(first.cells) == width - 1 and all(len(record.cells) == width for record in body):
        # R leaves out the head of the column with the names of the rows.
        first = replace(first, cells=("", *first.cells))
    start = body[0] if body else Record((), len(source.content), first.line + 1)
    dialect = Dialect(
        found,
        start.offset,
        start.line,
        len(first.cells),
        first.cells,
        first.line,
        may_name=len(first.cells) > 1 and _different(body),
        blank_end=len(first.cells) > 2 and _blank_end(sample),
    )
    if header is None and _is_pairs(first, body):
        return _pairs(dialect, first)
    if not body and len(first.cells) < 3 and first.cells[0] not in _OBJECT_HEADS:
        raise source.wrong(
            f"one line with {' and '.join(map(shown, first.cells))} says too little to be a table of crosses; "
            "put an empty cell before the attributes if they are such",
            first.line,
        )
    if _is_object_head(first.cells) or (len(first.cells) > 1 and (_are_names(body) or _are_odd(body))):
        return dialect.with_objects()
    return dialect


def relation_dialect(source: Source, separator: bytes | None = None, header: bool = True) -> Dialect:
    """The dialect of a table of values, with the names of its columns on the first line unless header is false."""
    found, sample = _sniffed(source, separator, table=False)
    first = sample[0]
    if not header:
        return Dialect(found, first.offset, first.line, len(first.cells), None)
    start = sample[1] if len(sample) > 1 else Record((), len(source.content), first.line + 1)
    width = len(first.cells)
    blank_end = width > 1 and _blank_end(sample)
    return Dialect(found, start.offset, start.line, width, first.cells, head=first.line, blank_end=blank_end)


def _blank_end(sample: list[Record]) -> bool:
    """Whether the last column has no name and nothing in it."""
    return len(sample) > 1 and not any(record.cells[-1] for record in sample)


# The separator


def _sniffed(source: Source, separator: bytes | None, table: bool) -> tuple[bytes, list[Record]]:
    """The separator and the first records."""
    start, line = source.start, 1
    head = source.content[start : start + 8].split(b"\n")[0].rstrip()
    if separator is None and head.lower().startswith(b"sep=") and head[4:] in SEPARATORS:
        separator = head[4:]
        rest = source.content[start : start + 8]
        start, line = start + rest.index(b"\n") + 1 if b"\n" in rest else len(source.content), 2
    candidates = [separator] if separator else list(SEPARATORS)
    samples: list[tuple[bytes, list[Record]]] = []
    errors: list[FormatError] = []
    for candidate in candidates:
        try:
            samples.append((candidate, _sample(source, start, line, candidate, given=separator is not None)))
        except FormatError as error:
            errors.append(error)
    samples = [pair for pair in samples if pair[1]]
    if not samples:
        raise errors[0] if errors else source.wrong("there is nothing in this file; a table has a header at least", 1)
    best = max(samples, key=lambda pair: _likelihood(pair[1], table))  # Of equals the first.
    if errors and all(len(record.cells) == 1 for record in best[1]):
        raise errors[0]
    return best


def _sample(source: Source, start: int, line: int, separator: bytes, given: bool) -> list[Record]:
    """The first records: at least two where there are two, else as many as are quickly read."""
    size = _SAMPLE_BYTES
    while True:
        data = source.content[start : start + size]
        final = start + len(data) >= len(source.content)
        if final and data and not data.endswith(b"\n"):
            data += b"\n"
        if not given and b"\n" in data and separator not in data and separator != SEPARATORS[0]:
            return []  # The comma stands for all of those that separate nothing.
        found: list[Record] = []
        budget, at, number = _SAMPLE_CELLS, 0, line
        for spans, after in cells.records(data, separator, source, line, final):
            if spans:
                raws = [data[begin:end] for begin, end in spans]
                clean = all(raw.startswith(b'"') for raw in raws if b'"' in raw)
                texts = tuple(source.decode(marks.unquoted(raw)) for raw in raws)
                found.append(Record(texts, start + at, number, clean))
            budget -= len(spans)
            number += data.count(b"\n", at, after)
            at = after
            if budget < 0 and len(found) > 1:
                break
        if len(found) > 1 or final:
            return found
        size *= 8


def _likelihood(sample: list[Record], table: bool) -> tuple[bool, bool, float, float, int]:
    """How likely this is the right separator: clean quotes, a first empty cell, records of one width, marks."""
    widths = [len(record.cells) for record in sample]
    usual = max(set(widths), key=lambda width: (widths.count(width), width))
    leads = usual > 1 and sample[0].cells[0] == "" and len(sample[0].cells) > 1
    agree = widths.count(usual) / len(widths) if usual > 1 else 0.0
    body = [cell for record in sample[1:] for cell in record.cells[1:]] if table and usual > 1 else []
    marked = sum(marks.meaning(cell) != marks.OTHER for cell in body) / len(body) if body else 0.0
    return all(record.clean for record in sample), leads, agree, marked, usual


# The header and the first column


def _binary_csv(source: Source, separator: bytes, sample: list[Record]) -> Dialect:
    """conexp-clj's dialect without names: a line that says so, then marks only."""
    if len(sample) == 1:
        raise source.wrong("there are no rows after `binary CSV`, so nobody knows how many attributes there are", 2)
    body = sample[1]
    remarks = ("line 1 says `binary CSV`: there are no names, so objects and attributes are numbers",)
    return Dialect(separator, body.offset, body.line, len(body.cells), None, remarks=remarks)


def _headless(first: Record, body: list[Record]) -> bool:
    """Whether the first record has marks like the others, and no names."""
    if _is_object_head(first.cells):
        return False
    if not body:
        return set(first.cells) <= {"0", "1"} and len(first.cells) > 1
    named = len(first.cells) > 1 and (_are_names([first, *body]) or _are_odd(body))
    signs = first.cells[1 if named else 0 :]
    if any(marks.meaning(cell) == marks.OTHER for cell in signs):
        return False
    used = {marks.family(cell) for record in body for cell in record.cells[1 if named else 0 :]}
    return {marks.family(cell) for cell in signs} <= used | {None}


def _different(records: list[Record]) -> bool:
    return len({record.cells[0] for record in records}) == len(records)


def _are_names(records: list[Record], column: int = 0) -> bool:
    """Whether a column has names, some of which may look like marks, and not marks with a slip of the pen."""
    others = sum(marks.meaning(record.cells[column]) == marks.OTHER for record in records)
    return 2 * others >= len(records) > 0 or (others > 0 and column == 0 and _different(records))


def _are_odd(records: list[Record]) -> bool:
    """Whether the first column has marks that go neither with each other nor with the rest, and so is of names."""
    rest = (cell for record in records for cell in record.cells[1:])
    return marks.are_names([record.cells[0] for record in records], rest) is True


def _is_pairs(first: Record, body: list[Record]) -> bool:
    """Whether each line is an object and one attribute of it: two columns, and the second has names too."""
    if len(first.cells) != 2 or first.cells[0] == "" or any(len(record.cells) != 2 for record in body):
        return False
    return _are_names(body, column=1)


def _pairs(dialect: Dialect, first: Record) -> Dialect:
    titles = tuple(cell.strip().casefold() for cell in first.cells)
    if titles[0] in _PAIR_HEADS[0] and titles[1] in _PAIR_HEADS[1]:
        return replace(dialect, names=None, pairs=True, remarks=(f"line {first.line} is a header",))
    return replace(dialect, names=None, pairs=True, head=None, offset=first.offset, line=first.line)


def _is_object_head(header: tuple[str, ...]) -> bool:
    """Whether the header's first cell is of a column of objects: empty, so called, or conexp-clj's NB."""
    head = header[0].strip()
    return head.casefold() in _OBJECT_HEADS or (head.startswith("NB") and len(header) > 1)
