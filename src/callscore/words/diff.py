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
    common_prefix,
    display_width,
    escape,
    excerpt,
    excerpts,
    render_arguments,
    render_value,
    short_names,
    wrap_hanging,
)
from callscore.words.explanation import AND_MORE, FORBIDDEN_CALLS, MORE_REASONS, ignored_notes
from callscore.words.reasons import (
    difference_code_points,
    fault_sentence,
    hidden_differences,
    malformed_text,
)
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
    from collections.abc import Iterator, Sequence

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
_MOST_LINES = 4  # that a name or a path may take
_MAX_ALIKE = 100  # calls of one tool that a call is compared with
_LONGEST_CALL = 2000
_SHORTEST_EXCERPT = 8
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
NOTHING = Phrase("No calls expected, none made.", "Вызовов не ожидалось и не было.")
NOTHING_COUNTS = Phrase(
    "No call counts under these settings.", "При этих настройках ни один вызов не учитывается."
)
FORBIDDEN = Phrase("forbidden", "запрещён")
OUT_OF_ORDER = Phrase("called, but not in this order", "вызван, но в другом порядке")
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
    """The room for both sides and for a whole line, the names of tools, and why calls are unpaired."""

    widths: _Widths
    room: int
    names: dict[str, str]
    reasons: UnpairedReasons
    lang: Language


class _Row(NamedTuple):
    """A line before its cells are clipped and padded; a note runs across both columns.

    A call without a partner may take the room of the other side.
    """

    mark: Span
    expected: Line = ()
    actual: Line = ()
    indent: str = ""
    is_note: bool = False
    is_single: bool = False
    hang: int = 0


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
        return [line for row in rows for line in _note_lines(row, ((row.indent, ""),), width)]
    reasons = explain_unpaired(score, lang)
    room = width - _MARK
    # Names are shown whole; only huge ones are shortened.
    names = {call.name for call in (*score.expected, *score.actual)}
    short = short_names(names, _MOST_LINES * room)
    # The first layout has unlimited room and shows how much each side needs.
    unlimited = _Layout(_Widths(width, width), room, short, reasons, lang)
    widths = _split_width(room - _GAP, _rows(score, unlimited))
    rows = _rows(score, _Layout(widths, room, short, reasons, lang))
    widths = _split_width(sum(widths), rows)  # what is cut may need less room
    if not any(ELLIPSIS in text for row in rows for text, _ in row.expected):
        # The left side is complete, so that the right side can have all the rest.
        rows = _rows(score, _Layout(widths, room, short, reasons, lang))
    return [line for row in rows for line in _lay_out(row, widths)]


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
            text = say(phrase, lang, j=fault.index + 1, fault=sentence)
            yield _note(text, style="")._replace(hang=len(_INDENT))
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
            left = _single_call(call, "missed", layout.room, score.expected, layout)
            yield _Row(("-", "missed"), left, is_single=True)
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
    call, calls = score.actual[position], score.actual
    if position in score.forbidden:
        word = say(FORBIDDEN, layout.lang)
        room = layout.room - display_width(word) - _GAP
        right = _single_call(call, "forbidden", room, calls, layout)
        yield _Row(("!", "forbidden"), ((word, "forbidden"),), right, is_single=True)
        return
    right = _single_call(call, "extra", layout.room, calls, layout)
    yield _Row(("+", "extra"), (), right, is_single=True)
    if position in layout.reasons.extra:
        yield _note(layout.reasons.extra[position])


def _single_call(
    call: ToolCall, style: Style, width: int, calls: Sequence[ToolCall], layout: _Layout
) -> Line:
    """A call without a partner; if it is too long, the part that differs from calls of the same tool."""
    name = layout.names[call.name]
    limit = width - display_width(name)
    text = arguments_text(call, limit=limit, lang=layout.lang)
    if text.endswith(f"{ELLIPSIS})") and limit > _SHORTEST_EXCERPT:
        alike = [each for each in islice(calls, _MAX_ALIKE) if each.name == call.name]
        whole = arguments_text(call, limit=_LONGEST_CALL)[1:-1]
        others = {arguments_text(each, limit=_LONGEST_CALL)[1:-1] for each in alike} - {whole}
        at = max([common_prefix(whole, other) for other in others], default=0)
        text = f"({excerpt(whole, at, limit - len('()'))})" if at else text
    return (name, style), (text, "muted")


def _call(call: ToolCall, style: Style, width: int, layout: _Layout) -> Line:
    name = layout.names[call.name]
    limit = width - display_width(name)
    return (name, style), (arguments_text(call, limit=limit, lang=layout.lang), "muted")


def _pair_rows(pair: Pair, layout: _Layout) -> Iterator[_Row]:
    found, lang = pair.differences, layout.lang
    style: Style = "correct" if pair.is_correct else "incorrect"
    mark: Span = ("=" if pair.is_correct else "~", style)
    inner = _Widths(*[width - len(_INDENT) for width in layout.widths])
    if not found:
        yield from _equal_rows(pair, mark, inner, layout)
        return
    yield from _name_rows(pair, mark, layout)
    if pair.actual.error is not None:
        yield from _malformed_rows(pair, inner, lang)
        return
    yield from _difference_rows(pair, inner, layout)
    if pair.matched_arguments:
        yield _note(f"… {count_of(EQUAL_ARGUMENTS, pair.matched_arguments, lang)}")


def _equal_rows(pair: Pair, mark: Span, inner: _Widths, layout: _Layout) -> Iterator[_Row]:
    """A pair without differences; a long name has a line of its own, above the arguments."""
    calls, widths = (pair.expected, pair.actual), layout.widths
    names = [layout.names[call.name] for call in calls]
    needed = [display_width(name) + len("(…)") for name in names]
    if all(taken <= width for taken, width in zip(needed, widths, strict=True)):
        left = _call(pair.expected, mark[1], widths.expected, layout)
        yield _Row(mark, left, _call(pair.actual, mark[1], widths.actual, layout))
        return
    yield from _name_rows(pair, mark, layout)
    texts = [
        arguments_text(call, limit=width, lang=layout.lang)
        for call, width in zip(calls, inner, strict=True)
    ]
    yield _Row((" ", ""), ((texts[0], "muted"),), ((texts[1], "muted"),), _INDENT)


def _name_rows(pair: Pair, mark: Span, layout: _Layout) -> Iterator[_Row]:
    """The name on both sides, or once if it has no room there."""
    name, other = layout.names[pair.expected.name], layout.names[pair.actual.name]
    has_room = all(
        display_width(text) <= width
        for text, width in zip((name, other), layout.widths, strict=True)
    )
    yield _Row(
        mark, ((name, mark[1]),), ((other, mark[1]),) if has_room else (), is_note=not has_room
    )


def _difference_rows(pair: Pair, widths: _Widths, layout: _Layout) -> Iterator[_Row]:
    found, lang = pair.differences, layout.lang
    texts = [path_text(difference.path) for difference in found[:_MAX_DIFFERENCES]]
    paths = short_names(texts, _MOST_LINES * layout.room)
    for text, difference in zip(texts, found, strict=False):
        for row in _value_rows(difference, f"{paths[text]}: ", widths, lang):
            yield _muted(row) if pair.is_correct else row
        if difference.note is not None:
            yield _note(escape(difference.note.text(lang)))
        code_points = difference_code_points(difference, found, lang)
        if code_points is not None:
            yield _note(code_points)
    if len(found) > _MAX_DIFFERENCES:
        more = count_of(MORE_REASONS, len(found) - _MAX_DIFFERENCES, lang)
        yield _note(say(AND_MORE, lang, more=more))


def _muted(row: _Row) -> _Row:
    cells: list[Line] = [tuple((text, "muted") for text, _ in cell) for cell in row[1:3]]
    return row._replace(mark=(row.mark[0], "muted"), expected=cells[0], actual=cells[1])


def _note(text: str, *, indent: str = _INDENT, style: Style = "muted") -> _Row:
    return _Row((" ", ""), ((text, style),), indent=indent, is_note=True)


def _malformed_rows(pair: Pair, widths: _Widths, lang: Language) -> Iterator[_Row]:
    expected = pair.expected.arguments
    left = ELLIPSIS if expected is None else render_arguments(expected, limit=widths.expected)
    error = pair.actual.error or ""
    right = "?" if error == NOT_CAPTURED else render_value(pair.actual.raw, limit=widths.actual)
    yield _Row(("~", "incorrect"), ((left, "changed"),), ((right, "changed"),), _INDENT)
    yield _note(malformed_text(error, lang=lang))


# The mark of each kind of difference, and the sides on which it has a value.
_KINDS: dict[str, tuple[Span, tuple[int, ...]]] = {
    "missing": (("-", "missed"), (0,)),
    "unexpected": (("+", "extra"), (1,)),
}
_ANY_KIND: tuple[Span, tuple[int, ...]] = (("~", "incorrect"), (0, 1))


def _value_rows(
    difference: Difference, path: str, widths: _Widths, lang: Language
) -> Iterator[_Row]:
    """Both values after the path, or below it if there is not enough room."""
    mark, sides = _KINDS.get(difference.kind, _ANY_KIND)
    values = difference.expected, difference.actual
    notes = [_type_note(value, lang) if difference.kind == "type" else "" for value in values]
    rooms = _Widths(
        *[width - display_width(note) for width, note in zip(widths, notes, strict=True)]
    )
    needed = [display_width(render_value(values[side], limit=rooms[side] + 1)) for side in (0, 1)]
    start = display_width(path)
    fits_inline = all(needed[side] <= rooms[side] - start for side in sides)
    fits_below = all(needed[side] <= rooms[side] for side in sides)
    is_short = all(3 * start <= widths[side] for side in sides)
    if not fits_inline and (fits_below or not is_short):
        yield _Row(mark, ((path.rstrip(), "muted"),), indent=_INDENT, is_note=True)
        mark, path = (" ", ""), ""
    texts = _shown_values(difference, _Widths(*[room - display_width(path) for room in rooms]))
    cells: list[Line] = [
        ((path, "muted"), (text, "changed"), (note, "muted"))
        for text, note in zip(texts, notes, strict=True)
    ]
    if sides == (0,):
        cells[1] = ((say(NOT_GIVEN, lang), "muted"),)
    if sides == (1,):
        cells[0] = ((say(NOT_EXPECTED, lang), "muted"),)
    yield _Row(mark, cells[0], cells[1], _INDENT)
    if difference.kind == "value":
        more = hidden_differences(values[0], values[1], texts[0])
        if more:
            yield _note(say(AND_MORE, lang, more=count_of(MORE_REASONS, more, lang)))


def _shown_values(difference: Difference, limits: _Widths) -> list[str]:
    """Both values, cut around the difference; if both are cut, both show the same part."""
    values = difference.expected, difference.actual
    is_cut = [
        render_value(value, limit=limit).endswith(ELLIPSIS)
        for value, limit in zip(values, limits, strict=True)
    ]
    if all(is_cut):
        limits = _Widths(min(limits), min(limits))
    return [excerpts(*values, limit=limits[side])[side] for side in (0, 1)]


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


def _note_lines(row: _Row, start: Line, width: int) -> list[Line]:
    """A note in as many lines as it needs."""
    ((text, style),) = row.expected
    taken = _width(start)
    first, *others = wrap_hanging(text, width - taken, hang=row.hang)
    blank: Line = ((" " * taken, ""),)
    return [(*start, (first, style)), *[(*blank, (line, style)) for line in others]]


def _lay_out(row: _Row, widths: _Widths) -> list[Line]:
    start: Line = ((row.indent, ""), row.mark, (" ", ""))
    room = sum(widths) + _GAP
    if row.is_note:
        return _note_lines(row, start, room + _MARK)
    if row.is_single and not row.actual:
        return [(*start, *_clip_line(row.expected, room))]
    cell = _clip_line(row.expected, widths.expected - len(row.indent))
    column = widths.expected + _GAP
    if row.is_single:
        column = max(min(column, room - _width(row.actual)), _width(cell) + _GAP if cell else 0)
    padding = column - len(row.indent) - _width(cell)
    right = _clip_line(row.actual, room - column - len(row.indent))
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
