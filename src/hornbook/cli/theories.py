"""Verbs on what is known already: basis, close, check, convert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hornbook.cli import common
from hornbook.errors import CannotAnswer

if TYPE_CHECKING:
    from hornbook.formats.values import NamedTheory
    from hornbook.theory import Implication, Step, Theory
    from hornbook.universe import Universe

File = Annotated[str, typer.Argument(help="A file, or - for standard input.", show_default=False)]


def basis(file: File, kind: common.As = None, shape: common.Format = None, output: common.Output = None) -> None:
    """The canonical basis of implications, a table or a relation, without queries."""
    from hornbook import formats
    from hornbook.formats.text import plural
    from hornbook.formats.values import NamedTheory
    from hornbook.sources import basis_of

    reading = common.read(file, kind, quiet=False)
    universe, theory = basis_of(reading.value, file)
    named = NamedTheory(universe, theory)
    common.put(formats.dumps(named, common.dialect(shape, output)), output)
    common.note(f"{plural(common.said(named), 'implication')} over {plural(len(universe), 'attribute')}")


def close(
    source: Annotated[str, typer.Argument(help="A file, or another source as for `learn`.", show_default=False)],
    attributes: Annotated[list[str] | None, typer.Argument(help="Names; none for the empty set.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Print a derivation, too.")] = False,
    goal: Annotated[str | None, typer.Option("--goal", help="With --why: derive this attribute alone.")] = None,
    kind: common.As = None,
    universe_from: common.Attributes = None,
    shape: common.Format = None,
    output: common.Output = None,
) -> int:
    """The closure of a set of attributes: all that follows from having them."""
    from hornbook.sources import Settings, opened

    settings = Settings(None if kind is None else kind.value, common.attribute_list(universe_from))
    with common.aside(), opened(source, settings) as target:
        universe = target.universe
        attrs = universe.attrs(attributes or [])
        closed = target.close(attrs)
        derived = why or goal is not None
        steps = _derivation(target.theory, universe, attrs, goal, source) if derived else None
    if common.shape_of(shape, output) is common.Shape.json:
        answer: dict[str, object] = {
            "closure": None if closed is None else universe.names_in(closed),
            "consistent": closed is not None,
        }
        if steps is not None:
            answer["why"] = [_step(universe, step) for step in steps]
        common.put_json(answer, output)
    else:
        first = "" if closed is None else common.quoted(universe, closed) + "\n"
        rest = [
            f"  {_line(universe, step.implication.premise, step.added)}  (implication {step.index + 1})\n"
            for step in steps or []
        ]
        common.put(first + "".join(rest), output)
        if closed is None:
            common.note("contradictory: no model has all of these")
    return 0 if closed is not None else 1


def check(
    a: File,
    b: File,
    kind: common.As = None,
    shape: common.Format = None,
    output: common.Output = None,
) -> int:
    """Whether two theories are equivalent; if not, a set that is a model of only one of them, and exit code 1."""
    first, second = _on_one_universe(common.read_theory(a, kind), common.read_theory(b, kind), a, b)
    universe = first.universe
    witness = first.theory.difference(second.theory)
    owner, other, broken = (a, b, second) if witness is None or first.theory.satisfies(witness) else (b, a, first)
    violated = None if witness is None else _violated(broken.theory, witness)
    if common.shape_of(shape, output) is common.Shape.json:
        answer: dict[str, object] = {"equivalent": witness is None}
        if witness is not None:
            answer |= {"witness": universe.names_in(witness), "model_of": owner, "not_of": other}
        common.put_json(answer, output)
    elif witness is None:
        common.put("equivalent\n", output)
    else:
        rule = "" if violated is None else f", which violates: {_rule(universe, violated, broken.theory.top)}"
        name = common.quoted(universe, witness) or "the empty set"
        common.put(f"not equivalent\n{name}\nis a model of {owner} and none of {other}{rule}\n", output)
    return 0 if witness is None else 1


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, or - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file, or - for standard output.")],
    kind: common.As = None,
    to: Annotated[str | None, typer.Option("--to", help="The format, where OUT's ending does not tell.")] = None,
) -> None:
    """Write what a file holds in another format, and say in a line what was understood."""
    from hornbook import formats
    from hornbook.formats.files import located

    reading = common.read(source, kind)
    with located("standard input" if source == "-" else source):
        remarks = formats.write(reading.value, target, to=to)
    for remark in remarks:
        common.note(f"{target}: {remark}")
    common.note(f"{source}: {'; '.join((reading.format, *reading.notes))}")


# What they share


def _derivation(theory: Theory | None, universe: Universe, attrs: int, goal: str | None, source: str) -> list[Step]:
    if theory is None:
        raise CannotAnswer(f"{source} answers closures but holds no implications to derive them with; leave out --why")
    if goal is None:
        return theory.derivation(attrs)
    found = theory.explain(attrs, universe.position(goal))
    if found is None:
        raise CannotAnswer(f"{goal} does not follow from {common.quoted(universe, attrs) or 'the empty set'}")
    return found


def _step(universe: Universe, step: Step) -> dict[str, object]:
    """A step of a derivation as JSON; like the implications of a file, a negative clause has null."""
    added = None if step.added is None else universe.names_in(step.added)
    return {"premise": universe.names_in(step.implication.premise), "added": added, "implication": step.index + 1}


def _line(universe: Universe, premise: int, added: int | None) -> str:
    """An implication as the text format writes it; one that adds None is a negative clause."""
    conclusion = "!" if added is None else common.quoted(universe, added)
    return f"{common.quoted(universe, premise)} -> {conclusion}".strip()


def _rule(universe: Universe, implication: Implication, top: bool) -> str:
    impossible = not top and implication.conclusion == universe.everything
    return _line(universe, implication.premise, None if impossible else implication.added)


def _violated(theory: Theory, witness: int) -> Implication | None:
    return next((implication for implication in theory if not implication.satisfied_by(witness)), None)


def _on_one_universe(first: NamedTheory, second: NamedTheory, a: str, b: str) -> tuple[NamedTheory, NamedTheory]:
    """Both theories over the attributes of either; one that only one file has is free in the other."""
    from hornbook.formats.values import NamedTheory
    from hornbook.universe import Universe

    if first.universe == second.universe:
        return first, second
    names = dict.fromkeys((*first.universe, *second.universe))
    universe = Universe.of(names)
    for file, named in ((a, first), (b, second)):
        missing = [name for name in names if name not in named.universe]
        if missing:
            shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            common.note(f"{file} does not know {shown}; nothing is assumed about what it does not know")
    return (
        NamedTheory(universe, _moved(first, universe)),
        NamedTheory(universe, _moved(second, universe)),
    )


def _moved(named: NamedTheory, universe: Universe) -> Theory:
    """The theory with its attributes at their positions in another universe."""
    from hornbook.theory import Theory
    from hornbook.universe import attrs_of, members

    places = [universe.position(name) for name in named.universe]
    theory = named.theory

    def moved(attrs: int) -> int:
        if not theory.top and attrs == theory.everything:
            return universe.everything  # "Impossible", in a theory with negative clauses.
        return attrs_of(places[position] for position in members(attrs))

    rules = [(attrs_of(places[i] for i in members(rule.premise)), moved(rule.conclusion)) for rule in theory]
    return Theory.of(universe.size, rules, top=theory.top)
