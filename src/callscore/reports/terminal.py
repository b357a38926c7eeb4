"""The parts of every report on a terminal: sections, notes, and the values of scorers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from callscore.core.rendering import clip, clip_middle, display_width, escape, wrap
from callscore.reports.formatting import file_width, low_scorers, metric_cells
from callscore.reports.styled import Indented, Part, Text
from callscore.reports.tables import WrappedGrid, wrapped_grid

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.results import MetricValue

Section = list[Part]

_WIDEST = 140
_UNLIMITED = 1 << 30
SPACE = "   "  # between the parts of a line
INDENT = 2


class PlainPage:
    """A page without colours, for a file or a pipe.

    A part that fits the page is printed without rich, whose import and layout take much longer.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._lines: list[str] = []
        self._console: Console | None = None  # for parts that do not fit

    @property
    def text(self) -> str:
        """What was printed, without blanks at the ends of lines."""
        return "\n".join(map(str.rstrip, self._lines)) + "\n"

    def print(self, *parts: Part, width: int | None = None, soft_wrap: bool | None = None) -> None:
        """Print a part of a report, or an empty line."""
        if not parts:
            self._lines.append("")
        for part in parts:
            room = self.width if width is None else min(width, self.width)
            room = _UNLIMITED if soft_wrap else room
            lines = part.fitting_lines(room)
            if lines is None:
                lines = self._lines_by_rich(part, width=width, soft_wrap=soft_wrap)
            self._lines += lines

    def _lines_by_rich(self, part: Part, **options: Any) -> list[str]:
        if self._console is None:
            from rich.console import Console

            self._console = Console(
                file=StringIO(), width=self.width, color_system=None, legacy_windows=False
            )
        with self._console.capture() as capture:
            self._console.print(part, **options)
        return capture.get().splitlines()


def printed_text(render: Callable[..., None], *about: Any, **options: Any) -> str:
    """The report that a function prints, as plain text for a file or a pipe."""
    page = PlainPage(file_width())
    render(*about, console=page, **options)
    return page.text


def report_width(console: Console | PlainPage) -> int:
    """The width of the terminal, unless lines would be too long to read."""
    return min(console.width, _WIDEST)


def print_sections(sections: Iterable[Section], console: Console | PlainPage) -> None:
    """Print the sections that are not empty, with an empty line between them."""
    width = report_width(console)
    if not isinstance(console, PlainPage):
        _print_on_terminal(sections, console, width)
        return
    for number, section in enumerate(filter(None, sections)):
        if number:
            console.print()
        for part in section:
            console.print(part, width=width)


def _print_on_terminal(sections: Iterable[Section], console: Console, width: int) -> None:
    from callscore.reports.direct_writing import DirectWriter  # it imports rich

    writer = DirectWriter(console, width)
    for number, section in enumerate(filter(None, sections)):
        if number:
            writer.write("\n")
        for part in section:
            text = writer.written(part)
            if text is None:
                writer.flush()
                console.print(part, width=width)
            else:
                writer.write(text)
    writer.flush()


def note_line(sentence: str, names: str, *, style: str = "yellow") -> WrappedGrid:
    """A note: a sentence, and the first names that it is about; later lines are indented."""
    text = Text(sentence).append(f" ({names})" if names else "", "dim")
    return wrapped_grid([(Text("!", style), text)], space=1, overflow="fold")


def indented(text: Text) -> Indented:
    """A text that is indented below its heading."""
    return Indented(text, INDENT)


_LONGEST_NAME = 400


def heading_line(name: str, parts: Iterable[Text], width: int) -> Text:
    """The whole name of a case, or of a file, and what is known about it.

    A part without room has an indented line of its own, and nothing but a huge name is cut: several
    cases may differ only in the middle of their names.
    """
    *lines, last = wrap(clip_middle(escape(name), _LONGEST_NAME), width)
    line = Text().append("\n".join([*lines, last]), "bold")
    taken = display_width(last)
    for part in filter(None, parts):
        if taken + len(SPACE) + part.cell_len <= width:
            line.append(SPACE).append_text(part)
            taken += len(SPACE) + part.cell_len
            continue
        for words in wrap(part.plain, width - INDENT):
            line.append("\n" + " " * INDENT)
            line.append_text(part if words == part.plain else Text(words, part.style))
            taken = INDENT + display_width(words)
    return line


_REASON_WIDTH = 300


def scorer_value_lines(
    values: Sequence[MetricValue],
    pass_mark: float,
    width: int,
    *,
    longest: int | None = _REASON_WIDTH,
) -> Section:
    """The values of the scorers for one case in as few lines as possible, and their reasons.

    Values below `pass_mark` are red; `longest` limits the width of a reason.
    """
    if not values:
        return []
    low = {escape(found.name) for found in low_scorers(values, pass_mark)}
    none = {escape(found.name) for found in values if found.value is None}
    lines = Text()
    for place, cells in enumerate(metric_cells(values, width - INDENT, border=pass_mark)):
        lines.append("\n" if place else "")
        for position, (value, name) in enumerate(cells):
            style = "dim" if name.rstrip() in none else "red" if name.rstrip() in low else ""
            lines.append(SPACE if position else "").append(value, style).append(f" {name}", "dim")
    section: Section = [indented(lines)]
    for found in values:
        if found.reason:
            reason = escape(found.reason)
            reason = reason if longest is None else clip(reason, longest)
            section.append(indented(Text().append(f"{escape(found.name)}: ", "dim").append(reason)))
    return section
