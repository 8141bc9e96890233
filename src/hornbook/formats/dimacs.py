"""Named DIMACS: a CNF whose comments `c 7 some name` name the variables; as a theory where it is Horn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hornbook.errors import FormatError
from hornbook.formats.drafts import statements
from hornbook.formats.horn import Clause, clauses_of, theory_of
from hornbook.formats.text import cut, decode, encode, plural, shown
from hornbook.formats.values import NamedFormula, NamedTheory, Reading, Value
from hornbook.universe import Universe

MOST_VARIABLES = 5_000_000

_NAME = re.compile(r"c\s+(?:varname\s+)?([0-9]{1,12})(\$?)\s+(\S.*)")
_LITERAL = re.compile(r"[+-]?[0-9]{1,12}")
_NUMBERS = re.compile(r"[0-9 \t+-]*")
_BLANK = re.compile(r"[ \t]")
_PART = 1 << 16


@dataclass(slots=True)
class _Draft:
    """A formula in the making."""

    names: dict[int, tuple[str, int]] = field(default_factory=dict)  # with the line that says so
    clauses: list[Clause] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    header: tuple[int, int] | None = None
    largest: int = 0
    generated: int = 0
    notes: list[str] = field(default_factory=list)


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The formula in a DIMACS file; the theory where as_ says so and it is Horn."""
    text, notes = decode(data)
    draft = _Draft()
    number = 0
    try:
        for number, line in enumerate(text.split("\n"), 1):
            if line.startswith("%"):
                break  # the files of SATLIB end so, with a 0 behind it that is no clause
            _read_line(draft, line, number)
        if draft.open:
            raise FormatError("the last clause does not end with 0; add it, or fetch the file again if it is cut off")
        if draft.header is None and not draft.clauses:
            raise FormatError("there is nothing in this file; a CNF has a line `p cnf VARIABLES CLAUSES`, and clauses")
    except FormatError as error:
        error.line = error.line or number
        raise
    formula = NamedFormula(_universe(draft), tuple(draft.clauses), tuple(draft.lines))
    notes = [_counted(formula), *notes, *_header_notes(draft), *draft.notes]
    if draft.generated:
        notes.append(f"{plural(draft.generated, 'variable')} marked $ (generated) kept like all others")
    if as_ == "theory":
        return Reading(theory_of(formula), "dimacs", tuple(notes))
    return Reading(formula, "dimacs", tuple(notes))


def write(value: Value) -> bytes:
    """The formula, or the theory as Horn clauses, with a name for each variable."""
    universe, clauses = _content(value)
    for name in universe:
        if not name or name != name.strip() or "\n" in name or "\r" in name or "\0" in name:
            raise FormatError(
                f"{shown(name)} cannot stand in a DIMACS file, where a name is the rest of a line; rename it, "
                "or write .imp or .json"
            )
    lines = [f"c {variable} {name}" for variable, name in enumerate(universe, 1)]
    lines.append(f"p cnf {universe.size} {len(clauses)}")
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return encode("\n".join(lines) + "\n")


def losses(value: Value) -> list[str]:
    """What clauses do not keep of a theory: which of them were one implication, and comments."""
    if not isinstance(value, NamedTheory):
        return []
    remarks = []
    conclusions = [conclusion for _, conclusion, _ in statements(value) if conclusion is not None]
    wide = sum(1 for conclusion in conclusions if conclusion.bit_count() > 1)
    if wide:
        remarks.append(f"{plural(wide, 'implication')} with several conclusions written as a clause for each")
    empty = conclusions.count(0)
    if empty:
        remarks.append(f"{plural(empty, 'implication')} with nothing to add left out")
    if any(value.comments):
        remarks.append("comments left out")
    return remarks


def _content(value: Value) -> tuple[Universe, Sequence[Clause]]:
    if isinstance(value, NamedFormula):
        return value.universe, value.clauses
    if isinstance(value, NamedTheory):
        return value.universe, clauses_of(value)
    raise FormatError(f"a {type(value).__name__} is no formula; `hornbook basis` makes a theory of a table")


def _read_line(draft: _Draft, line: str, number: int) -> None:
    if line.startswith("c") and not line[1:2].strip():
        _read_comment(draft, line, number)
    elif line.startswith("p"):
        _read_header(draft, line)
    elif not _NUMBERS.fullmatch(line):
        raise _no_literal(line)
    else:
        try:
            for part in _parts(line):
                _read_literals(draft, part, number)
        except ValueError:
            raise _no_literal(line) from None


def _parts(line: str) -> Iterator[str]:
    """The line, cut at blanks, so that no more than some of its words are in memory at once."""
    done = 0
    while len(line) - done > _PART and (found := _BLANK.search(line, done + _PART)):
        yield line[done : found.start()]
        done = found.end()
    yield line[done:]


def _read_literals(draft: _Draft, line: str, number: int) -> None:
    literals = list(map(int, line.split()))
    if not literals:
        return
    largest = max(*literals, -min(literals))
    if largest > draft.largest:
        _check_size(largest)
        draft.largest = largest
    if not draft.open and literals[-1] == 0 and literals.count(0) == 1:
        draft.clauses.append(tuple(literals[:-1]))
        draft.lines.append(number)
        return
    for literal in literals:
        if len(draft.lines) == len(draft.clauses):
            draft.lines.append(number)
        if literal:
            draft.open.append(literal)
        else:
            draft.clauses.append(tuple(draft.open))
            draft.open = []


def _no_literal(line: str) -> FormatError:
    odd = next((word for word in line.split() if not _LITERAL.fullmatch(word)), line)
    return FormatError(
        f"{shown(odd)} is no literal; a clause is numbers up to 0, a comment begins with c", column=line.find(odd) + 1
    )


def _read_comment(draft: _Draft, line: str, number: int) -> None:
    words = line.split(None, 3)
    if words[1:3] == ["p", "show"] or words[1:2] == ["ind"]:
        kind = "c ind" if words[1] == "ind" else "c p show"
        note = f"`{kind}` names the variables that matter; all are kept"
        if note not in draft.notes:
            draft.notes.append(note)
        return
    naming = _NAME.fullmatch(line)
    if naming is None or int(naming[1]) == 0:
        return
    variable, name = int(naming[1]), naming[3].rstrip()
    known = draft.names.setdefault(variable, (name, number))
    if known[0] != name:
        raise FormatError(
            f"variable {variable} is called {shown(name)} here and {shown(known[0])} in line {known[1]}; keep one"
        )
    draft.generated += bool(naming[2]) and known[1] == number


def _read_header(draft: _Draft, line: str) -> None:
    words = line.split()
    if draft.header is not None:
        raise FormatError("a second `p` line; one file is one formula")
    if (
        words[:2] != ["p", "cnf"]
        or len(words) != 4
        or not all(re.fullmatch(r"[0-9]{1,12}", word) for word in words[2:])
    ):
        raise FormatError(f"{shown(line)} is not `p cnf VARIABLES CLAUSES`")
    variables, clauses = map(int, words[2:])
    _check_size(variables)
    draft.header = variables, clauses


def _check_size(variables: int) -> None:
    if variables > MOST_VARIABLES:
        raise FormatError(f"variable {cut(str(variables))}; at most {MOST_VARIABLES:,} can be read")


def _universe(draft: _Draft) -> Universe:
    """A name for each variable: the one that a comment gives, else its number."""
    size = max(draft.largest, draft.header[0] if draft.header else 0)
    beyond = [number for number in draft.names if number > size]
    if beyond:
        draft.notes.append(f"{plural(len(beyond), 'comment')} like a name for a variable that there is not passed over")
    first: dict[str, int] = {}
    for variable, (name, line) in draft.names.items():
        if variable <= size and first.setdefault(name, variable) != variable:
            other = draft.names[first[name]][1]
            raise FormatError(f"{shown(name)} names variable {first[name]} in line {other} too; rename one", line=line)
    names = []
    for variable in range(1, size + 1):
        if variable in draft.names:
            names.append(draft.names[variable][0])
            continue
        name = str(variable)
        while name in first:
            name = f"variable {name}"
        names.append(name)
    nameless = size - sum(1 for variable in draft.names if variable <= size)
    if 0 < nameless < size:
        variable = min(draft.names)
        draft.notes.append(
            f"{size - nameless:,} of {size:,} variables named by comments, {variable} is called "
            f"{shown(draft.names[variable][0])}; the others called by number"
        )
    elif nameless:
        draft.notes.append(f"{plural(nameless, 'variable')} without a name called by number")
    return Universe(tuple(names))


def _header_notes(draft: _Draft) -> list[str]:
    """Where the header and the clauses disagree."""
    if draft.header is None:
        return ["no `p cnf` line; variables counted from the clauses"]
    variables, clauses = draft.header
    notes = []
    if variables < draft.largest:
        notes.append(f"the header says {plural(variables, 'variable')}, a clause has {draft.largest:,}: kept")
    if clauses != len(draft.clauses):
        notes.append(f"the header says {plural(clauses, 'clause')}, there are {len(draft.clauses):,}: all kept")
    return notes


def _counted(formula: NamedFormula) -> str:
    heads = [sum(1 for literal in clause if literal > 0) for clause in formula.clauses]
    definite, negative = heads.count(1), heads.count(0)
    return (
        f"{plural(formula.universe.size, 'variable')}, {plural(len(heads), 'clause')}: {definite:,} definite, "
        f"{negative:,} negative, {len(heads) - definite - negative:,} not Horn"
    )
