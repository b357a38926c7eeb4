"""The report of scored cases on a terminal: headline, totals, tables, and the cases as aligned diffs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from callscore.core.phrases import count_of, say
from callscore.core.rendering import clip_middle, display_width, escape
from callscore.reports import score as wording
from callscore.reports.formatting import CASES, MORE, metric_cells, settings_text
from callscore.reports.score import (
    CASES_SCORED,
    FIXED_TOOL_COLUMNS,
    MEAN,
    METRIC,
    METRICS,
    MOST_TRIAL_COLUMNS,
    NOT_SCORABLE,
    metric_rows,
    not_scorable_notes,
    settings_note,
    tool_columns,
    trial_table,
)
from callscore.reports.tables import Column, NumberRow, column_table, number_table, wrapped_grid
from callscore.reports.terminal import (
    SPACE,
    Section,
    note_line,
    print_sections,
    printed_text,
    report_width,
)
from callscore.words.diff import call_lines, rich_text
from callscore.words.explanation import FORBIDDEN_CALLS
from callscore.words.reasons import fault_kind_name
from callscore.words.value_text import (
    confused_tools,
    percent,
    rating,
    worst_arguments,
    worst_faults,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.table import Table

    from callscore.core.phrases import Language, Phrase
    from callscore.core.results import CaseScore, Results
    from callscore.core.summary import Summary
    from callscore.reports.score import ToolColumn

__all__ = ["render", "write_text"]

_MOST_TOOLS = 15
_MOST_ARGUMENTS = 10
_MOST_CONFUSIONS = 10
_MOST_FAULTS = 15
_NAME_WIDTH = 40
_SHORTEST_NAME = 8
_INDENT = "  "


class _Ranking(NamedTuple):
    """A table of what went wrong, worst first: columns of names, then columns of numbers."""

    heading: Phrase
    names: tuple[Phrase, ...]
    numbers: tuple[Phrase, ...]
    rows: Sequence[tuple[tuple[str, ...], tuple[Text, ...]]]
    most: int


def write_text(results: Results, *, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    return printed_text(lambda console: render(results, lang=lang, console=console))


def render(results: Results, *, console: Console, lang: Language = "en") -> None:
    """Print the report."""
    print_sections(_sections(results, report_width(console), lang), console)


def _sections(results: Results, width: int, lang: Language) -> Iterator[Section]:
    summary = results.summary
    yield _headline(results, lang)
    if summary.cases:
        yield [_rates(summary, lang)]
        yield [_totals(summary, lang)]
    notes: Section = [
        note_line(sentence, names) for sentence, names in wording.note_lines(results, lang)
    ]
    tables = [_ranking_section(ranking, width, lang) for ranking in _rankings(summary, width, lang)]
    checks = _checks(results, width, lang)
    trials = _trials(summary, width, lang)
    metrics = _metrics(results, width, lang)
    yield from (section for section in (notes, metrics, trials, *tables, checks) if section)
    for case in results.cases:
        yield _case(case, width, lang)
    if results.not_shown:
        cases = count_of(CASES, results.not_shown, lang)
        yield [Text(say(wording.MORE_CASES, lang, cases=cases), "dim")]


def _headline(results: Results, lang: Language) -> Section:
    summary = results.summary
    f1, interval = summary.macro_f1, summary.macro_f1_interval
    if f1 is None:
        return [Text(say(wording.NOTHING_SCORED, lang), "bold")]
    line = Text().append(say(wording.HEADLINE, lang, score=percent(f1)), "bold").append(SPACE)
    line.append(rating(f1, lang=lang), f"bold {_rating_colour(f1)}")
    if interval is not None:
        line.append(SPACE)
        line.append(say(wording.INTERVAL, lang, interval=wording.interval_text(interval)))
    cases = count_of(CASES, summary.cases, lang)
    return [line, Text(f"{cases}, {settings_text(results.settings, lang)}", "dim")]


def _rating_colour(score: float) -> str:
    if score >= 0.7:  # noqa: PLR2004  (from here on the rating is Good)
        return "green"
    return "yellow" if score >= 0.5 else "red"  # noqa: PLR2004  (from here on it is Moderate)


def _rates(summary: Summary, lang: Language) -> Table:
    macro = (summary.macro_f1, summary.macro_precision, summary.macro_recall)
    micro = (summary.micro_f1, summary.micro_precision, summary.micro_recall)
    rows = [
        [Text(say(label, lang)), *[Text(percent(rate)) for rate in rates if rate is not None]]
        for label, rates in ((wording.MACRO, macro), (wording.MICRO, micro))
    ]
    return _table([""], ["F1", "precision", "recall"], rows)


def _totals(summary: Summary, lang: Language) -> Table:
    interval = wording.interval_text(summary.exact_interval)
    note = say(wording.INTERVAL, lang, interval=interval)
    passed = wording.count_text(summary.passed, summary.cases, lang)
    exact = wording.count_text(summary.exact, summary.cases, lang)
    totals, counts = wording.call_counts(summary, lang)
    return wrapped_grid(
        [
            (say(wording.PASSED, lang), passed),
            (say(wording.EXACT, lang), exact + SPACE + note),
            (say(wording.CALLS, lang), totals),
            ("", counts),
        ],
        wraps_labels=True,
    )


def _trials(summary: Summary, width: int, lang: Language) -> Section:
    room = (width - len("pass@k")) // (len(SPACE) + len("0.123"))
    labels, rows = trial_table(summary, most=min(room, MOST_TRIAL_COLUMNS))
    if not rows:
        return []
    table = _table([""], labels, [[Text(cell) for cell in row] for row in rows])
    return [_heading(wording.TRIALS, lang), table]


def _rankings(summary: Summary, width: int, lang: Language) -> tuple[_Ranking, ...]:
    names, columns = tool_columns(summary)
    # What seldom stands there gives way first: it is said elsewhere, too.
    while len(columns) > FIXED_TOOL_COLUMNS and not _columns_fit(columns, width, lang):
        columns.pop()
    tools = [
        ((tool,), tuple(_count(column.counts[row], column.colour) for column in columns))
        for row, tool in enumerate(names)
    ]
    confusions = [
        ((expected, called), (_count(count),))
        for expected, called, count in confused_tools(summary)
        if expected is not None and called is not None
    ]
    arguments = [
        ((tool, argument), (_count(count),)) for tool, argument, count in worst_arguments(summary)
    ]
    counts = tuple(column.label for column in columns)
    times = (wording.TIMES,)
    return (
        _Ranking(wording.TOOLS, (wording.TOOL,), counts, tools, _MOST_TOOLS),
        _Ranking(
            wording.CONFUSED_TOOLS,
            (wording.EXPECTED, wording.CALLED),
            times,
            confusions,
            _MOST_CONFUSIONS,
        ),
        _Ranking(
            wording.WRONG_ARGUMENTS,
            (wording.TOOL, wording.ARGUMENT),
            times,
            arguments,
            _MOST_ARGUMENTS,
        ),
    )


def _columns_fit(columns: list[ToolColumn], width: int, lang: Language) -> bool:
    """Whether the columns leave room for the names, however close they stand."""
    labels = sum(_label_width(_stacked_label(column.label, lang)) + 1 for column in columns)
    return labels + _SHORTEST_NAME <= width


def _stacked_label(phrase: Phrase, lang: Language) -> str:
    """What stands above numbers, one word a line."""
    return "\n".join(say(phrase, lang).split())


def _label_width(label: str) -> int:
    return max(map(len, label.split("\n")))


def _checks(results: Results, width: int, lang: Language) -> Section:
    """The results of schema checks; nothing where there are no schemas."""
    summary = results.summary
    if not summary.checked_calls:
        return []
    valid = wording.count_text(summary.valid_calls, summary.checked_calls, lang)
    line = Text(f"{say(wording.VALID_CALLS, lang)}{SPACE}{valid}")
    rows = [
        ((tool, fault_kind_name(kind, lang=lang)), (_count(count),))
        for tool, kind, count in worst_faults(summary)
    ]
    names = (wording.TOOL, wording.FAILURE)
    ranking = _Ranking(wording.CHECKS, names, (wording.TIMES,), rows, _MOST_FAULTS)
    heading, *table = _ranking_section(ranking, width, lang) or [_heading(wording.CHECKS, lang)]
    where = wording.check_hint(results, lang)
    return [heading, line, *table, *([] if where is None else [Text(where, "dim")])]


def _metrics(results: Results, width: int, lang: Language) -> Section:
    """The metrics of other tools; nothing where none was asked for."""
    rows = [
        NumberRow(
            Text(escape(row.name)),
            [Text(row.mean), _count(row.scored), _count(row.not_scorable, "yellow")],
        )
        for row in metric_rows(results, lang)
    ]
    if not rows:
        return []
    labels = (MEAN, CASES_SCORED, NOT_SCORABLE)
    numbers = [_stacked_label(label, lang) for label in labels]
    table = number_table(say(METRIC, lang), numbers, rows, width)
    reasons = [note_line(*line) for line in not_scorable_notes(results.metrics, lang)]
    settings = settings_note(results, lang)
    footnote = [] if settings is None else [Text(settings, "dim")]
    return [_heading(METRICS, lang), table, *reasons, *footnote]


def _heading(phrase: Phrase, lang: Language) -> Text:
    return Text(say(phrase, lang), "bold")


def _count(count: int, colour: str = "") -> Text:
    return Text(str(count), colour if count else "dim")


def _ranking_section(ranking: _Ranking, width: int, lang: Language) -> Section:
    if not ranking.rows:
        return []
    names = [say(label, lang) for label in ranking.names]
    numbers = [_stacked_label(label, lang) for label in ranking.numbers]
    # On a narrow terminal it is the names that give way, never the numbers.
    space, room = _space_and_room(width - sum(map(_label_width, numbers)), len(names), len(numbers))
    rows = [
        [*[Text(clip_middle(escape(name), min(room, _NAME_WIDTH))) for name in row_names], *counts]
        for row_names, counts in ranking.rows[: ranking.most]
    ]
    section: Section = [_heading(ranking.heading, lang), _table(names, numbers, rows, space)]
    more = len(ranking.rows) - ranking.most
    if more > 0:
        section.append(Text(say(MORE, lang, count=more), "dim"))
    return section


def _space_and_room(free: int, names: int, numbers: int) -> tuple[int, int]:
    """How much space to leave between columns, and how much room there is for each name."""
    room = 0
    for space in range(len(SPACE), 0, -1):
        room = (free - space * (names + numbers - 1)) // names
        if room >= _SHORTEST_NAME:
            return space, room
    return 1, max(room, 1)


def _case(case: CaseScore, width: int, lang: Language) -> Section:
    score = case.score
    line = Text().append(clip_middle(escape(case.label), width // 2), "bold").append(SPACE)
    line.append(f"{percent(score.f1)} {rating(score.f1, lang=lang)}", _rating_colour(score.f1))
    if score.forbidden:
        forbidden = count_of(FORBIDDEN_CALLS, len(score.forbidden), lang)
        line.append(SPACE).append(forbidden, "bold red")
    rates = f"precision {percent(score.precision)}, recall {percent(score.recall)}"
    line.append(SPACE).append(rates, "dim")
    return [line, *_values(case, width), rich_text(call_lines(score, width=width, lang=lang))]


def _values(case: CaseScore, width: int) -> Section:
    """The metrics of other tools for a case, in as few lines as possible."""
    if not case.metrics:
        return []
    lines = Text()
    for number, cells in enumerate(metric_cells(case.metrics, width - len(_INDENT))):
        lines.append("\n" if number else "")
        for position, (value, name) in enumerate(cells):
            has_room = len(_INDENT) + len(value) + 1 + display_width(name) <= width
            between = " " if has_room else f"\n{_INDENT}"
            lines.append(SPACE if position else _INDENT).append(value + between).append(name, "dim")
    return [lines]


def _table(
    names: list[str], numbers: list[str], rows: Sequence[Sequence[Text]], space: int = len(SPACE)
) -> Table:
    """Columns of names, and columns of numbers aligned to the right."""
    columns = zip([*names, *numbers], zip(*rows, strict=True), strict=True)
    return column_table(
        [
            Column(header, cells, is_left=place < len(names))
            for place, (header, cells) in enumerate(columns)
        ],
        space=space,
    )
