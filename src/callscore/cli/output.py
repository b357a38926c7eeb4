"""Where output goes: the terminal, a pipe, a file that appears only when it is whole, or GitHub's log."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Protocol

import click

from callscore.core.phrases import Phrase, say
from callscore.core.rendering import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console

    from callscore.core.phrases import Language
    from callscore.core.results import CaseScore, Results, RunResults

__all__ = [
    "NEXT_STEPS",
    "Output",
    "add_step_summary",
    "is_on_github",
    "open_output",
    "path_in_repository",
    "print_annotations",
    "print_note",
    "safe_for_log",
    "stdout_to_stderr",
    "write_report",
    "write_report_for_log",
    "write_run",
]


# The functions that write each report in each format, and those that show it on a terminal.
# They are imported when they are used.
_WRITERS = {
    "score": {
        "table": "callscore.reports.score_terminal.write_text",
        "json": "callscore.reports.score.write_json",
        "markdown": "callscore.reports.score.write_markdown",
        "junit": "callscore.reports.score.write_junit",
    },
    "run": {
        "table": "callscore.reports.run_terminal.write_text",
        "json": "callscore.reports.run.write_json",
        "markdown": "callscore.reports.run.write_markdown",
        "junit": "callscore.reports.run.write_junit",
    },
    "kept run": {"table": "callscore.reports.run_terminal.write_kept_run"},
    "case": {
        "table": "callscore.reports.case_terminal.write_text",
        "json": "callscore.reports.case.write_json",
        "markdown": "callscore.reports.case.write_markdown",
    },
    "check": {
        "table": "callscore.reports.check_terminal.write_text",
        "json": "callscore.reports.check.write_json",
        "markdown": "callscore.reports.check.write_markdown",
    },
    "compare": {
        "table": "callscore.reports.compare_terminal.write_text",
        "json": "callscore.reports.compare.write_json",
        "markdown": "callscore.reports.compare.write_markdown",
    },
    "gate": {
        "table": "callscore.reports.gate_terminal.write_text",
        "json": "callscore.reports.gate.write_json",
        "markdown": "callscore.reports.gate.write_markdown",
        "junit": "callscore.reports.gate_terminal.write_junit",
    },
    "disagreement": {
        "table": "callscore.reports.disagreement_terminal.write_text",
        "json": "callscore.reports.disagreement.write_json",
        "markdown": "callscore.reports.disagreement.write_markdown",
    },
    "history": {"table": "callscore.reports.history_terminal.write_text"},
    "baselines": {"table": "callscore.reports.history_terminal.write_baselines"},
}
_RENDERERS = {
    "score": "callscore.reports.score_terminal.render",
    "run": "callscore.reports.run_terminal.render",
    "kept run": "callscore.reports.run_terminal.render_kept_run",
    "case": "callscore.reports.case_terminal.render",
    "check": "callscore.reports.check_terminal.render",
    "compare": "callscore.reports.compare_terminal.render",
    "gate": "callscore.reports.gate_terminal.render",
    "disagreement": "callscore.reports.disagreement_terminal.render",
    "history": "callscore.reports.history_terminal.render",
    "baselines": "callscore.reports.history_terminal.render_baselines",
}


@contextmanager
def open_output(
    path: str | None,
    output_format: str,
    lang: Language,
    *,
    is_gate: bool = False,
    is_all_or_nothing: bool = False,
) -> Iterator[Output]:
    """What to write a report to; without a path, or with `-`, it is standard output.

    A file keeps what it held before until the report is complete. Once nobody reads standard output
    any more the program is done, unless it `is_gate`: then there is an exit code to find out. Where
    it breaks off, a file has what was written by then, unless that `is_all_or_nothing`.
    """
    if path is None or path == "-":
        yield Output(_StandardOutput(is_gate=is_gate), output_format, lang)
        return
    target = Path(path).resolve()  # a link stays one, and what it leads to is written
    if target.is_dir():
        raise click.UsageError(f"Cannot write {path}: it is a directory.")
    try:
        if target.exists() and not target.is_file():  # a device or a pipe is not replaced
            with target.open("wb") as stream:
                yield Output(stream, output_format, lang)
            return
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                yield Output(file, output_format, lang)
            except BaseException:
                if is_all_or_nothing or not file.tell():
                    temporary.unlink()
                    raise
                _replace_file(temporary, target)
                raise
        _replace_file(temporary, target)
    except OSError as error:
        is_wrong = isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError)
        kind = click.UsageError if is_wrong else click.ClickException  # a disk is full, say
        raise kind(f"Cannot write {path}: {error.strerror}.") from error


def _replace_file(temporary: Path, target: Path) -> None:
    mode = target.stat().st_mode if target.exists() else 0o644
    temporary.chmod(mode & 0o777)
    temporary.replace(target)


class _Writable(Protocol):
    def write(self, data: bytes, /) -> object: ...


class _StandardOutput:
    """Standard output that may be closed by its reader, `head` for one, at any time."""

    def __init__(self, *, is_gate: bool) -> None:
        self._is_gate = is_gate

    def write(self, data: bytes, /) -> None:
        if sys.stdout is None:  # whoever started us has closed it
            return
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            # From here on nothing goes anywhere; without this, Python complains at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not self._is_gate:
                raise click.exceptions.Exit(0) from None
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.ClickException(f"Cannot write the output: {error.strerror}.") from error


class Output:
    """Writes one report in one format."""

    def __init__(self, target: _Writable, output_format: str, lang: Language) -> None:
        self._target = target
        self._format = output_format
        self._lang = lang

    @property
    def on_case(self) -> Callable[[CaseScore], None] | None:
        """What is to be told of each case as soon as it is scored, in a format of many lines."""
        return self._write_case if self._format == "jsonl" else None

    def write(self, results: Results) -> None:
        """Write the report; of one that was written case by case, only the notes are left."""
        if self._format == "jsonl":
            from callscore.reports.score import note_lines

            for sentence, names in note_lines(results, self._lang):
                click.echo(f"callscore: {sentence}" + (f" ({names})" if names else ""), err=True)
            return
        write_report("score", (results,), self, self._format, lang=self._lang)

    def console(self) -> Console | None:
        """The terminal that the output goes to; None where it goes elsewhere."""
        from rich.console import Console

        console = Console()  # it knows NO_COLOR, FORCE_COLOR and the like
        is_shown = isinstance(self._target, _StandardOutput) and console.is_terminal
        return console if is_shown else None

    def write_text(self, text: str) -> None:
        """Write some text that belongs to no report."""
        self.write_bytes(text.encode())

    def write_bytes(self, data: bytes) -> None:
        """Write some bytes that are no text, or are encoded already."""
        self._target.write(data)

    def _write_case(self, case: CaseScore) -> None:
        from callscore.reports.score import jsonl_line

        self._target.write(jsonl_line(case, lang=self._lang))


def write_report(
    subject: str, about: tuple[Any, ...], output: Output, output_format: str, **options: Any
) -> bool:
    """Write a report; in colour where a terminal shows it.

    Args:
        subject: what it is about: `score`, `run`, `check` ...
        about: what the report is made of.
        output: where it goes.
        output_format: what to write.
        options: what else the report takes.

    Returns:
        Whether a terminal shows it.
    """
    console = output.console() if output_format == "table" else None
    if console is None:
        output.write_text(report_writer(subject, output_format)(*about, **options))
        return False
    report_renderer(subject)(*about, console=console, **options)
    return True


def report_writer(subject: str, output_format: str) -> Callable[..., str]:
    """The function that gives a report as text."""
    return _function(_WRITERS[subject][output_format])


def report_renderer(subject: str) -> Callable[..., None]:
    """The function that shows a report on a terminal."""
    return _function(_RENDERERS[subject])


def _function(path: str) -> Callable[..., Any]:
    module, _, name = path.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def print_note(sentence: str) -> None:
    """Print a sentence to standard error, beside the report."""
    click.echo(f"callscore: {escape(sentence)}", err=True)


# GitHub: annotations, and the summary of a step.

_NO_SUMMARY = Phrase(
    "the summary of the step is not written: {file}: {problem}",
    "сводка шага не записана: {file}: {problem}",
)


def is_on_github() -> bool:
    """Whether a runner reads what is printed, and obeys some of it."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def safe_for_log(text: str, output_format: str = "table") -> str:
    """A text as it may be printed: where a runner reads along, no line of it is a command."""
    if not is_on_github():
        return text
    from callscore.reports.annotations import escape_commands

    return escape_commands(text, output_format)


def path_in_repository(file: str) -> str:
    """The file of an evaluation as a runner knows it: from the top of the repository on.

    Args:
        file: its path from the project's folder on, as the history has it.
    """
    top = os.environ.get("GITHUB_WORKSPACE")
    if not top or not file:
        return file
    from callscore.history.opening import default_path

    try:
        path = (default_path().parent.parent / file).resolve()
        return path.relative_to(Path(top).resolve()).as_posix()
    except (OSError, RuntimeError, ValueError):  # it lies elsewhere, or nobody knows where
        return file


def print_annotations(lines: Iterable[str]) -> None:
    """Print annotations, on standard error: standard output is the report alone."""
    for line in lines:
        click.echo(line, err=True)


def add_step_summary(write: Callable[[], str], lang: Language = "en") -> None:
    """Add Markdown to the summary of the step, where a runner wants one.

    Args:
        write: gives the Markdown.
        lang: the language in which to say that it cannot be written.
    """
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(write())
    except OSError as error:  # the verdict does not hang on it
        print_note(safe_for_log(say(_NO_SUMMARY, lang, file=name, problem=error.strerror)))


_FOR_PROGRAMS = ("json", "junit")


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Redirect what evaluations print to standard error: only the report is the output.

    That holds for what they start as other processes, too.
    """
    saved = None
    with suppress(AttributeError, OSError, ValueError):  # it is closed, or is no file
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def write_run(run: RunResults, output: Output, output_format: str, lang: Language) -> bool:
    """Write the report; in colour where a terminal shows it.

    What is for programs is read by nobody, so that the warnings in it are said beside it, too.

    Returns:
        Whether it is on the terminal to which standard error goes as well.
    """
    if output_format in _FOR_PROGRAMS:
        for warning in run.warnings:
            print_note(warning)
    is_shown = write_report("run", (run,), output, output_format, lang=lang)
    return is_shown and sys.stderr.isatty()


def write_report_for_log(
    kind: str, about: Any, output: Output, output_format: str, **options: Any
) -> None:
    """Write a report; in colour where a terminal shows it.

    Args:
        kind: `compare` or `gate`.
        about: the comparison, or the gate.
        output: where it goes.
        output_format: what to write.
        options: what the report wants to know besides.
    """
    console = output.console() if output_format == "table" else None
    if not is_on_github():
        write_report(kind, (about,), output, output_format, **options)
        return
    if console is None:
        text = report_writer(kind, output_format)(about, **options)
    else:  # in colour, and still no line of it may be a command
        with console.capture() as capture:
            report_renderer(kind)(about, console=console, **options)
        text = capture.get()
    output.write_text(safe_for_log(text, output_format))


NEXT_STEPS = Phrase("What to type next:", "Что набрать дальше:")
