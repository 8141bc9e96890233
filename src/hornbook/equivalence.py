"""Ways to answer equivalence queries where nobody knows the target: by drawing sets, by trying all, by a known theory.

An `Equivalence` is a handler for `through`, made anew for each run, and it says what its yes is worth:

    equivalent = sampled(size, epsilon=0.1, delta=0.05, seed=0)
    theory = run(through(clh(size), {Equivalent: equivalent}), oracle)
    equivalent.status().as_json()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hornbook.dialogue import Learner
from hornbook.errors import BadAnswer, BadQuestion, CannotAnswer
from hornbook.knowledge import Knowledge
from hornbook.queries import Close, CloseAll, Contains, Equivalent
from hornbook.sampling import UNIFORM, Distribution, Sample, SampleCount, angluin
from hornbook.theory import Theory
from hornbook.universe import Attrs

EXACT = "exact"
PROBABLE = "probably approximately correct"
INCOMPLETE = "incomplete"

SAMPLED = "sampled"

OTHER_CLOSURES = "have another closure than in the source"
OTHER_MODELS = "are models of only one of result and source"

AT_ONCE = 8
"""How many of the sets that are drawn `hornbook learn` asks for together; some may turn out to be asked for nothing."""

MOST_ATTRIBUTES = 20
"""For more attributes than this there are too many sets to try them all."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a result may claim. `guarantee` says it in words; `reason` is for incomplete ones alone."""

    status: str
    guarantee: str = ""
    reason: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    samples: int | None = None
    distribution: str | None = None
    seed: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The keys of a result that say what it is worth, those that apply."""
        keys = ("status", "epsilon", "delta", "samples", "distribution", "seed", "reason", "guarantee")
        return {key: value for key in keys if (value := getattr(self, key)) not in (None, "")}


def exact(guarantee: str = "") -> Status:
    """Nothing is missing."""
    return Status(EXACT, guarantee)


def incomplete(reason: str) -> Status:
    """The run ended early, for this reason."""
    return Status(INCOMPLETE, reason=reason)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A way to answer equivalence queries by others, and what its latest yes is worth. Good for one run.

    Its name goes into the result.
    """

    answer: Callable[[Equivalent], Learner[Attrs | None]]
    status: Callable[[], Status]
    name: str = "a way of its own"

    def __call__(self, query: Equivalent) -> Learner[Attrs | None]:
        return self.answer(query)


# Sets that are drawn.


def sampled(
    size: int,
    *,
    epsilon: float,
    delta: float,
    seed: int,
    distribution: Distribution = UNIFORM,
    samples: SampleCount = angluin,
    at_once: int = 1,
) -> Equivalence:
    """Equivalence by closures of random sets: approximately correct in the strong sense, on closures.

    A set X whose closures under the hypothesis and under the target differ gives a counterexample: where the hypothesis
    is sound, as those of ClH are, the hypothesis' closure of X. One closure query a set. The draws depend on the seed
    and on the number of the equivalence query alone: with batches of `at_once` sets the counterexample is the same, and
    at most `at_once` - 1 sets beyond it were asked for nothing.
    """
    sample = Sample(size, epsilon, delta, seed, distribution, samples)
    if at_once < 1:
        raise BadQuestion(f"{at_once} sets cannot be asked at once; try 1")

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        return _first_wrong(query.hypothesis, sample.draws(), at_once)

    return Equivalence(answer, lambda: _probable(sample, OTHER_CLOSURES), SAMPLED)


def sampled_by_membership(
    size: int,
    *,
    epsilon: float,
    delta: float,
    seed: int,
    distribution: Distribution = UNIFORM,
    samples: SampleCount = angluin,
    sound: bool = False,
) -> Equivalence:
    """Equivalence by membership of random sets, for oracles that know no closures.

    Asks whether the hypothesis' closure of X is a model, and, unless every hypothesis is known to be sound, whether X
    is one that the hypothesis rules out: one or two membership queries a set. If they are sound (ClH, frugal, LRN) the
    guarantee is the strong one, on closures; else (AFP, Horn1) it is on models.
    """
    sample = Sample(size, epsilon, delta, seed, distribution, samples)

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        hypothesis = query.hypothesis
        for attrs in sample.draws():
            closed = hypothesis.closure(attrs)
            if hypothesis.satisfies(closed) and not (yield Contains(closed)):
                return closed
            if not sound and not hypothesis.satisfies(attrs) and (yield Contains(attrs)):
                return attrs
        return None

    return Equivalence(answer, lambda: _probable(sample, OTHER_CLOSURES if sound else OTHER_MODELS), SAMPLED)


# Sets that are given, or all of them.


def suggested(sets: Iterable[Attrs], *, at_once: int = 1) -> Equivalence:
    """Equivalence by the closures of these sets, say the premises of an older theory. Its yes proves nothing.

    Best at the head of a chain: a bad suggestion costs a query and does no harm. The same sets are asked for each
    time, so this wants the layer `cached`.
    """
    wanted = tuple(dict.fromkeys(sets))

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        return _first_wrong(query.hypothesis, iter(wanted), at_once)

    return Equivalence(answer, lambda: incomplete(f"only {len(wanted)} suggested sets were compared"), "suggested sets")


def exhaustive(size: int) -> Equivalence:
    """Equivalence by trying all 2^n sets, each asked for once in a run, by a membership query: exact.

    The counterexample is a smallest set that is a model of only one of hypothesis and target. With such ones ClH asks
    one equivalence query an implication, and one more.
    """
    if size > MOST_ATTRIBUTES:
        raise CannotAnswer(
            f"{size} attributes have 2^{size} sets, too many to try all of them; that is for {MOST_ATTRIBUTES} "
            "attributes at most. Draw some with sampled(...), or learn from closures alone"
        )
    order = sorted(range(1 << size), key=int.bit_count)
    models: list[bool] = []  # Whether order[i] is one, as far as that was asked.
    agreed, earlier = 0, Theory(size)  # The earlier hypothesis was right about so many of the sets.

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        nonlocal agreed, earlier
        hypothesis, settled = query.hypothesis, range(0)
        if hypothesis.entails(earlier):
            # What the weaker one ruled out, and rightly so, the stronger one rules out as well.
            settled = range(agreed)
        agreed, earlier = len(order), hypothesis
        for i, attrs in enumerate(order):
            if i in settled and not models[i]:
                continue
            if i == len(models):
                models.append((yield Contains(attrs)))
            if hypothesis.satisfies(attrs) != models[i]:
                agreed = i
                return attrs
        return None

    return Equivalence(answer, lambda: exact("all sets were compared"), "all sets")


# A theory that is known, and one way after another.


def from_theory(theory: Theory) -> Equivalence:
    """Equivalence with a theory that someone has already.

    It asks nothing to say yes, so its yes proves nothing: the theory may not be the source's. At the head of a chain
    before one that does, it saves that one all counterexamples but those that the theory lacks. A counterexample is put
    to the source first, one membership query, because a wrong one would lead the learner astray: where the two
    disagree, BadAnswer.
    """

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        x = query.hypothesis.difference(theory)
        if x is not None and (yield Contains(x)) != theory.satisfies(x):
            says = ("a model", "no model") if theory.satisfies(x) else ("no model", "a model")
            raise BadAnswer(
                f"{x:#b} is {says[0]} of the given theory and {says[1]} of the source; "
                "leave the theory out, or only suggest its premises"
            )
        return x

    reason = "compared with a given theory alone, which may not be the source's; chain(..., by_closures) proves it"
    return Equivalence(answer, lambda: incomplete(reason), "a given theory")


def chain(*ways: Equivalence) -> Equivalence:
    """Each way in turn; the first counterexample wins, and a yes of all is worth what the best one's is."""
    if not ways:
        raise BadQuestion("a chain of no ways answers nothing; give it at least one")

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        for way in ways:
            x: Attrs | None = yield from way(query)
            if x is not None:
                return x
        return None

    def status() -> Status:
        order = (EXACT, PROBABLE, INCOMPLETE)
        return min((way.status() for way in reversed(ways)), key=lambda said: order.index(said.status))

    return Equivalence(answer, status, ", then ".join(way.name for way in ways))


def informed(way: Equivalence, knowledge: Knowledge) -> Equivalence:
    """The way, for hypotheses that no known model refutes: such a model is a counterexample that costs no query.

    Else a hypothesis of AFP or Horn1 that sampling found good enough could contradict answers of the same run.
    """

    def answer(query: Equivalent) -> Learner[Attrs | None]:
        for implication in query.hypothesis:
            model: object = knowledge.refutation(implication)
            if isinstance(model, int):
                return model
        return (yield from way(query))

    return Equivalence(answer, way.status, way.name)


# Inside


def _probable(sample: Sample, wrong: str) -> Status:
    """What a yes after these samples is worth: few sets are wrong in this way."""
    return Status(
        PROBABLE,
        f"{sample.promise} {wrong}",
        epsilon=sample.epsilon,
        delta=sample.delta,
        samples=sample.taken,
        distribution=sample.distribution.name,
        seed=sample.seed,
    )


def _first_wrong(hypothesis: Theory, sets: Iterator[Attrs], at_once: int) -> Learner[Attrs | None]:
    """The counterexample that the first set gives whose closure is wrong."""
    while batch := tuple(islice(sets, at_once)):
        closures: Sequence[Attrs | None]
        closures = [(yield Close(batch[0]))] if at_once == 1 else (yield CloseAll(batch))
        for attrs, closed in zip(batch, closures, strict=True):
            x = _counterexample(hypothesis, attrs, closed)
            if x is not None:
                return x
    return None


def _counterexample(hypothesis: Theory, attrs: Attrs, closed: Attrs | None) -> Attrs | None:
    """A model of only one of hypothesis and target, from a set and its closure under the target."""
    full = hypothesis.everything
    stated, right = hypothesis.closure(attrs), full if closed is None else closed
    if right & stated != stated:
        # A model of the target that contains attrs, and not all that the hypothesis says must come along.
        return right
    if right != stated:
        return stated
    # Else both close attrs to everything, or to the same model.
    possible = stated != full or hypothesis.top
    return None if possible == (closed is not None) else full
