"""A Python function as an oracle, on names or on bits."""

from __future__ import annotations

import difflib
import importlib
import operator
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hornbook.errors import CannotAnswer, FormatError
from hornbook.oracles.protocol import attrs_named, refused, shown, superset
from hornbook.universe import Attrs, Universe

NAMES, BITS = "python:", "python-bits:"


@dataclass(frozen=True, slots=True)
class Function:
    """An oracle that calls a function for each closure.

    The function gets a list of names, in universe order, and returns an iterable of names; with bits it gets and
    returns an int. None says that no model contains the set.
    """

    function: Callable[[Any], Any]
    universe: Universe
    bits: bool = False

    def closure(self, attrs: Attrs) -> Attrs | None:
        try:
            answer = self.function(attrs if self.bits else self.universe.names_in(attrs))
        except BaseException as error:
            if not _its_own(error):
                raise
            raise self._failed(attrs, error) from error
        if answer is None:
            return None
        try:
            return self._bits(attrs, answer) if self.bits else self._names(attrs, answer)
        except FormatError as error:
            raise refused(self._name, self._shown(attrs), _short(answer), str(error)) from error
        except BaseException as error:  # A generator fails only when it is asked for its names.
            if not _its_own(error):
                raise
            raise self._failed(attrs, error) from error

    def _failed(self, attrs: Attrs, error: BaseException) -> CannotAnswer:
        return CannotAnswer(f"{self._name} fails on {self._shown(attrs)}: {type(error).__name__}: {_said(str, error)}")

    def _names(self, asked: Attrs, answer: Any) -> Attrs:
        if isinstance(answer, str | bytes):
            raise FormatError(f"that is one {type(answer).__name__}; return a list of names, as in {_split(answer)}")
        if not isinstance(answer, Iterable):
            raise FormatError(f"a {type(answer).__name__} is no list of names{_bits_hint(answer)}")
        return attrs_named(self.universe, asked, answer)

    def _bits(self, asked: Attrs, answer: Any) -> Attrs:
        if isinstance(answer, bool) or not hasattr(answer, "__index__"):
            raise FormatError(f"a {type(answer).__name__} is no set of bits; return an int")
        answered = operator.index(answer)
        if answered < 0 or answered >> self.universe.size:
            raise FormatError(f"there are {self.universe.size} attributes, so it must be below 2**{self.universe.size}")
        return superset(self.universe, asked, answered)

    @property
    def _name(self) -> str:
        return f"{getattr(self.function, '__qualname__', type(self.function).__name__)}()"

    def _shown(self, attrs: Attrs) -> str:
        return f"{attrs:#b} ({shown(self.universe, attrs)})" if self.bits else shown(self.universe, attrs)


def function_oracle(source: str, attributes: Iterable[str] | None = None) -> Function:
    """The oracle that `python:module:function` or `python-bits:module:function` names.

    The module is looked for in the current folder too. Without attributes it must define ATTRIBUTES.
    """
    bits = source.startswith(BITS)
    module_name, _, path = source.removeprefix(BITS if bits else NAMES).partition(":")
    if not source.startswith((NAMES, BITS)) or not module_name or not path:
        raise FormatError(f"{source!r} is no function; write python:module:function or python-bits:module:function")
    module = _imported(module_name)
    function = _found(module, path)
    names = getattr(module, "ATTRIBUTES", None) if attributes is None else attributes
    if names is None:
        raise FormatError(
            f"which attributes does {path} know? Say --attributes a,b,c or define ATTRIBUTES = [...] in {module_name}"
        )
    if not isinstance(names, Iterable):
        raise FormatError(f"ATTRIBUTES in {module_name} is a {type(names).__name__}; make it a list of names")
    return Function(function, Universe.of(names), bits)


def _imported(name: str) -> ModuleType:
    """The module of this name, from the current folder if it is there."""
    if "/" in name or name.startswith("."):
        raise FormatError(_missing(name))
    folder = str(Path.cwd())
    here = _is_here(name.partition(".")[0])
    # First only while importing: a file of the user must win over a namesake, not replace it for everybody.
    sys.path.insert(0 if here else len(sys.path), folder)
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _broken(name, error) from error
        raise FormatError(_missing(name)) from error
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def _is_here(name: str) -> bool:
    return Path(f"{name}.py").is_file() or Path(name).is_dir()


def _missing(name: str) -> str:
    if name.endswith(".py") or "/" in name:
        file = Path(name.removesuffix(".py")).resolve()
        if file.is_relative_to(Path.cwd()):
            return f"{name!r} is a file, not a module; write {'.'.join(file.relative_to(Path.cwd()).parts)}"
        return f"{name!r} is a file, not a module; write {file.name}, in the folder {file.parent}"
    names = sorted(path.stem for path in Path.cwd().glob("*.py"))
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"there is no module {name!r}, neither in the folder {Path.cwd()} nor installed{hint}"


def _broken(name: str, error: BaseException) -> FormatError:
    return FormatError(f"the module {name!r} cannot be imported: {type(error).__name__}: {error}")


def _found(module: ModuleType, path: str) -> Callable[[Any], Any]:
    """The function at a path of attributes, as in `function` or `Class.method`."""
    value: Any = module
    for part in path.split("."):
        if not hasattr(value, part):
            known = [name for name, what in vars(value).items() if callable(what)] if hasattr(value, "__dict__") else []
            near = difflib.get_close_matches(part, known, n=3) or known[:5]
            hint = f"; there is {', '.join(near)}" if near else ""
            raise FormatError(f"{module.__name__} has no function {path!r}{hint}")
        value = getattr(value, part)
    if not callable(value):
        raise FormatError(f"{path} in {module.__name__} is a {type(value).__name__}; a function is wanted")
    function: Callable[[Any], Any] = value
    return function


def _its_own(error: BaseException) -> bool:
    """Whether the function failed so. Its exit is not ours; but what handlers of signals raise in it is."""
    from asyncio import CancelledError

    return isinstance(error, Exception | SystemExit | GeneratorExit | CancelledError)


def _said(how: Callable[[object], str], what: object) -> str:
    """Its text, or where it has none what it is."""
    try:
        return how(what)
    except Exception as error:
        return f"<a {type(what).__name__} that cannot be shown: {type(error).__name__}>"


def _short(answer: object) -> str:
    text = _said(repr, answer)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _split(answer: str | bytes) -> str:
    return repr((answer if isinstance(answer, str) else answer.decode("utf-8", "replace")).split()[:4])


def _bits_hint(answer: object) -> str:
    return "; for a function on ints say python-bits:, or bits=True" if isinstance(answer, int) else ""
