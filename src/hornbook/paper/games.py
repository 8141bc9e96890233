"""The exact worst case of a query problem on all small theories: a game between a learner and an adversary.

A position is the set of theories that are consistent with all answers, as a bitset. The learner picks a question, the
adversary an answer that leaves some theory. The value is the least number of questions after which every theory that is
left has one and the same acceptable answer. Only what the answers tell counts: computation is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from hornbook.theory import Theory
from hornbook.universe import Attrs, members

Question = list[int]
"""For each answer the theories that give it. Where counterexamples are chosen, a theory may give several."""


@dataclass(slots=True)
class Game:
    """All theories on this many attributes, and the questions that may be asked about them."""

    size: int
    theories: Sequence[Theory]
    models: list[frozenset[Attrs]] = field(init=False)
    everyone: int = field(init=False)

    def __post_init__(self) -> None:
        self.models = [frozenset(theory.models()) for theory in self.theories]
        self.everyone = (1 << len(self.theories)) - 1

    def where(self, holds: Iterable[bool]) -> int:
        """The theories of which this holds, told in their order."""
        return sum(1 << index for index, held in enumerate(holds) if held)

    def memberships(self) -> list[Question]:
        """SMQs: one for each set but that of all attributes."""
        inside = [self.where(x in models for models in self.models) for x in range((1 << self.size) - 1)]
        return [[positive, self.everyone & ~positive] for positive in inside]

    def equivalences(self) -> list[Question]:
        """SEQs: one for each theory; yes, or any set that is a model of exactly one of the two."""
        return [[1 << h, *self.telling_apart(h)] for h in range(len(self.theories))]

    def telling_apart(self, h: int) -> list[int]:
        """For each set the theories that it tells apart from theory h."""
        own = self.models[h]
        return [self.where((x in models) != (x in own) for models in self.models) for x in range(1 << self.size)]

    def clauses(self) -> list[int]:
        """For each clause that is not trivial, the theories that entail it."""
        return [
            self.where(all(x >> b & 1 for x in models if premise & ~x == 0) for models in self.models)
            for premise in range(1 << self.size)
            for b in range(self.size)
            if not premise >> b & 1
        ]

    def entailment_equivalences(self) -> list[Question]:
        """EEQs: one for each theory; yes, or any clause that exactly one of the two entails."""
        clauses = self.clauses()
        return [
            [1 << h, *(self.everyone & ~entailing if entailing >> h & 1 else entailing for entailing in clauses)]
            for h in range(len(self.theories))
        ]

    def value(self, questions: Sequence[Question], answers: Sequence[int], start: int | None = None) -> int | None:
        """The least number of questions, in the worst case, until all theories left accept one common answer.

        `answers` says for each answer which theories accept it. None: no strategy ends.
        """
        memory: dict[int, int | None] = {}

        def solve(position: int) -> int | None:
            if any(position & ~accepting == 0 for accepting in answers):
                return 0
            if position not in memory:
                memory[position] = _best(position, questions, solve)
            return memory[position]

        return solve(self.everyone if start is None else start)


def _best(position: int, questions: Sequence[Question], solve: Callable[[int], int | None]) -> int | None:
    """One more than the worst answer to the best question. Answers that tell nothing make a question useless."""
    best: int | None = None
    tried: set[tuple[int, ...]] = set()
    for question in questions:
        left = tuple(sorted({position & answer for answer in question} - {0}))
        if position in left or left in tried:
            continue
        tried.add(left)
        worst = 0
        for smaller in sorted(left, key=lambda p: -p.bit_count()):
            found = solve(smaller)
            if found is None or (best is not None and found + 1 >= best):
                break
            worst = max(worst, found + 1)
        else:
            best = worst
            if best == 1:
                break
    return best


def up_to_symmetry(theories: Sequence[Theory], size: int) -> list[int]:
    """One theory, by index, for each way in which they differ by more than the names of attributes."""
    orders = list(permutations(range(size)))
    seen: set[frozenset[Attrs]] = set()
    kept = []
    for index, theory in enumerate(theories):
        models = list(theory.models())
        if frozenset(models) not in seen:
            kept.append(index)
            for order in orders:
                seen.add(frozenset(sum(1 << order[p] for p in members(x)) for x in models))
    return kept
