"""The report of a run on a terminal: one that has just ended, or one from the history."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, count_of, say
from callscore.core.rendering import display_width, escape, wrap
from callscore.reports import history as history_wording
from callscore.reports import run as wording
from callscore.reports.formatting import RUN_ID, first_names
from callscore.reports.run import COLUMN_SPACE, Cell, FailureGroup, evaluation_label
from callscore.reports.score import MEAN, TRIALS
from callscore.reports.styled import Indented, StyledLines, Text, diff_text
from callscore.reports.tables import NumberRow, number_table
from callscore.reports.terminal import (
    INDENT,
    PlainPage,
    Section,
    heading_line,
    indented,
    note_line,
    print_sections,
    report_width,
    scorer_value_lines,
)
from callscore.words.diff import call_lines
from callscore.words.explanation import FORBIDDEN_CALLS
from callscore.words.turns import first_wrong_text
from callscore.words.value_text import CASES, ERROR_COUNT, MORE, call_text

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.call import ToolCall
    from callscore.core.results import EvaluationResults, Result, RunResults
    from callscore.reports.history import RunRow

_SHORTEST_NAME = 8


def scorer_table(each: EvaluationResults, width: int, lang: Language) -> Text:
    """One row per scorer: the mean, how many answers pass, and what the mean must reach."""
    phrases = [MEAN, wording.PASSED]
    if any(scorer.fail_under for scorer in each.scorers):
        phrases.append(wording.REQUIRED)
    rows = []
    for scorer in each.scorers:
        cells = [
            Text(*wording.mean_cell(scorer)),
            Text(*wording.share_cell(scorer.passed, scorer.scored)),
            Text(wording.required_text(scorer), "red" if scorer.is_below else "dim"),
        ]
        rows.append(NumberRow(Text(escape(scorer.name)), cells[: len(phrases)]))
    headers = [say(phrase, lang) for phrase in phrases]
    return number_table(say(wording.SCORER, lang), headers, rows, width)


def variant_table(group: Sequence[EvaluationResults], width: int, lang: Language) -> Text | None:
    """One row per variant, one column per scorer; None if they do not fit."""
    columns = wording.variant_columns(group, lang)
    scorers = group[0].scorers
    headers = [header for header, _ in columns]
    # Other columns are left out first; then the names of scorers are broken.
    shorter = [headers[:end] for end in range(len(headers), len(scorers), -1)]
    broken = ["\n".join(re.findall(r"[^_.\s]+[_.]*|[_.]+", name)) or name for name in shorter[-1]]
    fitting = [some for some in (*shorter, broken) if _headers_fit(some, columns, width)]
    if not fitting:
        return None
    shown = fitting[0]
    rows = [
        NumberRow(
            Text(escape(each.variant or "")),
            [Text(*cells[row]) for _, cells in columns[: len(shown)]],
        )
        for row, each in enumerate(group)
    ]
    if any(scorer.fail_under for scorer in scorers):
        cells = [Text(wording.required_text(scorer), "dim") for scorer in scorers]
        rest = [Text() for _ in shown[len(scorers) :]]
        rows.append(NumberRow(Text(say(wording.REQUIRED, lang), "dim"), [*cells, *rest]))
    return number_table(say(wording.VARIANT, lang), shown, rows, width)


def _headers_fit(
    headers: Sequence[str], columns: Sequence[tuple[str, list[Cell]]], width: int
) -> bool:
    taken = _SHORTEST_NAME
    for header, (_, cells) in zip(headers, columns, strict=False):
        lines = [*header.split("\n"), *[text for text, _ in cells]]
        taken += COLUMN_SPACE + max(map(display_width, lines))
    return taken <= width


def trial_table(group: Sequence[EvaluationResults], width: int) -> Text | None:
    """The rates of repeated trials, each variant named once; None if nothing was repeated."""
    labels, rows = wording.trial_rows(group, width)
    if not rows:
        return None
    widest = max(display_width(name) for name, *_ in rows)
    start = widest + COLUMN_SPACE if widest else 0
    lines: list[NumberRow] = []
    for place, (name, kind, *rates) in enumerate(rows):
        first = "" if place % 2 else name  # pass@k, and below it pass^k
        padding = " " * (start - display_width(first))
        lines.append(NumberRow(Text(first + padding + kind), [Text(rate) for rate in rates]))
    return number_table("", labels, lines, width)


_MOST_CALLS = 20
_DETAIL_LINES = 12
_MOODS = {"good": "bold green", "bad": "bold red", "": "bold"}


def render(
    run: RunResults, *, console: Console | PlainPage, lang: Language = "en", is_quiet: bool = False
) -> None:
    """Print the report; if `is_quiet`, only the summary lines."""
    sections = [_warnings(run), _footer(run, lang)]
    print_sections(sections if is_quiet else _sections(run, report_width(console), lang), console)


def render_summary(run: RunResults, *, console: Console | PlainPage, lang: Language = "en") -> None:
    """Print the tables and the footer without the cases."""
    width = report_width(console)
    print_sections([*_table_sections(run, width, lang), _footer(run, lang)], console)


def _sections(run: RunResults, width: int, lang: Language) -> Iterator[Section]:
    yield from _table_sections(run, width, lang)
    for evaluation in run.evaluations:
        yield from [_case(run, evaluation, result, width, lang) for result in evaluation.shown]
    not_shown = sum(each.results.not_shown for each in run.evaluations)
    if not_shown:
        cases = count_of(CASES, not_shown, lang)
        yield [Text(say(wording.MORE_CASES, lang, cases=cases), "dim")]
    yield from [_failure_section(run, alike, width, lang) for alike in wording.failure_groups(run)]
    more = wording.unnamed_errors(run)
    if more:
        errors = count_of(ERROR_COUNT, more, lang)
        yield [Text(say(wording.MORE_ERRORS, lang, errors=errors), "dim")]
    for each in run.unloaded:
        line = heading_line(each.place, [Text(say(wording.UNLOADED, lang), "red")], width)
        yield [line, *_traceback(each.problem, each.details, width)]
    yield _warnings(run)
    yield _footer(run, lang)


def _warnings(run: RunResults) -> Section:
    return [note_line(escape(warning), "") for warning in run.warnings]


def _table_sections(run: RunResults, width: int, lang: Language) -> Iterator[Section]:
    for group in wording.variant_groups(run):
        yield _title(group, width, lang)
        yield _number_tables(group, width, lang)
        trials = trial_table(group, width)
        if trials is not None:
            yield [Text(say(TRIALS, lang), "bold"), trials]
        yield [note_line(*line) for line in wording.group_notes(group, lang)]
        yield from _case_lists(group, width, lang)


def _case_lists(
    group: Sequence[EvaluationResults], width: int, lang: Language
) -> Iterator[Section]:
    """One line per case of a small evaluation: the mark, the name, the score and the time."""
    for variant, headers, rows in wording.listed_rows(group, lang):
        lines = [
            NumberRow(
                Text().append(*mark).append(" " + escape(name)), [Text(*cell) for cell in cells]
            )
            for name, (mark, *cells) in rows
        ]
        label = "  " + say(wording.CASE, lang)
        title = [Text(escape(variant))] if variant else []
        yield [*title, number_table(label, headers[1:], lines, width)]


def _title(group: Sequence[EvaluationResults], width: int, lang: Language) -> Section:
    line = heading_line(group[0].name, [Text(escape(group[0].place), "dim")], width)
    return [line, Text(wording.subtitle(group, lang), "dim")]


def _number_tables(group: Sequence[EvaluationResults], width: int, lang: Language) -> Section:
    if group[0].variant is not None:
        table = variant_table(group, width, lang)
        if table is not None:
            return [table]
    section: Section = []
    for each in group:
        if each.variant is not None:
            section.append(Text(escape(each.variant)))
        section.append(scorer_table(each, width, lang))
    return section


def _case(
    run: RunResults, evaluation: EvaluationResults, result: Result, width: int, lang: Language
) -> Section:
    outcome, style = wording.OUTCOMES[result.passed]
    parts = [Text(say(outcome, lang), style)]
    trials = wording.trials_of_case(evaluation, result)
    if trials is not None:
        part, whole = trials.passed, trials.trials
        parts.append(Text(say(wording.TRIALS_PASSED, lang, part=part, whole=whole), "dim"))
    body = scorer_value_lines(result.values, evaluation.results.settings.pass_mark, width)
    score = result.score
    if score is None:
        body += _calls(result.case.actual or (), width, lang)
    else:
        wrong = first_wrong_text(score, lang)
        if wrong:
            parts.append(Text(wrong, "red"))
        if score.forbidden:
            count = count_of(FORBIDDEN_CALLS, len(score.forbidden), lang)
            parts.append(Text(count, "bold red"))
        if score.expected or score.actual:
            body.append(StyledLines(call_lines(score, width=width, lang=lang)))
        else:  # a sentence
            sentence = call_lines(score, width=width - INDENT, lang=lang)
            body.append(indented(diff_text(sentence)))
    parts.append(_label(run, evaluation))
    return [heading_line(result.label, parts, width), *body]


def _label(run: RunResults, evaluation: EvaluationResults) -> Text:
    return Text(escape(evaluation_label(run, evaluation)), "dim")


def _calls(calls: Sequence[ToolCall], width: int, lang: Language) -> Section:
    """The calls that were made, for a case without expectations."""
    room = width - INDENT
    lines = [call_text(call, limit=room) for call in calls[:_MOST_CALLS]]
    if not lines:
        lines = [say(wording.NO_CALLS, lang)]
    if len(calls) > _MOST_CALLS:
        lines.append(say(MORE, lang, count=len(calls) - _MOST_CALLS))
    return [indented(Text("\n").join([Text(line, "dim") for line in lines]))]


def _failure_section(run: RunResults, alike: FailureGroup, width: int, lang: Language) -> Section:
    names = [failure.label for failure in alike.failures]
    parts = [Text(say(wording.FAILURE_KINDS[alike.kind], lang), "red")]
    if alike.attempts > 1:
        parts.append(Text(count_of(wording.ATTEMPTS, alike.attempts, lang), "dim"))
    shown = first_names(names, len(names), lang)
    line = heading_line(shown, [*parts, _label(run, alike.evaluation)], width)
    return [line, *_traceback(alike.problem, alike.details, width)]


def _traceback(problem: str, details: str, width: int) -> Iterator[Indented]:
    """A problem, and the last lines of its traceback."""
    room = width - INDENT
    yield indented(Text("\n".join(wrap(escape(problem), room))))
    lines = [escape(line) for line in dedent(details).splitlines() if line.strip()]
    if any(display_width(line) > room for line in lines):  # carets would point at other places
        lines = [line for line in lines if line.strip(" ^~")]
    if lines:
        shown = [
            Text(part, "dim") for line in lines[-_DETAIL_LINES:] for part in _wrapped(line, room)
        ]
        yield indented(Text("\n").join(shown))


def _wrapped(line: str, room: int) -> Iterator[str]:
    """A line of a traceback, with the continuation below its start."""
    inner = line.lstrip(" ")
    start = line[: len(line) - len(inner)]
    return (start + part for part in wrap(inner, max(room - len(start), 1)))


def _footer(run: RunResults, lang: Language) -> Section:
    section: Section = [Text(say(wording.NOTHING_RUN, lang), "bold")]
    if run.evaluations:
        line = Text(", ").join(
            [Text(words, _MOODS[mood]) for words, mood in wording.verdict_parts(run, lang)]
        )
        section = [line, Text(wording.facts_line(run, lang), "dim")]
    section += [Text(line, "dim") for line in wording.judge_lines(run, lang)]
    if run.id:
        section.append(Text(say(RUN_ID, lang, id=escape(run.id)), "dim"))
    return section


def render_saved_run(
    row: RunRow, run: RunResults, *, console: Console | PlainPage, lang: Language = "en"
) -> None:
    """Print the report of a stored run, with its name, time, command and commit."""
    width = report_width(console)
    names = [history_wording.BASELINE_MARK + escape(name) for name in row.baselines]
    called = ", ".join([*names, *([escape(row.name)] if row.name else [])])
    title = heading_line(row.id, [Text(called, "cyan")], width)
    parts = [history_wording.moment_text(row.started_at, lang)]
    if row.command in history_wording.COMMANDS:
        parts.append(say(history_wording.COMMANDS[row.command], lang))
    if row.status in history_wording.STATUSES:
        parts.append(say(history_wording.STATUSES[row.status], lang))
    if row.is_partial:
        parts.append(say(history_wording.PARTIAL, lang))
    commit = history_wording.commit_text(row.git_commit, is_dirty=row.git_dirty)
    if commit:
        parts.append(f"{say(history_wording.COMMIT, lang)} {commit}")
    console.print(title, width=width)
    console.print(Text(", ".join(parts), "dim"), width=width)
    console.print()
    render(run, console=console, lang=lang)
