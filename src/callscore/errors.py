"""What a user can get wrong, as one tree of errors.

CallscoreError
├── InvalidCall       a call, or a list of calls, that cannot be understood (also a ValueError)
│   └── UnknownFormat a document in no format that callscore knows
├── InvalidDialect    a format that another package brings and that cannot be used
├── InvalidSettings   a setting with a value it cannot have (also a ValueError)
├── NotScorable       a case that another tool's metric refuses, or cannot be asked about (also a ValueError)
├── UnreadableInput   a file or stream that cannot be read as cases (also a ValueError)
└── MissingExtra      a feature whose optional dependency is not installed (also an ImportError)

What the *agent* got wrong is never an error: it is data, scored and explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.results import Results

__all__ = [
    "CallscoreError",
    "InvalidCall",
    "InvalidDialect",
    "InvalidSettings",
    "MissingExtra",
    "NotScorable",
    "UnknownFormat",
    "UnreadableInput",
]


class CallscoreError(Exception):
    """The root of every error that callscore raises on purpose."""


class InvalidCall(CallscoreError, ValueError):
    """Something given as a call, or as a list of calls, is neither."""


class UnknownFormat(InvalidCall):
    """A document that no format recognises, or that is not in the format that was named."""


class InvalidDialect(CallscoreError):
    """A format that another package brings cannot be used."""


class InvalidSettings(CallscoreError, ValueError):
    """A setting has a value that it cannot have."""


class NotScorable(CallscoreError, ValueError):
    """Another tool gives no number for a case: it raises, or has no word for what is expected."""


class UnreadableInput(CallscoreError, ValueError):
    """Input that cannot be read as cases, with the place where reading stopped.

    Attributes:
        place: `file`, `file:line` or `file:line:column`, as far as it is known.
        problem: what is wrong there and what to do about it, as one sentence or two.
        results: what had been scored before, where many cases were being scored.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)  # both, so that the error can be copied and pickled
        self.place = place
        self.problem = problem
        self.results: Results | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


class MissingExtra(CallscoreError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(feature, extra)
        self.feature = feature
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.feature} needs an extra: pip install 'callscore[{self.extra}]'"


for _error in (
    *(CallscoreError, InvalidCall, UnknownFormat, InvalidDialect, InvalidSettings),
    *(NotScorable, UnreadableInput, MissingExtra),
):
    _error.__module__ = "callscore"
