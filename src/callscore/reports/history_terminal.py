"""The runs and the baselines of a history on a terminal: one table per evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.core.rendering import clip, clip_middle, display_width, escape
from callscore.reports import history as wording
from callscore.reports.formatting import NO_NUMBER, UNLIMITED_WIDTH, file_width
from callscore.reports.styled import Text
from callscore.reports.tables import Column, column_lines
from callscore.reports.terminal import SPACE, PlainPage, print_sections, report_width
from callscore.words.value_text import ERROR_COUNT, UNREADABLE_COUNT, decimal, percent, sparkline

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.reports.history import BaselineRow, Direction, RunRow, Step, Timeline

_SPACES = (3, 2)
_MOST_BARS = 40
_SHORTEST_NOTE = 16
_NO_ARROW = "  "
_ARROWS: dict[Direction, tuple[str, str]] = {
    "up": ("▲", "green"),
    "down": ("▼", "red"),
    "same": ("=", "dim"),
}


class History(NamedTuple):
    """The runs to show, and how they were selected.

    Attributes:
        tag: the tag of the cases that are counted; None for all cases.
        keyword: the keyword expression that selected evaluations; empty for all of them.
        has_more: whether there are older runs.
        without_tags: how many runs are left out, since how their cases with the tag went is not saved.
        now: the time in seconds since 1970; None for the current time.
    """

    timelines: Sequence[Timeline]
    tag: str | None = None
    keyword: str = ""
    has_more: bool = False
    without_tags: int = 0
    now: float | None = None


def write_text(history: History, *, lang: Language = "en") -> str:
    """The report as plain text, for a file: nothing is cut, unless COLUMNS says how wide it is."""
    sections = _sections(history, file_width(UNLIMITED_WIDTH), lang)
    blocks = ["\n".join([part.plain for part in section]) for section in sections]
    return "\n\n".join(blocks) + "\n"


def render(history: History, *, console: Console | PlainPage, lang: Language = "en") -> None:
    """Print the report."""
    print_sections(([*part] for part in _sections(history, report_width(console), lang)), console)


def _sections(history: History, width: int, lang: Language) -> Iterator[list[Text]]:
    tag = None if history.tag is None else escape(history.tag)
    if not history.timelines:
        nothing = wording.NONE_YET if tag is None else wording.NONE_YET_TAGGED
        nothing = wording.NONE_MATCH if history.keyword else nothing
        yield [Text(say(nothing, lang, tag=tag, words=escape(history.keyword)))]
        yield from _left_out(history, width, lang)
        return
    if tag is not None:
        yield [Text(say(wording.TAGGED, lang, tag=clip(tag, width // 2)), "dim")]
    tables = _tables(history, width, lang)
    for timeline, table in zip(history.timelines, tables, strict=True):
        yield [_title(timeline, width, lang), table]
    steps = [step for timeline in history.timelines for step in timeline.steps]
    if any(step.has_other_cases for step in steps):
        yield [Text(line, "dim") for line in wrap(say(wording.OTHER_CASES, lang), width)]
    yield from _left_out(history, width, lang)
    if history.has_more:
        yield [Text(say(wording.MORE_RUNS, lang), "dim")]


def _left_out(history: History, width: int, lang: Language) -> Iterator[list[Text]]:
    if history.without_tags:
        runs = count_of(wording.RUN_COUNT, history.without_tags, lang)
        sentence = say(wording.UNKNOWN_TAGS, lang, runs=runs)
        yield [Text(line, "dim") for line in wrap(sentence, width)]


def _title(timeline: Timeline, width: int, lang: Language) -> Text:
    """The evaluation, the shares of its runs as a line of bars, and its file."""
    shares = timeline.shares[-_MOST_BARS:]
    line, ends, taken = "", "", 0
    if len(shares) > 1:
        line = sparkline(shares)
        low, high = percent(min(shares)), percent(max(shares))
        ends = low if low == high else f"{low} – {high}"
        taken = len(SPACE) + len(line) + len(SPACE) + len(ends)
    label = escape(timeline.label) or say(wording.NOTHING_EVALUATED, lang)
    title = Text().append(clip_middle(label, max(width - taken, width // 3)), "bold")
    if line and title.cell_len + taken <= width:
        title.append(SPACE).append(line, "cyan").append(SPACE).append(ends, "dim")
    place = escape(timeline.place)
    room = width - title.cell_len - len(SPACE)
    if place and room >= min(display_width(place), _SHORTEST_NOTE):
        title.append(SPACE).append(clip_middle(place, room), "dim")
    return title


def _tables(history: History, width: int, lang: Language) -> list[Text]:
    """One table per timeline, all with the same columns."""
    steps = [step for timeline in history.timelines for step in timeline.steps]
    notes = Column("", [_notes_cell(step.row, lang) for step in steps], is_left=True)
    chosen, space = _columns_that_fit(_columns(steps, lang, history.now), notes, width)
    rest = width - sum(column.width + space for column in chosen)
    if notes.width and rest > 0:
        for note in notes.cells:
            note.truncate(rest)
        chosen.append(notes)
    header, *rows = column_lines(chosen, space=space)
    tables: list[Text] = []
    for timeline in history.timelines:
        count = len(timeline.steps)
        tables.append(Text("\n").join([header, *rows[:count]]))
        rows = rows[count:]
    return tables


def _columns(steps: Sequence[Step], lang: Language, now: float | None) -> list[tuple[int, Column]]:
    """The columns from left to right, each with its rank: the highest is left out first, 0 never."""
    rows = [step.row for step in steps]
    times = [wording.moment_cell(row.started_at, lang, now=now) for row in rows]
    intervals = [wording.share_interval_text(row.interval) for row in rows]
    f1 = [Text("" if row.f1 is None else decimal(row.f1)) for row in rows]
    # Trials are shown only where there are several per case.
    has_trials = any(row.trials > row.cases for row in rows)
    trials = [str(row.trials) if has_trials else "" for row in rows]
    found = [
        (0, Column(say(wording.RUN, lang), [Text(escape(row.id)) for row in rows], is_left=True)),
        (3, _dim_column(wording.WHEN, times, lang)),
        (0, Column(say(wording.PASSED, lang) + _NO_ARROW, [_passed_cell(step) for step in steps])),
        (1, _dim_column(wording.INTERVAL, intervals, lang)),
        (5, Column(say(wording.F1, lang), f1)),
        (2, _dim_column(wording.CASE_COUNT, [str(row.cases) for row in rows], lang)),
        (2, _dim_column(wording.TRIAL_COUNT, trials, lang)),
        (4, _commit_column(rows, lang)),
    ]
    return [(rank, column) for rank, column in found if any(cell.plain for cell in column.cells)]


def _dim_column(label: Phrase, cells: Sequence[str], lang: Language) -> Column:
    return Column(say(label, lang), [Text(cell, "dim") for cell in cells])


def _commit_column(rows: Sequence[RunRow | BaselineRow], lang: Language) -> Column:
    commits = [wording.commit_text(row.git_commit, is_dirty=row.git_dirty) for row in rows]
    return _dim_column(wording.COMMIT, commits, lang)._replace(is_left=True)


def _columns_that_fit(
    columns: Sequence[tuple[int, Column]], notes: Column, width: int
) -> tuple[list[Column], int]:
    """The columns that fit beside the notes, and the space between them."""
    needed = min(notes.width, _SHORTEST_NOTE)
    ranks = sorted({rank for rank, _ in columns}, reverse=True)
    for most in ranks:
        shown = [column for rank, column in columns if rank <= most]
        gaps = len(shown) if needed else len(shown) - 1
        taken = sum(column.width for column in shown) + needed
        for space in _SPACES:
            if taken + space * gaps <= width:
                return shown, space
    return [column for rank, column in columns if rank == ranks[-1]], 1


def _passed_cell(step: Step) -> Text:
    """The share of cases that pass, and the direction; bright if it left the interval."""
    share = step.row.share
    known = NO_NUMBER if share is None else percent(share)
    cell = Text().append(known, "dim" if share is None else "bold")
    if step.has_other_cases:
        return cell.append(" ").append("≠", "dim")
    if step.direction is None:
        return cell.append(_NO_ARROW)
    arrow, style = _ARROWS[step.direction]
    return cell.append(" ").append(arrow, style if step.is_outside else "dim")


def _notes_cell(row: RunRow, lang: Language) -> Text:
    """The names of a run, and everything unusual about it."""
    parts = [Text(wording.BASELINE_MARK + escape(name), "cyan") for name in row.baselines]
    if row.status in wording.STATUSES:
        parts.append(Text(say(wording.STATUSES[row.status], lang), "yellow"))
    if row.errors:
        parts.append(Text(count_of(ERROR_COUNT, row.errors, lang), "red"))
    if row.unreadable:
        parts.append(Text(count_of(UNREADABLE_COUNT, row.unreadable, lang), "red"))
    if row.name:
        parts.append(Text(escape(row.name)))
    if row.command in wording.COMMANDS:
        parts.append(Text(say(wording.COMMANDS[row.command], lang), "dim"))
    if row.is_partial:
        parts.append(Text(say(wording.PARTIAL, lang), "dim"))
    if row.saved_cases in wording.SAVED_CASES:
        parts.append(Text(say(wording.SAVED_CASES[row.saved_cases], lang), "dim"))
    return Text(", ").join(parts)


_BASELINE_LABEL = Phrase("baseline", "базовый")
_SET_LABEL = Phrase("set", "задан")


def render_baselines(
    found: Sequence[BaselineRow], *, console: Console | PlainPage, lang: Language = "en"
) -> None:
    """Print the list."""
    width = report_width(console)
    names = [
        Text(wording.BASELINE_MARK + clip_middle(escape(each.name), width // 3), "cyan")
        for each in found
    ]
    started = [wording.moment_cell(each.started_at, lang) for each in found]
    columns = [
        Column(say(_BASELINE_LABEL, lang), names, is_left=True),
        Column(say(wording.RUN, lang), [Text(escape(each.run)) for each in found], is_left=True),
        _dim_column(wording.WHEN, started, lang),
        _commit_column(found, lang),
        _dim_column(_SET_LABEL, [wording.moment_cell(each.set_at, lang) for each in found], lang),
    ]
    shown = [column for column in columns if any(cell.plain for cell in column.cells)]
    while len(shown) > 1 and sum(column.width + 3 for column in shown) - 3 > width:
        shown.pop()
    print_sections([list(column_lines(shown))], console)
