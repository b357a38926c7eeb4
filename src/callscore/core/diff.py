"""A score as an aligned diff: expected calls on the left, actual calls on the right."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from callscore.core.arguments import json_type
from callscore.core.text import (
    ELLIPSIS,
    clip,
    display_width,
    escape,
    excerpts,
    render_arguments,
    render_value,
)
from callscore.core.wording import (
    MALFORMED,
    Phrase,
    Plural,
    count_of,
    percent,
    rating,
    say,
    short_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from callscore.core.arguments import Difference
    from callscore.core.model import Pair, Score, ToolCall
    from callscore.core.wording import Language

__all__ = ["Line", "Span", "Style", "call_lines", "diff_lines", "plain_text", "rich_text"]

Style = Literal["", "muted", "correct", "incorrect", "missed", "extra", "changed"]
Span = tuple[str, Style]
Line = tuple[Span, ...]

_GAP = 3
_MARK = 2
_INDENT = "  "
_NARROWEST = 40
_SHORTEST_VALUE = 8
_MOST_DIFFERENCES = 20
_COLOURS: dict[Style, str] = {
    "": "",
    "muted": "dim",
    "correct": "green",
    "incorrect": "yellow",
    "missed": "red",
    "extra": "magenta",
    "changed": "bold",
}

HEADLINE = Phrase(
    "Score {score}   Precision {precision}   Recall {recall}   {rating}",
    "Оценка {score}   Precision {precision}   Recall {recall}   {rating}",
)
EXPECTED = Phrase("Expected", "Эталонные вызовы")
ACTUAL = Phrase("Actual", "Фактические вызовы")
NOTHING = Phrase(
    "Nothing was expected and nothing was called.",
    "Вызовов не ожидалось, и ни одного не сделано.",
)
NOT_GIVEN = Phrase("not given", "не передано")
NOT_EXPECTED = Phrase("not expected", "не ожидалось")
EQUAL_ARGUMENTS = Plural(
    ("equal argument", "equal arguments"),
    ("совпавший аргумент", "совпавших аргумента", "совпавших аргументов"),
)
MORE_DIFFERENCES = Plural(
    ("more difference", "more differences"),
    ("отличие ещё", "отличия ещё", "отличий ещё"),
)


class _Row(NamedTuple):
    """A line before the columns have their width: a mark, and one cell for each side.

    A note has no right side and runs across both columns.
    """

    mark: Span
    expected: Line = ()
    actual: Line = ()
    indent: str = ""
    is_note: bool = False


def diff_lines(score: Score, *, width: int = 100, lang: Language = "en") -> list[Line]:
    """The score on one line, and below it the calls of both sides, aligned."""
    headline = say(
        HEADLINE,
        lang,
        score=percent(score.f1),
        precision=percent(score.precision),
        recall=percent(score.recall),
        rating=rating(score.f1, lang=lang),
    )
    return [((headline, ""),), (), *call_lines(score, width=width, lang=lang)]


def call_lines(score: Score, *, width: int = 100, lang: Language = "en") -> list[Line]:
    """The calls of both sides in two columns that together take at most `width` columns.

    The marks say what became of a call: `=` correct, `~` incorrect, `-` missed, `+` extra.
    """
    if not score.expected and not score.actual:
        return [((say(NOTHING, lang), "muted"),)]
    width = max(width, _NARROWEST)
    header = _Row((" ", ""), ((say(EXPECTED, lang), "muted"),), ((say(ACTUAL, lang), "muted"),))
    rows = [header, *_rows(score, _column(width), lang)]
    return list(_set_in_columns(rows, width))


def plain_text(lines: list[Line]) -> str:
    """The lines as they are read without colour."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def rich_text(lines: list[Line]) -> Text:
    """The lines in colour; what stands in them is never taken for markup."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ignore")
    for number, line in enumerate(lines):
        text.append("\n" if number else "")
        for content, style in line:
            text.append(content, _COLOURS[style])
    return text


def _rows(score: Score, room: int, lang: Language) -> Iterator[_Row]:
    """One group of rows for each call: expected order, with extra calls where they happened."""
    pairs = {pair.expected_index: pair for pair in score.correct + score.incorrect}
    paired = {pair.actual_index for pair in pairs.values()}
    extra = iter([position for position in range(len(score.actual)) if position not in paired])
    upcoming = next(extra, None)
    for position, call in enumerate(score.expected):
        pair = pairs.get(position)
        if pair is None:
            yield _Row(("-", "missed"), _call(call, "missed", room))
            continue
        while upcoming is not None and upcoming < pair.actual_index:
            yield _Row(("+", "extra"), (), _call(score.actual[upcoming], "extra", room))
            upcoming = next(extra, None)
        yield from _pair_rows(pair, room, lang)
    while upcoming is not None:
        yield _Row(("+", "extra"), (), _call(score.actual[upcoming], "extra", room))
        upcoming = next(extra, None)


def _call(call: ToolCall, style: Style, room: int) -> Line:
    if call.error is not None:
        inside = render_value(call.raw, limit=room)
    elif call.arguments is None:
        inside = "…"
    else:
        inside = render_arguments(call.arguments, limit=room)
    return (_name(call, style, room), (f"({inside})", "muted"))


def _name(call: ToolCall, style: Style, room: int) -> Span:
    return escape(call.name[: room + 1]), style


def _pair_rows(pair: Pair, room: int, lang: Language) -> Iterator[_Row]:
    found = pair.differences
    style: Style = "correct" if pair.is_correct else "incorrect"
    mark: Span = ("=" if pair.is_correct else "~", style)
    if not found:
        yield _Row(mark, _call(pair.expected, style, room), _call(pair.actual, style, room))
        return
    yield _Row(mark, (_name(pair.expected, style, room),), (_name(pair.actual, style, room),))
    if pair.actual.error is not None:
        yield from _malformed_rows(pair, room, lang)
        return
    for difference in islice(found, _MOST_DIFFERENCES):
        row = _difference_row(difference, room - len(_INDENT), lang)
        yield _muted(row) if pair.is_correct else row
    more = len(found) - _MOST_DIFFERENCES
    if more > 0:
        yield _note(f"… {count_of(MORE_DIFFERENCES, more, lang)}")
    if pair.matched_arguments:
        yield _note(f"… {count_of(EQUAL_ARGUMENTS, pair.matched_arguments, lang)}")


def _note(text: str) -> _Row:
    return _Row((" ", ""), ((text, "muted"),), is_note=True)


def _muted(row: _Row) -> _Row:
    return row._replace(
        mark=(row.mark[0], "muted"),
        expected=tuple((text, "muted") for text, _ in row.expected),
        actual=tuple((text, "muted") for text, _ in row.actual),
    )


def _malformed_rows(pair: Pair, room: int, lang: Language) -> Iterator[_Row]:
    wanted = pair.expected.arguments
    inside = "…" if wanted is None else render_arguments(wanted, limit=room)
    raw = render_value(pair.actual.raw, limit=room)
    yield _Row(("~", "incorrect"), ((inside, "changed"),), ((raw, "changed"),), _INDENT)
    problem = escape((pair.actual.error or "")[: 2 * room])
    yield _note(say(MALFORMED, lang, problem=problem))


def _difference_row(difference: Difference, room: int, lang: Language) -> _Row:
    path = short_path(difference.path, width=room // 2) + ": "
    notes = ("", "")
    if difference.kind == "type":
        notes = (_type_note(difference.expected), _type_note(difference.actual))
    limit = max(room - display_width(path) - max(map(len, notes)), _SHORTEST_VALUE)
    expected, actual = excerpts(difference.expected, difference.actual, limit=limit)
    left: Line = ((path, "muted"), (expected, "changed"), (notes[0], "muted"))
    right: Line = ((path, "muted"), (actual, "changed"), (notes[1], "muted"))
    if difference.kind == "missing":
        return _Row(("-", "missed"), left, ((say(NOT_GIVEN, lang), "muted"),), _INDENT)
    if difference.kind == "unexpected":
        return _Row(("+", "extra"), ((say(NOT_EXPECTED, lang), "muted"),), right, _INDENT)
    return _Row(("~", "incorrect"), left, right, _INDENT)


def _type_note(value: object) -> str:
    # `null` and what JSON does not know (it shows as its repr) say themselves what they are.
    kind = json_type(value)
    return f" ({kind})" if kind in {"boolean", "number", "string", "object", "array"} else ""


def _column(width: int) -> int:
    return (width - _MARK - _GAP) // 2


def _set_in_columns(rows: list[_Row], width: int) -> Iterator[Line]:
    widths = [len(row.indent) + _width(row.expected) for row in rows if not row.is_note]
    left = min(max(widths), _column(width))
    right = width - _MARK - left - _GAP
    for row in rows:
        if row.is_note:
            yield ((" " * _MARK + _INDENT, ""), *_clip_line(row.expected, width - 2 * _MARK))
            continue
        cell = _clip_line(row.expected, left - len(row.indent))
        padding = left - len(row.indent) - _width(cell) + _GAP
        yield (
            (row.indent, ""),
            row.mark,
            (" ", ""),
            *cell,
            (" " * padding + row.indent, ""),
            *_clip_line(row.actual, right - len(row.indent)),
        )


def _width(line: Line) -> int:
    return sum(display_width(text) for text, _ in line)


def _clip_line(line: Line, width: int) -> Line:
    if _width(line) <= width:
        return line
    clipped: list[Span] = []
    for text, style in line:
        if display_width(text) >= width:
            # Something follows or is cut off: in both cases an ellipsis has to say so.
            clipped.append((clip(text + ELLIPSIS, width), style))
            break
        clipped.append((text, style))
        width -= display_width(text)
    return tuple(clipped)
