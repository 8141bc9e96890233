"""Implications and theories: what a definite Horn formula says, and every operator the paper defines on it.

A theory holds implications over attributes 0 to size - 1. A general Horn theory, one with negative clauses, is held by
its embedding E1 among the definite ones: its models together with the set of all attributes. `top` says whether that
set is really a model; where it is not, an implication whose conclusion is everything reads "the premise is impossible".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hornbook import canonical as bases
from hornbook import chaining, derivations, lectic, maximal
from hornbook.errors import BadQuestion
from hornbook.universe import Attrs, by_size, everything

Rule = chaining.Rule


@dataclass(frozen=True, slots=True)
class Implication:
    """Whoever has all of the premise has all of the conclusion. The conclusion may repeat the premise."""

    premise: Attrs
    conclusion: Attrs

    @property
    def added(self) -> Attrs:
        """The conclusion without the premise: what the implication adds."""
        return self.conclusion & ~self.premise

    def satisfied_by(self, attrs: Attrs) -> bool:
        """Whether attrs lacks some of the premise or has all of the conclusion."""
        return self.premise & ~attrs != 0 or self.conclusion & ~attrs == 0


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation: the implication at `index` adds `added`; None where it says "impossible"."""

    index: int
    implication: Implication
    added: Attrs | None


@dataclass(frozen=True, slots=True)
class Theory:
    """A conjunction of implications. Values: equal when they hold the same implications in the same order."""

    size: int
    implications: tuple[Implication, ...] = ()
    top: bool = True
    _close: chaining.Closer | None = field(default=None, init=False, repr=False, compare=False)
    _classes: tuple[Attrs, ...] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.size, int) or self.size < 0:
            raise BadQuestion(f"a theory is over a number of attributes, not over {self.size!r}")
        object.__setattr__(self, "implications", tuple(self.implications))
        for implication in self.implications:
            self._check(implication)

    @classmethod
    def of(cls, size: int, rules: Iterable[Rule], *, top: bool = True) -> Theory:
        """The theory of these (premise, conclusion) pairs."""
        return cls(size, tuple(Implication(premise, conclusion) for premise, conclusion in rules), top)

    def __len__(self) -> int:
        return len(self.implications)

    def __iter__(self) -> Iterator[Implication]:
        return iter(self.implications)

    def __getitem__(self, index: int) -> Implication:
        return self.implications[index]

    @property
    def everything(self) -> Attrs:
        return everything(self.size)

    @property
    def rules(self) -> list[Rule]:
        """The implications as (premise, conclusion) pairs."""
        return [(implication.premise, implication.conclusion) for implication in self.implications]

    # Other theories

    def append(self, implication: Implication) -> Theory:
        """This theory with one more implication, at the end."""
        self._check(implication)
        return self._with((*self.implications, implication))

    def replace(self, index: int, implication: Implication) -> Theory:
        """This theory with another implication at index."""
        self._check(implication)
        before, after = self._around(index)
        return self._with((*before, implication, *after))

    def without(self, index: int) -> Theory:
        """This theory without the implication at index."""
        before, after = self._around(index)
        return self._with(before + after)

    def in_order(self) -> Theory:
        """The same implications, smaller premises first: equal for equal sets of implications."""
        ordered = sorted(self.implications, key=lambda i: (by_size(i.premise), by_size(i.conclusion)))
        return self._with(tuple(ordered))

    # The two closure operators

    def closure(self, attrs: Attrs) -> Attrs:
        """The least model that contains attrs: the operator star, by forward chaining."""
        close = self._close
        return self._closer()(attrs) if close is None else close(attrs)

    def closures(self, sets: Sequence[Attrs]) -> list[Attrs]:
        """The closures of all these sets, in order: many at once cost less than one by one."""
        return self._closer().all(sets)

    def quasi_closure(self, attrs: Attrs) -> Attrs:
        """The closure under the implications of other classes than that of attrs: the operator bullet."""
        closed = self.closure(attrs)
        return chaining.close(
            attrs, [rule for rule, star in zip(self.rules, self._stars(), strict=True) if star != closed]
        )

    def explain(self, premise: Attrs, attribute: int) -> list[Step] | None:
        """A derivation of the attribute from premise in which no step can be left out; None where there is none.

        Everything follows from a contradiction: where nothing else gives the attribute, that is what is derived.
        """
        if not 0 <= attribute < self.size:
            raise BadQuestion(f"there is no attribute {attribute} among {self.size}; they are 0 to {self.size - 1}")
        goal = 1 << attribute
        if self.consistent(premise):
            return self._by_steps(derivations.derived(self.rules, premise, goal, range(len(self))))
        definite = derivations.definite_in(self.rules, self.everything)
        found = derivations.derived(self.rules, premise, goal, definite)
        return self._by_steps(found) if found is not None else self.derivation(premise)

    def derivation(self, premise: Attrs) -> list[Step]:
        """A derivation of the whole closure of premise, in which no step can be left out.

        Where premise is contradictory, it is one of that: its last step is a negative clause.
        """
        if self.consistent(premise):
            found = derivations.derived(self.rules, premise, self.closure(premise), range(len(self)))
        else:
            found = derivations.contradicted(self.rules, premise, self.everything)
        return self._by_steps(found) or []

    def _by_steps(self, found: list[derivations.Link] | None) -> list[Step] | None:
        return None if found is None else [Step(index, self.implications[index], added) for index, added in found]

    # What holds

    def satisfies(self, attrs: Attrs) -> bool:
        """Whether attrs is a model."""
        if attrs >> self.size:
            raise BadQuestion(f"the set {attrs:#b} reaches beyond the {self.size} attributes of the theory")
        if attrs == self.everything:
            return self.top
        return all(implication.satisfied_by(attrs) for implication in self.implications)

    def consistent(self, attrs: Attrs) -> bool:
        """Whether some model contains attrs. Always so in a definite theory."""
        return self.top or self.closure(attrs) != self.everything

    def entails(self, what: Implication | Theory) -> bool:
        """Whether every model of this theory satisfies the implication, or is a model of the other theory."""
        if isinstance(what, Theory):
            return self._model_outside(what) is None
        return what.conclusion & ~self.closure(what.premise) == 0

    def difference(self, other: Theory) -> Attrs | None:
        """A set that is a model of exactly one of the two theories, or None where they are equivalent."""
        witness = self._model_outside(other)
        return other._model_outside(self) if witness is None else witness

    def equivalent(self, other: Theory) -> bool:
        """Whether both theories have the same models."""
        return self.difference(other) is None

    # Shape

    def classes(self) -> list[list[int]]:
        """The indices of the implications, those whose premises have the same closure together, in order."""
        classes: dict[Attrs, list[int]] = {}
        for index, star in enumerate(self._stars()):
            classes.setdefault(star, []).append(index)
        return list(classes.values())

    def left_saturated(self, implication: Implication) -> bool:
        """Whether the premise violates the implication itself and satisfies those with other premises.

        The paper asks less: that the premise is quasi-closed. That lets `{} -> ab, a -> ab` pass, which is redundant.
        """
        premise = implication.premise
        return implication.added != 0 and all(
            other.premise == premise or other.satisfied_by(premise) for other in self.implications
        )

    def right_saturated(self, implication: Implication) -> bool:
        """Whether the conclusion is the whole closure of the premise."""
        return implication.conclusion == self.closure(implication.premise)

    def saturated(self) -> bool:
        """Whether every implication is left- and right-saturated and no premise comes twice: a canonical basis."""
        distinct = {implication.premise for implication in self.implications}
        return len(distinct) == len(self) and all(
            self.right_saturated(implication) and self.left_saturated(implication) for implication in self.implications
        )

    def redundant(self, index: int) -> bool:
        """Whether the implication at index follows from the others."""
        others = self.without(index).rules
        implication = self.implications[index]
        return implication.conclusion & ~chaining.close(implication.premise, others) == 0

    def irredundant(self) -> bool:
        """Whether no implication follows from the others."""
        return not any(self.redundant(index) for index in range(len(self)))

    def canonical(self, method: Callable[[int, Sequence[Rule]], list[Rule]] = bases.two_pass) -> Theory:
        """The canonical (Guigues-Duquenne) basis, smaller premises first: equal for equivalent theories."""
        return self._with(tuple(Implication(*rule) for rule in method(self.size, self.rules)))

    # Models

    def models(self) -> Iterator[Attrs]:
        """Every model, lazily, in lectic order (Ganter's NextClosure)."""
        full = self.everything
        for closed in lectic.closed_sets(self.size, self.closure):
            if closed != full or self.top:
                yield closed

    def characteristic_models(self) -> list[Attrs]:
        """The meet-irreducible closed sets, smaller ones first: every closed set is an intersection of some of them.

        The set of all attributes, the intersection of none, is not one of them. There may be exponentially many.
        """
        return sorted(maximal.models(self.size, self.rules, self.closure), key=by_size)

    # Inside

    def _check(self, implication: Implication) -> None:
        outside = (implication.premise | implication.conclusion) >> self.size
        if outside:
            raise BadQuestion(f"{implication} reaches beyond the {self.size} attributes of its theory")

    def _around(self, index: int) -> tuple[tuple[Implication, ...], tuple[Implication, ...]]:
        """The implications before and behind the one at index; as in a list, -1 is the last."""
        try:
            place = range(len(self))[index]
        except IndexError:
            raise BadQuestion(f"there is no implication {index} among {len(self)}") from None
        return self.implications[:place], self.implications[place + 1 :]

    def _with(self, implications: tuple[Implication, ...]) -> Theory:
        """The same universe, other implications, known to be sound."""
        theory = object.__new__(Theory)
        for name, value in (("size", self.size), ("implications", implications), ("top", self.top)):
            object.__setattr__(theory, name, value)
        object.__setattr__(theory, "_close", None)
        object.__setattr__(theory, "_classes", None)
        return theory

    def _closer(self) -> chaining.Closer:
        """What closes sets, made once."""
        close = self._close
        if close is None:
            close = chaining.closer(self.size, self.rules)
            object.__setattr__(self, "_close", close)
        return close

    def _stars(self) -> tuple[Attrs, ...]:
        """The closure of each premise."""
        stars = self._classes
        if stars is None:
            stars = tuple(self.closures([implication.premise for implication in self.implications]))
            object.__setattr__(self, "_classes", stars)
        return stars

    def _model_outside(self, other: Theory) -> Attrs | None:
        """A model of this theory that is none of the other."""
        if self.size != other.size:
            raise BadQuestion(f"theories over {self.size} and {other.size} attributes cannot be compared")
        if self.top and not other.top:
            return self.everything
        for implication in other.implications:
            closed = self.closure(implication.premise)
            if implication.conclusion & ~closed:
                return closed
        return None
