"""The pairs of a diff: equal calls on one line, and below different ones both values of each difference.

The rows of a pair depend on the widths of both sides. Most values are short and plain: then the text of each is made
once, whatever widths are tried.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.core.equality import json_type
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import (
    ELLIPSIS,
    display_width,
    escape,
    excerpts,
    is_narrow,
    plain_arguments_text,
    plain_value_text,
    render_arguments,
    render_value,
    short_names,
)
from callscore.words.callers import caller_suffix
from callscore.words.diff_rows import (
    GAP,
    INDENT,
    Line,
    Part,
    Row,
    Span,
    Widths,
    has_ellipsis,
    lay_out,
    most_columns,
    note,
    plain_text,
    row_text,
)
from callscore.words.explanation import AND_MORE, MORE_REASONS
from callscore.words.reasons import difference_code_points, hidden_differences, malformed_text
from callscore.words.value_text import arguments_text, path_text, type_name

if TYPE_CHECKING:
    from callscore.core.arguments import Difference
    from callscore.core.score import Pair
    from callscore.words.unpaired import UnpairedReasons

MAX_DIFFERENCES = 20
_MOST_LINES = 4  # that a name or a path may take
_BRACKETS = len("()")
_LEAST_ARGUMENTS = len("(…)")
_CORRECT: Span = ("=", "correct")
_INCORRECT: Span = ("~", "incorrect")

NOT_GIVEN = Phrase("not given", "не передано")
NOT_EXPECTED = Phrase("not expected", "не ожидалось")
EQUAL_ARGUMENTS = Plural(
    ("equal argument", "equal arguments"),
    ("совпавший аргумент", "совпавших аргумента", "совпавших аргументов"),
)
EQUAL_VALUES = Plural(
    ("equal value", "equal values"),
    ("совпавшее значение", "совпавших значения", "совпавших значений"),
)
_encode = msgspec.json.Encoder().encode


class Layout(NamedTuple):
    """The room for a whole line, the names of tools, and why calls are unpaired."""

    width: int
    room: int  # without the mark
    names: dict[str, str]
    reasons: UnpairedReasons
    lang: Language


def longest_name(room: int) -> int:
    """How many columns a name or a path may take at most."""
    return _MOST_LINES * room


def pair_part(pair: Pair, layout: Layout) -> Part:
    """The rows of a pair."""
    mark = _CORRECT if pair.is_correct else _INCORRECT
    if not pair.differences:
        return EqualPair(pair.expected, pair.actual, layout, mark)
    names = _name_and_caller(pair.expected, layout), _name_and_caller(pair.actual, layout)
    if pair.actual.error is not None:
        return _MalformedPair(pair, names, mark, layout)
    return _DifferentPair(pair, names, mark, layout)


def _name_and_caller(call: ToolCall, layout: Layout) -> str:
    return layout.names[call.name] + caller_suffix(call, layout.lang)


def state_part(pair: Pair, layout: Layout) -> Part:
    """The differences of two states, below a title."""
    mark = _CORRECT if pair.is_correct else _INCORRECT
    return _StateDifferences(pair, ("", ""), mark, layout)


class EqualPair:
    """A pair without differences; a long name has a line of its own, above the arguments.

    Most calls are in such pairs. The text of plain calls is made once, and cut for each width.
    """

    __slots__ = ("_callers", "_calls", "_cells", "_layout", "_least", "_mark", "_taken", "most")

    def __init__(
        self, expected: ToolCall, actual: ToolCall, layout: Layout, mark: Span = _CORRECT
    ) -> None:
        self._calls, self._layout, self._mark = (expected, actual), layout, mark
        names, width = layout.names, layout.width
        name, other = names[expected.name], names[actual.name]
        taken = len(name) if name.isascii() else display_width(name)
        other_taken = taken if other == name else display_width(other)
        self._callers = ("", "")
        if expected.caller is not None or actual.caller is not None:
            self._callers = caller_suffix(expected, layout.lang), caller_suffix(actual, layout.lang)
            taken += display_width(self._callers[0])
            other_taken += display_width(self._callers[1])
        self._taken = taken, other_taken
        self._least = taken + _least_arguments(expected), other_taken + _least_arguments(actual)
        # Both calls as a whole, as wide as they are long; None if they are not plain.
        self._cells: tuple[str, str] | None = None
        left = _plain_arguments(expected, width)
        if left is not None and taken == len(name) and other_taken == len(other):
            cell = f"{name}({left})"
            if name == other and _are_written_alike(expected, actual):
                self._cells = cell, cell
            else:
                right = _plain_arguments(actual, width)
                self._cells = None if right is None else (cell, f"{other}({right})")
        self.most = self.columns((width, width))

    def columns(self, widths: Widths) -> Widths:
        """How many columns both calls take if there are only these."""
        cells, least = self._cells, self._least
        if cells is None or least[0] > widths[0] or least[1] > widths[1]:
            return most_columns(self._rows(widths))
        left, right = len(cells[0]), len(cells[1])
        return min(left, widths[0]), min(right, widths[1])

    def has_ellipsis(self, widths: Widths) -> bool:
        """Whether the expected call is cut."""
        return any(map(has_ellipsis, self._rows(widths)))

    def lines(self, drawn: Widths, widths: Widths) -> list[Line]:
        """Both calls on one line, or on two if a name is long."""
        return [line for row in self._rows(drawn) for line in lay_out(row, widths)]

    def text(self, drawn: Widths, widths: Widths) -> str:
        """The text of these lines, without colour."""
        cells, least = self._cells, self._least
        if cells is None or drawn != widths or least[0] > drawn[0] or least[1] > drawn[1]:
            return plain_text(self.lines(drawn, widths))
        # The same, written out: most lines of a report are made here.
        (left, right), (width, other_width) = cells, drawn
        padding = width - len(left)
        if padding < 0:
            left, padding = f"{left[: width - 2]}…)", 0
        if len(right) > other_width:
            right = f"{right[: other_width - 2]}…)"
        return f"{self._mark[0]} {left}{' ' * (padding + GAP)}{right}"

    def _rows(self, widths: Widths) -> list[Row]:
        least, mark, style = self._least, self._mark, self._mark[1]
        if least[0] <= widths[0] and least[1] <= widths[1]:
            rooms = [widths[side] - self._taken[side] for side in (0, 1)]
            cells: list[Line] = [
                ((self._name(side), style), (self._arguments(side, rooms[side]), "muted"))
                for side in (0, 1)
            ]
            return [Row(mark, cells[0], cells[1])]
        rooms = [widths[side] - len(INDENT) - display_width(self._callers[side]) for side in (0, 1)]
        cells = [((self._arguments(side, rooms[side]), "muted"),) for side in (0, 1)]
        names = self._name(0), self._name(1)
        return [_name_row(names, mark, widths), Row((" ", ""), cells[0], cells[1], INDENT)]

    def _name(self, side: int) -> str:
        return self._layout.names[self._calls[side].name]

    def _arguments(self, side: int, limit: int) -> str:
        """The arguments, and who makes the call if it is not the agent."""
        if self._cells is None:
            text = arguments_text(self._calls[side], limit=limit, lang=self._layout.lang)
            return text + self._callers[side]
        text, limit = self._cells[side][len(self._name(side)) :], max(limit, _LEAST_ARGUMENTS)
        return text if len(text) <= limit else f"{text[: limit - 2]}…)"


def _least_arguments(call: ToolCall) -> int:
    """How many columns the arguments take if they are cut; none are `()`, which is not cut."""
    return _BRACKETS if call.arguments == {} and call.error is None else _LEAST_ARGUMENTS


def _plain_arguments(call: ToolCall, width: int) -> str | None:
    if call.error is not None or call.arguments is None:
        return None
    return plain_arguments_text(call.arguments, width)


def _are_written_alike(expected: ToolCall, actual: ToolCall) -> bool:
    """Whether arguments that are plain on the left have the same text on the right.

    Encoding both takes half as long as making the other text. Values that are not JSON, or are encoded
    like another value (NaN like null), are not equal to a plain one.
    """
    left, right = expected.arguments, actual.arguments
    try:
        return left == right and actual.error is None and _encode(left) == _encode(right)
    except Exception:  # noqa: BLE001  (not JSON, or an object that raises when compared)
        return False


def _name_row(names: tuple[str, str], mark: Span, widths: Widths) -> Row:
    """The name on both sides, or once if it has no room there."""
    name, other = names
    has_room = display_width(name) <= widths[0] and display_width(other) <= widths[1]
    cell: Line = ((other, mark[1]),) if has_room else ()
    return Row(mark, ((name, mark[1]),), cell, is_note=not has_room)


class _DrawnPair(ABC):
    """A pair with differences: its rows are drawn for each two widths that are tried."""

    __slots__ = ("_drawn", "_layout", "_mark", "_names", "_pair", "most")

    def __init__(self, pair: Pair, names: tuple[str, str], mark: Span, layout: Layout) -> None:
        self._pair, self._names, self._mark, self._layout = pair, names, mark, layout
        self._drawn: dict[Widths, list[Row]] = {}
        self.most = self.columns((layout.width, layout.width))

    @abstractmethod
    def _draw(self, widths: Widths) -> Iterator[Row]: ...

    def _rows(self, widths: Widths) -> list[Row]:
        found = self._drawn.get(widths)
        if found is None:
            found = self._drawn[widths] = [*self._draw(widths)]
        return found

    def columns(self, widths: Widths) -> Widths:
        return most_columns(self._rows(widths))

    def has_ellipsis(self, widths: Widths) -> bool:
        return any(map(has_ellipsis, self._rows(widths)))

    def lines(self, drawn: Widths, widths: Widths) -> list[Line]:
        return [line for row in self._rows(drawn) for line in lay_out(row, widths)]

    def text(self, drawn: Widths, widths: Widths) -> str:
        return "\n".join([row_text(row, widths) for row in self._rows(drawn)])


class _MalformedPair(_DrawnPair):
    """A pair whose actual call has no readable arguments."""

    __slots__ = ()

    def _draw(self, widths: Widths) -> Iterator[Row]:
        pair = self._pair
        yield _name_row(self._names, self._mark, widths)
        left_room, right_room = [width - len(INDENT) for width in widths]
        expected = pair.expected.arguments
        left = ELLIPSIS if expected is None else render_arguments(expected, limit=left_room)
        error = pair.actual.error or ""
        right = "?" if error == NOT_CAPTURED else render_value(pair.actual.raw, limit=right_room)
        yield Row(_INCORRECT, ((left, "changed"),), ((right, "changed"),), INDENT)
        yield note(malformed_text(error, lang=self._layout.lang))


class _Change(NamedTuple):
    """A difference as it is shown: where it is, both values, their types, and notes below them.

    The text of a value is None if it is not plain: then it is made for each width.
    """

    difference: Difference
    path: str
    texts: tuple[str | None, str | None]
    types: tuple[str, str]
    notes: list[Row]


def _changes(pair: Pair, layout: Layout) -> list[_Change]:
    found, lang = pair.differences, layout.lang
    paths = [path_text(difference.path) for difference in found[:MAX_DIFFERENCES]]
    short = short_names(paths, longest_name(layout.room))
    longest = layout.width + 1
    changes: list[_Change] = []
    for path, difference in zip(paths, found, strict=False):
        expected, actual = difference.expected, difference.actual
        texts = plain_value_text(expected, longest), plain_value_text(actual, longest)
        types = ("", "")
        if difference.kind == "type":
            types = _type_note(expected, lang), _type_note(actual, lang)
        notes: list[Row] = []
        if difference.note is not None:
            notes.append(note(escape(difference.note.text(lang))))
        code_points = difference_code_points(difference, found, lang)
        if code_points is not None:
            notes.append(note(code_points))
        changes.append(_Change(difference, f"{short[path]}: ", texts, types, notes))
    return changes


# The mark of each kind of difference, and the sides on which it has a value.
_KINDS: dict[str, tuple[Span, tuple[int, ...]]] = {
    "missing": (("-", "missed"), (0,)),
    "unexpected": (("+", "extra"), (1,)),
}
_ANY_KIND: tuple[Span, tuple[int, ...]] = (("~", "incorrect"), (0, 1))


class _DifferentPair(_DrawnPair):
    """A pair with differences: the name, both values of each difference, and notes below them.

    Plain values that have room beside their paths are the same in all widths with that room. Nothing
    is drawn then: the columns that they take are known, and their text is written at once.
    """

    __slots__ = ("_changes", "_inline", "_notes", "_whole")
    _equal = EQUAL_ARGUMENTS

    def __init__(self, pair: Pair, names: tuple[str, str], mark: Span, layout: Layout) -> None:
        self._changes = _changes(pair, layout)
        self._notes = _notes_below(pair, self._equal, layout.lang)
        self._inline = _inline_cells(self._changes, layout.lang)
        # The columns that all cells take beside their paths; None if one is not plain.
        self._whole: Widths | None = None
        if self._inline is not None:
            left, right = display_width(names[0]), display_width(names[1])
            for _, one, other, _ in self._inline:
                left = max(left, len(one) + len(INDENT))
                right = max(right, len(other) + len(INDENT))
            self._whole = left, right
        super().__init__(pair, names, mark, layout)

    def _draw(self, widths: Widths) -> Iterator[Row]:
        yield _name_row(self._names, self._mark, widths)
        inner = widths[0] - len(INDENT), widths[1] - len(INDENT)
        for change in self._changes:
            for row in _value_rows(change, inner, self._layout.lang):
                yield _muted(row) if self._pair.is_correct else row
            yield from change.notes
        yield from self._notes

    def columns(self, widths: Widths) -> Widths:
        whole = self._whole
        if whole is not None and whole[0] <= widths[0] and whole[1] <= widths[1]:
            return whole
        return most_columns(self._rows(widths))

    def text(self, drawn: Widths, widths: Widths) -> str:
        whole = self._whole
        room = min(drawn[0], widths[0]), min(drawn[1], widths[1])
        if self._inline is None or whole is None or whole[0] > room[0] or whole[1] > room[1]:
            return super().text(drawn, widths)
        (name, other), column = self._names, widths[0] + GAP
        padding = " " * (column - display_width(name))
        lines = [f"{self._mark[0]} {name}{padding}{other}".rstrip()]  # a name may end with a space
        column -= len(INDENT)
        for sign, left, right, notes in self._inline:
            lines.append(f"  {sign} {left}{' ' * (column - len(left))}  {right}")
            if notes:
                lines += [row_text(row, widths) for row in notes]
        lines += [row_text(row, widths) for row in self._notes]
        return "\n".join(lines)


class _StateDifferences(_DifferentPair):
    """The differences of two states: a state has no name."""

    __slots__ = ()
    _equal = EQUAL_VALUES

    def _draw(self, widths: Widths) -> Iterator[Row]:
        _, *rows = super()._draw(widths)
        yield from rows

    def text(self, _: Widths, widths: Widths) -> str:
        return "\n".join([row_text(row, widths) for row in self._rows(widths)])


_Cells = tuple[str, str, str, list[Row]]


def _inline_cells(changes: list[_Change], lang: Language) -> list[_Cells] | None:
    """The mark, both cells and the notes of each difference; None if a value or a path is not plain."""
    found: list[_Cells] = []
    for difference, path, (left, right), types, notes in changes:
        # In a value with an ellipsis of its own, `hidden_differences` are looked for.
        if left is None or right is None or ELLIPSIS in left or not is_narrow(path):
            return None
        if difference.kind == "missing":
            cells = "-", f"{path}{left}", say(NOT_GIVEN, lang), notes
        elif difference.kind == "unexpected":
            cells = "+", say(NOT_EXPECTED, lang), f"{path}{right}", notes
        else:
            cells = "~", f"{path}{left}{types[0]}", f"{path}{right}{types[1]}", notes
        found.append(cells)
    return found


def _notes_below(pair: Pair, equal: Plural, lang: Language) -> list[Row]:
    """How many differences are not shown, and how many arguments are equal."""
    notes: list[Row] = []
    more, matched = len(pair.differences) - MAX_DIFFERENCES, pair.matched_arguments
    if more > 0:
        notes.append(note(say(AND_MORE, lang, more=count_of(MORE_REASONS, more, lang))))
    if matched:
        notes.append(_equal_parts(equal, matched, lang))
    return notes


@lru_cache(maxsize=64)
def _equal_parts(nouns: Plural, count: int, lang: Language) -> Row:
    return note(f"… {count_of(nouns, count, lang)}")


def _muted(row: Row) -> Row:
    cells: list[Line] = [tuple((text, "muted") for text, _ in cell) for cell in row[1:3]]
    return row._replace(mark=(row.mark[0], "muted"), expected=cells[0], actual=cells[1])


def _value_rows(change: _Change, widths: Widths, lang: Language) -> Iterator[Row]:
    """Both values after the path, or below it if there is not enough room."""
    difference, path, texts, types, _ = change
    mark, sides = _KINDS.get(difference.kind, _ANY_KIND)
    values = difference.expected, difference.actual
    rooms = widths[0] - display_width(types[0]), widths[1] - display_width(types[1])
    start = display_width(path)
    needed = [_value_columns(values[side], texts[side], rooms[side]) for side in (0, 1)]
    fits_inline = all(needed[side] <= rooms[side] - start for side in sides)
    if not fits_inline:
        fits_below = all(needed[side] <= rooms[side] for side in sides)
        is_short = all(3 * start <= widths[side] for side in sides)
        if fits_below or not is_short:
            yield Row(mark, ((path.rstrip(), "muted"),), indent=INDENT, is_note=True)
            mark, path, start = (" ", ""), "", 0
    shown = _shown_values(change, (rooms[0] - start, rooms[1] - start))
    left: Line = (path, "muted"), (shown[0], "changed"), (types[0], "muted")
    right: Line = (path, "muted"), (shown[1], "changed"), (types[1], "muted")
    if sides == (0,):
        right = ((say(NOT_GIVEN, lang), "muted"),)
    if sides == (1,):
        left = ((say(NOT_EXPECTED, lang), "muted"),)
    yield Row(mark, left, right, INDENT)
    if difference.kind == "value":
        more = hidden_differences(difference.expected, difference.actual, shown[0])
        if more:
            yield note(say(AND_MORE, lang, more=count_of(MORE_REASONS, more, lang)))


def _value_columns(value: object, text: str | None, limit: int) -> int:
    """How many columns a value takes, or more than `limit`."""
    if text is None:
        return display_width(render_value(value, limit=limit + 1))
    return min(len(text), limit + 1)


def _is_cut(value: object, text: str | None, limit: int) -> bool:
    """Whether a value is too long for these columns."""
    if text is None or limit <= 0:
        return render_value(value, limit=limit).endswith(ELLIPSIS)
    return len(text) > limit


def _shown_values(change: _Change, limits: Widths) -> tuple[str, str]:
    """Both values, cut around the difference; if both are cut, both show the same part."""
    expected, actual = change.difference.expected, change.difference.actual
    left, right = [
        text if text is not None and len(text) <= limit else None
        for text, limit in zip(change.texts, limits, strict=True)
    ]
    if left is not None and right is not None:
        return left, right
    if _is_cut(expected, change.texts[0], limits[0]) and _is_cut(
        actual, change.texts[1], limits[1]
    ):
        return excerpts(expected, actual, limit=min(limits))
    return (
        excerpts(expected, actual, limit=limits[0])[0] if left is None else left,
        excerpts(expected, actual, limit=limits[1])[1] if right is None else right,
    )


def _type_note(value: object, lang: Language) -> str:
    # `null`, and the repr of a value that is not JSON, already show their type.
    is_json = json_type(value) in {"boolean", "number", "string", "object", "array"}
    return f" ({type_name(value, lang=lang)})" if is_json else ""
