"""Table 2 of the paper: what AFP, LRN and ClH ask and the steps they take, with the constants that were measured.

m is the size of the canonical basis of the target, n the number of attributes. Targets are random theories, the family
{a_i -> everything} with a teacher that makes the counts as large as they get, and real theories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from hornbook.dialogue import Learner
from hornbook.oracles.known import Policy, adversarial, at_random, first
from hornbook.paper.claims import Claim, Context, Finding, Make
from hornbook.paper.real import Collection, collected
from hornbook.paper.runs import Run, closure_bound, covering, filler_by_filler, play, random_targets, slack
from hornbook.paper.steps import Meter, metered
from hornbook.theory import Theory

Bound = Callable[[Theory], int]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: the learner, its two kinds of query, and exact bounds on both."""

    number: int
    name: str
    method: str
    code: str
    membership: str
    equivalence: str
    memberships: Bound
    equivalences: Bound

    @property
    def sound(self) -> bool:
        """Whether the target entails all its hypotheses."""
        return self.name in ("LRN", "ClH")


def _size(target: Theory) -> tuple[int, int]:
    return target.size, len(target)


def _sign_tests(target: Theory) -> int:
    n, m = _size(target)
    return m * m * max(n - 1, 0) + m * (m - 1) // 2


def _equivalences_of_afp(target: Theory) -> int:
    n, m = _size(target)
    return m * max(2 * n - 1, 0) + 1


def _equivalences_of_horn1(target: Theory) -> int:
    n, m = _size(target)
    return 2 * m * n + 1


def _entailments(target: Theory) -> int:
    """Each sign test and each right-hand side takes at most n queries."""
    n, m = _size(target)
    return (_sign_tests(target) + m) * n


def _sharp(target: Theory) -> int:
    return 1 + slack(target)


ROWS = (
    Row(1, "AFP", "afp_published", "afp.afp", "membership", "equivalence", _sign_tests, _equivalences_of_afp),
    Row(1, "HORN1", "horn1", "afp.horn1", "membership", "equivalence", _sign_tests, _equivalences_of_horn1),
    Row(2, "LRN", "lrn", "lrn.lrn", "entailment", "entailment_equivalence", _entailments, _sharp),
    Row(3, "ClH", "clh", "clh.clh", "closure", "equivalence", closure_bound, _sharp),
)

SHORT = {"membership": "SMQ", "entailment": "EMQ", "closure": "CQ"}


def worst_cases(context: Context, row: Row) -> list[Run]:
    """{a_i -> everything} with as many fillers as implications, the fillers taken away one by one."""
    sizes = context.either((4, 6, 8, 12), (4, 6, 8, 12, 16, 20))
    return context.once(
        ("worst", row.method),
        lambda: [_play(context, row, covering(m, m), filler_by_filler) for m in sizes],
    )


def random_runs(context: Context, row: Row) -> list[Run]:
    """Random theories of 6 to 14 attributes and, in a thorough run, more; against random and adversarial teachers."""
    teachers: list[Policy] = [adversarial, at_random(context.seed)]
    sizes = context.either((6, 8, 10, 12), (6, 8, 10, 12, 14, 16, 20))
    return context.once(
        ("random", row.method),
        lambda: [_play(context, row, t, teacher) for t in random_targets(context, sizes) for teacher in teachers],
    )


def real_runs(context: Context, row: Row) -> list[Run]:
    """Real theories, with the counterexamples that a known theory gives first."""
    return context.once(
        ("real", row.method),
        lambda: [_play(context, row, target, first) for _, target in real(context).theories],
    )


def _play(context: Context, row: Row, target: Theory, policy: Policy) -> Run:
    """The run, cut off where it asks more than the bounds allow."""
    most = row.memberships(target) + row.equivalences(target)
    return play(getattr(context.methods, row.method), target, policy, most=most + 10, sound=row.sound)


def real(context: Context) -> Collection:
    """The real theories that are measured."""
    return context.once("real theories", lambda: collected(context.data, context.either(*MOST_REAL)))


MOST_REAL = (70, 150)
"""No basis of a real theory is larger than this in a quick run, in a thorough one."""


# Queries


def queries(context: Context, row: Row, runs: list[Run], *, names: list[str] | None = None) -> Finding:
    """Every run learns the basis within the exact bounds; the largest constants over m^2 n and mn."""
    right = within = 0
    membership = equivalence = 0.0
    for run in runs:
        n, m = _size(run.target)
        right += run.canonical
        asked, equal = run.counts[row.membership], run.counts[row.equivalence]
        within += _within(row, run)
        if m and n:
            membership = max(membership, asked / (m * m * n))
            equivalence = max(equivalence, equal / (m * n))
    on = "" if not names else " (" + ", ".join(names) + ")"
    return Finding(
        right == within == len(runs),
        f"{right} of {len(runs)} runs right, {within} within the exact bounds{on}; at most {membership:.3f} m^2 n "
        f"{SHORT[row.membership]}s, {equivalence:.3f} mn equivalence queries",
        {
            "runs": len(runs),
            "right": right,
            "within": within,
            "membership": round(membership, 4),
            "equivalence": round(equivalence, 4),
        },
    )


def _within(row: Row, run: Run) -> bool:
    """Whether the run asks the row's two kinds of query alone, and of each no more than the exact bound."""
    asked, equal = run.counts[row.membership], run.counts[row.equivalence]
    return (
        asked + equal == len(run.records)
        and asked <= row.memberships(run.target)
        and equal <= row.equivalences(run.target)
    )


def worst(context: Context, row: Row) -> Finding:
    """The constants on the worst case, for growing m = n / 2: bounded for ClH and AFP, growing for the EMQs of LRN."""
    runs = worst_cases(context, row)
    right = sum(run.canonical and _within(row, run) for run in runs)
    asked = [run.counts[row.membership] for run in runs]
    cubic = [_ratio(run, row.membership, 2, 1) for run in runs]
    equal = [_ratio(run, row.equivalence, 1, 1) for run in runs]
    text = (
        f"m = n/2 = {_list([len(run.target) for run in runs])}: {_list(asked)} {SHORT[row.membership]}s, "
        f"{_list(cubic)} m^2 n; equivalence {_list(equal)} mn"
    )
    numbers: dict[str, object] = {"asked": asked, "over m^2 n": cubic, "equivalence over mn": equal}
    if row.membership != "entailment":
        return Finding(right == len(runs) and cubic[-1] <= cubic[0], text, numbers)
    quartic = [_ratio(run, row.membership, 2, 2) for run in runs]
    # Over m^2 n the constant grows in step with n; over m^2 n^2 it does not.
    grows = all(later > 1.1 * earlier for earlier, later in pairwise(cubic))
    return Finding(
        right == len(runs) and quartic[-1] <= quartic[0],
        f"{text}; EMQs {_list(quartic)} m^2 n^2",
        numbers | {"over m^2 n^2": quartic},
        refuted=grows,
    )


def _ratio(run: Run, kind: str, m_power: int, n_power: int) -> float:
    n, m = _size(run.target)
    return round(run.counts[kind] / float(m**m_power * n**n_power), 3)


def _list(values: list[int] | list[float]) -> str:
    return ", ".join(map(str, values))


def on_real_theories(context: Context, row: Row) -> Finding:
    """Queries and steps on real theories."""
    there = real(context)
    found = queries(context, row, real_runs(context, row), names=[name for name, _ in there.theories])
    if not found.holds:
        return found
    largest = 0.0
    for _, target in there.theories:
        run, bits, _ = _measured(context, row, target, first)
        largest = max(largest, _over(bits, target))
        if not run.canonical:
            return Finding(False, f"of {target} {run.learned} was learned")
    left_out = f"; {len(there.left_out)} files left out" if there.left_out else ""
    return Finding(
        found.holds and largest <= MOST_STEPS,
        f"{found.measured}; at most {largest:.2f} m^2 n^2 operations on bits{left_out}",
        {**found.numbers, "steps": round(largest, 4), "left out": list(there.left_out)},
    )


# Steps


MOST_STEPS = 10
"""No run takes more operations on bits than this many m^2 n^2; of small m it takes the most.

AFP may be shown 2mn counterexamples and hold each against m implications, four operations on sets for each: 8 m^2 n^2.
It asks m^2 n membership queries, two operations on sets for each: 2 m^2 n^2.
"""


def steps(context: Context, row: Row) -> Finding:
    """Operations on bits over m^2 n^2: the constant does not grow on the worst case, nor is it larger elsewhere."""
    counted, on_sets, constants = [], [], []
    for m in context.either((4, 8, 12), (4, 8, 12, 16)):
        run, bits, sets = _measured(context, row, covering(m, m), filler_by_filler)
        if not run.canonical or sets < run.counts[row.equivalence]:
            return Finding(False, f"on {{a_i -> everything}} with m = {m}: {sets} steps, {run.learned} learned")
        counted.append(bits)
        on_sets.append(sets)
        constants.append(round(_over(bits, run.target), 3))
    largest = 0.0
    for target in random_targets(context):
        run, bits, _ = _measured(context, row, target, adversarial)
        largest = max(largest, _over(bits, target))
        if not run.canonical:
            return Finding(False, f"of {target} {run.learned} was learned")
    return Finding(
        all(later <= earlier for earlier, later in pairwise(constants)) and largest <= MOST_STEPS,
        f"worst case: {_list(on_sets)} operations on sets, with those on attributes {_list(counted)} on bits, "
        f"{_list(constants)} m^2 n^2; random targets: at most {largest:.2f} m^2 n^2",
        {"sets": on_sets, "bits": counted, "constants": constants, "random": round(largest, 4)},
    )


def _over(bits: int, target: Theory) -> float:
    n, m = _size(target)
    return bits / (m * m * n * n)


def _measured(context: Context, row: Row, target: Theory, policy: Policy) -> tuple[Run, int, int]:
    """A run, its operations on bits, and those on sets."""
    meter = Meter()
    run = _metered(context, row, target, policy, meter)
    return run, meter.bits(target.size), meter.sets


def _metered(context: Context, row: Row, target: Theory, policy: Policy, meter: Meter) -> Run:
    make: Make = getattr(context.methods, row.method)

    def learner(size: int) -> Learner[Theory]:
        return metered(make(size), meter)

    most = row.memberships(target) + row.equivalences(target) + 10
    return play(learner, target, policy, most=most, sound=row.sound)


def comparison(context: Context) -> Finding:
    """All three on the same targets and teachers: the worst case, and the sums over random targets."""
    afp, lrn, clh = (next(row for row in ROWS if row.method == name) for name in ("afp_published", "lrn", "clh"))
    hard = {row.name: [len(run.records) for run in worst_cases(context, row)] for row in (afp, lrn, clh)}
    usual = {row.name: sum(len(run.records) for run in random_runs(context, row)) for row in (afp, lrn, clh)}
    learned = all(run.canonical for row in (afp, lrn, clh) for run in worst_cases(context, row))
    ratio = [round(a / b, 2) for a, b in zip(hard["LRN"], hard["ClH"], strict=True)]
    published = random_runs(context, afp)
    fewer = {
        row.name: sum(
            len(one.records) < len(two.records) for one, two in zip(random_runs(context, row), published, strict=True)
        )
        for row in (lrn, clh)
    }
    targets = random_targets(context)
    taken = {row.name: [_measured(context, row, t, adversarial)[1] for t in targets] for row in (afp, lrn, clh)}
    faster = {name: sum(a < b for a, b in zip(taken[name], taken["AFP"], strict=True)) for name in ("LRN", "ClH")}
    return Finding(
        learned and fewer["ClH"] > 0 and faster["ClH"] > 0 and faster["LRN"] > 0,
        f"worst case: LRN asks {_list(ratio)} times as many queries as ClH for growing n; sums over random targets: "
        + ", ".join(f"{name} {count}" for name, count in usual.items())
        + f"; ClH asks less than AFP in {fewer['ClH']} of {len(published)} runs, LRN in {fewer['LRN']}; ClH takes "
        f"fewer operations on bits than AFP in {faster['ClH']} of {len(targets)} runs, LRN in {faster['LRN']}",
        {"worst": hard, "random": usual, "ratio": ratio, "fewer queries": fewer, "fewer steps": faster},
        refuted=ratio[-1] > 2 * ratio[0],
    )


PRINTED = {
    1: "O(m^2 n) SMQs & O(mn) SEQs",
    2: "O(m^2 n) EMQs & O(mn) EEQs",
    3: "O(m^2 n) CQs & O(mn) SEQs",
}
EXACT = {
    "AFP": "at most m^2 (n - 1) + m (m - 1) / 2 SMQs and m (2n - 1) + 1 SEQs",
    "HORN1": "at most m^2 (n - 1) + m (m - 1) / 2 SMQs and 2mn + 1 SEQs",
    "LRN": "for the LRN reconstructed here O(m^2 n) sign tests, each up to n EMQs: Theta(m^2 n^2) in the worst case",
    "ClH": "at most m^2 (n - 1) + m (m + 1) / 2 CQs and 1 + sum of (n - |P|) SEQs",
}


def _label(row: Row) -> str:
    return f"Table 2, row {row.number}" + (", HORN1" if row.name == "HORN1" else "")


def _claims() -> Iterator[Claim]:
    for row in ROWS:
        yield from _claims_of(row)
    yield Claim(
        "Table 2, caption",
        "the worst-case complexities are the same for the three algorithms; LRN and ClH may run faster than AFP",
        comparison,
        "hornbook.paper.table2.comparison",
        "those of AFP and ClH are; for the LRN reconstructed here n times as many queries are needed in the worst "
        "case; both may run faster than AFP, LRN in steps, ClH in queries, too",
        (9,),
    )


def _claims_of(row: Row) -> Iterator[Claim]:
    code = f"hornbook.learners.{row.code}"
    label, exact = _label(row), EXACT[row.name]
    errata = (9,) if row.name == "LRN" else ()
    yield Claim(label, f"{row.name}: {PRINTED[row.number]}", lambda c: worst(c, row), code, exact, errata)
    yield Claim(
        f"{label}, random targets",
        f"{row.name}: {PRINTED[row.number]}",
        lambda c: queries(c, row, random_runs(c, row)),
        code,
        exact,
    )
    yield Claim(
        f"{label}, real theories",
        f"{row.name}: {PRINTED[row.number]}, time O(m^2 n^2)",
        lambda c: on_real_theories(c, row),
        code,
        exact,
    )
    yield Claim(
        f"{label}, steps",
        f"{row.name}: time O(m^2 n^2)",
        lambda c: steps(c, row),
        code,
        "the same, oracles and queries themselves apart, if an operation on a set takes O(n), on an attribute O(1)",
        (19,),
    )


CLAIMS = tuple(_claims())
