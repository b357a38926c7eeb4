"""The runs and the baselines of a history on a terminal: one table for each evaluation."""

# ruff: noqa: RUF001  (en dashes are meant)

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from callscore.core.phrases import Phrase, count_of, say
from callscore.core.rendering import clip, clip_middle, display_width, escape
from callscore.reports import history as wording
from callscore.reports.formatting import ERROR_COUNT, NO_NUMBER
from callscore.reports.tables import Column, column_lines
from callscore.reports.terminal import SPACE, Section, print_sections, printed_text, report_width
from callscore.words.value_text import decimal, percent, sparkline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from callscore.core.phrases import Language
    from callscore.reports.history import BaselineRow, Direction, RunRow, Step, Timeline

__all__ = ["History", "render", "render_baselines", "write_baselines", "write_text"]


# The runs: one table for each thing that was evaluated.

_SPACES = (3, 2)
_MOST_BARS = 40
_SHORTEST_NOTE = 16
# Wider than any table.
_UNLIMITED_WIDTH = 1_000_000
_NO_ARROW = "  "
_OTHER_CASES_MARK = ("≠", "dim")
_ARROWS: dict[Direction, tuple[str, str]] = {
    "up": ("▲", "green"),
    "down": ("▼", "red"),
    "same": ("=", "dim"),
}


class History(NamedTuple):
    """What to show.

    Attributes:
        timelines: the runs, by what they evaluated.
        tag: the tag of the cases that are counted; None for all cases.
        keyword: the words by which evaluations were chosen; empty for all of them.
        has_more: whether there are older runs.
        now: the time, in seconds since 1970; None for the time now.
    """

    timelines: Sequence[Timeline]
    tag: str | None = None
    keyword: str = ""
    has_more: bool = False
    now: float | None = None


def write_text(history: History, *, lang: Language = "en") -> str:
    """The report as plain text, for a file: nothing is cut, however long it is."""
    sections = _sections(history, _UNLIMITED_WIDTH, lang)
    blocks = ["\n".join([part.plain for part in section]) for section in sections]
    return "\n\n".join(blocks) + "\n"


def render(history: History, *, console: Console, lang: Language = "en") -> None:
    """Print the report."""
    sections: list[Section] = [[*part] for part in _sections(history, report_width(console), lang)]
    print_sections(sections, console)


def _sections(history: History, width: int, lang: Language) -> Iterator[list[Text]]:
    tag = None if history.tag is None else escape(history.tag)
    if not history.timelines:
        nothing = wording.NONE_YET if tag is None else wording.NONE_YET_TAGGED
        nothing = wording.NONE_MATCH if history.keyword else nothing
        yield [Text(say(nothing, lang, tag=tag, words=escape(history.keyword)))]
        return
    if tag is not None:
        yield [Text(say(wording.TAGGED, lang, tag=clip(tag, width // 2)), "dim")]
    tables = _tables(history, width, lang)
    for timeline, table in zip(history.timelines, tables, strict=True):
        yield [_title(timeline, width, lang), table]
    steps = [step for timeline in history.timelines for step in timeline.steps]
    if any(step.has_other_cases for step in steps):
        yield [Text(line, "dim") for line in wrap(say(wording.OTHER_CASES, lang), width)]
    if history.has_more:
        yield [Text(say(wording.MORE_RUNS, lang), "dim")]


def _title(timeline: Timeline, width: int, lang: Language) -> Text:
    """What was evaluated, and how it went so far as a line of bars."""
    shares = timeline.shares[-_MOST_BARS:]
    line = sparkline(shares) if len(shares) > 1 else ""
    ends = _range_text(shares) if line else ""
    taken = len(SPACE) + len(line) + len(SPACE) + len(ends) if line else 0
    label = escape(timeline.label) or say(wording.NOTHING_EVALUATED, lang)
    title = Text().append(clip_middle(label, max(width - taken, width // 3)), "bold")
    if line and title.cell_len + taken <= width:
        title.append(SPACE).append(line, "cyan").append(SPACE).append(ends, "dim")
    place = escape(timeline.place)
    room = width - title.cell_len - len(SPACE)
    if place and room >= min(display_width(place), _SHORTEST_NOTE):
        title.append(SPACE).append(clip_middle(place, room), "dim")
    return title


def _range_text(shares: Sequence[float]) -> str:
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} – {high}"


def _tables(history: History, width: int, lang: Language) -> list[Text]:
    """A table for each timeline; all have the same columns, so that the eye finds them."""
    steps = [step for timeline in history.timelines for step in timeline.steps]
    notes = Column("", [_notes_cell(step.row, lang) for step in steps], is_left=True)
    chosen, space = _columns_that_fit(_columns(steps, lang, history.now), notes, width)
    rest = width - sum(column.width + space for column in chosen)
    if notes.width and rest > 0:
        chosen.append(Column("", [_clipped(note, rest) for note in notes.cells], is_left=True))
    header, *rows = column_lines(chosen, space=space)
    tables: list[Text] = []
    for timeline in history.timelines:
        count = len(timeline.steps)
        tables.append(Text("\n").join([header, *rows[:count]]))
        rows = rows[count:]
    return tables


def _columns(steps: Sequence[Step], lang: Language, now: float | None) -> list[tuple[int, Column]]:
    """The columns from left to right, each with how soon it gives way; 0 never does."""
    rows = [step.row for step in steps]
    names = [Text(escape(row.id)) for row in rows]
    times = [Text(wording.moment_cell(row.started_at, lang, now=now), "dim") for row in rows]
    f1 = [Text("" if row.f1 is None else decimal(row.f1)) for row in rows]
    commits = [
        Text(wording.commit_text(row.git_commit, is_dirty=row.git_dirty), "dim") for row in rows
    ]
    intervals = [Text(wording.share_interval_text(row.interval), "dim") for row in rows]
    cases = [Text(str(row.cases), "dim") for row in rows]
    found = [
        (0, Column(say(wording.RUN, lang), names, is_left=True)),
        (3, Column(say(wording.WHEN, lang), times)),
        (0, Column(say(wording.PASSED, lang) + _NO_ARROW, [_passed_cell(step) for step in steps])),
        (1, Column(say(wording.INTERVAL, lang), intervals)),
        (5, Column(say(wording.F1, lang), f1)),
        (2, Column(say(wording.CASE_COUNT, lang), cases)),
        (4, Column(say(wording.COMMIT, lang), commits, is_left=True)),
    ]
    return [(rank, column) for rank, column in found if any(cell.plain for cell in column.cells)]


def _columns_that_fit(
    columns: Sequence[tuple[int, Column]], notes: Column, width: int
) -> tuple[list[Column], int]:
    """The columns that there is room for beside the notes, and how far apart they stand."""
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
    """The share of cases that pass, and where it went; bright where that is no small step."""
    share = step.row.share
    known = NO_NUMBER if share is None else percent(share)
    cell = Text().append(known, "dim" if share is None else "bold")
    if step.has_other_cases:
        return cell.append(" ").append(*_OTHER_CASES_MARK)
    if step.direction is None:
        return cell.append(_NO_ARROW)
    arrow, style = _ARROWS[step.direction]
    return cell.append(" ").append(arrow, style if step.is_outside else "dim")


def _notes_cell(row: RunRow, lang: Language) -> Text:
    """What a run is called, and what is unusual about it."""
    parts = [Text(wording.BASELINE_MARK + escape(name), "cyan") for name in row.baselines]
    if row.status in wording.STATUSES:
        parts.append(Text(say(wording.STATUSES[row.status], lang), "yellow"))
    if row.errors:
        parts.append(Text(count_of(ERROR_COUNT, row.errors, lang), "red"))
    if row.name:
        parts.append(Text(escape(row.name)))
    if row.command in wording.COMMANDS:
        parts.append(Text(say(wording.COMMANDS[row.command], lang), "dim"))
    if row.is_partial:
        parts.append(Text(say(wording.PARTIAL, lang), "dim"))
    return Text(", ").join(parts)


def _clipped(note: Text, room: int) -> Text:
    if note.cell_len <= room:
        return note
    shorter = note.copy()
    shorter.truncate(room, overflow="ellipsis")
    return shorter


# The baselines.

_BASELINE_LABEL = Phrase("baseline", "базовый")
_SET_LABEL = Phrase("set", "задан")


def write_baselines(found: Sequence[BaselineRow], *, lang: Language = "en") -> str:
    """The list as plain text, for a file."""
    return printed_text(lambda console: render_baselines(found, lang=lang, console=console))


def render_baselines(
    found: Sequence[BaselineRow], *, console: Console, lang: Language = "en"
) -> None:
    """Print the list."""
    width = report_width(console)
    names = [
        Text(wording.BASELINE_MARK + clip_middle(escape(each.name), width // 3), "cyan")
        for each in found
    ]
    runs = [Text(escape(each.run)) for each in found]
    columns = [
        Column(say(_BASELINE_LABEL, lang), names, is_left=True),
        Column(say(wording.RUN, lang), runs, is_left=True),
        Column(
            say(wording.WHEN, lang),
            [Text(wording.moment_cell(each.started_at, lang), "dim") for each in found],
        ),
        Column(
            say(wording.COMMIT, lang),
            [
                Text(wording.commit_text(each.git_commit, is_dirty=each.git_dirty), "dim")
                for each in found
            ],
            is_left=True,
        ),
        Column(
            say(_SET_LABEL, lang),
            [Text(wording.moment_cell(each.set_at, lang), "dim") for each in found],
        ),
    ]
    shown = [column for column in columns if any(cell.plain for cell in column.cells)]
    while len(shown) > 1 and sum(column.width + 3 for column in shown) - 3 > width:
        shown.pop()
    print_sections([list(column_lines(shown))], console)
