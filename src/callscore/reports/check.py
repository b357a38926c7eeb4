"""The report of checked calls: its phrases, and its JSON, JSON lines and Markdown forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip_middle, display_width, escape, wrap
from callscore.reports.formatting import (
    SKIPPED_NOTE,
    UNREAD_NOTE,
    code,
    first_names,
    join_blocks,
    note_items,
    table,
    unread_places,
)
from callscore.words.plain_data import call_to_dict, noted_to_dict
from callscore.words.reasons import fault_kind_name, fault_sentence
from callscore.words.value_text import (
    FILES,
    MORE,
    TOOLS,
    TRACES,
    encode_json,
    json_document,
    percent,
)

if TYPE_CHECKING:
    from callscore.checks.check import CheckResults, Finding
    from callscore.core.results import Noted

_CALLS = Plural(("call", "calls"), ("вызов", "вызова", "вызовов"))
FINDINGS = Plural(("fault", "faults"), ("ошибка", "ошибки", "ошибок"))

_FAULTY = Phrase("{count} with faults of any kind ({share})", "с любыми ошибками {count} ({share})")
_FAULTLESS = Phrase("no faults found", "ошибок не найдено")
_NO_CALLS = Phrase("no calls", "вызовов нет")
_VALID = Phrase(
    "valid under their schemas: {share} ({part} of {whole})",
    "соответствуют схеме: {share} ({part} из {whole})",
)
FAULTS = Phrase("Faults by tool", "Ошибки по инструментам")
TOOL = Phrase("tool", "инструмент")
CALLS = Phrase("calls", "вызовы")
FAULT = Phrase("fault", "ошибка")
TIMES = Phrase("times", "раз")
TOTAL = Phrase("all", "все")
_MORE_FINDINGS = Phrase(
    "… {faults} not shown; --max-shown shows more",
    "… не показано: {faults}; --max-shown покажет больше",
)
_CALL = Phrase("call {number}", "вызов {number}")
# A counted noun and a sentence for each field of the results.
_NOTES = {
    "without_tools": (
        TRACES,
        Phrase(
            "{count} without tool definitions: checked only for repeats, loops and malformed "
            "arguments; specify definitions with --tools",
            "{count} без описаний инструментов: проверены только повторы, циклы и нечитаемые "
            "аргументы; укажите описания: --tools",
        ),
    ),
    "unusable": (
        TOOLS,
        Phrase(
            "{count} with an unusable schema: arguments not checked",
            "{count} с непригодной схемой: аргументы не проверены",
        ),
    ),
    "without_calls": (
        SKIPPED_NOTE[0],
        Phrase(
            "{count} not checked: no actual calls given",
            "не проверено, фактические вызовы не указаны: {count}",
        ),
    ),
    "skipped": SKIPPED_NOTE,
    "unread": UNREAD_NOTE,
}
_UNCHECKED = Phrase(
    "{count} with unchecked arguments: no usable schema for the tool, or no named arguments in the "
    "trace",
    "{count} с непроверенными аргументами: нет пригодной схемы инструмента или в трассе нет "
    "именованных аргументов",
)
_NAMES_SHOWN = 3
_NAME_WIDTH = 120


def headline_parts(results: CheckResults, lang: Language) -> tuple[str, str]:
    """What was checked, and how many calls have faults."""
    counted = ((FILES, results.files), (TRACES, results.runs), (_CALLS, results.calls))
    checked = ", ".join(count_of(noun, count, lang) for noun, count in counted)
    if not results.calls:
        return checked, say(_NO_CALLS, lang)
    if not results.faulty_calls:
        return checked, say(_FAULTLESS, lang)
    share = percent(results.faulty_calls / results.calls)
    return checked, say(_FAULTY, lang, count=results.faulty_calls, share=share)


def parameters_line(results: CheckResults, lang: Language) -> str | None:
    """The share of the calls whose parameters are valid; None if none could be checked."""
    share = results.parameters_valid
    if share is None:
        return None
    whole = results.checked_calls
    part = whole - results.invalid_calls
    return say(_VALID, lang, share=percent(share), part=part, whole=whole)


def check_notes(results: CheckResults, lang: Language) -> list[tuple[str, str]]:
    """What was not checked completely: sentences, and the first names unless all are meant."""
    lines: list[tuple[str, str]] = []
    for field, (nouns, sentence) in _NOTES.items():
        noted: Noted = getattr(results, field)
        if noted.count:
            count = count_of(nouns, noted.count, lang)
            widths = {"width": _NAME_WIDTH, "most": _NAMES_SHOWN}
            names = first_names(noted.names, noted.count, lang, **widths)
            if field == "unread":
                names = unread_places(noted, lang)
            is_of_all = field == "without_tools" and noted.count == results.runs
            lines.append((say(sentence, lang, count=count), "" if is_of_all else names))
    if results.unchecked_calls:
        count = count_of(_CALLS, results.unchecked_calls, lang)
        lines.append((say(_UNCHECKED, lang, count=count), ""))
    return lines


def more_findings(results: CheckResults, lang: Language) -> str:
    """How many faults are not shown; empty if all are."""
    if not results.not_shown:
        return ""
    return say(_MORE_FINDINGS, lang, faults=count_of(FINDINGS, results.not_shown, lang))


def location_of(finding: Finding, lang: Language) -> str:
    """The location of the run, its name, and the number of the call from 1."""
    run = [] if finding.run is None else [clip_middle(escape(finding.run), _NAME_WIDTH // 2)]
    number = say(_CALL, lang, number=finding.fault.index + 1)
    return ", ".join([clip_middle(escape(finding.place), _NAME_WIDTH // 2), *run, number])


def location_lines(finding: Finding, width: int, lang: Language) -> list[str]:
    """The same in lines of at most `width` columns; the number of the call is not split off."""
    text, _, number = location_of(finding, lang).rpartition(" ")
    *lines, last = wrap(text, width)
    if display_width(last) + 1 + len(number) <= width:
        return [*lines, f"{last} {number}"]
    rest, _, word = last.rpartition(" ")
    return [*lines, *([rest] if rest else []), f"{word} {number}"]


_JSON_NUMBERS = (
    *("files", "runs", "calls", "faulty_calls", "checked_calls", "unchecked_calls"),
    *("invalid_calls", "parameters_valid"),
)
_FAULT_FIELDS = ("index", "path", "value", "required", "keyword", "since")


def write_json(results: CheckResults, *, lang: Language = "en") -> str:
    """An indented document; the language affects its sentences, never its keys."""
    document = {
        **{name: getattr(results, name) for name in _JSON_NUMBERS},
        "faults": results.totals,
        "tools": {
            name: {"calls": tool.calls, "faults": tool.faults}
            for name, tool in results.tools.items()
        },
        "findings": [_finding_to_dict(finding, lang) for finding in results.findings],
        "not_shown": results.not_shown,
        **{field: noted_to_dict(getattr(results, field)) for field in _NOTES},
    }
    return json_document(document)


def jsonl_line(finding: Finding, *, lang: Language = "en") -> str:
    """One finding as a line of JSON, with its line break."""
    return encode_json(_finding_to_dict(finding, lang)).decode() + "\n"


def _finding_to_dict(finding: Finding, lang: Language) -> dict[str, Any]:
    fault = finding.fault
    return {
        "kind": fault.kind,
        "tool": fault.tool,
        "message": fault_sentence(fault, lang=lang),
        "place": finding.place,
        "run": finding.run,
        **{name: getattr(fault, name) for name in _FAULT_FIELDS},
        "call": call_to_dict(finding.call),
    }


_MOST_TOOLS = 20
_SENTENCE_WIDTH = 300


def write_markdown(results: CheckResults, *, lang: Language = "en") -> str:
    """Headline, notes, faults by tool, and findings; the text of traces stays plain text."""
    return join_blocks(_markdown_blocks(results, lang))


def _markdown_blocks(results: CheckResults, lang: Language) -> Iterator[str]:
    checked, faulty = headline_parts(results, lang)
    yield f"## {checked}: {faulty}"
    yield parameters_line(results, lang) or ""
    yield note_items(check_notes(results, lang), width=_SENTENCE_WIDTH)
    yield from _faults_by_tool(results, lang)
    yield "\n".join(_markdown_finding(finding, lang) for finding in results.findings)
    yield more_findings(results, lang)


def _faults_by_tool(results: CheckResults, lang: Language) -> Iterator[str]:
    kinds = list(results.totals)
    rows = [
        (code(name), tool.calls, *(tool.faults.get(kind, 0) for kind in kinds))
        for name, tool in results.tools.items()
        if tool.total
    ]
    if rows:
        labels = [say(TOOL, lang), say(CALLS, lang)]
        labels += [fault_kind_name(kind, lang=lang) for kind in kinds]
        yield f"### {say(FAULTS, lang)}"
        yield table(labels, rows[:_MOST_TOOLS])
    if len(rows) > _MOST_TOOLS:
        yield say(MORE, lang, count=len(rows) - _MOST_TOOLS)


def _markdown_finding(finding: Finding, lang: Language) -> str:
    kind = fault_kind_name(finding.fault.kind, lang=lang)
    sentence = fault_sentence(finding.fault, lang=lang)
    place = code(location_of(finding, lang), width=_SENTENCE_WIDTH)
    return f"- **{kind}** {place}: {code(sentence, width=_SENTENCE_WIDTH)}"
