"""Draw docs/images/report.svg: what `callscore demo` shows in a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

TARGET = Path(__file__).with_name("report.svg")
WIDTH = 96
OPENING = 5  # the headline, the rates, the totals, the trials and the tools
CASE = "airline-0 #0"
# Some viewers drop the blanks at the beginning of a piece of text, and with them the alignment.
INDENTED = re.compile(r'x="([\d.]+)" (y="[\d.]+") textLength="([\d.]+)" ([^>]*)>((?:&#160;)+)')
BLANK = "&#160;"
BLANK_WIDTH = 12.2


def main() -> None:
    """Run the demo as on a terminal of fixed width and export its first tables and a case."""
    lines = _shown_on_a_terminal([str(Path(sys.executable).with_name("callscore")), "demo"])
    cut = [*lines[:LINES], "..."] if len(lines) > LINES else lines
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi("\n".join(cut)))
    drawing = console.export_svg(title="callscore demo", unique_id="callscore")
    # A picture must not fetch anything: without the named fonts a viewer takes its own.
    drawing = re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)
    TARGET.write_text(INDENTED.sub(_moved, drawing), encoding="utf-8")
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


def _shown_on_a_terminal(command: list[str]) -> list[str]:
    """What a command prints, in colour, where it believes that somebody looks."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, env=environment, stdout=theirs):  # noqa: S603  (our own program)
        os.close(theirs)
        shown = b"".join(_read_until_closed(ours))
    return shown.decode().splitlines()


def _read_until_closed(terminal: int) -> Iterator[bytes]:
    # Linux reports the end of a terminal as an error, other systems as nothing to read.
    with suppress(OSError):
        while piece := os.read(terminal, 65536):
            yield piece


def _moved(text: re.Match[str]) -> str:
    """A piece of text that begins where its first visible character is."""
    x, y, length, rest, blanks = text.groups()
    indent = blanks.count(BLANK) * BLANK_WIDTH
    return f'x="{float(x) + indent:.1f}" {y} textLength="{float(length) - indent:.1f}" {rest}>'


if __name__ == "__main__":
    main()
