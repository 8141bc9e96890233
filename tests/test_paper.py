"""The paper's claims: all of them hold as they are, and the right ones fail when what they rest on is made wrong."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import Any

import pytest
import typer

from hornbook import learn, paper
from hornbook.accounts import Budget
from hornbook.canonical import by_classes
from hornbook.cli.paper import paper as verb
from hornbook.equivalence import AT_ONCE, Equivalence, sampled
from hornbook.errors import CannotAnswer, Mismatch
from hornbook.layers import recorded
from hornbook.learners import afp, clh, closures_only, explore, frugal, horn, horn1, lrn
from hornbook.learners.by_closures import by_closures
from hornbook.oracles.known import KnownTheory, at_random, largest
from hornbook.paper import Item, Methods, mimics, real, report
from hornbook.paper.claims import Claim, Context, Finding, settle
from hornbook.paper.games import Game
from hornbook.paper.lower_bound import Adversary, f, play_closure, play_entailment
from hornbook.paper.mimics import at_once, bit_by_bit, late, mimic, mimic_clh, mimic_lrn
from hornbook.paper.replay import recorded_run
from hornbook.paper.sides import side_by_side
from hornbook.paper.steps import Meter, counting, linear_closure, metered
from hornbook.queries import Close, Contains, EntailmentEquivalent, Entails, Equivalent
from hornbook.sources import Settings
from hornbook.testing import random_theory
from hornbook.theory import Implication, Theory
from hornbook.transcript import read
from hornbook.universe import members
from test_learners import mutant

DOCS = Path(__file__).resolve().parents[1] / "docs"

NAMES = ("Table", "Theorem", "Lemma", "Proposition", "Corollary", "Example", "Mimic", "Open")


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return paper.run(quick=True)


@pytest.mark.slow
def test_nothing_fails_in_a_quick_run(items: list[Item]) -> None:
    assert [item.claim.item for item in items if item.verdict == "fails"] == []


@pytest.mark.slow
def test_the_page_shows_the_report_as_it_is(items: list[Item]) -> None:
    shown = [line for line in (DOCS / "paper.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert [line for line in report.page(items, DOCS).splitlines() if line.startswith("| ")] == shown


@pytest.mark.slow
def test_every_item_of_the_paper_is_there_once(items: list[Item]) -> None:
    names = [item.claim.item for item in items]
    assert len(set(names)) == len(names) and all(name.startswith(NAMES) for name in names)
    wanted = {
        *(f"Table 1, row {row}" for row in range(1, 9)),
        *(f"Table 1, row {row}, steps" for row in range(1, 9)),
        *(
            f"Table 2, row {row}{part}"
            for row in (1, 2, 3)
            for part in ("", ", random targets", ", real theories", ", steps")
        ),
        *("Theorem 1", "Proposition 2", "Theorem 3", "Theorem 4", "Lemma 5", "Lemma 6", "Lemma 7", "Theorem 8"),
        *("Theorem 9, part 1", "Theorem 9, part 2", "Theorem 10", "Corollary 2", "Example 1", "Example 2"),
        *(f"Corollary 1, part {part}" for part in (1, 2, 3)),
    }
    assert wanted <= set(names)
    assert {name.split(",")[0] for name in names if name.startswith("Open")} == {f"Open {k}" for k in range(1, 6)}
    assert all(item.claim.open == item.claim.item.startswith("Open") for item in items)


@pytest.mark.slow
def test_errata_are_exactly_those_with_a_witness(items: list[Item]) -> None:
    errata = {item.claim.item for item in items if item.verdict == "erratum"}
    assert errata == {
        "Example 1, variables",
        "Theorem 3, saturated formulas",
        "Theorem 3",
        "Table 2, row 2",
        "Table 2, caption",
        "Mimic 1, which AFP",
        "Mimic 1, query complexity",
        "Mimic 1, saturated queries",
    }
    assert all(item.claim.corrected for item in items if item.verdict == "erratum")


@pytest.mark.slow
def test_the_json_has_its_schema(items: list[Item]) -> None:
    said = json.loads(json.dumps(report.as_json(items)))
    assert said["verdicts"]["fails"] == 0 and sum(said["verdicts"].values()) == len(items)
    for item in said["items"]:
        assert list(item) == [
            *("item", "claimed", "corrected", "measured", "verdict", "open", "errata", "numbers", "code")
        ]
        assert all(isinstance(item[key], str) and item[key] for key in ("item", "claimed", "measured", "code"))
        assert item["corrected"] is None or item["corrected"]
        assert item["verdict"] in ("holds", "erratum", "fails") and isinstance(item["numbers"], dict)


@pytest.mark.slow
def test_the_text_fits_eighty_columns_and_tells_all(items: list[Item]) -> None:
    text = report.text(items)
    assert max(map(len, text.splitlines())) <= 80
    for item in items:
        assert re.search(rf"^{re.escape(item.claim.item)} \.\.+ {item.verdict}", text, re.MULTILINE)
    assert text.endswith(report.summary(items) + "\n")


def test_the_code_of_every_item_exists() -> None:
    for claim in paper.claims():
        parts = claim.code.split(".")
        for end in range(len(parts), 0, -1):
            try:
                found: Any = importlib.import_module(".".join(parts[:end]))
            except ModuleNotFoundError:
                continue
            for name in parts[end:]:
                found = getattr(found, name)
            break
        assert callable(found) or isinstance(found, Theory), claim.code
        assert (DOCS / str(report.link(claim.code, DOCS))).is_file()


ENVIRONMENTS = {"theorem": "Theorem", "lemma": "Lemma", "proposition": "Proposition", "corollary": "Corollary",
                "example": "Example"}  # fmt: skip


def numbered(source: str) -> set[str]:
    """The statements in the paper's source, with the numbers that LaTeX gives them."""
    shared = dict(re.findall(r"^\\newtheorem\{(\w+)\}\[(\w+)\]", source, re.MULTILINE))
    counts: dict[str, int] = {}
    found = set()
    for kind in re.findall(r"^\\begin\{(\w+)\}", source, re.MULTILINE):
        if kind in ENVIRONMENTS:
            counter = shared.get(kind, kind)
            counts[counter] = counts.get(counter, 0) + 1
            found.add(f"{ENVIRONMENTS[kind]} {counts[counter]}")
    return found


def test_items_have_the_numbers_that_the_paper_prints(data: Path) -> None:
    source = data.parent / "paper" / "closure-queries.tex"
    if not source.is_file():
        pytest.skip("the source of the paper is not beside the folder of real data")
    kinds = tuple(ENVIRONMENTS.values())
    names = {claim.item.split(",")[0] for claim in paper.claims() if claim.item.startswith(kinds)}
    assert names == numbered(source.read_text(encoding="utf-8"))


# The documentation


def test_every_erratum_is_in_the_errata_and_in_an_item() -> None:
    rows = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", (DOCS / "errata.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 23))
    named = {claim.item: claim for claim in paper.claims()}
    for number, cell in rows:
        for name in cell.split("; "):
            assert int(number) in named[name].errata, f"{name} does not say that it settles erratum {number}"
    told = {(number, claim.item) for claim in named.values() for number in claim.errata}
    assert {number for number, _ in told} == set(range(1, 23))


def shown(page: str) -> list[list[str]]:
    """The rows of the report's table, without what was measured."""
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and line.endswith(") |")]
    return [[row[0].removeprefix("| "), row[1], row[2], row[-1]] for row in rows]


def test_the_page_shows_every_item_with_its_code_and_the_figures() -> None:
    page = (DOCS / "paper.md").read_text(encoding="utf-8")
    wanted = shown(report.page([Item(claim, "", "holds", {}) for claim in paper.claims()], DOCS))
    assert shown(page) == wanted, "write report.page(...) into the page"
    assert len(wanted) == len(paper.claims()) and "fails |" not in page
    figures = re.findall(r"^!\[.*\]\((.*)\)$", page, re.MULTILINE)
    assert len(figures) == 4 and all((DOCS / figure).is_file() for figure in figures)


# Mutations


def failing(methods: Methods, *starts: str) -> set[str]:
    found = paper.run(methods, quick=True, only=lambda claim: claim.item.startswith(starts))
    return {item.claim.item for item in found if item.verdict == "fails"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"stop": False}, {"Lemma 6", "Lemma 7"}),
        ({"order": "last"}, {"Lemma 6", "Lemma 7"}),
        ({"order": "random"}, {"Lemma 6", "Lemma 7"}),
        ({"strict": False}, {"Theorem 4"}),
    ],
    ids=["refine all", "last first", "random order", "<= for <"],
)
def test_a_wrong_clh_fails_what_rests_on_it(changes: dict[str, Any], more: set[str]) -> None:
    methods = Methods(clh=partial(mutant, **changes))
    failed = failing(
        methods, "Theorem 4", "Lemma", "Theorem 8", "Mimic 1, ClH by HORN1", "Proposition", "Table 1, row 5"
    )
    assert failed >= {"Theorem 8", "Theorem 4, equivalence queries", "Mimic 1, ClH by HORN1", *more}
    assert not any(name.startswith(("Proposition", "Table 1")) for name in failed)


def test_the_unchanged_mutant_fails_nothing() -> None:
    assert failing(Methods(clh=mutant), "Theorem 4", "Lemma", "Theorem 8") == set()


def too_large(size: int) -> Any:
    """ClH with consequents that are all attributes: unsound, and without end where every counterexample is shown."""
    learner = clh(size)
    query = next(learner)
    try:
        while True:
            answer = yield query
            if isinstance(query, Close) and answer != query.attrs:
                answer = (1 << size) - 1
            query = learner.send(answer)
    except StopIteration as end:
        return end.value


@pytest.mark.slow
def test_an_unsound_clh_fails_lemma_5_and_ends() -> None:
    failed = failing(Methods(clh=too_large), "Lemma 5", "Theorem 4", "Theorem 8", "Mimic 1, ClH by HORN1")
    assert failed >= {"Lemma 5", "Theorem 4", "Theorem 4, equivalence queries", "Theorem 8", "Mimic 1, ClH by HORN1"}


def wrong_contains_by_closure(query: Contains) -> Any:
    """Everything but the empty set is a model."""
    yield Close(query.attrs)
    return query.attrs != 0


def asking_twice(reduction: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def twice(query: Any) -> Any:
        yield from reduction(query)
        return (yield from reduction(query))

    return twice


def lazy_close(size: int) -> Callable[[Close], Any]:
    """Asks about all attributes but the last."""

    def close(query: Close) -> Any:
        closed = query.attrs
        for attribute in range(size - 1):
            if not closed >> attribute & 1 and (yield Entails(query.attrs, attribute)):
                closed |= 1 << attribute
        return closed

    return close


def wrong_counterexample(size: int) -> Callable[[Equivalent], Any]:
    """Closes every clause under the hypothesis, whoever entails it."""

    def counterexample(query: Equivalent) -> Any:
        clause = yield EntailmentEquivalent(query.hypothesis)
        return None if clause is None else query.hypothesis.closure(clause.premise)

    return counterexample


def wrong_clause(query: EntailmentEquivalent) -> Any:
    """The premise is right, the head any attribute outside."""
    x = yield Equivalent(query.hypothesis)
    if x is None:
        return None
    outside = query.hypothesis.everything & ~x
    return Implication(x, outside & -outside)


DEFAULT = Methods()


def slow_entails(query: Entails) -> Any:
    """CQ => EMQ with n operations on sets more."""
    closed = yield Close(query.premise)
    for _ in range(20):
        closed & closed
    for _ in range(int(closed).bit_length()):
        closed & closed
    return closed >> query.attribute & 1 == 1


def slow_counterexample(size: int) -> Callable[[Equivalent], Any]:
    """EEQ + EMQ => SEQ with nm operations on sets more."""

    def counterexample(query: Equivalent) -> Any:
        for implication in query.hypothesis:
            for _ in range(size):
                implication.premise & implication.premise
        return (yield from DEFAULT.counterexample_by_clause(size)(query))

    return counterexample


def sweeping(query: EntailmentEquivalent) -> Any:
    """SEQ + CQ => EEQ, the hypothesis closed by sweeps until nothing is new: m^2 operations on sets."""
    x = yield Equivalent(query.hypothesis)
    closed, before = x, None
    while closed != before:
        before = closed
        for i in query.hypothesis:
            if i.premise & ~closed == 0:
                closed |= i.conclusion
    return (yield from DEFAULT.clause_by_counterexample(query)) if x is None else Implication(x, closed & ~x)


def slow_clh(size: int, *, sweeps: Callable[[int, int], int]) -> Any:
    """ClH with so many operations on sets more, of its attributes and implications, at each premise."""
    hypothesis = Theory(size)
    while (x := (yield Equivalent(hypothesis))) is not None:
        for i, known in enumerate(hypothesis):
            for _ in range(sweeps(size, len(hypothesis))):
                x & known.premise
            meet = x & known.premise
            if meet != known.premise and (closed := (yield Close(meet))) != meet:
                hypothesis = hypothesis.replace(i, Implication(meet, closed))
                break
        else:
            hypothesis = hypothesis.append(Implication(x, (yield Close(x))))
    return hypothesis


@pytest.mark.parametrize(
    ("changes", "fails"),
    [
        ({"entails_by_closure": slow_entails}, {"Table 1, row 5, steps"}),
        ({"counterexample_by_clause": slow_counterexample}, {"Table 1, row 8, steps"}),
        ({"clause_by_counterexample": sweeping}, {"Table 1, row 7, steps"}),
        ({"clh": partial(slow_clh, sweeps=lambda n, m: n)}, {"Theorem 4, steps", "Table 2, row 3, steps"}),
        ({"clh": partial(slow_clh, sweeps=lambda n, m: m)}, {"Theorem 4, steps", "Table 2, row 3, steps"}),
    ],
    ids=["entails", "counterexample", "clause", "n times", "m times"],
)
def test_steps_that_are_too_many_fail_their_item(changes: dict[str, Any], fails: set[str]) -> None:
    steps = {*(f"Table 1, row {row}, steps" for row in range(1, 9)), "Theorem 4, steps", "Table 2, row 3, steps"}
    assert failing(replace(DEFAULT, **changes), *steps) == fails


@pytest.mark.parametrize(
    ("changes", "fails"),
    [
        ({"contains_by_closure": wrong_contains_by_closure}, {"Table 1, row 6", "Corollary 1, part 3"}),
        ({"entails_by_closure": asking_twice(DEFAULT.entails_by_closure)}, {"Table 1, row 5"}),
        ({"close_by_entails": lazy_close}, {"Table 1, row 3", "Theorem 9, part 1"}),
        ({"counterexample_by_clause": wrong_counterexample}, {"Table 1, row 8"}),
        ({"clause_by_counterexample": wrong_clause}, {"Table 1, row 7"}),
        (
            {"entails_by_contains": lambda n: asking_twice(DEFAULT.entails_by_contains(n))},
            {"Table 1, row 1"},
        ),
        ({"close_by_contains": lambda n: asking_twice(DEFAULT.close_by_contains(n))}, {"Table 1, row 2"}),
        ({"contains_by_entails": lambda n: asking_twice(DEFAULT.contains_by_entails(n))}, {"Table 1, row 4"}),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_wrong_reduction_fails_its_row(changes: dict[str, Any], fails: set[str]) -> None:
    rows = {f"Table 1, row {row}" for row in range(1, 9)}
    failed = failing(replace(DEFAULT, **changes), *fails, *(f"Table 1, row {row}" for row in range(1, 9)))
    assert fails <= failed
    assert failed & rows == fails & rows, "and no other row"


def test_a_failing_row_says_where_for_a_reader() -> None:
    rows = ("Table 1, row 6", "Table 1, row 7")
    methods = replace(DEFAULT, contains_by_closure=wrong_contains_by_closure, clause_by_counterexample=wrong_clause)
    found = paper.run(methods, only=lambda claim: claim.item in rows)
    assert "{} / models {} at n = 0" in found[0].measured
    assert not any(re.search(r"_Defined|Theory\(|Implication\(", item.measured) for item in found)


def test_wrong_operators_and_learners_fail_their_items() -> None:
    def one_step(theory: Theory, x: int) -> int:
        return reduce(or_, (i.conclusion for i in theory if i.premise & ~x == 0), x)

    assert {"Proposition 2", "Proposition 2, the operator star"} <= failing(Methods(closure=one_step), "Proposition 2")
    star_for_bullet = Methods(quasi_closure=Theory.closure)
    assert {"Example 2", "Example 1, canonical basis"} <= failing(star_for_bullet, "Example")
    single_pass = Methods(by_classes=lambda size, rules: by_classes(size, rules)[:-1])
    assert "Theorem 3, the procedure of Section 2.4" in failing(single_pass, "Theorem 3")
    assert "Mimic 1, ClH by HORN1" in failing(Methods(horn1=horn), "Mimic 1, ClH by HORN1")
    assert "Mimic 1, saturated queries" in failing(Methods(afp=DEFAULT.afp_published), "Mimic 1, saturated")
    assert "Table 2, row 2, random targets" in failing(Methods(lrn=clh), "Table 2, row 2")


@pytest.mark.slow
def test_an_order_of_positive_examples_that_is_none_fails_its_item(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = ("Mimic 1, late positive examples", "Mimic 1, one bit at a time")
    assert failing(DEFAULT, *orders) == set()
    monkeypatch.setattr(mimics, "late", at_once)
    monkeypatch.setattr(mimics, "bit_by_bit", at_once)
    assert failing(DEFAULT, *orders) == set(orders)
    monkeypatch.setattr(mimics, "late", bit_by_bit)
    monkeypatch.setattr(mimics, "bit_by_bit", late)
    assert failing(DEFAULT, *orders) == set(orders)


@pytest.mark.parametrize("wrong", [lambda value: value * 50, lambda value: value + 1, lambda value: 7])
def test_wrong_values_of_games_fail_the_open_items(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    value = Game.value
    monkeypatch.setattr(Game, "value", lambda *given: wrong(value(*given)))
    failed = failing(DEFAULT, *(f"Open {number}" for number in range(1, 5)))
    assert len(failed) == 4


def test_open_items_say_what_their_verdict_is_about(items: list[Item]) -> None:
    for item in items:
        if item.claim.open:
            assert "The verdict is about" in item.measured
    assert re.search(r"\d+ hold, \d+ errata, 6 open, 0 fail$", report.summary(items))


def test_verdicts_follow_from_findings() -> None:
    def verdict(holds: bool, refuted: bool, corrected: str | None) -> str:
        found = Finding(holds, "measured", {}, refuted)
        return settle(Claim("Lemma 0", "claimed", lambda context: found, "hornbook", corrected), Context()).verdict

    assert verdict(True, False, None) == verdict(True, False, "sharper") == "holds"
    assert verdict(True, True, "corrected") == "erratum"
    assert verdict(True, True, None) == verdict(False, True, "corrected") == verdict(False, False, None) == "fails"


@pytest.mark.parametrize("error", [CannotAnswer("no way"), IndexError("no way"), AssertionError("no way")])
def test_a_method_that_breaks_fails_its_claim_and_says_why(error: Exception) -> None:
    def broken(context: Context) -> Finding:
        raise error

    item = settle(Claim("Lemma 0", "claimed", broken, "hornbook"), Context())
    assert item.verdict == "fails" and f"{type(error).__name__}: no way" in item.measured


# Mimics


def run_of(learner: Callable[[int], Any], target: Theory, seed: int) -> list[Any]:
    from hornbook.dialogue import run

    records: list[Any] = []
    run(recorded(learner(target.size), lambda query, answer: records.append((query, answer))),
        KnownTheory(target, at_random(seed)))  # fmt: skip
    return records


@pytest.mark.parametrize("form", [afp, partial(afp, keep=False), horn1], ids=["afp", "published", "horn1"])
@pytest.mark.parametrize("teach", [at_once, late, bit_by_bit])
def test_a_mimic_is_a_true_run_of_afp(form: Callable[[int], Any], teach: Any) -> None:
    for seed in range(12):
        target = random_theory(7, 7, seed=seed).canonical()
        for learner, mimicking in ((clh, mimic_clh), (lrn, mimic_lrn)):
            found = mimicking(run_of(learner, target, seed), learner=form, teach=teach)
            # Every answer that AFP was told is true, by the target and not by the recorded run.
            for query, answer in found.transcript:
                if isinstance(query, Contains):
                    assert answer == target.satisfies(query.attrs)
                elif answer is not None:
                    assert query.hypothesis.satisfies(answer) != target.satisfies(answer)
            assert found.learned is not None and found.learned.equivalent(target)
            assert found.same or teach is late
            if teach is at_once:
                assert found.asked(Equivalent) == found.equivalences + found.taught <= 2 * found.equivalences - 1
                assert found.asked(Contains) == found.sign_tests


def test_a_run_that_was_cut_off_is_mimicked_as_far_as_it_goes() -> None:
    whole = run_of(clh, random_theory(6, 6, seed=3).canonical(), 1)
    for end in range(1, len(whole)):
        cut = whole[:end]
        if isinstance(whole[end][0], Equivalent):
            found = mimic(cut)
            assert found.learned is None and found.original == cut


def test_what_cannot_be_mimicked_says_so() -> None:
    with pytest.raises(Mismatch, match="empty"):
        mimic([])
    with pytest.raises(Mismatch, match="start"):
        mimic([(Close(0), 0)])
    target = Theory.of(4, [(1, 3), (2, 6), (4, 12)])
    with pytest.raises(Mismatch, match="was to be mimicked"):
        for seed in range(20):
            mimic_clh(run_of(clh, target, seed), learner=horn)


def test_two_runs_side_by_side_fit_eighty_columns() -> None:
    for learner, kind in ((clh, "ClH"), (lrn, "LRN")):
        target = random_theory(9, 9, seed=2).canonical()
        found = mimic(run_of(learner, target, 0))
        shown = side_by_side(found)
        lines = shown.splitlines()
        assert max(map(len, lines)) <= 80 and lines[0].startswith(kind) and lines[0].endswith("| AFP")
        body = lines[2 : lines.index("")]
        left = [line[:38] for line in body]
        right = [line[41:] for line in body]
        assert sum(line.startswith(("SEQ", "EEQ", "CQ", "EMQ")) for line in left) == len(found.original)
        assert sum(line.startswith(("SEQ", "SMQ")) for line in right) == len(found.transcript)
        assert f"a = {found.equivalences} " in shown


# The lower bound, and steps


def test_the_adversary_never_lies() -> None:
    for size in (1, 2, 3, 4):
        for start in range(2**size):
            adversary = Adversary(size)
            told = [(x, adversary.contains(x)) for x in [*range(start, 2**size), *range(start)]]
            consistent = [x for x in range(2**size - 1) if all(f(size, x).satisfies(y) == answer for y, answer in told)]
            assert consistent == sorted(adversary.left) and len(consistent) == 1


def test_whoever_asks_less_is_refuted() -> None:
    def guess(size: int, count: int) -> Any:
        for x in range(count):
            if (yield Contains(x)):
                return x
        return count

    for size in (2, 3, 4):
        for count in range(2**size - 1):
            play = play_closure(size, guess(size, count))
            assert play.right == (count >= 2**size - 2) and play.queries == count
            if play.refuted_by is not None:
                assert play.refuted_by.closure(0) != play.answer
                assert not any(play.refuted_by.satisfies(x) for x in range(count)), "all answers are true of it"
    with pytest.raises(CannotAnswer, match="membership queries alone"):
        play_closure(3, clh(3))
    assert not play_entailment(3, 0, guess(3, 2)).sure


def test_steps_are_counted_exactly() -> None:
    meter = Meter()

    def asking() -> Any:
        x = yield Close(0)
        y = x & 6  # A set.
        z = y | 1  # An attribute.
        w = int(z >> 2 & 1)  # Two, for one at a position.
        return z == 7, w, list(members(x))  # A set, and four for each of two attributes and one for the end.

    learner = metered(asking(), meter)
    assert next(learner) == Close(0)
    with pytest.raises(StopIteration) as end:
        learner.send(6)
    assert end.value.value == (True, 1, [1, 2])
    assert (meter.sets, meter.attributes) == (2, 3 + 9) and meter.bits(10) == 32
    for seed in range(20):
        theory = random_theory(8, 12, premise=(0, 3), seed=seed)
        for x in range(0, 256, 5):
            assert linear_closure(theory.rules, x)[0] == theory.closure(x)
            counted = counting(Meter(), theory)
            assert counted.closure(x) == theory.closure(x) and counted.rules == theory.rules


# Determinism and the command line

SAY = """
import json
from hornbook import paper
from hornbook.paper import report
starts = ("Example", "Lemma 7", "Table 1, row 8", "Table 2, row 1, random", "Open 3", "Mimic 1, ClH by HORN1")
print(json.dumps(report.as_json(paper.run(only=lambda claim: claim.item.startswith(starts)))))
"""


def test_two_processes_with_other_hash_seeds_report_the_same() -> None:
    def said(seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-c", SAY], env=environment, capture_output=True, text=True, check=True
        ).stdout

    one = said("1")
    assert len(json.loads(one)["items"]) >= 10 and one == said("2")


@pytest.fixture
def command() -> Callable[..., int]:
    app = typer.Typer()
    app.callback()(lambda: None)
    app.command()(verb)
    return lambda *arguments: app(["paper", *map(str, arguments)], standalone_mode=False) or 0


def test_the_command_prints_text_and_json(command: Callable[..., int], capsys: Any, tmp_path: Path) -> None:
    assert command("--quick", "--item", "Example 2") == 0
    assert "Example 2, the operator bullet ..." in capsys.readouterr().out
    assert command("--quick", "--item", "Table 1, row 3", "--format", "json") == 0
    said = json.loads(capsys.readouterr().out)
    assert [item["item"] for item in said["items"]] == ["Table 1, row 3", "Table 1, row 3, steps"]
    assert command("--quick", "--item", "Example 1", "-o", tmp_path / "report.json") == 0
    assert len(json.loads((tmp_path / "report.json").read_text())["items"]) == 3


def test_an_item_is_named_whole_and_a_page_is_written_as_one(
    command: Callable[..., int], capsys: Any, tmp_path: Path
) -> None:
    assert command("--quick", "--item", "Theorem 1") == 0
    assert "1 items: 1 hold" in capsys.readouterr().out
    assert command("--quick", "--item", "Theorem 10", "-o", tmp_path / "r.md") == 0
    page = (tmp_path / "r.md").read_text()
    assert page.startswith("| item | claimed") and "f_x with x = " in page.replace("\\", "")


def test_the_command_names_what_there_is(command: Callable[..., int]) -> None:
    from hornbook.errors import FormatError

    with pytest.raises(FormatError, match="they start with Theorem, Proposition"):
        command("--item", "Tabel")


def test_a_folder_gets_the_report_with_figures(
    command: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    assert command("--quick", "--item", "Example", "-o", tmp_path / "report") == 0
    made = {path.name for path in (tmp_path / "report").iterdir()}
    assert {"report.txt", "report.md", "report.json", "queries-by-n.png", "queries-by-m.png"} <= made
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert len(links) >= 5 + 4 and all((tmp_path / "report" / link).is_file() for link in links)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CannotAnswer, match=r"hornbook\[plots\]"):
        command("--quick", "--item", "Example", "-o", tmp_path / "other")
    assert not (tmp_path / "other").exists(), "said before any work"


def test_real_theories_are_measured_with_those_of_a_folder(data: Path) -> None:
    found = paper.run(data=data, only=lambda claim: claim.item.endswith("real theories"))
    assert len(found) == 4 and all(item.verdict == "holds" for item in found)
    assert "quadrilaterals" in found[0].measured and "catdat_functor" in found[0].measured
    assert "operations on bits" in found[0].measured and "files left out" in found[0].measured


def test_the_theories_that_are_made_are_what_everyone_knows() -> None:
    relations, divisibility, quadrilaterals = (theory for _, theory in real.collected(None, 70).theories)
    reflexive, _, symmetric, _, _, transitive, total, _, serial, *_ = (1 << i for i in range(relations.size))
    assert relations.closure(symmetric | transitive | serial) & reflexive
    assert relations.closure(total) & reflexive and not relations.closure(symmetric | transitive) & reflexive
    two, three, six = 1, 2, 1 << 4
    assert divisibility.closure(two | three) & six and not divisibility.closure(two) & three
    assert len(quadrilaterals) == 11 and quadrilaterals.closure(quadrilaterals.everything >> 1)


def test_a_folder_says_what_of_it_is_left_out_and_must_hold_something(
    command: Callable[..., int], tmp_path: Path, capsys: Any
) -> None:
    from hornbook.errors import FormatError

    with pytest.raises(FormatError, match=r"no theory to measure: it has no \.imp files"):
        command("--quick", "--item", "Table 2, row 3, real theories", "--data", tmp_path)
    (tmp_path / "broken.imp").write_text("a b")
    with pytest.raises(FormatError, match=r"broken\.imp: "):
        command("--quick", "--item", "Table 2, row 3, real theories", "--data", tmp_path)
    (tmp_path / "animals.imp").write_bytes(ANIMALS.read_bytes())
    assert command("--quick", "--item", "Table 2, row 3, real theories", "--data", tmp_path) == 0
    said = capsys.readouterr()
    assert "left out: broken.imp: " in said.err and "animals" in said.out and "4 of 4 runs right" in said.out


# Transcripts that `learn` wrote

ANIMALS = Path(__file__).resolve().parents[1] / "examples" / "animals.imp"


def closing(names: list[str]) -> list[str]:
    """A function that knows a -> b, b c -> d, d -> e."""
    held = set(names)
    for premise, conclusion in (("a", "b"), ("bc", "d"), ("d", "e"), ("a", "b"), ("bc", "d"), ("d", "e")):
        if held >= set(premise):
            held.add(conclusion)
    return sorted(held)


def as_the_command_line_draws(size: int) -> Equivalence:
    return sampled(size, epsilon=0.05, delta=0.05, seed=0, at_once=AT_ONCE)


SOURCES: dict[str, tuple[Any, dict[str, Any]]] = {
    "definite": (random_theory(7, 7, seed=4), {}),
    "largest": (random_theory(6, 8, seed=1), {"settings": Settings(policy=largest)}),
    "general": (ANIMALS, {}),
    "general by closures": (ANIMALS, {"equivalence": by_closures}),
    "function by closures": (closing, {"attributes": list("abcde"), "equivalence": by_closures}),
    "function by samples": (
        closing,
        {"attributes": list("abcde"), "equivalence": as_the_command_line_draws},
    ),
    "theory by samples": (random_theory(7, 7, seed=4), {"equivalence": as_the_command_line_draws}),
}


@pytest.mark.parametrize("learner", [clh, lrn])
@pytest.mark.parametrize("source", SOURCES)
def test_a_transcript_of_learn_is_mimicked_with_all_that_was_inferred(
    learner: Callable[[int], Any], source: str, tmp_path: Path
) -> None:
    what, more = SOURCES[source]
    own: list[Any] = []

    def noted(size: int) -> Any:
        return (yield from recorded(learner(size), lambda query, answer: own.append((query, answer))))

    path = tmp_path / "run.jsonl"
    learned = learn(what, learner=noted, transcript=path, **more)
    assert learned.inferred, "else this shows nothing"
    header, records = recorded_run(path)
    # Where an oracle answers closures alone, runs of both may write the same file; it is taken for one of ClH.
    assert records == own or (learner is lrn and what is closing)
    found = mimic(records)
    assert found.learned is not None and found.learned.in_order().rules == learned.theory.rules
    assert header.universe == learned.universe and found.same


@pytest.mark.parametrize("teach", [at_once, late, bit_by_bit])
@pytest.mark.parametrize("learner", [clh, lrn])
def test_a_run_that_was_cut_anywhere_is_mimicked_with_true_answers_alone(
    learner: Callable[[int], Any], teach: Any, tmp_path: Path
) -> None:
    target = random_theory(6, 8, seed=1)
    whole = learn(target, learner=learner, transcript=tmp_path / "whole.jsonl", settings=Settings(policy=largest))
    for most in range(1, sum(whole.queries.values())):
        path = tmp_path / f"{most}.jsonl"
        learn(target, learner=learner, transcript=path, settings=Settings(policy=largest), budget=Budget(queries=most))
        found = mimic(recorded_run(path)[1], teach=teach)
        assert found.learned is None
        for query, answer in found.transcript:
            if isinstance(query, Contains):
                assert answer == target.satisfies(query.attrs)
            else:
                assert query.hypothesis.satisfies(answer) != target.satisfies(answer)


def test_the_mimic_that_is_written_is_a_transcript_itself(command: Callable[..., int], tmp_path: Path) -> None:
    run, mimic_of = tmp_path / "run.jsonl", tmp_path / "mimic.jsonl"
    learned = learn(ANIMALS, learner=clh, transcript=run)
    for form in ("2011", "kept", "horn1"):
        for positives in ("at-once", "late", "bits"):
            assert command("--mimic", run, "--afp", form, "--positives", positives, "-o", mimic_of) == 0
            header, facts = read(mimic_of)
            assert header.universe == learned.universe and header.definite
            assert {fact.query.kind for fact in facts} == {"equivalence", "membership"}
            with pytest.raises(Mismatch, match=r"no run of clh or lrn .* left over; accepted are"):
                command("--mimic", mimic_of)


def test_transcripts_of_other_learners_are_refused(command: Callable[..., int], tmp_path: Path, capsys: Any) -> None:
    target = random_theory(6, 8, seed=1)
    for other in (afp, frugal, explore, closures_only):
        path = tmp_path / f"{other.__name__}.jsonl"
        learn(target, learner=other, transcript=path)
        with pytest.raises(Mismatch, match="no run of clh or lrn"):
            command("--mimic", path)
    path = tmp_path / "run.jsonl"
    learn(target, learner=clh, transcript=path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[3:]))  # Not cut off, but with a hole.
    with pytest.raises(Mismatch, match="left over"):
        command("--mimic", path)
    path.write_text(lines[0])
    with pytest.raises(Mismatch, match="empty"):
        command("--mimic", path)
    path.write_text("".join(lines))
    assert command("--mimic", path) == 0
    assert "| AFP" in capsys.readouterr().out
