"""What a corpus consists of: jobs, and the steps that a job runs in one scratch folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Job", "Step", "callscore", "edit", "job", "pytest", "python", "shell"]

Kind = Literal["callscore", "python", "pytest", "shell", "edit"]


class Step(Struct, frozen=True, kw_only=True):
    """One command of a job.

    Attributes:
        kind: what runs it. An `edit` only writes files, and is not recorded.
        arguments: the arguments of the command, or one text of code.
        stdin: what is on its standard input.
        environment: what is added to the fixed environment.
        files: for an `edit`, the new content of files by name; None removes the file.
        is_cold: whether it gets a new interpreter instead of a fork of the warm one.
        is_terminal: whether its standard output is a terminal.
        interrupt_after: a file; the command gets Ctrl-C once the file has two lines.
    """

    kind: Kind
    arguments: tuple[str, ...] = ()
    stdin: bytes = b""
    environment: dict[str, str] = {}
    files: dict[str, str | bytes | None] = {}
    is_cold: bool = False
    is_terminal: bool = False
    interrupt_after: str | None = None

    @property
    def command(self) -> str:
        """The command as the recording names it."""
        prefix = "".join(f"{name}={value} " for name, value in self.environment.items())
        marks = " [terminal]" * self.is_terminal + " [new interpreter]" * self.is_cold
        return f"{prefix}{self.kind} {' '.join(self.arguments)}{marks}"


class Job(Struct, frozen=True, kw_only=True):
    """Steps that share a scratch folder.

    Attributes:
        key: the name of the job, unique in the corpus.
        files: the files in the folder before the first step, by name.
        steps: the commands, in order.
        has_model: whether a local server answers as a language model: `{model}` is its address.
    """

    key: str
    files: dict[str, str | bytes] = {}
    steps: tuple[Step, ...]
    has_model: bool = False


def job(
    key: str, *steps: Step, files: Mapping[str, str | bytes] | None = None, has_model: bool = False
) -> Job:
    """A job of these steps."""
    return Job(key=key, steps=steps, files=dict(files or {}), has_model=has_model)


def callscore(
    *arguments: str,
    stdin: bytes = b"",
    is_cold: bool = False,
    is_terminal: bool = False,
    interrupt_after: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Step:
    """The program with these arguments. In them, `{run1}` is the first run id that was shown."""
    return Step(
        kind="callscore",
        arguments=arguments,
        stdin=stdin,
        environment=dict(environment or {}),
        is_cold=is_cold or interrupt_after is not None,
        is_terminal=is_terminal,
        interrupt_after=interrupt_after,
    )


def python(code: str, *, is_cold: bool = False) -> Step:
    """A script that uses the library."""
    return Step(kind="python", arguments=(code,), is_cold=is_cold)


def pytest(*arguments: str) -> Step:
    """A session of pytest, with the plugin."""
    return Step(kind="pytest", arguments=arguments, is_cold=True)


def shell(code: str) -> Step:
    """A script of bash in which `callscore` is the program."""
    return Step(kind="shell", arguments=(code,), is_cold=True)


def edit(files: Mapping[str, str | bytes | None]) -> Step:
    """New content of files, by name; None removes a file."""
    return Step(kind="edit", files=dict(files))
