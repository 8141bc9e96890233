"""Certificates: what they hold, and that the checker lets nothing false pass."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbook import certificate as checker
from hornbook import formats
from hornbook.accounts import Care
from hornbook.certificate import checksum, verify
from hornbook.errors import BadAnswer
from hornbook.front import learn
from hornbook.learners import closures_only, explore
from hornbook.oracles.known import KnownTheory
from hornbook.queries import KINDS
from hornbook.testing import every_theory, random_theory
from hornbook.theory import Theory
from hornbook.universe import Universe
from hornbook.witnesses import Certificate, certificate, characteristic_models, derived

NAMES = ("apple", "pear", "plum", "fig")

Result = dict[str, Any]


def universe_of(size: int) -> Universe:
    return Universe(NAMES[:size] if size <= len(NAMES) else tuple(f"x{i}" for i in range(size)))


def result_of(theory: Theory, proof: Certificate, universe: Universe | None = None, **more: Any) -> Result:
    """A result as it is written: exact unless `more` says otherwise."""
    universe = universe or universe_of(theory.size)
    implications = []
    for implication in theory:
        negative = not theory.top and implication.conclusion == theory.everything
        added = None if negative else universe.names_in(implication.added)
        implications.append({"premise": universe.names_in(implication.premise), "conclusion": added})
    if not theory.top and all(one["conclusion"] is not None for one in implications):
        implications.append({"premise": list(universe.names), "conclusion": None})
    counts = {kind: 2 * place for place, kind in enumerate(KINDS)}
    result: Result = {
        "format": "hornbook/1",
        "attributes": list(universe.names),
        "implications": implications,
        "learner": "closures-only",
        "oracle": "python:fruit:close",
        "seconds": 0.25,
        "status": "exact",
        "queries": counts,
        "asked": dict(counts),
        "inferred": 3,
        "certificate": proof.as_json(universe),
        **more,
    }
    return sealed(json.loads(json.dumps(result)))


def sealed(result: Result) -> Result:
    """The result with the checksum that its writer, or its forger, would give it."""
    result["checksum"] = checksum(result)
    return result


def every_horn_theory(size: int) -> Iterator[Theory]:
    """Every definite theory, and the same without the set of all attributes as a model."""
    for theory in every_theory(size):
        yield theory
        yield Theory(size, theory.implications, top=False)


def irreducible_models(theory: Theory) -> list[int]:
    """By definition: the closed sets that are not the intersection of the larger ones, the full set left out."""
    full = theory.everything
    closed = [attrs for attrs in range(full + 1) if all(i.satisfied_by(attrs) for i in theory)]
    found = []
    for attrs in closed:
        meet = full
        for other in closed:
            if attrs & other == attrs != other:
                meet &= other
        if meet != attrs:
            found.append(attrs)
    return sorted(found)


def failures(result: Result) -> list[str]:
    return [what for ok, what in verify(result).findings if not ok]


# Single-step mutations. Those of substance can be sealed anew by a forger and must still be found.


def toggled(names: list[str], universe: list[str]) -> Iterator[list[str]]:
    """The list with one attribute more or one less."""
    for name in universe:
        yield [other for other in names if other != name] if name in names else [*names, name]


def changes_of_substance(result: Result) -> Iterator[tuple[str, Result]]:
    universe, implications = result["attributes"], result["implications"]

    def changed(what: str, *path: Any, value: Any) -> tuple[str, Result]:
        other = copy.deepcopy(result)
        place = other
        for step in path[:-1]:
            place = place[step]
        if value is ...:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return what, other

    for i, implication in enumerate(implications):
        yield changed("an implication dropped", "implications", i, value=...)
        yield changed("an implication said twice", "implications", value=[*implications, implication])
        for premise in toggled(implication["premise"], universe):
            yield changed("a premise toggled", "implications", i, "premise", value=premise)
        if implication["conclusion"] is None:
            for name in universe:
                yield changed("a negative clause softened", "implications", i, "conclusion", value=[name])
            yield changed("a negative clause emptied", "implications", i, "conclusion", value=[])
        else:
            yield changed("a conclusion made impossible", "implications", i, "conclusion", value=None)
            for conclusion in toggled(implication["conclusion"], universe):
                yield changed("a conclusion toggled", "implications", i, "conclusion", value=conclusion)
    for premise in [[], *([name] for name in universe)]:
        for name in universe:
            more = {"premise": premise, "conclusion": [name]}
            yield changed("an implication more", "implications", value=[*implications, more])
        nothing = {"premise": premise, "conclusion": []}
        yield changed("an implication that says nothing", "implications", value=[*implications, nothing])
    closed = result["certificate"]["closed"]
    for i, attrs in enumerate(closed):
        yield changed("a closed set dropped", "certificate", "closed", i, value=...)
        yield changed("a closed set said twice", "certificate", "closed", value=[*closed, attrs])
        for other in toggled(attrs, universe):
            yield changed("a closed set toggled", "certificate", "closed", i, value=other)
    yield changed("all attributes among the closed sets", "certificate", "closed", value=[*closed, universe])
    yield changed("no closed sets at all", "certificate", "closed", value=None)
    yield changed("no certificate at all", "certificate", value=...)
    yield changed("an attribute more", "attributes", value=[*universe, "quince"])
    for i, name in enumerate(universe):
        yield changed("an attribute dropped", "attributes", i, value=...)
        yield changed("an attribute twice", "attributes", value=[*universe, name])
    for status in ("incomplete", "probably approximately correct", "certain", None):
        yield changed("another status", "status", value=status)
    for key, value in (("epsilon", 0.1), ("delta", 0.1), ("reason", "stopped at 100 queries")):
        yield changed("a limit added to an exact result", key, value=value)
    for account in ("queries", "asked"):
        yield changed("a kind of query that there is not", account, "oracular", value=1)
        for kind in KINDS:
            yield changed("a count dropped", account, kind, value=...)
            for wrong in (-1, 0.5, "3", None, True):
                yield changed("a count that is none", account, kind, value=wrong)
    for key in ("inferred", "probes", "repeat"):
        yield changed("a count that is none", key, value=-1)


def changes_of_form(result: Result) -> Iterator[tuple[str, Result]]:
    """Changes that leave a true statement, of another run or in other words: a checksum is all that finds them."""
    for i in range(len(result["attributes"])):
        other = copy.deepcopy(result)
        other["attributes"][i] = "quince"
        yield "an attribute renamed", other
    for account in ("queries", "asked"):
        for kind in KINDS:
            other = copy.deepcopy(result)
            other[account][kind] += 1
            yield "a count changed", other
    for key, value in (("inferred", 4), ("seconds", 0.125), ("learner", "clh"), ("oracle", "python:nuts:close")):
        yield f"{key} changed", {**copy.deepcopy(result), key: value}
    yield "the checksum dropped", {key: value for key, value in result.items() if key != "checksum"}
    yield "another checksum", {**result, "checksum": "0" * 64}


# What certificates hold


@pytest.mark.parametrize("size", range(4))
def test_the_closed_sets_are_the_characteristic_models(size: int) -> None:
    for theory in every_theory(size):
        expected = irreducible_models(theory)
        assert sorted(characteristic_models(theory, limit=100) or []) == expected
        every = [attrs for attrs in range(1 << size) if theory.satisfies(attrs)]
        assert sorted(certificate(theory, [*every, *every]).closed or ()) == [*expected, theory.everything]
        assert derived(theory) == certificate(theory, every)


@given(st.integers(1, 9), st.integers(0, 12), st.integers(0, 10**6))
@settings(max_examples=60)
def test_larger_theories_have_their_characteristic_models_too(size: int, count: int, seed: int) -> None:
    theory = random_theory(size, count, seed=seed)
    assert sorted(characteristic_models(theory, limit=1000) or []) == irreducible_models(theory)


def test_sets_stand_in_the_order_of_their_size() -> None:
    theory = Theory.of(4, [(0b0001, 0b0010), (0b0110, 0b1000)])
    closed = derived(theory).closed
    assert closed is not None
    assert [attrs.bit_count() for attrs in closed] == sorted(attrs.bit_count() for attrs in closed)
    assert certificate(theory, reversed(closed)).closed == closed


def test_too_many_characteristic_models_are_no_certificate() -> None:
    # Without x20 one of each of ten pairs is missing, 2^10 maximal sets; one more without each of the other twenty.
    theory = Theory.of(21, [(0b11 << 2 * i, 1 << 20) for i in range(10)])
    assert derived(theory, limit=1043).closed is None
    proof = derived(theory, limit=1044)
    assert proof.closed is not None
    assert len(proof.closed) == 1044 + 1
    none = derived(theory, limit=50)
    assert none.as_json(universe_of(21)) == {"closed": None, "reason": "there are more than 50 characteristic models"}
    (failure,) = failures(result_of(theory.canonical(), none))
    assert failure.startswith("completeness: nothing proves that the result is exact")


def test_a_closed_set_that_breaks_an_implication_is_a_contradiction_of_the_source() -> None:
    with pytest.raises(BadAnswer, match=r"closes 0b1 to 0b11.*called 0b101 closed"):
        certificate(Theory.of(3, [(0b001, 0b011)]), [0b101])


# What the checker accepts


@pytest.mark.parametrize("size", range(4))
def test_every_certificate_is_accepted(size: int) -> None:
    for theory in every_horn_theory(size):
        verdict = verify(result_of(theory, derived(theory)), KnownTheory(theory))
        assert verdict.ok, verdict.lines()


def test_the_verdict_says_what_was_checked_and_what_is_trusted() -> None:
    theory = Theory.of(3, [(0b001, 0b011)])
    result = result_of(theory, derived(theory))
    lines = verify(result).lines()
    assert lines[-1] == "verified"
    assert [line.split(":")[0] for line in lines[:-4]] == [
        "ok     checksum",
        "ok     status",
        "ok     counts",
        "ok     saturation",
        "ok     closed sets",
        "ok     completeness",
    ]
    assert lines[-4] == "trusts that the implications hold in the source, and that the closed sets are closed there"
    asked = verify(result, KnownTheory(theory)).lines()
    assert "ok     source: asked for 5 closures again" in asked
    assert not any("implications hold in the source" in line for line in asked)


def test_what_only_seems_to_close_is_trusted_to_close() -> None:
    class Cardinal:
        """Adds something to sets of three attributes, and nothing to larger ones."""

        def closure(self, attrs: int) -> int:
            return attrs | attrs + 1 if attrs.bit_count() == 3 else attrs

    free = Theory(7)
    verdict = verify(result_of(free, derived(free)), Cardinal())
    assert verdict.ok
    assert [line.split(":")[0] for line in verdict.lines() if line.startswith("trusts")] == [
        "trusts that the source is a closure operator",
        "trusts the counts, the seconds, the names and how sets were drawn",
    ]


def test_results_that_claim_less_need_no_completeness() -> None:
    hypothesis = Theory.of(3, [(0b001, 0b011)])
    probably = {"status": "probably approximately correct", "epsilon": 0.1, "delta": 0.05}
    assert verify(result_of(hypothesis, certificate(hypothesis, []), **probably)).ok
    assert verify(result_of(hypothesis, certificate(hypothesis, [0b100]), status="incomplete", reason="stopped")).ok
    for wrong in (
        {"epsilon": 0},
        {"delta": 1},
        {"epsilon": None},
        {"epsilon": "much"},
        {"epsilon": 10**400},
        {"reason": "stopped"},
    ):
        assert failures(result_of(hypothesis, certificate(hypothesis, []), **probably | wrong))
    assert failures(result_of(hypothesis, certificate(hypothesis, []), status="incomplete", reason=""))


# What it rejects


@pytest.mark.parametrize("size", range(4))
def test_every_change_is_rejected(size: int) -> None:
    tried = 0
    for theory in every_theory(size):
        result = result_of(theory, derived(theory))
        for what, mutant in [*changes_of_substance(result), *changes_of_form(result)]:
            if mutant != result:
                tried += 1
                assert not verify(mutant).ok, (what, mutant)
    assert tried > 80


@pytest.mark.parametrize("size", range(4))
def test_a_forger_who_renews_the_checksum_is_still_found(size: int) -> None:
    for theory in every_horn_theory(size) if size < 3 else every_theory(size):
        result = result_of(theory, derived(theory))
        for what, mutant in changes_of_substance(result):
            # That nothing at all is possible is as true with an attribute more or less.
            vacuous = what in ("an attribute more", "an attribute dropped") and not theory.consistent(0)
            if mutant != result and not vacuous:
                assert failures(sealed(mutant)), (what, mutant)


def test_an_unfinished_theory_never_passes_as_exact() -> None:
    # Every sound hypothesis against every target: what the source called closed are the target's closed sets.
    theories = list(every_theory(3))
    models = [{attrs for attrs in range(8) if theory.satisfies(attrs)} for theory in theories]
    tried = 0
    for hypothesis, closed in zip(theories, models, strict=True):
        for answered in models:
            if answered < closed:
                tried += 1
                forged = result_of(hypothesis, certificate(hypothesis, sorted(answered)))
                assert any(what.startswith("completeness: whether") for what in failures(forged))
    assert tried > 500


def test_the_set_that_completeness_misses_is_named() -> None:
    hypothesis = Theory.of(2, [(0b01, 0b11)])
    (failure,) = failures(result_of(hypothesis, certificate(hypothesis, [0b00])))
    assert failure == "completeness: whether {pear} is closed does not follow"


def test_completeness_agrees_with_its_definition() -> None:
    # Every theory on two attributes with every family of sets closed under it, whether they suffice or not.
    for theory in every_theory(2):
        closed = [attrs for attrs in range(4) if theory.satisfies(attrs)]
        for chosen in range(1 << len(closed)):
            given = [attrs for i, attrs in enumerate(closed) if chosen >> i & 1]
            meets = {3} | {a & b for a in [3, *given] for b in [3, *given]}
            verdict = verify(result_of(theory, certificate(theory, given)))
            assert verdict.ok == (meets == set(closed))


@pytest.mark.parametrize("size", [2, 3])
def test_another_source_is_found_out_by_asking_it(size: int) -> None:
    theories = list(every_horn_theory(size) if size == 2 else every_theory(size))
    for theory in theories:
        result = result_of(theory, derived(theory))
        for target in theories:
            verdict = verify(result, KnownTheory(target))
            assert verdict.ok == (theory == target), (theory, target, verdict.lines())


def test_a_contradiction_shows_both_answers() -> None:
    theory, target = Theory.of(3, [(0b001, 0b011)]), Theory.of(3, [(0b001, 0b111)])
    verdict = verify(result_of(theory, derived(theory)), KnownTheory(target))
    assert (False, "source: closes {apple} to {apple, pear, plum}, not {apple, pear}") in verdict.findings
    impossible = verify(result_of(theory, derived(theory)), KnownTheory(Theory(3, target.implications, top=False)))
    assert (False, "source: closes {apple} to impossible, not {apple, pear}") in impossible.findings


@pytest.mark.parametrize(
    "broken",
    [
        {"attributes": None},
        {"attributes": "abc"},
        {"attributes": [1, 2, 3]},
        {"attributes": [["a"]]},
        {"implications": None},
        {"implications": {}},
        {"implications": ["apple -> pear"]},
        {"implications": [{"premise": "apple", "conclusion": ["pear"]}]},
        {"implications": [{"premise": ["apple"]}]},
        {"implications": [{"premise": ["apple", "apple"], "conclusion": ["pear"]}]},
        {"implications": [{"premise": ["apple"], "conclusion": ["apple", "pear"]}]},
        {"implications": [{"premise": ["apple"], "conclusion": []}]},
        {"certificate": ["apple"]},
        {"certificate": {"closed": "apple"}},
        {"certificate": {"closed": [["banana"]]}},
        {"certificate": {"closed": [[{}]]}},
        {"queries": None},
        {"asked": [0, 0, 0, 0, 0, 0]},
        {"inferred": None},
        {"status": ["exact"]},
    ],
)
def test_what_is_no_result_is_rejected_without_a_traceback(broken: Result) -> None:
    theory = Theory.of(3, [(0b001, 0b011)])
    assert failures(sealed({**result_of(theory, derived(theory)), **broken}))


def test_a_name_said_twice_is_no_other_name() -> None:
    # Twice the bit of apple is the bit of pear.
    for place, theory in (("implications", Theory.of(3, [(0b010, 0b110)])), ("certificate", Theory(2))):
        result = result_of(theory, derived(theory))
        text = json.dumps(result[place])
        assert '["pear"]' in text
        assert failures(sealed({**result, place: json.loads(text.replace('["pear"]', '["apple", "apple"]'))}))


def test_a_result_that_is_no_object_is_rejected() -> None:
    nothing: Any
    for nothing in ([], None, "exact", {}):
        assert not verify(nothing).ok


# Counts


def by_closures(theory: Theory, learner: Any = closures_only, **more: Any) -> Result:
    """The result of a run that asked for nothing but closures."""

    def close(names: list[str]) -> list[str] | None:
        attrs = universe.attrs(names)
        return universe.names_in(theory.closure(attrs)) if theory.consistent(attrs) else None

    universe = universe_of(theory.size)
    learned = learn(close, universe.names, learner=learner, **more)
    assert learned.exact
    return sealed(json.loads(json.dumps(learned.as_json())))


@pytest.mark.parametrize("learner", [closures_only, explore])
def test_honest_counts_of_closures_are_accepted(learner: Any) -> None:
    for theory in every_theory(3):
        assert verify(by_closures(theory, learner)).ok
        assert verify(by_closures(theory, learner, care=Care(repeat=3, probe=5))).ok
    for size in range(3):
        for theory in every_horn_theory(size):
            assert verify(by_closures(theory, learner)).ok


def test_fewer_closures_than_any_proof_takes_are_rejected() -> None:
    for size in range(1, 4):
        for theory in every_theory(size):
            result = by_closures(theory)
            pseudo = {implication.conclusion for implication in theory.canonical()}
            least = len(theory.canonical()) + sum(attrs not in pseudo for attrs in irreducible_models(theory))
            for count, right in ((least - 1, False), (least, True), (10**9, False)):
                result["queries"]["closure"] = count
                result["inferred"] = 0
                result["asked"]["closure"] = least
                assert verify(sealed(result)).ok is right, (theory, count)


def test_more_answers_than_questions_are_rejected() -> None:
    theory = Theory.of(3, [(0b001, 0b011)])
    for more in (("queries", "closure"), ("inferred",)):
        result = place = by_closures(theory)
        for key in more[:-1]:
            place = place[key]
        place[more[-1]] = 10**9
        (failure,) = failures(sealed(result))
        assert failure.startswith("counts:")
    nothing = by_closures(theory)
    nothing["queries"] = nothing["asked"] = dict.fromkeys(KINDS, 0)
    assert failures(sealed(nothing))


# On larger ones


@given(st.integers(2, 9), st.integers(1, 12), st.integers(0, 10**6), st.data())
@settings(max_examples=40)
def test_larger_certificates_are_accepted_and_their_changes_are_not(
    size: int, count: int, seed: int, draw: st.DataObject
) -> None:
    theory = random_theory(size, count, seed=seed).canonical()
    result = result_of(theory, derived(theory))
    assert verify(result, KnownTheory(theory)).ok
    what, mutant = draw.draw(st.sampled_from(list(changes_of_substance(result))))
    if mutant != result:
        assert failures(sealed(mutant)), what


@pytest.mark.parametrize("name", ["rmzoo_omega", "debian_build_essential", "catdat_functor", "fm_xtext"])
def test_real_theories_are_certified(data: Path, name: str) -> None:
    value = formats.read(data / "theories" / f"{name}.imp").value
    assert isinstance(value, formats.values.NamedTheory)
    theory = value.theory.canonical()
    result = result_of(theory, derived(theory), value.universe)
    assert verify(result, KnownTheory(value.theory)).ok
    for part in ("implications", "closed"):
        forged = copy.deepcopy(result)
        (forged["certificate"] if part == "closed" else forged)[part].pop(7)
        assert failures(sealed(forged))


@pytest.mark.parametrize("name", ["fm_e_shop", "fm_xtext", "rmzoo_rca", "rmzoo_omega", "buildroot_graphics"])
def test_the_characteristic_models_of_real_theories_are_those_of_their_bases_and_none_is_needless(
    data: Path, name: str
) -> None:
    value = formats.read(data / "theories" / f"{name}.imp").value
    assert isinstance(value, formats.values.NamedTheory)
    models = value.theory.characteristic_models()
    basis = value.theory.canonical()
    assert models == characteristic_models(basis, limit=len(models))
    assert certificate(basis, models) == derived(basis)
    assert characteristic_models(basis, limit=len(models) - 1) is None


# And what it is itself


def test_the_checker_is_short_and_imports_nothing_of_hornbook() -> None:
    text = Path(checker.__file__).read_text(encoding="utf-8")
    assert len(text.splitlines()) < 150
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or "."]
            assert not any(module.startswith(("hornbook", ".")) for module in modules)


def test_the_example_of_the_documentation_is_what_it_says() -> None:
    text = (Path(__file__).parents[1] / "docs" / "certificates.md").read_text(encoding="utf-8")
    example, said = (text.split(f"```{kind}\n")[1].split("```")[0] for kind in ("json", "text"))
    assert "\n".join(verify(json.loads(example)).lines()) == said.strip()
