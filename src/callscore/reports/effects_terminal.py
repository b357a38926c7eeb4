"""The report of the effects of tools on a terminal: headline, table, and what to decide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callscore.core.rendering import display_width, short_names
from callscore.reports import effects as wording
from callscore.reports.styled import Text
from callscore.reports.tables import WrappedGrid, wrapped_grid
from callscore.reports.terminal import PlainPage, Section, note_line, print_sections, report_width

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.checks.effects import EffectsFound, ToolEffect
    from callscore.core.phrases import Language

_MAX_NAME = 40
_SHORTEST_NAME = 12
_MIN_EVIDENCE = 24  # columns; names are cut for it
_SPACE = 2
_COLOURS = {"read": "green", "write": "cyan"}


def render(found: EffectsFound, *, console: Console | PlainPage, lang: Language = "en") -> None:
    """Print the report."""
    print_sections(_sections(found, report_width(console), lang), console)


def _sections(found: EffectsFound, width: int, lang: Language) -> Iterator[Section]:
    read, kinds = wording.headline(found, lang)
    yield [Text(kinds, "bold"), Text(read, "dim")]
    if found.tools:
        yield [_table(found.tools, width, lang)]
    yield [note_line(*note) for note in wording.effect_notes(found, lang)]


def _table(tools: tuple[ToolEffect, ...], width: int, lang: Language) -> WrappedGrid:
    """A row per tool; the evidence is wrapped in the rest of the line."""
    heads = wording.headers(lang)
    kinds = [wording.kind_text(tool, lang) for tool in tools]
    calls = [str(tool.calls) for tool in tools]
    numbers, words = max(map(len, (heads[1], *calls))), max(map(len, (heads[2], *kinds)))
    room = width - numbers - words - 3 * _SPACE - _MIN_EVIDENCE
    room = min(max(room, _SHORTEST_NAME), _MAX_NAME)
    short = short_names([tool.name for tool in tools], room)
    widths = [max(map(display_width, (heads[0], *short.values()))), numbers, words]
    rows = [
        [
            Text(head.rjust(widths[1]) if place == 1 else head, "dim")
            for place, head in enumerate(heads)
        ]
    ]
    for tool, count, kind in zip(tools, calls, kinds, strict=True):
        rows.append(
            [
                Text(short[tool.name]),
                Text(count.rjust(widths[1])),
                Text(kind, _style(tool)),
                Text(wording.evidence_text(tool, lang), "" if tool.evidence else "dim"),
            ]
        )
    return wrapped_grid(rows, widths=widths, space=_SPACE, overflow="fold")


def _style(tool: ToolEffect) -> str:
    is_open = tool.is_contradictory or tool.decided_by == "unknown"
    return "yellow" if is_open else _COLOURS[tool.effect]
