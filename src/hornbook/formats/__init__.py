"""Files in and out: which format a file has, told by its ending, its looks or `as_`, and the module that knows it.

A format is one row of FORMATS and one module, imported when it is first needed, with some of these functions:

    read(data: bytes, source: str, as_: str | None) -> Reading      source is for messages
    read_path(path: Path, as_: str | None) -> Reading               wins over read, for what need not be in memory
    write(value: Value) -> bytes
    write_path(value: Value, path: Path) -> None                    wins over write
    losses(value: Value) -> list[str]                               what this format does not keep of the value

In a module of several formats `read_tsv` wins over `read`, and so on, for the format called tsv. Readers raise
FormatError and nothing else; the file's name is put in here where it is missing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbook.errors import FormatError
from hornbook.formats.files import given_out, located, opened, pack, readable, replace, taken_in, unpack, unpacked

if TYPE_CHECKING:
    from hornbook.formats.values import Reading, Value

KINDS = ("theory", "table", "formula", "relation")
EXTRAS = {"duckdb": "tables", "pyarrow": "tables", "pandas": "tables", "polars": "tables"}


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what a file of it may hold, first what it holds if nobody says otherwise, and what it can keep."""

    name: str
    endings: tuple[str, ...]
    module: str
    what: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    text: bool = True

    def function(self, verb: str) -> Callable[..., Any] | None:
        """The module's function of this name for this format, if it has one."""
        try:
            module = importlib.import_module(f"hornbook.formats.{self.module}")
        except ModuleNotFoundError as missing:
            raise _not_installed(self, missing) from missing
        special: Callable[..., Any] | None = getattr(module, f"{verb}_{self.name.replace('-', '_')}", None)
        return special or getattr(module, verb, None)


_HORN = ("theory", "formula")
_ROWS = ("table", "relation")

FORMATS: tuple[Format, ...] = (
    Format("imp", (".imp",), "imp", "implications, `a b -> c` a line", ("theory",), _HORN),
    Format("json", (".json",), "json_theory", "implications or a result as JSON", ("theory",), _HORN),
    Format("conexp", (), "conexp", "implications as conexp-clj's JSON", ("theory",), _HORN),
    Format("fcar", (), "fcar", "implications as fcaR's text, `a,b -> c`", ("theory",), _HORN),
    Format("fcar-json", (), "fcar", "implications as fcaR's JSON", ("theory",), _HORN),
    Format("java-lattices", (), "lattices", "implications of java-lattices and GALACTIC", ("theory",), _HORN),
    Format("text", (".txt",), "foreign", "implications in any text dialect known here", ("theory",)),
    Format("metanome", ("_fds", ".json"), "dependencies", "functional dependencies, Metanome's results", ("theory",)),
    Format("desbordante", (), "dependencies", "functional dependencies, `[A B] -> C`", ("theory",)),
    Format("datalog", (".pl", ".dl"), "datalog", "propositional rules, `c :- a, b.`", ("theory",), _HORN),
    Format("latex", (".tex",), "latex", "implications for a paper", (), _HORN),
    Format("dimacs", (".dimacs", ".cnf"), "dimacs", "a CNF with names", ("formula", "theory"), ("formula", "theory")),
    Format("uvl", (".uvl",), "uvl", "a feature model", ("formula", "theory")),
    Format("cxt", (".cxt",), "cxt", "a table of crosses, Burmeister's format", ("table",), ("table",)),
    Format("dat", (".dat",), "fimi", "a table of crosses, FIMI transactions", ("table",), ("table",)),
    Format("csv", (".csv",), "tabular", "a table, comma or whatever separated", _ROWS, _ROWS),
    Format("tsv", (".tsv",), "tabular", "a table, tab separated", _ROWS, _ROWS),
    Format("json-table", (".json",), "json_tables", "a table of crosses as JSON", ("table",), ("table",)),
    Format("json-rows", (".json", ".jsonl", ".ndjson"), "duck", "a table as JSON records", _ROWS, ()),
    Format("parquet", (".parquet", ".pq"), "duck", "a table as Parquet", _ROWS, _ROWS, text=False),
    Format("sqlite", (".sqlite", ".sqlite3", ".db"), "duck", "a table of a SQLite file", _ROWS, (), text=False),
    Format("arrow", (".arrow", ".feather", ".ipc"), "duck", "a table as Arrow", _ROWS, (), text=False),
)


def named(name: str) -> Format:
    """The format of this name."""
    for row in FORMATS:
        if row.name == name:
            return row
    raise FormatError(f"there is no format {name!r}; there are {', '.join(row.name for row in FORMATS)}")


def kind_of(value: Value) -> str:
    """Which of KINDS the value is."""
    from hornbook.formats import values

    kinds = (values.NamedTheory, values.BinaryTable, values.NamedFormula, values.Relation)
    for kind, type_ in zip(KINDS, kinds, strict=True):
        if isinstance(value, type_):
            return kind
    raise FormatError(f"{type(value).__name__} is nothing that files hold")


# Reading

_TRANSCRIPT = b'{"hornbook": "transcript/'


def read(path: str | Path, *, as_: str | None = None) -> Reading:
    """What the file holds. `-` is standard input, a theory unless as_ says otherwise."""
    if as_ is not None and as_ not in KINDS:
        raise FormatError(f"--as {as_}: there is no such kind; say {', '.join(KINDS)}")
    if str(path) == "-":
        data = taken_in()
        with located("standard input"):
            return _read_bytes(data, "standard input", _by_looks(FORMATS, data, as_ or "theory"), as_)
    path, source = Path(path), str(path)
    with located(source):
        readable(path)  # Else a missing file would be said to lack an ending.
        name, packed = unpacked(path.name)
        rows = _rows_of(name, as_, source)
        if len(rows) == 1 and not packed and (read_path := rows[0].function("read_path")) is not None:
            _no_transcript(path, source)
            whole: Reading = read_path(path, as_)
            return whole
        with opened(path) as file:
            data = unpack(file.read(), packed)
        if len(rows) == 1:
            return _read_bytes(data, source, rows[0], as_, path)
        return _read_bytes(data, source, _by_looks(rows or FORMATS, data, as_), as_, path)


def _no_transcript(path: Path, source: str) -> None:
    """Raises where the records of a file are those of a run, which would pass for a table."""
    with opened(path) as file:
        if file.read(len(_TRANSCRIPT)) == _TRANSCRIPT:
            raise FormatError(f"is a transcript: `hornbook show {source}`, or learn from it as transcript:{source}")


def _rows_of(name: str, as_: str | None, source: str) -> list[Format]:
    """The formats that a file of this name may have; none where its looks must tell."""
    known = [row for row in FORMATS if row.reads and name.lower().endswith(row.endings)]
    fitting = [row for row in known if as_ is None or as_ in row.reads]
    if known and not fitting and known[0].name != "text":
        holds = known[0].reads[0]
        hint = f"`hornbook basis {source}` gives its implications" if as_ == "theory" else f"leave out --as {as_}"
        raise FormatError(f"a {Path(name).suffix} file holds a {holds} and cannot be read as a {as_}; {hint}")
    if not known and as_ is None:
        ending = Path(name).suffix
        says = f"the ending {ending} is not known" if ending else "it has no ending"
        raise FormatError(f"{says}, so its kind must be said: --as {'|'.join(KINDS)}")
    return [] if known and known[0].name == "text" else fitting


def _by_looks(rows: tuple[Format, ...] | list[Format], data: bytes, as_: str | None) -> Format:
    from hornbook.formats.looks import format_by_looks

    fitting = [row.name for row in rows if row.reads and (as_ is None or as_ in row.reads)]
    return named(format_by_looks(data, fitting, as_))


def _read_bytes(data: bytes, source: str, row: Format, as_: str | None, path: Path | None = None) -> Reading:
    reader = row.function("read")
    if reader is None:
        read_path = row.function("read_path")
        if read_path is None or path is None or unpacked(path.name)[1]:
            raise FormatError(f"{row.name} is read from a file only, and not packed; save and unpack it first")
        whole: Reading = read_path(path, as_)
        return whole
    reading: Reading = reader(data, source, as_)
    return reading


# Writing


def write(value: Value, path: str | Path, *, to: str | None = None) -> list[str]:
    """Puts the value into the file, whole or not at all; says what the format could not keep, one remark a line."""
    target = "standard output" if str(path) == "-" else str(path)
    with located(target):
        name, packed = unpacked(Path(path).name)
        row = _row_for(kind_of(value), name, to)
    value = _held(value, row)  # Not located: what is wrong with it is wrong where it is from.
    with located(target):
        write_path = row.function("write_path")
        if str(path) == "-":
            given_out(_written(value, row))
        elif write_path is None or packed:
            data = pack(_written(value, row), packed)
            replace(Path(path), lambda beside: beside.write_bytes(data))
        else:
            replace(Path(path), lambda beside: write_path(value, beside))
        losses = row.function("losses")
        return [] if losses is None else list(losses(value))


def dumps(value: Value, to: str) -> str:
    """The value as text in the format of this name."""
    row = _row_for(kind_of(value), "", to)
    if not row.text:
        raise FormatError(f"{to} is not text; write it to a file")
    return _written(_held(value, row), row).decode("utf-8")


def _held(value: Value, row: Format) -> Value:
    """The value as this format holds it: a formula becomes a theory where the format knows implications only."""
    if kind_of(value) != "formula" or "formula" in row.reads:
        return value
    from hornbook.formats.drafts import theory_in

    return theory_in(value)


def _row_for(kind: str, name: str, to: str | None) -> Format:
    if to is not None:
        row = named(to)
        if kind not in row.writes:
            can = ", ".join(other.name for other in FORMATS if kind in other.writes)
            raise FormatError(f"a {kind} cannot be written as {to}; it can as {can}")
        return row
    if name == "-":
        return next(row for row in FORMATS if kind in row.writes and kind in row.reads)
    told = _told(kind, name)
    if told is None:
        raise FormatError(f"the ending says no format; a {kind} is written to {_endings(kind)}, or name a format: --to")
    return told


def by_ending(kind: str, path: Path) -> str | None:
    """The name of the format that the ending of the path says for a value of this kind; None where it says none."""
    with located(str(path)):
        told = _told(kind, unpacked(path.name)[0])
    return None if told is None else told.name


def _told(kind: str, name: str) -> Format | None:
    known = [row for row in FORMATS if name.lower().endswith(row.endings)]
    for row in known:
        if kind in row.writes:
            return row
    if any(row.name != "text" for row in known):
        raise FormatError(f"no {kind} goes into a {Path(name).suffix} file; a {kind} is written to {_endings(kind)}")
    return None


def _endings(kind: str) -> str:
    return " ".join(dict.fromkeys(end for row in FORMATS if kind in row.writes for end in row.endings))


def _written(value: Value, row: Format) -> bytes:
    writer = row.function("write")
    if writer is None:
        raise FormatError(f"{row.name} is written to a file only, and not packed")
    data: bytes = writer(value)
    return data


def _not_installed(row: Format, missing: ModuleNotFoundError) -> Exception:
    extra = EXTRAS.get(missing.name or "")
    if extra is None:
        return missing
    return FormatError(f"{row.name} needs {missing.name}; pip install 'hornbook[{extra}]'")
