"""A score as an aligned diff: expected calls on the left, actual calls on the right."""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

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
    plain_arguments_text,
    plain_value_text,
    render_arguments,
    render_value,
    short_names,
    wrap_hanging,
)
from callscore.core.rules import contains_matchers
from callscore.core.score import Score, pairs_at
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
    from collections.abc import Callable, Iterator, Sequence

    from rich.text import Text

    from callscore.core.arguments import Difference
    from callscore.core.call import ToolCall
    from callscore.core.phrases import Language
    from callscore.core.score import Pair
    from callscore.words.unpaired import UnpairedReasons

__all__ = [
    "COLOURS",
    "NOTHING_COUNTS",
    "Line",
    "Span",
    "call_lines",
    "diff_lines",
    "plain_text",
    "rich_text",
]

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
_BRACKETS = len("()")
_LEAST_ARGUMENTS = len("(…)")
COLOURS: dict[Style, str] = {
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
    """The room for a whole line, the names of tools, and why calls are unpaired."""

    width: int
    names: dict[str, str]
    reasons: UnpairedReasons
    lang: Language

    @property
    def room(self) -> int:
        return self.width - _MARK


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
    room = width - _MARK
    # Names are shown whole; only huge ones are shortened.
    names = {call.name for call in (*score.expected, *score.actual)}
    short = short_names(names, _MOST_LINES * room)
    parts = [*_parts(score, _Layout(width, short, explain_unpaired(score, lang), lang))]
    # The first layout has unlimited room and shows how much each side needs.
    unlimited = _Widths(width, width)
    drawn = _split_width(room - _GAP, [part.columns(unlimited) for part in parts])
    # What is cut may need less room. It hardly ever does, and then the layout stays the same.
    widths = _split_width(sum(drawn), [part.columns(drawn) for part in parts])
    if widths != drawn and not any(part.has_ellipsis(drawn) for part in parts):
        drawn = widths  # the left side is complete, so that the right side can have all the rest
    return [line for part in parts for line in part.lines(drawn, widths)]


def plain_text(lines: list[Line]) -> str:
    """The lines without colour."""
    return "\n".join(["".join([text for text, _ in line]).rstrip() for line in lines])


def rich_text(lines: list[Line]) -> Text:
    """The lines in colour; their text is never interpreted as markup."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ignore")
    for number, line in enumerate(lines):
        text.append("\n" if number else "")
        for content, style in line:
            text.append(content, COLOURS[style])
    return text


def _parts(score: Score, layout: _Layout) -> Iterator[_Part]:
    lang = layout.lang
    yield _Fixed(
        _Row((" ", ""), ((say(EXPECTED, lang), "muted"),), ((say(ACTUAL, lang), "muted"),))
    )
    yield from _call_parts(score, layout)
    yield from map(_Fixed, _footer_rows(score, lang))


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


def _call_parts(score: Score, layout: _Layout) -> Iterator[_Part]:
    """The parts of the calls in expected order, with extra calls where they happened."""
    pairs = _pairs_by_position(score)
    paired = {actual for actual, _ in pairs.values()}
    extra = deque(position for position in range(len(score.actual)) if position not in paired)
    for position, call in enumerate(score.expected):
        found = pairs.get(position)
        if found is None:
            yield from map(_Fixed, _missed_rows(call, score, layout))
            continue
        actual_position, pair = found
        while extra and extra[0] < actual_position:
            yield from map(_Fixed, _extra_rows(score, extra.popleft(), layout))
        if pair is None:
            yield _EqualPair(call, score.actual[actual_position], _CORRECT, layout)
        else:
            yield _pair_part(pair, layout)
    for position in extra:
        yield from map(_Fixed, _extra_rows(score, position, layout))


def _pairs_by_position(score: Score) -> dict[int, tuple[int, Pair | None]]:
    """By the expected position of each pair: the actual one, and the pair; None if the calls are equal."""
    settings, expected = score.settings, score.expected
    found: dict[int, tuple[int, Pair | None]] = {}
    # In strict mode, what is correct is equal, unless it has rules. Most pairs are, and making them
    # would take longer than the rest. (In a score without secrets, each pair has its differences.)
    if score.__class__ is Score and settings.mode == "strict" and not settings.has_rules:
        places = [*[(at, at) for at in range(score.equal_start)], *score.other_correct]
        ruled = [place for place in places if contains_matchers(expected[place[0]].arguments)]
        found = {row: (column, None) for row, column in places}
        correct = pairs_at(ruled, expected, score.actual, settings, is_correct=True)
    else:
        correct = score.correct
    for pair in (*correct, *score.incorrect):
        found[pair.expected_index] = pair.actual_index, pair
    return found


def _missed_rows(call: ToolCall, score: Score, layout: _Layout) -> Iterator[_Row]:
    left = _single_call(call, "missed", layout.room, score.expected, layout)
    yield _Row(("-", "missed"), left, is_single=True)
    if call.name in layout.reasons.out_of_order:
        yield _note(say(OUT_OF_ORDER, layout.lang))
    if call.name in layout.reasons.look_alikes:
        yield _note(layout.reasons.look_alikes[call.name])


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


class _Part(Protocol):
    """Some rows of the diff; those of a pair depend on the widths of both sides."""

    def columns(self, widths: _Widths) -> tuple[int, int]:
        """How many columns the rows take on each side; notes run across both and take none."""
        ...

    def has_ellipsis(self, widths: _Widths) -> bool:
        """Whether something on the left side is cut."""
        ...

    def lines(self, drawn: _Widths, widths: _Widths) -> list[Line]:
        """The rows for the widths `drawn`, laid out in `widths`, which may be smaller."""
        ...


class _Fixed:
    """A row that does not depend on the widths: a header, a call without a partner, a note."""

    __slots__ = ("_columns", "_row")

    def __init__(self, row: _Row) -> None:
        self._row = row
        self._columns = _row_columns(row)

    def columns(self, _: _Widths) -> tuple[int, int]:
        return self._columns

    def has_ellipsis(self, _: _Widths) -> bool:
        return _has_ellipsis(self._row)

    def lines(self, _: _Widths, widths: _Widths) -> list[Line]:
        return _lay_out(self._row, widths)


class _Rows:
    """The rows of a pair with differences: a function of the widths, called once for each.

    Rows that are whole and plain (`is_plain`), with nothing on a line of its own, are the same for all
    widths in which they have room.
    """

    __slots__ = ("_draw", "_drawn", "_is_plain", "_whole")

    def __init__(
        self, draw: Callable[[_Widths], Iterator[_Row]], *, is_plain: bool = False
    ) -> None:
        self._draw, self._is_plain = draw, is_plain
        self._drawn: dict[_Widths, tuple[list[_Row], tuple[int, int]]] = {}
        self._whole: tuple[list[_Row], tuple[int, int]] | None = None

    def _rows(self, widths: _Widths) -> tuple[list[_Row], tuple[int, int]]:
        """The rows, and how many columns they take."""
        whole = self._whole
        if whole is not None and whole[1][0] <= widths[0] and whole[1][1] <= widths[1]:
            return whole
        found = self._drawn.get(widths)
        if found is None:
            rows = [*self._draw(widths)]
            found = self._drawn[widths] = rows, _most_columns(rows)
            # With more room, a path on a line of its own may move in front of its value.
            if self._is_plain and not any(row.is_note or _is_cut(row) for row in rows):
                self._whole = found
        return found

    def columns(self, widths: _Widths) -> tuple[int, int]:
        return self._rows(widths)[1]

    def has_ellipsis(self, widths: _Widths) -> bool:
        return any(map(_has_ellipsis, self._rows(widths)[0]))

    def lines(self, drawn: _Widths, widths: _Widths) -> list[Line]:
        return [line for row in self._rows(drawn)[0] for line in _lay_out(row, widths)]


def _is_cut(row: _Row) -> bool:
    cells = () if row.is_note else (*row.expected, *row.actual)
    return any(ELLIPSIS in text for text, _ in cells)


def _row_columns(row: _Row) -> tuple[int, int]:
    if row.is_note:
        return 0, 0
    indent = len(row.indent)
    return indent + _width(row.expected), indent + _width(row.actual)


def _most_columns(rows: list[_Row]) -> tuple[int, int]:
    found = [_row_columns(row) for row in rows]
    return max([left for left, _ in found]), max([right for _, right in found])


def _has_ellipsis(row: _Row) -> bool:
    return any(ELLIPSIS in text for text, _ in row.expected)


class _EqualPair:
    """A pair without differences; a long name has a line of its own, above the arguments.

    Most calls are in such pairs. The text of plain arguments is made once, and cut for each width.
    """

    __slots__ = ("_calls", "_lang", "_least", "_mark", "_most", "_names", "_texts")

    def __init__(self, expected: ToolCall, actual: ToolCall, mark: Span, layout: _Layout) -> None:
        self._calls, self._lang, self._mark = (expected, actual), layout.lang, mark
        name, other = layout.names[expected.name], layout.names[actual.name]
        self._names = name, other
        taken = display_width(name)
        other_taken = taken if other == name else display_width(other)
        self._least = taken + _LEAST_ARGUMENTS, other_taken + _LEAST_ARGUMENTS
        left, right = _plain_arguments(expected, layout), _plain_arguments(actual, layout)
        self._texts = left, right
        # The columns that both calls take as a whole; None if they are not plain.
        self._most: tuple[int, int] | None = None
        if left is not None and right is not None:
            self._most = taken + len(left) + _BRACKETS, other_taken + len(right) + _BRACKETS

    def _fits(self, widths: _Widths) -> bool:
        return self._least[0] <= widths[0] and self._least[1] <= widths[1]

    def _arguments(self, side: int, limit: int) -> str:
        text = self._texts[side]
        if text is None:
            return arguments_text(self._calls[side], limit=limit, lang=self._lang)
        inside = max(limit - _BRACKETS, 1)
        return f"({text})" if len(text) <= inside else f"({text[: inside - 1]}…)"

    def columns(self, widths: _Widths) -> tuple[int, int]:
        if self._most is not None and self._fits(widths):
            left, right = self._most
            return min(left, widths[0]), min(right, widths[1])
        return _most_columns(self._rows(widths))

    def has_ellipsis(self, widths: _Widths) -> bool:
        return any(map(_has_ellipsis, self._rows(widths)))

    def lines(self, drawn: _Widths, widths: _Widths) -> list[Line]:
        if self._most is None or drawn != widths or not self._fits(drawn):
            return [line for row in self._rows(drawn) for line in _lay_out(row, widths)]
        # As `_lay_out` would, which cuts nothing here.
        (name, other), mark, style = self._names, self._mark, self._mark[1]
        left = self._arguments(0, drawn[0] - self._least[0] + _LEAST_ARGUMENTS)
        right = self._arguments(1, drawn[1] - self._least[1] + _LEAST_ARGUMENTS)
        padding = " " * (max(drawn[0] - self._most[0], 0) + _GAP)
        start: Line = ("", ""), mark, (" ", "")
        cells: Line = (
            (name, style),
            (left, "muted"),
            (padding, ""),
            (other, style),
            (right, "muted"),
        )
        return [start + cells]

    def _rows(self, widths: _Widths) -> list[_Row]:
        mark, style = self._mark, self._mark[1]
        if self._fits(widths):
            name, other = self._names
            left, right = [
                self._arguments(side, widths[side] - self._least[side] + _LEAST_ARGUMENTS)
                for side in (0, 1)
            ]
            return [
                _Row(mark, ((name, style), (left, "muted")), ((other, style), (right, "muted")))
            ]
        left, right = [self._arguments(side, widths[side] - len(_INDENT)) for side in (0, 1)]
        below = _Row((" ", ""), ((left, "muted"),), ((right, "muted"),), _INDENT)
        return [_name_row(self._names, mark, widths), below]


def _plain_arguments(call: ToolCall, layout: _Layout) -> str | None:
    if call.error is not None or call.arguments is None:
        return None
    return plain_arguments_text(call.arguments, layout.width)


_CORRECT: Span = ("=", "correct")
_INCORRECT: Span = ("~", "incorrect")


def _pair_part(pair: Pair, layout: _Layout) -> _Part:
    mark = _CORRECT if pair.is_correct else _INCORRECT
    if not pair.differences:
        return _EqualPair(pair.expected, pair.actual, mark, layout)
    names = layout.names[pair.expected.name], layout.names[pair.actual.name]
    if pair.actual.error is not None:
        return _Rows(partial(_malformed_rows, pair, names, mark, layout.lang))
    changes = _changes(pair, layout)
    is_plain = all(
        left.is_plain and right.is_plain for left, right in [each.texts for each in changes]
    )
    draw = partial(_different_rows, pair, names, changes, layout.lang)
    return _Rows(draw, is_plain=is_plain)


def _name_row(names: tuple[str, str], mark: Span, widths: _Widths) -> _Row:
    """The name on both sides, or once if it has no room there."""
    name, other = names
    has_room = display_width(name) <= widths[0] and display_width(other) <= widths[1]
    cell: Line = ((other, mark[1]),) if has_room else ()
    return _Row(mark, ((name, mark[1]),), cell, is_note=not has_room)


class _ValueText:
    """A value, cut for any width; plain text is made only once."""

    __slots__ = ("_text", "_value")

    def __init__(self, value: object, width: int) -> None:
        self._value = value
        self._text = plain_value_text(value, width + 1)

    @property
    def is_plain(self) -> bool:
        """Whether it has the same text in any width that has room for it."""
        return self._text is not None

    def columns(self, limit: int) -> int:
        """How many columns it takes, or more than `limit`."""
        if self._text is None:
            return display_width(render_value(self._value, limit=limit + 1))
        return min(len(self._text), limit + 1)

    def is_cut(self, limit: int) -> bool:
        """Whether it is too long for these columns."""
        if self._text is None or limit <= 0:
            return render_value(self._value, limit=limit).endswith(ELLIPSIS)
        return len(self._text) > limit

    def whole(self, limit: int) -> str | None:
        """The whole text, if it is plain and has room in these columns."""
        return self._text if self._text is not None and len(self._text) <= limit else None


class _Change(NamedTuple):
    """A difference as it is shown: where it is, both values, their types, and notes below them."""

    difference: Difference
    path: str
    texts: tuple[_ValueText, _ValueText]
    types: tuple[str, str]
    notes: list[_Row]


def _changes(pair: Pair, layout: _Layout) -> list[_Change]:
    found, lang = pair.differences, layout.lang
    paths = [path_text(difference.path) for difference in found[:_MAX_DIFFERENCES]]
    short = short_names(paths, _MOST_LINES * layout.room)
    changes: list[_Change] = []
    for path, difference in zip(paths, found, strict=False):
        expected, actual = difference.expected, difference.actual
        texts = _ValueText(expected, layout.width), _ValueText(actual, layout.width)
        types = ("", "")
        if difference.kind == "type":
            types = _type_note(expected, lang), _type_note(actual, lang)
        notes: list[_Row] = []
        if difference.note is not None:
            notes.append(_note(escape(difference.note.text(lang))))
        code_points = difference_code_points(difference, found, lang)
        if code_points is not None:
            notes.append(_note(code_points))
        changes.append(_Change(difference, f"{short[path]}: ", texts, types, notes))
    return changes


def _different_rows(
    pair: Pair, names: tuple[str, str], changes: list[_Change], lang: Language, widths: _Widths
) -> Iterator[_Row]:
    mark = _CORRECT if pair.is_correct else _INCORRECT
    yield _name_row(names, mark, widths)
    inner = _Widths(widths[0] - len(_INDENT), widths[1] - len(_INDENT))
    for change in changes:
        for row in _value_rows(change, inner, lang):
            yield _muted(row) if pair.is_correct else row
        yield from change.notes
    found, matched = pair.differences, pair.matched_arguments
    if len(found) > _MAX_DIFFERENCES:
        more = count_of(MORE_REASONS, len(found) - _MAX_DIFFERENCES, lang)
        yield _note(say(AND_MORE, lang, more=more))
    if matched:
        yield _note(f"… {count_of(EQUAL_ARGUMENTS, matched, lang)}")


def _muted(row: _Row) -> _Row:
    cells: list[Line] = [tuple((text, "muted") for text, _ in cell) for cell in row[1:3]]
    return row._replace(mark=(row.mark[0], "muted"), expected=cells[0], actual=cells[1])


def _note(text: str, *, indent: str = _INDENT, style: Style = "muted") -> _Row:
    return _Row((" ", ""), ((text, style),), indent=indent, is_note=True)


def _malformed_rows(
    pair: Pair, names: tuple[str, str], mark: Span, lang: Language, widths: _Widths
) -> Iterator[_Row]:
    yield _name_row(names, mark, widths)
    left_room, right_room = [width - len(_INDENT) for width in widths]
    expected = pair.expected.arguments
    left = ELLIPSIS if expected is None else render_arguments(expected, limit=left_room)
    error = pair.actual.error or ""
    right = "?" if error == NOT_CAPTURED else render_value(pair.actual.raw, limit=right_room)
    yield _Row(_INCORRECT, ((left, "changed"),), ((right, "changed"),), _INDENT)
    yield _note(malformed_text(error, lang=lang))


# The mark of each kind of difference, and the sides on which it has a value.
_KINDS: dict[str, tuple[Span, tuple[int, ...]]] = {
    "missing": (("-", "missed"), (0,)),
    "unexpected": (("+", "extra"), (1,)),
}
_ANY_KIND: tuple[Span, tuple[int, ...]] = (("~", "incorrect"), (0, 1))


def _value_rows(change: _Change, widths: _Widths, lang: Language) -> Iterator[_Row]:
    """Both values after the path, or below it if there is not enough room."""
    difference, path, texts, types, _ = change
    mark, sides = _KINDS.get(difference.kind, _ANY_KIND)
    rooms = _Widths(widths[0] - display_width(types[0]), widths[1] - display_width(types[1]))
    start = display_width(path)
    needed = [texts[side].columns(rooms[side]) for side in (0, 1)]
    fits_inline = all(needed[side] <= rooms[side] - start for side in sides)
    if not fits_inline:
        fits_below = all(needed[side] <= rooms[side] for side in sides)
        is_short = all(3 * start <= widths[side] for side in sides)
        if fits_below or not is_short:
            yield _Row(mark, ((path.rstrip(), "muted"),), indent=_INDENT, is_note=True)
            mark, path, start = (" ", ""), "", 0
    shown = _shown_values(change, _Widths(rooms[0] - start, rooms[1] - start))
    left: Line = (path, "muted"), (shown[0], "changed"), (types[0], "muted")
    right: Line = (path, "muted"), (shown[1], "changed"), (types[1], "muted")
    if sides == (0,):
        right = ((say(NOT_GIVEN, lang), "muted"),)
    if sides == (1,):
        left = ((say(NOT_EXPECTED, lang), "muted"),)
    yield _Row(mark, left, right, _INDENT)
    if difference.kind == "value":
        more = hidden_differences(difference.expected, difference.actual, shown[0])
        if more:
            yield _note(say(AND_MORE, lang, more=count_of(MORE_REASONS, more, lang)))


def _shown_values(change: _Change, limits: _Widths) -> tuple[str, str]:
    """Both values, cut around the difference; if both are cut, both show the same part."""
    expected, actual = change.difference.expected, change.difference.actual
    left, right = change.texts[0].whole(limits[0]), change.texts[1].whole(limits[1])
    if left is not None and right is not None:
        return left, right
    if change.texts[0].is_cut(limits[0]) and change.texts[1].is_cut(limits[1]):
        return excerpts(expected, actual, limit=min(limits))
    return (
        excerpts(expected, actual, limit=limits[0])[0] if left is None else left,
        excerpts(expected, actual, limit=limits[1])[1] if right is None else right,
    )


def _type_note(value: object, lang: Language) -> str:
    # `null`, and the repr of a value that is not JSON, already show their type.
    is_json = json_type(value) in {"boolean", "number", "string", "object", "array"}
    return f" ({type_name(value, lang=lang)})" if is_json else ""


def _split_width(width: int, needed: list[tuple[int, int]]) -> _Widths:
    """Half of the width for each side; one side may use what the other does not need."""
    left = max([columns for columns, _ in needed])
    right = max([columns for _, columns in needed])
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
    mark, expected, actual, indent, is_note, is_single, _ = row
    start: Line = ((indent, ""), mark, (" ", ""))
    room = widths[0] + widths[1] + _GAP
    if is_note:
        return _note_lines(row, start, room + _MARK)
    if is_single and not actual:
        return [(*start, *_clip_line(expected, room))]
    shift = len(indent)
    taken = _width(expected)
    if taken > widths[0] - shift:
        expected = _clip_line(expected, widths[0] - shift)
        taken = _width(expected)
    column = widths[0] + _GAP
    if is_single:
        column = max(min(column, room - _width(actual)), taken + _GAP if expected else 0)
    right = _clip_line(actual, room - column - shift)
    return [(*start, *expected, (" " * (column - shift - taken) + indent, ""), *right)]


def _width(line: Line) -> int:
    taken = 0
    for text, _ in line:
        taken += len(text) if text.isascii() else display_width(text)
    return taken


def _clip_line(line: Line, width: int) -> Line:
    if _width(line) <= width:
        return line
    *start, (text, style) = line
    room = width - _width(tuple(start))
    if room > 0:
        return (*start, (clip(text, room), style))
    *start, (text, style) = start
    return _clip_line((*start, (text + ELLIPSIS, style)), width)  # shows that something is cut off
