"""The errors of callscore, as one tree.

CallscoreError
├── EngineFailed      Spark or Ray that cannot be started, or did not finish
├── InvalidCall       a call, or a list of calls, that cannot be read (also a ValueError)
│   └── UnknownFormat a document whose format is not recognized
├── InvalidDialect    an invalid format of another package
├── InvalidEvaluation an invalid evaluation, or file of evaluations (also a ValueError)
├── InvalidSettings   an unknown setting, or a setting with an invalid value (also a ValueError)
│   ├── MissingConsent a file names a server that the user did not allow
│   └── UnknownRun    a run that is not in the history
├── MissingKey        an API key that is not in the environment
├── ModelFailed       a model that cannot be called, or whose answer is invalid
├── NotScorable       a case that another tool's metric does not support (also a ValueError)
├── UnreadableInput   a file or stream that cannot be read as cases (also a ValueError)
├── UnusableStore     a history that cannot be opened, read or written
├── UploadFailed      scores that a trace backend did not take
└── MissingExtra      a feature whose optional dependency is not installed (also an ImportError)

UnreadCalls is a warning (a UserWarning): something looks like calls, and was not read.

A mistake of the *agent* is never an error: it is data, scored and explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callscore.core.results import Results

__all__ = [
    "CallscoreError",
    "EngineFailed",
    "InvalidCall",
    "InvalidDialect",
    "InvalidEvaluation",
    "InvalidSettings",
    "MissingConsent",
    "MissingExtra",
    "MissingKey",
    "ModelFailed",
    "NotScorable",
    "UnknownFormat",
    "UnknownRun",
    "UnreadCalls",
    "UnreadableInput",
    "UnusableStore",
    "UploadFailed",
]


class CallscoreError(Exception):
    """The base class of all errors of callscore."""

    def __str__(self) -> str:
        return printable(super().__str__())


def printable(text: str) -> str:
    """The text with control and invisible characters escaped, except line breaks.

    Errors quote paths, values and the sentences of other libraries, and are printed as they are.
    """
    return text if text.isprintable() else "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    if character in "\t\r":
        return repr(character)[1:-1]
    code = ord(character)  # spelled as in reports
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004  (the end of the BMP)


class EngineFailed(CallscoreError):
    """Spark or Ray cannot be started, or did not finish.

    Attributes:
        engine: its name.
        problem: what happened, and what to do.
    """

    def __init__(self, engine: str, problem: str) -> None:
        super().__init__(engine, problem)
        self.engine = engine
        self.problem = problem

    def __str__(self) -> str:
        return printable(f"{self.engine}: {self.problem}")


class InvalidCall(CallscoreError, ValueError):
    """A call, or a list of calls, cannot be read."""


class UnknownFormat(InvalidCall):
    """The format of a document is not recognized, or is not the specified one."""


class UnreadCalls(UserWarning):
    """Something in a document without calls looks like calls, and was not read."""


class InvalidDialect(CallscoreError):
    """A format of another package is invalid."""


class _ErrorAtPlace(CallscoreError):
    """An error with the place where it occurred."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)  # both, so that the error can be copied and pickled
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return printable(f"{self.place}: {self.problem}")


class InvalidEvaluation(_ErrorAtPlace, ValueError):
    """An evaluation, or a file of evaluations, is invalid.

    Attributes:
        place: `file` or `file:line`, as far as it is known.
        problem: what is wrong there, and what to do.
    """


class InvalidSettings(CallscoreError, ValueError):
    """A setting is unknown, or its value is invalid."""


class InvalidOption(InvalidSettings):
    """A setting is invalid whatever the case is that is being scored."""


class MissingConsent(InvalidSettings):
    """A file names a server, or the variable with its key, and the user did not allow it.

    Attributes:
        servers: the file, the address and the variable of each server.
    """

    def __init__(self, servers: tuple[tuple[str, str, str], ...]) -> None:
        super().__init__(servers)
        self.servers = servers

    @property
    def problem(self) -> str:
        """What may be sent where."""
        return "; ".join(
            f"{file}: the file names the server {address}, so the cases and the value of {variable}"
            " may be sent there"
            for file, address, variable in dict.fromkeys(self.servers)
        )

    @property
    def pairs(self) -> tuple[str, ...]:
        """The servers as an option or a variable allows them: `http://localhost:8080/v1=MY_KEY`."""
        return tuple(dict.fromkeys(f"{address}={name}" for _, address, name in self.servers))

    def __str__(self) -> str:
        allowed = " ".join(self.pairs)
        return printable(
            f"{self.problem}. This needs your consent. If you trust the server, set the environment"
            f" variable CALLSCORE_ALLOW_SERVERS='{allowed}', or add it to allow_servers in"
            " ~/.config/callscore/config.toml"
        )


class UnknownRun(InvalidSettings):
    """No run of the history has this name, or several have."""


class MissingKey(CallscoreError):
    """The environment variable of an API key is not set.

    Attributes:
        variable: the name of the variable.
        file: the file that names it; empty if none does.
    """

    def __init__(self, variable: str, file: str = "") -> None:
        super().__init__(variable, file)
        self.variable = variable
        self.file = file

    def __str__(self) -> str:
        place = f"{self.file}: " if self.file else ""
        return printable(
            f"{place}the environment variable {self.variable} is not set. Set it to your API key, specify"
            " another variable as 'key_variable', or a server on this machine as 'base_url'"
        )


class ModelFailed(CallscoreError):
    """A model cannot be called, or its answer is invalid.

    Attributes:
        model: the model.
        problem: what happened, in a sentence without keys.
        status: the HTTP status; None without a response.
        attempts: the number of attempts.
        is_timeout: whether it took too long.
        results: what was scored before, if it judged many cases.
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
        return printable(f"{self.model}: {self.problem}")


class NotScorable(CallscoreError, ValueError):
    """The metric of another tool does not support a case."""


class UnreadableInput(_ErrorAtPlace, ValueError):
    """Input cannot be read as cases.

    Attributes:
        place: `file`, `file:line` or `file:line:column`, as far as it is known.
        problem: what is wrong there, and what to do.
        results: what was scored before, if there are many cases.
        is_one_record: whether only one record cannot be read, so that it could be skipped.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.results: Results | None = None
        self.is_one_record = False


class UnusableStore(_ErrorAtPlace):
    """The history cannot be opened, read or written.

    Attributes:
        place: the database, or its folder.
        problem: what is wrong there, and what to do.
    """


class UploadFailed(CallscoreError):
    """A trace backend did not take all scores.

    Attributes:
        backend: its name.
        sent: how many scores it took.
        failed: how many it did not take.
        problems: why, in sentences without keys; only the first ones.
    """

    def __init__(self, backend: str, sent: int, failed: int, problems: tuple[str, ...]) -> None:
        super().__init__(backend, sent, failed, problems)
        self.backend = backend
        self.sent = sent
        self.failed = failed
        self.problems = problems

    def __str__(self) -> str:
        why = "; ".join(self.problems) or "no reason is known"
        total = self.sent + self.failed
        return printable(f"{self.backend}: {self.failed} of {total} scores did not arrive: {why}")


class WorkerEnded(CallscoreError):
    """One of several processes that share a file was ended from outside."""


class MissingExtra(CallscoreError, ImportError):
    """An optional dependency is not installed.

    Attributes:
        feature: what needs it.
        extra: the extra of callscore that brings it; empty if none does.
        package: otherwise the package of others that it is.
    """

    def __init__(self, feature: str, extra: str = "", package: str = "") -> None:
        super().__init__(feature, extra, package)
        self.feature = feature
        self.extra = extra
        self.package = package

    def __str__(self) -> str:
        if self.package:
            return f"{self.feature} needs {self.package}: pip install {self.package}"
        return f"{self.feature} needs an extra: pip install 'callscore[{self.extra}]'"


for _public in (
    *(CallscoreError, InvalidCall, UnknownFormat, InvalidDialect, InvalidSettings),
    *(InvalidEvaluation, UnknownRun, NotScorable, UnreadableInput, UnusableStore, MissingExtra),
    *(
        MissingConsent,
        MissingKey,
        ModelFailed,
        WorkerEnded,
        EngineFailed,
        UnreadCalls,
        UploadFailed,
    ),
):
    _public.__module__ = "callscore"
