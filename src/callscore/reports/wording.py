"""The headings, labels and notes of the reports, in English and in Russian."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from callscore.core.counted_text import FORBIDDEN_CALLS
from callscore.core.ranking import forbidden_tools
from callscore.core.settings import DEFAULT
from callscore.core.text import clip_middle, escape
from callscore.core.wording import Phrase, Plural, count_of, percent, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from callscore.core.results import Noted, Results
    from callscore.core.settings import Settings
    from callscore.core.statistics import Interval
    from callscore.core.summary import Summary
    from callscore.core.wording import Language

__all__ = [
    "ARGUMENT",
    "CALLED",
    "CALLS",
    "CALL_COUNTS",
    "CALL_TOTALS",
    "CASES",
    "CHECKS",
    "COMPARISON",
    "CONFUSED_TOOLS",
    "CORRECT",
    "EXACT",
    "EXPECTED",
    "EXTRA",
    "FAILURE",
    "FORBIDDEN",
    "HEADLINE",
    "INCORRECT",
    "INTERVAL",
    "MACRO",
    "MICRO",
    "MISSED",
    "MORE",
    "MORE_CASES",
    "NOTHING_SCORED",
    "NOT_RUN",
    "NOT_SCORED",
    "OF",
    "PASSED",
    "SKIPPED",
    "STOPPED",
    "TIMES",
    "TOOL",
    "TOOLS",
    "TRIALS",
    "UNKNOWN_ARGUMENTS",
    "VALID_CALLS",
    "WRONG_ARGUMENTS",
    "call_counts",
    "comparison_text",
    "count_text",
    "first_names",
    "forbidden_line",
    "interval_text",
    "note_lines",
    "where_line",
]

HEADLINE = Phrase("Macro F1 {score}", "Macro F1 {score}")
INTERVAL = Phrase("95% interval {interval}", "95% интервал {interval}")
NOTHING_SCORED = Phrase("No case was scored.", "Ни один случай не оценён.")
CASES = Plural(("case", "cases"), ("случай", "случая", "случаев"))
COMPARISON = {
    "strict": Phrase("strict", "режим STRICT"),
    "flexible": Phrase("flexible from {threshold}", "режим FLEXIBLE, порог {threshold}"),
    "any": Phrase("any order", "порядок любой"),
    "in_order": Phrase("in order", "по порядку"),
    "exact": Phrase("exact order", "позиция к позиции"),
}
# What the settings change beside that, said only of what is not as it is by default.
_CHANGES = {
    "extra_arguments": Phrase("extra arguments count", "лишние аргументы учитываются"),
    "count_calls": Phrase("writes only", "только изменяющие вызовы"),
    "failed_calls": Phrase("failed calls ignored", "вызовы с ошибкой не учитываются"),
    "repeated_calls": Phrase("repeats collapsed", "повторы считаются одним вызовом"),
    "arrays": Phrase("arrays in any order", "порядок в массивах любой"),
    "nested_objects": Phrase("extra keys in objects allowed", "в объектах допустимы лишние ключи"),
    "arguments": Phrase("rules for arguments ({value})", "правила для аргументов ({value})"),
    "strip_prefix": Phrase("prefixes stripped", "префиксы отброшены"),
    "normalise_name": Phrase("names normalised", "имена нормализованы"),
    "effects": Phrase("effects ({value})", "эффекты ({value})"),
    "top_k": Phrase("best of {value} answers", "лучший из ответов, до {value}"),
    "similarity": Phrase("own similarity", "своя мера сходства"),
    "judge": Phrase("with a judge", "с судьёй"),
    "at_least": Phrase("passed from {value}", "пройдено от {value}"),
}

MACRO = Phrase("macro, mean over cases", "macro, среднее по случаям")
MICRO = Phrase("micro, calls pooled", "micro, все вызовы вместе")
PASSED = Phrase("cases passed", "случаев пройдено")
EXACT = Phrase("cases exact", "случаев совпало точно")
OF = Phrase("{part} of {whole}", "{part} из {whole}")
CALLS = Phrase("calls", "вызовы")
CALL_TOTALS = Phrase(
    "{expected} expected, {actual} actual",
    "эталонных {expected}, фактических {actual}",
)
CALL_COUNTS = Phrase(
    "{correct} correct, {incorrect} incorrect, {missed} missed, {extra} extra",
    "верно {correct}, неверно {incorrect}, пропущено {missed}, лишних {extra}",
)

TOOLS = Phrase("Tools", "Инструменты")
TOOL = Phrase("tool", "инструмент")
EXPECTED = Phrase("expected", "эталон")
CORRECT = Phrase("correct", "верно")
INCORRECT = Phrase("incorrect", "неверно")
MISSED = Phrase("missed", "пропущено")
EXTRA = Phrase("extra", "лишние")
FORBIDDEN = Phrase("forbidden", "запрещено")
UNKNOWN_ARGUMENTS = Phrase("unknown arguments", "неизвестные аргументы")
CONFUSED_TOOLS = Phrase(
    "Missed calls, and the extra calls made in the same cases",
    "Пропущенные вызовы и лишние вызовы в тех же случаях",
)
CALLED = Phrase("made instead", "вместо него")
WRONG_ARGUMENTS = Phrase("Arguments most often wrong", "Аргументы, в которых чаще всего ошибки")
ARGUMENT = Phrase("argument", "аргумент")
TIMES = Phrase("times", "раз")
CHECKS = Phrase("Checks by the tools' schemas", "Проверки по схемам инструментов")
WHERE = Phrase("{command} shows where", "{command} покажет, где")
VALID_CALLS = Phrase("calls valid", "вызовов без ошибок")
FAILURE = Phrase("failure", "ошибка")
TRIALS = Phrase("Repeated trials", "Повторные попытки")
MORE = Phrase("… {count} more", "… ещё {count}")
MORE_CASES = Phrase(
    "… {cases} not shown; --limit shows more",
    "… не показано: {cases}; --limit покажет больше",
)


class _Note(NamedTuple):
    field: str
    nouns: Plural
    sentence: Phrase


_REFERENCES = Plural(("reference", "references"), ("эталон", "эталона", "эталонов"))
_TRACES = Plural(("trace", "traces"), ("трассировка", "трассировки", "трассировок"))
_RECORDS = Plural(("record", "records"), ("запись", "записи", "записей"))
_NOTES = (
    _Note(
        "not_scored",
        CASES,
        Phrase(
            "{count} not scored: no expected calls are given",
            "{count} без оценки: эталонные вызовы не указаны",
        ),
    ),
    _Note(
        "not_run",
        _REFERENCES,
        Phrase("{count} not run: there is no trace", "{count} без запуска: трассировки нет"),
    ),
    _Note(
        "without_reference",
        _TRACES,
        Phrase("{count} not scored: there is no reference", "{count} без оценки: эталона нет"),
    ),
    _Note(
        "repeated",
        CASES,
        Phrase(
            "{count} with an id and trial seen before, scored all the same",
            "{count} с повторными id и попыткой, оценка учтена",
        ),
    ),
    _Note(
        "skipped",
        _RECORDS,
        Phrase("{count} skipped: not readable", "не удалось прочитать: {count}"),
    ),
    _Note(
        "stopped",
        _RECORDS,
        Phrase(
            "stopped early, at {count} that cannot be read; what follows is not in this report",
            "остановлено раньше времени: {count} не удалось прочитать; остального здесь нет",
        ),
    ),
)
# The same of one case, or one record, alone.
SKIPPED = Phrase("skipped: not readable", "пропущено: не удалось прочитать")
STOPPED = Phrase(
    "stopped here: what follows is not in this report",
    "остановлено здесь: остального в отчёте нет",
)
NOT_SCORED = Phrase("no expected calls are given", "эталонные вызовы не указаны")
NOT_RUN = Phrase("there is no trace", "трассировки нет")
_NAMES_SHOWN = 5
_RULES_SHOWN = 4
_RULE_WIDTH = 40
_NAME_WIDTH = 60
_LONG_NAME_WIDTH = 100


# A sentence that begins with how many cases it is about.
UNCOUNTED_CASES = Plural(
    (
        "case: no call counts under these settings, so it passes",
        "cases: no call counts under these settings, so they pass",
    ),
    (
        "случай: по этим настройкам ни один вызов не учитывается, поэтому он пройден",
        "случая: по этим настройкам ни один вызов не учитывается, поэтому они пройдены",
        "случаев: по этим настройкам ни один вызов не учитывается, поэтому они пройдены",
    ),
)
FORBIDDEN_LINE = Phrase(
    "{calls}, in {cases}: such a case scores 0",
    "{calls} (затронуто: {cases}), оценка такого случая 0",
)


def forbidden_line(summary: Summary, lang: Language) -> tuple[str, str] | None:
    """How many calls must not have been made: a sentence, and the tools; None where there are none."""
    if not summary.forbidden_cases:
        return None
    tools = tuple([tool for tool, _ in forbidden_tools(summary)])
    sentence = say(
        FORBIDDEN_LINE,
        lang,
        calls=count_of(FORBIDDEN_CALLS, summary.forbidden, lang),
        cases=count_of(CASES, summary.forbidden_cases, lang),
    )
    return sentence, first_names(tools, len(tools), lang, width=_LONG_NAME_WIDTH)


def note_lines(results: Results, lang: Language) -> list[tuple[str, str]]:
    """What was forbidden, not scored, not run, repeated or skipped: a sentence, and the first names."""
    forbidden = forbidden_line(results.summary, lang)
    lines: list[tuple[str, str]] = [] if forbidden is None else [forbidden]
    if results.summary.uncounted_cases:
        lines.append((count_of(UNCOUNTED_CASES, results.summary.uncounted_cases, lang), ""))
    for note in _NOTES:
        noted: Noted = getattr(results, note.field)
        if noted.count:
            count = count_of(note.nouns, noted.count, lang)
            names = first_names(noted.names, noted.count, lang, width=_LONG_NAME_WIDTH)
            lines.append((say(note.sentence, lang, count=count), names))
    return lines


def first_names(
    names: Sequence[str], count: int, lang: Language, *, width: int = _NAME_WIDTH
) -> str:
    """The first of some names, and how many more there are."""
    shown = [clip_middle(escape(name), width) for name in names[:_NAMES_SHOWN]]
    if shown and count > len(shown):
        shown.append(say(MORE, lang, count=count - len(shown)))
    return ", ".join(shown)


def interval_text(interval: Interval) -> str:
    """The two ends of an interval in percent."""
    return f"{percent(interval.low)} – {percent(interval.high)}"


def count_text(part: int, whole: int, lang: Language) -> str:
    """A part of a whole that is not nothing, in numbers and in percent."""
    return f"{say(OF, lang, part=part, whole=whole)}, {percent(part / whole)}"


def where_line(
    results: Results, lang: Language, *, write: Callable[[str], str] = escape
) -> str | None:
    """How to find faults in cases that are not shown; None where there are none."""
    shown = sum(len(case.score.faults or ()) for case in results.cases)
    if sum(results.summary.faults.values()) <= shown:
        return None
    return say(WHERE, lang, command=write("callscore check"))


def comparison_text(
    settings: Settings, lang: Language, *, write: Callable[[str], str] = escape
) -> str:
    """How the calls were compared, in a few words; what is as by default goes without saying.

    Args:
        settings: what decided that.
        lang: the language.
        write: makes the patterns in the settings safe to show.
    """
    threshold = f"{settings.argument_match_threshold:g}"
    mode = say(COMPARISON[settings.mode], lang, threshold=threshold)
    changes = [
        say(phrase, lang, value=_short_value(name, settings, lang, write))
        for name, phrase in _CHANGES.items()
        if getattr(settings, name) != getattr(DEFAULT, name)
    ]
    return ", ".join([mode, say(COMPARISON[settings.order], lang), *changes])


def _short_value(name: str, settings: Settings, lang: Language, write: Callable[[str], str]) -> str:
    if name == "arguments":
        rules = [(rule.pattern, rule.rule) for rule in settings.arguments]
    elif name == "effects":
        rules = [(pattern, effect) for pattern, effect in settings.effects]
    else:
        return f"{getattr(settings, name)}"
    shown = [
        write(clip_middle(escape(f"{pattern} {what}"), _RULE_WIDTH))
        for pattern, what in rules[:_RULES_SHOWN]
    ]
    if len(rules) > _RULES_SHOWN:
        shown.append(say(MORE, lang, count=len(rules) - _RULES_SHOWN))
    return ", ".join(shown)


def call_counts(summary: Summary, lang: Language) -> tuple[str, str]:
    """How many calls there were on either side, and what became of them."""
    totals = say(CALL_TOTALS, lang, expected=summary.total_expected, actual=summary.total_actual)
    counts = say(
        CALL_COUNTS,
        lang,
        correct=summary.correct,
        incorrect=summary.incorrect,
        missed=summary.missed,
        extra=summary.extra,
    )
    return totals, counts
