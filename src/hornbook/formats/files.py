"""Files as bytes: opening them, packing and unpacking them, and replacing them whole or not at all."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from hornbook.errors import FormatError

PACKED = (".gz", ".bz2", ".xz")

_numbers = itertools.count()


@contextmanager
def located(name: str) -> Iterator[None]:
    """Puts the name of the file into errors that lack it."""
    try:
        yield
    except FormatError as error:
        error.file = error.file or name
        raise


def opened(path: Path) -> BinaryIO:
    """The file, open for reading."""
    if path.is_dir():
        raise FormatError("this is a folder; name a file in it")
    try:
        return path.open("rb")
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be opened: {getattr(error, 'strerror', None) or error}") from error


def readable(path: Path) -> None:
    """Raises where the file cannot be opened; a pipe is left alone, for what is read from it is gone."""
    if not path.is_fifo():
        opened(path).close()


def unpacked(name: str) -> tuple[str, str]:
    """The file's name without the ending of its packing, and that ending."""
    for ending in PACKED:
        if name.lower().endswith(ending):
            return name[: -len(ending)], ending
    if name.lower().endswith(".zst"):
        raise FormatError(".zst is not read here; unpack it first, or pack it as .gz, .bz2 or .xz")
    return name, ""


def unpack(data: bytes, packed: str) -> bytes:
    """The bytes that were packed in the way of this ending."""
    if not packed:
        return data
    module = importlib.import_module({".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}[packed])
    own = module.LZMAError if packed == ".xz" else zlib.error
    try:
        plain: bytes = module.decompress(data)
    except (OSError, EOFError, ValueError, own) as error:
        raise FormatError(f"is not what its ending {packed} says: {error}") from error
    except MemoryError as error:
        raise FormatError(f"unpacked, its {len(data):,} bytes do not fit into the memory; split it") from error
    return plain


def pack(data: bytes, packed: str) -> bytes:
    """The bytes, packed in the way of this ending."""
    if not packed:
        return data
    if packed == ".gz":
        import gzip

        return gzip.compress(data, mtime=0)  # Equal values give equal files.
    compress: Callable[[bytes], bytes] = importlib.import_module({".bz2": "bz2", ".xz": "lzma"}[packed]).compress
    return compress(data)


def taken_in() -> bytes:
    """All of standard input."""
    if sys.stdin is None:
        raise FormatError("is closed; name a file", file="standard input")
    return sys.stdin.buffer.read()


def given_out(data: bytes) -> None:
    """Puts the bytes on standard output. A reader that has gone is no error; a full disk is one."""
    if sys.stdout is None:
        raise FormatError("is closed; name a file to write to", file="standard output")
    try:
        if (raw := getattr(sys.stdout, "buffer", None)) is None:  # Somebody put a StringIO there.
            sys.stdout.write(data.decode("utf-8"))
        else:
            sys.stdout.flush()
            raw.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
    except OSError as error:
        silence(sys.stdout)
        raise FormatError(f"cannot be written: {error.strerror or error}", file="standard output") from error


def silence(stream: TextIO) -> None:
    """Lets nothing more through. What is still in the stream would make Python complain at exit."""
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())


def replace(path: Path, fill: Callable[[Path], object]) -> None:
    """Fills a file beside the path and renames it, so that a failure never leaves half a file."""
    try:
        path = path.resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise FormatError(f"cannot be written: {getattr(error, 'strerror', None) or error}") from error
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe cannot be replaced; a folder is refused by the system.
            fill(path)
            return
        beside = path.with_name(f".{os.getpid()}-{next(_numbers)}{path.suffix}")
        try:
            fill(beside)
            if path.exists():
                beside.chmod(path.stat().st_mode & 0o7777)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}") from error
