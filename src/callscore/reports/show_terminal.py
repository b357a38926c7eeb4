"""A run of the history, for people: which one it is, and then what it gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from callscore.core.text import clip_middle, escape
from callscore.core.wording import say
from callscore.reports import history_wording, run_terminal
from callscore.reports.sections import SPACE, width_of, written

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.core.run import RunResults
    from callscore.core.wording import Language
    from callscore.reports.history_rows import RunRow

__all__ = ["render", "write"]


def write(row: RunRow, run: RunResults, *, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    return written(lambda console: render(row, run, lang=lang, console=console))


def render(row: RunRow, run: RunResults, *, console: Console, lang: Language = "en") -> None:
    """Print the report."""
    width = width_of(console)
    for line in _heading(row, width, lang):
        console.print(line, width=width)
    console.print()
    run_terminal.render(run, console=console, lang=lang, is_past=True)


def _heading(row: RunRow, width: int, lang: Language) -> list[Text]:
    """What the run is called, when it was, what made it, and on which commit."""
    line = Text().append(escape(row.id), "bold")
    names = [history_wording.BASELINE_MARK + escape(name) for name in row.baselines]
    called = ", ".join([*names, *([escape(row.name)] if row.name else [])])
    if called:
        room = max(width - line.cell_len - len(SPACE), 1)
        line.append(SPACE).append(clip_middle(called, room), "cyan")
    parts = [history_wording.moment(row.started_at, lang)]
    if row.command in history_wording.COMMANDS:
        parts.append(say(history_wording.COMMANDS[row.command], lang))
    if row.status in history_wording.STATUSES:
        parts.append(say(history_wording.STATUSES[row.status], lang))
    if row.is_partial:
        parts.append(say(history_wording.PART, lang))
    commit = history_wording.commit_text(row.git_commit, is_dirty=row.git_dirty)
    if commit:
        parts.append(f"{say(history_wording.COMMIT, lang)} {commit}")
    return [line, Text(", ".join(parts), "dim")]
