"""What a run gave, for people: a table an evaluation, failing cases as diffs, errors, a footer."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.call_text import call_text
from callscore.core.counted_text import FORBIDDEN_CALLS
from callscore.core.diff import call_lines, rich_text
from callscore.core.results import CaseScore
from callscore.core.text import clip_middle, display_width, escape
from callscore.core.wording import count_of, say
from callscore.reports import run_wording as wording
from callscore.reports import wording as score_wording
from callscore.reports.run_notes import group_notes
from callscore.reports.run_parts import (
    errors_in,
    groups_in,
    label_in,
    shown_in,
    trials_of,
    unnamed_errors,
)
from callscore.reports.run_tables import scorer_table, trial_table, variant_table
from callscore.reports.scorer_values import value_lines
from callscore.reports.sections import (
    INDENT,
    SPACE,
    Section,
    indented,
    note_line,
    print_sections,
    width_of,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.padding import Padding

    from callscore.core.run import CaseValues, EvaluationResults, RunResults, Unloaded
    from callscore.core.wording import Language
    from callscore.reports.run_parts import Alike, Shown

__all__ = ["render", "render_summary", "write"]

_MOST_CALLS = 20
_DETAIL_LINES = 12
_MOODS = {"good": "bold green", "bad": "bold red", "": "bold"}
_OUTCOMES = {
    True: (wording.HAS_PASSED, "green"),
    False: (wording.HAS_FAILED, "red"),
    None: (wording.HAS_NO_NUMBER, "dim"),
}


def write(run: RunResults, *, lang: Language = "en", is_past: bool = False) -> str:
    """The report as plain text, for a file."""
    return written(lambda console: render(run, lang=lang, console=console, is_past=is_past))


def render(
    run: RunResults, *, console: Console, lang: Language = "en", is_past: bool = False
) -> None:
    """Print the report.

    Args:
        run: what the run gave.
        console: where to print it.
        lang: the language.
        is_past: whether the run is long over, so that nothing need be said of its exit code.
    """
    hint = [] if is_past else _hint(run, lang)
    print_sections(_sections(run, hint, width_of(console), lang), console)


def render_summary(run: RunResults, *, console: Console, lang: Language = "en") -> None:
    """Print the tables and the footer alone, where the cases are shown elsewhere."""
    width = width_of(console)
    print_sections([*_tables(run, width, lang), _footer(run, lang)], console)


def _sections(run: RunResults, hint: Section, width: int, lang: Language) -> Iterator[Section]:
    yield from _tables(run, width, lang)
    yield from [_case(run, shown, width, lang) for shown in shown_in(run)]
    not_shown = sum(each.results.not_shown for each in run.evaluations)
    if not_shown:
        cases = count_of(score_wording.CASES, not_shown, lang)
        yield [Text(say(wording.MORE_CASES, lang, cases=cases), "dim")]
    yield from [_error(run, alike, width, lang) for alike in errors_in(run)]
    more = unnamed_errors(run.evaluations)
    if more:
        errors = count_of(wording.ERROR_COUNT, more, lang)
        yield [Text(say(wording.MORE_ERRORS, lang, errors=errors), "dim")]
    yield from [_unloaded(each, width, lang) for each in run.unloaded]
    if run.warnings:
        yield [note_line(escape(warning), "") for warning in run.warnings]
    yield [*_footer(run, lang), *hint]


def _heading(text: str) -> Text:
    return Text(text, "bold")


def _tables(run: RunResults, width: int, lang: Language) -> Iterator[Section]:
    for group in groups_in(run):
        yield _title(group, width, lang)
        yield _numbers(group, width, lang)
        trials = trial_table(group, width)
        if trials is not None:
            yield [_heading(say(score_wording.TRIALS, lang)), trials]
        notes: Section = [note_line(*line) for line in group_notes(group, lang)]
        if notes:
            yield notes


def _title(group: Sequence[EvaluationResults], width: int, lang: Language) -> Section:
    name, place = escape(group[0].name), escape(group[0].place)
    line = Text().append(clip_middle(name, width), "bold")
    room = width - line.cell_len - len(SPACE)
    if place and room >= display_width(place):
        line.append(SPACE + place, "dim")
    elif place:
        line.append("\n" + clip_middle(place, width), "dim")
    return [line, Text(wording.subtitle(group, lang), "dim")]


def _numbers(group: Sequence[EvaluationResults], width: int, lang: Language) -> Section:
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


def _case(run: RunResults, shown: Shown, width: int, lang: Language) -> Section:
    case, at_least = shown.case, shown.evaluation.results.settings.at_least
    outcome, style = _OUTCOMES[shown.passed]
    words = Text().append(say(outcome, lang), style)
    trials = trials_of(shown)
    if trials is not None:
        words.append(SPACE).append(
            say(wording.TRIALS_PASSED, lang, part=trials.passed, whole=trials.trials), "dim"
        )
    if isinstance(case, CaseScore):
        if case.score.forbidden:
            count = count_of(FORBIDDEN_CALLS, len(case.score.forbidden), lang)
            words.append(SPACE).append(count, "bold red")
        body = [*value_lines(case.metrics, at_least, width), _both_sides(case, width, lang)]
    else:
        body = [*value_lines(case.values, at_least, width), *_calls(case, width, lang)]
    return [_first_line(case.label, words, label_in(run, shown.evaluation), width), *body]


def _both_sides(case: CaseScore, width: int, lang: Language) -> Text | Padding:
    """The calls that were expected, and those that were made; a sentence where there are none."""
    if case.score.expected or case.score.actual:
        return rich_text(call_lines(case.score, width=width, lang=lang))
    return indented(rich_text(call_lines(case.score, width=width - INDENT, lang=lang)))


def _first_line(name: str, words: Text, label: str, width: int) -> Text:
    """What it is about, what became of it, and where there are several whose it is."""
    line = Text().append(clip_middle(escape(name), width // 2), "bold")
    line.append(SPACE).append_text(words)
    room = width - line.cell_len - len(SPACE)
    if label and room > 0:
        line.append(SPACE + clip_middle(escape(label), room), "dim")
    return line


def _calls(case: CaseValues, width: int, lang: Language) -> Section:
    """The calls that were made, where nobody said which are expected."""
    room = width - INDENT
    lines = [call_text(call, limit=room) for call in case.calls[:_MOST_CALLS]]
    if not lines:
        lines = [say(wording.NO_CALLS, lang)]
    if len(case.calls) > _MOST_CALLS:
        lines.append(say(score_wording.MORE, lang, count=len(case.calls) - _MOST_CALLS))
    return [indented(Text("\n").join([Text(line, "dim") for line in lines]))]


def _error(run: RunResults, alike: Alike, width: int, lang: Language) -> Section:
    names = [failure.label for failure in alike.failures]
    words = Text().append(say(wording.KINDS[alike.kind], lang), "red")
    if alike.attempts > 1:
        words.append(SPACE + count_of(wording.ATTEMPTS, alike.attempts, lang), "dim")
    shown = score_wording.first_names(names, len(names), lang)
    line = _first_line(shown, words, label_in(run, alike.evaluation), width)
    return [line, indented(Text(escape(alike.problem))), *_details(alike.details)]


def _details(details: str) -> Section:
    """The end of a traceback, line by line."""
    lines = [escape(line) for line in dedent(details).splitlines() if line.strip()]
    lines = lines[-_DETAIL_LINES:]
    return [indented(Text("\n").join([Text(line, "dim") for line in lines]))] if lines else []


def _unloaded(each: Unloaded, width: int, lang: Language) -> Section:
    line = _first_line(each.place, Text(say(wording.UNLOADED, lang), "red"), "", width)
    return [line, indented(Text(escape(each.problem))), *_details(each.details)]


def _footer(run: RunResults, lang: Language) -> Section:
    section: Section = [_heading(say(wording.NOTHING_RUN, lang))]
    if run.evaluations:
        line = Text(", ").join(
            [Text(words, _MOODS[mood]) for words, mood in wording.verdict(run, lang)]
        )
        section = [line, Text(wording.facts(run, lang), "dim")]
    section += [Text(line, "dim") for line in wording.judge_lines(run, lang)]
    if run.id:
        section.append(Text(say(wording.RUN, lang, id=escape(run.id)), "dim"))
    return section


def _hint(run: RunResults, lang: Language) -> Section:
    hint = wording.gate_hint(run, lang)
    return [] if hint is None else [Text(hint, "dim")]
