"""Draw docs/images/report.svg: what `callscore demo` shows in a terminal."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

__all__ = ["draw", "main"]

TARGET = Path(__file__).with_name("report.svg")
WIDTH = 96
OPENING = 5  # the headline, the rates, the totals, the trials and the tools
CASE = "airline-0 #0"
# Some viewers drop the blanks at the beginning of a piece of text, and with them the alignment.
INDENTED = re.compile(r'x="([\d.]+)" (y="[\d.]+") textLength="([\d.]+)" ([^>]*)>((?:&#160;)+)')
BLANK = "&#160;"
BLANK_WIDTH = 12.2


def main() -> None:
    """Write the picture."""
    TARGET.write_text(draw(), encoding="utf-8")
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


def draw() -> str:
    """Run the demo as on a terminal of fixed width and export its first tables and a case."""
    environment = os.environ | {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    shown = subprocess.run(
        [sys.executable, "-m", "callscore", "demo"],
        env=environment,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    sections = shown.split("\n\n")
    case = next(section for section in sections if CASE in section)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi("\n\n".join([*sections[:OPENING], "...", case, "..."])))
    drawing = console.export_svg(title="callscore demo", unique_id="callscore")
    # A picture must not fetch anything: without the named fonts a viewer takes its own.
    drawing = re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)
    return INDENTED.sub(_moved, drawing)


def _moved(text: re.Match[str]) -> str:
    """A piece of text that begins where its first visible character is."""
    x, y, length, rest, blanks = text.groups()
    indent = blanks.count(BLANK) * BLANK_WIDTH
    return f'x="{float(x) + indent:.1f}" {y} textLength="{float(length) - indent:.1f}" {rest}>'


if __name__ == "__main__":
    main()
