"""`callscore validate`: mistakes in case files, suites and settings, found without running anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from callscore.cli.exit_codes import OK, UNREADABLE
from callscore.cli.options import lang_option, max_shown_option
from callscore.cli.output import (
    is_on_github,
    open_output,
    path_in_repository,
    print_note,
    without_secrets,
)
from callscore.cli.output_formats import report_options
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.reports.gate import workflow_command
from callscore.reports.inert import inert_lines
from callscore.words.value_text import CASES, json_document

if TYPE_CHECKING:
    from callscore.evaluations.validating import FileReport, Problem

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

Each mistake is printed with its file, and its line if it is known; mistakes are in English in every language.
No agent and no model is called.

\b
Exit codes: 0 no mistakes, 2 wrong usage, 3 mistakes. Warnings do not count.
"""


@click.command(help=_HELP)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path())
@report_options(["table", "json"])
@max_shown_option(f"{_MOST}; all in json")
@max_unpacked_option
@lang_option
def command(
    *,
    paths: Sequence[str],
    output: str | None,
    output_format: str,
    max_shown: int | None,
    lang: Language,
) -> int:
    """Check files, print what is wrong, and find the exit code."""
    from callscore.evaluations.validating import validate_paths
    from callscore.hiding.redaction import ignore_unreadable_redaction

    ignore_unreadable_redaction()  # it is one of the mistakes
    if "" in paths:  # such as a variable of a script that is not set
        raise click.UsageError("A PATH is empty. To check the current folder, pass none.")
    reports = [*validate_paths([Path(each) for each in paths] or [Path()], lang)]
    for report in reports:
        if report.kind == "python":
            print_note(say(_NOT_RUN, lang, file=report.path, typed=quote(report.path)))
    problems = [each for report in reports for each in report.problems]
    # Mistakes first, so that no warning hides them.
    problems.sort(key=lambda each: each.is_warning)
    is_json = output_format == "json"
    most = max_shown if max_shown is not None else len(problems) if is_json else _MOST
    with open_output(output, output_format, lang) as target:
        if is_json:
            target.write_text(json_document(_data(reports, problems[:most])))
        else:
            target.write_text(inert_lines("".join(_lines(reports, problems, most, lang))))
    if is_on_github():
        for each in problems[:most]:
            click.echo(_annotation(each), err=True)
    return OK if all(each.is_warning for each in problems) else UNREADABLE


def _lines(
    reports: Sequence[FileReport], problems: Sequence[Problem], most: int, lang: Language
) -> Iterator[str]:
    for each in problems[:most]:
        yield without_secrets(_line(each, lang)) + "\n"
    if len(problems) > most:
        yield say(_MORE, lang, count=len(problems) - most) + "\n"
    yield _summary(reports, problems, lang) + "\n"


def _data(reports: Sequence[FileReport], shown: Sequence[Problem]) -> dict[str, Any]:
    """The report for programs: the files, and the mistakes and warnings in them."""
    problems = [each for report in reports for each in report.problems]
    warnings = sum(each.is_warning for each in problems)
    return without_secrets(
        {
            "valid": len(problems) == warnings,
            "mistakes": len(problems) - warnings,
            "warnings": warnings,
            "cases": sum(report.cases for report in reports),
            "files": [
                {"file": report.path, "kind": report.kind, "cases": report.cases}
                for report in reports
            ],
            "problems": [
                {
                    "kind": "warning" if each.is_warning else "mistake",
                    "file": each.file,
                    "line": each.line,
                    "message": each.text,
                }
                for each in shown
            ],
        }
    )


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
