"""The formats of formulas: DIMACS, UVL and constraints mean what they say, by truth tables; the rest is refused."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbook import formats
from hornbook.errors import FormatError
from hornbook.formats import dimacs, horn, propositional, uvl
from hornbook.formats.propositional import Token
from hornbook.formats.values import NamedFormula, NamedTheory
from hornbook.theory import Theory
from hornbook.universe import Universe

Clauses = Iterable[tuple[int, ...]]


def satisfying(size: int, clauses: Clauses) -> set[int]:
    """The sets that satisfy every clause, by the definition."""
    clauses = list(clauses)
    return {
        attrs
        for attrs in range(1 << size)
        if all(any(bool(attrs >> (abs(x) - 1) & 1) == (x > 0) for x in clause) for clause in clauses)
    }


def models(theory: Theory) -> set[int]:
    full = (1 << theory.size) - 1
    return {
        attrs
        for attrs in range(1 << theory.size)
        if (attrs != full or theory.top) and all(i.premise & ~attrs or not i.conclusion & ~attrs for i in theory)
    }


def read_formula(text: str, module: object = dimacs) -> NamedFormula:
    value = module.read(text.encode(), "here").value  # type: ignore[attr-defined]
    assert isinstance(value, NamedFormula)
    return value


def refused(text: str, module: object = dimacs, as_: str | None = None) -> FormatError:
    with pytest.raises(FormatError) as caught:
        module.read(text.encode(), "here", as_)  # type: ignore[attr-defined]
    return caught.value


# Horn clauses and implications


def test_every_small_horn_formula_is_the_theory_with_the_same_models() -> None:
    literals = (1, -1, 2, -2)
    clauses = [c for size in range(4) for c in itertools.combinations(literals, size)]
    universe = Universe(("a", "b"))
    for count in range(3):
        for chosen in itertools.product(clauses, repeat=count):
            formula = NamedFormula(universe, chosen)
            tautology = [any(-x in clause for x in clause) for clause in chosen]
            positive = [sum(x > 0 for x in clause) for clause in chosen]
            if any(p > 1 and not t for p, t in zip(positive, tautology, strict=True)):
                with pytest.raises(FormatError, match="not Horn"):
                    horn.theory_of(formula)
            else:
                assert models(horn.theory_of(formula).theory) == satisfying(2, chosen)


@st.composite
def theories(draw: st.DrawFn) -> NamedTheory:
    size = draw(st.integers(0, 4))
    sets = st.integers(0, (1 << size) - 1)
    rules = draw(st.lists(st.tuples(sets, sets | st.just((1 << size) - 1)), max_size=5))
    return NamedTheory(Universe(("a", "b", "c", "d")[:size]), Theory.of(size, rules, top=draw(st.booleans())))


@given(theories())
def test_the_clauses_of_a_theory_have_its_models(named: NamedTheory) -> None:
    clauses = horn.clauses_of(named)
    assert satisfying(named.universe.size, clauses) == models(named.theory)
    read = dimacs.read(dimacs.write(named), "here", "theory").value
    assert isinstance(read, NamedTheory)
    assert read.universe == named.universe
    assert models(read.theory) == models(named.theory)


# DIMACS

NAMES = ["a", "two words", "->", '"', "#", "1", "7", "c", "p", "p show", "0", "é", "a  b", "\\", "!", "varname 3 x"]
names = st.lists(st.sampled_from(NAMES) | st.text(max_size=3), unique=True, max_size=5)


@st.composite
def formulas(draw: st.DrawFn) -> NamedFormula:
    universe = Universe.of(draw(names))
    literal = st.integers(1, max(1, universe.size)).flatmap(lambda variable: st.sampled_from((variable, -variable)))
    clause = st.lists(literal, max_size=4).map(tuple) if universe.size else st.just(())
    return NamedFormula(universe, tuple(draw(st.lists(clause, max_size=4))))


@given(formulas())
@settings(max_examples=300)
def test_a_formula_is_read_again_as_it_was_or_a_name_is_refused(formula: NamedFormula) -> None:
    try:
        data = dimacs.write(formula)
    except FormatError as error:
        assert "cannot stand" in error.problem
        assert any(name != name.strip() or not name or set(name) & set("\n\r\0") for name in formula.universe)
        return
    assert dimacs.read(data).value == formula


def test_dimacs_is_read_in_all_its_dialects() -> None:
    text = """c a comment
c 1 first name
c varname 2 second
c 4$ made up
c 99 bottles
c p show 1 2 0
c ind 1 0
p cnf 5 4
1 -2 0 -1
3 0
c in between
0 2
3
-4 0
%
0
"""
    reading = dimacs.read(text.encode())
    formula = reading.value
    assert isinstance(formula, NamedFormula)
    assert formula.universe.names == ("first name", "second", "3", "made up", "5")
    assert formula.clauses == ((1, -2), (-1, 3), (), (2, 3, -4))
    assert reading.notes == (
        "5 variables, 4 clauses: 2 definite, 1 negative, 1 not Horn",
        "`c p show` names the variables that matter; all are kept",
        "`c ind` names the variables that matter; all are kept",
        "1 comment like a name for a variable that there is not passed over",
        "3 of 5 variables named by comments, 1 is called 'first name'; the others called by number",
        "1 variable marked $ (generated) kept like all others",
    )


def test_a_long_number_is_cut_in_messages() -> None:
    error = refused(f"features\n    A\nconstraints\n    A & {'1' * 5000}", uvl)
    assert "makes this arithmetic" in error.problem and len(error.problem) < 300


def test_clauses_on_one_long_line_are_read_as_those_on_many(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "1 -2 0\t13  -4 0 0 5\n0 6 -7 8 9 10 0"
    whole = read_formula(text)
    monkeypatch.setattr(dimacs, "_PART", 3)
    cut = read_formula(text)
    assert (cut.clauses, cut.lines) == (whole.clauses, whole.lines)
    assert cut.clauses == ((1, -2), (13, -4), (), (5,), (6, -7, 8, 9, 10)) and cut.lines == (1, 1, 1, 1, 2)
    error = refused("p cnf 9 9\n1 2 3 4 0 5 - 6")
    assert (error.line, error.column) == (2, 13)


def test_a_header_that_miscounts_is_said_and_nothing_is_lost() -> None:
    reading = dimacs.read(b"p cnf 2 3\n1 -4 0\n")
    assert reading.value.universe.size == 4  # type: ignore[union-attr]
    assert "the header says 2 variables, a clause has 4: kept" in reading.notes
    assert "the header says 3 clauses, there are 1: all kept" in reading.notes
    assert "no `p cnf` line; variables counted from the clauses" in dimacs.read(b"1 2 0").notes
    assert dimacs.read(b"p cnf 3 0\n").value == NamedFormula(Universe(("1", "2", "3")), ())


def test_a_name_that_is_the_number_of_another_variable_does_not_hide_it() -> None:
    assert read_formula("c 1 a\nc 9 a\np cnf 1 0\n").universe.names == ("a",)
    assert read_formula("c 1 2\np cnf 2 0\n").universe.names == ("2", "variable 2")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("p cnf 2 1\n1 2", 2, "does not end with 0"),
        ("p cnf 2 1\n1 x 0", 2, "'x' is no literal"),
        ("p cnf 2 1\n1 2.5 0", 2, "no literal"),
        ("p cnf 2 1\n1 -- 2 0", 2, "no literal"),
        ("p cnf 2 1\n1 +-2 0", 2, "no literal"),
        ("p cnf 2", 1, "p cnf VARIABLES CLAUSES"),
        ("p wcnf 2 1 3", 1, "p cnf VARIABLES CLAUSES"),
        ("p cnf 1 0\np cnf 1 0", 2, "a second"),
        ("p cnf 99999999999 0", 1, "at most"),
        ("p cnf 1 1\n99999999999 0", 2, "at most"),
        ("p cnf 1 1\n" + "9" * 5000 + " 0", 2, "is no literal"),
        ("c 1 a\nc 1 b\np cnf 1 0", 2, "'a' in line 1"),
        ("c 1 a\nc 2 a\np cnf 2 0", 2, "names variable 1 in line 1 too"),
        ("clause", 1, "no literal"),
    ],
)
def test_a_damaged_cnf_is_refused_with_its_place(text: str, line: int, words: str) -> None:
    error = refused(text)
    assert error.line == line
    assert words in error.problem


def test_a_cnf_that_is_not_horn_names_the_clause_and_the_way_out() -> None:
    error = refused("c 1 tea\nc 2 milk\nc 3 cup\np cnf 3 3\n-1 3\n0 1 -1 2 0\n1\n2 -3 0\n", as_="theory")
    assert error.line == 7
    assert error.problem.startswith("clause 3 is not Horn: it wants 'tea' or 'milk'")
    assert "--as formula" in error.problem


def test_feature_models_count_as_published(data: Path) -> None:
    with (data / "expected" / "feature_models.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    checked = 0
    for row in rows:
        path = next((data / "feature_models").glob(row["model"] + "*.dimacs"), None)
        if path is None:
            continue
        formula = formats.read(path).value
        assert isinstance(formula, NamedFormula)
        heads = [sum(x > 0 for x in clause) for clause in formula.clauses]
        found = formula.universe.size, len(heads), heads.count(1), heads.count(0), sum(head > 1 for head in heads)
        assert found == tuple(int(row[key]) for key in ("vars", "clauses", "definite", "negative", "nonhorn"))
        assert not any(name.isdigit() for name in formula.universe)
        assert dimacs.read(dimacs.write(formula)).value == formula
        checked += 1
    assert checked >= 15


@pytest.mark.parametrize("name", ["xtext", "e_shop"])
def test_the_horn_feature_models_are_the_theories_made_of_them(data: Path, name: str) -> None:
    read = formats.read(data / "feature_models" / f"{name}.dimacs", as_="theory").value
    other = formats.read(data / "theories" / f"fm_{name}.imp").value
    assert isinstance(read, NamedTheory) and isinstance(other, NamedTheory)
    assert read.universe == other.universe
    assert read.theory.equivalent(other.theory)


# Constraints


@dataclass(frozen=True)
class Said:
    """A constraint as text, and when it is true."""

    text: str
    true: Callable[[int], bool]


def letter(position: int) -> Said:
    return Said("ABCD"[position], lambda attrs: bool(attrs >> position & 1))


def joined(sign: str, left: Said, right: Said) -> Said:
    table = {
        "&": lambda a, b: a and b,
        "|": lambda a, b: a or b,
        "=>": lambda a, b: not a or b,
        "<=>": lambda a, b: a == b,
    }
    return Said(f"({left.text} {sign} {right.text})", lambda x: table[sign](left.true(x), right.true(x)))


sayings = st.recursive(
    st.integers(0, 3).map(letter),
    lambda inner: (
        inner.map(lambda one: Said("!" + one.text, lambda x: not one.true(x)))
        | st.builds(joined, st.sampled_from(["&", "|", "=>", "<=>"]), inner, inner)
    ),
    max_leaves=8,
)


def tokens_of(text: str) -> list[Token]:
    from hornbook.formats.uvl_text import tree

    return tree(text)[0].tokens if text.strip() else []


def clauses_of(text: str) -> list[tuple[int, ...]]:
    formula, _ = propositional.parse(tokens_of(text), lambda name, token: "ABCD".index(name) + 1)
    return propositional.clauses_of(formula)


@given(sayings)
@settings(max_examples=300)
def test_the_clauses_of_a_constraint_are_true_exactly_where_it_is(said: Said) -> None:
    clauses = clauses_of(said.text)
    assert satisfying(4, clauses) == {attrs for attrs in range(16) if said.true(attrs)}
    assert len(set(clauses)) == len(clauses)
    assert not any(-x in clause for clause in clauses for x in clause)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("A & B | C", "(A & B) | C"),
        ("A | B & C", "A | (B & C)"),
        ("!A & B", "(!A) & B"),
        ("!!A", "A"),
        ("A | B => C", "(A | B) => C"),
        ("A => B <=> C", "(A => B) <=> C"),
        ("A <=> B => C", "A <=> (B => C)"),
        ("A => B => C", "(A => B) => C"),
        ("A <=> B <=> C", "(A <=> B) <=> C"),
        ("A & B & C | D", "((A & B) & C) | D"),
    ],
)
def test_signs_bind_in_the_order_of_the_grammar(short: str, full: str) -> None:
    assert satisfying(4, clauses_of(short)) == satisfying(4, clauses_of(full))


def test_long_constraints_take_linear_time_or_are_refused() -> None:
    def length(text: str) -> int:
        formula, _ = propositional.parse(tokens_of(text), lambda name, token: int(name[1:]) + 1)
        return len(propositional.clauses_of(formula))

    many = [f"x{i}" for i in range(20_000)]
    assert length(" | ".join(many)) == 1
    with pytest.raises(FormatError, match="clauses; split it"):
        length(" & ".join(many))
    assert length(" & ".join(many[:9_000])) == 9_000
    assert length(" | ".join(f"({a} & x999)" for a in many[:300])) == 2
    for text in (
        " | ".join(f"(x{2 * i} & x{2 * i + 1})" for i in range(40)),
        " <=> ".join(many[:40]),
        " <=> ".join(many[:4000]),
        "(" * 5_000 + "x1" + ")" * 5_000,
        "(" * 5_000,
    ):
        with pytest.raises(FormatError):
            length(text)
    nested = "x1"
    for _ in range(45):
        nested = f"({nested} <=> {nested.count('x') and 'x1'})"
    assert length(nested) <= 1
    assert length("!" * 100_001 + "x1") == 1


# UVL


@dataclass(frozen=True)
class Feature:
    name: int
    groups: tuple[tuple[str, tuple[Feature, ...]], ...] = ()


def text_of(feature: Feature, depth: int = 1) -> str:
    pad = "\t" * depth
    text = f"{pad}f{feature.name}\n"
    for kind, children in feature.groups:
        text += f"{pad}\t{kind}\n" + "".join(text_of(child, depth + 2) for child in children)
    return text


def features_of(feature: Feature) -> Iterator[Feature]:
    yield feature
    for _, children in feature.groups:
        for child in children:
            yield from features_of(child)


def allowed(feature: Feature, there: Callable[[int], bool]) -> bool:
    """Whether a selection is a product, by what the groups mean."""
    for kind, children in feature.groups:
        count = sum(there(child.name) for child in children)
        if not there(feature.name):
            if count:
                return False
            continue
        least, most = {
            "mandatory": (len(children), len(children)),
            "optional": (0, len(children)),
            "or": (1, len(children)),
            "alternative": (1, 1),
        }.get(kind) or tuple(int(n) if n != "*" else 99 for n in kind.strip("[]").split(".."))
        if not least <= count <= most:
            return False
    return all(allowed(child, there) for _, children in feature.groups for child in children)


@st.composite
def feature_models(draw: st.DrawFn) -> Feature:
    left = draw(st.integers(1, 8))
    numbers = itertools.count()

    def grow(budget: int) -> Feature:
        name = next(numbers)
        groups = []
        budget -= 1
        while budget > 0:
            size = draw(st.integers(1, budget))
            kinds = ["mandatory", "optional", "or", "alternative", "[0..1]", "[1..2]", "[2..*]", "[0..0]", "[2..2]"]
            kind = draw(st.sampled_from(kinds))
            children = []
            rest = size
            while rest > 0:
                share = draw(st.integers(1, rest))
                children.append(grow(share))
                rest -= share
            groups.append((kind, tuple(children)))
            budget -= size
        return Feature(name, tuple(groups))

    return grow(left)


@given(feature_models(), st.none() | sayings)
@settings(max_examples=300)
def test_the_models_of_a_feature_tree_are_its_products(root: Feature, constraint: Said | None) -> None:
    features = list(features_of(root))
    text = "features\n" + text_of(root)
    if constraint is not None and len(features) >= 4:
        renamed = constraint.text
        for position, name in enumerate("ABCD"):
            renamed = renamed.replace(name, f"f{position}")
        text += f"constraints\n\t{renamed}\n"
    formula = read_formula(text, uvl)
    assert formula.universe.names == tuple(f"f{feature.name}" for feature in features)
    expected = {
        attrs
        for attrs in range(1 << len(features))
        if attrs & 1
        and allowed(root, lambda name, attrs=attrs: bool(attrs >> name & 1))  # type: ignore[misc]
        and (constraint is None or len(features) < 4 or constraint.true(attrs & 15))
    }
    assert satisfying(len(features), formula.clauses) == expected


SHOP = """// a shop
namespace Shop
include
    Boolean.group-cardinality

features
    Shop {abstract true, constraint Card => Pay, constraints [Card => Fast, !(Card & Slow)]}
        mandatory
            Pay
                or
                    Card
                    "Bank transfer" {price 3, label 'a } b'}
        /* two
           lines */
        optional
            Integer Search cardinality [0..1]
                alternative
                    Slow
                    Fast
            Copies cardinality [1..3]
constraints
    "Bank transfer" => (Slow |
        Fast)
"""


def test_a_feature_model_is_read_with_all_that_the_language_has() -> None:
    reading = uvl.read(SHOP.encode())
    formula = reading.value
    assert isinstance(formula, NamedFormula)
    shop = ("Shop", "Pay", "Card", "Bank transfer", "Search", "Slow", "Fast", "Copies")
    assert formula.universe.names == shop
    assert reading.notes == (
        "8 features, 4 groups, 4 constraints: 16 clauses",
        "attributes of 2 features left out, but for constraints among them",
        "1 feature with a value read as selected or not",
        "WARNING: copies are not told apart: 'Copies' read as selected or not",
    )

    def products() -> Iterator[int]:
        for chosen in itertools.product((False, True), repeat=8):
            at = dict(zip(shop, chosen, strict=True))
            tree = at["Shop"] and at["Pay"] and (at["Card"] or at["Bank transfer"])
            search = at["Slow"] + at["Fast"] == at["Search"]
            rules = (not at["Card"] or (at["Fast"] and not at["Slow"])) and (not at["Bank transfer"] or at["Search"])
            if tree and search and rules:
                yield sum(1 << position for position, there in enumerate(chosen) if there)

    assert satisfying(8, formula.clauses) == set(products())


def test_blanks_tabs_line_ends_and_marks_make_no_difference() -> None:
    plain = read_formula(SHOP, uvl)
    tabs = "\n".join(
        "\t" * ((len(line) - len(line.lstrip())) // 4) + line.lstrip() for line in SHOP.split("\n") if line.strip()
    )
    for text in (tabs, "\ufeff" + SHOP, SHOP.replace("\n", "\r\n"), SHOP.rstrip()):
        assert read_formula(text, uvl) == plain


def test_a_mandatory_feature_that_may_be_there_no_times_is_optional() -> None:
    formula = read_formula("features\n\tA\n\t\tmandatory\n\t\t\tB cardinality [0..1]\n\t\t\tC\n", uvl)
    assert satisfying(3, formula.clauses) == {0b101, 0b111}


def test_a_horn_feature_model_is_a_theory() -> None:
    text = "features\n  A\n    mandatory\n      B\n    optional\n      C\n      D\nconstraints\n  !(C & D)\n"
    named = uvl.read(text.encode(), "here", "theory").value
    assert isinstance(named, NamedTheory)
    assert models(named.theory) == {0b0011, 0b0111, 0b1011}
    error = refused(SHOP, uvl, "theory")
    assert error.line == 10
    assert "'Card' or 'Bank transfer'" in error.problem


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "is this UVL?"),
        ("namespace A", None, "is this UVL?"),
        ("imports\n\tother as o\nfeatures\n\tA\n", 1, "put all into one file"),
        ("features\n\tA\n\tB\n", 1, "2 roots"),
        ("features\n\tA\nfeatures\n\tB\n", 3, "a second"),
        ("features\n\tA\n\t\tB\n", 3, "where a group is expected"),
        ("features\n\tA\n\t\tor\n", 3, "no features below 'or'"),
        ("features\n\tA\n\t\tor\n\t\t\tA\n", 4, "in line 2 already"),
        ("features\n\tA\n\t\t[2..1]\n\t\t\tB\n", 3, "n <= m"),
        ("features\n\tA\n\t\t[x]\n\t\t\tB\n", 3, "a cardinality is"),
        ("features\n\tA\n        or\n\t\t\tB\n", 3, "indentation"),
        ("features\n\tA\n\t\t\tor\n\t\t\t\tB\n\t\toptional\n\t\t\t\tC\n", 5, "indentation"),
        ("features\n\tA b c\n", 2, "cannot stand here"),
        ("features\n\tA-b\n", 2, "cannot stand"),
        ("features\n\tA {x 1\n", 2, "not closed"),
        ('features\n\t"A\n', 2, "not closed in its line"),
        ("features\n\tA /* x\n", 2, "does not end"),
        ("features\n\tA\nconstraints\n\tB\n", 4, "no feature 'B'"),
        ("features\n\tA\nconstraints\n\tA.price > 3\n", 4, "reference"),
        ("features\n\tA\nconstraints\n\tA > 3\n", 4, "arithmetic"),
        ("features\n\tA\nconstraints\n\tsum(price) < 3\n", 4, "arithmetic"),
        ("features\n\tA\nconstraints\n\t3 == A\n", 4, "arithmetic"),
        ("features\n\tA\nconstraints\n\tA == 'x'\n", 4, "arithmetic"),
        ("features\n\tA {constraint sum(A, A) > 3}\n", 2, "arithmetic"),
        ("features\n\tA\nconstraints\n\tA &\n", 4, "ends too early"),
        ("features\n\tA\nconstraints\n\t(A\n", 4, "not closed"),
        ("features\n\tA\nconstraints\n\tA A\n", 4, "cannot stand here"),
        ("features\n\tA\nconstraints\n\tA\n\t\t& A\n", 5, "in brackets"),
        ("features\n\tA\nfoo\n", 3, "'foo' where"),
        ("features\n\tA: B\n", 2, "no sign of UVL"),
        ("namespace A\n\tB\nfeatures\n\tA\n", 2, "namespace"),
    ],
)
def test_what_is_no_boolean_feature_model_is_refused_with_its_place(text: str, line: int | None, words: str) -> None:
    error = refused(text, uvl)
    assert error.line == line
    assert words in error.problem


def test_a_group_that_would_explode_is_refused_before_it_does() -> None:
    def model(kind: str, count: int) -> str:
        return f"features\n\tA\n\t\t{kind}\n" + "".join(f"\t\t\tf{i}\n" for i in range(count))

    assert "split the group" in refused(model("[10..20]", 40), uvl).problem
    assert refused(model("alternative", 20_000), uvl).line == 3
    assert "more than 200,000 clauses" in refused(model("[9000..9000]", 20_000), uvl).problem
    assert len(read_formula(model("alternative", 300), uvl).clauses) == 1 + 300 + 1 + 300 * 299 // 2
    assert len(read_formula(model("[1..*]", 20_000), uvl).clauses) == 20_002


# Nothing but a value or a FormatError

SEEDS = {
    "dimacs": "c 1 a b\nc 2 c\np cnf 2 2\n1 -2 0\n-1\n2 0\n",
    "uvl": SHOP,
}
PIECES = [
    "\n",
    "\t",
    " ",
    "(",
    ")",
    "{",
    "}",
    "[1..2]",
    "[",
    "]",
    "!",
    "&",
    "=>",
    "<=>",
    '"',
    "'",
    "//",
    "/*",
    "*/",
    "0",
]
PIECES += ["-", "c ", "p cnf 1 1\n", "%", "A", "constraints\n", "constraint ", ",", ".", "..", "\0", "é", "features\n"]


@pytest.mark.parametrize("name", SEEDS)
@given(data=st.data())
@settings(max_examples=300)
def test_a_reader_gives_a_formula_or_a_format_error(name: str, data: st.DataObject) -> None:
    text = SEEDS[name]
    steps = st.tuples(st.integers(0, 10**6), st.integers(0, 9), st.sampled_from(PIECES) | st.text(max_size=2))
    for at, cut, piece in data.draw(st.lists(steps, max_size=4)):
        at %= len(text) + 1
        text = text[:at] + piece + text[at + cut :]
    raw = data.draw(st.just(text.encode("utf-8", "replace")) | st.binary(max_size=30))
    reader = formats.named(name).function("read")
    assert reader is not None
    for as_ in (None, "theory"):
        try:
            value = reader(raw, "here", as_).value
        except FormatError:
            continue
        assert isinstance(value, NamedTheory if as_ else NamedFormula)
        if as_ is None:
            assert all(0 < abs(x) <= value.universe.size for clause in value.clauses for x in clause)


@pytest.mark.slow
@pytest.mark.usefixtures("no_hang")
def test_no_reader_of_formulas_takes_quadratic_time() -> None:
    size = 150_000
    tree = "features\n\tA\n\t\toptional\n"
    texts = {
        "dimacs": [
            "1 " * size,
            "1 2 0 " * size,
            "c 1 " + "a" * size,
            "".join(f"c {i} x{i}\n" for i in range(1, size)) + f"p cnf {size} 0\n",
            "c " * size,
            "p cnf " * size,
            "-" * size,
            "".join(f"c 1 x{i}\n" for i in range(size)),
        ],
        "uvl": [
            "features\n\t" + "A" * size,
            "features\n\tA {" + "x, " * size,
            "features\n\tA {" + "constraint " * size,
            "features\n\tA {" + "{" * size,
            tree + "".join(f"\t\t\tf{i}\n" for i in range(size // 10)),
            "features\n" + "".join("\t" * i + "A\n" for i in range(1, 1000)),
            tree + "\t\t\tB\nconstraints\n\t" + "A | " * size + "A",
            tree + "\t\t\tB\nconstraints\n\t" + "(" * size,
            tree + "\t\t\tB\nconstraints\n\t" + "!" * size,
            tree + "\t\t\tB\nconstraints\n" + "\tA => B\n" * (size // 5),
            "/*" * size,
            "//" * size,
            '"' * size,
            " " * size + "x",
            "\n" * size,
            "features\n\tA cardinality [" + "1" * size,
        ],
    }
    for name, several in texts.items():
        reader = formats.named(name).function("read")
        assert reader is not None
        for text in several:
            try:
                reader(text.encode(), "here", None)
            except FormatError as error:
                assert len(str(error)) < 1000
