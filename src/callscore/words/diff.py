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
)
from callscore.words.explanation import FORBIDDEN_CALLS, ignored_notes
from callscore.words.reasons import fault_sentence, malformed_text
from callscore.words.unpaired import explain_unpaired
from callscore.words.value_text import (
    MORE,
    NO_RATING,
    arguments_text,
    name_text,
    percent,
    score_rating,
    short_path,
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

__all__ = ["Line", "Span", "call_lines", "diff_lines", "plain_text", "rich_text"]

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
EXPECTED = Phrase("Expected", "Эталонные вызовы")
ACTUAL = Phrase("Actual", "Фактические вызовы")
NOTHING = Phrase(
    "Nothing was expected and nothing was called.", "Вызовов не ожидалось, и ни одного не сделано."
)
NOTHING_COUNTS = Phrase(
    "No call counts, neither expected nor actual.",
    "Учитывать нечего: ни эталонных вызовов, ни фактических.",
)
FORBIDDEN = Phrase("forbidden", "запрещено")
OUT_OF_ORDER = Phrase("made, but not in this order", "сделан, но не в этом порядке")
BY_THE_SCHEMAS = Phrase("By the tools' schemas:", "По схемам инструментов:")
FAULT = Phrase("actual {j} {fault}", "фактический {j} {fault}")
# If some calls of the trace do not count, the numbers of the others differ from those in the trace.
FAULT_IN_TRACE = Phrase("call {j} of the trace, {fault}", "вызов {j} трассировки, {fault}")
NOT_GIVEN = Phrase("not given", "не передано")
NOT_EXPECTED = Phrase("not expected", "не ожидалось")
EQUAL_ARGUMENTS = Plural(
    ("equal argument", "equal arguments"),
    ("совпавший аргумент", "совпавших аргумента", "совпавших аргументов"),
)
MORE_DIFFERENCES = Plural(
    ("more difference", "more differences"), ("отличие ещё", "отличия ещё", "отличий ещё")
)


class _Widths(NamedTuple):
    expected: int
    actual: int


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
        return [_clip_line(((row.indent, ""), *row.expected), width) for row in rows]
    reasons = explain_unpaired(score, lang)
    # The first layout has unlimited room and shows how much each side needs.
    unclipped_rows = _rows(score, reasons, _Widths(width, width), lang)
    widths = _split_width(width - _MARK - _GAP, unclipped_rows)
    return [_lay_out(row, widths) for row in _rows(score, reasons, widths, lang)]


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


def _rows(score: Score, reasons: UnpairedReasons, widths: _Widths, lang: Language) -> list[_Row]:
    header = _Row((" ", ""), ((say(EXPECTED, lang), "muted"),), ((say(ACTUAL, lang), "muted"),))
    return [header, *_call_rows(score, reasons, widths, lang), *_footer_rows(score, lang)]


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


def _call_rows(
    score: Score, reasons: UnpairedReasons, widths: _Widths, lang: Language
) -> Iterator[_Row]:
    """The rows of the calls in expected order, with extra calls where they happened."""
    pairs = {pair.expected_index: pair for pair in score.correct + score.incorrect}
    paired = {pair.actual_index for pair in pairs.values()}
    extra = deque(position for position in range(len(score.actual)) if position not in paired)
    for position, call in enumerate(score.expected):
        pair = pairs.get(position)
        if pair is None:
            yield _Row(("-", "missed"), _call(call, "missed", widths.expected))
            if call.name in reasons.out_of_order:
                yield _note(say(OUT_OF_ORDER, lang))
            continue
        while extra and extra[0] < pair.actual_index:
            yield from _extra_rows(score, extra.popleft(), reasons, widths, lang)
        yield from _pair_rows(pair, widths, lang)
    for position in extra:
        yield from _extra_rows(score, position, reasons, widths, lang)


def _extra_rows(
    score: Score, position: int, reasons: UnpairedReasons, widths: _Widths, lang: Language
) -> Iterator[_Row]:
    call = score.actual[position]
    if position in score.forbidden:
        left: Line = ((say(FORBIDDEN, lang), "forbidden"),)
        yield _Row(("!", "forbidden"), left, _call(call, "forbidden", widths.actual))
        return
    yield _Row(("+", "extra"), (), _call(call, "extra", widths.actual))
    if position in reasons.extra:
        yield _note(reasons.extra[position])


def _call(call: ToolCall, style: Style, width: int) -> Line:
    name = _name(call, style, width)
    return (name, (arguments_text(call, limit=width - display_width(name[0])), "muted"))


def _name(call: ToolCall, style: Style, width: int) -> Span:
    return name_text(call.name, limit=width), style


def _pair_rows(pair: Pair, widths: _Widths, lang: Language) -> Iterator[_Row]:
    found = pair.differences
    style: Style = "correct" if pair.is_correct else "incorrect"
    mark: Span = ("=" if pair.is_correct else "~", style)
    if not found:
        left = _call(pair.expected, style, widths.expected)
        yield _Row(mark, left, _call(pair.actual, style, widths.actual))
        return
    name = _name(pair.expected, style, widths.expected)
    yield _Row(mark, (name,), (_name(pair.actual, style, widths.actual),))
    inner = _Widths(widths.expected - len(_INDENT), widths.actual - len(_INDENT))
    if pair.actual.error is not None:
        yield from _malformed_rows(pair, inner, lang)
        return
    for difference in islice(found, _MAX_DIFFERENCES):
        row = _difference_row(difference, inner, lang)
        if pair.is_correct:
            cells: list[Line] = [tuple((text, "muted") for text, _ in cell) for cell in row[1:3]]
            row = _Row((row.mark[0], "muted"), cells[0], cells[1], row.indent)
        yield row
        if difference.note is not None:
            yield _note(escape(difference.note.text(lang)))
    if len(found) > _MAX_DIFFERENCES:
        yield _note(f"… {count_of(MORE_DIFFERENCES, len(found) - _MAX_DIFFERENCES, lang)}")
    if pair.matched_arguments:
        yield _note(f"… {count_of(EQUAL_ARGUMENTS, pair.matched_arguments, lang)}")


def _note(text: str, *, indent: str = _INDENT, style: Style = "muted") -> _Row:
    return _Row((" ", ""), ((text, style),), indent=indent, is_note=True)


def _malformed_rows(pair: Pair, widths: _Widths, lang: Language) -> Iterator[_Row]:
    expected = pair.expected.arguments
    left = ELLIPSIS if expected is None else render_arguments(expected, limit=widths.expected)
    error = pair.actual.error or ""
    right = "?" if error == NOT_CAPTURED else render_value(pair.actual.raw, limit=widths.actual)
    yield _Row(("~", "incorrect"), ((left, "changed"),), ((right, "changed"),), _INDENT)
    yield _note(clip(malformed_text(error, lang=lang), sum(widths)))


def _difference_row(difference: Difference, widths: _Widths, lang: Language) -> _Row:
    values = difference.expected, difference.actual
    notes = [_type_note(value, lang) if difference.kind == "type" else "" for value in values]
    path = _path(difference, widths, notes)
    cells: list[Line] = []
    for side, (width, note) in enumerate(zip(widths, notes, strict=True)):
        limit = width - display_width(path) - len(note)
        value = excerpts(*values, limit=limit)[side]
        cells.append(((path, "muted"), (value, "changed"), (note, "muted")))
    if difference.kind == "missing":
        return _Row(("-", "missed"), cells[0], ((say(NOT_GIVEN, lang), "muted"),), _INDENT)
    if difference.kind == "unexpected":
        return _Row(("+", "extra"), ((say(NOT_EXPECTED, lang), "muted"),), cells[1], _INDENT)
    return _Row(("~", "incorrect"), cells[0], cells[1], _INDENT)


def _path(difference: Difference, widths: _Widths, notes: list[str]) -> str:
    """The path that both sides show, clipped to the room that the values leave."""
    sides = {"missing": (0,), "unexpected": (1,)}.get(difference.kind, (0, 1))
    width = min(widths[side] for side in sides)
    values = excerpts(difference.expected, difference.actual, limit=width // 2)
    spare = min(widths[side] - display_width(values[side] + notes[side]) for side in sides)
    return short_path(difference.path, width=max(spare, width // 3) - len(": ")) + ": "


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


def _lay_out(row: _Row, widths: _Widths) -> Line:
    start: Line = ((row.indent, ""), row.mark, (" ", ""))
    if row.is_note:
        return (*start, *_clip_line(row.expected, sum(widths) + _GAP - len(row.indent)))
    cell = _clip_line(row.expected, widths.expected - len(row.indent))
    padding = widths.expected - len(row.indent) - _width(cell) + _GAP
    right = _clip_line(row.actual, widths.actual - len(row.indent))
    return (*start, *cell, (" " * padding + row.indent, ""), *right)


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
