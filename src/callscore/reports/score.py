"""The report of scored cases: its words, and its JSON, JSON lines, Markdown and JUnit forms."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, SubElement

import msgspec

from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import clip, clip_middle, escape
from callscore.core.settings import DEFAULT
from callscore.reports.formatting import (
    _LONG_NAME_WIDTH,
    CASES,
    MORE,
    UNCOUNTED_CASES,
    _add_property,
    add_noted,
    add_properties,
    add_test,
    code,
    details,
    document_text,
    fenced,
    first_names,
    forbidden_line,
    html_entities,
    note_item,
    number_text,
    settings_text,
    table,
    xml_safe,
)
from callscore.words.diff import call_lines, diff_lines, plain_text
from callscore.words.plain_data import case_to_dict, results_to_dict
from callscore.words.reasons import fault_kind_name
from callscore.words.value_text import (
    confused_tools,
    decimal,
    encode_json,
    percent,
    rating,
    summary_line,
    worst_arguments,
    worst_faults,
    worst_tools,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from callscore.core.phrases import Language
    from callscore.core.results import CaseScore, MetricResult, Noted, Results
    from callscore.core.statistics import Interval
    from callscore.core.summary import Summary

__all__ = [
    "CASES_SCORED",
    "FIXED_TOOL_COLUMNS",
    "MEAN",
    "METRIC",
    "METRICS",
    "MOST_TRIAL_COLUMNS",
    "NOT_SCORABLE",
    "MetricRow",
    "ToolColumn",
    "check_hint",
    "count_text",
    "interval_text",
    "jsonl_line",
    "metric_rows",
    "not_scorable_notes",
    "note_lines",
    "rate_table",
    "settings_note",
    "shown_trials",
    "tool_columns",
    "trial_table",
    "write_json",
    "write_junit",
    "write_markdown",
]


# Phrases, in English and in Russian.

HEADLINE = Phrase("Macro F1 {score}", "Macro F1 {score}")
INTERVAL = Phrase("95% interval {interval}", "95% интервал {interval}")
NOTHING_SCORED = Phrase("No case was scored.", "Ни один случай не оценён.")

MACRO = Phrase("macro, mean over cases", "macro, среднее по случаям")
MICRO = Phrase("micro, calls pooled", "micro, все вызовы вместе")
PASSED = Phrase("cases passed", "случаев пройдено")
EXACT = Phrase("cases exact", "случаев совпало точно")
PART_OF_WHOLE = Phrase("{part} of {whole}", "{part} из {whole}")
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
CHECK_HINT = Phrase("{command} shows where", "{command} покажет, где")
VALID_CALLS = Phrase("calls valid", "вызовов без ошибок")
FAILURE = Phrase("failure", "ошибка")
TRIALS = Phrase("Repeated trials", "Повторные попытки")
MORE_CASES = Phrase(
    "… {cases} not shown; --limit shows more",
    "… не показано: {cases}; --limit покажет больше",
)


class _NotePhrase(NamedTuple):
    field: str
    nouns: Plural
    sentence: Phrase


_REFERENCES = Plural(("reference", "references"), ("эталон", "эталона", "эталонов"))
_TRACES = Plural(("trace", "traces"), ("трассировка", "трассировки", "трассировок"))
_RECORDS = Plural(("record", "records"), ("запись", "записи", "записей"))
_NOTES = (
    _NotePhrase(
        "not_scored",
        CASES,
        Phrase(
            "{count} not scored: no expected calls are given",
            "{count} без оценки: эталонные вызовы не указаны",
        ),
    ),
    _NotePhrase(
        "not_run",
        _REFERENCES,
        Phrase("{count} not run: there is no trace", "{count} без запуска: трассировки нет"),
    ),
    _NotePhrase(
        "without_reference",
        _TRACES,
        Phrase("{count} not scored: there is no reference", "{count} без оценки: эталона нет"),
    ),
    _NotePhrase(
        "repeated",
        CASES,
        Phrase(
            "{count} with an id and trial seen before, scored all the same",
            "{count} с повторными id и попыткой, оценка учтена",
        ),
    ),
    _NotePhrase(
        "skipped",
        _RECORDS,
        Phrase("{count} skipped: not readable", "не удалось прочитать: {count}"),
    ),
    _NotePhrase(
        "stopped",
        _RECORDS,
        Phrase(
            "stopped early, at {count} that cannot be read; what follows is not in this report",
            "остановлено раньше времени: {count} не удалось прочитать; остального здесь нет",
        ),
    ),
)
# The same for a single case or record.
SKIPPED = Phrase("skipped: not readable", "пропущено: не удалось прочитать")
STOPPED = Phrase(
    "stopped here: what follows is not in this report",
    "остановлено здесь: остального в отчёте нет",
)
NOT_SCORED = Phrase("no expected calls are given", "эталонные вызовы не указаны")
NOT_RUN = Phrase("there is no trace", "трассировки нет")


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


def interval_text(interval: Interval) -> str:
    """The two ends of an interval in percent."""
    return f"{percent(interval.low)} – {percent(interval.high)}"


def count_text(part: int, whole: int, lang: Language) -> str:
    """A part of a whole that is not nothing, in numbers and in percent."""
    return f"{say(PART_OF_WHOLE, lang, part=part, whole=whole)}, {percent(part / whole)}"


def check_hint(
    results: Results, lang: Language, *, write: Callable[[str], str] = escape
) -> str | None:
    """How to find faults in cases that are not shown; None where there are none."""
    shown = sum(len(case.score.faults or ()) for case in results.cases)
    if sum(results.summary.faults.values()) <= shown:
        return None
    return say(CHECK_HINT, lang, command=write("callscore check"))


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


# Metrics of other tools: the rows of a table, and the lines of a case.

METRICS = Phrase("Other tools' numbers", "Оценки других инструментов")
METRIC = Phrase("metric", "метрика")
MEAN = Phrase("mean", "среднее")
CASES_SCORED = Phrase("cases scored", "случаев оценено")
NOT_SCORABLE = Phrase("not scorable", "без оценки")
_OWN_SCORE = Phrase("callscore, macro F1", "callscore, macro F1")
_OWN_SCORE_WITH_SETTINGS = Phrase(
    "callscore, macro F1, settings as above", "callscore, macro F1, настройки как выше"
)
_NOT_SCORABLE_CASES = Phrase("{metrics}: {cases} not scorable", "{metrics}: без оценки {cases}")
_OTHERS_GET_ALL_CALLS = Phrase(
    "The settings are those of the first row alone: the others are given all calls as they were"
    " read.",
    "Настройки относятся только к первой строке: остальные получают все вызовы как есть.",
)
_OTHERS_GET_FIRST_ANSWER = Phrase(
    "The settings are those of the first row alone: the others are given all calls of the first"
    " answer, as they were read.",
    "Настройки относятся только к первой строке: остальные получают все вызовы первого ответа"
    " как есть.",
)
_METRICS_SHOWN = 4
_REASONS_SHOWN = 2
_REASON_WIDTH = 160


class MetricRow(NamedTuple):
    """One row of the table.

    Attributes:
        name: of the metric.
        mean: over the cases that it scored, as text.
        scored: how many cases these are.
        not_scorable: how many the others are.
    """

    name: str
    mean: str
    scored: int
    not_scorable: int


def metric_rows(results: Results, lang: Language) -> list[MetricRow]:
    """One row a metric, and before them callscore's own mean; nothing where no metric was asked."""
    if not results.metrics:
        return []
    summary = results.summary
    # `callscore.f1` may stand there, too, and is the score under the default settings.
    name = say(_OWN_SCORE if results.settings == DEFAULT else _OWN_SCORE_WITH_SETTINGS, lang)
    own = MetricRow(name, number_text(summary.macro_f1), summary.cases, 0)
    others = [
        MetricRow(metric.name, number_text(metric.mean), metric.scored, metric.not_scorable.count)
        for metric in results.metrics
    ]
    return [own, *others]


def not_scorable_notes(
    metrics: Sequence[MetricResult], lang: Language, *, write: Callable[[str], str] = escape
) -> list[tuple[str, str]]:
    """The metrics that have no number for some cases: for how many, and the first reasons.

    Args:
        metrics: what the metrics say of all cases.
        lang: the language.
        write: makes the names of metrics safe to show.
    """
    alike: dict[Noted, list[str]] = {}  # several tools mostly refuse the same cases
    for metric in metrics:
        if metric.not_scorable.count:
            alike.setdefault(metric.not_scorable, []).append(write(metric.name))
    return [
        (_not_scorable_sentence(names, why.count, lang), _first_reasons(why.names, lang))
        for why, names in alike.items()
    ]


def _not_scorable_sentence(names: list[str], count: int, lang: Language) -> str:
    more = len(names) - _METRICS_SHOWN
    ending = [say(MORE, lang, count=more)] if more > 0 else []
    shown = ", ".join([*names[:_METRICS_SHOWN], *ending])
    return say(_NOT_SCORABLE_CASES, lang, metrics=shown, cases=count_of(CASES, count, lang))


def _first_reasons(reasons: Sequence[str], lang: Language) -> str:
    """The first reasons; that they are sentences is lost on a list."""
    shown = [clip(escape(reason).removesuffix("."), _REASON_WIDTH) for reason in reasons]
    more = len(shown) - _REASONS_SHOWN
    ending = [say(MORE, lang, count=more)] if more > 0 else []
    return "; ".join([*shown[:_REASONS_SHOWN], *ending])


def settings_note(results: Results, lang: Language) -> str | None:
    """That the settings are callscore's alone; None where they are as by default."""
    if not results.metrics or results.settings == DEFAULT:
        return None
    return say(
        _OTHERS_GET_FIRST_ANSWER if results.settings.top_k > 1 else _OTHERS_GET_ALL_CALLS, lang
    )


# The table of tools, worst first.

# How many columns the table always has; optional ones come after these.
FIXED_TOOL_COLUMNS = 5


class ToolColumn(NamedTuple):
    """One column of numbers.

    Attributes:
        label: what stands above it.
        colour: what its numbers are shown in, where they are not 0.
        counts: one number a tool.
    """

    label: Phrase
    colour: str
    counts: list[int]


def tool_columns(summary: Summary) -> tuple[list[str], list[ToolColumn]]:
    """The names of the tools, and a column for each thing that is counted.

    Forbidden calls and unknown arguments have a column only where there are any.
    """
    ranked = worst_tools(summary)
    tools = [tool for tool, _ in ranked]
    counts = [found for _, found in ranked]
    columns = [
        ToolColumn(EXPECTED, "", [found.expected for found in counts]),
        ToolColumn(CORRECT, "green", [found.correct for found in counts]),
        ToolColumn(INCORRECT, "yellow", [found.incorrect for found in counts]),
        ToolColumn(MISSED, "red", [found.missed for found in counts]),
        ToolColumn(EXTRA, "magenta", [found.extra for found in counts]),
    ]
    seldom = [
        ToolColumn(FORBIDDEN, "bold red", [found.forbidden for found in counts]),
        ToolColumn(
            UNKNOWN_ARGUMENTS,
            "yellow",
            [summary.unknown_arguments(tool) or 0 for tool in tools],
        ),
    ]
    return tools, columns + [column for column in seldom if any(column.counts)]


# The table of repeated trials: pass@k and pass^k, for as many k as fit.

MOST_TRIAL_COLUMNS = 8
_FEWEST_TRIAL_COLUMNS = 2


def trial_table(
    summary: Summary, *, most: int = MOST_TRIAL_COLUMNS
) -> tuple[list[str], list[tuple[str, ...]]]:
    """What stands above the columns, and the rows, of which the first cell is a name.

    Both are empty where no case names a trial.
    """
    return rate_table(summary.pass_at_k(), summary.pass_hat_k(), most=most)


def rate_table(
    at_k: Sequence[float], hat_k: Sequence[float], *, most: int = MOST_TRIAL_COLUMNS
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The same from the rates themselves, for k = 1, 2, ..."""
    rates = {"pass@k": at_k, "pass^k": hat_k}
    shown = shown_trials(len(at_k), most=most)
    if not shown:
        return [], []
    rows = [(name, *[decimal(values[k - 1]) for k in shown]) for name, values in rates.items()]
    return [f"k={k}" for k in shown], rows


def shown_trials(trials: int, *, most: int = MOST_TRIAL_COLUMNS) -> list[int]:
    """Which k to show: all, or the first ones, then twice as many each time, and the last."""
    most = max(most, _FEWEST_TRIAL_COLUMNS)
    if trials <= most:
        return list(range(1, trials + 1))
    factor = 2
    while len(shown := {trials, *_powers(factor, trials)}) > most:
        factor += 1  # with very many trials, doubling is not quick enough
    others = [k for k in range(1, most + 1) if k not in shown]
    return sorted(shown.union(others[: most - len(shown)]))


def _powers(factor: int, end: int) -> list[int]:
    powers = [1]
    while powers[-1] * factor < end:
        powers.append(powers[-1] * factor)
    return powers


# JSON.


def write_json(results: Results, *, lang: Language = "en") -> str:
    """The document, indented; the language is that of the sentences in it, never of the keys."""
    document = encode_json(results_to_dict(results, lang=lang))
    return msgspec.json.format(document, indent=2).decode() + "\n"


# JSON Lines: one line per case, written while the cases are being scored.


def jsonl_line(case: CaseScore, *, lang: Language = "en") -> bytes:
    """The score of one case as a line of JSON, with its line break."""
    return encode_json(case_to_dict(case, lang=lang)) + b"\n"


# Markdown.

_MOST_TOOLS = 15
_MOST_ARGUMENTS = 10
_MOST_CONFUSIONS = 10
_MOST_FAULTS = 15
_TITLE_WIDTH = 80


def write_markdown(results: Results, *, lang: Language = "en") -> str:
    """Headline, totals, tables, and the cases folded in; names from the data stay plain text."""
    return "\n\n".join(_markdown_blocks(results, lang)) + "\n"


def _markdown_blocks(results: Results, lang: Language) -> Iterator[str]:
    summary = results.summary
    yield from _markdown_headline(results, lang)
    if summary.cases:
        yield _rates_table(summary, lang)
        yield _totals_list(summary, lang)
    notes = [note_item(*line) for line in note_lines(results, lang)]
    if notes:
        yield "\n".join(notes)
    yield from _metric_blocks(results, lang)
    yield from _trial_blocks(summary, lang)
    yield from _tool_blocks(summary, lang)
    yield from _confusion_blocks(summary, lang)
    yield from _argument_blocks(summary, lang)
    yield from _check_blocks(results, lang)
    for case in results.cases:
        yield _markdown_case(case, lang)
    if results.not_shown:
        cases = count_of(CASES, results.not_shown, lang)
        yield say(MORE_CASES, lang, cases=cases)


def _markdown_headline(results: Results, lang: Language) -> Iterator[str]:
    f1, interval = results.summary.macro_f1, results.summary.macro_f1_interval
    if f1 is None:
        yield f"## {say(NOTHING_SCORED, lang)}"
        return
    yield f"## {say(HEADLINE, lang, score=percent(f1))}: {rating(f1, lang=lang)}"
    cases = count_of(CASES, results.summary.cases, lang)
    line = f"{cases}, {settings_text(results.settings, lang, write=code)}"
    if interval is not None:
        line += f", {say(INTERVAL, lang, interval=interval_text(interval))}"
    yield line


def _rates_table(summary: Summary, lang: Language) -> str:
    macro = (summary.macro_f1, summary.macro_precision, summary.macro_recall)
    micro = (summary.micro_f1, summary.micro_precision, summary.micro_recall)
    rows = [
        (say(label, lang), *(percent(rate) for rate in rates if rate is not None))
        for label, rates in ((MACRO, macro), (MICRO, micro))
    ]
    return table(("", "F1", "precision", "recall"), rows)


def _totals_list(summary: Summary, lang: Language) -> str:
    interval = interval_text(summary.exact_interval)
    note = say(INTERVAL, lang, interval=interval)
    passed = count_text(summary.passed, summary.cases, lang)
    exact = count_text(summary.exact, summary.cases, lang)
    totals, counts = call_counts(summary, lang)
    lines = (
        f"- {say(PASSED, lang)}: {passed}",
        f"- {say(EXACT, lang)}: {exact} ({note})",
        f"- {say(CALLS, lang)}: {totals}; {counts}",
    )
    return "\n".join(lines)


def _metric_blocks(results: Results, lang: Language) -> Iterator[str]:
    if not results.metrics:
        return
    own, *others = metric_rows(results, lang)
    labels = (
        METRIC,
        MEAN,
        CASES_SCORED,
        NOT_SCORABLE,
    )
    yield _markdown_heading(METRICS, lang)
    rows = [own, *[other._replace(name=code(other.name)) for other in others]]
    yield table([say(label, lang) for label in labels], rows)
    reasons = not_scorable_notes(results.metrics, lang, write=code)
    if reasons:
        yield "\n".join(note_item(*line) for line in reasons)
    settings = settings_note(results, lang)
    if settings is not None:
        yield settings


def _trial_blocks(summary: Summary, lang: Language) -> Iterator[str]:
    labels, rows = trial_table(summary)
    if rows:
        yield _markdown_heading(TRIALS, lang)
        yield table(("", *labels), rows)


def _tool_blocks(summary: Summary, lang: Language) -> Iterator[str]:
    tools, columns = tool_columns(summary)
    labels = (TOOL, *[column.label for column in columns])
    rows = [
        (code(tool), *[column.counts[row] for column in columns]) for row, tool in enumerate(tools)
    ]
    yield from _ranking_blocks(TOOLS, labels, rows, _MOST_TOOLS, lang)


def _confusion_blocks(summary: Summary, lang: Language) -> Iterator[str]:
    labels = (EXPECTED, CALLED, TIMES)
    rows = [
        (code(expected), code(called), count)
        for expected, called, count in confused_tools(summary)
        if expected is not None and called is not None
    ]
    yield from _ranking_blocks(CONFUSED_TOOLS, labels, rows, _MOST_CONFUSIONS, lang)


def _argument_blocks(summary: Summary, lang: Language) -> Iterator[str]:
    labels = (TOOL, ARGUMENT, TIMES)
    rows = [
        (code(tool), code(argument), count) for tool, argument, count in worst_arguments(summary)
    ]
    yield from _ranking_blocks(WRONG_ARGUMENTS, labels, rows, _MOST_ARGUMENTS, lang)


def _check_blocks(results: Results, lang: Language) -> Iterator[str]:
    summary = results.summary
    if not summary.checked_calls:
        return
    valid = count_text(summary.valid_calls, summary.checked_calls, lang)
    yield _markdown_heading(CHECKS, lang)
    yield f"- {say(VALID_CALLS, lang)}: {valid}"
    labels = (TOOL, FAILURE, TIMES)
    rows = [
        (code(tool), fault_kind_name(kind, lang=lang), count)
        for tool, kind, count in worst_faults(summary)
    ]
    yield from islice(_ranking_blocks(CHECKS, labels, rows, _MOST_FAULTS, lang), 1, None)
    where = check_hint(results, lang, write=code)
    if where is not None:
        yield where


def _ranking_blocks(
    heading: Phrase,
    labels: tuple[Phrase, ...],
    rows: Sequence[tuple[object, ...]],
    most: int,
    lang: Language,
) -> Iterator[str]:
    if rows:
        yield _markdown_heading(heading, lang)
        yield table([say(label, lang) for label in labels], rows[:most])
    if len(rows) > most:
        yield say(MORE, lang, count=len(rows) - most)


def _markdown_case(case: CaseScore, lang: Language) -> str:
    diff = fenced(plain_text(call_lines(case.score, lang=lang)), "diff")
    title = f"<code>{html_entities(clip_middle(escape(case.label), _TITLE_WIDTH))}</code>"
    return details(
        f"{title} {summary_line(case.score, lang=lang)}", f"{_markdown_values(case)}{diff}"
    )


def _markdown_values(case: CaseScore) -> str:
    """The metrics of other tools for a case, on one line."""
    values = [f"{code(found.name)} {number_text(found.value)}" for found in case.metrics]
    return f"{', '.join(values)}\n\n" if values else ""


def _markdown_heading(phrase: Phrase, lang: Language) -> str:
    return f"### {say(phrase, lang)}"


def write_junit(results: Results, *, lang: Language = "en") -> str:
    """One test a shown case; what was not run or not read is an error."""
    suite = Element("testsuite", name="callscore")
    properties = add_properties(
        suite, [(metric.name, metric.mean, None) for metric in results.metrics]
    )
    for metric in results.metrics:
        if metric.version:
            _add_property(properties, f"{metric.name}: version", metric.version)
    for case in results.cases:
        _add_junit_case(suite, case, lang)
    add_noted(suite, results.not_run, "error", NOT_RUN, lang)
    add_noted(suite, results.skipped, "error", SKIPPED, lang)
    add_noted(suite, results.stopped, "error", STOPPED, lang)
    add_noted(suite, results.not_scored, "skipped", NOT_SCORED, lang)
    root = Element("testsuites", name="callscore")
    root.append(suite)
    return document_text(root)


def _add_junit_case(suite: Element, case: CaseScore, lang: Language) -> None:
    test = add_test(suite, case.label)
    add_properties(test, [(found.name, found.value, found.reason) for found in case.metrics])
    if not case.score.passed:
        # Build servers group failures by their type, and a forbidden call is of its own kind.
        kind = "forbidden" if case.score.forbidden else "score"
        message = xml_safe(summary_line(case.score, lang=lang))
        failure = SubElement(test, "failure", type=kind, message=message)
        failure.text = xml_safe(plain_text(diff_lines(case.score, lang=lang)))
