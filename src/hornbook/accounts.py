"""The values of a run: what it may cost, where it stands, and what it returns, which is a file of results, too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hornbook.equivalence import EXACT, Status
from hornbook.layers import Counts
from hornbook.theory import Theory
from hornbook.universe import Universe
from hornbook.witnesses import Certificate

FORMAT = "hornbook/1"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may cost; beyond it the run ends `incomplete`. Answers from a transcript cost nothing.

    `closed_sets` limits what `closures_only` keeps: a target may have exponentially many characteristic models.
    """

    queries: int | None = None
    implications: int | None = None
    seconds: float | None = None
    closed_sets: int | None = 20_000


@dataclass(frozen=True, slots=True)
class Care:
    """How far to trust the oracle: how often to ask each query, and how many extra ones to try it with."""

    repeat: int = 1
    probe: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands, told now and then and at its end.

    `queries` counts what the transcript recalled, too; `asked` what was asked now, of `most`.
    """

    size: int
    queries: Counts
    asked: int
    most: int | None
    recalled: int
    implications: int
    closed_sets: int
    certified: int | None


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned, what it is worth, and what it cost. `closed` are closed sets that prove it."""

    universe: Universe
    theory: Theory
    status: Status
    learner: str
    oracle: str
    queries: Counts
    asked: Counts
    inferred: int
    seconds: float
    proof: Certificate
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        return self.status.status == EXACT

    @property
    def implications(self) -> list[tuple[list[str], list[str]]]:
        """The implications by names: premise, and what it adds."""
        return [(self.universe.names_in(i.premise), self.universe.names_in(i.added)) for i in self.theory]

    def closure(self, names: Iterable[str]) -> list[str] | None:
        """The closure of a set of names under what was learned, or None where it is contradictory."""
        attrs = self.universe.attrs(names)
        return self.universe.names_in(self.theory.closure(attrs)) if self.theory.consistent(attrs) else None

    def as_json(self) -> dict[str, Any]:
        """The result as it stands in a file, the format `hornbook/1`."""
        from hornbook.certificate import checksum
        from hornbook.formats import json_theory
        from hornbook.formats.values import NamedTheory

        body = json_theory.document(NamedTheory(self.universe, self.theory))
        head = {"format": FORMAT, **self.status.as_json(), "learner": self.learner, "oracle": self.oracle}
        account = {"queries": self.queries, "asked": self.asked, "inferred": self.inferred, **self.more}
        proof = {"certificate": self.proof.as_json(self.universe)}
        result = head | body | account | {"seconds": round(self.seconds, 3)} | proof
        return result | {"checksum": checksum(result)}

    def __str__(self) -> str:
        from hornbook import formats
        from hornbook.formats.values import NamedTheory

        return formats.dumps(NamedTheory(self.universe, self.theory), "imp")
