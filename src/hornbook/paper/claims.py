"""What a claim of the paper is here: the statement as printed, a check that runs it, and the verdict that follows.

A check is a function of a context, which holds the methods under test, so that any of them can be replaced by a wrong
one: the claims that rest on it must then fail.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from hornbook import canonical as bases
from hornbook import reductions as by
from hornbook.chaining import Rule
from hornbook.dialogue import Learner
from hornbook.embedding import embedded
from hornbook.learners import afp, clh, horn, horn1, lrn
from hornbook.theory import Theory
from hornbook.universe import Attrs, members

T = TypeVar("T")

Make: TypeAlias = Callable[[int], Learner[Theory]]
Handler: TypeAlias = Callable[[Any], Learner[Any]]
Verdict: TypeAlias = Literal["holds", "erratum", "fails"]

SAMPLE_SEED = 20160521
"""Where all random samples start, unless another seed is given."""


def afp_as_published(size: int) -> Learner[Theory]:
    """AFP in the form of 2011, which forgets positive membership answers."""
    return afp(size, keep=False)


@dataclass(frozen=True, slots=True)
class Methods:
    """What the claims are about: operators, learners and reductions, each replaceable."""

    closure: Callable[[Theory, Attrs], Attrs] = Theory.closure
    quasi_closure: Callable[[Theory, Attrs], Attrs] = Theory.quasi_closure
    by_classes: Callable[[int, Sequence[Rule]], list[Rule]] = bases.by_classes
    two_pass: Callable[[int, Sequence[Rule]], list[Rule]] = bases.two_pass
    clh: Make = clh
    afp: Make = afp
    afp_published: Make = afp_as_published
    horn1: Make = horn1
    horn: Make = horn
    lrn: Make = lrn
    entails_by_contains: Callable[[int], Handler] = by.entails_by_contains
    close_by_contains: Callable[[int], Handler] = by.close_by_contains
    close_by_entails: Callable[[int], Handler] = by.close_by_entails
    contains_by_entails: Callable[[int], Handler] = by.contains_by_entails
    entails_by_closure: Handler = by.entails_by_closure
    contains_by_closure: Handler = by.contains_by_closure
    clause_by_counterexample: Handler = by.distinguishing_clause_by_counterexample
    counterexample_by_clause: Callable[[int], Handler] = by.counterexample_by_clause
    close_by_learning: Callable[[Callable[[], Learner[Theory]]], Handler] = by.close_by_learning
    embedded: Callable[[Learner[Theory], int], Learner[Theory]] = embedded


@dataclass(frozen=True, slots=True)
class Context:
    """One run over the claims: the methods under test, how thorough to be, and what several checks share."""

    methods: Methods = field(default_factory=Methods)
    quick: bool = True
    seed: int = SAMPLE_SEED
    data: Path | None = None
    memory: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What make returns; made once for all checks that ask for it by this name."""
        if name not in self.memory:
            self.memory[name] = make()
        made: T = self.memory[name]
        return made

    def either(self, quick: T, thorough: T) -> T:
        """The one for a quick run or the one for a thorough run."""
        return quick if self.quick else thorough


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `holds`: the claim does, corrected where it has a correction. `refuted`: as printed it does
    not, and a witness was computed."""

    holds: bool
    measured: str
    numbers: Mapping[str, object] = field(default_factory=dict)
    refuted: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the paper. `code` names what realises it; `errata` number those of docs/errata.md it settles."""

    item: str
    claimed: str
    check: Callable[[Context], Finding]
    code: str
    corrected: str | None = None
    errata: tuple[int, ...] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A claim that has been run."""

    claim: Claim
    measured: str
    verdict: Verdict
    numbers: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """The item as its JSON object."""
        claim = self.claim
        return {
            "item": claim.item,
            "claimed": claim.claimed,
            "corrected": claim.corrected,
            "measured": self.measured,
            "verdict": self.verdict,
            "open": claim.open,
            "errata": list(claim.errata),
            "numbers": dict(self.numbers),
            "code": claim.code,
        }


def settle(claim: Claim, context: Context) -> Item:
    """The claim, run. A method that breaks on the way fails it, with what it said."""
    try:
        found = claim.check(context)
    except Exception as error:  # A wrong method may break in any way; it costs its own items and no others.
        return Item(claim, f"{type(error).__name__}: {error}", "fails", {})
    verdict: Verdict = "fails"
    if found.holds:
        verdict = "erratum" if found.refuted else "holds"
    if found.refuted and claim.corrected is None:
        verdict = "fails"
    return Item(claim, found.measured, verdict, found.numbers)


def letters(attrs: Attrs, size: int) -> str:
    """The set as a word: letters for up to 26 attributes, else numbers; {} for the empty set."""
    if not attrs:
        return "{}"
    if size <= 26:
        return "".join(chr(ord("a") + position) for position in members(attrs))
    return ".".join(map(str, members(attrs)))


def spelled(theory: Theory) -> str:
    """The theory on a line, what each implication adds on its right."""
    if not len(theory):
        return "{}"
    size = theory.size
    return ", ".join(f"{letters(i.premise, size)}->{letters(i.added, size)}" for i in theory)
