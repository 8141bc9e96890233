"""Section 4.2 of the paper, run: AFP learns the same if positive examples come late, or take an attribute at a time.

That every run learns the basis says nothing of the order; so each positive example is looked at, too: whether it could
have come later, or have taken less.
"""

from __future__ import annotations

from collections.abc import Iterator

from hornbook.paper import mimics
from hornbook.paper.claims import Claim, Context, Finding
from hornbook.paper.mimic_claims import mimics_of
from hornbook.paper.mimics import Mimic, Step, Teach, too_large
from hornbook.paper.runs import Run
from hornbook.queries import Equivalent
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, members

FORMS = ("afp", "afp_published", "horn1")


def come_late(context: Context) -> Finding:
    """A positive example comes when the next negative one would look positive without it, and not before."""
    forced = positives = delayed = differing = 0
    for _, mimic in _mimicked(context, mimics.late):
        waiting: set[Attrs] = set()
        differ = 0
        for step in mimic.steps:
            for hypothesis, positive in _positives(step):
                positives += 1
                forced += _needs_one(step, hypothesis)
                delayed += any(
                    wanted.conclusion == positive and wanted.premise in waiting
                    for _, wanted in too_large(hypothesis, _goal(step))
                )
            waiting = {known.premise for known, _ in too_large(_last(step), _goal(step))}
            differ += not step.same
        differing += differ > 0
    right, cases = _learned(context, mimics.late)
    return Finding(
        right == cases and forced == positives and delayed > 0 and differing > 0,
        f"{right} of {cases} runs of three forms of AFP learn the basis; {forced} of {positives} positive examples "
        f"come when the next negative one needs them, {delayed} of them after their block; in {differing} runs "
        "hypotheses differ midway",
        {
            "runs": cases,
            "right": right,
            "positives": positives,
            "forced": forced,
            "delayed": delayed,
            "differing": differing,
        },
    )


def take_one_attribute(context: Context) -> Finding:
    """Each positive example takes a single attribute from a conclusion wherever a model of the target does."""
    single = allowed = positives = 0
    for run, mimic in _mimicked(context, mimics.bit_by_bit):
        for step in mimic.steps:
            for hypothesis, positive in _positives(step):
                known, _ = too_large(hypothesis, _goal(step))[0]
                positives += 1
                if _can_lose_one(known, run.target):
                    allowed += 1
                    single += (known.conclusion & ~positive).bit_count() == 1
    right, cases = _learned(context, mimics.bit_by_bit)
    at_once = sum(mimic.taught for _, mimic in _mimicked(context, mimics.at_once))
    return Finding(
        right == cases and single == allowed > 0,
        f"{right} of {cases} runs of three forms of AFP learn the basis; a model can take one attribute for {allowed} "
        f"of {positives} positive examples, and {single} take just one; closures given at once are {at_once}",
        {
            "runs": cases,
            "right": right,
            "positives": positives,
            "allowed": allowed,
            "single": single,
            "at once": at_once,
        },
    )


def _mimicked(context: Context, teach: Teach) -> Iterator[tuple[Run, Mimic]]:
    for name in FORMS:
        for run, mimic in mimics_of(context, name, teach):
            if mimic is not None:
                yield run, mimic


def _learned(context: Context, teach: Teach) -> tuple[int, int]:
    """How many mimics learn the basis with mn positive examples at most, and how many there are."""
    right = cases = 0
    for name in FORMS:
        for run, mimic in mimics_of(context, name, teach):
            cases += 1
            if mimic is not None and mimic.learned is not None and run.canonical:
                within = mimic.asked(Equivalent) <= mimic.equivalences + len(run.target) * max(run.target.size, 1)
                right += sorted(mimic.learned.rules) == sorted(run.target.rules) and within
    return right, cases


def _positives(step: Step) -> Iterator[tuple[Theory, Attrs]]:
    """The positive counterexamples of this part of the mimic, each with the hypothesis it was shown to."""
    for query, answer in step.mimic:
        if isinstance(query, Equivalent) and answer is not None and not query.hypothesis.satisfies(answer):
            yield query.hypothesis, answer


def _goal(step: Step) -> Theory:
    """What the recorded run asked about."""
    goal: Theory = getattr(step.original[0][0], "hypothesis")  # noqa: B009
    return goal


def _last(step: Step) -> Theory:
    """What AFP asked about when it was shown the negative counterexample."""
    return [query.hypothesis for query, _ in step.mimic if isinstance(query, Equivalent)][-1]


def _needs_one(step: Step, hypothesis: Theory) -> bool:
    """Whether AFP would take the negative counterexample of this part for a positive one, or there is no other left."""
    negative = [answer for query, answer in step.mimic if isinstance(query, Equivalent)][-1]
    return negative is None or not hypothesis.satisfies(negative)


def _can_lose_one(known: Implication, target: Theory) -> bool:
    """Whether a model above the premise lacks exactly one attribute of the conclusion."""
    whole = known.premise | known.conclusion
    return any(not target.closure(whole ^ 1 << bit) >> bit & 1 for bit in members(known.added))


CLAIMS = (
    Claim(
        "Mimic 1, late positive examples",
        "positive counterexamples may come later",
        come_late,
        "hornbook.paper.mimics.late",
    ),
    Claim(
        "Mimic 1, one bit at a time",
        "right-hand sides may be reduced one bit at a time",
        take_one_attribute,
        "hornbook.paper.mimics.bit_by_bit",
    ),
)
