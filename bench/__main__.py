"""Runs measurements: `python -m bench` all of them, `python -m bench closures startup` these."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

LONG = {"verify"}
"""What runs for hours, and only when it is asked for by its name."""


def main(names: list[str]) -> int:
    """How many measurements found that a promise is not kept."""
    folder = Path(__file__).parent
    known = sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no measurement {unknown[0]!r}; there are: {' '.join(known)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or [name for name in known if name not in LONG]:
        module = importlib.import_module(f"bench.{name}")
        print(f"# bench.{name}\n{(module.__doc__ or '').splitlines()[0]}", flush=True)
        # Some read their own options.
        sys.argv = [f"bench.{name}"]
        if module.main():
            failed.append(name)
        print(flush=True)
    print(f"not as promised: {' '.join(failed)}" if failed else "all as promised")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
