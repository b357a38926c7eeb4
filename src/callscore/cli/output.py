"""Where a report goes: the terminal, a pipe, or a file that appears only when it is whole."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Protocol

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from callscore.core.results import CaseScore, Results
    from callscore.core.wording import Language

__all__ = ["Output", "note", "open_output", "report_renderer", "report_writer", "write_report"]

# What writes each report in each format, and what shows it on a terminal; imported when it is used.
_WRITERS = {
    "score": {
        "table": "callscore.reports.terminal.write",
        "json": "callscore.reports.json_report.write",
        "markdown": "callscore.reports.markdown.write",
        "junit": "callscore.reports.junit.write",
    },
    "run": {
        "table": "callscore.reports.run_terminal.write",
        "json": "callscore.reports.run_json.write",
        "markdown": "callscore.reports.run_markdown.write",
        "junit": "callscore.reports.run_junit.write",
    },
    "kept run": {"table": "callscore.reports.show_terminal.write"},
    "case": {
        "table": "callscore.reports.case_terminal.write",
        "json": "callscore.reports.case_json.write",
        "markdown": "callscore.reports.case_markdown.write",
    },
    "check": {
        "table": "callscore.reports.check_terminal.write",
        "json": "callscore.reports.check_json.write",
        "markdown": "callscore.reports.check_markdown.write",
    },
    "compare": {
        "table": "callscore.reports.compare_terminal.write",
        "json": "callscore.reports.compare_json.write",
        "markdown": "callscore.reports.compare_markdown.write",
    },
    "gate": {
        "table": "callscore.reports.gate_terminal.write",
        "json": "callscore.reports.gate_json.write",
        "markdown": "callscore.reports.gate_markdown.write",
        "junit": "callscore.reports.gate_junit.write",
    },
    "disagreement": {
        "table": "callscore.reports.disagreement_terminal.write",
        "json": "callscore.reports.disagreement_json.write",
        "markdown": "callscore.reports.disagreement_markdown.write",
    },
    "history": {"table": "callscore.reports.history_terminal.write"},
    "baselines": {"table": "callscore.reports.baseline_list.write"},
}
_RENDERERS = {
    "score": "callscore.reports.terminal.render",
    "run": "callscore.reports.run_terminal.render",
    "kept run": "callscore.reports.show_terminal.render",
    "case": "callscore.reports.case_terminal.render",
    "check": "callscore.reports.check_terminal.render",
    "compare": "callscore.reports.compare_terminal.render",
    "gate": "callscore.reports.gate_terminal.render",
    "disagreement": "callscore.reports.disagreement_terminal.render",
    "history": "callscore.reports.history_terminal.render",
    "baselines": "callscore.reports.baseline_list.render",
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
                _publish(temporary, target)
                raise
        _publish(temporary, target)
    except OSError as error:
        is_wrong = isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError)
        kind = click.UsageError if is_wrong else click.ClickException  # a disk is full, say
        raise kind(f"Cannot write {path}: {error.strerror}.") from error


def _publish(temporary: Path, target: Path) -> None:
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
            from callscore.reports.wording import note_lines

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
        from callscore.reports.jsonl import case_line

        self._target.write(case_line(case, lang=self._lang))


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


def note(sentence: str) -> None:
    """Print a sentence to standard error, beside the report."""
    from callscore.core.text import escape

    click.echo(f"callscore: {escape(sentence)}", err=True)
