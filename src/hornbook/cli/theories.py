"""Verbs on what is known already: basis, close, check, convert."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hornbook.cli import common
from hornbook.errors import CannotAnswer, FormatError

if TYPE_CHECKING:
    from hornbook.formats.values import NamedTheory
    from hornbook.sources import Target
    from hornbook.theory import Step, Theory
    from hornbook.universe import Universe

File = Annotated[str, typer.Argument(help="A file, or - for standard input.", show_default=False)]


def basis(
    file: File,
    kind: common.As = None,
    shape: common.Format = None,
    output: common.Output = None,
    quiet: common.Quiet = False,
) -> None:
    """The canonical basis of implications, a table or a relation, without queries."""
    from hornbook.formats.drafts import lost_comments
    from hornbook.formats.text import plural
    from hornbook.formats.values import NamedTheory
    from hornbook.sources import basis_of

    common.format_of(shape, output)  # Else it would be refused when all is computed.
    reading = common.read(file, kind, quiet=quiet)
    universe, theory = basis_of(reading.value, file)
    named = NamedTheory(universe, theory)
    common.put_theory(named, shape, output)
    if not quiet:
        for remark in lost_comments(reading.value) if isinstance(reading.value, NamedTheory) else ():
            common.note(f"{file}: {remark}: a basis has other implications")
        common.note(f"{plural(common.said(named), 'implication')} over {plural(len(universe), 'attribute')}")


def close(
    source: Annotated[str, typer.Argument(help="A file, or another source as for `learn`.", show_default=False)],
    attributes: Annotated[list[str] | None, typer.Argument(help="Names; none for the empty set.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Print a derivation, too.")] = False,
    goal: Annotated[
        str | None,
        typer.Option("--goal", metavar="NAME", help="Derive this attribute alone; exit 1 if it does not follow."),
    ] = None,
    kind: common.As = None,
    universe_from: common.Attributes = None,
    shape: common.Format = None,
    output: common.Output = None,
    quiet: common.Quiet = False,
) -> int:
    """The closure of a set of attributes: all that follows from having them."""
    from hornbook.sources import Settings, opened

    derived = why or goal is not None
    settings = Settings(None if kind is None else kind.value, common.attribute_list(universe_from))
    with common.aside(), opened(source, settings) as target:
        for remark in () if quiet else target.notes:
            common.note(f"{source}: {remark}")
        universe = target.universe
        attrs = universe.attrs(attributes or [])
        closed = target.close(attrs)
        steps = _derivation(target, attrs, goal, source) if derived else None
    if common.shape_of(shape, output) is common.Shape.json:
        answer: dict[str, object] = {
            "closure": None if closed is None else universe.names_in(closed),
            "consistent": closed is not None,
        }
        if derived:
            answer["why"] = None if steps is None else [_step(universe, step) for step in steps]
        common.put_json(answer, output)
    else:
        first = "" if closed is None else common.quoted(universe, closed) + "\n"
        rest = [
            f"  {common.rule(universe, step.implication.premise, step.added)}  (implication {step.index + 1})\n"
            for step in steps or []
        ]
        common.put(first + "".join(rest), output)
        if closed is None:
            common.note("contradictory: no model has all of these")
        if derived and steps is None:
            common.note(f"{goal} does not follow from {common.quoted(universe, attrs) or 'the empty set'}")
    return 1 if closed is None or (derived and steps is None) else 0


def check(
    a: File,
    b: File,
    kind: common.As = None,
    shape: common.Format = None,
    output: common.Output = None,
) -> int:
    """Whether two theories are equivalent; if not, a set that is a model of only one of them, and exit code 1."""
    if a == b == "-":
        raise FormatError("standard input can be read once; name one file")
    first, second = _on_one_universe(common.read_theory(a, kind), common.read_theory(b, kind), a, b)
    universe = first.universe
    witness = first.theory.difference(second.theory)
    owner, other, broken = (a, b, second) if witness is None or first.theory.satisfies(witness) else (b, a, first)
    violated = None if witness is None else _violated(broken.theory, witness)
    if common.shape_of(shape, output) is common.Shape.json:
        answer: dict[str, object] = {"equivalent": witness is None}
        if witness is not None:
            answer |= {"witness": universe.names_in(witness), "model_of": owner, "not_of": other}
            if violated is not None:
                premise, added = violated
                said = None if added is None else universe.names_in(added)
                answer["violates"] = {"premise": universe.names_in(premise), "conclusion": said}
        common.put_json(answer, output)
    elif witness is None:
        common.put("equivalent\n", output)
    else:
        rule = "" if violated is None else f", which violates: {common.rule(universe, *violated)}"
        name = common.quoted(universe, witness) or "the empty set"
        common.put(f"not equivalent\n{name}\nis a model of {owner} and none of {other}{rule}\n", output)
    return 0 if witness is None else 1


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, or - for standard input.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A file, or - for standard output.")],
    kind: common.As = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="NAME", help="The format, where OUT's ending does not tell.")
    ] = None,
    quiet: common.Quiet = False,
) -> None:
    """Write what a file holds in another format, and say in a line what was understood."""
    from hornbook import formats
    from hornbook.formats.files import located

    reading = common.read(source, kind)
    with located("standard input" if source == "-" else source):
        remarks = formats.write(reading.value, target, to=to)
    if not quiet:
        for remark in remarks:
            common.note(f"{target}: {remark}")
        common.note(f"{source}: {'; '.join((reading.format, *reading.notes))}")


# What they share


def _derivation(target: Target, attrs: int, goal: str | None, source: str) -> list[Step] | None:
    """A derivation of all that follows, or of the goal; None where that does not follow."""
    theory = target.theory
    if theory is None:
        way = "basis" if target.definite and Path(source).is_file() else "learn"
        raise CannotAnswer(
            f"{source} answers closures but holds no implications to derive them with; "
            f"make a file of them first: hornbook {way} {shlex.quote(source)} -o rules.imp"
        )
    return theory.derivation(attrs) if goal is None else theory.explain(attrs, target.universe.position(goal))


def _step(universe: Universe, step: Step) -> dict[str, object]:
    """A step of a derivation as JSON; like the implications of a file, a negative clause has null."""
    added = None if step.added is None else universe.names_in(step.added)
    return {"premise": universe.names_in(step.implication.premise), "added": added, "implication": step.index + 1}


def _violated(theory: Theory, witness: int) -> tuple[int, int | None] | None:
    """What the witness violates, as premise and conclusion, which is None for a negative clause."""
    full = theory.everything
    for rule in theory:
        if not theory.top and rule.conclusion == full and rule.premise & ~witness == 0:
            return rule.premise, None
        if not rule.satisfied_by(witness):
            return rule.premise, rule.added
    return None


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
