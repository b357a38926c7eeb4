"""A score as an aligned diff: expected calls on the left, actual calls on the right."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from callscore.core.call import NOT_CAPTURED
from callscore.core.equality import json_type
from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import (
    ELLIPSIS,
    clip,
    display_width,
    escape,
    excerpts,
    render_arguments,
    render_value,
    short_names,
    wrap,
)
from callscore.words.explanation import AND_MORE, FORBIDDEN_CALLS, MORE_REASONS, ignored_notes
from callscore.words.reasons import difference_code_points, fault_sentence, malformed_text
from callscore.words.unpaired import explain_unpaired
from callscore.words.value_text import (
    MORE,
    NO_RATING,
    arguments_text,
    path_text,
    percent,
    score_rating,
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from callscore.core.arguments import Difference
    from callscore.core.call import ToolCall
    from callscore.core.phrases import Language
    from callscore.core.score import Pair, Score
    from callscore.words.unpaired import UnpairedReasons

__all__ = ["NOTHING_COUNTS", "Line", "Span", "call_lines", "diff_lines", "plain_text", "rich_text"]

Style = Literal["", "muted", "correct", "incorrect", "missed", "extra", "forbidden", "changed"]
Span = tuple[str, Style]
Line = tuple[Span, ...]

_GAP = 3
_MARK = 2
_INDENT = "  "
_MIN_WIDTH = 40
_MAX_DIFFERENCES = 20
_COLOURS: dict[Style, str] = {
    "": "",
    "muted": "dim",
    "correct": "green",
    "incorrect": "yellow",
    "missed": "red",
    "extra": "magenta",
    "forbidden": "bold red",
    "changed": "bold",
}

HEADLINE = Phrase(
    "Score {score}   Precision {precision}   Recall {recall}   {rating}",
    "Оценка {score}   Precision {precision}   Recall {recall}   {rating}",
)
EXPECTED = Phrase("Expected", "Ожидаемые вызовы")
ACTUAL = Phrase("Actual", "Фактические вызовы")
NOTHING = Phrase("No calls expected, none made.", "Вызовы не ожидались и не сделаны.")
NOTHING_COUNTS = Phrase(
    "No call counts under these settings.", "По этим настройкам ни один вызов не учитывается."
)
FORBIDDEN = Phrase("forbidden", "запрещено")
OUT_OF_ORDER = Phrase("called, but not in this order", "сделан, но не в этом порядке")
BY_THE_SCHEMAS = Phrase("Schema errors:", "Ошибки по схемам:")
FAULT = Phrase("actual {j} {fault}", "фактический {j} {fault}")
# If some calls of the trace do not count, the numbers of the others differ from those in the trace.
FAULT_IN_TRACE = Phrase("call {j} of the trace, {fault}", "вызов {j} трассы, {fault}")
NOT_GIVEN = Phrase("not given", "не передано")
NOT_EXPECTED = Phrase("not expected", "не ожидалось")
EQUAL_ARGUMENTS = Plural(
    ("equal argument", "equal arguments"),
    ("совпавший аргумент", "совпавших аргумента", "совпавших аргументов"),
)


class _Widths(NamedTuple):
    expected: int
    actual: int


class _Layout(NamedTuple):
    """The room for both sides, what the names of tools are shortened to, and why calls are unpaired."""

    widths: _Widths
    names: dict[str, str]
    reasons: UnpairedReasons
    lang: Language


class _Row(NamedTuple):
    """A line before its cells are clipped and padded; a note runs across both columns."""

    mark: Span
    expected: Line = ()
    actual: Line = ()
    indent: str = ""
    is_note: bool = False


def diff_lines(score: Score, *, width: int = 100, lang: Language = "en") -> list[Line]:
    """The score on one line, and below it the calls of both sides, aligned."""
    rates = {name: percent(getattr(score, name)) for name in ("precision", "recall")}
    word = score_rating(score, lang=lang) or say(NO_RATING, lang)
    f1 = percent(score.f1, border=score.settings.pass_mark)
    line: Line = ((say(HEADLINE, lang, score=f1, rating=word, **rates), ""),)
    if score.forbidden:  # then the score is 0
        calls = count_of(FORBIDDEN_CALLS, len(score.forbidden), lang)
        line += ((" " * _GAP, ""), (calls, "forbidden"))
    return [line, (), *call_lines(score, width=width, lang=lang)]


def call_lines(score: Score, *, width: int = 100, lang: Language = "en") -> list[Line]:
    """The calls of both sides in two columns that together take at most `width` columns.

    The marks are `=` correct, `~` incorrect, `-` missed, `+` extra, `!` forbidden. Below them are the
    numbers of calls that do not count, and the faults that the schemas find.
    """
    width = max(width, _MIN_WIDTH)
    if not score.expected and not score.actual:
        nothing = _note(say(NOTHING_COUNTS if score.ignored else NOTHING, lang), indent="")
        rows = [nothing, *_footer_rows(score, lang)]
        return [line for row in rows for line in _note_lines(row, row.indent, width)]
    reasons = explain_unpaired(score, lang)
    expected = {call.name for call in score.expected}
    actual = {call.name for call in score.actual}
    names = expected | actual
    # The first layout has unlimited room and shows how much each side needs.
    unlimited = _Layout(_Widths(width, width), short_names(names, width), reasons, lang)
    widths = _split_width(width - _MARK - _GAP, _rows(score, unlimited))
    room = _room_for_names(widths, expected, actual)
    rows = _rows(score, _Layout(widths, _names_that_fit(names, room), reasons, lang))
    widths = _split_width(sum(widths), rows)  # what is cut may need less room
    return [line for row in rows for line in _lay_out(row, widths)]


def _room_for_names(widths: _Widths, *sides: set[str]) -> int:
    """The room of the narrowest side that has a name without enough room."""
    narrow = [
        width
        for width, names in zip(widths, sides, strict=True)
        if any(display_width(escape(name)) > width for name in names)
    ]
    return min(narrow, default=max(widths))


def _names_that_fit(names: set[str], width: int) -> dict[str, str]:
    """The names of tools in at most `width` columns; shortened ones leave room for `(…)`."""
    short, shorter = short_names(names, width), short_names(names, width - len("(…)"))
    return {name: text if text == escape(name) else shorter[name] for name, text in short.items()}


def plain_text(lines: list[Line]) -> str:
    """The lines without colour."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def rich_text(lines: list[Line]) -> Text:
    """The lines in colour; their text is never interpreted as markup."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ignore")
    for number, line in enumerate(lines):
        text.append("\n" if number else "")
        for content, style in line:
            text.append(content, _COLOURS[style])
    return text


def _rows(score: Score, layout: _Layout) -> list[_Row]:
    lang = layout.lang
    header = _Row((" ", ""), ((say(EXPECTED, lang), "muted"),), ((say(ACTUAL, lang), "muted"),))
    return [header, *_call_rows(score, layout), *_footer_rows(score, lang)]


def _footer_rows(score: Score, lang: Language) -> Iterator[_Row]:
    """The calls that do not count, and the faults that the schemas find."""
    for note in ignored_notes(score, lang):
        yield _note(note, indent="")
    if score.faults:
        yield _note(say(BY_THE_SCHEMAS, lang), indent="")
        is_whole = all(ignored.side == "expected" for ignored in score.ignored)
        phrase = FAULT if is_whole else FAULT_IN_TRACE
        for fault in islice(score.faults, _MAX_DIFFERENCES):
            sentence = fault_sentence(fault, lang=lang)
            yield _note(say(phrase, lang, j=fault.index + 1, fault=sentence), style="")
        if len(score.faults) > _MAX_DIFFERENCES:
            yield _note(say(MORE, lang, count=len(score.faults) - _MAX_DIFFERENCES))


def _call_rows(score: Score, layout: _Layout) -> Iterator[_Row]:
    """The rows of the calls in expected order, with extra calls where they happened."""
    pairs = {pair.expected_index: pair for pair in score.correct + score.incorrect}
    paired = {pair.actual_index for pair in pairs.values()}
    extra = deque(position for position in range(len(score.actual)) if position not in paired)
    for position, call in enumerate(score.expected):
        pair = pairs.get(position)
        if pair is None:
            left = _call(call, "missed", layout.widths.expected, layout)
            yield _Row(("-", "missed"), left)
            if call.name in layout.reasons.out_of_order:
                yield _note(say(OUT_OF_ORDER, layout.lang))
            if call.name in layout.reasons.look_alikes:
                yield _note(layout.reasons.look_alikes[call.name])
            continue
        while extra and extra[0] < pair.actual_index:
            yield from _extra_rows(score, extra.popleft(), layout)
        yield from _pair_rows(pair, layout)
    for position in extra:
        yield from _extra_rows(score, position, layout)


def _extra_rows(score: Score, position: int, layout: _Layout) -> Iterator[_Row]:
    call, width = score.actual[position], layout.widths.actual
    if position in score.forbidden:
        left: Line = ((say(FORBIDDEN, layout.lang), "forbidden"),)
        yield _Row(("!", "forbidden"), left, _call(call, "forbidden", width, layout))
        return
    yield _Row(("+", "extra"), (), _call(call, "extra", width, layout))
    if position in layout.reasons.extra:
        yield _note(layout.reasons.extra[position])


def _call(call: ToolCall, style: Style, width: int, layout: _Layout) -> Line:
    name = layout.names[call.name]
    return (name, style), (arguments_text(call, limit=width - display_width(name)), "muted")


def _pair_rows(pair: Pair, layout: _Layout) -> Iterator[_Row]:
    found, widths, lang = pair.differences, layout.widths, layout.lang
    style: Style = "correct" if pair.is_correct else "incorrect"
    mark: Span = ("=" if pair.is_correct else "~", style)
    if not found:
        left = _call(pair.expected, style, widths.expected, layout)
        yield _Row(mark, left, _call(pair.actual, style, widths.actual, layout))
        return
    name, other = layout.names[pair.expected.name], layout.names[pair.actual.name]
    yield _Row(mark, ((name, style),), ((other, style),))
    inner = _Widths(widths.expected - len(_INDENT), widths.actual - len(_INDENT))
    if pair.actual.error is not None:
        yield from _malformed_rows(pair, inner, lang)
        return
    yield from _difference_rows(pair, inner, lang)
    if pair.matched_arguments:
        yield _note(f"… {count_of(EQUAL_ARGUMENTS, pair.matched_arguments, lang)}")


def _difference_rows(pair: Pair, widths: _Widths, lang: Language) -> Iterator[_Row]:
    found = pair.differences
    paths = {path_text(difference.path) for difference in found[:_MAX_DIFFERENCES]}
    for difference in islice(found, _MAX_DIFFERENCES):
        row = _difference_row(difference, widths, paths, lang)
        if pair.is_correct:
            cells: list[Line] = [tuple((text, "muted") for text, _ in cell) for cell in row[1:3]]
            row = _Row((row.mark[0], "muted"), cells[0], cells[1], row.indent)
        yield row
        if difference.note is not None:
            yield _note(escape(difference.note.text(lang)))
        code_points = difference_code_points(difference, found, lang)
        if code_points is not None:
            yield _note(code_points)
    if len(found) > _MAX_DIFFERENCES:
        more = count_of(MORE_REASONS, len(found) - _MAX_DIFFERENCES, lang)
        yield _note(say(AND_MORE, lang, more=more))


def _note(text: str, *, indent: str = _INDENT, style: Style = "muted") -> _Row:
    return _Row((" ", ""), ((text, style),), indent=indent, is_note=True)


def _malformed_rows(pair: Pair, widths: _Widths, lang: Language) -> Iterator[_Row]:
    expected = pair.expected.arguments
    left = ELLIPSIS if expected is None else render_arguments(expected, limit=widths.expected)
    error = pair.actual.error or ""
    right = "?" if error == NOT_CAPTURED else render_value(pair.actual.raw, limit=widths.actual)
    yield _Row(("~", "incorrect"), ((left, "changed"),), ((right, "changed"),), _INDENT)
    yield _note(malformed_text(error, lang=lang))


def _difference_row(
    difference: Difference, widths: _Widths, paths: set[str], lang: Language
) -> _Row:
    values = difference.expected, difference.actual
    notes = [_type_note(value, lang) if difference.kind == "type" else "" for value in values]
    path = _path(difference, widths, notes, paths)
    limits = [widths[side] - display_width(path + notes[side]) for side in (0, 1)]
    is_cut = [
        render_value(value, limit=limit).endswith(ELLIPSIS)
        for value, limit in zip(values, limits, strict=True)
    ]
    if all(is_cut):  # both sides show the same part
        limits = [min(limits)] * 2
    cells: list[Line] = [
        ((path, "muted"), (excerpts(*values, limit=limits[side])[side], "changed"), (note, "muted"))
        for side, note in enumerate(notes)
    ]
    if difference.kind == "missing":
        return _Row(("-", "missed"), cells[0], ((say(NOT_GIVEN, lang), "muted"),), _INDENT)
    if difference.kind == "unexpected":
        return _Row(("+", "extra"), ((say(NOT_EXPECTED, lang), "muted"),), cells[1], _INDENT)
    return _Row(("~", "incorrect"), cells[0], cells[1], _INDENT)


# The sides on which a difference has a value.
_SIDES_OF_KINDS = {"missing": (0,), "unexpected": (1,)}


def _path(difference: Difference, widths: _Widths, notes: list[str], paths: set[str]) -> str:
    """The path that both sides show, shortened to the room that the values leave.

    It stays different from the other `paths`.
    """
    sides = _SIDES_OF_KINDS.get(difference.kind, (0, 1))
    width = min(widths[side] for side in sides)
    values = excerpts(difference.expected, difference.actual, limit=width // 2)
    spare = min(widths[side] - display_width(values[side] + notes[side]) for side in sides)
    room = max(spare, width // 3) - len(": ")
    path = path_text(difference.path)
    return f"{escape(path) if display_width(path) <= room else short_names(paths, room)[path]}: "


def _type_note(value: object, lang: Language) -> str:
    # `null`, and the repr of a value that is not JSON, already show their type.
    is_json = json_type(value) in {"boolean", "number", "string", "object", "array"}
    return f" ({type_name(value, lang=lang)})" if is_json else ""


def _split_width(width: int, unclipped_rows: list[_Row]) -> _Widths:
    """Half of the width for each side; one side may use what the other does not need."""
    rows = [row for row in unclipped_rows if not row.is_note]
    left = max(len(row.indent) + _width(row.expected) for row in rows)
    right = max(len(row.indent) + _width(row.actual) for row in rows)
    half = width // 2
    left = min(left, max(half, width - right))
    return _Widths(left, width - left)


def _note_lines(row: _Row, start: str, width: int) -> list[Line]:
    """A note in as many lines as it needs."""
    ((text, style),) = row.expected
    return [((start, ""), (line, style)) for line in wrap(text, width - len(start))]


def _lay_out(row: _Row, widths: _Widths) -> list[Line]:
    start: Line = ((row.indent, ""), row.mark, (" ", ""))
    if row.is_note:
        return _note_lines(row, row.indent + " " * _MARK, sum(widths) + _GAP + _MARK)
    cell = _clip_line(row.expected, widths.expected - len(row.indent))
    padding = widths.expected - len(row.indent) - _width(cell) + _GAP
    right = _clip_line(row.actual, widths.actual - len(row.indent))
    return [(*start, *cell, (" " * padding + row.indent, ""), *right)]


def _width(line: Line) -> int:
    return sum(display_width(text) for text, _ in line)


def _clip_line(line: Line, width: int) -> Line:
    if _width(line) <= width:
        return line
    *start, (text, style) = line
    room = width - _width(tuple(start))
    if room > 0:
        return (*start, (clip(text, room), style))
    *start, (text, style) = start
    return _clip_line((*start, (text + ELLIPSIS, style)), width)  # shows that something is cut off
