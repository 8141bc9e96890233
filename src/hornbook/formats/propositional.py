"""Propositional constraints, `(A & B) => !C | D`, as clauses over the same variables: by distribution.

The signs and their order of binding are those of UVL: `!`, `&`, `|`, `=>`, `<=>`, equal ones from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from math import comb
from typing import NamedTuple, TypeAlias

from hornbook.errors import FormatError
from hornbook.formats.text import cut, shown

Clause: TypeAlias = tuple[int, ...]

MOST_CLAUSES = 10_000
"""What one constraint may become. Without new variables some grow exponentially, and a shorter file is the way out."""

MOST_COUNTED = 200_000
"""What one group of variables may become: how many of them are true is said by a clause for each subset of one size."""

MOST_STEPS = 5_000_000
"""What the way there may cost, in literals."""

MOST_LEVELS = 50

_BINARY = ("<=>", "=>", "|", "&")
_ARITHMETIC = ("==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/")
_FUNCTIONS = ("sum", "avg", "len", "floor", "ceil")


class Token(NamedTuple):
    """A word of the text (`kind` is word, name, string, number, or the sign itself) and where it stands."""

    kind: str
    text: str
    line: int
    column: int


class Formula(NamedTuple):
    """A sign and what it joins, or `var` and a variable."""

    sign: str
    parts: tuple[Formula, ...] = ()
    variable: int = 0


def parse(tokens: list[Token], variable: Callable[[str, Token], int]) -> tuple[Formula, bool]:
    """The formula that the tokens are, and whether arrows stand in a chain without brackets."""
    parser = _Parser(tokens, variable)
    formula = parser.binary(0, 0)
    if parser.index < len(tokens):
        raise unexpected(tokens[parser.index])
    return formula, parser.chained > 0


def unexpected(token: Token) -> FormatError:
    """The error for a token that cannot stand where it does."""
    if token.kind in _ARITHMETIC or token.kind in ("number", "string"):
        way_out = "leave the constraint out, or say it with ! & | =>"
        problem = f"{cut(token.text)} makes this arithmetic, and no formula; {way_out}"
    elif token.kind == ".":
        problem = "a reference into another model or to an attribute; only features can be read"
    else:
        problem = f"{shown(token.text)} cannot stand here; a constraint is like `A & !B => C`"
    return FormatError(problem, line=token.line, column=token.column)


class _Parser:
    def __init__(self, tokens: list[Token], variable: Callable[[str, Token], int]) -> None:
        self.tokens, self.variable = tokens, variable
        self.index, self.chained = 0, 0

    def binary(self, level: int, depth: int) -> Formula:
        """A formula whose signs bind at least as tightly as those of this level."""
        if level == len(_BINARY):
            return self.unary(depth)
        sign = _BINARY[level]
        parts = [self.binary(level + 1, depth)]
        while self.index < len(self.tokens) and self.tokens[self.index].kind == sign:
            self.index += 1
            parts.append(self.binary(level + 1, depth))
        if len(parts) == 1:
            return parts[0]
        if sign in ("&", "|"):
            return Formula(sign, tuple(parts))
        self.chained += len(parts) - 2
        if self.chained > MOST_LEVELS:
            raise self.too_deep()
        formula = parts[0]
        for part in parts[1:]:
            formula = Formula(sign, (formula, part))
        return formula

    def unary(self, depth: int) -> Formula:
        """A variable, a formula in brackets, or the negation of one."""
        negative = False
        while self.index < len(self.tokens) and self.tokens[self.index].kind == "!":
            self.index += 1
            negative = not negative
        if self.index == len(self.tokens):
            last = self.tokens[-1] if self.tokens else Token("", "", 1, 1)
            raise FormatError("the constraint ends too early", line=last.line, column=last.column)
        token = self.tokens[self.index]
        self.index += 1
        if token.kind == "(":
            if depth >= MOST_LEVELS:
                raise self.too_deep()
            formula = self.binary(0, depth + 1)
            if self.index == len(self.tokens) or self.tokens[self.index].kind != ")":
                raise FormatError("this bracket is not closed", line=token.line, column=token.column)
            self.index += 1
        elif token.kind in ("word", "name"):
            self.refuse_arithmetic(token)
            formula = Formula("var", variable=self.variable(token.text, token))
        else:
            raise unexpected(token)
        return Formula("!", (formula,)) if negative else formula

    def refuse_arithmetic(self, token: Token) -> None:
        following = self.tokens[self.index] if self.index < len(self.tokens) else None
        if following is None:
            return
        called = following.kind == "(" and token.kind == "word" and token.text in _FUNCTIONS
        if called or following.kind in _ARITHMETIC or following.kind == ".":
            raise unexpected(following if not called else Token("number", token.text, token.line, token.column))

    def too_deep(self) -> FormatError:
        token = self.tokens[min(self.index, len(self.tokens) - 1)]
        problem = f"more than {MOST_LEVELS} levels of brackets or arrows; split the constraint"
        return FormatError(problem, line=token.line, column=token.column)


def clauses_of(formula: Formula) -> list[Clause]:
    """The formula as clauses, without those that are always true and without repetitions."""
    return _clauses(formula, True, {})


def counted(parent: int, variables: list[int], least: int, most: int) -> list[Clause]:
    """The clauses that say that with the parent at least so many are true, and never more than so many."""
    size = len(variables)
    if least > size:
        return [(-parent,)]
    if _subsets(size, most + 1) + (_subsets(size, size - least + 1) if least else 0) > MOST_COUNTED:
        raise FormatError(
            f"[{least}..{min(most, size)}] of {size:,} features is more than {MOST_COUNTED:,} clauses; "
            "split the group into smaller ones"
        )
    clauses: list[Clause] = []
    if least:
        clauses += [(-parent, *some) for some in combinations(variables, size - least + 1)]
    clauses += [tuple(-variable for variable in some) for some in combinations(variables, most + 1)]
    return clauses


def _subsets(size: int, count: int) -> int:
    """How many subsets of so many there are; more than is wanted where the true number would take long to know."""
    return MOST_COUNTED + 1 if size > 1000 and 1 < count < size - 1 else comb(size, count)


def _clauses(formula: Formula, wanted: bool, known: dict[tuple[int, bool], list[Clause]]) -> list[Clause]:
    """The clauses of the formula, or of its negation. Shared parts are done once: `known` is by identity."""
    key = id(formula), wanted
    if key in known:
        return known[key]
    sign, parts = formula.sign, formula.parts
    if sign == "var":
        clauses: list[Clause] = [(formula.variable if wanted else -formula.variable,)]
    elif sign == "!":
        clauses = _clauses(parts[0], not wanted, known)
    elif sign in ("&", "|"):
        lists = [_clauses(part, wanted, known) for part in parts]
        clauses = _joined(lists) if (sign == "&") == wanted else _distributed(lists)
    else:
        left, right = parts
        yes, no = _clauses(left, True, known), _clauses(left, False, known)
        if sign == "=>":
            clauses = (
                _distributed([no, _clauses(right, True, known)])
                if wanted
                else _joined([yes, _clauses(right, False, known)])
            )
        else:
            other_yes, other_no = _clauses(right, wanted, known), _clauses(right, not wanted, known)
            clauses = _joined([_distributed([no, other_yes]), _distributed([yes, other_no])])
    known[key] = clauses
    return clauses


def _joined(lists: Iterable[list[Clause]]) -> list[Clause]:
    """All of the clauses."""
    clauses = list(dict.fromkeys(clause for clauses in lists for clause in clauses))
    if len(clauses) > MOST_CLAUSES:
        raise _too_big()
    return clauses


def _distributed(lists: Iterable[list[Clause]]) -> list[Clause]:
    """The clauses that say that one of the lists is true as a whole."""
    different = list(dict.fromkeys(map(tuple, lists)))
    # All single clauses go together at once: a long disjunction would else be copied for each of its literals.
    literals = frozenset(literal for clauses in different if len(clauses) == 1 for literal in clauses[0])
    product = [] if any(-literal in literals for literal in literals) else [literals]
    steps = 0
    for clauses in different:
        if len(clauses) == 1:
            continue
        grown: dict[frozenset[int], None] = {}
        for one in product:
            for clause in clauses:
                steps += len(one) + len(clause)
                if not any(-literal in one for literal in clause):
                    grown[one.union(clause)] = None
            if len(grown) > MOST_CLAUSES or steps > MOST_STEPS:
                raise _too_big()
        product = _smallest(list(grown))
    return [tuple(sorted(clause, key=abs)) for clause in product]


def _smallest(clauses: list[frozenset[int]]) -> list[frozenset[int]]:
    """The clauses without those that another one implies, as long as it is cheap to find out."""
    if len(clauses) > 200:
        return clauses
    kept: list[frozenset[int]] = []
    for clause in sorted(clauses, key=len):
        if not any(smaller <= clause for smaller in kept):
            kept.append(clause)
    return kept


def _too_big() -> FormatError:
    return FormatError(f"the constraint becomes more than {MOST_CLAUSES:,} clauses; split it or bring it near a CNF")
