"""Functions as oracles: what they may return, what they may not, and how they are found by name."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hornbook.conformance import check_oracle
from hornbook.dialogue import run
from hornbook.errors import BadAnswer, CannotAnswer, FormatError
from hornbook.learners.exploration import explore
from hornbook.oracles.function import Function, function_oracle
from hornbook.routes import served
from hornbook.testing import every_theory
from hornbook.universe import Universe

ABC = Universe(("a", "b", "two words"))


def on_names(function: Callable[[Any], Any]) -> Function:
    return Function(function, ABC)


def test_every_theory_conforms_as_a_function_on_names_and_on_bits() -> None:
    for size in range(4):
        universe = Universe.numbered(size)
        for theory in every_theory(size):
            check_oracle(Function(theory.closure, universe, bits=True), size, theory)

            def close(names: list[str], theory: Any = theory, universe: Universe = universe) -> Iterator[str]:
                return iter(universe.names_in(theory.closure(universe.attrs(names))))

            oracle = Function(close, universe)
            check_oracle(oracle, size, theory)
            assert run(served(explore(size), oracle, size), oracle).in_order() == theory.canonical()


def test_names_come_in_universe_order_and_any_iterable_goes_back() -> None:
    asked = []

    def close(names: list[str]) -> set[str]:
        asked.append(list(names))
        names.append("a")  # The list is the function's own.
        return set(names)

    assert on_names(close).closure(0b110) == 0b111
    assert asked == [["b", "two words"]]
    assert on_names(dict.fromkeys).closure(0b101) == 0b101
    assert on_names(lambda names: (name for name in [*names, *names])).closure(0b1) == 0b1


def test_none_is_a_contradiction() -> None:
    oracle = Function(lambda x: None if x == 0b11 else x, Universe.numbered(2), bits=True)
    assert oracle.closure(0b11) is None
    assert on_names(lambda names: None).closure(0) is None
    check_oracle(oracle, 2)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("a b", r"one str; return a list of names, as in \['a', 'b'\]"),
        (b"a", "one bytes"),
        (7, "a int is no list of names; .*bits"),
        (["a", "c"], "unknown attribute 'c'"),
        (["a", 3], "3 is a int, not the name"),
        ([], "a is missing"),
        (["b"], "a is missing"),
    ],
)
def test_a_bad_answer_in_names_shows_question_answer_and_reason(answer: object, complaint: str) -> None:
    with pytest.raises(BadAnswer, match=complaint) as caught:
        on_names(lambda names: answer).closure(0b1)
    assert "`a`" in str(caught.value)
    assert repr(answer) in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (["a"], "a list is no set of bits"),
        (True, "a bool is no set of bits"),
        (1.0, "a float"),
        (-1, "below 2\\*\\*3"),
        (0b1001, "there are 3 attributes"),
        (0b010, "a is missing"),
    ],
)
def test_a_bad_answer_in_bits_is_named(answer: object, complaint: str) -> None:
    with pytest.raises(BadAnswer, match=complaint):
        Function(lambda x: answer, ABC, bits=True).closure(0b1)


def test_numbers_of_other_libraries_are_ints_too() -> None:
    import numpy as np

    closed = Function(lambda x: np.int64(x | 1), ABC, bits=True).closure(0b10)
    assert closed == 0b11 and type(closed) is int


def test_an_answer_without_end_is_cut() -> None:
    def close(names: list[str]) -> Iterator[str]:
        while True:
            yield "a"

    with pytest.raises(BadAnswer, match="no end"):
        on_names(close).closure(1)


class Unshown:
    """What neither repr() nor str() can show."""

    def __repr__(self) -> str:
        raise ValueError("no")

    __str__ = __repr__


def test_an_answer_that_cannot_be_shown_is_refused_all_the_same() -> None:
    for answer in (Unshown(), [Unshown()]):
        with pytest.raises((BadAnswer, CannotAnswer), match="Unshown|fails on .* ValueError: no"):
            on_names(lambda names, answer=answer: answer).closure(1)

    def close(names: list[str]) -> list[str]:
        raise type("Odd", (Unshown, Exception), {})

    with pytest.raises(CannotAnswer, match="Odd: <a Odd that cannot be shown: ValueError>"):
        on_names(close).closure(1)


@pytest.mark.parametrize("raised", [asyncio.CancelledError, GeneratorExit, SystemExit, StopIteration])
def test_whatever_the_function_raises_is_its_failure(raised: type[BaseException]) -> None:
    def close(names: list[str]) -> list[str]:
        raise raised

    def late(names: list[str]) -> Iterator[str]:
        yield "a"
        raise raised

    for function in (close, late):
        with pytest.raises(CannotAnswer, match="fails on `a`: ") as caught:
            on_names(function).closure(1)
        assert caught.value.__cause__ is not None


def test_what_ends_the_run_passes_through_the_function() -> None:
    class Alarm(BaseException):
        pass

    for raised in (KeyboardInterrupt, Alarm):

        def close(names: list[str], raised: type[BaseException] = raised) -> list[str]:
            raise raised

        with pytest.raises(raised):
            on_names(close).closure(1)


def test_what_the_function_raises_is_the_cause() -> None:
    def close(names: list[str]) -> list[str]:
        raise KeyError("x")

    with pytest.raises(CannotAnswer, match=r"close\(\) fails on `b \"two words\"`: KeyError") as caught:
        on_names(close).closure(0b110)
    assert isinstance(caught.value.__cause__, KeyError)

    def late(names: list[str]) -> Iterator[str]:
        yield "a"
        raise FormatErrorLike

    class FormatErrorLike(Exception):
        pass

    with pytest.raises(CannotAnswer, match="FormatErrorLike"):
        on_names(late).closure(0)


MODULE = """
ATTRIBUTES = ["rain", "wet"]

def close(names):
    return [*names, "wet"] if "rain" in names else names

def close_bits(x):
    return x | (x & 1) << 1

class Weather:
    @staticmethod
    def close(names):
        return names

version = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    modules, path = set(sys.modules), list(sys.path)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def test_a_function_is_found_in_the_current_folder(folder: Path) -> None:
    (folder / "weather_oracle.py").write_text(MODULE)
    for source in ("python:weather_oracle:close", "python-bits:weather_oracle:close_bits"):
        oracle = function_oracle(source)
        assert oracle.universe.names == ("rain", "wet")
        assert [oracle.closure(x) for x in range(4)] == [0, 3, 2, 3]
    assert function_oracle("python:weather_oracle:Weather.close").closure(1) == 1
    assert function_oracle("python:weather_oracle:close", ["wet", "rain", "x"]).universe.size == 3
    (folder / "deep").mkdir()
    (folder / "deep" / "oracle.py").write_text(MODULE)
    assert function_oracle("python:deep.oracle:close").closure(1) == 3


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("python:weather_oracle", "write python:module:function"),
        ("weather_oracle:close", "write python:module:function"),
        ("python:weather_oracel:close", "did you mean weather_oracle"),
        ("python:weather_oracle.py:close", "a file, not a module; write weather_oracle"),
        ("python:weather_oracle:closes", "no function 'closes'; there is close"),
        ("python:weather_oracle:version", "version in weather_oracle is a int"),
        ("python:broken:close", "'broken' cannot be imported: SyntaxError"),
        ("python:quits:close", "'quits' cannot be imported: SystemExit"),
        ("python:needs:close", "'needs' cannot be imported: ModuleNotFoundError: No module named 'nowhere_to_be'"),
        ("python:bare:close", "which attributes does close know"),
        ("python:odd:close", "ATTRIBUTES in odd is a int"),
        ("python:text:close", "not the one string"),
    ],
)
def test_a_source_that_is_wrong_says_what_is_wrong(folder: Path, source: str, complaint: str) -> None:
    (folder / "weather_oracle.py").write_text(MODULE)
    (folder / "broken.py").write_text("def close(:\n")
    (folder / "quits.py").write_text("raise SystemExit(1)\n")
    (folder / "needs.py").write_text("import nowhere_to_be\n")
    (folder / "bare.py").write_text("def close(x): return x\n")
    (folder / "odd.py").write_text("ATTRIBUTES = 3\ndef close(x): return x\n")
    (folder / "text.py").write_text("ATTRIBUTES = 'abc'\ndef close(x): return x\n")
    with pytest.raises(FormatError, match=complaint):
        function_oracle(source)


def test_the_example_says_the_same_on_names_and_on_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[1] / "examples" / "oracles")
    on_names = function_oracle("python:weather:closure")
    on_bits = function_oracle("python-bits:weather:closure_bits")
    assert on_names.universe == on_bits.universe
    assert [on_names.closure(x) for x in range(64)] == [on_bits.closure(x) for x in range(64)]
    rain_and_sun, snow = on_names.universe.attrs(["rain", "sun"]), on_names.universe.attrs(["snow"])
    assert on_names.universe.names_in(on_names.closure(rain_and_sun) or 0) == ["rain", "sun", "wet", "rainbow"]
    assert on_names.closure(rain_and_sun | snow) is None
    check_oracle(on_names, 6)


def test_the_example_prints_what_follows() -> None:
    example = Path(__file__).parents[1] / "examples" / "oracles" / "weather.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [
        "snow -> cold wet",
        "rain sun -> rainbow wet",
        "rainbow cold -> rain sun wet",
        "snow rainbow -> !",
    ]


def test_a_file_in_the_place_of_a_module_is_told_as_the_module_that_it_is(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.py").write_text("")
    for name, says in (
        ("./q.py", "write q"),
        ("q.py", "write q"),
        ("sub/q.py", "write sub.q"),
        (f"{tmp_path}/q", "write q"),
        ("../q.py", f"write q, in the folder {tmp_path.parent}"),
    ):
        with pytest.raises(FormatError, match=re.escape(f"is a file, not a module; {says}") + "$"):
            function_oracle(f"python:{name}:closure")
