"""The five things that can go wrong, each with what a reader can do about it; and the end of a run's time."""

from __future__ import annotations


class HornbookError(Exception):
    """What every error of Hornbook is; catch this one to catch them all."""


class BadQuestion(HornbookError):
    """A learner asked what makes no sense: a bug of ours, or of whoever wrote the learner."""


class BadAnswer(HornbookError):
    """An oracle gave an answer that cannot be true, or that contradicts an earlier one."""


class CannotAnswer(HornbookError):
    """An oracle has no answer: it does not know the kind of question, it failed, or it hangs.

    `hopeless`: it never will have one, however often it is asked.
    """

    hopeless = False


class FormatError(HornbookError):
    """An input that cannot be understood, with the place where and the way out."""

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.problem, self.file, self.line, self.column = problem, file, line, column
        super().__init__(problem)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.problem}" if place else self.problem


class Mismatch(HornbookError):
    """A transcript or result that belongs to another run: another universe, oracle or version."""


class TimeIsUp(BaseException):
    """Raised once by an alarm clock to end a run in its middle; no oracle that catches exceptions catches it."""
