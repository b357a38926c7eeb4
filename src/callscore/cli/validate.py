"""`callscore validate`: mistakes in case files, suites and settings, found without running anything."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from callscore.cli.exit_codes import OK, UNREADABLE
from callscore.cli.options import lang_option, max_shown_option
from callscore.cli.output import (
    is_on_github,
    path_in_repository,
    print_note,
    without_secrets,
)
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.reports.gate import workflow_command
from callscore.reports.inert import inert_lines
from callscore.words.value_text import CASES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.phrases import Language
    from callscore.evaluations.validating import FileReport, Problem

__all__ = ["command"]

_MOST = 100
_WARNING = Phrase("warning: {text}", "предупреждение: {text}")
_FILES = Plural(("file", "files"), ("файл", "файла", "файлов"))
_MISTAKES = Plural(("mistake", "mistakes"), ("ошибка", "ошибки", "ошибок"))
_WARNINGS = Plural(("warning", "warnings"), ("предупреждение", "предупреждения", "предупреждений"))
_VALID = Phrase("no mistakes", "ошибок нет")
_MORE = Phrase(
    "… {count} more; --max-shown shows more", "… ещё {count}; --max-shown покажет больше"
)
_NOT_RUN = Phrase(
    "{file} is not checked, because that would run it. To check it: callscore run --collect-only {typed}",
    "{file} не проверяется: для этого его нужно запустить. Проверить: callscore run --collect-only"
    " {typed}",
)
_HELP = """Check case files, suites and settings for mistakes, without running anything.

PATHs are files, and folders with suites: eval_*.yaml, eval_*.yml or eval_*.toml. The default is this folder.
A file with a key of suites is a suite under any name; callscore.toml has the settings of the project; other
files are case files. The case files and the recorded answers that a suite names are checked with it.
Evaluations in Python are not checked.

Each mistake is printed with its file and line. No agent and no model is called.

\b
Exit codes: 0 no mistakes, 2 wrong usage, 3 mistakes. Warnings do not count.
"""


@click.command(help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@max_shown_option(str(_MOST))
@max_unpacked_option
@lang_option
def command(*, paths: Sequence[Path], max_shown: int | None, lang: Language) -> int:
    """Check files, print what is wrong, and find the exit code."""
    from callscore.evaluations.validating import validate_paths

    reports = [*validate_paths(paths or [Path()], lang)]
    for report in reports:
        if report.kind == "python":
            print_note(say(_NOT_RUN, lang, file=report.path, typed=quote(report.path)))
    problems = [each for report in reports for each in report.problems]
    # Mistakes first, so that no warning hides them.
    problems.sort(key=lambda each: each.is_warning)
    most = _MOST if max_shown is None else max_shown
    lines = [_line(each, lang) for each in problems[:most]]
    if len(problems) > most:
        lines.append(say(_MORE, lang, count=len(problems) - most))
    lines.append(_summary(reports, problems, lang))
    click.echo(inert_lines(without_secrets("\n".join(lines))))
    if is_on_github():
        for each in problems[:most]:
            click.echo(_annotation(each), err=True)
    return OK if all(each.is_warning for each in problems) else UNREADABLE


def _line(problem: Problem, lang: Language) -> str:
    text = say(_WARNING, lang, text=problem.text) if problem.is_warning else problem.text
    return f"{problem.place}: {text}".replace("\n", " ")


def _summary(reports: Sequence[FileReport], problems: Sequence[Problem], lang: Language) -> str:
    checked = [report for report in reports if report.kind not in ("python", "unknown")]
    warnings = sum(each.is_warning for each in problems)
    mistakes = len(problems) - warnings
    found = [count_of(_MISTAKES, mistakes, lang) if mistakes else say(_VALID, lang)]
    if warnings:
        found.append(count_of(_WARNINGS, warnings, lang))
    files = count_of(_FILES, len(checked), lang)
    cases = count_of(CASES, sum(report.cases for report in checked), lang)
    return f"{files}, {cases}: {', '.join(found)}"


def _annotation(problem: Problem) -> str:
    """A command that shows the problem at its line of a pull request."""
    place = {"file": path_in_repository(str(Path(problem.file).absolute()))}
    if problem.line is not None:
        place["line"] = str(problem.line)
    kind = "warning" if problem.is_warning else "error"
    return workflow_command(kind, without_secrets(problem.text), **place, title="callscore")
