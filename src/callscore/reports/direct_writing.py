"""Writes lines that are laid out already to a terminal, as `rich` would write them but without its layout.

`rich` wraps, measures and crops whatever it prints. The lines of a diff fit by construction, and so do most other lines
of a report: only their colours are left to write. What does not fit is left to `rich`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import COLOR_SYSTEMS, Console, ConsoleOptions, RenderResult
from rich.segment import Segment

from callscore.core.rendering import is_narrow
from callscore.reports.styled import Part, StyledLines, Text
from callscore.words.diff import COLOURS

_Spans = list[tuple[str, str]]
_BLOCK = 1 << 13  # characters that are written together


class _Written(NamedTuple):
    """Lines with their colours, which a console writes as they are."""

    text: str

    def __rich_console__(self, _: Console, __: ConsoleOptions) -> RenderResult:
        yield Segment(self.text)


class DirectWriter:
    """Writes lines of at most `width` columns to a console."""

    def __init__(self, console: Console, width: int) -> None:
        self._console = console
        self._width = width
        self._codes: dict[str, tuple[str, str]] = {"": ("", "")}
        self._waiting: list[str] = []
        self._size = 0
        # What is recorded, or not shown as text, needs the styles themselves.
        self._is_possible = not (console.record or console.legacy_windows or console.is_jupyter)

    def write(self, text: str) -> None:
        """Write whole lines, soon."""
        self._waiting.append(text)
        self._size += len(text)
        if self._size >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write all that waits."""
        if self._waiting:
            self._console.print(_Written("".join(self._waiting)), crop=False)
        self._waiting.clear()
        self._size = 0

    def written(self, part: Part) -> str | None:
        """The lines of a part as they are written; None if `rich` has to lay it out."""
        lines = self._lines_of(part) if self._is_possible else None
        return None if lines is None else self._joined(lines)

    def _lines_of(self, part: Part) -> Iterable[_Spans] | None:
        if isinstance(part, StyledLines):
            if all(self._fits("".join([text for text, _ in line])) for line in part.lines):
                lines = part.lines or [()]  # nothing takes a line
                return [[(text, COLOURS[style]) for text, style in line] for line in lines]
        elif isinstance(part, Text) and all(map(self._fits, part.plain.split("\n"))):
            spans = _spans(part)
            return None if spans is None else _lines(spans)
        return None

    def _fits(self, line: str) -> bool:
        return (len(line) if is_narrow(line) else cell_len(line)) <= self._width

    def _joined(self, lines: Iterable[_Spans]) -> str:
        parts: list[str] = []
        for line in lines:
            for text, style in line:
                before, after = self._codes.get(style) or self._codes_of(style)
                parts.append(f"{before}{text}{after}" if before and text else text)
            parts.append("\n")
        return "".join(parts)

    def _codes_of(self, style: str) -> tuple[str, str]:
        """What precedes and follows a text in this style on this terminal."""
        console = self._console
        system = COLOR_SYSTEMS[console.color_system] if console.color_system else None
        found = console.get_style(style)
        found = found.without_color if console.no_color else found
        before, _, after = found.render("x", color_system=system).partition("x")
        self._codes[style] = before, after
        return before, after


def _spans(text: Text) -> _Spans | None:
    """The parts of a text with their styles; None if one style is on top of another."""
    plain, found, end = text.plain, _Spans(), 0
    if not text.spans:
        return [(plain, text.style)]
    if text.style:
        return None
    for start, stop, style in text.spans:
        if start < end:
            return None
        found += [(plain[end:start], ""), (plain[start:stop], style)]
        end = stop
    return [*found, (plain[end:], "")]


def _lines(spans: _Spans) -> Iterator[_Spans]:
    line: _Spans = []
    for text, style in spans:
        first, *others = text.split("\n")
        line.append((first, style))
        for other in others:
            yield line
            line = [(other, style)]
    yield line
