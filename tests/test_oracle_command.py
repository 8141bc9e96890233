"""Programs as oracles: the line protocol, and programs that sleep, die, flood and print garbage."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hornbook.conformance import check_oracle
from hornbook.errors import BadAnswer, CannotAnswer, FormatError
from hornbook.oracles import child
from hornbook.oracles.command import Command, Exec
from hornbook.oracles.protocol import line_of, words
from hornbook.theory import Theory
from hornbook.universe import Universe

ABC = Universe(("a", "b", "c"))
THEORY = Theory.of(3, [(0b001, 0b011), (0b110, 0b111)])
CLOSE = """
def close(names):
    closed = set(names)
    while True:
        before = len(closed)
        if "a" in closed: closed.add("b")
        if {"b", "c"} <= closed: closed.add("a")
        if len(closed) == before: return sorted(closed)
"""
ANSWERS = CLOSE + "for line in sys.stdin: print(*close(line.split()), flush=True)\n"

Program = Callable[[str], list[str]]


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    yield
    with pytest.raises(ChildProcessError):  # Neither running nor a zombie.
        os.waitpid(-1, os.WNOHANG)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes a program of Python text; returns how to call it."""

    def write(text: str) -> list[str]:
        path = tmp_path / f"program{len(list(tmp_path.iterdir()))}.py"
        path.write_text("import os, sys, time\n" + textwrap.dedent(text))
        return [sys.executable, "-S", "-E", str(path)]

    return write


def test_a_process_that_answers_line_by_line_conforms(program: Program) -> None:
    with Command(program(ANSWERS), ABC) as oracle:
        check_oracle(oracle, 3, THEORY)


def test_one_process_answers_all_questions(program: Program) -> None:
    argv = program("for n, line in enumerate(sys.stdin): print('a' if n == 0 else 'a b', flush=True)")
    with Command(argv, ABC) as oracle:
        assert [oracle.closure(1), oracle.closure(1), oracle.closure(2)] == [1, 3, 3]


def test_a_program_called_for_each_query_conforms(program: Program) -> None:
    with Exec(program(CLOSE + "print(*close(sys.argv[1:]))"), ABC, workers=2) as oracle:
        check_oracle(oracle, 3, THEORY, samples=20)


def test_several_workers_answer_side_by_side_and_keep_the_order_of_a_batch(program: Program, tmp_path: Path) -> None:
    # Each answer waits until four questions are in flight: with fewer, none would ever come.
    waits = f"""
        def meet():
            open(os.path.join({str(tmp_path)!r}, f"{{os.getpid()}}.here"), "w").close()
            while sum(name.endswith(".here") for name in os.listdir({str(tmp_path)!r})) < 4: time.sleep(0.01)
        """
    argv = program(
        textwrap.dedent(waits) + CLOSE + "for line in sys.stdin: meet(); print(*close(line.split()), flush=True)"
    )
    sets = [n % 8 for n in range(40)]
    with Command(argv, ABC, workers=4, timeout=30) as oracle:
        assert oracle.closures(sets) == THEORY.closures(sets)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_batch_that_fails_hands_over_what_was_answered(program: Program, workers: int) -> None:
    argv = program(
        """
        for line in sys.stdin:
            if line == "a b\\n": time.sleep(60)
            print(line, end="", flush=True)
        """
    )
    with (
        Command(argv, ABC, timeout=0.5, workers=workers) as oracle,
        pytest.raises(CannotAnswer, match="not answered `a b`") as caught,
    ):
        oracle.closures([0, 4, 1, 3, *[2] * (workers - 1)])
    assert caught.value.answered == [(0, 0), (4, 4), (1, 1), *[(2, 2)] * (workers - 1)]  # type: ignore[attr-defined]


def test_an_interrupted_batch_hands_over_what_was_answered(program: Program) -> None:
    argv = program(
        """
        for line in sys.stdin:
            if line == "a b\\n":
                time.sleep(0.5)
                os.kill(os.getppid(), 2)
                time.sleep(60)
            print(line, end="", flush=True)
        """
    )
    with Command(argv, ABC, workers=2) as oracle, pytest.raises(KeyboardInterrupt) as caught:
        oracle.closures([0, 3, 4, 3, 1])
    assert caught.value.answered == [(0, 0), (4, 4)]  # type: ignore[attr-defined]


def test_what_a_failed_batch_has_not_asked_yet_is_never_asked(program: Program, tmp_path: Path) -> None:
    log = tmp_path / "asked"
    argv = program(
        f"""
        open({str(log)!r}, "a").write(" ".join(sys.argv[1:]) + "\\n")
        if sys.argv[1:] == ["a"]: time.sleep(60)
        print(*sys.argv[1:] if len(sys.argv) < 4 else ["nonsense"])
        """
    )
    # The second fails while the first still hangs; the others must not wait for that, nor be asked.
    with Exec(argv, ABC, workers=2) as oracle, pytest.raises(BadAnswer, match="nonsense") as caught:
        oracle.closures([1, 7, *[2] * 100])
    assert len(log.read_text().splitlines()) < 20
    assert {attrs for attrs, _ in caught.value.answered} <= {2}  # type: ignore[attr-defined]


NAMES = ("two words", 'quo"te', "back\\slash", "ä->ö", "#", "!", "->", "a", "", "tab\t")


def test_names_of_all_kinds_survive_both_ways(program: Program) -> None:
    universe = Universe(NAMES)
    for attrs in range(1 << len(NAMES)):
        assert universe.attrs(words(line_of(universe, attrs))) == attrs
    with Command(program("for line in sys.stdin: print(line, end='', flush=True)"), universe) as echo:
        assert all(echo.closure(1 << i) == 1 << i for i in range(len(NAMES)))
        assert echo.closure(universe.everything) == universe.everything
    quoting = program("import json; print(*map(json.dumps, sys.argv[1:]))")
    with Exec(quoting, universe) as echo_once:
        assert echo_once.closure(universe.everything) == universe.everything


def test_a_mark_is_a_contradiction_and_remarks_are_skipped(program: Program) -> None:
    argv = program(
        """
        for line in sys.stdin:
            print("# hm\\n!" if "c" in line else "# a remark\\r\\n" + line.strip(), flush=True)
        """
    )
    with Command(argv, ABC) as oracle:
        assert [oracle.closure(x) for x in (0, 1, 4, 3, 5)] == [0, 1, None, 3, None]
    with Exec(program("print('!')"), ABC) as oracle_once:
        assert oracle_once.closure(1) is None


def test_a_command_may_tell_its_attributes(program: Program) -> None:
    argv = program(
        """
        print('# attributes: a "b c"\\n# attributes: d', flush=True)
        for line in sys.stdin: print(line.strip() or "d", flush=True)
        """
    )
    with Command.found(argv) as oracle:
        assert oracle.universe.names == ("a", "b c", "d")
        assert oracle.closure(0) == 0b100
        assert oracle.closure(0b011) == 0b011
    with pytest.raises(FormatError, match="give --attributes"):
        Command.found(program(ANSWERS))


def test_an_exec_program_may_tell_its_attributes(program: Program) -> None:
    text = "print('# attributes: x y \"z z\"', 'x -> y', *{extra}, sep='\\n') if len(sys.argv) == 1 else print('x y')"
    with Exec.found(program(text.format(extra="[]"))) as oracle:
        assert oracle.universe.names == ("x", "y", "z z")
        assert oracle.closure(0) == 0
        assert oracle.closure(1) == 3
    with Exec.found(program(text.format(extra="['y']"))) as oracle:
        assert oracle.closure(0) == 2
    with pytest.raises(FormatError, match="give --attributes"):
        Exec.found(program("print('x y')"))


def test_the_answer_to_no_arguments_is_asked_for_once(program: Program, tmp_path: Path) -> None:
    argv = program(f"open({str(tmp_path / 'log')!r}, 'a').write('called\\n'); print('# attributes: a b c')")
    with Exec.found(argv) as oracle:
        assert [oracle.closure(0), *oracle.closures([0, 0])] == [0, 0, 0]
    with Exec(argv, ABC) as oracle:
        assert [oracle.closure(0), oracle.closure(0)] == [0, 0]
    assert (tmp_path / "log").read_text().count("called") == 2


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("'a x'", "unknown attribute 'x'"),
        ("'b'", "but a is missing"),
        ("''", "but a is missing"),
        ("'a \"b'", "a quote is wrong"),
        ("'a, b'", "unknown attribute 'a,'"),
        ("'Traceback (most recent call last):'", "unknown attribute 'Traceback'"),
    ],
)
def test_garbage_is_shown_with_the_question(program: Program, said: str, complaint: str) -> None:
    with (
        Command(program(f"for line in sys.stdin: print({said}, flush=True)"), ABC) as oracle,
        pytest.raises(BadAnswer, match=complaint) as caught,
    ):
        oracle.closure(0b1)
    assert "answers `a` with" in str(caught.value)
    with Exec(program(f"print({said})"), ABC) as oracle_once, pytest.raises(BadAnswer, match=complaint):
        oracle_once.closure(0b1)


def test_what_stands_on_standard_error_goes_with_wrong_answers_too(program: Program) -> None:
    lost = "print('a x', flush=True); sys.stderr.write('DB connection lost\\n'); sys.stderr.flush()"
    with Command(program(f"input(); {lost}; time.sleep(60)"), ABC) as oracle, pytest.raises(BadAnswer) as caught:
        oracle.closure(1)
    with Exec(program(lost), ABC) as oracle_once, pytest.raises(BadAnswer) as caught_once:
        oracle_once.closure(1)
    for kind, how in ((Command, "input(); print('a', flush=True); input()"), (Exec, "print('a')")):
        with pytest.raises(FormatError, match="give --attributes") as caught_first:
            kind.found(program(f"sys.stderr.write('DB connection lost\\n'); {how}"))
        assert caught_first.value.__notes__ == ["on standard error it said:\nDB connection lost"]
    assert caught.value.__notes__ == caught_once.value.__notes__ == ["on standard error it said:\nDB connection lost"]


def test_a_line_that_is_not_ended_is_quoted_when_time_is_up(program: Program) -> None:
    argv = program("input(); sys.stdout.write('# hm\\na b'); sys.stdout.flush(); time.sleep(60)")
    with (
        Command(argv, ABC, timeout=0.5) as oracle,
        pytest.raises(CannotAnswer, match="ended, in the middle.*'a b'; it"),
    ):
        oracle.closure(1)


def test_bytes_that_are_no_text_are_refused(program: Program) -> None:
    argv = program("for line in sys.stdin: sys.stdout.buffer.write(b'a \\xff\\n'); sys.stdout.flush()")
    with Command(argv, ABC) as oracle, pytest.raises(BadAnswer, match="byte 2 is no UTF-8"):
        oracle.closure(1)


def test_a_second_line_for_one_question_is_refused(program: Program) -> None:
    argv = program("for line in sys.stdin: print('a b c\\na b c', flush=True)")
    with Command(argv, ABC) as oracle:
        oracle.closure(1)
        time.sleep(0.05)
        with pytest.raises(BadAnswer, match="without being asked"):
            oracle.closure(2)
    with Exec(program("print('a b\\na c')"), ABC) as oracle_once, pytest.raises(BadAnswer, match="2 lines"):
        oracle_once.closure(1)


def crashing(tmp_path: Path, times: int, how: str) -> str:
    """A program that crashes so often before it answers."""
    return f"""
    path = {str(tmp_path / "crashes")!r}
    def crash():
        done = os.path.getsize(path) if os.path.exists(path) else 0
        if done < {times}:
            open(path, "a").write(".")
            sys.stderr.write("out of cheese\\n")
            sys.stderr.flush()
            {how}
    """


@pytest.mark.parametrize("how", ["os._exit(3)", "os.kill(os.getpid(), 9)", "raise ValueError('x')"])
def test_a_crash_is_survived_told_and_the_question_asked_again(
    program: Program, tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    text = textwrap.dedent(crashing(tmp_path, 3, how))
    with Command(program(text + "for line in sys.stdin: crash(); print('a b', flush=True)"), ABC) as oracle:
        assert [oracle.closure(1), oracle.closure(2)] == [3, 3]
    (tmp_path / "crashes").unlink()
    with Exec(program(text + "crash(); print('a b')"), ABC) as oracle_once:
        assert [oracle_once.closure(1), oracle_once.closure(2)] == [3, 3]
    told = caplog.messages
    assert [message.partition(" when asked ")[2].partition(";")[0] for message in told[::2]] == ["`a`", "`a`"]
    assert all("out of cheese" in message or "ValueError: x" in message for message in told[::2])
    assert [message.rpartition(".py ")[2] for message in told[1::2]] == ["crashed 3 times in all"] * 2


def test_crashes_count_only_in_a_row(program: Program) -> None:
    argv = program("print(input(), flush=True); input(); os._exit(1)")
    with Command(argv, ABC) as oracle:
        assert [oracle.closure(attrs) for attrs in range(8)] == list(range(8))


def test_too_many_crashes_end_the_run_with_its_last_words(program: Program, tmp_path: Path) -> None:
    text = textwrap.dedent(crashing(tmp_path, 9, "os._exit(3)"))
    with (
        Command(program(text + "for line in sys.stdin: crash(); print('a b', flush=True)"), ABC) as oracle,
        pytest.raises(CannotAnswer, match=r"exit status 3 when asked `a c`, 4 times in a row; .*\nout of cheese"),
    ):
        oracle.closure(0b101)
    (tmp_path / "crashes").unlink()
    with (
        Exec(program(text + "crash(); print('a b')"), ABC, restarts=0) as oracle_once,
        pytest.raises(CannotAnswer, match=r"exit status 3 when asked `a c`; it said:\nout of cheese"),
    ):
        oracle_once.closure(0b101)


def test_a_program_killed_by_a_signal_is_called_so(program: Program) -> None:
    with (
        Command(program("input(); os.kill(os.getpid(), 11)"), ABC, restarts=1) as oracle,
        pytest.raises(CannotAnswer, match="was killed by SIGSEGV when asked the empty set, 2 times"),
    ):
        oracle.closure(0)


def test_a_program_that_ends_at_once_says_why(program: Program) -> None:
    argv = program("sys.exit('no licence')")
    with Command(argv, ABC) as oracle, pytest.raises(CannotAnswer, match=r"exit status 1.*\nno licence"):
        oracle.closure(1)
    with pytest.raises(CannotAnswer, match="exit status 0"):
        Command.found(program("pass"))


def test_a_program_that_closes_its_output_is_ended(program: Program) -> None:
    argv = program("input(); os.close(1); time.sleep(60)")
    with Command(argv, ABC, restarts=0) as oracle, pytest.raises(CannotAnswer, match="closed its output"):
        oracle.closure(1)


def test_a_program_that_hangs_is_ended_in_time(program: Program) -> None:
    argv = program("sys.stderr.write('thinking\\n'); sys.stderr.flush(); input(); time.sleep(60)")
    with (
        Command(argv, ABC, timeout=0.5) as oracle,
        pytest.raises(CannotAnswer, match=r"not answered `a` within 0\.5 s.*\nthinking"),
    ):
        oracle.closure(1)
    with Exec(program("time.sleep(60)"), ABC, timeout=0.2) as once, pytest.raises(CannotAnswer, match=r"within 0\.2 s"):
        once.closure(1)
    # One that neither reads nor heeds a signal.
    deaf = program("import signal; signal.signal(15, signal.SIG_IGN)\nwhile True: sys.stderr.write('x' * 999)")
    with Command(deaf, ABC, timeout=0.5) as oracle, pytest.raises(CannotAnswer, match="not answered"):
        oracle.closure(1)


def test_a_flood_of_errors_blocks_nothing(program: Program) -> None:
    argv = program("for line in sys.stdin: sys.stderr.write('warning\\n' * 100_000); print(line, end='', flush=True)")
    with Command(argv, ABC, timeout=20) as oracle:
        assert [oracle.closure(x) for x in range(3)] == [0, 1, 2]
    chatty = program("sys.stderr.write('warning\\n' * 100_000); print(*sys.argv[1:])")
    with Exec(chatty, ABC, timeout=20) as oracle_once:
        assert oracle_once.closure(5) == 5


def test_a_long_question_and_a_program_that_talks_first_do_not_block_each_other(program: Program) -> None:
    universe = Universe(tuple(f"attribute_number_{i}" for i in range(20_000)))
    argv = program("print('# ' + 'x' * 300_000, flush=True)\nfor line in sys.stdin: print(line, end='', flush=True)")
    with Command(argv, universe, timeout=20) as oracle:
        assert oracle.closure(universe.everything) == universe.everything


def test_output_without_end_is_cut(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_BYTES", 1 << 20)
    for text in ("while True: sys.stdout.write('a ' * 999)", "while True: print('# a remark')"):
        with Command(program(text), ABC, timeout=20) as oracle, pytest.raises(CannotAnswer, match="prints more than"):
            oracle.closure(1)
        with Exec(program(text), ABC, timeout=20) as once, pytest.raises(CannotAnswer, match="prints more than"):
            once.closure(1)


def test_a_program_that_cannot_be_started_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_text("echo a\n")
    for argv, complaint in (
        (["nowhere-to-be"], "'nowhere-to-be' cannot be started: No such file"),
        (["plain"], r"write \./plain"),
        (["./plain"], "chmod"),
    ):
        for kind in (Command, Exec):
            with kind(argv, ABC) as oracle, pytest.raises(CannotAnswer, match=complaint):
                oracle.closure(1)
    for argv in ([], "", [""]):
        with pytest.raises(FormatError, match="no program is named"):
            Command(argv, ABC)
    with pytest.raises(FormatError, match="No closing quotation"):
        Exec("cat 'a", ABC)
    Path("plain").chmod(0o755)
    with Command(["./plain"], ABC) as oracle, pytest.raises(CannotAnswer, match="name its interpreter"):
        oracle.closure(1)


def test_a_closed_oracle_answers_no_more(program: Program) -> None:
    oracle = Command(program(ANSWERS), ABC, workers=2)
    oracle.closures([1, 2, 3])
    oracle.close()
    oracle.close()
    with pytest.raises(CannotAnswer, match="has been closed"):
        oracle.closure(1)


def test_processes_end_when_the_oracle_is_forgotten(program: Program, tmp_path: Path) -> None:
    import gc

    told = f"print(os.getpid(), file=open({str(tmp_path / 'pid')!r}, 'w'), flush=True)\n"
    oracle = Command(program(told + ANSWERS), ABC)
    oracle.closure(1)
    del oracle
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_what_a_program_has_started_ends_with_it(program: Program, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    starts = f"""
        import subprocess
        inner = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
        open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{inner.pid}}")
        """
    with Command(program(textwrap.dedent(starts) + ANSWERS), ABC) as oracle:
        oracle.closure(1)
        assert all(map(alive, map(int, pids.read_text().split())))
    for _ in range(1000):  # The inner one is nobody's child now, so nobody here can wait for its end.
        if not any(map(alive, map(int, pids.read_text().split()))):
            break
        time.sleep(0.01)
    assert not any(map(alive, map(int, pids.read_text().split())))


def alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        os.kill(pid, 0)
        return not Path("/proc/self").exists() or "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_processes_end_with_the_interpreter(program: Program, tmp_path: Path) -> None:
    import subprocess

    argv = program(
        """
        print(os.getpid(), file=open("pid", "w"), flush=True)
        for line in sys.stdin: print(line, end="", flush=True)
        time.sleep(60)
        """
    )
    script = f"""
from hornbook.oracles.command import Command
from hornbook.universe import Universe
oracle = Command({argv!r}, Universe(("a",)), workers=2)
print(oracle.closures([1, 0]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.stdout.strip() == "[1, 0]" and done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_example_talks_both_ways() -> None:
    example = str(Path(__file__).parents[1] / "examples" / "oracles" / "packages.py")
    with Command.found([sys.executable, example, "--lines"]) as lines, Exec.found([sys.executable, example]) as calls:
        assert lines.universe == calls.universe
        for attrs in range(0, 64, 7):
            assert lines.closure(attrs) == calls.closure(attrs)
        desktop = lines.closure(lines.universe.attrs(["desktop"])) or 0
        assert lines.universe.names_in(desktop) == ["desktop", "display server", "fonts", "drivers"]
