"""How many questions each learner asks: exact integers, committed, compared at every run.

    python -m bench.questions                  what the project generates, and the folder of data where it is there
    python -m bench.questions --shipped        only what the project generates; a second or two
    python -m bench.questions --update         write what was counted, instead of comparing
    python -m bench.questions --table          the tables of docs/asking-little.md

What is counted is what reaches the oracle. A line that differs is printed as a diff, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hornbook import formats
from hornbook.dialogue import Learner, run
from hornbook.inference import inferred
from hornbook.layers import Counts, cached, counted, no_counts
from hornbook.learners import afp, clh, closures_only, explore, frugal, lrn
from hornbook.oracles.known import KnownTheory, Policy, adversarial, first, largest, smallest
from hornbook.testing import random_theory
from hornbook.theory import Theory

DATA = Path(os.environ.get("HORNBOOK_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
HERE = Path(__file__).parent / "questions"
POLICIES: dict[str, Policy] = {"first": first, "smallest": smallest, "largest": largest, "adversarial": adversarial}

SHORT = {
    "closure": "CQ",
    "membership": "SMQ",
    "equivalence": "EQ",
    "entailment": "EMQ",
    "entailment_equivalence": "EEQ",
    "implication": "IQ",
}


def spared(learner: Learner[Theory], size: int) -> Learner[Theory]:
    """The learner in the usual layers."""
    return cached(inferred(learner, size))


def closures_theory(size: int) -> Learner[Theory]:
    """`closures_only`, its theory alone; a run that is not certified has none."""
    found = yield from closures_only(size, most_closed=MOST_CLOSED)
    if found.uncertified:
        raise ValueError(found.reason)
    return found.theory


MOST_CLOSED = 6_000

LEARNERS: dict[str, Callable[[int], Learner[Theory]]] = {
    "clh": clh,
    "clh, spared": lambda size: spared(clh(size), size),
    "frugal": lambda size: spared(frugal(size), size),
    "closures-only": lambda size: spared(closures_theory(size), size),
    "afp": afp,
    "afp, spared": lambda size: spared(afp(size), size),
    "lrn": lrn,
    "lrn, spared": lambda size: spared(lrn(size), size),
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

    def counts(self) -> Counts:
        """What reaches the oracle. The result is checked against the canonical basis."""
        target, counts = self.target(), no_counts()
        oracle = KnownTheory(target, POLICIES.get(self.policy, first))
        learned = run(counted(LEARNERS[self.learner](target.size), counts), oracle)
        if learned.in_order() != target.canonical():
            raise AssertionError(f"{self.key}: not the canonical basis")
        return counts


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

REAL: dict[str, tuple[str, ...]] = {
    "theories/catdat_morphism": tuple(LEARNERS),
    "theories/catdat_functor": tuple(name for name in LEARNERS if name != "explore"),
    "theories/catdat_category": ("frugal",),
    "theories/rmzoo_rca": ("clh", "clh, spared", "frugal", "closures-only", "afp, spared"),
    "theories/rmzoo_omega": ("clh, spared", "frugal", "closures-only"),
    "theories/fm_e_shop": ("clh", "clh, spared", "frugal", "closures-only", "afp, spared"),
    "theories/fm_xtext": ("clh", "clh, spared", "frugal", "closures-only", "afp, spared"),
    "theories/debian_build_essential": ("clh", "clh, spared", "frugal", "closures-only", "afp, spared"),
    "theories/debian_scipy_stack": ("frugal", "closures-only"),
    "theories/npm_next_webpack": ("clh", "clh, spared", "frugal", "closures-only", "afp, spared"),
    "theories/pypi_jupyter_airflow_fastapi": ("frugal", "closures-only"),
    "theories/buildroot_qt": ("frugal", "closures-only"),
    "theories/buildroot_graphics": ("frugal", "closures-only"),
    "theories/pibase_definite": ("frugal",),
    "theories/pibase_definite_closed": ("frugal",),
    "theories/pibase_nonempty": ("frugal",),
    "theories/uci_bases/zoo_DG": tuple(name for name in LEARNERS if "lrn" not in name),
    "theories/uci_bases/post-operative_DG": ("frugal", "closures-only"),
    "theories/uci_bases/vote_DG": ("frugal", "closures-only"),
    "gcc_isa/gcc_isa_unary": ("clh", "clh, spared", "frugal", "closures-only", "afp, spared"),
}
"""Who learns what of the data: all where it ends in seconds, else those that are made for it."""


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
    return list(tasks(SHIPPED, lambda name: tuple(LEARNERS)))


def of_data() -> list[Task]:
    return list(tasks({name: real(name) for name in REAL}, lambda name: REAL[name]))


def shown(counts: Counts) -> str:
    return " ".join(f"{SHORT[kind]} {count}" for kind, count in counts.items() if count)


def committed(file: str) -> dict[str, str]:
    path = HERE / file
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return known


def compare(file: str, some: list[Task], *, update: bool) -> bool:
    """Whether all counts are as committed; prints those that are not."""
    known, same = committed(file), True
    for task in some:
        now, before = shown(task.counts()), known.get(task.key)
        if before != now:
            same = False
            print(f"  {task.key}\n- {before}\n+ {now}", flush=True)
        if update:
            known[task.key] = now
            (HERE / file).write_text(json.dumps(known, indent=0) + "\n", encoding="utf-8")
    return same


def table(file: str, policy: str) -> str:
    """Markdown: a row for each target, a column for each learner."""
    known = committed(file)
    names = list(dict.fromkeys(key.split(" | ")[0] for key in known))
    rows = ["| | " + " | ".join(LEARNERS) + " |", "| --- |" + " --- |" * len(LEARNERS)]
    for name in names:
        cells = [known.get(f"{name} | {policy} | {who}") or known.get(f"{name} | - | {who}", "") for who in LEARNERS]
        rows.append(f"| {name.split('/')[-1]} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only", default="", help="only targets whose name has this in it")
    options = parser.parse_args()
    if options.table:
        print(table("shipped.json", "adversarial"), table("data.json", "first"), sep="\n\n")
        return 0
    same = compare("shipped.json", shipped(), update=options.update)
    if not options.shipped and DATA.is_dir():
        some = [task for task in of_data() if options.only in task.name]
        same = compare("data.json", some, update=options.update) and same
    return 0 if same or options.update else 1


if __name__ == "__main__":
    sys.exit(main())
