"""The rows of a diff: cells for both sides, clipped and padded to two columns of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

from callscore.core.rendering import ELLIPSIS, clip, display_width, is_narrow, wrap, wrap_hanging

Style = Literal["", "muted", "correct", "incorrect", "missed", "extra", "forbidden", "changed"]
Span = tuple[str, Style]
Line = tuple[Span, ...]
Widths = tuple[int, int]  # of the expected and of the actual side

GAP = 3
MARK = 2
INDENT = "  "


class Row(NamedTuple):
    """A line before its cells are clipped and padded; a note runs across both columns."""

    mark: Span
    expected: Line = ()
    actual: Line = ()
    indent: str = ""
    is_note: bool = False
    hang: int = 0


class Part(Protocol):
    """Some rows of the diff; those of a pair depend on the widths of both sides."""

    most: Widths
    """How many columns the rows take on each side in unlimited room; notes take none."""

    def columns(self, widths: Widths) -> Widths:
        """How many columns they take if there are only these."""
        ...

    def has_ellipsis(self, widths: Widths) -> bool:
        """Whether something on the left side is cut."""
        ...

    def lines(self, drawn: Widths, widths: Widths) -> list[Line]:
        """The rows for the widths `drawn`, laid out in `widths`, which may be smaller."""
        ...

    def text(self, drawn: Widths, widths: Widths) -> str:
        """The text of these lines, without colour."""
        ...


def plain_text(lines: Iterable[Line]) -> str:
    """The lines without colour."""
    return "\n".join(["".join([text for text, _ in line]).rstrip() for line in lines])


def note(text: str, *, indent: str = INDENT, style: Style = "muted", hang: int = 0) -> Row:
    """A row across both columns."""
    return Row((" ", ""), ((text, style),), (), indent, is_note=True, hang=hang)


class FixedRow:
    """A row that does not depend on the widths: a header, or a note."""

    __slots__ = ("_row", "most")

    def __init__(self, row: Row) -> None:
        self._row = row
        self.most = _row_columns(row)

    def columns(self, _: Widths) -> Widths:
        """The same in all widths."""
        return self.most

    def has_ellipsis(self, _: Widths) -> bool:
        """Whether something on the left side is cut."""
        return has_ellipsis(self._row)

    def lines(self, _: Widths, widths: Widths) -> list[Line]:
        """The row, laid out."""
        return lay_out(self._row, widths)

    def text(self, _: Widths, widths: Widths) -> str:
        """Its text, without colour."""
        return row_text(self._row, widths)


class TitleRow:
    """The title of the rows below it, and a word about them; it begins where the marks are."""

    __slots__ = ("_title", "_word", "most")

    def __init__(self, title: Span, word: Span) -> None:
        self._title, self._word = title, word
        self.most: Widths = (0, 0)

    def columns(self, _: Widths) -> Widths:
        """None: it runs across both columns."""
        return self.most

    def has_ellipsis(self, _: Widths) -> bool:
        """It is never cut."""
        return False

    def lines(self, _: Widths, widths: Widths) -> list[Line]:
        """The title and the word, which has its own lines if there is no room."""
        room = MARK + widths[0] + GAP + widths[1]
        word, style = self._word
        first: Line = (self._title,)
        if not word:
            return [first]
        if _width(first) + GAP + display_width(word) <= room:
            return [(*first, (" " * GAP, ""), self._word)]
        return [first, *[((INDENT, ""), (text, style)) for text in wrap(word, room - len(INDENT))]]

    def text(self, drawn: Widths, widths: Widths) -> str:
        """The text of these lines, without colour."""
        return plain_text(self.lines(drawn, widths))


class SingleCall:
    """A call without a partner: its mark, its name and its arguments.

    It begins in the column of its side and has as many lines as it needs; all but the first are indented.
    A missed call may take the room of the other side. A forbidden one has a word there.
    """

    __slots__ = ("_arguments", "_is_extra", "_mark", "_name", "_word", "most")

    def __init__(
        self, mark: Span, name: str, arguments: str, *, is_extra: bool, word: str = ""
    ) -> None:
        self._mark, self._name, self._arguments = mark, name, arguments
        self._is_extra, self._word = is_extra, word
        taken = display_width(name) + display_width(arguments)
        self.most: Widths = (display_width(word), taken) if is_extra else (taken, 0)

    def columns(self, widths: Widths) -> Widths:
        """How many columns the call takes if there are only these."""
        return min(self.most[0], widths[0]), min(self.most[1], widths[1])

    def has_ellipsis(self, _: Widths) -> bool:
        """A call is not cut to fit into a column."""
        return False

    def lines(self, _: Widths, widths: Widths) -> list[Line]:
        """The call in the lines that it needs."""
        mark, style = self._mark
        found: list[Line] = []
        for start, name, arguments in self._pieces(widths):
            word = "" if found else self._word
            before: Line = ((" " if found else mark, style), (" ", ""))
            if self._is_extra:
                padding = " " * (widths[0] + GAP - display_width(word))
                before = (*before, (word, style), (padding, ""))
            found.append((*before, (start, ""), (name, style), (arguments, "muted")))
        return found

    def _room(self, widths: Widths) -> int:
        return widths[1] if self._is_extra else widths[0] + GAP + widths[1]

    def _pieces(self, widths: Widths) -> Iterator[tuple[str, str, str]]:
        """What each line has of the call: its indent, a part of the name, and of the arguments."""
        room, name, is_open = self._room(widths), len(self._name), False
        if self.most[self._is_extra] <= room:
            yield "", self._name, self._arguments
            return
        # A line may also end after the bracket.
        text = f"{self._name}{self._arguments[:1]} {self._arguments[1:]}"
        for number, line in enumerate(wrap_hanging(text, room)):
            start = len(INDENT) if number else 0
            rest = line[start + name :]
            if not is_open and rest:
                is_open, rest = True, f"({rest[1:].lstrip(' ')}"
            yield line[:start], line[start : start + name], rest
            name = max(name - (len(line) - start), 0)

    def text(self, drawn: Widths, widths: Widths) -> str:
        """The text of these lines, without colour."""
        if self._word or self.most[self._is_extra] > self._room(widths):
            return plain_text(self.lines(drawn, widths))
        # The same, written out.
        padding = " " * (widths[0] + GAP) if self._is_extra else ""
        return f"{self._mark[0]} {padding}{self._name}{self._arguments}"


def _row_columns(row: Row) -> Widths:
    if row.is_note:
        return 0, 0
    indent = len(row.indent)
    return indent + _width(row.expected), indent + _width(row.actual)


def most_columns(rows: Sequence[Row]) -> Widths:
    """How many columns the widest of the rows takes on each side."""
    found = [_row_columns(row) for row in rows]
    return max([left for left, _ in found]), max([right for _, right in found])


def has_ellipsis(row: Row) -> bool:
    """Whether something on the left side is cut."""
    return any(ELLIPSIS in text for text, _ in row.expected)


def split_width(width: int, needed: Sequence[Widths]) -> Widths:
    """Half of the width for each side; one side may use what the other does not need."""
    left = right = 0
    for one, other in needed:
        if one > left:  # noqa: PLR1730  (hot, and `max` takes longer)
            left = one
        if other > right:  # noqa: PLR1730  (as above)
            right = other
    left = min(left, max(width // 2, width - right))
    return left, width - left


def note_lines(row: Row, start: Line, width: int) -> list[Line]:
    """A note in as many lines as it needs."""
    ((text, style),) = row.expected
    taken = _width(start)
    first, *others = wrap_hanging(text, width - taken, hang=row.hang)
    blank: Line = ((" " * taken, ""),)
    return [(*start, (first, style)), *[(*blank, (line, style)) for line in others]]


def lay_out(row: Row, widths: Widths) -> list[Line]:
    """The lines of a row in two columns of these widths."""
    mark, expected, actual, indent, is_note, _ = row
    start: Line = ((indent, ""), mark, (" ", ""))
    room = widths[0] + widths[1] + GAP
    if is_note:
        return note_lines(row, start, room + MARK)
    shift = len(indent)
    taken = _width(expected)
    if taken > widths[0] - shift:
        expected = _clip_line(expected, widths[0] - shift)
        taken = _width(expected)
    column = widths[0] + GAP
    right = _clip_line(actual, room - column - shift)
    return [(*start, *expected, (" " * (column - shift - taken) + indent, ""), *right)]


def row_text(row: Row, widths: Widths) -> str:
    """The text of a row that is laid out, without colour."""
    mark, expected, actual, indent, is_note, _ = row
    if is_note:
        return _note_text(row, widths)
    # As `lay_out`, for rows of which nothing is cut: most of them.
    left, right = _width(expected), _width(actual)
    before = "".join([text for text, _ in expected])
    after = "".join([text for text, _ in actual])
    if left + len(indent) <= widths[0] and right + len(indent) <= widths[1]:
        padding = " " * (widths[0] + GAP - len(indent) - left)
        return f"{indent}{mark[0]} {before}{padding}{indent}{after}".rstrip()
    return plain_text(lay_out(row, widths))


def _note_text(row: Row, widths: Widths) -> str:
    text, start = row.expected[0][0], f"{row.indent}{row.mark[0]} "
    room = widths[0] + widths[1] + GAP + MARK - len(start) - row.hang
    # As `note_lines`, if it has room: most notes.
    if len(text) <= room and is_narrow(text) and "\N{NO-BREAK SPACE}" not in text:
        return f"{start}{text}".rstrip()
    return plain_text(lay_out(row, widths))


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
