"""From a transcript on disk to the run that wrote it, and to the run of AFP that mimics it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hornbook.dialogue import Learner, Session
from hornbook.errors import Mismatch
from hornbook.facts import Asked, encode, key
from hornbook.learners import clh, lrn
from hornbook.paper.mimics import Record, mimic
from hornbook.paper.sides import side_by_side
from hornbook.queries import EntailmentEquivalent, Query
from hornbook.theory import Theory
from hornbook.transcript import read
from hornbook.universe import Universe


def mimicked(path: Path, *, as_json: bool = False) -> str:
    """The run in the file beside its mimic, as text, or the mimic alone as lines of a transcript."""
    universe, records = recorded_run(path)
    found = mimic(records)
    if as_json:
        return "".join(encode(query, answer, universe) + "\n" for query, answer in found.transcript)
    return side_by_side(found, universe.names)


def recorded_run(path: Path) -> tuple[Universe, list[Record]]:
    """The universe, and the queries and answers of the run of ClH or LRN that wrote the transcript.

    The file holds digests in the place of hypotheses, and each answer once; the learner, run again, has them all.
    """
    header, facts = read(path)
    answers: dict[Query | Asked, Any] = {fact.query: fact.answer for fact in facts}
    entailing = any(isinstance(query, Asked) and query.kind == EntailmentEquivalent.kind for query in answers)
    learner: Learner[Theory] = lrn(len(header.universe)) if entailing else clh(len(header.universe))
    session = Session(learner)
    records: list[Record] = []
    while session.query is not None and key(session.query) in answers:
        records.append((session.query, answers[key(session.query)]))
        session.answer(records[-1][1])
    if not records:
        raise Mismatch(f"{path} was written by no run of clh or lrn: its first question is not theirs")
    return header.universe, records
