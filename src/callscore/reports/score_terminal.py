"""The report of scored cases on a terminal: headline, totals, tables, and the cases as diffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, Phrase, count_of, say
from callscore.core.rendering import EMPTY_NAME, clip_middle, display_width, escape, short_names
from callscore.reports import score as wording
from callscore.reports.case_by_case import CaseFormat, ShownCases
from callscore.reports.formatting import INTERVAL_TEXT, metric_cells, scored_noun, settings_text
from callscore.reports.score import FIXED_TOOL_COLUMNS, METRICS, MOST_TRIAL_COLUMNS, Ranking
from callscore.reports.styled import StyledLines, Text
from callscore.reports.tables import (
    Column,
    ColumnTable,
    NumberRow,
    column_table,
    header_width,
    number_table,
    stacked_words,
    wrapped_grid,
)
from callscore.reports.terminal import (
    SPACE,
    PlainPage,
    Section,
    heading_line,
    note_line,
    print_sections,
    printed_text,
    report_width,
)
from callscore.words.diff import call_lines
from callscore.words.explanation import FORBIDDEN_CALLS
from callscore.words.look_alikes import look_alike_lines
from callscore.words.turns import first_wrong_text
from callscore.words.value_text import GOOD, MORE, percent, rating_of, shown_rating

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.results import Result, Results
    from callscore.core.summary import Summary

_NAME_WIDTH = 40
_LONGEST_NAME = 400
_SHORTEST_NAME = 8
_INDENT = "  "


def render(results: Results, *, console: Console | PlainPage, lang: Language = "en") -> None:
    """Print the report."""
    print_sections(_sections(results, report_width(console), lang), console)


def _case_text(case: Result, lang: Language) -> bytes:
    """A case in a file or a pipe."""

    def print_case(*, console: PlainPage) -> None:
        print_sections([_case(case, case.label, report_width(console), lang)], console)

    return printed_text(print_case).encode()


def _around(results: Results, shown: ShownCases, lang: Language) -> tuple[str, str]:
    def print_before(*, console: PlainPage) -> None:
        width = report_width(console)
        incomplete = _incomplete_section(results, lang)
        sections = _sections_before(results, shown.faults, width, lang)
        print_sections([incomplete, *sections], console)

    def print_after(*, console: PlainPage) -> None:
        print_sections(_sections_after(results, lang), console)

    after = f"\n{printed_text(print_after)}" if results.not_shown else ""
    return f"{printed_text(print_before)}\n", after


# For a file or a pipe: on a terminal the report is written as a whole.
CASE_FORMAT = CaseFormat(_case_text, _around, separator=b"\n")


def _sections(results: Results, width: int, lang: Language) -> Iterator[Section]:
    yield _incomplete_section(results, lang)
    only = wording.single_case(results)
    if only is not None:
        yield from _single_sections(results, only, width, lang)
        return
    yield from _sections_before(results, wording.count_shown_faults(results), width, lang)
    for case in results.cases:
        yield _case(case, case.label, width, lang)
    yield from _sections_after(results, lang)


def _incomplete_section(results: Results, lang: Language) -> Section:
    lines = wording.incomplete_lines(results, lang)
    return [note_line(*line, style="bold red") for line in lines]


def _sections_before(
    results: Results, shown_faults: int, width: int, lang: Language
) -> Iterator[Section]:
    """What precedes the cases; `shown_faults` are the faults that these have."""
    summary = results.summary
    yield _headline(results, lang)
    if summary.scored:
        rates = [[Text(cell) for cell in row] for row in wording.rate_rows(results, lang)]
        yield [_table([""], ["F1", "precision", "recall"], rates)]
        passed, exact, interval, calls, counts = wording.total_texts(summary, lang)
        noun = summary.has_repeated_trials
        rows = [
            (say(wording.PASSED[noun], lang), passed),
            (say(wording.EXACT[noun], lang), exact + SPACE + interval),
            (say(wording.CALLS, lang), calls),
            ("", counts),
        ]
        yield [wrapped_grid(rows, wraps_labels=True)]
    yield [note_line(*line) for line in wording.note_lines(results, lang)]
    yield _metrics(results, width, lang)
    yield _trials(summary, width, lang)
    for ranking in wording.rankings(summary, lang):
        yield _ranking_section(ranking, set(summary.tools), width, lang)
    yield _checks(results, shown_faults, width, lang)


def _sections_after(results: Results, lang: Language) -> list[Section]:
    return [[Text(wording.not_shown_text(results, lang), "dim")]] if results.not_shown else []


def _headline(results: Results, lang: Language) -> Section:
    summary = results.summary
    f1, interval = summary.macro_f1, summary.macro_f1_interval
    if f1 is None:
        return [Text(say(wording.NOTHING_SCORED, lang), "bold")]
    shown = percent(f1, border=results.fail_under)
    line = Text().append(say(wording.HEADLINE, lang, score=shown), "bold").append(SPACE)
    is_failed = wording.is_below(results)
    word = shown_rating(summary, is_failed=is_failed, lang=lang)
    is_rated = rating_of(summary) is not None
    line.append(word, f"bold {_rating_colour(f1)}" if is_rated else "")
    if interval is not None:
        line.append(SPACE if word else "")
        line.append(say(INTERVAL_TEXT, lang, interval=wording.interval_text(interval)))
    settings = f"{wording.counts_text(summary, lang)}, {settings_text(results.settings, lang)}"
    meaning = wording.summary_meaning(results, lang, is_failed=is_failed)
    sentence = [Text(meaning)] if meaning else []
    return [line, *sentence, Text(settings, "dim"), *_inputs(results, lang)]


def _inputs(results: Results, lang: Language) -> Section:
    found = wording.inputs_text(results, lang)
    return [Text(found, "dim")] if found else []


def _single_sections(
    results: Results, case: Result, width: int, lang: Language
) -> Iterator[Section]:
    """A single case: what it scored, the calls, the values of metrics, and the notes."""
    title, *values, calls = _case(case, results.title or case.label, width, lang)
    meaning = map(Text, wording.single_meaning(case, lang))
    settings = Text(settings_text(results.settings, lang), "dim")
    yield [title, *meaning, settings, *_inputs(results, lang)]
    yield values if results.hides_calls else [*values, calls]
    notes = wording.single_notes(results, lang) + wording.not_scorable_notes(results.metrics, lang)
    footnote = wording.settings_note(results, lang)
    yield [*[note_line(*line) for line in notes], *([Text(footnote, "dim")] if footnote else [])]


def _rating_colour(score: float) -> str:
    if score >= GOOD:
        return "green"
    return "yellow" if score >= 0.5 else "red"  # noqa: PLR2004  (from here on it is Moderate)


def _trials(summary: Summary, width: int, lang: Language) -> Section:
    room = (width - len("pass@k")) // (len(SPACE) + len("0.123"))
    rates = summary.pass_at_k(), summary.pass_hat_k()
    labels, rows = wording.rate_table(*rates, most=min(room, MOST_TRIAL_COLUMNS))
    if not rows:
        return []
    table = _table([""], labels, [[Text(cell) for cell in row] for row in rows])
    return [_heading(wording.TRIALS, lang), table]


def _checks(results: Results, shown_faults: int, width: int, lang: Language) -> Section:
    """The results of schema checks; empty without schemas."""
    summary = results.summary
    if not summary.checked_calls:
        return []
    valid = wording.count_text(summary.valid_calls, summary.checked_calls, lang)
    line = Text(f"{say(wording.VALID_CALLS, lang)}{SPACE}{valid}")
    ranking = wording.fault_ranking(summary, lang)
    table = _ranking_section(ranking, set(summary.tools), width, lang)[1:]
    where = wording.check_hint(results, shown_faults, lang)
    hint = [] if where is None else [Text(where, "dim")]
    return [_heading(wording.CHECKS, lang), line, *table, *hint]


def _metrics(results: Results, width: int, lang: Language) -> Section:
    """The metrics of other tools; empty if none was requested."""
    rows = [
        NumberRow(
            Text(escape(row.name)),
            [Text(row.mean), _count(row.scored), _count(row.not_scorable, "yellow")],
        )
        for row in wording.metric_rows(results, lang)
    ]
    if not rows:
        return []
    numbers = [stacked_words(say(label, lang)) for label in wording.METRIC_LABELS]
    table = number_table(say(wording.METRIC, lang), numbers, rows, width)
    noun = scored_noun(results.summary)
    notes = wording.not_scorable_notes(results.metrics, lang, noun=noun)
    reasons = [note_line(*line) for line in notes]
    settings = wording.settings_note(results, lang)
    footnote = [Text(settings, "dim")] if settings else []
    return [_heading(METRICS, lang), table, *reasons, *footnote]


def _heading(phrase: Phrase, lang: Language) -> Text:
    return Text(say(phrase, lang), "bold")


def _count(count: int, colour: str = "") -> Text:
    return Text(str(count), colour if count else "dim")


def _ranking_section(ranking: Ranking, tools: set[str], width: int, lang: Language) -> Section:
    """A table of what went wrong; `tools` are all that the report names."""
    if not ranking.names:
        return []
    labels = [say(label, lang) for label in ranking.labels]
    has_one_name = len(labels) == 1
    table = (_single_name_table if has_one_name else _names_table)(ranking, tools, width, lang)
    section: Section = [_heading(ranking.heading, lang), table]
    more = len(ranking.names) - ranking.most
    if more > 0:
        section.append(Text(say(MORE, lang, count=more), "dim"))
    shown = {name for names in ranking.names[: ranking.most] for name in names} & tools
    section += [Text(line, "dim") for line in look_alike_lines(shown, lang)]
    return section


def _single_name_table(ranking: Ranking, _tools: set[str], width: int, lang: Language) -> Text:
    """A column of names, none of which is cut."""
    label = say(ranking.labels[0], lang)
    columns = ranking.columns
    heads = [stacked_words(say(column.label, lang)) for column in columns]
    rows = [
        NumberRow(
            Text(clip_middle(escape(name) or EMPTY_NAME, _LONGEST_NAME)),
            [_count(column.counts[row], column.colour) for column in columns],
        )
        for row, (name,) in enumerate(ranking.names[: ranking.most])
    ]
    # Without room for names, optional columns are left out: their numbers are also in the notes.
    spare = range(len(columns) - 1, FIXED_TOOL_COLUMNS - 1, -1)
    return number_table(label, heads, rows, width, spare=spare, shortest_name=_SHORTEST_NAME)


def _names_table(ranking: Ranking, tools: set[str], width: int, lang: Language) -> ColumnTable:
    """Several columns of names; on a narrow terminal names are cut, numbers never are."""
    labels = [say(label, lang) for label in ranking.labels]
    columns = ranking.columns
    numbers = [stacked_words(say(column.label, lang)) for column in columns]
    free = width - sum(map(header_width, numbers))
    shown = ranking.names[: ranking.most]
    longest = [
        max(
            display_width(label),
            min(max(display_width(escape(name) or EMPTY_NAME) for name in names), _NAME_WIDTH),
        )
        for label, names in zip(labels, zip(*shown, strict=True), strict=True)
    ]
    space, rooms = _space_and_rooms(free, longest, len(numbers))
    # Names are shortened together with all others, so that one has the same short form everywhere.
    texts = [
        short_names({*names, *(tools if tools.intersection(names) else ())}, room)
        for names, room in zip(zip(*ranking.names, strict=True), rooms, strict=True)
    ]
    rows = [
        [
            *[Text(short[name]) for short, name in zip(texts, names, strict=True)],
            *[_count(column.counts[row], column.colour) for column in columns],
        ]
        for row, names in enumerate(shown)
    ]
    return _table(labels, numbers, rows, space)


def _space_and_rooms(free: int, longest: list[int], numbers: int) -> tuple[int, list[int]]:
    """The space between columns, and the room for each column of names, from their longest names."""
    gaps = len(longest) + numbers - 1
    for space in range(len(SPACE), 0, -1):
        if sum(longest) + space * gaps <= free:
            return space, longest
    room = max(free - gaps, len(longest))
    # A column of short names leaves its room to the others.
    rooms: list[int] = []
    for place, needed in enumerate(sorted(longest)):
        rooms.append(min(needed, (room - sum(rooms)) // (len(longest) - place)))
    order = sorted(range(len(longest)), key=longest.__getitem__)
    return 1, [rooms[order.index(place)] for place in range(len(longest))]


def _case(case: Result, title: str, width: int, lang: Language) -> Section:
    score = case.required_score
    outcome, style = wording.OUTCOMES[score.passed]
    number, rates = wording.score_parts(score, lang)
    parts = [
        Text(say(outcome, lang), style),
        Text(number, _rating_colour(score.f1) if rates else "dim"),
    ]
    wrong = first_wrong_text(score, lang)
    if wrong:
        parts.append(Text(wrong, "red"))
    if score.forbidden:
        forbidden = count_of(FORBIDDEN_CALLS, len(score.forbidden), lang)
        parts.append(Text(forbidden, "bold red"))
    line = heading_line(title, [*parts, Text(rates, "dim")], width)
    return [line, *_values(case, width), StyledLines(call_lines(score, width=width, lang=lang))]


def _values(case: Result, width: int) -> Section:
    """The metrics of other tools for one case, in as few lines as possible."""
    if not case.values:
        return []
    lines = Text()
    for number, cells in enumerate(metric_cells(case.values, width - len(_INDENT))):
        lines.append("\n" if number else "")
        for position, (value, name) in enumerate(cells):
            has_room = len(_INDENT) + len(value) + 1 + display_width(name) <= width
            between = " " if has_room else f"\n{_INDENT}"
            lines.append(SPACE if position else _INDENT).append(value + between).append(name, "dim")
    return [lines]


def _table(
    names: list[str], numbers: list[str], rows: Sequence[Sequence[Text]], space: int = len(SPACE)
) -> ColumnTable:
    """Columns of names, and columns of numbers aligned to the right."""
    columns = zip([*names, *numbers], zip(*rows, strict=True), strict=True)
    return column_table(
        [
            Column(header, cells, is_left=place < len(names))
            for place, (header, cells) in enumerate(columns)
        ],
        space=space,
    )
