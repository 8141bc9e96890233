"""Section 4.2 of the paper, run: AFP mimics every recorded run of ClH and LRN, with the exact counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hornbook.dialogue import Session
from hornbook.errors import Mismatch
from hornbook.paper.claims import Claim, Context, Finding, Make
from hornbook.paper.lemmas import hypotheses_of
from hornbook.paper.mimics import Mimic, Teach, at_once, mimic_clh, mimic_lrn
from hornbook.paper.runs import Run, four, play, policies, random_targets, small_theories, studied
from hornbook.paper.saturation import saturated_in_2011
from hornbook.queries import Close, Contains, EntailmentEquivalent, Equivalent
from hornbook.theory import Theory


def mimics_of(context: Context, name: str, teach: Teach = at_once) -> list[tuple[Run, Mimic | None]]:
    """Every studied run of ClH with its mimic by this form of AFP, None where it cannot be mimicked."""

    def make() -> list[tuple[Run, Mimic | None]]:
        found: list[tuple[Run, Mimic | None]] = []
        for run in studied(context, "clh")[:: context.either(2, 4)]:
            try:
                found.append((run, mimic_clh(run.records, learner=getattr(context.methods, name), teach=teach)))
            except Mismatch:
                found.append((run, None))
        return found

    return context.once(("mimics", name, teach.__name__), make)


def _exact(run: Run, mimic: Mimic | None) -> bool:
    """Whether the mimic asks about every hypothesis of the run, learns the basis, and asks exactly what it ought to."""
    if mimic is None or mimic.learned is None or run.learned is None:
        return False
    a, b, p = mimic.equivalences, mimic.sign_tests, mimic.taught
    appended = len(run.learned)
    return (
        mimic.same
        and run.canonical
        and mimic.learned.equivalent(run.target)
        and mimic.asked(Equivalent) == a + p
        and p <= a - 1
        and mimic.asked(Contains) == b
        and run.counts["closure"] == b + appended
        and appended <= a - 1
    )


def mimicked(context: Context, name: str) -> Finding:
    """Each run of ClH beside that of AFP, hypothesis by hypothesis."""
    pairs = mimics_of(context, name)
    exact = sum(_exact(run, mimic) for run, mimic in pairs)
    steps = sum(len(mimic.steps) for _, mimic in pairs if mimic is not None)
    return Finding(
        exact == len(pairs),
        f"{exact} of {len(pairs)} runs of ClH mimicked, {steps} hypotheses one by one, the counts exact",
        {"runs": len(pairs), "exact": exact, "hypotheses": steps},
    )


def counts_of_mimics(context: Context) -> Finding:
    """The three totals of the paper, and the exact ones."""
    pairs = [(run, mimic) for run, mimic in mimics_of(context, "afp_published") if mimic is not None]
    asks_ab = total = both = equal = largest = 0
    exact = len(pairs) == len(mimics_of(context, "afp_published")) and all(_exact(run, mimic) for run, mimic in pairs)
    for run, mimic in pairs:
        a, b, p = mimic.equivalences, mimic.sign_tests, mimic.taught
        clh = len(run.records)
        asks_ab += run.counts["closure"] == a + b
        total += clh == 2 * a + b
        both += clh == len(mimic.transcript)
        # Without reuse of the sign test as the consequent, ClH asks a - 1 closures more than b.
        equal += 2 * a - 1 + b == len(mimic.transcript)
        exact = exact and len(mimic.transcript) == a + p + b <= 2 * a - 1 + b
        largest = max(largest, p)
    return Finding(
        exact,
        f"of {len(pairs)} runs {asks_ab} ask a + b CQs and {total} make 2a + b queries; exactly: ClH b + appends CQs, "
        f"AFP a + p SEQs and b SMQs; equal totals in {both} runs, in {equal} if ClH asks consequents anew; p up to "
        f"{largest}",
        {"runs": len(pairs), "a + b": asks_ab, "2a + b": total, "equal": both, "equal without reuse": equal},
        refuted=asks_ab < len(pairs) and total < len(pairs),
    )


def horn_is_not_mimicking(context: Context) -> Finding:
    """HORN rebuilds its clauses at each negative counterexample, so one closure does not bring it back."""
    pairs = mimics_of(context, "horn")
    lost = sum(not (mimic is not None and mimic.same) for _, mimic in pairs)
    right = all(_exact(run, mimic) for name in ("afp", "horn1") for run, mimic in mimics_of(context, name))
    return Finding(
        right,
        f"{lost} of {len(pairs)} runs of ClH cannot be mimicked by HORN; none is lost by HORN1 and the form of 2011",
        {"runs": len(pairs), "lost": lost},
        refuted=lost > 0,
    )


def queries_are_saturated(context: Context) -> Finding:
    """Every hypothesis of AFP, as published and with positive membership answers kept; and the witness."""
    counts = {}
    for name in ("afp_published", "afp"):
        hypotheses = unsaturated = 0
        known: dict[Theory, bool] = {}
        for _, hypothesis in hypotheses_of(_runs_of_afp(context, name)):
            if hypothesis not in known:
                known[hypothesis] = saturated_in_2011(context, hypothesis)
            hypotheses += 1
            unsaturated += not known[hypothesis]
        counts[name] = [hypotheses, unsaturated]
    witness = _witness(context)
    (published, bad), (kept, none) = counts["afp_published"], counts["afp"]
    return Finding(
        none == 0 and kept > 0,
        f"as published, {bad} of {published} hypotheses are not saturated, among them {witness}; with positive "
        f"membership answers kept as examples {none} of {kept}",
        {"published": counts["afp_published"], "kept": counts["afp"], "witness": witness},
        refuted=bad > 0 or witness != "no witness",
    )


def _runs_of_afp(context: Context, name: str) -> list[Run]:
    make: Make = getattr(context.methods, name)
    return context.once(
        ("runs of afp", name),
        lambda: [
            play(make, target, policy)
            for target in [*small_theories(), *four(context, 5), *random_targets(context)]
            for policy in policies(context)
        ],
    )


WITNESS = Theory.of(4, [(0, 0b1000), (0b1001, 0b1101), (0b1010, 0b1110)])
"""{} -> d, ad -> c, bd -> c."""

SHOWN = (0b1001, 0b1101, 0b1010, 0b1110, 0b0001, 0b0110)
"""Counterexamples after which AFP as published asks about {} -> cd, bd -> bcd: the premise bd is not closed under the
first implication."""


def _witness(context: Context) -> str:
    """The unsaturated hypothesis to which AFP as published is led by SHOWN, or that there is none."""
    session = Session(context.methods.afp_published(4))
    for x in (*SHOWN, None):
        while isinstance(session.query, Contains):
            session.answer(WITNESS.satisfies(session.query.attrs))
        if not isinstance(session.query, Equivalent):
            return "no witness"
        hypothesis = session.query.hypothesis
        if x is None:
            break
        if hypothesis.satisfies(x) == WITNESS.satisfies(x):
            return "no witness"
        session.answer(x)
    if saturated_in_2011(context, hypothesis):
        return "no witness"
    return "{}->cd, bd->c" if hypothesis.rules == [(0, 0b1100), (0b1010, 0b1110)] else str(hypothesis.rules)


# LRN


def mimicked_lrn(context: Context, name: str) -> Finding:
    """Each run of LRN beside that of AFP: clause by clause, hypothesis by hypothesis."""
    runs = _runs_of_lrn(context)
    exact = hypotheses = 0
    for run in runs:
        try:
            mimic = mimic_lrn(run.records, learner=getattr(context.methods, name))
        except Mismatch:
            continue
        a, b, p = mimic.equivalences, mimic.sign_tests, mimic.taught
        hypotheses += len(mimic.steps)
        learned = mimic.learned
        exact += (
            mimic.same
            and learned is not None
            and run.canonical
            and sorted(learned.rules) == sorted(run.target.rules)
            and mimic.asked(Equivalent) == a + p
            and p <= a - 1
            and mimic.asked(Contains) == b
        )
    return Finding(
        exact == len(runs),
        f"{exact} of {len(runs)} runs of LRN mimicked, {hypotheses} hypotheses one by one, SEQ = a + p, SMQ = b",
        {"runs": len(runs), "exact": exact, "hypotheses": hypotheses},
    )


def clauses_become_negatives(context: Context) -> Finding:
    """w_i, the closure of the premise under the hypothesis: a model of it, not of the target, without the head."""
    clauses = right = 0
    for run in _runs_of_lrn(context):
        for query, clause in run.records:
            if isinstance(query, EntailmentEquivalent) and clause is not None:
                w = query.hypothesis.closure(clause.premise)
                clauses += 1
                right += (
                    query.hypothesis.satisfies(w)
                    and run.target.closure(w) != w
                    and clause.conclusion & ~w != 0
                    and run.target.entails(clause)
                )
    return Finding(
        clauses == right > 0, f"{right} of {clauses} counterexample clauses", {"clauses": clauses, "right": right}
    )


def lrn_is_clh(context: Context) -> Finding:
    """LRN ends with the canonical basis, and each of its hypotheses is one of ClH on the same counterexamples."""
    runs = _runs_of_lrn(context)
    right = sum(run.canonical for run in runs)
    same = sum(_hypotheses_by_clh(context, run) == run.hypotheses for run in runs)
    return Finding(
        right == same == len(runs),
        f"{right} of {len(runs)} runs of LRN end with the canonical basis; ClH has the same hypotheses in {same}",
        {"runs": len(runs), "right": right, "same": same},
    )


def _hypotheses_by_clh(context: Context, run: Run) -> list[Theory]:
    """What ClH asks about when it is shown the counterexamples of this run of LRN as sets."""
    clauses: Iterator[object] = iter([a for q, a in run.records if isinstance(q, EntailmentEquivalent)])
    session = Session(context.methods.clh(run.target.size))
    asked: list[Theory] = []
    while session.query is not None and len(asked) <= len(run.records):
        query = session.query
        if isinstance(query, Equivalent):
            asked.append(query.hypothesis)
            clause = next(clauses, None)
            session.answer(None if clause is None else query.hypothesis.closure(getattr(clause, "premise", 0)))
        elif isinstance(query, Close):
            session.answer(run.target.closure(query.attrs))
        else:
            raise Mismatch(f"ClH asks {query}")
    return asked


def _runs_of_lrn(context: Context) -> list[Run]:
    return context.once(
        "runs of lrn",
        lambda: [
            play(context.methods.lrn, target, policy, sound=True)
            for target in [*small_theories(), *four(context)[:: context.either(1, 3)], *random_targets(context)]
            for policy in policies(context)
        ],
    )


MIMICS = "hornbook.paper.mimics"
FORMS = (
    ("afp_published", "the form of 2011"),
    ("afp", "the form of 2011 that keeps positive answers"),
    ("horn1", "HORN1"),
)


OF_CLH = (
    *(
        Claim(
            f"Mimic 1, ClH by {form}",
            "each run of ClH can be mimicked through a run of AFP",
            partial(mimicked, name=name),
            f"{MIMICS}.mimic_clh",
        )
        for name, form in FORMS
    ),
    Claim(
        "Mimic 1, which AFP",
        "AFP, without qualification (Angluin, Frazier, Pitt 1992 give HORN, too)",
        horn_is_not_mimicking,
        f"{MIMICS}.mimic_clh",
        "HORN1 and the form of 2011 only; HORN forgets earlier consequents",
        (18,),
    ),
    Claim(
        "Mimic 1, query complexity",
        "ClH: a SEQs and a + b CQs; AFP: at most 2a SEQs and b SMQs; both 2a + b in total",
        counts_of_mimics,
        f"{MIMICS}.Mimic",
        "ClH: a SEQs, b + m CQs (b + a - 1 if consequents are asked anew); AFP: a + p SEQs with p <= a - 1, b SMQs",
        (4,),
    ),
    Claim(
        "Mimic 1, saturated queries",
        "all queries of AFP are saturated (cited from 2011)",
        queries_are_saturated,
        "hornbook.learners.afp.afp",
        "so they are if positive membership answers are kept as examples; the mimics are not affected",
        (21,),
    ),
)

OF_LRN = (
    *(
        Claim(
            f"Mimic 2, LRN by {form}",
            "each run of LRN can be mimicked through a run of AFP",
            partial(mimicked_lrn, name=name),
            f"{MIMICS}.mimic_lrn",
        )
        for name, form in FORMS
    ),
    Claim(
        "Mimic 2, counterexample clauses",
        "w_i, the closure of A_i under the i-th hypothesis, is a negative counterexample without x_i",
        clauses_become_negatives,
        f"{MIMICS}.mimic_lrn",
        "the same, x_i being the head of the clause, not an assignment",
        (16,),
    ),
    Claim(
        "Mimic 2, LRN constructs the canonical basis",
        "LRN already constructs the canonical basis, because AFP's queries are saturated",
        lrn_is_clh,
        "hornbook.learners.lrn.lrn",
        "it does, and no detour is needed: each hypothesis of LRN is one of ClH",
        (21,),
    ),
)
