"""Facts: a question and its answer as one line of JSON that holds by itself, whoever asked and in whatever order.

    {"ask": "closure", "set": ["a"], "answer": ["a", "b"]}

A hypothesis stands as a digest, since the learner, run again, brings the hypothesis itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hornbook.checking import explained
from hornbook.errors import BadAnswer, FormatError
from hornbook.knowledge import Knowledge
from hornbook.queries import (
    Close,
    Contains,
    Correct,
    EntailmentEquivalent,
    Entails,
    Equivalent,
    Holds,
    Query,
    Unspecified,
)
from hornbook.theory import Implication, Theory
from hornbook.universe import Attrs, Universe


@dataclass(frozen=True, slots=True)
class Fact:
    """One question and its answer, and the number of its line.

    `votes`: how often this answer and each other one was given, where the question was asked again and they differed.
    """

    query: Query | Asked
    answer: Any
    line: int
    votes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """An equivalence question of which only the digest of the hypothesis is known, and how many implications it had."""

    kind: str
    digest: str
    implications: int | None = field(default=None, compare=False)


def _asked(kind: str, said: Mapping[str, Any]) -> Asked:
    count = said.get("implications")
    return Asked(kind, str(said["digest"]), count if isinstance(count, int) else None)


def key(query: Query) -> Query | Asked:
    """What the question is found by: itself, or the digest of its hypothesis."""
    if isinstance(query, Equivalent | EntailmentEquivalent):
        return Asked(query.kind, digest(query.hypothesis))
    return query


def digest(theory: Theory) -> str:
    """A fingerprint of the theory: equal for equal implications in equal order."""
    text = json.dumps([theory.size, theory.top, theory.rules])
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def known_from(facts: Iterable[Fact], universe: Universe, *, definite: bool) -> Knowledge:
    """What the facts imply; BadAnswer, with their lines, where some of them cannot all be true."""
    known = Knowledge(universe.size, top=True if definite else None)
    told: dict[tuple[Query, Any], int] = {}
    compared: dict[Asked, Fact] = {}
    for fact in facts:
        if isinstance(fact.query, Asked):
            earlier = compared.setdefault(fact.query, fact)
            if (earlier.answer is None) != (fact.answer is None):
                raise BadAnswer(
                    "these 2 answers contradict each other, a yes and a no to the same hypothesis:\n"
                    f"  line {earlier.line}: {fact.query.kind}\n  line {fact.line}: {fact.query.kind}"
                )
            continue
        told.setdefault((fact.query, fact.answer), fact.line)
        try:
            known.learn(fact.query, fact.answer)
        except BadAnswer as error:

            def show(query: Query, answer: Any) -> str:
                return f"line {told[query, answer]}: {encode(query, answer, universe)}"

            raise explained(list(told), universe.size, show, error) from error
    return known


# A fact as a line, and back.


def encode(query: Query, answer: Any, universe: Universe, votes: Sequence[int] = ()) -> str:
    """The line of a fact, without its end."""
    said = {"ask": query.kind, **_QUESTION[type(query)](query, universe, answer)}
    return json.dumps(said | {"votes": votes} if votes else said, ensure_ascii=False)


def decode(text: str, universe: Universe, line: int, file: str | None = None) -> Fact:
    """The fact in the line."""
    try:
        said = json.loads(text)
        query, answer = _FACT[said["ask"]](said, universe)
        votes = tuple(map(int, said.get("votes", ())))
    except FormatError as error:
        raise FormatError(f"{error.problem}; the line is {_short(text)}", file=file, line=line) from error
    except (ValueError, OverflowError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = f"is no line of a transcript: {_short(text)}; cut the file before it to go on from there"
        raise FormatError(problem, file=file, line=line) from error
    return Fact(query, answer, line, votes)


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:97] + "..."


def _names(attrs: Attrs | None, universe: Universe) -> list[str] | None:
    return None if attrs is None else universe.names_in(attrs)


def _attrs(names: object, universe: Universe) -> Attrs:
    if not isinstance(names, list):
        raise TypeError("a set is a list of names")
    return universe.attrs(names)


def _answer(said: Mapping[str, Any], universe: Universe) -> Attrs | None:
    return None if said["answer"] is None else _attrs(said["answer"], universe)


def _sided(implication: Implication, universe: Universe) -> dict[str, Any]:
    return {"premise": _names(implication.premise, universe), "conclusion": _names(implication.conclusion, universe)}


def _implication(said: Mapping[str, Any], universe: Universe) -> Implication:
    return Implication(_attrs(said["premise"], universe), _attrs(said["conclusion"], universe))


def _one_set(query: Any, universe: Universe, answer: Any) -> dict[str, Any]:
    told = answer if isinstance(answer, bool) else _names(answer, universe)
    return {"set": _names(query.attrs, universe), "answer": told}


def _compared(query: Any, universe: Universe, answer: Any) -> dict[str, Any]:
    told = _sided(answer, universe) if isinstance(answer, Implication) else _names(answer, universe)
    return {"implications": len(query.hypothesis), "digest": digest(query.hypothesis), "answer": told}


_QUESTION: dict[type[Query], Callable[[Any, Universe, Any], dict[str, Any]]] = {
    Close: _one_set,
    Contains: _one_set,
    Correct: _one_set,
    Equivalent: _compared,
    EntailmentEquivalent: _compared,
    Entails: lambda query, universe, answer: {
        "premise": _names(query.premise, universe),
        "attribute": None if query.attribute is None else universe.names[query.attribute],
        "answer": answer,
    },
    Holds: lambda query, universe, answer: {**_sided(query.implication, universe), "answer": _names(answer, universe)},
    Unspecified: lambda query, universe, answer: {
        "ones": _names(query.ones, universe),
        "zeros": _names(query.zeros, universe),
        "answer": answer,
    },
}


def _boolean(said: Mapping[str, Any]) -> bool:
    if not isinstance(said["answer"], bool):
        raise TypeError("the answer is true or false")
    return said["answer"]


def _entails(said: Mapping[str, Any], universe: Universe) -> tuple[Query, Any]:
    head = said["attribute"]
    return Entails(_attrs(said["premise"], universe), None if head is None else universe.position(head)), _boolean(said)


def _clause(said: Mapping[str, Any], universe: Universe) -> tuple[Asked, Any]:
    answer = said["answer"]
    clause = None if answer is None else _implication(answer, universe)
    return _asked(EntailmentEquivalent.kind, said), clause


_FACT: dict[str, Callable[[Mapping[str, Any], Universe], tuple[Query | Asked, Any]]] = {
    "closure": lambda said, universe: (Close(_attrs(said["set"], universe)), _answer(said, universe)),
    "membership": lambda said, universe: (Contains(_attrs(said["set"], universe)), _boolean(said)),
    "correction": lambda said, universe: (Correct(_attrs(said["set"], universe)), _answer(said, universe)),
    "equivalence": lambda said, universe: (
        _asked(Equivalent.kind, said),
        _answer(said, universe),
    ),
    "entailment_equivalence": _clause,
    "entailment": _entails,
    "implication": lambda said, universe: (Holds(_implication(said, universe)), _answer(said, universe)),
    "unspecified": lambda said, universe: (
        Unspecified(_attrs(said["ones"], universe), _attrs(said["zeros"], universe)),
        None if said["answer"] is None else _boolean(said),
    ),
}
