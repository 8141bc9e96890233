"""The formats of implications: what is written is read again, what others write is understood, the rest refused."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbook import formats
from hornbook.errors import FormatError
from hornbook.formats import conexp, datalog, dependencies, drafts, fcar, foreign, imp, json_theory, latex, lattices
from hornbook.formats.text import word
from hornbook.formats.values import NamedTheory, Reading
from hornbook.theory import Implication, Theory
from hornbook.universe import Universe

# What a theory says, by the definitions


def models(named: NamedTheory) -> set[frozenset[str]]:
    """The models by the definition: every implication holds, and everything counts only if the theory says so."""
    names = named.universe.names
    found = set()
    for chosen in itertools.product((False, True), repeat=len(names)):
        attrs = sum(1 << position for position, there in enumerate(chosen) if there)
        if all(chosen) and not named.theory.top:
            continue
        if all(rule.premise & ~attrs or not rule.conclusion & ~attrs for rule in named.theory):
            found.add(frozenset(name for name, there in zip(names, chosen, strict=True) if there))
    return found


Said = list[tuple[frozenset[str], frozenset[str] | None]]


def said(named: NamedTheory) -> Said:
    """The implications by name: premise, and what is added or None for a negative clause."""
    names = named.universe.names
    full = (1 << len(names)) - 1

    def of(attrs: int) -> frozenset[str]:
        return frozenset(name for position, name in enumerate(names) if attrs >> position & 1)

    return [
        (of(i.premise), None if not named.theory.top and i.conclusion == full else of(i.conclusion & ~i.premise))
        for i in named.theory
    ]


def theory(names: str | list[str], *rules: tuple[str, str | None], comments: tuple[str, ...] = ()) -> NamedTheory:
    """A theory over one-letter names; None is a negative clause."""
    universe = Universe.of(list(names))
    full = universe.everything
    implications = [Implication(universe.attrs([*p]), full if c is None else universe.attrs([*c])) for p, c in rules]
    top = all(conclusion is not None for _, conclusion in rules)
    return NamedTheory(universe, Theory(universe.size, tuple(implications), top), comments)


def read_theory(text: str | bytes, module: object = imp) -> NamedTheory:
    reading: Reading = module.read(text.encode() if isinstance(text, str) else text, "here")  # type: ignore[attr-defined]
    assert isinstance(reading.value, NamedTheory)
    return reading.value


def refused(text: str | bytes, module: object = imp) -> FormatError:
    with pytest.raises(FormatError) as caught:
        module.read(text.encode() if isinstance(text, str) else text, "here")  # type: ignore[attr-defined]
    return caught.value


HOSTILE = [
    "a",
    "two words",
    " leading",
    "trailing ",
    "",
    "!",
    "!a",
    "->",
    "a->b",
    "=>",
    "#",
    "a#b",
    "# attributes: a",
    '"',
    'say "no"',
    "'",
    "it's",
    "\\",
    "\\n",
    "\n",
    "line\nbreak",
    "\r",
    "\t",
    "\0",
    "\x1c",
    "\x85",
    "\u2028",
    "\xa0",
    "\ufeff",
    ",",
    "a,b",
    ";",
    "{}",
    "[a]",
    "%",
    ".",
    ":-",
    "true",
    "false",
    "not",
    "Größe",
    "集合",
    "🙂",
    "-",
    ">",
    "1",
    "01",
    "A B",
    "∅",
    "⟶",
    "c",
    "p cnf",
    "null",
    "$x_1^2$",
    "&",
    "~a",
]

names = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=4), unique=True, max_size=4)
tame_names = st.lists(st.text("abcXYZ09_", min_size=1, max_size=3), unique=True, max_size=4)


@st.composite
def theories(draw: st.DrawFn, names: st.SearchStrategy[list[str]] = names, comments: bool = False) -> NamedTheory:
    universe = Universe.of(draw(names))
    sets = st.integers(0, universe.everything)
    top = draw(st.booleans())
    wide = sets | st.just(universe.everything)
    rules = draw(st.lists(st.tuples(sets, wide), max_size=5))
    remarks: tuple[str, ...] = ()
    if comments:
        remarks = tuple(draw(st.sampled_from(["", "T1", "see #2", 'a "b"', "a -> b !"])) for _ in rules)
    return NamedTheory(universe, Theory.of(universe.size, rules, top=top), remarks if any(remarks) else ())


def closing(named: NamedTheory) -> Said:
    """The negative clause that a writer adds where the theory has none but needs one."""
    rules = said(named)
    if named.theory.top or any(conclusion is None for _, conclusion in rules):
        return []
    return [(frozenset(named.universe.names), None)]


def definite(named: NamedTheory) -> Said:
    """What is left where negative clauses become implications of everything, if they then say anything."""
    everything = frozenset(named.universe.names)
    rules = said(named) + closing(named)
    return [(p, everything - p if c is None else c) for p, c in rules if c is not None or p != everything]


# Round trips


@pytest.mark.parametrize("name", ["imp", "json"])
@given(theories(comments=True))
@settings(max_examples=150)
def test_what_we_write_is_read_again_word_for_word(name: str, named: NamedTheory) -> None:
    again = formats.dumps(named, name)
    module = formats.named(name).function("read")
    assert module is not None
    read = module(again.encode(), "here").value
    assert read.universe == named.universe
    assert said(read) == said(named) + closing(named)
    assert read.theory.top == named.theory.top
    expected = named.comments + ("",) * len(closing(named)) if named.comments else ()
    assert read.comments == expected
    assert models(read) == models(named)


@given(theories())
def test_the_json_of_fcar_keeps_all_but_negative_clauses(named: NamedTheory) -> None:
    read = json_theory.read(fcar.write_fcar_json(named)).value
    assert isinstance(read, NamedTheory)
    assert read.universe == named.universe
    assert said(read) == definite(named)


@pytest.mark.parametrize("module", [lattices, fcar])
@given(theories() | theories(tame_names))
@settings(max_examples=200)
def test_plainer_formats_are_read_again_or_refuse_a_name_out_loud(module: object, named: NamedTheory) -> None:
    try:
        data = module.write(named)  # type: ignore[attr-defined]
    except FormatError as error:
        assert "cannot stand" in str(error)
        return
    read = read_theory(data, module)
    assert said(read) == definite(named)
    if module is lattices:
        assert read.universe == named.universe


@given(theories())
def test_conexp_keeps_the_implications_and_says_what_it_loses(named: NamedTheory) -> None:
    data = conexp.write(named)
    assert list(json.loads(data)) == ["implications"]
    read = read_theory(data, conexp)
    assert said(read) == definite(named)
    remarks = " ".join(conexp.losses(named))
    assert ("left out" in remarks) == (len(read.universe) < len(named.universe))
    assert ("negative" in remarks) == (not named.theory.top)
    if not remarks:
        assert read.universe == named.universe


@given(theories(comments=True))
def test_rules_mean_the_same_when_read_again(named: NamedTheory) -> None:
    read = read_theory(datalog.write(named), datalog)
    assert read.universe == named.universe
    assert models(read) == models(named)
    split = [
        (p, None if c is None else frozenset({name}))
        for p, c in said(named) + closing(named)
        for name in ([""] if c is None else [n for n in named.universe if n in c])
    ]
    assert said(read) == split


@pytest.mark.parametrize("name", ["imp", "json", "fcar-json", "java-lattices", "datalog", "dimacs"])
def test_every_small_theory_survives_every_format_that_names_its_attributes(name: str) -> None:
    reader = formats.named(name).function("read")
    assert reader is not None
    for size in range(3):
        sets = range(1 << size)
        rules = list(itertools.product(sets, sets))
        for count in range(3):
            for chosen in itertools.product(rules, repeat=count):
                for top in (True, False):
                    named = NamedTheory(Universe(("a", "b")[:size]), Theory.of(size, chosen, top=top))
                    read = reader(formats.dumps(named, name).encode(), "here", "theory").value
                    assert read.universe == named.universe
                    if top or name not in ("fcar-json", "java-lattices"):
                        assert models(read) == models(named)


@given(theories(names=st.lists(st.sampled_from(HOSTILE), unique=True, max_size=4), comments=True))
def test_latex_is_balanced_and_one_line_an_implication(named: NamedTheory) -> None:
    text = latex.write(named).decode()
    lines = text.split("\n")[1:-1]
    assert len(lines) == len(said(named) + closing(named))
    for line in lines:
        formula = re.sub(r"\\[\\{}$&#%_]", "", line.split(r"\\ %")[0].removesuffix(r"\\"))
        assert formula.count("{") == formula.count("}")
        assert formula.count("$") == 2
        assert not re.search(r"[#%&~^\"<>|]", formula)


def test_latex_looks_as_people_write_it() -> None:
    named = theory(["a_1", "b", "c"], ("", "b"))
    named = NamedTheory(named.universe, Theory.of(3, [(1, 6), (0, 2), (6, 7)], top=False), ("", "", "why"))
    assert latex.write(named).decode() == (
        "% 3 implications over 3 attributes\n"
        r"$ \{\mbox{a\_1}\} \Rightarrow \{\mbox{b}, \mbox{c}\} $\\" + "\n"
        r"$ \emptyset \Rightarrow \{\mbox{b}\} $\\" + "\n"
        r"$ \{\mbox{b}, \mbox{c}\} \Rightarrow \bot $\\ % why" + "\n"
    )


# Ours, as text


def test_an_imp_file_is_read_as_the_design_says() -> None:
    text = """# a theory of nothing
# attributes: c "two words" a b "!" d

a b -> c  # first
-> a
a->b
"two words" "!" -> c "two words" # second
c d -> !
b ->
"""
    reading = imp.read(text.encode())
    named = reading.value
    assert isinstance(named, NamedTheory)
    assert named.universe.names == ("c", "two words", "a", "b", "!", "d")
    assert said(named) == [
        (frozenset("ab"), frozenset("c")),
        (frozenset(), frozenset("a")),
        (frozenset("a"), frozenset("b")),
        (frozenset(["two words", "!"]), frozenset("c")),
        (frozenset("cd"), None),
        (frozenset("b"), frozenset()),
    ]
    assert not named.theory.top
    assert named.theory[4].conclusion == named.universe.everything
    assert named.comments == ("first", "", "", "second", "", "")
    assert reading.notes == (
        "6 attributes, 6 implications",
        "1 comment line left out; those behind implications are read",
    )


def test_quoted_names_may_touch_the_arrow_and_are_json_strings() -> None:
    named = read_theory('"a b"->"\\u00e9\\n"->'[:-2] + "\n")
    assert said(named) == [(frozenset(["a b"]), frozenset(["é\n"]))]
    assert imp.write(theory(["\\", "C:\\dir"], ("\\", "\\"))).decode().startswith("# attributes: \\ C:\\dir\n")


def test_wide_sets_are_the_same_as_narrow_ones() -> None:
    words = [f"x{i}" for i in range(5000)]
    named = read_theory(" ".join(words) + " -> y\n" + " ".join(words[3::7]) + " -> " + " ".join(words[:40]))
    assert said(named) == [
        (frozenset(words), frozenset("y")),
        (frozenset(words[3::7]), frozenset(words[:40]) - frozenset(words[3::7])),
    ]
    assert imp.read(imp.write(named)).value == NamedTheory(
        named.universe,
        Theory.of(named.theory.size, [(i.premise, i.conclusion & ~i.premise) for i in named.theory]),
    )


def test_without_attributes_the_order_is_that_of_first_appearance() -> None:
    reading = imp.read(b"b -> a\nc a -> d\n")
    assert reading.value.universe.names == ("b", "a", "c", "d")  # type: ignore[union-attr]
    assert reading.notes == ("4 attributes, 2 implications; attributes in order of first appearance",)


def test_a_remark_in_brackets_may_stand_before_the_colon_of_the_attributes() -> None:
    assert read_theory("# Attributes (X_ prefix dropped): b a\na -> b").universe.names == ("b", "a")


def test_attributes_may_go_on_in_a_second_line() -> None:
    assert read_theory("# attributes: b\n# attributes: a\na -> b").universe.names == ("b", "a")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends_of_other_systems_are_no_part_of_a_name(end: str) -> None:
    text = "# attributes: b a é" + end + "a -> b # so" + end
    named = read_theory("\ufeff" + text)
    assert named.universe.names == ("b", "a", "é")
    assert named.comments == ("so",)
    assert read_theory(text.encode("utf-16")) == named
    assert read_theory(text.encode("latin-1")) == named


def test_latin_1_is_read_and_said() -> None:
    reading = imp.read("a -> b\nGröße -> b\n".encode("latin-1"))
    assert "not UTF-8 (byte 0xF6 in line 2), so read as Latin-1" in reading.notes
    assert "Größe" in reading.value.universe  # type: ignore[union-attr]


def test_words_that_look_like_negations_are_names_and_said_to_be() -> None:
    assert imp.read(b"a -> !b").notes[-1] == "taken as names, not as negations: '!b'"
    assert "taken" not in "".join(imp.read(b'a -> "!b"').notes)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a b", 1, None, "no -> in 'a b'"),
        ("a -> b\na => b", 2, 3, "=> is no arrow here, write ->"),
        ("a -> b -> c", 1, 8, "a second ->"),
        ("a -> b !", 1, 8, '"!"'),
        ("a -> ! b", 1, 8, '"!"'),
        ("! -> a", 1, 1, '"!"'),
        ('a"b -> c', 1, 2, "JSON string"),
        ('"a"b -> c', 1, 4, "a blank is missing"),
        ('"a -> c', 1, 1, 'end it with "'),
        (r'"a\d" -> c', 1, 3, "a backslash is written"),
        ("# attributes: a b\n\na -> x", 3, 6, "unknown attribute 'x'"),
        ('# attributes: a b\n"x y" -> a', 2, 1, "add it to the attributes in line 1"),
        ("# attributes: colour\ncolor -> colour", 2, 1, "did you mean 'colour'"),
        ("# attributes: a b a", 1, 19, "'a' stands in line 1 already"),
        ("# attributes: a\n# attributes: b a", 2, 17, "'a' stands in line 1 already"),
        ("# attributes: a -> b", 1, 17, "as a name it is quoted"),
        ("a -> b\nc \0", 2, 3, "NUL"),
    ],
)
def test_what_is_no_implication_is_refused_with_its_place(text: str, line: int, column: int | None, words: str) -> None:
    error = refused(text)
    assert (error.line, error.column) == (line, column)
    assert words in error.problem


def test_long_names_are_cut_in_messages() -> None:
    long = "x" * 5000
    for name, text in (
        ("imp", f"# attributes: {long}1 b\n{long}2 -> b"),
        ("imp", f"# attributes: {long} b\na -> b"),
        ("json", f'{{"{long}": 1, "{long}": 2}}'),
        ("java-lattices", f"{long} b\na -> b"),
        ("json", f'[[["{long}", 1], ["2"]], [[2], ["1"]]]'),
    ):
        with pytest.raises(FormatError) as caught:
            READERS[name](text.encode(), "here")
        assert len(str(caught.value)) < 500


def test_attributes_that_are_said_to_be_none_are_not_those_that_appear_first() -> None:
    assert json_theory.read(b'{"attributes": [], "implications": []}').notes == ("0 attributes, 0 implications",)


def test_a_theory_too_big_for_memory_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "MOST_BYTES", 10_000)
    text = "\n".join(f"a{i} -> b{i}" for i in range(1000))
    error = refused(text)
    assert error.line is not None and 1 < error.line < 1000
    assert "split the theory" in error.problem


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a", "a"),
        ("a\\b", "a\\b"),
        ("a,b", "a,b"),
        ("a-b>c", "a-b>c"),
        ("é", "é"),
        ("", '""'),
        ("a b", '"a b"'),
        ("a\xa0b", '"a\xa0b"'),
        ("a->b", '"a->b"'),
        ("#", '"#"'),
        ("!", '"!"'),
        ("~a", '"~a"'),
        ('a"b\\c', r'"a\"b\\c"'),
        ("a\nb", r'"a\nb"'),
    ],
)
def test_a_name_is_quoted_where_it_could_be_taken_for_something_else(name: str, written: str) -> None:
    assert word(name) == written
    assert read_theory(f"{written} -> z").universe.names == (name, "z")


@pytest.mark.parametrize("few", [0, 1, 15, 16, 17, 200, 7000])
def test_the_positions_of_a_set_are_those_of_its_members_however_many_and_far_apart(few: int) -> None:
    for start, step in ((0, 1), (5, 1), (0, 7), (6000, 11)):
        positions = list(range(start, start + few * step, step))
        assert drafts.positions_in(sum(1 << position for position in positions)) == positions


def test_a_comment_with_a_line_break_is_flattened_and_said() -> None:
    named = theory("ab", ("a", "b"), comments=("first\nsecond",))
    assert imp.write(named) == b"# attributes: a b\na -> b # first second\n"
    assert imp.losses(named) == ["line breaks in 1 comment written as blanks"]
    assert imp.losses(theory("ab", ("a", "b"), comments=("first",))) == []


def test_half_a_character_is_refused_by_the_writers_of_text() -> None:
    named = theory(["a", "\ud800"], ("a", "a"))
    for name in ("imp", "json", "conexp", "java-lattices", "dimacs"):
        with pytest.raises(FormatError, match=r"surrogate|cannot stand"):
            formats.dumps(theory(["a", "\ud800"], ("\ud800", "a")) if name == "conexp" else named, name)


# JSON


def test_json_is_laid_out_one_implication_a_line() -> None:
    named = theory("abc", ("a", "ab"), ("bc", None), comments=("why", ""))
    assert formats.dumps(named, "json") == (
        "{\n"
        '  "attributes": ["a", "b", "c"],\n'
        '  "implications": [\n'
        '    {"premise": ["a"], "conclusion": ["b"], "comment": "why"},\n'
        '    {"premise": ["b", "c"], "conclusion": null}\n'
        "  ]\n"
        "}\n"
    )


def test_a_result_is_a_theory_and_says_how_it_ended() -> None:
    document = json_theory.document(theory("ab", ("a", "b")))
    document |= {"format": "hornbook/1", "learner": "clh", "status": "incomplete", "queries": {"closure": 3}}
    reading = json_theory.read(json.dumps(document).encode())
    assert reading.value == theory("ab", ("a", "b"))
    assert reading.notes == ("2 attributes, 1 implication", "a result, learner: clh, status: incomplete")
    document["format"] = "hornbook/2"
    assert "hornbook/1" in refused(json.dumps(document), json_theory).problem


def test_the_shapes_of_others_are_read() -> None:
    expected = [(frozenset("a"), frozenset("bc")), (frozenset(), frozenset("d"))]
    rows = [{"premise": ["a"], "conclusion": ["b", "c"], "id": 1, "support": 0.5}, {"premise": [], "conclusion": ["d"]}]
    pairs = [[["a"], ["b", "c"]], [[], ["d"]]]
    rules = [{"lhs": "a", "rhs": ["b", "c"]}, {"lhs": [], "rhs": {"d": 1}}]
    fcar_set = {"type": "ImplicationSet", "attributes": list("abcd"), "rules": rules}
    shapes: list[tuple[object, str]] = [
        ({"implications": rows}, "conexp"),
        ({"type": "implication_set", "data": pairs}, "conexp"),
        ({"context": {}, "implication_sets": [{"implications": rows, "is_base": True}]}, "conexp"),
        (fcar_set, "fcar-json"),
        ({"type": "FormalContext", "implications": fcar_set}, "fcar-json"),
        (pairs, "json"),
    ]
    for shape, name in shapes:
        reading = json_theory.read(json.dumps(shape).encode())
        assert said(reading.value) == expected  # type: ignore[arg-type]
        assert reading.format == name
    assert "'id' of 1 implication left out" in json_theory.read(json.dumps({"implications": rows}).encode()).notes


def test_pairs_of_numbers_are_over_all_numbers_to_the_largest() -> None:
    named = read_theory("[[[1, 4], [0]], [[], [2]]]", json_theory)
    assert named.universe.names == ("0", "1", "2", "3", "4")
    assert said(named) == [(frozenset("14"), frozenset("0")), (frozenset(), frozenset("2"))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"),
        ('{"implications": ', "no JSON"),
        ('{"attributes": ["a"]}', "--as table"),
        ('{"attributes": ["a"], "attributes": ["b"], "implications": []}', "'attributes' twice"),
        ('{"attributes": ["a", "b", "a"], "implications": []}', "'a' appears twice"),
        ('{"attributes": "a", "implications": []}', "must be a list of names"),
        ('{"attributes": ["a", 1], "implications": []}', "names are strings"),
        ('{"attributes": ["a"], "implications": {}}', 'no "implications"'),
        ('{"attributes": ["a"], "implications": 3}', "must be a list"),
        ('{"attributes": ["a"], "implications": [7]}', "implication 1: is the number 7"),
        ('{"attributes": ["a"], "implications": [{"premise": []}]}', "implication 1: 'conclusion' is missing"),
        ('{"attributes": ["a"], "implications": [{"premise": "a", "conclusion": []}]}', "the string 'a'"),
        (
            '{"attributes": ["a"], "implications": [{"premise": [], "conclusion": []}, {"premise": ["b"], '
            '"conclusion": []}]}',
            "implication 2: unknown attribute 'b'",
        ),
        ('{"attributes": ["a"], "implications": [{"premise": [1], "conclusion": []}]}', "the number 1"),
        ('{"attributes": ["a"], "implications": [{"premise": [true], "conclusion": []}]}', "true"),
        ('{"implications": [{"premise": ["1", 1], "conclusion": []}, {"premise": ["1"], "conclusion": []}]}', "rename"),
        ('{"implications": [{"premise": [1.5], "conclusion": []}]}', "number 1.5"),
        ('{"implications": [{"premise": [], "conclusion": [], "confidence": 0.9}]}', "confidence is the number 0.9"),
        ('{"attributes": ["a"], "rules": [{"lhs": {"a": 0.5}, "rhs": []}]}', "degree of the number 0.5"),
        ('{"implication_sets": []}', "0 theories"),
        ("3", "no theory"),
        ("[" * 100_000, "nested"),
        ('{"implications": [{"premise": [' + "9" * 5000 + '], "conclusion": []}]}', "no JSON for us"),
    ],
)
def test_json_that_is_no_theory_is_refused_and_said_where(text: str, words: str) -> None:
    assert words in refused(text, json_theory).problem


def test_what_is_deep_or_big_is_refused_in_few_words() -> None:
    deep = "[" * 900 + "]" * 900
    for text in (
        '{"implications": [{"premise": %s, "conclusion": []}]}',
        '{"implications": [{"premise": [%s], "conclusion": []}]}',
        '{"implications": [{"premise": [], "conclusion": [], "confidence": %s}]}',
        '{"rules": [{"lhs": {"a": %s}, "rhs": []}]}',
        '{"implications": [%s]}',
        '{"implications": %s}',
        '{"attributes": %s, "implications": []}',
        '{"implications": [{"premise": [], "conclusion": [], "comment": %s}]}',
        "[%s]",
    ):
        for value in (deep, '"' + "x" * 100_000 + '"', "9" * 4000):
            with contextlib.suppress(FormatError):
                assert len(str(json_theory.read((text % value).encode()).notes)) < 1000
                continue
            assert len(str(refused(text % value, json_theory))) < 1000
    for value in (deep, '{"type": %s}' % deep):  # noqa: UP031
        with pytest.raises(FormatError):
            dependencies.read_metanome(value.encode())


def test_broken_json_is_refused_with_line_and_column() -> None:
    error = refused('{"attributes": [],\n "implications": [}', json_theory)
    assert (error.line, error.column) == (2, 19)


# The texts of others


def test_the_printed_implications_of_conexp_are_read() -> None:
    expected = [(frozenset("a"), frozenset(["b", "c d"])), (frozenset(), frozenset("a"))]
    one = '(#{"a"} ⟶ #{"b" "c d"})'
    two = "(#{} ⟶ #{a})"
    for text in (f"{one}\n{two}", f"#{{{one} {two}}}", f"({one}, {two})", f"[{one} {two}]", one[1:-1] + " " + two):
        assert said(read_theory(text, conexp)) == expected
    assert said(read_theory("#{}", conexp)) == []
    assert said(read_theory("(#{[x 1] :k} ==> #{[x [y 2]]})", conexp)) == [
        (frozenset(["[x 1]", ":k"]), frozenset(["[x [y 2]]"]))
    ]


def test_implications_of_conexp_as_they_are_typed_are_read() -> None:
    for text in ('(impl a ==> b "c d")(impl ==> a)', '[(impl "a" ==> b "c d"),\n(impl ==> a)]'):
        assert said(read_theory(text, conexp)) == [
            (frozenset("a"), frozenset(["b", "c d"])),
            (frozenset(), frozenset("a")),
        ]


@pytest.mark.parametrize(
    "text",
    [
        "(impl a b)",
        "(impl a ==> b",
        "(impl a ==> b ==> c)",
        "(impl a ==> {b)",
        '(#{"a"} ⟶ #{"b"}',
        '(#{"a"} #{"b"})',
        '#{"a',
        "#{a",
        "a ⟶ b",
        "#{a} ⟶",
        "(#{a} ⟶ #{b}))",
        ")#{a} ⟶ #{b}(",
        "#{[a} ⟶ #{b}",
        "#{a}",
    ],
)
def test_a_damaged_print_is_refused_with_its_place(text: str) -> None:
    assert refused(text, conexp).line == 1


def test_implications_between_commas_are_read_with_any_arrow() -> None:
    expected = [
        (frozenset(["a", "b b"]), frozenset("c")),
        (frozenset("c"), frozenset("d")),
        (frozenset(), frozenset("a")),
    ]
    for text in (
        "a, b b -> c\nc -> d\n-> a",
        "a,b  b->c; c->d; {} -> a",
        "# why\na, b b => c\nc ==> d\n∅ → a",
        "Implication set with 3 implications.\nRule 1: {a, b b} -> {c}\nRule 2: {c} -> {d}\nRule 3: {} -> {a}",
    ):
        assert said(read_theory(text, foreign)) == expected


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a -> b\n x, y", 2, 2),
        ("a -> b; c", 1, 9),
        ("a -> b -> c", 1, 1),
        ("a,,b -> c", 1, 1),
        ("(a -> b)", 1, 1),
        ("'a, b' -> c", 1, 1),
    ],
)
def test_a_line_without_one_arrow_is_refused_with_its_place(text: str, line: int, column: int) -> None:
    error = refused(text, foreign)
    assert (error.line, error.column) == (line, column)


def test_java_lattices_cannot_hold_a_name_that_is_lost_at_the_start_of_a_file() -> None:
    with pytest.raises(FormatError, match="cannot stand in a file of java-lattices"):
        lattices.write(theory(["\ufeffa", "b"], ("b", "b")))
    assert read_theory(lattices.write(theory(["b", "\ufeffa"])), lattices).universe.names == ("b", "\ufeffa")


def test_utf_16_is_read_without_its_mark() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        reading = imp.read("# attributes: a b\na -> b\n".encode(encoding))
        assert said(reading.value) == [(frozenset("a"), frozenset("b"))]  # type: ignore[arg-type]
        assert any(f"read as {encoding.upper()}, as " in note for note in reading.notes)


def test_quotes_around_names_are_no_part_of_them() -> None:
    named = read_theory("{'a','b (1)'} -> \"c's\"", foreign)
    assert said(named) == [(frozenset(["a", "b (1)"]), frozenset(["c's"]))]


def test_the_text_of_fcar_says_what_fcar_will_misread() -> None:
    named = theory(["P(1)", "b"], ("b", "b"))
    remarks = fcar.losses(NamedTheory(named.universe, Theory.of(2, [(0, 1)])))
    assert any("regular expressions" in remark and "P(1)" in remark for remark in remarks)
    assert any("empty side" in remark for remark in remarks)


def test_java_lattices_names_its_elements_first() -> None:
    named = read_theory("c a b a->b\na b -> c\n\n-> a->b\n", lattices)
    assert named.universe.names == ("c", "a", "b", "a->b")
    assert said(named) == [(frozenset("ab"), frozenset("c")), (frozenset(), frozenset(["a->b"]))]
    assert lattices.write(theory("cab", ("ab", "c"), ("", "a"))) == b"c a b\na b -> c\n-> a\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a b\na -> c", 2, "add it to the elements in line 1"),
        ("a -> b", 1, "first line must name all elements"),
        ("a b\na b", 2, "no ->"),
        ("a b\na -> b -> a", 2, "2 ->"),
        ("a a\n", 1, "twice"),
    ],
)
def test_java_lattices_drops_strangers_and_we_refuse_them(text: str, line: int, words: str) -> None:
    error = refused(text, lattices)
    assert error.line == line
    assert words in error.problem


METANOME = """# TABLES
people.csv\t1
# COLUMN
1.name\t1
1.town, zip\t2
1.age\t3
1.unused\t4
# RESULTS
1,2->3
->2
"""


def test_results_of_metanome_are_read_in_both_shapes() -> None:
    reading = dependencies.read_metanome(METANOME.encode())
    assert reading.value.universe.names == ("name", "town, zip", "age", "unused")  # type: ignore[union-attr]
    expected = [(frozenset(["name", "town, zip"]), frozenset(["age"])), (frozenset(), frozenset(["town, zip"]))]
    assert said(reading.value) == expected  # type: ignore[arg-type]

    def column(name: str) -> dict[str, str]:
        return {"tableIdentifier": "people.csv", "columnIdentifier": name}

    lines = [
        {
            "type": "FunctionalDependency",
            "determinant": {"columnIdentifiers": [column(name) for name in sorted(left)]},
            "dependant": column(next(iter(right))),
        }
        for left, right in expected
    ]
    text = "\n".join(map(json.dumps, lines))
    for shape in (text, json.dumps(lines)):
        assert said(dependencies.read_metanome(shape.encode()).value) == expected  # type: ignore[arg-type]
    two = METANOME.replace("# COLUMN\n", "pets.csv\t2\n# COLUMN\n2.name\t5\n").replace("->2", "5->2")
    reading = dependencies.read_metanome(two.encode())
    assert said(reading.value)[1] == (frozenset(["pets.csv.name"]), frozenset(["people.csv.town, zip"]))  # type: ignore[arg-type]


def test_results_of_desbordante_are_read_and_blanks_in_columns_refused() -> None:
    named = dependencies.read_desbordante(b"[A B] -> C\n[] -> A\n[C] -> [D E]\n").value
    assert said(named) == [  # type: ignore[arg-type]
        (frozenset("AB"), frozenset("C")),
        (frozenset(), frozenset("A")),
        (frozenset("C"), frozenset("DE")),
    ]
    with pytest.raises(FormatError, match="has a blank") as caught:
        dependencies.read_desbordante(b"[A B] -> C\n[A] -> two words\n")
    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["(('A', 'B C'), 'D')\n((), 'A')\n", "[(('A', 'B C'), 'D'), ([], 'A')]"])
def test_tuples_of_desbordante_are_read_as_python_prints_them(text: str) -> None:
    named = dependencies.read_desbordante(text.encode()).value
    assert said(named) == [(frozenset(["A", "B C"]), frozenset("D")), (frozenset(), frozenset("A"))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["(('A', 'B'), 'C'", "(('A', 1), 'C')", "(('A',), 'C', 'D')", "('A', 'B')", "(f(), 'C')"]
)
def test_what_is_no_tuple_of_names_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="is no dependency; one is"):
        dependencies.read_desbordante(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# TABLES\nt\t1\n# COLUMN\n1.a\t1\n",
        "1->2",
        METANOME + "7->1",
        METANOME + "1->2->3",
        "# TABLES\nno tab here",
        '{"type": "UniqueColumnCombination"}',
        '{"type": "FunctionalDependency"}',
        '{"type": "FunctionalDependency", "determinant": {"columnIdentifiers": [3]}, "dependant": {}}',
        METANOME.replace("1.age", "1.name"),
    ],
)
def test_a_damaged_result_of_metanome_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        dependencies.read_metanome(text.encode())


def test_rules_are_read_as_prolog_and_datalog_write_them() -> None:
    text = r"""
% attributes: c, a, b, 'two words', 'it''s', 'a\\b', d.
.decl c()
c :- a, b.   % first
a. /* not
this */ 'two words':-'it''s' , 'a\\b'.
:- c, d.  % second
b() :- d(). false :- a,
  'two words'.
c :- true.
% about nothing
"""
    named = read_theory(text, datalog)
    assert named.universe.names == ("c", "a", "b", "two words", "it's", "a\\b", "d")
    assert said(named) == [
        (frozenset("ab"), frozenset("c")),
        (frozenset(), frozenset("a")),
        (frozenset(["it's", "a\\b"]), frozenset(["two words"])),
        (frozenset("cd"), None),
        (frozenset("d"), frozenset("b")),
        (frozenset(["a", "two words"]), None),
        (frozenset(), frozenset("c")),
    ]
    assert named.comments == ("first", "", "", "second", "", "", "")


def test_rules_are_written_so_that_prolog_takes_every_name_for_an_atom() -> None:
    named = theory(["A", "b_1", "true", "x y"], ("A", "A"))
    named = NamedTheory(named.universe, Theory.of(4, [(1, 14), (0, 1), (6, 15)], top=False))
    assert datalog.write(named).decode() == (
        "% attributes: 'A', b_1, 'true', 'x y'.\nb_1 :- 'A'.\n'true' :- 'A'.\n'x y' :- 'A'.\n'A'.\n:- b_1, 'true'.\n"
    )
    assert "3" not in datalog.losses(named)[0] and "1 implication with several" in datalog.losses(named)[0]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a :- b", 1, 1, "full stop"),
        ("a.\nb :- c(x).", 2, 7, "propositional"),
        ("a :- not b.", 1, 6, "negation"),
        (r"a :- \+ b.", 1, 6, "negation"),
        ("a :- b ; c.", 1, 8, "disjunction"),
        ("a, b :- c.", 1, 4, "a second head"),
        ("a :- b,.", 1, 7, "comma too many"),
        ("a :- ,b.", 1, 6, "comma too many"),
        ("a :- b c.", 1, 8, "comma or a full stop"),
        ("a :- .", 1, 3, "nothing behind"),
        (". a.", 1, 1, "without a rule"),
        ("a :- false.", 1, 6, "says nothing"),
        ("'a.", 1, 1, "does not end"),
        (r"'a\q'.", 1, 3, "escape"),
        ("/* a", 1, 1, "does not end"),
        ("% attributes: a.\nb.", 2, 1, "unknown attribute 'b'"),
        ("a :- b :- c.", 1, 8, "comma or a full stop"),
    ],
)
def test_what_is_no_propositional_rule_is_refused_with_its_place(text: str, line: int, column: int, words: str) -> None:
    error = refused(text, datalog)
    assert words in error.problem
    assert (error.line, error.column) == (line, column)


# Files of others, as they are


@pytest.mark.slow
def test_every_theory_of_the_data_is_read_whole_and_survives(data: Path) -> None:
    counts = {
        "pibase_definite.imp": (246, 832),
        "pibase_nonempty.imp": (245, 853),
        "catdat_category.imp": (174, 519),
        "rmzoo_omega.imp": (131, 321),
        "buildroot_full.imp": (6834, 8750),
        "zoo_DG.imp": (28, 141),
        "SPECT_mingen.imp": (23, 44341),
        "pypi_jupyter_airflow_fastapi.imp": (371, 267),
    }
    found = 0
    for path in sorted([*(data / "theories").rglob("*.imp"), *(data / "expected").rglob("*.imp")]):
        named = formats.read(path).value
        assert isinstance(named, NamedTheory)
        sizes = named.universe.size, len(named.theory)
        assert counts.get(path.name, sizes) == sizes
        if path.stat().st_size < 500_000:
            for name in ("imp", "json"):
                again = formats.named(name).function("read")
                assert again is not None
                read = again(formats.dumps(named, name).encode(), "here").value
                assert (read.universe, read.comments) == (named.universe, named.comments)
                assert [(i.premise, i.added) for i in read.theory] == [(i.premise, i.added) for i in named.theory]
        found += 1
    assert found >= 60


def test_comments_of_the_topologists_go_with_their_theorems(data: Path) -> None:
    named = formats.read(data / "theories" / "pibase_definite.imp").value
    assert isinstance(named, NamedTheory)
    assert all(re.fullmatch(r"T\d{6}", comment) for comment in named.comments)
    assert len(named.comments) == len(named.theory)


def test_published_bases_of_numbered_columns_are_canonical_as_they_are(data: Path) -> None:
    sizes = {"abalone": 40, "adult": 42, "caulkins": 67, "credit": 253, "diagnostics": 17, "forestfires": 138}
    for path in sorted((data / "expected" / "published").glob("*.json")):
        named = formats.read(path).value
        assert isinstance(named, NamedTheory)
        short = path.name.removeprefix("codocedo_").split(".")[0]
        assert sizes.get(short, len(named.theory)) == len(named.theory)
        if len(named.theory) < 300:
            assert len(named.theory.canonical()) == len(named.theory)


# Nothing but a value or a FormatError

READERS = {
    "imp": imp.read,
    "json": json_theory.read,
    "conexp": conexp.read,
    "fcar": fcar.read,
    "text": foreign.read,
    "java-lattices": lattices.read,
    "metanome": dependencies.read_metanome,
    "desbordante": dependencies.read_desbordante,
    "datalog": datalog.read,
}

SEEDS: dict[str, list[str]] = {
    "imp": ['# attributes: a b "c d"\na b -> "c d" # T1\n-> a\nb -> !\n', 'a -> "\\u00e9"\n'],
    "json": [
        '{"attributes": ["a", "b"], "implications": [{"premise": ["a"], "conclusion": ["b"], "comment": "x"}, '
        '{"premise": ["b"], "conclusion": null}], "format": "hornbook/1"}',
        "[[[1, 2], [0]]]",
        '{"attributes": ["a"], "rules": [{"lhs": {"a": 1}, "rhs": []}]}',
    ],
    "conexp": ['#{(#{"a"} ⟶ #{"b" [c 1]}) (#{} ⟶ #{a})}'],
    "fcar": ["a,b -> c; {} -> {d}\nRule 1: {a} -> {b}\n"],
    "text": ["a, b => c\n# no\nc → d"],
    "java-lattices": ["a b c\na b -> c\n"],
    "metanome": [METANOME, json.dumps({"type": "FunctionalDependency", "determinant": {"columnIdentifiers": []}})],
    "desbordante": ["[A B] -> C\n"],
    "datalog": ["% attributes: a, 'b c'.\na :- 'b c'. % x\n:- a, 'b c'.\n"],
}

PIECES = ["->", '"', "'", "\\", "!", "#", "\n", "\0", "{", "}", "[", "]", "(", ")", ",", ";", ".", ":-", "%", "null"]
PIECES += ["# attributes:", "⟶", "\r", "\t", " ", "/*", "1", "é", "\ufeff", "# RESULTS\n", '"a"', "[]", "{}"]


def mutated(seed: str) -> st.SearchStrategy[bytes]:
    """The seed with a few pieces cut out and others put in, now and then as other bytes."""

    def change(steps: list[tuple[int, int, str]]) -> str:
        text = seed
        for at, cut, piece in steps:
            at %= len(text) + 1
            text = text[:at] + piece + text[at + cut :]
        return text

    steps = st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from(PIECES) | st.text(max_size=2)),
        min_size=1,
        max_size=4,
    )
    return st.builds(
        lambda steps, encoding: change(steps).encode(encoding, "replace"),
        steps,
        st.sampled_from(["utf-8", "utf-8", "utf-8", "latin-1", "utf-16"]),
    )


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
@settings(max_examples=150)
def test_a_reader_gives_a_theory_or_a_format_error(name: str, data: st.DataObject) -> None:
    raw = data.draw(st.binary(max_size=40) | mutated(data.draw(st.sampled_from(SEEDS[name]))))
    try:
        value = READERS[name](raw, "here").value
    except FormatError:
        return
    assert isinstance(value, NamedTheory)
    assert len(value.comments) in (0, len(value.theory))
    again = imp.read(imp.write(value)).value
    assert isinstance(again, NamedTheory)
    assert said(again) == said(value) + closing(value)


LONG = 1_000_000


def long_texts() -> Iterator[tuple[str, str]]:
    for name, texts in {
        "imp": ["a" * LONG, "a " * (LONG // 2), "a b " * (LONG // 4) + "-> c", '"' * LONG, "\\" * LONG, '"\\' * LONG],
        "json": ['"' + "a" * LONG, "[" * LONG, '{"implications": [' * 1000, "[" + "1," * LONG, " " * LONG],
        "conexp": ["(impl a " * (LONG // 8), "#{" * LONG, "(" * LONG, "#{" + "a " * LONG, "[" * LONG, '"' * LONG],
        "text": ["a," * LONG, ";" * LONG, "->" * LONG, "{" * LONG, " " * LONG + "x"],
        "java-lattices": ["a " * LONG, "a\n" + "-> " * LONG],
        "metanome": ["# TABLES\n" * (LONG // 9), "# RESULTS\n" + "1," * LONG, "{" * LONG],
        "desbordante": ["(" * LONG, "[" * LONG, "[" + "a " * LONG + "] -> b"],
        "datalog": [
            "a" * LONG,
            "a. " * (LONG // 3),
            "'" * LONG,
            "a :- " + "b, " * (LONG // 3),
            "." * LONG,
            "/*" * LONG,
        ],
    }.items():
        for text in texts:
            yield name, text
    words = " ".join(f"x{i}" for i in range(LONG // 8))
    yield "imp", f"{words} -> y"
    yield "imp", f"# attributes: {words}\nx1 -> y"
    yield "imp", '# attributes: "a b"\n' + '"a b" ' * (LONG // 6) + "->"
    yield "imp", "# attributes:\n" * (LONG // 14)
    yield "imp", "\n".join(f"x{i} -> y{i}" for i in range(LONG // 14))
    yield "datalog", ".\n".join(f"x{i} :- y{i}" for i in range(LONG // 14)) + "."
    yield "java-lattices", words + "\n" + words + " -> x1"


@pytest.mark.slow
@pytest.mark.usefixtures("no_hang")
def test_no_reader_takes_quadratic_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "MOST_BYTES", 100_000_000)
    for name, text in long_texts():
        try:
            READERS[name](text.encode(), "here")
        except FormatError as error:
            assert len(str(error)) < 1000


def test_the_examples_of_the_docs_are_read_as_the_docs_say() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")
    ours = read_theory(re.findall(r"```text\n(# attributes.*?)```", page, re.DOTALL)[0])
    assert ours.universe.names == ("bird", "lays eggs", "penguin", "swims", "!")
    assert said(ours) == [
        (frozenset(["bird"]), frozenset(["lays eggs"])),
        (frozenset(["penguin"]), frozenset(["bird", "swims"])),
        (frozenset(), frozenset("!")),
        (frozenset(["penguin", "lays eggs"]), None),
    ]
    text = re.findall(r"```json\n(.*?)```", page, re.DOTALL)[0]
    assert formats.dumps(read_theory(text, json_theory), "json") == text
