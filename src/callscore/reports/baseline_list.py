"""The baselines of a history: which names mean which runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict
from rich.text import Text

from callscore.core.plain import encode_json, plain
from callscore.core.text import clip_middle, escape
from callscore.core.wording import Phrase, say
from callscore.reports import history_wording as wording
from callscore.reports.column_table import Column, column_lines
from callscore.reports.sections import print_sections, width_of, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from callscore.core.wording import Language

__all__ = ["NamedRun", "render", "to_json", "write"]

_BASELINE = Phrase("baseline", "базовый")
_SET = Phrase("set", "задан")


class NamedRun(Struct, frozen=True, gc=False, kw_only=True):
    """A baseline, and the run that it means.

    Attributes:
        name: the baseline.
        run: the id of the run.
        called: what somebody calls the run itself.
        started_at: when the run was, in seconds since 1970.
        set_at: since when it is the baseline, likewise.
        git_commit: the commit of the project; None outside of a repository.
        git_dirty: whether files had changed since.
    """

    name: str
    run: str
    called: str | None = None
    started_at: float
    set_at: float
    git_commit: str | None = None
    git_dirty: bool | None = None


def to_json(found: Sequence[NamedRun]) -> str:
    """An array with an object a baseline, in the order of their names."""
    rows: list[dict[str, Any]] = [
        {field: plain(value) for field, value in asdict(each).items()} for each in found
    ]
    return msgspec.json.format(encode_json(rows), indent=2).decode() + "\n"


def write(found: Sequence[NamedRun], *, lang: Language = "en") -> str:
    """The list as plain text, for a file."""
    return written(lambda console: render(found, lang=lang, console=console))


def render(found: Sequence[NamedRun], *, console: Console, lang: Language = "en") -> None:
    """Print the list."""
    width = width_of(console)
    names = [
        Text(wording.BASELINE_MARK + clip_middle(escape(each.name), width // 3), "cyan")
        for each in found
    ]
    runs = [Text(escape(each.run)) for each in found]
    columns = [
        Column(say(_BASELINE, lang), names, is_left=True),
        Column(say(wording.RUN, lang), runs, is_left=True),
        Column(
            say(wording.WHEN, lang),
            [Text(wording.moment_cell(each.started_at, lang), "dim") for each in found],
        ),
        Column(
            say(wording.COMMIT, lang),
            [
                Text(wording.commit_text(each.git_commit, is_dirty=each.git_dirty), "dim")
                for each in found
            ],
            is_left=True,
        ),
        Column(
            say(_SET, lang), [Text(wording.moment_cell(each.set_at, lang), "dim") for each in found]
        ),
    ]
    shown = [column for column in columns if any(cell.plain for cell in column.cells)]
    while len(shown) > 1 and sum(column.width + 3 for column in shown) - 3 > width:
        shown.pop()
    print_sections([list(column_lines(shown))], console)
