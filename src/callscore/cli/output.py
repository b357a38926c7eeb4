"""Where a report goes: the terminal, a pipe, or a file that appears only when it is whole."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, IO

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.core.results import CaseScore, Results
    from callscore.core.wording import Language

__all__ = ["Output", "open_output"]

_MODULES = {"table": "terminal", "json": "json_report", "markdown": "markdown", "junit": "junit"}


@contextmanager
def open_output(path: str | None, output_format: str, lang: Language) -> Iterator[Output]:
    """What to write a report to; without a path, or with `-`, it is standard output.

    A file keeps what it held before until the report is complete.
    """
    if path is None or path == "-":
        yield Output(None, output_format, lang)
        return
    target = Path(path)
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                yield Output(file, output_format, lang)
            except BaseException:
                if not file.tell():
                    temporary.unlink()
                    raise
                _publish(temporary, target)
                raise
        _publish(temporary, target)
    except OSError as error:
        raise click.UsageError(f"Cannot write {path}: {error.strerror}.") from error


def _publish(temporary: Path, target: Path) -> None:
    mode = target.stat().st_mode if target.exists() else 0o644
    temporary.chmod(mode & 0o777)
    temporary.replace(target)


class Output:
    """Writes one report in one format."""

    def __init__(self, file: IO[bytes] | None, output_format: str, lang: Language) -> None:
        self._file = file
        self._format = output_format
        self._lang = lang

    @property
    def on_case(self) -> Callable[[CaseScore], None] | None:
        """What is to be told of each case as soon as it is scored, in a format of many lines."""
        return self._write_case if self._format == "jsonl" else None

    def write(self, results: Results) -> None:
        """Write the report, if it has not been written case by case."""
        if self._format == "jsonl":
            return
        if self._format == "table" and self._file is None and sys.stdout.isatty():
            from rich.console import Console

            from callscore.reports.terminal import render

            render(results, console=Console(), lang=self._lang)
            return
        report = import_module(f"callscore.reports.{_MODULES[self._format]}")
        self._write_bytes(report.write(results, lang=self._lang).encode())

    def _write_case(self, case: CaseScore) -> None:
        from callscore.reports.jsonl import case_line

        self._write_bytes(case_line(case, lang=self._lang))

    def _write_bytes(self, data: bytes) -> None:
        if self._file is not None:
            self._file.write(data)
        else:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
