"""Columns of text as codes: equal cells get equal codes, in order of first appearance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbook.formats.cells import Chunk
from hornbook.formats.marks import unquoted
from hornbook.formats.values import Coder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = 8


class TextCoder:
    """Gives codes to the cells of one column, chunk by chunk.

    A cell of up to eight bytes is one number, so that NumPy can tell the few that differ from the many that there are;
    a longer one, or one with a zero byte, which would get lost in a number, is looked up as it is.
    """

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._coder = Coder()

    def codes(self, chunk: Chunk, column: int) -> NDArray[np.int32]:
        """The codes of this column of the chunk, by spelling: with quotes and without them is not yet the same."""
        import numpy as np

        coder = self._coder
        if b"\0" in chunk.data:
            return np.array([coder[_key(raw)] for raw in chunk.raw(column)], dtype=np.int32)
        starts, lengths = chunk.starts[:, column], chunk.ends[:, column] - chunk.starts[:, column]
        # The word that starts at each byte of the data.
        padded = chunk.data + bytes(_WORD)
        words = np.ndarray((len(chunk.data) + 1,), dtype="<u8", buffer=padded, strides=(1,))
        masks = np.array([(1 << 8 * length) - 1 for length in range(_WORD + 1)], dtype=np.uint64)
        short = lengths <= _WORD
        keys = words[starts[short]].astype(np.uint64) & masks[lengths[short]]
        different, inverse = np.unique(keys, return_inverse=True)
        found = np.array([coder[key] for key in different.tolist()], dtype=np.int32)
        codes = np.empty(len(starts), dtype=np.int32)
        codes[short] = found[inverse]
        for row in np.flatnonzero(~short).tolist():
            start = int(starts[row])
            codes[row] = coder[chunk.data[start : start + int(lengths[row])]]
        return codes

    def finished(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        """The codes of the whole column in order of first appearance, and the text for each."""
        import numpy as np

        raws = _raws(list(self._coder))
        self._coder.clear()
        joined = b"\n".join(raws)
        if b'"' in joined:
            by_text = Coder()
            merged = np.array([by_text[unquoted(raw)] for raw in raws], dtype=np.int32)
            texts = [raw.decode(self._encoding) for raw in by_text]
            codes = merged[codes]
        else:
            texts = joined.decode(self._encoding).split("\n") if raws else []
        first = np.zeros(len(texts), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]  # Of several writes the last one stays, the first appearance.
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank[codes], tuple(map(texts.__getitem__, order.tolist()))


def _raws(keys: list[int | bytes]) -> list[bytes]:
    import numpy as np

    if all(isinstance(key, int) for key in keys):
        raws: list[bytes] = np.array(keys, dtype="<u8").view("S8").tolist()
        return raws
    return [key if isinstance(key, bytes) else key.to_bytes(_WORD, "little").rstrip(b"\0") for key in keys]


def _key(raw: bytes) -> int | bytes:
    return raw if len(raw) > _WORD or b"\0" in raw else int.from_bytes(raw, "little")
