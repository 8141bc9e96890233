"""Learn the theory of the properties of binary relations by asking closure questions only, and check the proof."""

from __future__ import annotations

import textwrap
import time

from relations import ATTRIBUTES, closure

import hornbook as hb
from hornbook import certificate


def say(text: str, indent: int = 0) -> None:
    print(textwrap.fill(text, 79, subsequent_indent=" " * indent))


def main() -> None:
    say(
        f"Which of {len(ATTRIBUTES)} properties of binary relations follow from which? A black box looks at all 512 "
        "relations on three elements and closes sets of properties; Hornbook asks it, and knows nothing else. "
        "What follows are theorems for relations on three elements:\n"
    )
    print()
    started = time.perf_counter()
    learned = hb.learn(closure, attributes=ATTRIBUTES)
    for number, (premise, added) in enumerate(learned.implications, 1):
        say(f"{number:4}. {', '.join(premise) or 'nothing'}  =>  {', '.join(added)}", indent=6)
    asked = learned.queries["closure"]
    print(f"\n{len(learned.theory)} implications, {learned.status.status}, from {asked} closure questions", end="")
    print(f" of 2^{len(ATTRIBUTES)} = {2 ** len(ATTRIBUTES):,} there are.")
    verdict = certificate.verify(learned.as_json())
    for line in verdict.lines():
        say(line, indent=7)
    print(f"({time.perf_counter() - started:.1f} s)")


if __name__ == "__main__":
    main()
