"""What a user can get wrong, as one tree of errors.

CallscoreError
├── InvalidCall       a call, or a list of calls, that cannot be understood (also a ValueError)
│   └── UnknownFormat a document in no format that callscore knows
├── InvalidDialect    a format that another package brings and that cannot be used
├── InvalidEvaluation an evaluation, or a file of them, that cannot be used (also a ValueError)
├── InvalidSettings   a setting with a value it cannot have (also a ValueError)
│   └── UnknownRun    a run that the history does not hold
├── MissingKey        a model that asks for a key, and no key in the environment
├── ModelFailed       a model that cannot be asked, or that gives no answer that can be used
├── NotScorable       a case that another tool's metric refuses, or cannot be asked about (also a ValueError)
├── UnreadableInput   a file or stream that cannot be read as cases (also a ValueError)
├── UnusableStore     a database of runs that cannot be opened, read or written
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
    "InvalidEvaluation",
    "InvalidSettings",
    "MissingExtra",
    "MissingKey",
    "ModelFailed",
    "NotScorable",
    "UnknownFormat",
    "UnknownRun",
    "UnreadableInput",
    "UnusableStore",
]


class CallscoreError(Exception):
    """The root of every error that callscore raises on purpose."""


class InvalidCall(CallscoreError, ValueError):
    """Something given as a call, or as a list of calls, is neither."""


class UnknownFormat(InvalidCall):
    """A document that no format recognises, or that is not in the format that was named."""


class InvalidDialect(CallscoreError):
    """A format that another package brings cannot be used."""


class _ErrorAtPlace(CallscoreError):
    """An error with the place where it occurred."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)  # both, so that the error can be copied and pickled
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


class InvalidEvaluation(_ErrorAtPlace, ValueError):
    """An evaluation, or a file of evaluations, that cannot be used, with the place.

    Attributes:
        place: `file` or `file:line`, as far as it is known.
        problem: what is wrong there and what to do about it, as one sentence or two.
    """


class InvalidSettings(CallscoreError, ValueError):
    """A setting has a value that it cannot have."""


class UnknownRun(InvalidSettings):
    """No run of the history goes by this name, or several do."""


class MissingKey(CallscoreError):
    """A model asks for a key, and the environment holds none.

    Attributes:
        variable: the variable of the environment that should hold it.
    """

    def __init__(self, variable: str) -> None:
        super().__init__(variable)
        self.variable = variable

    def __str__(self) -> str:
        return (
            f"the environment variable {self.variable} is not set. Set it to your API key, specify"
            " another variable as 'key_variable', or a server on this machine as 'base_url'"
        )


class ModelFailed(CallscoreError):
    """A model could not be asked, or gave no answer that can be used.

    Attributes:
        model: the model.
        problem: what happened, in a sentence that holds no key.
        status: what HTTP calls it; None where there was no answer at all.
        attempts: how often it was asked.
        is_timeout: whether it took too long.
        results: what had been scored before, where it was to judge many cases.
    """

    def __init__(
        self,
        model: str,
        problem: str,
        *,
        status: int | None = None,
        attempts: int = 1,
        is_timeout: bool = False,
    ) -> None:
        super().__init__(model, problem)
        self.model = model
        self.problem = problem
        self.status = status
        self.attempts = attempts
        self.is_timeout = is_timeout
        self.results: Results | None = None

    def __str__(self) -> str:
        return f"{self.model}: {self.problem}"


class NotScorable(CallscoreError, ValueError):
    """Another tool gives no number for a case: it raises, or has no word for what is expected."""


class UnreadableInput(_ErrorAtPlace, ValueError):
    """Input that cannot be read as cases, with the place where reading stopped.

    Attributes:
        place: `file`, `file:line` or `file:line:column`, as far as it is known.
        problem: what is wrong there and what to do about it, as one sentence or two.
        results: what had been scored before, where many cases were being scored.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.results: Results | None = None


class UnusableStore(_ErrorAtPlace):
    """The database of runs cannot be opened, read or written.

    Attributes:
        place: the database, or the folder that it should stand in.
        problem: what is wrong there and what to do about it, as one sentence or two.
    """


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
    *(InvalidEvaluation, UnknownRun, NotScorable, UnreadableInput, UnusableStore, MissingExtra),
    *(MissingKey, ModelFailed),
):
    _error.__module__ = "callscore"
