"""What all tests share: reproducible properties, and the folder of real data where there is one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import settings

settings.register_profile("hornbook", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("hornbook")

DATA = Path(os.environ.get("HORNBOOK_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real theories, tables and formulas; tests that want it are skipped where it is not."""
    if not DATA.is_dir():
        pytest.skip("no folder of real data beside the project; set HORNBOOK_DATA to one")
    return DATA


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Ends a test that would otherwise go on for ever. What is fast enough, and what not, is for measurements."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def no_module_outlives_its_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a test imports from its own folder is forgotten: the next test has another module of that name."""
    yield
    folder = str(tmp_path_factory.getbasetemp())
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]
