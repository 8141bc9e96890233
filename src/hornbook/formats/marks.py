"""What a cell of a table says: a cross, none, nothing at all, or that nobody knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hornbook.formats.text import plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLANK, NO, YES, UNKNOWN, OTHER = range(5)

# Signs that go together: a table that says yes says no, not 0. Letters are compared without case.
FAMILIES = {
    "number": {"1": YES, "0": NO, "1.0": YES, "0.0": NO},
    "cross": {"x": YES, "×": YES, "✓": YES, "✔": YES, ".": NO},
    "true": {"true": YES, "false": NO},
    "t": {"t": YES, "f": NO},
    "yes": {"yes": YES, "no": NO},
    "y": {"y": YES, "n": NO},
    "unknown": dict.fromkeys(("?", "na", "n/a", "<na>", "nan", "null", "none"), UNKNOWN),
}
_MEANINGS = {sign: code for signs in FAMILIES.values() for sign, code in signs.items()} | {"": BLANK}
_FAMILY = {sign: family for family, signs in FAMILIES.items() for sign in signs}


def meaning(text: str) -> int:
    """What a cell with this text says; OTHER if it is no mark."""
    return _MEANINGS.get(text.strip().casefold(), OTHER)


def family(text: str) -> str | None:
    """Which signs this one goes with; None for a blank and for what is no mark."""
    return _FAMILY.get(text.strip().casefold())


def are_names(column: Sequence[str], others: Iterable[str]) -> bool | None:
    """Whether these marks name objects, as their kind is not that of the others; None if nobody can tell.

    `x` and `y` beside 1 and 0 do not go together, so that they are no marks; `t` and `f` may be. A mark that is there
    twice names nobody.
    """
    own, rest = ({family(sign) for sign in signs} - {None, "unknown"} for signs in (column, others))
    if len(set(column)) < len(column) or own <= rest:
        return False
    if len(own) > 1:
        return True
    return None if rest else False


def two_readings(column: str, signs: Iterable[str], others: Iterable[str]) -> str:
    """What to say where nobody can tell."""
    own, rest = (_listed(list(dict.fromkeys(filter(family, found)))) for found in (signs, others))
    return (
        f"{column} has {own} where the others have {rest}: these may be names of objects, or marks. If they are names, "
        "call the column `object`; if not, write the marks that the others have"
    )


def unquoted(raw: bytes) -> bytes:
    """The cell without the quotes that its writer put around it."""
    return raw[1:-1].replace(b'""', b'"') if raw.startswith(b'"') and len(raw) > 1 else raw


class Marks:
    """Reads cells of bytes as marks, and counts which signs it met."""

    def __init__(self, encoding: str) -> None:
        import numpy as np

        self._encoding = encoding
        signs = [self._meaning(bytes([byte])) for byte in range(256)]
        self._single = np.array(signs, dtype=np.uint8)
        self._counts = np.zeros(256, dtype=np.int64)
        self._longer: Counter[bytes] = Counter()

    def _meaning(self, raw: bytes) -> int:
        return meaning(unquoted(raw).decode(self._encoding, "replace"))

    def codes(self, data: bytes, starts: NDArray[np.intp], ends: NDArray[np.intp]) -> NDArray[np.uint8]:
        """What the cells say; after the first OTHER in reading order there may be more of them than there are."""
        import numpy as np

        bytes_ = np.frombuffer(data, dtype=np.uint8)
        first, lengths = starts.ravel(), (ends - starts).ravel()
        if (lengths == 1).all():
            return self._read_single(bytes_[first]).reshape(starts.shape)
        codes = np.full(first.shape, BLANK, dtype=np.uint8)
        single = lengths == 1
        codes[single] = self._read_single(bytes_[first[single]])
        self._read_longer(data, bytes_, first, lengths, codes)
        return codes.reshape(starts.shape)

    def _read_single(self, signs: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What these signs of one byte say. Counting those that are known by now is quicker than counting all."""
        import numpy as np

        known = np.flatnonzero(self._counts)
        counts = [int(np.count_nonzero(signs == sign)) for sign in known] if len(known) < 5 else []
        if sum(counts) == len(signs):
            self._counts[known] += np.array(counts, dtype=np.int64)
        else:
            self._counts += np.bincount(signs, minlength=256)
        return self._single[signs]

    def _read_longer(
        self,
        data: bytes,
        bytes_: NDArray[np.uint8],
        first: NDArray[np.intp],
        lengths: NDArray[np.intp],
        codes: NDArray[np.uint8],
    ) -> None:
        """Fills in what the cells of two and more bytes say: one pass for each sign, of which there are few."""
        import numpy as np

        rest = np.flatnonzero(lengths > 1)
        while rest.size:
            start, length = int(first[rest[0]]), int(lengths[rest[0]])
            sign = data[start : start + length]
            code = self._meaning(sign) if length < 100 else OTHER
            if code == OTHER:
                codes[rest] = OTHER
                return
            same = lengths[rest] == length
            for place, byte in enumerate(sign):
                same[same] = bytes_[first[rest[same]] + place] == byte
            codes[rest[same]] = code
            self._longer[sign] += int(np.count_nonzero(same))
            rest = rest[~same]

    def counts(self) -> Counter[str]:
        """How often each sign was met, blanks aside, the first spelling for those that differ in quotes or blanks."""
        raw = Counter({bytes([byte]): int(count) for byte, count in enumerate(self._counts) if count})
        signs: Counter[str] = Counter()
        for sign, count in (raw + self._longer).items():
            signs[unquoted(sign).decode(self._encoding, "replace").strip()] += count
        return signs


def says_no(signs: Counter[str]) -> bool:
    """Whether the table has a sign for no cross, so that a blank cell must mean something else."""
    return any(meaning(sign) == NO for sign in signs)


def summary(signs: Counter[str], blanks: int) -> str:
    """How crosses were read, in a clause or two."""
    by_code = {code: [sign for sign in signs if meaning(sign) == code] for code in (YES, NO, UNKNOWN)}
    parts = [f"crosses are {_listed(by_code[YES])}" if by_code[YES] else "no crosses"]
    if by_code[NO]:
        parts.append(f"none are {_listed(by_code[NO])}")
    unknown = sum(signs[sign] for sign in by_code[UNKNOWN])
    nobody_knows = by_code[UNKNOWN] + (["blank"] if blanks and by_code[NO] else [])
    if nobody_knows:
        count = unknown + (blanks if by_code[NO] else 0)
        parts.append(f"{plural(count, 'cell')} unknown ({_listed(nobody_knows)})")
    if blanks and not by_code[NO]:
        parts.append("blanks are none")
    return ", ".join(parts)


def _listed(signs: list[str]) -> str:
    return " and ".join(signs)
