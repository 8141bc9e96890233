"""The front door: what is learned, what it is worth, what it cost, and that every account adds up."""

from __future__ import annotations

from functools import partial

import pytest

import hornbook as hb
from hornbook import certificate, equivalence, facts, sources, worth
from hornbook.accounts import Budget, Care
from hornbook.errors import BadAnswer, CannotAnswer, FormatError, Mismatch, TimeIsUp
from hornbook.formats.values import BinaryTable, NamedFormula
from hornbook.learners.by_closures import by_closures
from hornbook.oracles.known import at_random
from hornbook.queries import (
    Close,
    CloseAll,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Unspecified,
)
from hornbook.sources import Settings
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Theory
from test_learners import general_theories
from test_reductions import Only

NAMES = list("abcdef")
TARGET = random_theory(6, 7, premise=(1, 3), seed=4)


def black_box(theory: Theory, names: list[str]):
    """The closure function of a theory, on names; None for what is contradictory."""
    universe = hb.Universe.of(names)

    def closure(given: list[str]) -> list[str] | None:
        attrs = universe.attrs(given)
        return universe.names_in(theory.closure(attrs)) if theory.consistent(attrs) else None

    return closure


def test_every_small_closure_function_is_learned_with_a_proof() -> None:
    for size in range(4):
        for theory in every_theory(size):
            names = NAMES[:size]
            learned = hb.learn(black_box(theory, names), attributes=names)
            assert learned.theory == theory.canonical() and learned.exact
            assert learned.learner == "closures-only"
            assert learned.queries["equivalence"] == 0
            verdict = certificate.verify(learned.as_json())
            assert verdict.ok, verdict.lines()


def test_every_small_general_horn_function_is_learned_with_a_proof() -> None:
    for size in range(4):
        for definite in every_theory(size):
            theory = Theory(size, definite.implications, top=False)
            names = NAMES[:size]
            learned = hb.learn(black_box(theory, names), attributes=names)
            assert learned.theory.top is False and learned.theory.equivalent(theory)
            assert certificate.verify(learned.as_json()).ok


def test_a_known_theory_is_learned_by_the_frugal_learner_and_equivalence() -> None:
    learned = hb.learn(TARGET, attributes=NAMES)
    assert learned.learner == "frugal" and learned.exact and learned.theory == TARGET.canonical()
    assert learned.queries["equivalence"] >= 1
    assert certificate.verify(learned.as_json(), source=hb.KnownTheory(TARGET)).ok


@pytest.mark.parametrize(
    "learner", [hb.clh, hb.frugal, hb.afp, hb.horn1, hb.lrn, hb.explore, hb.closures_only, hb.horn]
)
@pytest.mark.parametrize("policy", [None, 1])
def test_every_learner_gives_the_same_basis(learner, policy) -> None:
    settings = Settings(policy=at_random(policy)) if policy else Settings()
    learned = hb.learn(TARGET, attributes=NAMES, learner=learner, settings=settings)
    assert learned.theory == TARGET.canonical() and learned.exact
    result = learned.as_json()
    assert certificate.verify(result).ok and result["learner"] == learner.__name__.replace("_", "-")


@pytest.mark.parametrize("learner", [hb.clh, hb.frugal, hb.afp, hb.horn1, hb.lrn])
def test_a_chosen_equivalence_is_asked_even_where_the_oracle_compares_itself(learner) -> None:
    learned = hb.learn(TARGET, attributes=NAMES, learner=learner, equivalence=by_closures)
    assert learned.exact and learned.theory == TARGET.canonical()
    assert learned.queries["equivalence"] == learned.queries["entailment_equivalence"] == 0
    sampling = partial(equivalence.sampled, epsilon=0.1, delta=0.1, seed=1)
    learned = hb.learn(TARGET, attributes=NAMES, learner=learner, equivalence=sampling)
    assert learned.status.status == "probably approximately correct" and learned.status.samples
    assert learned.queries["equivalence"] == learned.queries["entailment_equivalence"] == 0


@pytest.mark.parametrize("learner", [hb.explore, hb.closures_only])
def test_a_learner_that_compares_nothing_is_exact_however_that_would_be_done(learner) -> None:
    sampling = partial(equivalence.sampled, epsilon=0.1, delta=0.1, seed=1)
    learned = hb.learn(TARGET, attributes=NAMES, learner=learner, equivalence=sampling)
    assert learned.exact and learned.theory == TARGET.canonical()


@pytest.mark.parametrize("policy", [None, 3])
def test_nothing_is_called_exact_that_neither_answers_nor_a_comparison_prove(policy) -> None:
    def unasked(size: int):
        return Theory(size)
        yield

    background = Theory.of(6, [(1, 2), (4, 56)])
    assert not TARGET.entails(background)
    settings = Settings(policy=at_random(policy)) if policy else Settings()
    for learner in (
        partial(hb.explore, background=background),
        partial(hb.explore, examples=[1]),
        unasked,
    ):
        learned = hb.learn(TARGET, NAMES, learner=learner, settings=settings)
        assert learned.status.status == "incomplete" and "does not follow" in str(learned.status.reason)
        assert TARGET.entails(learned.theory) and certificate.verify(learned.as_json()).ok
    good = partial(hb.explore, examples=TARGET.characteristic_models())
    assert hb.learn(TARGET, NAMES, learner=good).status.status == "incomplete", "nobody asked for the examples"


ORACLES = [
    (Close,),
    (CloseAll,),
    (Contains,),
    (Correct,),
    (Unspecified,),
    (Entails,),
    (Contains, Equivalent),
    (Unspecified, Equivalent),
    (Entails, EntailmentEquivalent),
    (Correct, Equivalent),
]
COMPARING = {
    "by itself": None,
    "by closures": by_closures,
    "by samples": partial(equivalence.sampled, epsilon=0.01, delta=0.01, seed=1),
    "by all sets": equivalence.exhaustive,
    "in a chain": lambda size: equivalence.chain(equivalence.suggested([0]), by_closures(size)),
}


@pytest.mark.parametrize("comparing", COMPARING)
@pytest.mark.parametrize("kinds", ORACLES, ids=lambda kinds: " and ".join(kind.__name__ for kind in kinds))
def test_every_general_horn_oracle_is_learned_whatever_it_answers(kinds, comparing) -> None:
    for size in range(3):
        for theory, family in general_theories(size):
            oracle = Only(theory, *kinds, seed=size)
            learned = hb.learn(oracle, NAMES[:size], equivalence=COMPARING[comparing])
            assert sorted(learned.theory.models()) == family
            assert learned.exact or comparing == "by samples"
            assert certificate.verify(learned.as_json(), source=hb.KnownTheory(theory)).ok


def test_a_membership_oracle_that_compares_is_learned_as_the_paper_does_it() -> None:
    target = random_theory(25, 12, seed=1)
    learned = hb.learn(Only(target, Contains, Equivalent), list("abcdefghijklmnopqrstuvwxy"), care=Care(probe=30))
    assert learned.learner == "afp" and learned.exact and learned.theory == target.canonical()
    assert learned.queries["membership"] <= len(learned.theory) ** 2 * 25 and learned.more["probes"] == 30


def test_implication_questions_alone_leave_it_open_whether_all_attributes_are_a_model() -> None:
    learned = hb.learn(Only(TARGET, Holds), NAMES)
    assert learned.exact and learned.status.guarantee == "if the set of all attributes is a model"
    assert learned.theory == TARGET.canonical()


def test_the_result_has_the_keys_that_others_rely_on() -> None:
    result = hb.learn(TARGET, attributes=NAMES).as_json()
    assert result["format"] == "hornbook/1" and result["status"] == "exact"
    kinds = {"closure", "membership", "equivalence", "entailment", "entailment_equivalence", "implication"}
    assert set(result["queries"]) == set(result["asked"]) == kinds
    assert all(type(count) is int for count in result["queries"].values()) and type(result["inferred"]) is int
    for implication in result["implications"]:
        assert not set(implication["premise"]) & set(implication["conclusion"])
    assert {"learner", "oracle", "seconds", "attributes"} <= set(result)


def test_counts_are_what_reached_the_oracle() -> None:
    calls: list[tuple[str, ...]] = []
    box = black_box(TARGET, NAMES)

    def counting(names: list[str]) -> list[str] | None:
        calls.append(tuple(names))
        return box(names)

    learned = hb.learn(counting, attributes=NAMES)
    assert learned.queries["closure"] == len(calls) == len(set(calls))
    assert learned.asked["closure"] >= learned.queries["closure"] - 1


def test_a_budget_of_queries_ends_a_run_with_what_is_certain() -> None:
    whole = hb.learn(black_box(TARGET, NAMES), attributes=NAMES)
    for most in range(whole.queries["closure"]):
        learned = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, budget=Budget(queries=most))
        assert learned.status.status == "incomplete" and f"budget of {most} queries" in str(learned.status.reason)
        assert learned.queries["closure"] <= most
        assert TARGET.entails(learned.theory)
        result = learned.as_json()
        assert certificate.verify(result).ok
        forged = {**result, "status": "exact"}
        del forged["reason"]
        assert not certificate.verify(forged | {"checksum": certificate.checksum(forged)}).ok


@pytest.mark.parametrize("path", [None, "run.jsonl"])
def test_a_budget_that_ends_within_a_batch_loses_nothing(tmp_path, path) -> None:
    whole = hb.learn(TARGET, NAMES, learner=hb.closures_only)
    for most in range(1, whole.queries["closure"]):
        book = None if path is None else tmp_path / f"{most}-{path}"
        learned = hb.learn(TARGET, NAMES, learner=hb.closures_only, budget=Budget(queries=most), transcript=book)
        assert learned.queries["closure"] == most and TARGET.entails(learned.theory)
        assert book is None or len(book.read_text().splitlines()) == 1 + most
    assert len(learned.theory) > 2


def test_what_cuts_the_proof_short_leaves_the_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    for cut, reason in ((KeyboardInterrupt, "interrupted"), (TimeIsUp, "the time of 9 s is over")):

        def derived(*_: object, cut: type[BaseException] = cut, **__: object) -> None:
            raise cut

        monkeypatch.setattr(worth, "derived", derived)
        learned = hb.learn(TARGET, NAMES, budget=Budget(seconds=9))
        assert learned.theory == TARGET.canonical() and learned.status.status == "incomplete"
        assert str(learned.status.reason) == f"{reason} before the proof was made"


@pytest.mark.parametrize("ending", [TimeIsUp, KeyboardInterrupt])
def test_an_ending_at_the_very_end_costs_only_a_second_try(monkeypatch: pytest.MonkeyPatch, ending) -> None:
    canonical, rings = Theory.canonical, iter([True])

    def rung(theory: Theory) -> Theory:
        if next(rings, False):
            raise ending
        return canonical(theory)

    monkeypatch.setattr(Theory, "canonical", rung)
    assert hb.learn(TARGET, NAMES).theory == canonical(TARGET)


def test_the_same_names_do_not_make_the_same_source(tmp_path) -> None:
    path = tmp_path / "run.jsonl"
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,0\n0,1\n")
    universe = hb.Universe.of(["a", "b"])
    formulas = [NamedFormula(universe, ((1,),)), NamedFormula(universe, ((2,),))]
    tables = [BinaryTable.of(universe, rows) for rows in ([1, 2], [1, 3])]
    theories = [Theory.of(2, [(1, 2)]), Theory.of(2, [(2, 1)])]
    functions = [lambda names: names, lambda names: ["a", "b"]]
    for first, other in (formulas, tables, theories, map(hb.KnownTheory, theories), functions):
        names = None if isinstance(first, NamedFormula | BinaryTable) else ["a", "b"]
        hb.learn(first, names, transcript=path)
        hb.learn(first, names, transcript=path)
        with pytest.raises(Mismatch):
            hb.learn(other, names, transcript=path)
        path.unlink()
    hb.learn(table, transcript=path)
    with pytest.raises(Mismatch, match="was read as something else"):
        hb.learn(table, transcript=path, settings=Settings("relation"))


def test_a_budget_of_implications_and_of_time() -> None:
    learned = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, budget=Budget(implications=2))
    assert learned.status.status == "incomplete" and "more than 2 implications" in str(learned.status.reason)
    assert len(learned.theory) > 2
    learned = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, budget=Budget(seconds=0))
    assert learned.status.status == "incomplete" and "0 s" in str(learned.status.reason)


def test_an_interrupted_run_gives_what_is_certain() -> None:
    box = black_box(TARGET, NAMES)
    asked = 0

    def impatient(names: list[str]) -> list[str] | None:
        nonlocal asked
        asked += 1
        if asked == 6:
            raise KeyboardInterrupt
        return box(names)

    learned = hb.learn(impatient, attributes=NAMES)
    assert learned.status.status == "incomplete" and learned.status.reason == "interrupted"
    assert TARGET.entails(learned.theory)


def test_a_resumed_run_gives_the_result_of_a_run_that_was_not_stopped(tmp_path) -> None:
    whole = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, transcript=tmp_path / "whole.jsonl")
    path = tmp_path / "run.jsonl"
    calls: list[tuple[str, ...]] = []
    box = black_box(TARGET, NAMES)

    def black_box_too(names: list[str]) -> list[str] | None:
        calls.append(tuple(names))
        return box(names)

    black_box_too.__qualname__ = box.__qualname__
    while True:
        learned = hb.learn(black_box_too, attributes=NAMES, transcript=path, budget=Budget(queries=3))
        if learned.exact:
            break
    assert len(calls) == len(set(calls)) == whole.queries["closure"], "nothing was asked twice"
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    one, other = whole.as_json(), learned.as_json()
    assert all(one[key] == other[key] for key in one if key not in ("seconds", "checksum"))


def test_sampled_equivalence_says_what_it_is_worth() -> None:
    sampled = partial(equivalence.sampled, epsilon=0.1, delta=0.05, seed=1)
    learned = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, equivalence=sampled)
    result = learned.as_json()
    assert result["status"] == "probably approximately correct"
    assert (result["epsilon"], result["delta"]) == (0.1, 0.05) and result["queries"]["equivalence"] == 0
    assert learned.learner == "frugal" and TARGET.entails(learned.theory)
    assert certificate.verify(result).ok
    again = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, equivalence=sampled)
    assert again.theory == learned.theory and again.queries == learned.queries


@pytest.mark.parametrize("learner", [hb.clh, hb.afp, hb.horn1, hb.lrn, hb.frugal])
def test_closures_answer_equivalence_for_any_learner(learner) -> None:
    learned = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, learner=learner, equivalence=by_closures)
    assert learned.theory == TARGET.canonical() and learned.exact
    assert certificate.verify(learned.as_json()).ok


def test_a_learner_without_a_way_to_equivalence_says_so() -> None:
    with pytest.raises(CannotAnswer, match="no way to answer Equivalent"):
        hb.learn(black_box(TARGET, NAMES), attributes=NAMES, learner=hb.clh)


# Oracles that misbehave.


def test_an_oracle_that_contradicts_itself_is_shown_its_answers() -> None:
    def fickle(names: list[str]) -> list[str]:
        return names if len(names) != 1 else [*names, "a", "b"] if names == ["c"] else names

    with pytest.raises(BadAnswer, match="contradict each other") as error:
        hb.learn(fickle, attributes=list("abc"), care=Care(probe=30))
    assert '"ask": "closure"' in str(error.value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((Close(3), 7), (Contains(3), True)),
        ((Close(1), 3), (Close(1), 1)),
        ((Close(1), 3), (Close(5), 5)),
        ((Equivalent(Theory(6)), None), (Equivalent(Theory(6)), 1)),
    ],
)
def test_contradictions_in_a_transcript_are_found_before_anything_is_asked(tmp_path, one, other) -> None:
    path, universe = tmp_path / "run.jsonl", hb.Universe.of(NAMES)
    oracle = Workers(TARGET, 1)
    hb.learn(oracle, NAMES, transcript=path, budget=Budget(queries=0))
    lines = [facts.encode(*one, universe), facts.encode(Close(63), 63, universe), facts.encode(*other, universe)]
    path.write_text(path.read_text() + "\n".join(lines) + "\n")
    with pytest.raises(BadAnswer, match="these 2 answers contradict each other") as error:
        hb.learn(oracle, NAMES, transcript=path)
    assert "line 2: " in str(error.value) and "line 4: " in str(error.value) and oracle.asked == 0


def test_probes_are_counted_apart() -> None:
    plain = hb.learn(black_box(TARGET, NAMES), attributes=NAMES)
    probed = hb.learn(black_box(TARGET, NAMES), attributes=NAMES, care=Care(probe=20))
    assert probed.theory == plain.theory and probed.as_json()["probes"] == 20
    assert probed.queries["closure"] <= plain.queries["closure"]


class Answers:
    """An oracle that answers these kinds of query alone."""

    def __init__(self, oracle: object, *methods: str) -> None:
        for method in methods:
            setattr(self, method, getattr(oracle, method))


MODELS = [
    ("closures",),
    ("entails", "distinguishing_clause"),
    ("contains", "counterexample"),
    ("correction", "counterexample"),
    ("unspecified",),
]


@pytest.mark.parametrize("methods", MODELS)
@pytest.mark.parametrize("learner", [hb.clh, hb.frugal, hb.afp, hb.horn1, hb.lrn, hb.explore, hb.closures_only])
def test_every_layer_at_once_over_every_model_and_general_horn_targets(tmp_path, methods, learner) -> None:
    equivalence = by_closures if methods in (("closures",), ("unspecified",)) else None
    for number, definite in enumerate(theory for size in range(3) for theory in every_theory(size)):
        for top in (True, False):
            target = Theory(definite.size, definite.implications, top)
            oracle, path = Answers(hb.KnownTheory(target), *methods), tmp_path / f"{number} {top}"
            care = Care(repeat=1 + number % 2 * 2, probe=number % 3)
            put = partial(hb.learn, oracle, NAMES[: target.size], learner=learner, equivalence=equivalence, care=care)
            put(transcript=path, budget=Budget(queries=number))
            learned = put(transcript=path)
            assert learned.exact and learned.theory == target.canonical()
            assert learned.as_json() | {"seconds": 0, "checksum": ""} == put().as_json() | {
                "seconds": 0,
                "checksum": "",
            }


class Workers:
    """An oracle of closures that notes how many are in flight at once; `fails` is what it fails with, and when."""

    def __init__(self, theory: Theory, workers: int, fails: tuple[int, BaseException] | None = None) -> None:
        self.theory, self.workers, self.fails, self.asked = theory, workers, fails, 0
        self.flights: list[int] = []

    def closure(self, attrs: int) -> int | None:
        self.asked += 1
        self.flights.append(1)
        return self.theory.closure(attrs)

    def closures(self, sets):
        self.flights.append(len(sets))
        self.asked += len(sets)
        if self.fails is not None and self.asked >= self.fails[0]:
            failure = self.fails[1]
            failure.answered = [(attrs, self.theory.closure(attrs)) for attrs in sets[1:]]
            raise failure
        return [self.theory.closure(attrs) for attrs in sets]


@pytest.mark.parametrize(
    ("learner", "way", "name"),
    [
        (None, None, "oracle"),
        (hb.closures_only, None, "none asked"),
        (hb.explore, by_closures, "none asked"),
        (hb.clh, by_closures, "closures"),
        (hb.afp, partial(equivalence.sampled, epsilon=0.1, delta=0.1, seed=1), "sampled"),
        (hb.clh, equivalence.exhaustive, "all sets"),
        (hb.clh, lambda size: equivalence.from_theory(TARGET), "a given theory"),
        (
            hb.clh,
            lambda size: equivalence.chain(equivalence.suggested([0]), by_closures(size)),
            "suggested sets, then closures",
        ),
    ],
)
def test_the_result_names_how_equivalence_was_answered(learner, way, name) -> None:
    assert hb.learn(TARGET, NAMES, learner=learner, equivalence=way).as_json()["equivalence"] == name


def test_the_result_names_what_is_unknown_however_a_run_of_closures_ended() -> None:
    whole = hb.learn(Workers(TARGET, 1), NAMES)
    assert "uncertified" not in whole.more
    budgets = [Budget(closed_sets=1)] + [Budget(queries=most) for most in range(whole.queries["closure"])]
    for budget in budgets:
        learned = hb.learn(Workers(TARGET, 1), NAMES, budget=budget)
        unknown = learned.as_json()["uncertified"]
        assert unknown
        for name in set(NAMES) - set(unknown):
            position = NAMES.index(name)
            wrong = [x for x in range(64) if (learned.theory.closure(x) ^ TARGET.closure(x)) >> position & 1]
            assert not wrong, "what is not named is certain"
    assert unknown != NAMES
    assert "uncertified" not in hb.learn(TARGET, NAMES, budget=Budget(queries=2)).more


@pytest.mark.parametrize(("clauses", "horn"), [(((-1, 2),), True), (((1, 2),), False), (((1, 2), (1, -2)), True)])
def test_it_is_said_whether_a_formula_is_horn_even_where_the_run_ends_early(clauses, horn) -> None:
    formula = NamedFormula(hb.Universe.of(["a", "b"]), clauses)
    for budget in (None, Budget(queries=1)):
        learned = hb.learn(formula, budget=budget)
        assert learned.exact == (budget is None) and learned.more["horn"] is horn
    assert "horn" not in hb.learn(TARGET, NAMES).more


def test_what_is_known_to_be_definite_is_not_asked_about_the_set_of_all_attributes() -> None:
    table = BinaryTable.of(hb.Universe.of(["a", "b"]), [0b01, 0b10])
    learned = hb.learn(table)
    assert learned.inferred == 0 and learned.asked["membership"] == 0 and learned.exact


def test_an_incomplete_run_keeps_the_closed_sets_that_came_up_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Budget().closed_sets or 0) < worth.MOST_KEPT
    monkeypatch.setattr(worth, "MOST_CLOSED", 1)
    learned = hb.learn(Workers(TARGET, 1), NAMES, budget=Budget(queries=12))
    assert len(learned.proof.closed or ()) > 2 and certificate.verify(learned.as_json()).ok
    monkeypatch.setattr(worth, "MOST_KEPT", 1)
    learned = hb.learn(Workers(TARGET, 1), NAMES, budget=Budget(queries=12))
    assert learned.proof.closed is None and "more than 1 closed sets" in learned.proof.reason


@pytest.mark.parametrize(
    ("most", "care", "way"),
    [
        (4, Care(), None),
        (4, Care(probe=60), None),
        (3, Care(repeat=3), None),
        (4, Care(), partial(equivalence.sampled, epsilon=0.1, delta=0.1, seed=1, at_once=8)),
    ],
)
def test_workers_are_given_work_together_and_change_nothing(tmp_path, most, care, way) -> None:
    texts, flights = [], []
    for workers in (1, 4):
        oracle, path = Workers(TARGET, workers), tmp_path / str(workers)
        learned = hb.learn(oracle, NAMES, care=care, equivalence=way, transcript=path)
        texts.append((path.read_bytes(), learned.as_json() | {"seconds": 0, "checksum": ""}))
        flights.append(oracle.flights)
    assert texts[0] == texts[1]
    assert max(flights[0]) == 1 and max(flights[1]) == most
    if care.probe or care.repeat > 1:
        assert len(flights[1]) < 0.6 * sum(flights[1]), "most of them were in flight together"


@pytest.mark.parametrize("failure", [CannotAnswer("it hangs"), KeyboardInterrupt(), BadAnswer("no set")])
def test_the_answers_that_a_failed_batch_did_get_are_kept(tmp_path, failure) -> None:
    path = tmp_path / "run.jsonl"
    oracle = Workers(TARGET, 4, (5, failure))
    if isinstance(failure, KeyboardInterrupt):
        learned = hb.learn(oracle, NAMES, transcript=path)
        assert learned.queries["closure"] == 6 and learned.status.reason == "interrupted"
        assert certificate.verify(learned.as_json()).ok
    else:
        with pytest.raises(type(failure)):
            hb.learn(oracle, NAMES, transcript=path)
    assert len(path.read_text().splitlines()) == 1 + 4 + 2
    oracle.fails, before = None, oracle.asked
    assert hb.learn(oracle, NAMES, transcript=path).exact
    kept = path.read_text().splitlines()[1:]
    assert len(kept) == len(set(kept)) == oracle.asked - before + 6


def test_a_budget_counts_what_is_asked_again() -> None:
    oracle = Workers(TARGET, 1)
    learned = hb.learn(oracle, NAMES, care=Care(repeat=3), budget=Budget(queries=10))
    assert learned.queries["closure"] == oracle.asked == 9


def test_a_budget_that_ends_within_the_probes_leaves_no_negative_count() -> None:
    care = Care(probe=5)
    learned = hb.learn(black_box(TARGET, NAMES), NAMES, care=care, budget=Budget(queries=2))
    assert learned.as_json()["probes"] == 2 and learned.queries["closure"] == 0


@pytest.mark.parametrize("learner", [hb.afp, hb.horn1, hb.horn])
def test_an_unsound_hypothesis_that_sampling_finds_good_enough_agrees_with_all_answers(learner) -> None:
    for seed in range(20):
        target = random_theory(6, 8, seed=seed)
        sampled = partial(equivalence.sampled, epsilon=0.4, delta=0.5, seed=seed)
        learned = hb.learn(black_box(target, NAMES), NAMES, learner=learner, equivalence=sampled)
        assert certificate.verify(learned.as_json(), source=None).ok


def test_a_batch_of_a_wavering_oracle_is_outvoted_set_by_set() -> None:
    class Wavering(hb.KnownTheory):
        asked = 0

        def closures(self, sets):
            Wavering.asked += 1
            right = super().closures(sets)
            return [63, *right[1:]] if Wavering.asked == 1 else right

    learned = hb.learn(Wavering(TARGET), NAMES, learner=hb.closures_only, care=Care(repeat=3))
    assert learned.theory == TARGET.canonical()
    assert len(learned.as_json()["wavered"]) == 1 and '"set": []' in learned.as_json()["wavered"][0]


@pytest.mark.parametrize("said", [64, -1, True, "ab", 1.0, [1]])
def test_what_is_no_set_is_refused_before_a_transcript_has_it(tmp_path, said) -> None:
    class Garbage:
        def closure(self, attrs):
            return said

    with pytest.raises(BadAnswer, match="is no answer to Close"):
        hb.learn(Garbage(), NAMES, transcript=tmp_path / "t")
    assert len((tmp_path / "t").read_bytes().splitlines()) == 1


def test_a_learner_that_is_partial_has_the_name_of_the_whole() -> None:
    assert hb.learn(TARGET, NAMES, learner=partial(hb.afp, keep=False)).learner == "afp"


@pytest.mark.parametrize("source", [TARGET, hb.KnownTheory(TARGET)])
def test_a_theory_wants_a_name_for_each_attribute(source) -> None:
    for names in (NAMES[:5], [*NAMES, "g"]):
        with pytest.raises(FormatError, match="the theory is over 6"):
            hb.learn(source, names)


def test_a_wavering_oracle_is_outvoted_and_never_silently() -> None:
    box = black_box(TARGET, NAMES)
    asked = 0

    def wavers(names: list[str]) -> list[str] | None:
        nonlocal asked
        asked += 1
        return NAMES if asked % 7 == 0 else box(names)

    learned = hb.learn(wavers, attributes=NAMES, care=Care(repeat=3))
    assert learned.theory == TARGET.canonical()
    result = learned.as_json()
    assert result["repeat"] == 3 and len(result["wavered"]) == asked // 7
    assert learned.queries["closure"] == asked


@pytest.mark.parametrize(
    ("function", "error", "says"),
    [
        (lambda names: ["zz", *names], BadAnswer, "zz"),
        (lambda names: names[1:], BadAnswer, "a is missing"),
        (lambda names: "a", BadAnswer, "list of names"),
        (lambda names: 1 / 0, CannotAnswer, "ZeroDivisionError"),
    ],
)
def test_a_function_that_misbehaves_is_named(function, error, says: str) -> None:
    with pytest.raises(error, match=says):
        hb.learn(function, attributes=list("ab"))


def test_a_name_is_no_learner_and_no_way_to_answer_equivalence() -> None:
    with pytest.raises(FormatError, match=r"write learner=hornbook\.closures_only"):
        hb.learn(TARGET, NAMES, learner="closures-only")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="write equivalence=by_closures"):
        hb.learn(TARGET, NAMES, equivalence="sampled")  # type: ignore[arg-type]


def test_a_frame_of_values_is_a_relation_by_settings() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"name": ["Ann", "Bob"], "town": ["Rome", "Rome"]})
    with pytest.raises(FormatError) as error:
        hb.learn(frame)
    assert 'settings=hornbook.Settings(as_="relation")' in error.value.__notes__[0]
    assert hb.learn(frame, settings=hb.Settings(as_="relation")).implications == [([], ["town"])]


def test_what_was_opened_by_the_caller_stays_open() -> None:
    closed = []

    class Closing(Workers):
        def close(self) -> None:
            closed.append(True)

    with sources.opened(Closing(TARGET, 1), Settings(attributes=NAMES)) as target:
        assert hb.learn(target).exact and not closed
    assert closed


def test_a_function_needs_attributes() -> None:
    with pytest.raises(FormatError, match=r"attributes=\[\.\.\.\]"):
        hb.learn(lambda names: names)
    with pytest.raises(FormatError, match="appears twice"):
        hb.learn(lambda names: names, attributes=["a", "a"])


def test_oracles_bring_their_universe_or_are_given_one() -> None:
    class Chain:
        def closure(self, attrs: int) -> int:
            return (1 << attrs.bit_length()) - 1

    learned = hb.learn(Chain(), attributes=list("abc"))
    assert learned.implications == [(["b"], ["a"]), (["c"], ["a", "b"])]
    assert learned.closure(["b"]) == ["a", "b"]
    assert str(learned) == "# attributes: a b c\nb -> a\nc -> a b\n"


def test_a_table_goes_in_as_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [True, False], "b": [True, True]}, index=["x", "y"])
    learned = hb.learn(frame)
    assert learned.exact and learned.implications == [([], ["b"])]


def test_those_who_bring_their_own_loop_use_a_session() -> None:
    session = hb.Session(hb.closures_only(3))
    while session.query is not None:
        sets = session.query.sets if not isinstance(session.query, Close) else (session.query.attrs,)
        closed = [attrs | (2 if attrs & 1 else 0) for attrs in sets]
        session.answer(closed if len(sets) != 1 or not isinstance(session.query, Close) else closed[0])
    assert session.result.theory == Theory.of(3, [(1, 3)])
