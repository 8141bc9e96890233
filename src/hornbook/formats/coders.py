"""Columns of text as codes: equal cells get equal codes, in order of first appearance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hornbook.formats.cells import Chunk
from hornbook.formats.marks import unquoted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = 8
_LONGEST = 64  # A longer cell is worth a look of its own.
_MOST_BITS = 18
_MIX = 0x9E3779B97F4A7C15


class TextCoder:
    """Gives codes to the cells of one column, chunk by chunk.

    A cell is words of eight bytes, and these make one number, so that NumPy can tell the few cells that differ from the
    many that there are. The number of a cell of one word is that word, and stands for the text.
    """

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._codes: dict[int | bytes, int] = {}
        self._keys: list[int | bytes] = []  # Of each code; other spellings, in quotes, are among the codes only.
        self._slots = _Slots(10)
        self._quotes: dict[bytes, int] = {}  # Texts that begin with a quote, and so are like the spellings of others.

    def __len__(self) -> int:
        return len(self._keys)

    def codes(self, chunk: Chunk, column: int) -> NDArray[np.int32]:
        """The codes of this column of the chunk."""
        import numpy as np

        starts = chunk.starts[:, column]
        lengths = chunk.ends[:, column] - starts
        # A zero byte would get lost in a number.
        numbers = None if b"\0" in chunk.data else _numbers(chunk.data, starts, lengths)
        if numbers is None:
            return np.array(self._coded(map(_key, chunk.raw(column))), dtype=np.int32)
        if int(lengths.max(initial=0)) > _WORD:
            return self._looked_up(chunk.data, numbers, starts, lengths)
        codes = self._slots.codes(numbers)
        rest = np.flatnonzero(codes < 0)
        if len(rest):
            codes[rest] = self._looked_up(chunk.data, numbers[rest], starts[rest], lengths[rest])
            self._slots = self._slots.with_room(len(self._keys))
            self._slots.keep(numbers[rest], codes[rest])
        return codes

    def texts(self) -> tuple[str, ...]:
        """The text for each code; the coder is used up."""
        raws = _raws(self._keys)
        self._keys, self._codes, self._quotes = [], {}, {}
        joined = b"\n".join(raws)
        if joined.count(b"\n") != len(raws) - 1:  # Quoted cells may have lines.
            return tuple(raw.decode(self._encoding) for raw in raws)
        return tuple(joined.decode(self._encoding).split("\n"))

    def _looked_up(
        self, data: bytes, numbers: NDArray[np.uint64], starts: NDArray[np.intp], lengths: NDArray[np.intp]
    ) -> NDArray[np.int32]:
        """The codes of the cells with these numbers, each that differs looked up once."""
        import numpy as np

        different, inverse = _distinct(numbers)
        first = np.empty(len(different), dtype=np.intp)
        first[inverse[::-1]] = np.arange(len(numbers))[::-1]  # Of several writes the last one stays.
        if not _alike(data, starts, lengths, first[inverse]):
            raws = (data[start : start + size] for start, size in zip(starts.tolist(), lengths.tolist(), strict=True))
            return np.array(self._coded(map(_key, raws)), dtype=np.int32)
        order = np.argsort(first)
        rows = first[order]
        places = zip(different[order].tolist(), starts[rows].tolist(), lengths[rows].tolist(), strict=True)
        keys = (number if size <= _WORD else data[start : start + size] for number, start, size in places)
        found = np.empty(len(different), dtype=np.int32)
        found[order] = self._coded(keys)
        return found[inverse]

    def _coded(self, keys: Iterable[int | bytes]) -> list[int]:
        known = self._codes.get
        return [self._new(key) if (code := known(key)) is None else code for key in keys]

    def _new(self, key: int | bytes) -> int:
        """The code of a cell that is met for the first time; in quotes it may be known without them."""
        raw = _raw(key)
        plain = unquoted(raw)
        if plain != raw and not plain.startswith(b'"'):
            [code] = self._coded([_key(plain)])
        elif plain != raw and plain in self._quotes:
            code = self._quotes[plain]
        else:
            code = len(self._keys)
            self._keys.append(key if plain == raw else plain)
            if plain != raw:
                self._quotes[plain] = code
        self._codes[key] = code
        return code


class _Slots:
    """Remembers the codes of cells of one word, the last one of those that share a slot."""

    def __init__(self, bits: int) -> None:
        import numpy as np

        self._bits = bits
        self._numbers = np.zeros(1 << bits, dtype=np.uint64)
        self._codes = np.full(1 << bits, -1, dtype=np.int32)

    def with_room(self, codes: int) -> _Slots:
        """These slots, or, where there are more codes than these can hold well, more of them."""
        bits = min(codes.bit_length() + 2, _MOST_BITS)
        return self if bits <= self._bits else _Slots(bits)

    def codes(self, numbers: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The codes of these cells, -1 where they are not known here."""
        slots = self._places(numbers)
        codes = self._codes[slots]
        codes[self._numbers[slots] != numbers] = -1
        return codes

    def keep(self, numbers: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
        """Remembers these codes."""
        slots = self._places(numbers)
        self._numbers[slots], self._codes[slots] = numbers, codes

    def _places(self, numbers: NDArray[np.uint64]) -> NDArray[np.intp]:
        import numpy as np

        return (numbers * np.uint64(_MIX) >> np.uint64(64 - self._bits)).astype(np.intp)


def _numbers(data: bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.uint64] | None:
    """A number for each cell, equal for equal cells; None if one is very long."""
    import numpy as np

    longest = int(lengths.max(initial=0))
    if longest > _LONGEST:
        return None
    words = _words(data)
    numbers = _word(words, starts, lengths, 0)
    for place in range(_WORD, longest, _WORD):
        numbers *= np.uint64(_MIX)
        numbers ^= numbers >> np.uint64(32)
        numbers += _word(words, starts, lengths, place)
    if longest > _WORD:
        # The number of one word is the word itself.
        short = lengths <= _WORD
        numbers[short] = _word(words, starts[short], lengths[short], 0)
    return numbers


def _words(data: bytes) -> NDArray[np.uint64]:
    """The word that starts at each byte of the data, and one of zeros."""
    import numpy as np

    return np.ndarray((len(data) + 1,), dtype="<u8", buffer=data + bytes(_WORD), strides=(1,))


def _word(
    words: NDArray[np.uint64], starts: NDArray[np.intp], lengths: NDArray[np.intp], place: int
) -> NDArray[np.uint64]:
    """The eight bytes at this place of each cell, zeros behind its end."""
    import numpy as np

    masks = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], dtype=np.uint64)
    at = np.minimum(starts + place, len(words) - 1) if place else starts
    found: NDArray[np.uint64] = words[at].astype(np.uint64) & masks[np.clip(lengths - place, 0, _WORD)]
    return found


def _distinct(numbers: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The numbers that there are, and for each cell which one it has."""
    import numpy as np

    changes = np.flatnonzero(numbers[1:] != numbers[:-1]) + 1
    if 4 * len(changes) > len(numbers):
        return np.unique(numbers, return_inverse=True)
    # A column in which the same stands in many lines after another, as objects do in pairs.
    heads = np.concatenate([np.zeros(min(1, len(numbers)), dtype=np.intp), changes])
    different, inverse = np.unique(numbers[heads], return_inverse=True)
    return different, np.repeat(inverse, np.diff(heads, append=len(numbers)))


def _alike(data: bytes, starts: NDArray[np.intp], lengths: NDArray[np.intp], others: NDArray[np.intp]) -> bool:
    """Whether each cell is the one in the other row: two that differ may have one number, by bad luck."""
    longest = int(lengths.max(initial=0))
    if longest <= _WORD:
        return True
    words = _words(data)
    return bool((lengths == lengths[others]).all()) and all(
        bool((word == word[others]).all())
        for place in range(0, longest, _WORD)
        for word in [_word(words, starts, lengths, place)]
    )


def _raws(keys: list[int | bytes]) -> list[bytes]:
    import numpy as np

    if all(isinstance(key, int) for key in keys):
        raws: list[bytes] = np.array(keys, dtype="<u8").view("S8").tolist()
        return raws
    return list(map(_raw, keys))


def _raw(key: int | bytes) -> bytes:
    return key if isinstance(key, bytes) else key.to_bytes(_WORD, "little").rstrip(b"\0")


def _key(raw: bytes) -> int | bytes:
    return raw if len(raw) > _WORD or b"\0" in raw else int.from_bytes(raw, "little")
