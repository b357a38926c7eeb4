"""The headings, labels and notes of what checking calls gave, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.phrase import Phrase, Plural, count_of, say
from callscore.core.text import clip_middle, escape
from callscore.core.wording import percent
from callscore.reports.wording import MORE

if TYPE_CHECKING:
    from callscore.checks.results import CheckResults, Finding
    from callscore.core.phrase import Language
    from callscore.core.results import Noted

__all__ = [
    "CALLS",
    "FAULT",
    "FAULTS",
    "TIMES",
    "TOOL",
    "TOTAL",
    "check_notes",
    "headline",
    "more_findings",
    "parameters_line",
    "place_of",
]

_FILES = Plural(("file", "files"), ("файл", "файла", "файлов"))
_RUNS = Plural(("run", "runs"), ("прогон", "прогона", "прогонов"))
_CALLS = Plural(("call", "calls"), ("вызов", "вызова", "вызовов"))
_RECORDS = Plural(("record", "records"), ("запись", "записи", "записей"))
_TOOLS = Plural(("tool", "tools"), ("инструмент", "инструмента", "инструментов"))
_FINDINGS = Plural(("fault", "faults"), ("ошибка", "ошибки", "ошибок"))

_FAULTY = Phrase("{count} at fault, {share}", "с ошибками: {count}, {share}")
_FAULTLESS = Phrase("no faults found", "ошибок не найдено")
_NO_CALLS = Phrase("no calls", "вызовов нет")
_VALID = Phrase(
    "parameters valid: {share} ({part} of {whole})",
    "верные параметры: {share} ({part} из {whole})",
)
FAULTS = Phrase("Faults by tool", "Ошибки по инструментам")
TOOL = Phrase("tool", "инструмент")
CALLS = Phrase("calls", "вызовы")
FAULT = Phrase("fault", "ошибка")
TIMES = Phrase("times", "раз")
TOTAL = Phrase("all", "все")
_MORE_FINDINGS = Phrase(
    "… {faults} not shown; --limit shows more",
    "… не показано: {faults}; --limit покажет больше",
)
_CALL = Phrase("call {number}", "вызов {number}")


class _Note(NamedTuple):
    field: str
    nouns: Plural
    sentence: Phrase


_NOTES = (
    _Note(
        "without_tools",
        _RUNS,
        Phrase(
            "{count} without definitions of tools, so that only repeats, loops and malformed "
            "arguments were looked for; --tools names a file of them",
            "{count} без описаний инструментов: искали только повторы, циклы и нечитаемые "
            "аргументы; --tools задаёт файл с ними",
        ),
    ),
    _Note(
        "unusable",
        _TOOLS,
        Phrase(
            "{count} with a schema that cannot be used; the arguments were not checked",
            "{count} с непригодной схемой; аргументы не проверялись",
        ),
    ),
    _Note(
        "without_calls",
        _RECORDS,
        Phrase(
            "{count} not checked: what was called is not said",
            "{count} без проверки: вызовы не указаны",
        ),
    ),
    _Note(
        "skipped",
        _RECORDS,
        Phrase("{count} skipped: not readable", "не удалось прочитать: {count}"),
    ),
)
_UNCHECKED = Phrase(
    "{count} with nothing to check the arguments by: the tool has no schema that can be used, or the "
    "trace no arguments with names",
    "{count} без проверки аргументов: у инструмента нет пригодной схемы или в трассе нет именованных "
    "аргументов",
)
_OF_RUNS = "without_tools"
_NAMES_SHOWN = 3
_NAME_WIDTH = 120


def headline(results: CheckResults, lang: Language) -> tuple[str, str]:
    """What was checked, and how much of it is at fault."""
    counted = ((_FILES, results.files), (_RUNS, results.runs), (_CALLS, results.calls))
    checked = ", ".join(count_of(noun, count, lang) for noun, count in counted)
    if not results.calls:
        return checked, say(_NO_CALLS, lang)
    if not results.faulty_calls:
        return checked, say(_FAULTLESS, lang)
    share = percent(results.faulty_calls / results.calls)
    return checked, say(_FAULTY, lang, count=results.faulty_calls, share=share)


def parameters_line(results: CheckResults, lang: Language) -> str | None:
    """The share of the calls whose parameters are valid; None where none could be checked."""
    share = results.parameters_valid
    if share is None:
        return None
    whole = results.checked_calls
    part = whole - results.invalid_calls
    return say(_VALID, lang, share=percent(share), part=part, whole=whole)


def check_notes(results: CheckResults, lang: Language) -> list[tuple[str, str]]:
    """What was not checked, or not all of it: a sentence, and the first names if not all are meant.

    A tool whose schema cannot be used is named with the reason.
    """
    lines: list[tuple[str, str]] = []
    for note in _NOTES:
        noted: Noted = getattr(results, note.field)
        if noted.count:
            count = count_of(note.nouns, noted.count, lang)
            is_of_all = note.field == _OF_RUNS and noted.count == results.runs
            names = "" if is_of_all else _names(noted, lang)
            lines.append((say(note.sentence, lang, count=count), names))
    if results.unchecked_calls:
        count = count_of(_CALLS, results.unchecked_calls, lang)
        lines.append((say(_UNCHECKED, lang, count=count), ""))
    return lines


def _names(noted: Noted, lang: Language) -> str:
    shown = [clip_middle(escape(name), _NAME_WIDTH) for name in noted.names[:_NAMES_SHOWN]]
    if noted.count > len(shown):
        shown.append(say(MORE, lang, count=noted.count - len(shown)))
    return ", ".join(shown)


def more_findings(results: CheckResults, lang: Language) -> str | None:
    """How many faults are not shown; None where all are."""
    if not results.not_shown:
        return None
    return say(_MORE_FINDINGS, lang, faults=count_of(_FINDINGS, results.not_shown, lang))


def place_of(finding: Finding, lang: Language) -> str:
    """Where a finding is: the place of the run, its name, and the number of the call from 1."""
    run = [] if finding.run is None else [clip_middle(escape(finding.run), _NAME_WIDTH // 2)]
    number = say(_CALL, lang, number=finding.fault.index + 1)
    return ", ".join([clip_middle(escape(finding.place), _NAME_WIDTH // 2), *run, number])
