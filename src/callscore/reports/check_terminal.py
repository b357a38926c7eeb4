"""What checking calls gave, for people: headline, faults by tool, and the first findings."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from callscore.core.phrases import say
from callscore.core.rendering import clip, clip_middle, escape, render_arguments
from callscore.core.score import SCHEMA_FAULTS
from callscore.reports import check as wording
from callscore.reports.formatting import MORE
from callscore.reports.terminal import (
    Section,
    note_line,
    print_sections,
    printed_text,
    report_width,
)
from callscore.words.reasons import fault_kind_name, fault_reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from callscore.checks.check import CheckResults, Finding, ToolFaults
    from callscore.core.call import ToolCall
    from callscore.core.phrases import Language
    from callscore.core.score import FaultKind

__all__ = ["render", "write_text"]

_MOST_TOOLS = 20
_NAME_WIDTH = 40
_SHORTEST_NAME = 12
_INDENT = 4
_SPACE = "  "


def write_text(results: CheckResults, *, lang: Language = "en") -> str:
    """The report as plain text, for a file."""
    return printed_text(lambda console: render(results, lang=lang, console=console))


def render(results: CheckResults, *, console: Console, lang: Language = "en") -> None:
    """Print the report."""
    print_sections(_sections(results, report_width(console), lang), console)


def _sections(results: CheckResults, width: int, lang: Language) -> Iterator[Section]:
    yield _headline(results, lang)
    notes: Section = [note_line(*line) for line in wording.check_notes(results, lang)]
    if notes:
        yield notes
    if results.totals:
        yield _faults_by_tool(results, width, lang)
    for _, findings in groupby(results.findings, lambda item: (item.place, item.fault.index)):
        yield _call_section([*findings], width, lang)
    more = wording.more_findings(results, lang)
    if more is not None:
        yield [Text(more, "dim")]


def _headline(results: CheckResults, lang: Language) -> Section:
    checked, faulty = wording.headline_parts(results, lang)
    colour = "red" if results.faulty_calls else "green"
    line = Text().append(checked, "bold").append(": ").append(faulty, f"bold {colour}")
    valid = wording.parameters_line(results, lang)
    return [line] if valid is None else [line, Text(valid)]


def _faults_by_tool(results: CheckResults, width: int, lang: Language) -> Section:
    kinds = list(results.totals)
    heads = [say(wording.CALLS, lang), *(fault_kind_name(kind, lang=lang) for kind in kinds)]
    # Two words may stand on two lines; and it is the names that give way, never the numbers.
    needed = sum(max(map(len, head.split())) + len(_SPACE) for head in heads)
    room = min(width - needed, _NAME_WIDTH)
    faulty = [(name, tool) for name, tool in results.tools.items() if tool.total]
    shown = faulty[:_MOST_TOOLS]
    is_wide = room >= _SHORTEST_NAME
    table = (
        _table_by_kind(results, shown, room, lang) if is_wide else _list_by_kind(shown, width, lang)
    )
    section: Section = [Text(say(wording.FAULTS, lang), "bold"), table]
    if len(faulty) > _MOST_TOOLS:
        section.append(Text(say(MORE, lang, count=len(faulty) - _MOST_TOOLS), "dim"))
    return section


def _table_by_kind(
    results: CheckResults, tools: list[tuple[str, ToolFaults]], room: int, lang: Language
) -> Table:
    """A row a tool and a column a class of faults."""
    kinds = list(results.totals)
    table = _table([say(wording.TOOL, lang)])
    for head in (say(wording.CALLS, lang), *(fault_kind_name(kind, lang=lang) for kind in kinds)):
        label = Text("\n".join(head.split()))
        table.add_column(label, justify="right", vertical="bottom", no_wrap=True)
    for name, tool in tools:
        counts = [_count(tool.faults.get(kind, 0), kind) for kind in kinds]
        table.add_row(Text(clip_middle(escape(name), room)), str(tool.calls), *counts)
    if len(results.tools) > 1:
        totals = [_count(count, kind) for kind, count in results.totals.items()]
        table.add_row(Text(say(wording.TOTAL, lang)), str(results.calls), *totals)
    return table


def _list_by_kind(tools: list[tuple[str, ToolFaults]], width: int, lang: Language) -> Table:
    """A row a tool and class of faults, for a narrow terminal."""
    table = _table([say(wording.TOOL, lang), say(wording.FAULT, lang)])
    table.add_column(Text(say(wording.TIMES, lang)), justify="right", no_wrap=True)
    room = max(width // 2, _SHORTEST_NAME)
    for name, tool in tools:
        for kind, count in tool.faults.items():
            label = Text(clip_middle(escape(name), room))
            table.add_row(label, fault_kind_name(kind, lang=lang), _count(count, kind))
    return table


def _table(names: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, len(_SPACE), 0, 0), header_style="dim")
    for name in names:
        table.add_column(Text(name), no_wrap=True, vertical="bottom")
    return table


def _count(count: int, kind: FaultKind) -> Text:
    return Text(str(count), _kind_colour(kind) if count else "dim")


def _kind_colour(kind: FaultKind) -> str:
    return "red" if kind in SCHEMA_FAULTS else "yellow"


def _call_section(findings: list[Finding], width: int, lang: Language) -> Section:
    """All that is wrong with one call."""
    first = findings[0]
    section: Section = [
        Text(wording.location_of(first, lang), "bold"),
        _indented(Text(_call_text(first.call, width - _INDENT), "dim")),
    ]
    for finding in findings:
        kind = finding.fault.kind
        line = Text().append(fault_kind_name(kind, lang=lang), _kind_colour(kind)).append(_SPACE)
        section.append(_indented(line.append(fault_reason(finding.fault, lang=lang))))
    return section


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, _INDENT))


def _call_text(call: ToolCall, width: int) -> str:
    if call.error is not None:
        inside = escape((call.raw or "")[:width])
    else:
        inside = render_arguments(call.arguments or {}, limit=width)
    return clip(f"{clip_middle(escape(call.name), _NAME_WIDTH)}({inside})", width)
