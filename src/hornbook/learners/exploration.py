"""Attribute exploration: Ganter, *Attribute exploration with background knowledge*, Theor. Comput. Sci. 217 (1999).

It walks through the sets closed under what is known, in lectic order, so its work grows with the number of closed sets;
its questions do not: each one accepted is an implication of the basis, each one refuted brings a new model.
"""

from __future__ import annotations

from collections.abc import Iterable

from hornbook.dialogue import Learner
from hornbook.errors import BadAnswer
from hornbook.lectic import next_closed
from hornbook.queries import Holds
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, everything


def explore(size: int, *, background: Theory | None = None, examples: Iterable[Attrs] = ()) -> Learner[Theory]:
    """Learn the canonical basis relative to the background theory, from implication questions.

    What is accepted is returned: together with the background it is equivalent to the target. Examples are models of
    the target that are known from the start.
    """
    accepted = Theory(size)
    known = Theory(size) if background is None else background
    models = list(examples)
    candidate: Attrs | None = known.closure(0)
    while candidate is not None:
        conclusion = _common(models, candidate, everything(size))
        while conclusion != candidate:
            implication = Implication(candidate, conclusion)
            model: Attrs | None = yield Holds(implication)
            if model is None:
                accepted, known = accepted.append(implication), known.append(implication)
                break
            if implication.satisfied_by(model):
                raise BadAnswer(
                    f"{model:#b} does not refute {implication}: it has not its premise, or its conclusion too"
                )
            models.append(model)
            conclusion &= model
        candidate = next_closed(size, known.closure, candidate)
    return accepted


def _common(models: Iterable[Attrs], attrs: Attrs, full: Attrs) -> Attrs:
    """What all models above attrs have in common."""
    common = full
    for model in models:
        if attrs & ~model == 0:
            common &= model
    return common
