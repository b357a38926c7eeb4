"""A report as sections with an empty line between them, on a terminal or in a file."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "INDENT",
    "SPACE",
    "Section",
    "indented",
    "note_line",
    "print_sections",
    "width_of",
    "written",
]

Section = list[RenderableType]

_FILE_WIDTH = 100
_WIDEST = 140
SPACE = "   "  # between the parts of a line
INDENT = 2


def written(render: Callable[[Console], None]) -> str:
    """What is printed, as plain text for a file."""
    console = Console(file=StringIO(), width=_FILE_WIDTH, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        render(console)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def width_of(console: Console) -> int:
    """How many columns a report takes: the terminal's, unless lines would be too long to read."""
    return min(console.width, _WIDEST)


def print_sections(sections: Iterable[Section], console: Console) -> None:
    """Print sections; what stands in the data is never taken for markup."""
    width = width_of(console)
    for number, section in enumerate(sections):
        if number:
            console.print()
        for part in section:
            console.print(part, width=width)


def note_line(sentence: str, names: str, *, style: str = "yellow") -> Text:
    """A note: a sentence, and the first names that it is about."""
    line = Text().append("! ", style).append(sentence)
    return line.append(f" ({names})" if names else "", "dim")


def indented(text: Text) -> Padding:
    """A text that stands a little to the right of its heading."""
    return Padding(text, (0, 0, 0, INDENT), expand=False)
