"""UVL feature models as formulas over their features: tree, groups and constraints become clauses, nothing new named.

Imports and arithmetic are refused, for what they say would be missing. Attributes of features are left out, but for
the constraints among them. Copies of a feature are not told apart: it is selected or not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hornbook.errors import FormatError
from hornbook.formats.horn import Clause, theory_of
from hornbook.formats.propositional import Token, clauses_of, counted, parse
from hornbook.formats.text import decode, plural, shown
from hornbook.formats.uvl_text import Line, tree
from hornbook.formats.values import NamedFormula, Reading
from hornbook.universe import Universe

_GROUPS = ("mandatory", "optional", "or", "alternative")
_TYPES = ("Boolean", "Integer", "Real", "String")


@dataclass(slots=True)
class _Model:
    """A feature model in the making."""

    variables: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    clauses: list[Clause] = field(default_factory=list)
    clause_lines: list[int] = field(default_factory=list)
    constraints: list[list[Token]] = field(default_factory=list)
    groups: int = 0
    typed: int = 0
    attributed: int = 0
    copied: list[str] = field(default_factory=list)
    chained: list[int] = field(default_factory=list)

    def say(self, clause: Clause, line: int) -> None:
        self.clauses.append(clause)
        self.clause_lines.append(line)


def read(data: bytes, source: str = "", as_: str | None = None) -> Reading:
    """The formula of a feature model; the theory where as_ says so and it is Horn."""
    text, notes = decode(data)
    model = _Model()
    for line in tree(text):
        _read_section(model, line)
    if not model.variables:
        raise FormatError("no `features` with a root below it; is this UVL?")
    for tokens in model.constraints:
        _read_constraint(model, tokens)
    formula = NamedFormula(Universe(tuple(model.variables)), tuple(model.clauses), tuple(model.clause_lines))
    notes = [_counted(model), *notes, *_remarks(model)]
    if as_ == "theory":
        return Reading(theory_of(formula), "uvl", tuple(notes))
    return Reading(formula, "uvl", tuple(notes))


def _read_section(model: _Model, line: Line) -> None:
    section = line.tokens[0].text
    if section == "imports":
        raise FormatError("imports: other files belong to this model; put all into one file", line=line.number)
    if section == "features":
        if model.variables:
            raise FormatError("a second `features`; one file is one model", line=line.number)
        _nothing_behind(line, 1)
        if len(line.below) != 1:
            raise FormatError(f"{len(line.below)} roots below `features`; there must be one", line=line.number)
        _read_tree(model, line.below[0])
    elif section == "constraints":
        _nothing_behind(line, 1)
        for constraint in line.below:
            if constraint.below:
                raise FormatError(
                    "a constraint that goes on in the next line must have it in brackets",
                    line=constraint.below[0].number,
                )
            model.constraints.append(constraint.tokens)
    elif section == "namespace" and line.below:
        raise FormatError("indented below `namespace`, where nothing can stand", line=line.below[0].number)
    elif section not in ("namespace", "include"):
        raise FormatError(
            f"{shown(section)} where `features` or `constraints` is expected",
            line=line.number,
            column=line.tokens[0].column,
        )


# The tree of features


def _read_tree(model: _Model, root: Line) -> None:
    """Variables for all features in the order of the file, then the clauses of the groups."""
    found: dict[int, tuple[int, int]] = {}
    features: list[Line] = []
    waiting = [root]
    while waiting:
        line = waiting.pop()
        found[line.number] = _read_feature(model, line)
        features.append(line)
        for group in reversed(line.below):
            waiting += reversed(group.below)
    model.say((found[root.number][0],), root.number)
    for line in features:
        for group in line.below:
            _read_group(model, found[line.number][0], group, [found[child.number] for child in group.below])


def _read_feature(model: _Model, line: Line) -> tuple[int, int]:
    """The variable of the feature, and how often it must at least be there where it is mandatory."""
    tokens, index = line.tokens, 0
    if tokens[0].kind == "word" and tokens[0].text in _TYPES and len(tokens) > 1 and tokens[1].kind in ("word", "name"):
        model.typed += tokens[0].text != "Boolean"
        index = 1
    name, index = _reference(tokens, index)
    least = 1
    if index < len(tokens) and tokens[index].text == "cardinality" and tokens[index].kind == "word":
        least, most, index = _cardinality(tokens, index + 1)
        if most is None or most > 1:
            model.copied.append(name)
    if index < len(tokens) and tokens[index].kind == "{":
        index = _read_attributes(model, tokens, index)
    _nothing_behind(line, index)
    if name in model.variables:
        raise FormatError(f"feature {shown(name)} stands in line {model.lines[name]} already", line=line.number)
    model.lines[name] = line.number
    model.variables[name] = len(model.variables) + 1
    return model.variables[name], least


def _reference(tokens: list[Token], index: int) -> tuple[str, int]:
    """The name that begins at index, with its dots, and what comes behind it."""
    parts = []
    while index < len(tokens) and tokens[index].kind in ("word", "name", "number"):
        parts.append(tokens[index].text)
        index += 1
        if index < len(tokens) and tokens[index].kind == ".":
            index += 1
        else:
            return ".".join(parts), index
    token = tokens[min(index, len(tokens) - 1)]
    raise FormatError(f"{shown(token.text)} where a feature is expected", line=token.line, column=token.column)


def _cardinality(tokens: list[Token], index: int) -> tuple[int, int | None, int]:
    """Least and most (None: any number) of `[n..m]`, and what comes behind it."""
    words: list[str] = []
    start = tokens[min(index, len(tokens) - 1)]
    while index < len(tokens) and (words or tokens[index].kind == "["):
        words.append(tokens[index].text)
        index += 1
        if words[-1] == "]":
            break
    inner = words[1:-1]
    numbers = [int(word) if word.isdecimal() and len(word) < 10 else None for word in inner]
    if len(words) > 2 and words[-1] == "]":
        if len(inner) == 1 and (numbers[0] is not None or inner[0] == "*"):
            return numbers[0] or 0, numbers[0], index
        least, most = numbers[0], numbers[-1]
        bounded = inner[2:] == ["*"] or (most is not None and least is not None and least <= most)
        if len(inner) == 3 and inner[1] == ".." and least is not None and bounded:
            return least, most, index
    raise FormatError("a cardinality is [n], [n..m] with n <= m, or [n..*]", line=start.line, column=start.column)


def _read_group(model: _Model, parent: int, group: Line, children: list[tuple[int, int]]) -> None:
    tokens, at = group.tokens, group.number
    kind = tokens[0].text
    variables = [variable for variable, _ in children]
    if tokens[0].kind == "[":
        least, most, index = _cardinality(tokens, 0)
        kind = "[n..m]"
    elif tokens[0].kind == "word" and kind in _GROUPS:
        least, most, index = 1, len(children), 1
    else:
        raise FormatError(
            f"{shown(kind)} where a group is expected; below a feature stand {', '.join(_GROUPS)} or [n..m]",
            line=at,
            column=tokens[0].column,
        )
    _nothing_behind(group, index)
    if not children:
        raise FormatError(f"no features below {shown(kind)}", line=at)
    model.groups += 1
    for variable in variables:
        model.say((-variable, parent), at)
    if kind == "mandatory":
        for variable, fewest in children:
            if fewest:
                model.say((-parent, variable), at)
    elif kind != "optional":
        most = 1 if kind == "alternative" else len(children) if most is None else most
        try:
            clauses = counted(parent, variables, least, most)
        except FormatError as error:
            error.line = at
            raise
        for clause in clauses:
            model.say(clause, at)


# Attributes and constraints


def _read_attributes(model: _Model, tokens: list[Token], index: int) -> int:
    """Where the braces end that open at index; constraints among the attributes go to the model."""
    opening = tokens[index]
    index, depth = index + 1, 1
    model.attributed += 1
    fresh = True  # at the beginning of an attribute
    while index < len(tokens):
        token = tokens[index]
        if fresh and token.kind == "word" and token.text in ("constraint", "constraints"):
            index = _take_constraints(model, tokens, index)
            fresh = False
            continue
        fresh = token.kind in (",", "{")
        depth += (token.kind in ("{", "[", "(")) - (token.kind in ("}", "]", ")"))
        index += 1
        if depth == 0:
            return index
    raise FormatError("this brace is not closed", line=opening.line, column=opening.column)


def _take_constraints(model: _Model, tokens: list[Token], index: int) -> int:
    """Where the attribute ends that begins at index with `constraint` or `constraints`."""
    several = tokens[index].text == "constraints" and index + 1 < len(tokens) and tokens[index + 1].kind == "["
    index += 2 if several else 1
    taken: list[Token] = []
    depth = 0  # in round brackets, where a comma ends nothing
    while index < len(tokens):
        kind = tokens[index].kind
        if depth == 0 and kind in (",", "]", "}"):
            if taken:
                model.constraints.append(taken)
            taken = []
            if kind == "]":
                return index + 1
            if not several or kind == "}":
                return index
        else:
            depth += (kind == "(") - (kind == ")")
            taken.append(tokens[index])
        index += 1
    return index


def _read_constraint(model: _Model, tokens: list[Token]) -> None:
    def variable(name: str, token: Token) -> int:
        number = model.variables.get(name)
        if number is None:
            raise FormatError(f"there is no feature {shown(name)}", line=token.line, column=token.column)
        return number

    formula, chained = parse(tokens, variable)
    at = tokens[0].line
    if chained:
        model.chained.append(at)
    try:
        clauses = clauses_of(formula)
    except FormatError as error:
        error.line = at
        raise
    for clause in clauses:
        model.say(clause, at)


def _nothing_behind(line: Line, index: int) -> None:
    if index < len(line.tokens):
        token = line.tokens[index]
        problem = f"{shown(token.text)} cannot stand here; a name with blanks or signs stands between double quotes"
        raise FormatError(problem, line=token.line, column=token.column)


def _counted(model: _Model) -> str:
    return (
        f"{plural(len(model.variables), 'feature')}, {plural(model.groups, 'group')}, "
        f"{plural(len(model.constraints), 'constraint')}: {plural(len(model.clauses), 'clause')}"
    )


def _remarks(model: _Model) -> list[str]:
    notes = []
    if model.attributed:
        notes.append(f"attributes of {plural(model.attributed, 'feature')} left out, but for constraints among them")
    if model.typed:
        notes.append(f"{plural(model.typed, 'feature')} with a value read as selected or not")
    if model.copied:
        names = ", ".join(map(shown, model.copied[:5]))
        notes.append(f"WARNING: copies are not told apart: {names} read as selected or not")
    if model.chained:
        notes.append(
            f"arrows without brackets in line {model.chained[0]} read from left to right, as UVL's grammar does"
        )
    return notes
