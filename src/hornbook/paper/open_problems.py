"""Section 5 of the paper: the relationships left open, each with what exhaustive search on small theories shows.

The values are exact worst cases over all theories on n attributes, with the best strategy and the worst answers. They
bound nothing for larger n: every item here stays open.
"""

from __future__ import annotations

from collections.abc import Sequence

from hornbook.dialogue import run
from hornbook.layers import counted, no_counts
from hornbook.oracles.known import KnownTheory
from hornbook.paper.claims import Claim, Context, Finding, letters
from hornbook.paper.games import Game, Question, up_to_symmetry
from hornbook.paper.runs import ending, policies, small_theories
from hornbook.routes import served
from hornbook.testing import every_theory
from hornbook.theory import Theory
from hornbook.universe import Attrs, everything

SIZES = (1, 2, 3)

ABOUT = "The verdict is about this search alone, not about the question"


def game(context: Context, size: int) -> Game:
    """The game on all theories of this size."""
    return context.once(("game", size), lambda: Game(size, list(every_theory(size))))


def entailment_by_standard(context: Context) -> Finding:
    """EMQ from SMQs and SEQs: the worst case of A -> b for each size of A."""

    def answers(g: Game, premise: Attrs) -> list[int]:
        head = premise.bit_count()
        yes = g.where(theory.closure(premise) >> head & 1 == 1 for theory in g.theories)
        return [yes, g.everyone & ~yes]

    # {} -> v: alone, 2^(n - 1) membership queries, one of which the family f_x saves.
    return _by_standard(
        context, "EMQ {}->v, then larger premises", answers, range, lambda n: (2 ** (n - 1) - 1, 2 ** (n - 1))
    )


def closure_by_standard(context: Context) -> Finding:
    """CQ from SMQs and SEQs: the worst case of y for each size of y."""

    def answers(g: Game, attrs: Attrs) -> list[int]:
        found: dict[Attrs, int] = {}
        for index, theory in enumerate(g.theories):
            closed = theory.closure(attrs)
            found[closed] = found.get(closed, 0) | 1 << index
        return list(found.values())

    # The closure of {}: alone, 2^n - 1 membership queries, one of which the family f_x saves.
    return _by_standard(
        context, "CQ {}, then larger sets", answers, lambda n: range(n + 1), lambda n: (2**n - 2, 2**n - 1)
    )


def _by_standard(context: Context, what: str, answers: object, counts: object, sharp: object) -> Finding:
    """The values, which must agree with what is known: `sharp` of the family f_x, an independent search at n = 2, and
    that more kinds of query never cost more."""
    assert callable(answers) and callable(counts) and callable(sharp)
    both: dict[int, list[int | None]] = {}
    alone: dict[int, list[int | None]] = {}
    whole: dict[int, int | None] = {}
    family: dict[int, int | None] = {}
    sound = True
    for size in SIZES:
        g = game(context, size)
        smq, seq = g.memberships(), g.equivalences()
        wanted = [answers(g, everything(count)) for count in counts(size)]
        both[size] = [g.value([*smq, *seq], accepting) for accepting in wanted]
        alone[size] = [g.value(smq, accepting) for accepting in wanted]
        whole[size] = g.value([*smq, *seq], [1 << t for t in range(len(g.theories))])
        family[size] = g.value(smq, wanted[0], g.where(_one_model_more(models) for models in g.models))
        sound = sound and (family[size], alone[size][0]) == sharp(size)
        sound = sound and all(b is not None and a is not None for b, a in zip(both[size], alone[size], strict=True))
        sound = sound and all(
            (b or 0) <= min(a or 0, whole[size] or 0) for b, a in zip(both[size], alone[size], strict=True)
        )
    g = game(context, 2)
    accepting = answers(g, 0)
    for questions, value in (([*g.memberships(), *g.equivalences()], both[2][0]), (g.memberships(), alone[2][0])):
        sound = sound and value == fewest(questions, accepting, g.everyone)
    largest = max((value or 0) - size for size, values in both.items() for value in values)
    return Finding(
        sound,
        f"{what}: SMQ+SEQ {_by_size(both)}; SMQ alone {_by_size(alone)}, for f_x alone {_by_size(family)}; to learn "
        f"the target {_by_size(whole)}. With SEQs {_linear(largest)}; nothing follows for larger n. {ABOUT}",
        {
            "both": _keyed(both),
            "membership alone": _keyed(alone),
            "family": _keyed(family),
            "learn": _keyed(whole),
        },
    )


def _linear(excess: int) -> str:
    return "no value exceeds n here" if excess <= 0 else f"values exceed n by up to {excess} here"


def _one_model_more(models: frozenset[Attrs]) -> bool:
    """Whether these are the models of some f_x: one, and the set of all attributes."""
    return len(models) == 2


def fewest(questions: Sequence[Question], accepting: Sequence[int], start: int) -> int | None:
    """The value of a game once more, straight from its definition: the least number of questions that is enough."""

    def enough(left: int, count: int) -> bool:
        if any(left & ~answer == 0 for answer in accepting):
            return True
        return count > 0 and any(
            all(enough(left & answer, count - 1) for answer in question if left & answer) for question in questions
        )

    return next((count for count in range(len(questions) + 1) if enough(start, count)), None)


def clause_by_equivalence(context: Context) -> Finding:
    """EEQ from SEQs alone, for every hypothesis up to symmetry."""

    def accepted(g: Game, h: int) -> list[int]:
        entailing = g.clauses()
        return [1 << h, *(g.everyone & ~e if e >> h & 1 else e for e in entailing)]

    return _by_equivalence(context, Game.equivalences, accepted)


def set_by_entailment_equivalence(context: Context) -> Finding:
    """SEQ from EEQs alone, for every hypothesis up to symmetry."""

    def accepted(g: Game, h: int) -> list[int]:
        return [1 << h, *g.telling_apart(h)]

    return _by_equivalence(context, Game.entailment_equivalences, accepted)


def _by_equivalence(context: Context, questions: object, accepted: object) -> Finding:
    """The worst hypothesis, and how many hypotheses need how many queries."""
    assert callable(questions) and callable(accepted)
    worst: dict[int, int] = {}
    again: list[bool] = []
    needed: dict[int, dict[int, int]] = {}
    solved = True
    for size in SIZES:
        g = game(context, size)
        asked: list[Question] = questions(g)
        counts: dict[int, int] = {}
        for h in up_to_symmetry(g.theories, size):
            value = g.value(asked, accepted(g, h))
            solved = solved and value is not None and value >= 1
            counts[value or 0] = counts.get(value or 0, 0) + 1
            if size <= 2:
                again.append(value == fewest(asked, accepted(g, h), g.everyone))
        needed[size], worst[size] = dict(sorted(counts.items())), max(counts)
    spread = ", ".join(f"{count} need {value}" for value, count in needed[SIZES[-1]].items())
    return Finding(
        solved and all(again),
        f"for the worst hypothesis {_by_size(worst)}; of the {sum(needed[SIZES[-1]].values())} hypotheses on "
        f"{SIZES[-1]} attributes, up to symmetry, {spread}. Nothing follows for larger n. {ABOUT}",
        {"worst": _keyed(worst), "needed": {str(n): _keyed(found) for n, found in needed.items()}},
    )


def _by_size(values: dict[int, object] | dict[int, int] | dict[int, int | None] | dict[int, list[int | None]]) -> str:
    return ", ".join(f"{value} at n = {size}" for size, value in values.items())


def _keyed(values: object) -> dict[str, object]:
    assert isinstance(values, dict)
    return {str(key): value for key, value in values.items()}


# General Horn


def general_horn(context: Context) -> Finding:
    """The embedding E1: every family closed under intersection is learned by ClH from general closure queries."""
    cases = right = extra = 0
    premises = 0
    for theory in small_theories():
        for top in (True, False):
            target = Theory(theory.size, theory.implications, top)
            for policy in policies(context):
                oracle, counts = KnownTheory(target, policy), no_counts()
                learner = context.methods.embedded(context.methods.clh(target.size), target.size)
                learned = run(ending(counted(served(learner, oracle, target.size), counts)), oracle)
                models = {x for x in range(1 << target.size) if _satisfies(target, x)}
                cases += 1
                right += (
                    set(learned.models()) == models
                    and learned.top == top
                    and sorted(learned.rules) == sorted(theory.rules)
                )
                extra = max(extra, counts["membership"])
                premises += counts["closure"]
    return Finding(
        right == cases and extra == 1,
        f"{right} of {cases} runs on all families closed under intersection on up to 3 attributes, the empty one too, "
        f"end with the models and the canonical basis of models + {{1^n}}; {extra} membership query more. Shown: exact "
        "learning when a CQ may answer `none`. Not shown: a pwm-reduction to closure queries that always return a set. "
        "The verdict is about these runs alone",
        {"runs": cases, "right": right, "membership": extra, "closure": premises},
    )


def _satisfies(target: Theory, x: Attrs) -> bool:
    """By the definition: every implication, and the set of all attributes only where it is a model."""
    if x == everything(target.size) and not target.top:
        return False
    return all(p & ~x or c & ~x == 0 for p, c in target.rules)


def no_closure_in_general(context: Context) -> Finding:
    """Where no model lies above a set, the paper's closure is not defined; elsewhere the least model above exists."""
    undefined = least = sets = 0
    example = ""
    for theory in small_theories():
        target = Theory(theory.size, theory.implications, False)
        models = [x for x in range(1 << target.size) if _satisfies(target, x)]
        for y in range(1 << target.size):
            above = [x for x in models if y & ~x == 0]
            meet = everything(target.size)
            for x in above:
                meet &= x
            sets += 1
            undefined += not above
            least += meet in above if above else 1
            if not above and not example and y and y != everything(target.size):
                example = f"; e.g. {letters(y, target.size)} with models {[letters(x, target.size) for x in models]}"
    return Finding(
        least == sets and undefined > 0,
        f"of {sets} sets {undefined} have no model above them and all others a least one{example}. The verdict is "
        "about these sets alone",
        {"sets": sets, "none": undefined},
    )


CODE = "hornbook.paper.open_problems"

CLAIMS = (
    Claim(
        "Open 1, EMQ from SMQ+SEQ",
        "EMQ cannot be obtained with a linear number of SMQs and SEQs",
        entailment_by_standard,
        f"{CODE}.entailment_by_standard",
        open=True,
    ),
    Claim(
        "Open 2, CQ from SMQ+SEQ",
        "CQ cannot be obtained with a linear number of SMQs and SEQs",
        closure_by_standard,
        f"{CODE}.closure_by_standard",
        open=True,
    ),
    Claim(
        "Open 3, EEQ from SEQ",
        "EEQ cannot be obtained with a polynomial number of SEQ",
        clause_by_equivalence,
        f"{CODE}.clause_by_equivalence",
        open=True,
    ),
    Claim(
        "Open 4, SEQ from EEQ",
        "SEQ cannot be obtained with a polynomial number of EEQ",
        set_by_entailment_equivalence,
        f"{CODE}.set_by_entailment_equivalence",
        open=True,
    ),
    Claim(
        "Open 5, general Horn",
        "a new reduction that works under the closure query model is left for future work",
        general_horn,
        "hornbook.embedding.embedded",
        open=True,
    ),
    Claim(
        "Open 5, closure in the general case",
        "it is not clear what closure means in the general case",
        no_closure_in_general,
        "hornbook.queries.Close",
        "the least model above the set, or none: all that a general Horn target can answer",
        open=True,
    ),
)
