"""What is counted: the learners, what they learn, and what is known about the size of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import hornbook
from bench._measure import DATA
from hornbook import certificate, formats
from hornbook.dialogue import Learner, run, through
from hornbook.inference import inferred
from hornbook.layers import Counts, Stopped, cached, counted, limited, no_counts
from hornbook.learners import afp, clh, closures_only, explore, frugal, lrn
from hornbook.oracles.known import KnownTheory, Policy, adversarial, first, largest, smallest
from hornbook.queries import Close, Equivalent, Query
from hornbook.routes import handlers
from hornbook.testing import random_theory
from hornbook.theory import Theory
from hornbook.witnesses import characteristic_models

POLICIES: dict[str, Policy] = {"first": first, "smallest": smallest, "largest": largest, "adversarial": adversarial}

SHORT = {
    "closure": "CQ",
    "membership": "SMQ",
    "equivalence": "EQ",
    "entailment": "EMQ",
    "entailment_equivalence": "EEQ",
    "implication": "IQ",
}

MOST = 400_000
"""A run that reaches so many queries of one kind is stopped."""

MOST_ASKED_OF_PEOPLE = 2_000
"""The same for implication questions: nobody answers more, and the learner takes long to find them."""

MOST_MODELS = 5_000
"""Closures alone are promised to be enough where there are no more characteristic models than this."""


def spared(learner: Learner[Theory], size: int) -> Learner[Theory]:
    """The learner in the usual layers."""
    return cached(inferred(learner, size))


def closures_theory(size: int) -> Learner[Theory]:
    """`closures_only`, its theory alone; a run that is not certified has none."""
    found = yield from closures_only(size)
    return found.theory


def through_closures(learner: Learner[Theory], size: int) -> Learner[Theory]:
    """The learner, its own kinds of queries answered by closure and equivalence queries: Table 1 of the paper."""
    return through(learner, handlers((Close, Equivalent), size))


LEARNERS: dict[str, Callable[[int], Learner[Theory]]] = {
    "clh": clh,
    "clh, spared": lambda size: spared(clh(size), size),
    "frugal": lambda size: spared(frugal(size), size),
    "closures-only": lambda size: spared(closures_theory(size), size),
    "afp": afp,
    "afp, spared": lambda size: spared(afp(size), size),
    "afp through closures": lambda size: through_closures(afp(size), size),
    "afp through closures, spared": lambda size: spared(through_closures(afp(size), size), size),
    "lrn": lrn,
    "lrn, spared": lambda size: spared(lrn(size), size),
    "lrn through closures": lambda size: through_closures(lrn(size), size),
    "lrn through closures, spared": lambda size: spared(through_closures(lrn(size), size), size),
    "explore": lambda size: spared(explore(size), size),
}
"""Spared: behind `inferred` and `cached`, as the front door puts every learner."""

ASKS_NO_EQUIVALENCE = ("closures-only", "explore")


@dataclass(frozen=True, slots=True)
class Task:
    """A target, how counterexamples are chosen, and who learns it."""

    name: str
    policy: str
    learner: str
    target: Callable[[], Theory]

    @property
    def key(self) -> str:
        return f"{self.name} | {self.policy} | {self.learner}"

    @property
    def slow(self) -> bool:
        """Whether it takes minutes."""
        return (self.name, self.learner) in SLOW

    def counted(self) -> str:
        """What reaches the oracle, as it is committed. The result is checked against the canonical basis."""
        target, counts = self.target(), no_counts()
        oracle = KnownTheory(target, POLICIES.get(self.policy, first))

        def exhausted(query: Query) -> str | None:
            most = MOST_ASKED_OF_PEOPLE if query.kind == "implication" else MOST
            return f"{SHORT[query.kind]} > {most}, stopped" if counts[query.kind] >= most else None

        learned = run(limited(counted(LEARNERS[self.learner](target.size), counts), exhausted), oracle)
        if isinstance(learned, Stopped):
            return learned.reason
        if learned.in_order() != target.canonical():
            raise AssertionError(f"{self.key}: not the canonical basis")
        return shown(counts)


def shown(counts: Counts) -> str:
    return " ".join(f"{SHORT[kind]} {count}" for kind, count in counts.items() if count)


def blocks(count: int) -> Theory:
    """Pairs of attributes with one consequence in common: 2^count maximal closed sets lack it."""
    return Theory.of(2 * count + 1, [(0b11 << 2 * i, 1 << 2 * count) for i in range(count)])


def chain(size: int) -> Theory:
    """Each attribute implies the next one."""
    return Theory.of(size, [(1 << i, 1 << (i + 1)) for i in range(size - 1)])


def filled(count: int, fillers: int) -> Theory:
    """Some attributes each imply everything, and some imply nothing: where ClH's bounds are met."""
    size = count + fillers
    return Theory.of(size, [(1 << i, (1 << size) - 1) for i in range(count)])


SHIPPED: dict[str, Callable[[], Theory]] = {
    "random, 10 attributes, 12 implications": lambda: random_theory(10, 12, seed=1),
    "random, 14 attributes, 25 implications": lambda: random_theory(14, 25, seed=2),
    "random, 20 attributes, 30 implications": lambda: random_theory(20, 30, premise=(1, 2), seed=3),
    "a chain of 12": lambda: chain(12),
    "4 pairs with one consequence": lambda: blocks(4),
    "4 that imply everything, 6 fillers": lambda: filled(4, 6),
}

EVERYONE = tuple(LEARNERS)
FRUGAL = ("frugal",)
CLOSERS = ("frugal", "closures-only")
WITH_EQUIVALENCE = ("clh", "clh, spared", "frugal", "lrn", "lrn through closures", "explore")
QUICK = (*WITH_EQUIVALENCE, "closures-only")
AFP = tuple(name for name in LEARNERS if name.startswith("afp"))

REAL: dict[str, tuple[str, ...]] = {
    "theories/catdat_morphism": EVERYONE,
    "theories/catdat_functor": EVERYONE,
    "theories/catdat_category": (*WITH_EQUIVALENCE, *AFP),
    "theories/rmzoo_rca": EVERYONE,
    "theories/rmzoo_omega": EVERYONE,
    "theories/fm_e_shop": EVERYONE,
    "theories/fm_xtext": EVERYONE,
    "theories/debian_build_essential": EVERYONE,
    "theories/debian_scipy_stack": (*QUICK, *AFP),
    "theories/debian_kde_full": CLOSERS,
    "theories/npm_next_webpack": EVERYONE,
    "theories/pypi_jupyter_airflow_fastapi": (*QUICK, *AFP),
    "theories/buildroot_qt": (*QUICK, *AFP),
    "theories/buildroot_graphics": QUICK,
    "theories/buildroot_gstreamer1": QUICK,
    "theories/pibase_definite": WITH_EQUIVALENCE,
    "theories/pibase_definite_closed": FRUGAL,
    "theories/pibase_nonempty": FRUGAL,
    "theories/uci_bases/zoo_DG": EVERYONE,
    "theories/uci_bases/post-operative_DG": (*QUICK, *AFP),
    "theories/uci_bases/vote_DG": QUICK,
    "theories/uci_bases/SPECT_DG": CLOSERS,
    "theories/uci_bases/breast-cancer_DG": CLOSERS,
    "theories/uci_bases/flare_DG": CLOSERS,
    "gcc_isa/gcc_isa_unary": EVERYONE,
}
"""Who learns what of the data: all where it ends in half a minute, else those that do."""

SHAPES = tuple(
    f"theories/uci_bases/{name}_{shape}"
    for name in ("zoo", "post-operative", "vote")
    for shape in ("min", "min2", "mingen", "proper")
)
"""The same theories by other implications in another order, which decides what is a first or largest counterexample."""
REAL.update(dict.fromkeys(SHAPES, FRUGAL))

SLOW = {
    (f"theories/{name}", learner)
    for names, learners in (
        (("debian_kde_full", "uci_bases/SPECT_DG", "uci_bases/breast-cancer_DG", "uci_bases/flare_DG"), CLOSERS),
        (("catdat_category", "uci_bases/post-operative_DG", "buildroot_qt"), AFP),
        (("buildroot_graphics", "buildroot_gstreamer1"), ("closures-only",)),
    )
    for name in names
    for learner in learners
}
"""What takes long: committed, and counted again only if that is asked for."""

EXEC = "gcc_isa/gcc_isa_oracle.py by exec: | - | closures-only"
"""The compiler itself, asked through a program."""


def compiler() -> str:
    """How many closures the compiler's flags take, answered by itself. The result is verified by its certificate."""
    learned = hornbook.learn(f"exec:{sys.executable} {DATA / 'gcc_isa' / 'gcc_isa_oracle.py'}")
    if not (learned.exact and certificate.verify(learned.as_json()).ok):
        raise AssertionError(f"{EXEC}: {learned.status}")
    return shown(learned.queries)


def real(name: str) -> Callable[[], Theory]:
    def target() -> Theory:
        theory: Theory = formats.read(DATA / f"{name}.imp").value.theory  # type: ignore[union-attr]
        return theory

    return target


def tasks(targets: dict[str, Callable[[], Theory]], who: Callable[[str], tuple[str, ...]]) -> Iterator[Task]:
    for name, target in targets.items():
        for learner in who(name):
            for policy in ("-",) if learner in ASKS_NO_EQUIVALENCE else policies(name, learner):
                yield Task(name, policy, learner, target)


def policies(name: str, learner: str) -> tuple[str, ...]:
    """All kinds of counterexamples for what the project generates, those that teachers use for real theories."""
    if name in SHIPPED:
        return tuple(POLICIES)
    return ("first", "smallest", "largest") if learner == "frugal" else ("first",)


def shipped() -> list[Task]:
    return list(tasks(SHIPPED, lambda name: EVERYONE))


def of_data() -> list[Task]:
    return list(tasks({name: real(name) for name in REAL}, lambda name: REAL[name]))


@cache
def sizes(name: str) -> dict[str, int | None]:
    """The numbers on which the promises rest: n, m, k and k', the last two None where k is more than MOST_MODELS."""
    target = real(name)()
    basis = target.canonical()
    models = characteristic_models(basis, limit=MOST_MODELS)
    found: dict[str, int | None] = {"n": target.size, "m": len(basis), "k": None, "k'": None}
    if models is not None:
        closures = {known.conclusion for known in basis}
        found |= {"k": len(models), "k'": sum(model not in closures for model in models)}
    return found
