"""The independent checker: what a result proves by itself, and what it takes on trust. docs/certificates.md says why.

It imports nothing of Hornbook; its SAT calls are its own. Bit n of a set, beyond the n attributes, says "impossible".
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any

KINDS = {"closure", "membership", "equivalence", "entailment", "entailment_equivalence", "implication"}
STATUSES = {"exact": [], "probably approximately correct": ["epsilon", "delta"], "incomplete": ["reason"]}
HELD = "that the implications hold in the source, and that the closed sets are closed there"
LAWS = "that the source is a closure operator: larger sets have larger closures, and closures are closed"
FORM = "the counts, the seconds, the names and how sets were drawn: a checksum finds accidents, not forgers"
Finding = tuple[bool, str]
Rules = list[tuple[int, int]]  # (premise, closure) pairs


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was checked, each with whether it passed; and what nothing in the file can prove."""

    findings: tuple[Finding, ...]
    trusted: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return all(ok for ok, _ in self.findings)

    def lines(self) -> list[str]:
        found = [("ok     " if ok else "FAILS  ") + what for ok, what in self.findings]
        return [*found, *(f"trusts {what}" for what in self.trusted), "verified" if self.ok else "NOT verified"]


def verify(result: Mapping[str, Any], source: Any = None) -> Verdict:
    """What the result proves. The source's closure(), over the same attributes, is asked what is otherwise trusted."""
    findings: list[Finding] = []
    try:
        findings += _formalities(result)
        names, rules, closed = _read(result)
        findings.append(_counts(result, rules, closed or []))
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        return Verdict((*findings, (False, f"contents: {type(error).__name__}, {error}")), ())
    findings += [_saturation(rules), _closed_sets(names, rules, closed or [])]
    findings += [_completeness(names, rules, closed)] if result["status"] == "exact" else []
    findings += [] if source is None else _asked_again(names, rules, closed or [], source)
    return Verdict(tuple(findings), (HELD, LAWS, FORM) if source is None else (LAWS, FORM))


def checksum(result: Mapping[str, Any]) -> str:
    """The SHA-256 of the result without its checksum, in one fixed spelling."""
    rest = {key: value for key, value in result.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _formalities(result: Mapping[str, Any]) -> Iterator[Finding]:
    yield result.get("checksum") == checksum(result), "checksum: the file is as it was written"
    status, given = result["status"], [key for key in ("epsilon", "delta", "reason") if result.get(key)]
    right = all(key == "reason" or 0 < float(result[key]) < 1 for key in given)
    yield STATUSES.get(status) == given and right, f"status: {status}, with {' and '.join(given) or 'no limits'}"


def _counts(result: Mapping[str, Any], rules: Rules, closed: list[int]) -> Finding:
    queries, asked, what = result["queries"], result["asked"], "counts: one for each of the six kinds"
    more = inferred, probes, repeat = result["inferred"], result.get("probes", 0), result.get("repeat", 1) or 1
    right = all(type(count) is int and count >= 0 for count in [*queries.values(), *asked.values(), *more])
    right = right and all(KINDS <= set(one) <= {*KINDS, "unspecified", "correction"} for one in (queries, asked))
    others = sum(queries.values()) - queries["closure"] + asked["equivalence"] + asked["entailment_equivalence"]
    if right and result["status"] == "exact" and not others:
        least = len(rules) + len({*closed} - {closure for _, closure in rules} - {(1 << len(result["attributes"])) - 1})
        # Only what the learner asked is answered, and whether the set of all attributes is closed.
        most = asked["closure"] + 1 - inferred if sum(asked.values()) == asked["closure"] else queries["closure"]
        right, what = least - probes <= queries["closure"] / repeat <= most, f"{what}, at least {least} closures"
    return right, what


def _read(result: Mapping[str, Any]) -> tuple[list[str], Rules, list[int] | None]:
    def attrs(value: list[str]) -> int:
        if not isinstance(value, list) or len(set(value)) < len(value) or not bits.keys() >= set(value):
            raise ValueError(f"wanted a list of distinct attributes, not {value!r}")
        return sum(bits[name] for name in value)

    names, rules, closed = result["attributes"], [], (result.get("certificate") or {}).get("closed")
    bits = {name: 1 << position for position, name in enumerate(names) if isinstance(name, str)}
    everything = attrs(names)
    for implication in result["implications"]:
        premise, conclusion = attrs(implication["premise"]), implication["conclusion"]
        added = (2 * everything + 1) & ~premise if conclusion is None else attrs(conclusion)
        if not added or added & premise:
            raise ValueError(f"an implication says nothing or repeats its premise: {implication!r}")
        rules.append((premise, premise | added))
    return names, rules, None if closed is None else [attrs(one) for one in closed]


def _broken(rules: Rules, attrs: int, but: int = 0) -> int:
    return next((i for i, (p, c) in enumerate(rules, 1) if p & attrs == p and c & ~attrs and i != but), 0)


def _show(names: list[str], attrs: int | None) -> str:
    return "impossible" if attrs is None else f"{{{', '.join(name for i, name in enumerate(names) if attrs >> i & 1)}}}"


def _saturation(rules: Rules) -> Finding:
    # Each conclusion follows in one step; it is the closure if no other implication adds to it.
    for i, sides in enumerate(rules, 1):
        if j := _broken(rules, sides[0], but=i) or _broken(rules, sides[1], but=i):
            return False, f"saturation: implication {j} adds to the premise or the conclusion of implication {i}"
    return True, f"saturation: a canonical basis, hence as few implications as can be: {len(rules)}"


def _closed_sets(names: list[str], rules: Rules, closed: list[int]) -> Finding:
    for i, attrs in enumerate(closed := sorted(closed, key=int.bit_count, reverse=True)):
        meet = reduce(and_, (larger for larger in closed[:i] if larger & attrs == attrs), (1 << len(names)) - 1)
        if (i and meet == attrs) or _broken(rules, attrs):
            return False, f"closed sets: {_show(names, attrs)} breaks an implication, or the others make it needless"
    return True, f"closed sets: none of the {len(closed)} breaks an implication, and each is needed"


def _completeness(names: list[str], rules: Rules, closed: list[int] | None) -> Finding:
    from pysat.solvers import Solver  # Imported here, because most commands do without.

    size, there, missing = len(names), range(1, len(names) + 1), range(len(names) + 1, 2 * len(names) + 1)
    if closed is None:
        return False, "completeness: nothing proves that the result is exact, it carries no closed sets"
    if (everything := (1 << size) - 1) not in closed and not _broken(rules, everything):
        return False, f"completeness: whether {_show(names, everything)} is closed does not follow"
    with Solver(name="cadical153") as solver:
        for premise, closure in rules:
            body = [-there[i] for i in range(size) if premise >> i & 1]
            solver.append_formula([*body, there[i]] for i in range(size) if closure & ~premise & 1 << i)
        for attrs in closed:  # Not within this set, unless it has the attribute that is to be missing.
            solver.add_clause([missing[i] if attrs >> i & 1 else there[i] for i in range(size)])
        for i in range(size):
            if solver.solve([-there[i], *(missing[j] if j == i else -missing[j] for j in range(size))]):
                found = sum(1 << j for j, literal in enumerate(solver.get_model()[:size]) if literal > 0)
                return False, f"completeness: whether {_show(names, found)} is closed does not follow"
    return True, "completeness: the implications and the closed sets leave no other theory possible"


def _asked_again(names: list[str], rules: Rules, closed: list[int], source: Any) -> Iterator[Finding]:
    pairs = [(p, None if c >> len(names) else c) for p, c in [*rules, *zip(closed, closed, strict=True)]]
    for attrs, stated in pairs:
        if (answer := source.closure(attrs)) != stated:
            yield False, f"source: closes {_show(names, attrs)} to {_show(names, answer)}, not {_show(names, stated)}"
    yield True, f"source: asked for {len(pairs)} closures again"
