"""The long check of ClH goes on where it was stopped, and never mixes what two programs did."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench import verify  # noqa: E402

SCRIPT = """
import signal, sys
from pathlib import Path
from bench import verify
signal.signal(signal.SIGINT, signal.default_int_handler)
verify.STATE = Path({state!r})
sys.exit(verify.main())
"""


def test_stopped_it_says_how_to_go_on_and_keeps_what_was_done(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    script = [sys.executable, "-c", SCRIPT.format(state=str(state)), "--seed", "5"]
    with subprocess.Popen(script, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        while not state.exists() and run.poll() is None:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "`python -m bench.verify --seed 5` goes on" in errors and "Traceback" not in errors


def test_what_was_done_is_recalled_for_the_same_seed_and_the_same_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "STATE", tmp_path / "state.json")
    done = {3: verify.Tally(1, 2, 3, 4)}
    verify._keep(5, done)
    assert verify._recalled(5) == done and verify._recalled(6) == {}
    monkeypatch.setattr(verify, "CODE", "another program")
    assert verify._recalled(5) == {}


def test_one_task_of_the_check_passes() -> None:
    every = verify.tasks()
    assert len(every) == len(set(every)) > 50
    number, tally = verify.work((0, list(every[0]), 1))
    assert number == 0 and tally.equivalence > tally.targets > 1000
