"""The report as GitHub Markdown, for a pull request or a job summary."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from callscore.core.diff import call_lines, plain_text
from callscore.core.ranking import confused_tools, worst_arguments, worst_faults
from callscore.core.text import clip_middle, escape
from callscore.core.wording import count_of, percent, rating, say, summary_line
from callscore.reports import wording
from callscore.reports.markdown_text import code, details, entities, fenced, note_item, table
from callscore.reports.metric_table import (
    MEAN,
    METRIC,
    METRICS,
    NOT_SCORABLE,
    SCORED,
    metric_rows,
    number_text,
    reason_lines,
    settings_line,
)
from callscore.reports.tool_table import tool_columns
from callscore.reports.trial_table import trial_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from callscore.core.results import CaseScore, Results
    from callscore.core.summary import Summary
    from callscore.core.wording import Language, Phrase

__all__ = ["write"]

_MOST_TOOLS = 15
_MOST_ARGUMENTS = 10
_MOST_CONFUSIONS = 10
_MOST_FAULTS = 15
_NAME_WIDTH = 80


def write(results: Results, *, lang: Language = "en") -> str:
    """Headline, totals, tables, and the cases folded in; names from the data stay plain text."""
    return "\n\n".join(_blocks(results, lang)) + "\n"


def _blocks(results: Results, lang: Language) -> Iterator[str]:
    summary = results.summary
    yield from _headline(results, lang)
    if summary.cases:
        yield _rates(summary, lang)
        yield _totals(summary, lang)
    notes = [note_item(*line) for line in wording.note_lines(results, lang)]
    if notes:
        yield "\n".join(notes)
    yield from _metrics(results, lang)
    yield from _trials(summary, lang)
    yield from _tools(summary, lang)
    yield from _confusions(summary, lang)
    yield from _arguments(summary, lang)
    yield from _checks(results, lang)
    for case in results.cases:
        yield _case(case, lang)
    if results.not_shown:
        cases = count_of(wording.CASES, results.not_shown, lang)
        yield say(wording.MORE_CASES, lang, cases=cases)


def _headline(results: Results, lang: Language) -> Iterator[str]:
    f1, interval = results.summary.macro_f1, results.summary.macro_f1_interval
    if f1 is None:
        yield f"## {say(wording.NOTHING_SCORED, lang)}"
        return
    yield f"## {say(wording.HEADLINE, lang, score=percent(f1))}: {rating(f1, lang=lang)}"
    cases = count_of(wording.CASES, results.summary.cases, lang)
    line = f"{cases}, {wording.comparison_text(results.settings, lang, write=code)}"
    if interval is not None:
        line += f", {say(wording.INTERVAL, lang, interval=wording.interval_text(interval))}"
    yield line


def _rates(summary: Summary, lang: Language) -> str:
    macro = (summary.macro_f1, summary.macro_precision, summary.macro_recall)
    micro = (summary.micro_f1, summary.micro_precision, summary.micro_recall)
    rows = [
        (say(label, lang), *(percent(rate) for rate in rates if rate is not None))
        for label, rates in ((wording.MACRO, macro), (wording.MICRO, micro))
    ]
    return table(("", "F1", "precision", "recall"), rows)


def _totals(summary: Summary, lang: Language) -> str:
    interval = wording.interval_text(summary.exact_interval)
    note = say(wording.INTERVAL, lang, interval=interval)
    passed = wording.count_text(summary.passed, summary.cases, lang)
    exact = wording.count_text(summary.exact, summary.cases, lang)
    totals, counts = wording.call_counts(summary, lang)
    lines = (
        f"- {say(wording.PASSED, lang)}: {passed}",
        f"- {say(wording.EXACT, lang)}: {exact} ({note})",
        f"- {say(wording.CALLS, lang)}: {totals}; {counts}",
    )
    return "\n".join(lines)


def _metrics(results: Results, lang: Language) -> Iterator[str]:
    if not results.metrics:
        return
    own, *others = metric_rows(results, lang)
    labels = (
        METRIC,
        MEAN,
        SCORED,
        NOT_SCORABLE,
    )
    yield _heading(METRICS, lang)
    rows = [own, *[other._replace(name=code(other.name)) for other in others]]
    yield table([say(label, lang) for label in labels], rows)
    reasons = reason_lines(results.metrics, lang, write=code)
    if reasons:
        yield "\n".join(note_item(*line) for line in reasons)
    settings = settings_line(results, lang)
    if settings is not None:
        yield settings


def _trials(summary: Summary, lang: Language) -> Iterator[str]:
    labels, rows = trial_table(summary)
    if rows:
        yield _heading(wording.TRIALS, lang)
        yield table(("", *labels), rows)


def _tools(summary: Summary, lang: Language) -> Iterator[str]:
    tools, columns = tool_columns(summary)
    labels = (wording.TOOL, *[column.label for column in columns])
    rows = [
        (code(tool), *[column.counts[row] for column in columns]) for row, tool in enumerate(tools)
    ]
    yield from _ranking(wording.TOOLS, labels, rows, _MOST_TOOLS, lang)


def _confusions(summary: Summary, lang: Language) -> Iterator[str]:
    labels = (wording.EXPECTED, wording.CALLED, wording.TIMES)
    rows = [
        (code(expected), code(called), count)
        for expected, called, count in confused_tools(summary)
        if expected is not None and called is not None
    ]
    yield from _ranking(wording.CONFUSED_TOOLS, labels, rows, _MOST_CONFUSIONS, lang)


def _arguments(summary: Summary, lang: Language) -> Iterator[str]:
    labels = (wording.TOOL, wording.ARGUMENT, wording.TIMES)
    rows = [
        (code(tool), code(argument), count) for tool, argument, count in worst_arguments(summary)
    ]
    yield from _ranking(wording.WRONG_ARGUMENTS, labels, rows, _MOST_ARGUMENTS, lang)


def _checks(results: Results, lang: Language) -> Iterator[str]:
    summary = results.summary
    if not summary.checked_calls:
        return
    from callscore.core.fault_text import kind_name

    valid = wording.count_text(summary.valid_calls, summary.checked_calls, lang)
    yield _heading(wording.CHECKS, lang)
    yield f"- {say(wording.VALID_CALLS, lang)}: {valid}"
    labels = (wording.TOOL, wording.FAILURE, wording.TIMES)
    rows = [
        (code(tool), kind_name(kind, lang=lang), count)
        for tool, kind, count in worst_faults(summary)
    ]
    yield from islice(_ranking(wording.CHECKS, labels, rows, _MOST_FAULTS, lang), 1, None)
    where = wording.where_line(results, lang, write=code)
    if where is not None:
        yield where


def _ranking(
    heading: Phrase,
    labels: tuple[Phrase, ...],
    rows: Sequence[tuple[object, ...]],
    most: int,
    lang: Language,
) -> Iterator[str]:
    if rows:
        yield _heading(heading, lang)
        yield table([say(label, lang) for label in labels], rows[:most])
    if len(rows) > most:
        yield say(wording.MORE, lang, count=len(rows) - most)


def _case(case: CaseScore, lang: Language) -> str:
    diff = fenced(plain_text(call_lines(case.score, lang=lang)), "diff")
    title = f"<code>{entities(clip_middle(escape(case.label), _NAME_WIDTH))}</code>"
    return details(f"{title} {summary_line(case.score, lang=lang)}", f"{_values(case)}{diff}")


def _values(case: CaseScore) -> str:
    """What other tools say of a case, as a line of its own."""
    values = [f"{code(found.name)} {number_text(found.value)}" for found in case.metrics]
    return f"{', '.join(values)}\n\n" if values else ""


def _heading(phrase: Phrase, lang: Language) -> str:
    return f"### {say(phrase, lang)}"
