"""The report of one case of a run on a terminal: the input, and both sides of every trial."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, count_of, say
from callscore.core.rendering import display_width, escape, wrap
from callscore.reports import case as wording
from callscore.reports.formatting import RUN_ID
from callscore.reports.run import NO_CALLS
from callscore.reports.styled import StyledLines, Text
from callscore.reports.terminal import (
    INDENT,
    SPACE,
    PlainPage,
    Section,
    heading_line,
    indented,
    print_sections,
    report_width,
    scorer_value_lines,
)
from callscore.words.diff import call_lines
from callscore.words.explanation import FORBIDDEN_CALLS
from callscore.words.turns import first_wrong_text

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.results import Result, SavedCase


def render(
    cases: Sequence[SavedCase], *, console: Console | PlainPage, lang: Language = "en"
) -> None:
    """Print the report."""
    width = report_width(console)
    print_sections((part for case in cases for part in _sections(case, width, lang)), console)


def _sections(case: SavedCase, width: int, lang: Language) -> Iterator[Section]:
    is_repeated = len(case.trials) > 1
    yield [_title(case, width, lang), *_about(case, width, lang)]
    asked = case.case
    values = ((wording.INPUT, asked.input), (wording.METADATA, asked.metadata or None))
    for heading, value in values:
        if value is not None:
            lines = wording.text_lines(value, width - INDENT)
            yield [Text(say(heading, lang), "dim"), indented(Text("\n".join(lines)))]
    for trial in case.trials:
        head = [_trial_line(trial, width, lang)] if is_repeated else []
        yield [*head, *_trial_section(case, trial, width, lang)]


def _title(case: SavedCase, width: int, lang: Language) -> Text:
    together = wording.trials_passed_text(case, lang)
    if together:
        is_fine = all(trial.passed for trial in case.trials)
        outcome = Text(together, "green" if is_fine else "red")
    else:
        outcome = _outcome(case.trials[0], lang)
    return heading_line(case.case.id, [outcome, Text(escape(case.evaluation), "dim")], width)


def _outcome(trial: Result, lang: Language, *, is_of_trial: bool = False) -> Text:
    """The outcome of a case or one of its trials, and how many of its calls are forbidden."""
    words, style = wording.outcome_text(trial, lang, is_of_trial=is_of_trial)
    line = Text().append(words, style)
    wrong = "" if trial.score is None else first_wrong_text(trial.score, lang)
    if wrong:
        line.append(SPACE).append(wrong, "red")
    forbidden = 0 if trial.score is None else len(trial.score.forbidden)
    if forbidden:
        line.append(SPACE).append(count_of(FORBIDDEN_CALLS, forbidden, lang), "bold red")
    return line


def _about(case: SavedCase, width: int, lang: Language) -> Section:
    """The location of the case, its run, its tags, and the cost of a single trial."""
    parts = [escape(case.place)] if case.place else []
    parts.append(say(RUN_ID, lang, id=escape(case.run)))
    if case.case.tags:
        tags = ", ".join(escape(tag) for tag in case.case.tags)
        parts.append(say(wording.TAGS, lang, tags=tags))
    if len(case.trials) == 1:
        parts.append(wording.cost_text(case.trials[0], lang))
    lines = [""]
    for part in parts:
        longer = SPACE.join([lines[-1], part]) if lines[-1] else part
        if display_width(longer) <= width:
            lines[-1] = longer
        else:
            lines += wrap(part, width)
    return [Text(line, "dim") for line in lines if line]


def _trial_line(trial: Result, width: int, lang: Language) -> Text:
    line = Text().append(say(wording.TRIAL, lang, number=trial.case.trial), "bold").append(SPACE)
    line.append_text(_outcome(trial, lang, is_of_trial=True))
    cost = wording.cost_text(trial, lang)
    if cost and line.cell_len + len(SPACE) + display_width(cost) <= width:
        line.append(SPACE + cost, "dim")
    return line


def _trial_section(case: SavedCase, trial: Result, width: int, lang: Language) -> Section:
    if trial.failure is not None:
        return [indented(Text(escape(trial.failure.problem)))]
    values = scorer_value_lines(trial.values, case.pass_mark, width, longest=None)
    if trial.score is not None:
        values.append(StyledLines(call_lines(trial.score, width=width, lang=lang)))
        whole = wording.full_call_lines(trial.score, width=width, lang=lang)
        return [*values, Text(), Text("\n".join(whole), "dim")] if whole else values
    calls = wording.wrapped_calls(trial.case.actual or (), width - INDENT)
    return [*values, Text("\n".join(calls) or " " * INDENT + say(NO_CALLS, lang), "dim")]
