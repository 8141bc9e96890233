"""A program as an oracle: what else gets installed. It talks both ways that Hornbook knows.

hornbook learn "command:python packages.py --lines"     a line in, a line out
hornbook learn "exec:python packages.py"                one call a query
"""

from __future__ import annotations

import sys

NEEDS = {
    "desktop": ["display server", "fonts"],
    "display server": ["drivers"],
    "browser": ["display server", "fonts", "tls"],
    "tls": [],
    "fonts": [],
    "drivers": [],
}


def quoted(names: list[str]) -> str:
    """The names in a line; names with blanks in them are quoted."""
    return " ".join(f'"{name}"' if " " in name else name for name in names)


def installed(wanted: list[str]) -> list[str]:
    """The packages with all that they need."""
    found = list(wanted)
    for name in found:
        found += [other for other in NEEDS[name] if other not in found]
    return [name for name in NEEDS if name in found]


def names_in(line: str) -> list[str]:
    """The names in a line, those in quotes included."""
    parts = line.strip().split('"')
    return [name for i, part in enumerate(parts) for name in ([part] if i % 2 else part.split())]


def main() -> None:
    if sys.argv[1:] == ["--lines"]:
        print("# attributes:", quoted(list(NEEDS)), flush=True)
        for line in sys.stdin:
            # Without the flush the answer would wait in a buffer, and the asker for the answer.
            print(quoted(installed(names_in(line))), flush=True)
    elif sys.argv[1:]:
        print(quoted(installed(sys.argv[1:])))
    else:
        print("# attributes:", quoted(list(NEEDS)))


if __name__ == "__main__":
    main()
