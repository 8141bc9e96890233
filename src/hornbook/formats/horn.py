"""From clauses to implications where they are Horn, and back."""

from __future__ import annotations

from hornbook.errors import FormatError
from hornbook.formats.drafts import positions_in, statements
from hornbook.formats.text import plural
from hornbook.formats.values import NamedFormula, NamedTheory
from hornbook.theory import Implication, Theory
from hornbook.universe import everything

Clause = tuple[int, ...]


def theory_of(formula: NamedFormula) -> NamedTheory:
    """The theory with the same models, one implication a clause, in order. Clauses that are always true say nothing."""
    size = formula.universe.size
    full = everything(size)
    implications, top = [], True
    for index, clause in enumerate(formula.clauses):
        heads = sorted({literal for literal in clause if literal > 0})
        premise = 0
        for literal in clause:
            if literal < 0:
                premise |= 1 << (-literal - 1)
        if any(premise >> (head - 1) & 1 for head in heads):
            continue
        if len(heads) > 1:
            raise _not_horn(formula, index, heads)
        top = top and bool(heads)
        implications.append(Implication(premise, 1 << (heads[0] - 1) if heads else full))
    return NamedTheory(formula.universe, Theory(size, tuple(implications), top))


def clauses_of(named: NamedTheory) -> list[Clause]:
    """The theory as clauses: one for each attribute that an implication adds, and the negative ones."""
    clauses: list[Clause] = []
    for premise, conclusion, _ in statements(named):
        body = [-(position + 1) for position in positions_in(premise)]
        if conclusion is None:
            clauses.append(tuple(body))
        else:
            clauses += [(*body, position + 1) for position in positions_in(conclusion)]
    return clauses


def _not_horn(formula: NamedFormula, index: int, heads: list[int]) -> FormatError:
    names = [formula.universe.names[head - 1] for head in heads]
    wants = " or ".join(map(repr, names[:4])) + (" or ..." if len(names) > 4 else "")
    return FormatError(
        f"clause {index + 1} is not Horn: it wants {wants}, {plural(len(names), 'positive literal')}; "
        "a theory cannot say that. As a formula (--as formula), `hornbook learn` finds the best theory above it",
        line=formula.lines[index] if formula.lines else None,
    )
