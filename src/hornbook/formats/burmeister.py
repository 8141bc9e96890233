"""Which line of a Burmeister file is what: its writers leave lines blank, leave them out, or fill them.

How many lines there are, and where the last one stands, tells which reading fits. Where two fit, the one closer to the
canonical form is taken, and where a table might come out shifted, none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from hornbook.errors import FormatError
from hornbook.formats.content import Lines, Source
from hornbook.formats.text import plural, shown

CROSS, NONE, UNKNOWN = b"Xx", b".", b"?"


@dataclass(frozen=True, slots=True)
class Head:
    """The counts, the line after them, and remarks on what stands before them. An anonymous table has no names."""

    start: int
    height: int
    width: int
    named: bool
    remarks: tuple[str, ...]

    @property
    def counted(self) -> tuple[str, int]:
        """The lines that the counts promise, in words and in number."""
        rows = plural(self.height, "row")
        if not self.named:
            return rows, self.height
        objects, attributes = plural(self.height, "object"), plural(self.width, "attribute")
        return f"{objects}, {attributes} and {rows}", 2 * self.height + self.width


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things start: numbers of lines, from 0."""

    head: Head
    objects: int
    attributes: int
    rows: int
    canonical: bool
    remarks: tuple[str, ...] = ()
    doubtful: bool = False  # It fits, and yet a line may be missing.

    @property
    def places(self) -> tuple[int, ...]:
        """Equal for readings that give the same table: of what there is nothing it does not matter where it stands."""
        height, width = self.height, self.width
        return height, width, height and self.objects, width and self.attributes, height and width and self.rows

    def blank_names(self, lines: Lines) -> bool:
        """Whether an object or an attribute has a name of nothing but white space."""
        if not self.head.named:
            return False
        objects = lines.text(self.objects, self.objects + self.height)
        attributes = lines.text(self.attributes, self.attributes + self.width)
        return not all(map(str.strip, objects + attributes))

    @property
    def height(self) -> int:
        return self.head.height

    @property
    def width(self) -> int:
        return self.head.width


def layout_of(lines: Lines, source: Source) -> Layout:
    """The reading that fits the number of lines best."""
    kind = lines.line(0).strip() if lines.total else ""
    if kind not in ("B", "A"):
        raise source.wrong(f"line 1 is {shown(kind)}, not B, as Burmeister's format starts; is it another format?", 1)
    heads = list(_heads(lines, named=kind == "B"))
    if not heads:
        where = "line 2 or 3" if kind == "B" else "line 2"
        raise source.wrong(f"the number of objects and, below it, that of attributes are missing on {where}", 2)
    fits = [layout for head in heads for layout in _fits(lines, head)]
    sure = [layout for layout in fits if not layout.doubtful]
    likely = [layout for layout in sure if _row_like(lines, layout)]
    if likely:
        _refuse_if_ambiguous(lines, source, likely)
        return likely[0]
    if sure:
        return sure[0]  # Its rows will tell on which line they go wrong.
    raise _doubt(source, fits[0].head) if fits else _counts_differ(lines, source, heads[0])


def _refuse_if_ambiguous(lines: Lines, source: Source, likely: list[Layout]) -> None:
    """Of several readings the canonical one is right, or the only one without empty names; else nobody knows."""
    best = likely[0]
    others = [other for other in likely[1:] if other.places != best.places]
    if best.canonical or not others:
        return
    if best.blank_names(lines) or not all(other.blank_names(lines) for other in others):
        raise source.wrong(
            "some blank lines may be empty names or separators, and the table is another one for each; put a blank "
            f"line {best.head.start + 1} before the objects, and none between the names and the rows",
            best.head.start + 1,
        )


def _heads(lines: Lines, named: bool) -> Iterator[Head]:
    """Where the counts may be: with a name on line 2 first, as is canonical."""
    for first in (2, 1, 3) if named else (1, 2):
        height, width = _count(lines, first), _count(lines, first + 1)
        if height is None or width is None:
            continue
        titles = {number + 1: lines.line(number) for number in range(1, first) if not lines.blank(number)}
        if len(titles) > 1:
            continue
        remarks = [f"the name {shown(title)} on line {number} is not kept" for number, title in titles.items()]
        if named and first != 2:
            remarks.append("no line for a name" if first == 1 else "two lines before the counts")
        yield Head(first + 2, height, width, named, tuple(remarks))


def _count(lines: Lines, number: int) -> int | None:
    raw = lines.raw(number, number + 1).strip() if number < lines.total else b""
    return int(raw) if raw.isdigit() and len(raw) < 16 else None


def _fits(lines: Lines, head: Head) -> Iterator[Layout]:
    """The readings after the counts in which every line has a place, the canonical one first.

    Separators may stand before the objects (blank, or a comment), before the attributes and before the rows.
    """
    # Without names a comment is unheard of, and a row too many would be one.
    text = head.start < lines.total and not lines.blank(head.start)
    may = (0, 1) if head.named else (0,)
    for comment, second, third, without in sorted(product(may, may, may, (0, 1)), key=_canonical_first):
        if comment != (text and not without):
            continue
        objects = head.start + 1 - without
        attributes = objects + (head.height if head.named else 0) + second
        rows = attributes + (head.width if head.named else 0) + third
        end = rows + head.height if head.width else rows
        separators = [attributes - 1] * second + [rows - 1] * third
        if end > lines.total or lines.filled > end or not all(map(lines.blank, separators)):
            continue
        remarks = head.remarks + _separator_remarks(lines, head, comment, second, third, without)
        canonical = not (comment or second or third or without)
        layout = Layout(head, objects, attributes, rows, canonical, remarks)
        missed = bool(without and not text and head.counted[1])
        yield replace(layout, doubtful=head.named and (missed or _lacks_rows(lines, layout)))


def _lacks_rows(lines: Lines, layout: Layout) -> bool:
    """Whether the empty rows of a table without attributes are not all there, so that a blank name may be one."""
    missing = lines.total < layout.rows + layout.height
    return missing and layout.blank_names(lines)


def _canonical_first(separators: tuple[int, ...]) -> tuple[int, ...]:
    comment, second, third, without = separators
    return comment, second + third, third, without


def _separator_remarks(
    lines: Lines, head: Head, comment: int, second: int, third: int, without: int
) -> tuple[str, ...]:
    remarks = []
    if comment:
        remarks.append(f"line {head.start + 1}, {shown(lines.line(head.start))}, is taken for a comment")
    elif head.named and without:
        remarks.append(f"no blank line {head.start + 1}")
    if second:
        remarks.append("a blank line between objects and attributes")
    if third:
        remarks.append("a blank line between attributes and rows")
    return tuple(remarks)


def _doubt(source: Source, head: Head) -> FormatError:
    """A blank line where none is counted may be an empty name, or the separator of a table that lacks a line."""
    what, needed = head.counted
    return source.wrong(
        f"{what} are {plural(needed, 'line')}; after the blank line {head.start + 1} there are {needed - 1}. Add the "
        "one that is missing, or, if the first name is meant to be empty, a blank line before it",
        head.start + 1,
    )


def _counts_differ(lines: Lines, source: Source, head: Head) -> FormatError:
    what, needed = head.counted
    blank = head.start < lines.total and lines.blank(head.start)
    there = max(0, lines.filled - head.start - blank)
    return source.wrong(
        f"{what} are {plural(needed, 'line')}; after line {head.start + blank} there are {there}. Is a line missing, "
        "is a name broken over two lines, or are the counts wrong?",
        head.start,
    )


def _row_like(lines: Lines, layout: Layout) -> bool:
    """Whether the first and the last row look like rows."""
    ends = {layout.rows, layout.rows + layout.height - 1} if layout.height and layout.width else set()
    raws = [lines.raw(number, number + 1).strip() for number in sorted(ends)]
    return all(len(raw) == layout.width and not raw.translate(None, CROSS + NONE + UNKNOWN) for raw in raws)
