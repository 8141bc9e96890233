"""Sources: from what a user names (a file, `exec:`, a function, a table) to an oracle and its names."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbook import facts
from hornbook.dialogue import Learner, run
from hornbook.errors import CannotAnswer, FormatError
from hornbook.oracles.known import KnownTheory, Policy, first
from hornbook.queries import Close, answers
from hornbook.routes import served
from hornbook.theory import Theory
from hornbook.universe import Attrs, Universe

if TYPE_CHECKING:
    from hornbook.formats.values import BinaryTable, NamedFormula, Relation, Value

PYTHON = ("python:", "python-bits:")
PROGRAM = ("command:", "exec:")
TRANSCRIPT = "transcript:"
_SOURCES = f"it is a file, or {', '.join([*PYTHON, *PROGRAM])} or {TRANSCRIPT} and what to ask"


@dataclass(frozen=True, slots=True)
class Target:
    """An oracle, the names of its attributes, and what to call it in results and transcripts.

    `definite`: the set of all attributes is known to be a model. `theory`: the implications, where they lie open.
    `digest` tells what it holds, and how that was read, where it holds anything; it takes a while, so it is made late.
    `horn_gap`, of a formula alone: two models whose intersection is none, or None where the formula is Horn.
    `mined`: its basis takes no queries, see `basis_of`. `notes` say in a line each what a reader of files understood.
    """

    oracle: object
    universe: Universe
    name: str
    definite: bool = False
    theory: Theory | None = None
    digest: Callable[[], str] | None = None
    horn_gap: Callable[[], tuple[Attrs, Attrs] | None] | None = None
    mined: bool = False
    notes: tuple[str, ...] = ()

    def close(self, attrs: Attrs) -> Attrs | None:
        """The closure of attrs, or None for a contradictory set."""

        def ask() -> Learner[Attrs | None]:
            closed: Attrs | None = yield Close(attrs)
            return closed

        return run(served(ask(), self.oracle, self.universe.size), self.oracle)


@dataclass(frozen=True, slots=True)
class Settings:
    """How an oracle is to work, where it can choose."""

    as_: str | None = None
    attributes: Sequence[str] | None = None
    policy: Policy = first
    timeout: float | None = 60.0
    workers: int = 1


@contextmanager
def opened(source: object, settings: Settings | None = None) -> Iterator[Target]:
    """The target that the source names; whatever it holds, programs above all, is let go at the end.

    A target is itself, and whoever opened it closes it.
    """
    if isinstance(source, Target):
        yield source
        return
    chosen = Settings() if settings is None else settings
    with ExitStack() as stack:
        target = _target(source, chosen)
        close = getattr(target.oracle, "close", None)
        if callable(close):
            stack.callback(close)
        yield target


def _target(source: object, settings: Settings) -> Target:
    if isinstance(source, str | Path):
        return _named(str(source), settings)
    if isinstance(source, Theory):
        names = settings.attributes
        universe = Universe.numbered(source.size) if names is None else Universe.of(names)
        return _known(universe, source, "theory", settings)
    if answers(source):
        held = None if not isinstance(source, KnownTheory) else partial(facts.digest, source.theory)
        gap = getattr(source, "horn_gap", None)
        return Target(source, _universe(source, settings), type(source).__name__, digest=held, horn_gap=gap)
    if callable(source):
        from hornbook.oracles.function import Function

        if settings.attributes is None:
            raise FormatError("which attributes does the function know? Say attributes=[...]")
        universe = Universe.of(settings.attributes)
        return Target(Function(source, universe), universe, _called(source))
    return _holding(_as_value(source, settings), type(source).__name__, settings)


def _named(source: str, settings: Settings) -> Target:
    """The target of a source in words."""
    if source.startswith(PYTHON):
        from hornbook.oracles.function import function_oracle

        function = function_oracle(source, settings.attributes)
        return Target(function, function.universe, source)
    if source.startswith(PROGRAM):
        return _program(source, settings)
    if source.startswith(TRANSCRIPT):
        from hornbook.oracles.replay import replay

        oracle = replay(Path(source.removeprefix(TRANSCRIPT)))
        return Target(oracle, oracle.universe, source, definite=oracle.definite)
    from hornbook import formats

    if not source:
        raise FormatError(f"no source is named; {_SOURCES}")
    if re.match(r"[\w-]+:", source) and not Path(source).exists():
        raise FormatError(f"there is no file {source}, and no such kind of source; {_SOURCES}")
    if source.endswith(".py"):
        path = Path(source)
        where = "" if path.parent == Path() else f", in the folder {path.parent}"
        raise FormatError(f"{source} is a program; name a function in it: python:{path.stem}:FUNCTION{where}")
    if settings.attributes is not None:
        raise FormatError(f"{source} says itself which attributes there are; leave out attributes (--attributes)")
    reading = formats.read(source, as_=settings.as_)
    return replace(_holding(reading.value, source, settings), notes=tuple(reading.notes))


def _program(source: str, settings: Settings) -> Target:
    from hornbook.oracles.command import Command, Exec

    kind, _, words = source.partition(":")
    try:
        argv = shlex.split(words)
    except ValueError as error:
        raise FormatError(f"{source!r} is no command line: {error}") from error
    if not argv:
        raise FormatError(f"{source!r} names no program; write {kind}:PROGRAM ARGS")
    make: Any = Command if kind == "command" else Exec
    choices: dict[str, Any] = {"timeout": settings.timeout, "workers": settings.workers}
    if settings.attributes is None:
        oracle = make.found(argv, **choices)
    else:
        oracle = make(argv, Universe.of(settings.attributes), **choices)
    return Target(oracle, oracle.universe, source)


def _holding(value: Value, name: str, settings: Settings) -> Target:
    """The target that a file's value is."""
    from hornbook.formats import values

    if isinstance(value, values.NamedTheory):
        return _known(value.universe, value.theory, name, settings)
    held = partial(_digest, value)
    if isinstance(value, values.BinaryTable):
        from hornbook.oracles.table import Table

        return Target(Table(value), value.universe, name, definite=True, digest=held, mined=True)
    if isinstance(value, values.NamedFormula):
        from hornbook.oracles.formula import formula_oracle

        oracle = formula_oracle(value)
        # One of Horn clauses alone became a theory.
        gap = getattr(oracle, "horn_gap", lambda: None)
        return Target(oracle, value.universe, name, digest=held, horn_gap=gap)
    from hornbook.oracles.relation import Dependencies

    return Target(Dependencies(value), value.universe, name, definite=True, digest=held, mined=True)


def _known(universe: Universe, theory: Theory, name: str, settings: Settings) -> Target:
    _fits(universe, theory)
    held = partial(facts.digest, theory)
    return Target(KnownTheory(theory, settings.policy), universe, name, theory.top, theory, held)


def _fits(universe: Universe, theory: Theory) -> None:
    if universe.size != theory.size:
        raise FormatError(f"{universe.size} attributes are named, and the theory is over {theory.size}; name each once")


def _universe(oracle: object, settings: Settings) -> Universe:
    if settings.attributes is not None:
        named = Universe.of(settings.attributes)
        if isinstance(oracle, KnownTheory):
            _fits(named, oracle.theory)
        return named
    universe = getattr(oracle, "universe", None)
    if isinstance(universe, Universe):
        return universe
    if isinstance(oracle, KnownTheory):
        return Universe.numbered(oracle.theory.size)
    raise FormatError(f"which attributes does {type(oracle).__name__} know? Say attributes=[...]")


def _as_value(source: object, settings: Settings) -> Value:
    """A value of the formats as it is; anything else is taken for a table, like a DataFrame."""
    from hornbook.formats import values

    if isinstance(source, values.NamedTheory | values.BinaryTable | values.NamedFormula | values.Relation):
        return source
    from hornbook.formats.duck import relation_from, table_from

    if settings.as_ == "relation":
        return relation_from(source)
    try:
        return table_from(source)
    except FormatError as error:
        if "relation" in error.problem:
            error.add_note('in Python, a relation is what settings=hornbook.Settings(as_="relation") makes of it')
        raise


def _called(function: Callable[..., Any]) -> str:
    """What a function goes by: its module and name, and its place in the file where the name is not its own."""
    name = getattr(function, "__qualname__", type(function).__name__)
    named = f"{getattr(function, '__module__', None) or '?'}.{name}"
    code = getattr(function, "__code__", None)
    if code is None or "<lambda>" not in name:
        return named
    columns = [column for _, _, column, _ in code.co_positions() if column]  # Two may stand in a line.
    return f"{named} in line {code.co_firstlineno}, column {min(columns, default=0)}"


def _digest(value: BinaryTable | NamedFormula | Relation) -> str:
    """A fingerprint of what the value holds, different for different kinds of value."""
    from hornbook.formats import values

    if isinstance(value, values.BinaryTable):
        held = [value.crosses.tobytes(), b"" if value.unknown is None else value.unknown.tobytes()]
    elif isinstance(value, values.NamedFormula):
        held = [repr(value.clauses).encode()]
    else:
        held = [value.codes.tobytes()]
    return hashlib.sha256(b" ".join([type(value).__name__.encode(), *held])).hexdigest()[:24]


def basis_of(value: Value, name: str = "") -> tuple[Universe, Theory]:
    """The canonical basis of what a file holds, without queries: a theory's, a table's, a relation's."""
    from hornbook.formats import values

    if isinstance(value, values.NamedTheory):
        return value.universe, value.theory.canonical()
    if isinstance(value, values.NamedFormula):
        raise CannotAnswer(
            f"{name or 'this'} is a formula: `hornbook learn {name}` finds its Horn envelope by queries; "
            "one that is Horn already can be read with --as theory"
        )
    from hornbook.chaining import Rule
    from hornbook.lectic import pseudo_closed_sets

    target = _holding(value, name, Settings())
    closure: Callable[[Attrs], Attrs] = target.oracle.closure  # type: ignore[attr-defined]
    rules: Iterable[Rule] = pseudo_closed_sets(value.universe.size, closure)
    return value.universe, Theory.of(value.universe.size, rules).in_order()
