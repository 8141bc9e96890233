"""A transcript as an oracle: an expert is asked once, and other learners hear the answers from the file.

python replayed.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import weather

import hornbook as hb
from hornbook.errors import CannotAnswer
from hornbook.learners.by_closures import by_closures
from hornbook.oracles.replay import replay


def main() -> None:
    asked = 0

    def expert(names: list[str]) -> list[str] | None:
        nonlocal asked
        asked += 1
        return weather.closure(names)

    with tempfile.TemporaryDirectory() as folder:
        told, cut = Path(folder) / "told.jsonl", Path(folder) / "cut.jsonl"
        first = hb.learn(expert, weather.ATTRIBUTES, transcript=told)
        print("the expert was asked", asked, "times")
        for learner in (hb.closures_only, hb.explore, hb.clh):
            learned = hb.learn(f"transcript:{told}", learner=learner, equivalence=by_closures)
            same = "the same" if learned.theory == first.theory else "another"
            print(f"{learner.__name__}: {learned.status.status}, {same} theory")
        print("and is still at", asked)

        hb.learn(expert, weather.ATTRIBUTES, transcript=cut, budget=hb.Budget(queries=8))
        oracle = replay(cut)
        for names in (["rain"], ["rain", "wet"], ["sun", "cold"]):
            try:
                closed = oracle.closure(oracle.universe.attrs(names))
                print(*names, "->", *["!"] if closed is None else oracle.universe.names_in(closed))
            except CannotAnswer as error:
                print(*names, "-> ?", error)


if __name__ == "__main__":
    main()
