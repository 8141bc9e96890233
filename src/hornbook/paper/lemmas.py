"""Lemmas 5, 6 and 7 and Theorem 8 of the paper: what is true of every hypothesis of ClH, and what it ends with."""

from __future__ import annotations

from collections.abc import Iterator

from hornbook.paper.claims import Claim, Context, Finding, spelled
from hornbook.paper.runs import Run, studied
from hornbook.queries import Equivalent
from hornbook.theory import Theory


def hypotheses_of(runs: list[Run]) -> Iterator[tuple[Run, Theory]]:
    """Every hypothesis of every run, with its run."""
    for run in runs:
        for hypothesis in run.hypotheses:
            yield run, hypothesis


def counterexamples_are_negative(context: Context) -> Finding:
    """T entails every hypothesis, and no counterexample is a model of T."""
    runs = studied(context, "clh")
    hypotheses = entailed = shown = negative = 0
    for run in runs:
        close = run.target.closure
        for query, answer in run.records:
            if isinstance(query, Equivalent):
                hypotheses += 1
                entailed += all(i.conclusion & ~close(i.premise) == 0 for i in query.hypothesis)
                if answer is not None:
                    shown += 1
                    negative += close(answer) != answer
    return Finding(
        entailed == hypotheses and negative == shown > 0,
        f"{entailed} of {hypotheses} hypotheses entailed; {negative} of {shown} counterexamples negative",
        {"hypotheses": hypotheses, "entailed": entailed, "counterexamples": shown, "negative": negative},
    )


def positive_between(context: Context) -> Finding:
    """Lemma 6 at every hypothesis: a model between y_i & y_j and y_j for i < j, different implications violated."""
    pairs = between = hypotheses = short = different = 0
    for run, hypothesis in hypotheses_of(studied(context, "clh")):
        close = run.target.closure
        premises = [i.premise for i in hypothesis]
        hypotheses += 1
        short += len(premises) <= len(run.target)
        violated = [{k for k, i in enumerate(run.target) if not i.satisfied_by(y)} for y in premises]
        different += all(violated) and sum(map(len, violated)) == len(set().union(*violated))
        for later, y in enumerate(premises):
            for x in premises[:later]:
                pairs += 1
                between += close(x & y) & ~y == 0
    return Finding(
        between == pairs and short == different == hypotheses,
        f"a positive z for {between} of {pairs} pairs; no implication of T violated twice, and |N| <= m, in "
        f"{min(short, different)} of {hypotheses} hypotheses",
        {"pairs": pairs, "between": between, "hypotheses": hypotheses, "short": short, "different": different},
    )


def left_saturated(context: Context) -> Finding:
    """Lemma 7, as printed with bullet, and as proved: each premise satisfies all other implications, so the hypothesis
    is the canonical basis of what it represents."""
    hypotheses = quasi = others = canonical = 0
    memory: dict[Theory, tuple[bool, bool, bool]] = {}
    for _, hypothesis in hypotheses_of(studied(context, "clh")):
        if hypothesis not in memory:
            memory[hypothesis] = (
                all(context.methods.quasi_closure(hypothesis, i.premise) == i.premise for i in hypothesis),
                all(
                    j.satisfied_by(i.premise)
                    for k, i in enumerate(hypothesis)
                    for place, j in enumerate(hypothesis)
                    if place != k
                ),
                hypothesis.in_order().rules == context.methods.two_pass(hypothesis.size, hypothesis.rules),
            )
        hypotheses += 1
        one, two, three = memory[hypothesis]
        quasi, others, canonical = quasi + one, others + two, canonical + three
    return Finding(
        quasi == others == canonical == hypotheses,
        f"of {hypotheses} hypotheses {quasi} are left-saturated, {others} satisfy all other implications at each "
        f"premise, {canonical} are the canonical basis of what they represent",
        {"hypotheses": hypotheses, "quasi": quasi, "others": others, "canonical": canonical},
    )


def outputs_the_basis(context: Context) -> Finding:
    """Every run ends with the canonical basis, given by the pseudo-closed sets of its target."""
    runs = studied(context, "clh")
    right = sum(run.canonical for run in runs)
    wrong = next((run for run in runs if not run.canonical), None)
    shown = ""
    if wrong is not None:
        learned = "nothing" if wrong.learned is None else spelled(wrong.learned)
        shown = f"; of {spelled(wrong.target)} it learned {learned}"
    return Finding(right == len(runs), f"{right} of {len(runs)} runs{shown}", {"runs": len(runs), "right": right})


CLAIMS = (
    Claim(
        "Lemma 5",
        "T |= hyp(N), therefore counterexamples are always negative",
        counterexamples_are_negative,
        "hornbook.learners.clh.clh",
    ),
    Claim(
        "Lemma 6",
        "for i < j there is a positive z, y_i & y_j <= z <= y_j; the y_i violate different implications of T",
        positive_between,
        "hornbook.testing.check_lemmas",
        errata=(14,),
    ),
    Claim(
        "Lemma 7",
        "hyp(N) is left-saturated whenever equivalence is asked",
        left_saturated,
        "hornbook.testing.check_lemmas",
        corrected="more: each y_i satisfies all other implications, so hyp(N) is the canonical basis of its function",
        errata=(13, 22),
    ),
    Claim(
        "Theorem 8",
        "the output of ClH is the canonical basis of the target",
        outputs_the_basis,
        "hornbook.learners.clh.clh",
    ),
)
