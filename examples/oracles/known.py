"""A known theory as an oracle: the same learner against friendly and unfriendly teachers.

python known.py
"""

from __future__ import annotations

from hornbook.dialogue import run
from hornbook.layers import counted, no_counts
from hornbook.learners.clh import clh
from hornbook.oracles.known import KnownTheory, adversarial, first, largest, smallest
from hornbook.theory import Theory

TARGET = Theory.of(6, [(0b000011, 0b000100), (0b001100, 0b010000), (0b010001, 0b100010)])


def main() -> None:
    for policy in (first, smallest, largest, adversarial):
        counts = no_counts()
        learned = run(counted(clh(TARGET.size), counts), KnownTheory(TARGET, policy))
        assert learned.in_order() == TARGET.canonical()
        print(f"{policy.__name__}: {counts['equivalence']} equivalence, {counts['closure']} closure queries")


if __name__ == "__main__":
    main()
