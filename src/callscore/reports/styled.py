"""Text with styles, which needs rich only on a terminal: its import takes longer than most reports.

`Text` has the part of `rich.text.Text` that reports use, and becomes one when a console prints it.
In a file or a pipe, text that fits its line is written as it is; the rest is left to rich.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.padding import Padding
    from rich.text import Text as RichText

    from callscore.words.diff_rows import Line

Overflow = Literal["fold", "crop", "ellipsis", "ignore"]

# Characters that take one column of a terminal in every version of Unicode, and are no space but " ".
_PLAIN = re.compile(
    "[ -~\xa1-\xac\xae-\u02ff\u0370-\u0482\u2013\u2014\u2018-\u201e\u2026\u2190-\u2193\u2212"
    "\u2260\u2264\u2265\u2500-\u25fc\u2713-\u2718]*"
)
_WORD = re.compile(r"\s*\S+\s*")
_NOT_SHOWN = {7: None, 8: None, 11: None, 12: None, 13: None}  # rich leaves them out, too


def is_plain(text: str) -> bool:
    """Whether a text is one line, and as many columns wide as it has characters."""
    return _PLAIN.fullmatch(text) is not None


def fitting_lines(text: str, width: int, *, wraps: bool = False) -> list[str] | None:
    """The lines of a text, wrapped between words if `wraps`; None if one may have to be cut."""
    found: list[str] = []
    for line in text.split("\n"):
        if is_plain(line):
            lines = [line] if len(line) <= width else _wrapped(line, width) if wraps else None
        else:
            lines = [line] if line.isprintable() and _columns(line) <= width else None
        if lines is None:
            return None
        found += lines
    return found


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if is_plain(text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _wrapped(line: str, width: int) -> list[str] | None:
    """The parts of a line, as rich wraps it; None if it has a word without room."""
    starts, taken = [0], 0
    for word in _WORD.finditer(line):
        needed = len(word[0].rstrip())
        if needed > width:
            return None
        if taken and needed > width - taken:
            starts.append(word.start())
            taken = 0
        taken += len(word[0])
    return [line[start:end] for start, end in zip(starts, [*starts[1:], len(line)], strict=True)]


class Part(Protocol):
    """A part of a report."""

    def __rich__(self) -> RenderableType: ...

    def fitting_lines(self, width: int) -> list[str] | None:
        """Its lines without styles; None if rich has to cut one of them."""


class Text:
    """A text, of which parts have styles."""

    __slots__ = ("_cell_len", "_length", "_parts", "no_wrap", "overflow", "spans", "style")

    def __init__(
        self,
        text: str = "",
        style: str = "",
        *,
        no_wrap: bool | None = None,
        overflow: Overflow | None = None,
    ) -> None:
        self._parts = [_shown(text)]
        self._length = len(self._parts[0])
        self._cell_len: int | None = None  # until it is asked for
        self.spans: list[
            tuple[int, int, str]
        ] = []  # from, to, style: later ones on top of earlier ones
        self.style = style
        self.no_wrap = no_wrap
        self.overflow = overflow

    def __len__(self) -> int:
        return self._length

    @property
    def plain(self) -> str:
        """The text without styles."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0]

    @property
    def cell_len(self) -> int:
        """How many columns of the terminal it takes."""
        if self._cell_len is None:
            self._cell_len = _columns(self.plain)
        return self._cell_len

    def append(self, text: str, style: str = "") -> Text:
        """Add a text with a style; returns this text."""
        shown = _shown(text)
        if shown:
            start = self._length
            self._length += len(shown)
            self._cell_len = None
            self._parts.append(shown)
            if style:
                self.spans.append((start, self._length, style))
        return self

    def append_text(self, text: Text) -> Text:
        """Add a text with all its styles; returns this text."""
        start = self._length
        self._length += len(text)
        self._cell_len = None
        self._parts.append(text.plain)
        if text.style:
            self.spans.append((start, self._length, text.style))
        self.spans += [(start + first, start + end, style) for first, end, style in text.spans]
        return self

    def stylize(self, style: str, start: int, end: int) -> None:
        """Add a style to a part of the text."""
        end = min(end, len(self))
        if style and start < end:
            self.spans.append((start, end, style))

    def join(self, texts: Iterable[Text]) -> Text:
        """The texts, with this one between them."""
        found = Text(style=self.style, no_wrap=self.no_wrap, overflow=self.overflow)
        for number, text in enumerate(texts):
            if number and self:
                found.append_text(self)
            found.append_text(text)
        return found

    def rstrip(self) -> None:
        """Remove the blanks at the end."""
        self._cut(self.plain.rstrip())

    def truncate(self, width: int) -> None:
        """Cut the text to a number of columns, with an ellipsis at the end of what is left."""
        if self.cell_len > width:
            from rich.cells import set_cell_size

            self._cut(set_cell_size(self.plain, width - 1) + "…")

    def _cut(self, text: str) -> None:
        length = self._length = len(text)
        self._cell_len = None
        self._parts = [text]
        self.spans = [
            (start, min(end, length), style) for start, end, style in self.spans if start < length
        ]

    def __rich__(self) -> RichText:
        from rich.text import Span
        from rich.text import Text as RichText

        spans = [Span(*span) for span in self.spans]
        text = RichText(self.plain, self.style, no_wrap=self.no_wrap, overflow=self.overflow)
        text.spans = spans
        return text

    def fitting_lines(self, width: int) -> list[str] | None:
        """The lines without styles; None if one of them has to be cut."""
        return fitting_lines(self.plain, width, wraps=not self.no_wrap)


def _shown(text: str) -> str:
    return text if text.isprintable() else text.translate(_NOT_SHOWN)


class Indented:
    """A text with blanks before each line."""

    __slots__ = ("_expands", "_indent", "_text")

    def __init__(self, text: Text, indent: int, *, expands: bool = False) -> None:
        self._text = text
        self._indent = indent
        self._expands = expands

    def __rich__(self) -> Padding:
        from rich.padding import Padding

        return Padding(self._text, (0, 0, 0, self._indent), expand=self._expands)

    def fitting_lines(self, width: int) -> list[str] | None:
        """The lines without styles; None if one of them has to be cut."""
        lines = self._text.fitting_lines(width - self._indent)
        if lines is None or not any(lines):  # of nothing but line breaks rich leaves some out
            return None
        return [" " * self._indent + line for line in lines]


class StyledLines(NamedTuple):
    """The lines of a diff, which are not wrapped."""

    lines: Sequence[Line]

    def __rich__(self) -> RichText:
        from callscore.words.diff import rich_text  # as below

        return rich_text(list(self.lines))

    def fitting_lines(self, width: int) -> list[str] | None:
        """The lines without styles; None if one of them has to be cut."""
        text = "\n".join(["".join([content for content, _ in line]) for line in self.lines])
        return fitting_lines(text, width)


def diff_text(lines: list[Line]) -> Text:
    """The lines of a diff, in colour; they are never wrapped."""
    from callscore.words.diff import COLOURS  # tables of runs have no diffs

    text = Text(no_wrap=True, overflow="ignore")
    for number, line in enumerate(lines):
        text.append("\n" if number else "")
        for content, style in line:
            text.append(content, COLOURS[style])
    return text
