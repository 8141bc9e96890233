"""What ends a run before its time: budgets of queries, seconds and implications."""

from __future__ import annotations

import time

from hornbook.accounts import Budget
from hornbook.errors import TimeIsUp
from hornbook.queries import CloseAll, Query
from hornbook.worth import Evidence

INTERRUPTED = "interrupted"


class Limits:
    """A budget and what has been spent of it. Each query is asked `repeat` times, which is what it costs."""

    def __init__(self, budget: Budget, repeat: int, evidence: Evidence) -> None:
        self._budget, self._repeat, self._evidence = budget, repeat, evidence
        self._started = time.monotonic()
        self._looked_at = 0
        self.asked = 0

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return time.monotonic() - self._started

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return self._budget.seconds is not None and self.seconds > self._budget.seconds

    @property
    def room(self) -> float:
        """How many sets of a batch may still be asked for."""
        most = self._budget.queries
        return float("inf") if most is None else (most - self.asked) // self._repeat

    def exhausted(self, query: Query) -> str | None:
        """Why the query may not be asked, if it may not; else it is paid for."""
        budget = self._budget
        price = self._repeat * (len(query.sets) if isinstance(query, CloseAll) else 1)
        if budget.queries is not None and self.asked + price > budget.queries:
            return f"the budget of {budget.queries} queries is spent"
        if self.late:
            return self._late()
        if budget.implications is not None and self._too_many(budget.implications):
            return f"there are more than {budget.implications} implications"
        self.asked += price
        return None

    def cut(self, ending: BaseException) -> str:
        """Why the run was cut short in its middle."""
        return self._late() if isinstance(ending, TimeIsUp) else INTERRUPTED

    def _late(self) -> str:
        return f"the time of {self._budget.seconds:g} s is over"

    def _too_many(self, most: int) -> bool:
        """Whether what is known needs more implications than that. Looked at only when enough rules have come."""
        rules = len(self._evidence.knowledge.rules)
        if rules <= max(most, self._looked_at):
            return False
        known = len(self._evidence.certain())
        self._looked_at = rules + max(1, (most - known) // 2)
        return known > most
