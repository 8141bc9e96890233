"""How many questions each learner asks: exact integers, committed, compared at every run.

    python -m bench.questions                  what the project generates, and the folder of data where it is there
    python -m bench.questions --shipped        only what the project generates; a few seconds
    python -m bench.questions --slow           what takes minutes as well
    python -m bench.questions --update         write what was counted, instead of comparing
    python -m bench.questions --table          the tables of docs/asking-little.md

What is counted is what reaches the oracle. A line that differs is printed as a diff, a promise that is broken as such,
and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench._tasks import DATA, EXEC, LEARNERS, MOST_MODELS, Task, compiler, of_data, shipped, sizes

HERE = Path(__file__).parent / "questions"
Sizes = dict[str, int | None]

PROMISES = {
    "theories/pibase_definite | first | frugal": {"EQ": 420, "CQ": 3_500},
    "theories/pibase_definite | smallest | frugal": {"EQ": 511, "CQ": 1_600},
    "theories/debian_build_essential | largest | frugal": {"EQ": 124, "CQ": 124},
    "gcc_isa/gcc_isa_unary | - | closures-only": {"CQ": 200},
    EXEC: {"CQ": 200},
}
"""What is promised beyond what holds for all."""


def committed(file: str) -> dict[str, str]:
    path = HERE / file
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return known


def committed_sizes() -> dict[str, Sizes]:
    known: dict[str, Sizes] = json.loads((HERE / "sizes.json").read_text(encoding="utf-8"))
    return known


def write(file: str, known: dict[str, Any]) -> None:
    """A line for each, so that what changes shows."""
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in known.items())
    (HERE / file).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def numbers(line: str) -> dict[str, int]:
    """The counts of a committed line; none where the run was stopped."""
    return {kind: int(count) for kind, count in re.findall(r"(\w+) (\d+)", line)}


def compare(file: str, counts: dict[str, Callable[[], str]], *, update: bool) -> bool:
    """Whether all counts are as committed; prints those that are not."""
    known, same = committed(file), True
    for key, count in counts.items():
        now, before = count(), known.get(key)
        if before != now:
            same = False
            print(f"  {key}\n- {before}\n+ {now}", flush=True)
            if update:
                known[key] = now
                write(file, {key: known[key] for key in every_key(file) if key in known})
    return same


def every_key(file: str) -> list[str]:
    """The keys of what is counted, in order."""
    return [task.key for task in shipped()] if file == "shipped.json" else [*by_key(of_data()), EXEC]


def by_key(tasks: list[Task]) -> dict[str, Callable[[], str]]:
    return {task.key: task.counted for task in tasks}


def compare_sizes(names: list[str], *, update: bool) -> bool:
    """Whether n, m, k and k' are as committed; prints those that are not."""
    known = committed_sizes() if (HERE / "sizes.json").exists() else {}
    wrong = {name: now for name in names if (now := sizes(name)) != known.get(name)}
    for name, now in wrong.items():
        print(f"  {name}\n- {known.get(name)}\n+ {now}", flush=True)
    if update:
        write("sizes.json", known | wrong)
    return not wrong


def limits(key: str, size: Sizes) -> dict[str, int]:
    """What is promised of the task: at most so many queries of each kind. Empty where nothing is."""
    _, policy, learner = key.split(" | ")
    n, m, k, k_prime = size["n"], size["m"], size["k"], size["k'"]
    assert n is not None and m is not None
    most: dict[str, int] = {}
    if learner == "frugal" and policy in ("first", "largest") and n <= 500:
        most = {"EQ": m + 1, "CQ": 5 * m}
    elif learner == "closures-only" and k is not None and k_prime is not None and k <= MOST_MODELS:
        most = {"CQ": (5 * (m + k_prime)) // 2}
    return most | PROMISES.get(key, {})


def promised(counts: dict[str, str], known: dict[str, Sizes]) -> Iterator[tuple[str, str, dict[str, int], bool]]:
    """Each task of which something is promised: its key, its counts, the promise, and whether it is kept."""
    for key, line in counts.items():
        name = key.split(" | ")[0]
        most = limits(key, known[name]) if name in known else PROMISES.get(key, {})
        if most:
            now = numbers(line)
            yield key, line, most, all(kind in now and now[kind] <= count for kind, count in most.items())


def keeps_promises() -> bool:
    """Whether every promise is kept by what is committed; prints each, and who is exempt."""
    known, kept = committed_sizes(), True
    for key, line, most, right in promised(committed("data.json"), known):
        kept = kept and right
        shown = ", ".join(f"{kind} <= {count}" for kind, count in most.items())
        print(f"  {'kept' if right else 'NOT KEPT'}: {key}: {line} ({shown})")
    for name, size in known.items():
        if size["k"] is None:
            print(f"  exempt: {name}: more than {MOST_MODELS} characteristic models, too many for closures alone")
    return kept


def table(file: str, policy: str) -> str:
    """Markdown: a row for each target, a column for each learner."""
    known = committed(file)
    names = list(dict.fromkeys(key.split(" | ")[0] for key in known if key != EXEC))
    rows = ["| | " + " | ".join(LEARNERS) + " |", "| --- |" + " --- |" * len(LEARNERS)]
    for name in names:
        cells = [known.get(f"{name} | {policy} | {who}") or known.get(f"{name} | - | {who}", "") for who in LEARNERS]
        rows.append(f"| {name.split('/')[-1]} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def closures_table() -> str:
    """Markdown: what closures alone cost, and the least that they could."""
    known = committed("data.json")
    rows = ["| closures alone | n | m | k | k' | CQ | CQ / (m + k') |", "| --- |" + " --- |" * 6]
    for name, size in committed_sizes().items():
        counted = numbers(known.get(f"{name} | - | closures-only", "")).get("CQ")
        if counted is not None and size["m"] is not None and size["k'"] is not None:
            ratio = counted / (size["m"] + size["k'"])
            cells = [name.split("/")[-1], *size.values(), f"{counted:,}", f"{ratio:.2f}"]
            rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows)


def tables() -> str:
    return "\n\n".join([table("shipped.json", "adversarial"), table("data.json", "first"), closures_table()])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--shipped", "--slow", "--update", "--table"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--only", default="", help="only tasks whose key has this in it")
    options = parser.parse_args()
    if options.table:
        print(tables())
        return 0
    same = compare("shipped.json", by_key([t for t in shipped() if options.only in t.key]), update=options.update)
    if not options.shipped and DATA.is_dir():
        some = [task for task in of_data() if options.only in task.key and (options.slow or not task.slow)]
        same = compare_sizes(list(dict.fromkeys(task.name for task in some)), update=options.update) and same
        same = compare("data.json", by_key(some), update=options.update) and same
        if options.only in EXEC:
            if shutil.which("gcc") is None:
                print(f"  skipped: {EXEC}: there is no gcc on this machine")
            else:
                same = compare("data.json", {EXEC: compiler}, update=options.update) and same
        if not options.slow:
            print(f"  {sum(task.slow for task in of_data())} slow ones are compared with --slow only")
    same = keeps_promises() and same
    return 0 if same or options.update else 1


if __name__ == "__main__":
    sys.exit(main())
