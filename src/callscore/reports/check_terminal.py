"""The report of checks on a terminal: headline, faults by tool, and the first findings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from callscore.core.phrases import Language, say
from callscore.core.rendering import (
    EMPTY_NAME,
    clip,
    clip_middle,
    escape,
    render_arguments,
    short_names,
    wrap_hanging,
)
from callscore.core.score import SCHEMA_FAULTS, FaultKind
from callscore.reports import check as wording
from callscore.reports.styled import Indented, Text
from callscore.reports.tables import Column, ColumnTable, column_table, header_width, stacked_words
from callscore.reports.terminal import PlainPage, Section, note_line, print_sections, report_width
from callscore.words.reasons import fault_kind_name, fault_reason
from callscore.words.value_text import MORE

if TYPE_CHECKING:
    from rich.console import Console

    from callscore.checks.check import CheckResults, Finding, ToolFaults

_MOST_TOOLS = 20
_NAME_WIDTH = 40
_SHORTEST_NAME = 12
_INDENT = 4
_SPACE = "  "


def render(results: CheckResults, *, console: Console | PlainPage, lang: Language = "en") -> None:
    """Print the report."""
    print_sections(_sections(results, report_width(console), lang), console)


def _sections(results: CheckResults, width: int, lang: Language) -> Iterator[Section]:
    checked, faulty = wording.headline_parts(results, lang)
    colour = "red" if results.faulty_calls else "green"
    line = Text().append(checked, "bold").append(": ").append(faulty, f"bold {colour}")
    valid = wording.parameters_line(results, lang)
    yield [line] if valid is None else [line, Text(valid)]
    yield [note_line(*note) for note in wording.check_notes(results, lang)]
    if results.totals:
        yield _faults_by_tool(results, width, lang)
    for _, findings in groupby(results.findings, lambda item: (item.place, item.fault.index)):
        yield _call_section([*findings], width, lang)
    more = wording.more_findings(results, lang)
    yield [Text(more, "dim")] if more else []


def _faults_by_tool(results: CheckResults, width: int, lang: Language) -> Section:
    kinds = list(results.totals)
    heads = [say(wording.CALLS, lang), *(fault_kind_name(kind, lang=lang) for kind in kinds)]
    # Labels take one line per word; names are cut, numbers never are.
    needed = sum(header_width(stacked_words(head)) + len(_SPACE) for head in heads)
    room = min(width - needed, _NAME_WIDTH)
    faulty = [(name, tool) for name, tool in results.tools.items() if tool.total]
    shown = faulty[:_MOST_TOOLS]
    if room >= _SHORTEST_NAME:
        table = _table_by_kind(results, shown, room, lang)
    else:
        table = _list_by_kind(shown, width, lang)
    section: Section = [Text(say(wording.FAULTS, lang), "bold"), table]
    if len(faulty) > _MOST_TOOLS:
        section.append(Text(say(MORE, lang, count=len(faulty) - _MOST_TOOLS), "dim"))
    return section


def _table_by_kind(
    results: CheckResults, tools: list[tuple[str, ToolFaults]], room: int, lang: Language
) -> ColumnTable:
    """A row per tool and a column per kind of fault."""
    short = short_names([name for name, _ in tools], room)
    counted = [(short[name], tool.calls, tool.faults) for name, tool in tools]
    if len(results.tools) > 1:
        counted.append((say(wording.TOTAL, lang), results.calls, results.totals))
    columns = [
        Column(say(wording.TOOL, lang), [Text(name) for name, _, _ in counted], is_left=True),
        Column(
            stacked_words(say(wording.CALLS, lang)), [Text(str(calls)) for _, calls, _ in counted]
        ),
    ]
    for kind in results.totals:
        cells = [_count(faults.get(kind, 0), kind) for _, _, faults in counted]
        columns.append(Column(stacked_words(fault_kind_name(kind, lang=lang)), cells))
    return column_table(columns, space=len(_SPACE))


def _list_by_kind(tools: list[tuple[str, ToolFaults]], width: int, lang: Language) -> ColumnTable:
    """A row per tool and kind of fault, for a narrow terminal."""
    room = max(width // 2, _SHORTEST_NAME)
    rows = [(name, kind, count) for name, tool in tools for kind, count in tool.faults.items()]
    short = short_names([name for name, _ in tools], room)
    names = [Text(short[name]) for name, _, _ in rows]
    kinds = [Text(fault_kind_name(kind, lang=lang)) for _, kind, _ in rows]
    counts = [_count(count, kind) for _, kind, count in rows]
    columns = [
        Column(say(wording.TOOL, lang), names, is_left=True),
        Column(say(wording.FAULT, lang), kinds, is_left=True),
        Column(say(wording.TIMES, lang), counts),
    ]
    return column_table(columns, space=len(_SPACE))


def _count(count: int, kind: FaultKind) -> Text:
    return Text(str(count), _kind_colour(kind) if count else "dim")


def _kind_colour(kind: FaultKind) -> str:
    return "red" if kind in SCHEMA_FAULTS else "yellow"


def _call_section(findings: list[Finding], width: int, lang: Language) -> Section:
    """All faults of one call."""
    first, room = findings[0], width - _INDENT
    call = first.call
    if call.error is not None:
        inside = escape((call.raw or "")[:room])
    else:
        inside = render_arguments(call.arguments or {}, limit=room)
    text = clip(f"{clip_middle(escape(call.name) or EMPTY_NAME, _NAME_WIDTH)}({inside})", room)
    section: Section = [
        Text("\n".join(wording.location_lines(first, width, lang)), "bold"),
        _indented(Text(text, "dim")),
    ]
    for finding in findings:
        fault = finding.fault
        name, reason = fault_kind_name(fault.kind, lang=lang), fault_reason(fault, lang=lang)
        # The sentence about an unknown tool starts with the name of the fault.
        sentence = reason if reason.startswith(name) else f"{name}{_SPACE}{reason}"
        lines = Text("\n".join(wrap_hanging(sentence, room)))
        lines.stylize(_kind_colour(fault.kind), 0, len(name))
        section.append(_indented(lines))
    return section


def _indented(text: Text) -> Indented:
    return Indented(text, _INDENT, expands=True)
