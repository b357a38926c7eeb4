"""The report of the effects of tools: its phrases, and its JSON and Markdown forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import clip, escape
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
from callscore.words.plain_data import noted_to_dict
from callscore.words.value_text import FILES, TOOLS, TRACES, json_document

if TYPE_CHECKING:
    from callscore.checks.effects import EffectEvidence, EffectsFound, ToolEffect

_CALLS = Plural(("call", "calls"), ("вызов", "вызова", "вызовов"))
_HEADLINE = Phrase(
    "{tools}: {reads} read, {writes} write, {unknown} unknown",
    "{tools}: читают {reads}, изменяют {writes}, неизвестно {unknown}",
)
_PROPOSED_COUNT = Phrase(", {count} with a proposal (?)", ", с предложением (?) {count}")
_HEADERS = (
    Phrase("tool", "инструмент"),
    Phrase("calls", "вызовы"),
    Phrase("kind", "вид"),
    Phrase("evidence", "основание"),
)
_KINDS = {"read": Phrase("read", "чтение"), "write": Phrase("write", "запись")}
_UNKNOWN_KIND = Phrase("unknown", "неизвестно")
_PROPOSED = Phrase("{kind}?", "{kind}?")
_EVIDENCE = {
    "setting": Phrase("setting {words}", "настройка {words}"),
    "definition": Phrase("definition: {words}", "описание: {words}"),
    "name": Phrase("name: {words}", "имя: {words}"),
    "description": Phrase('description: "{words}"', "текст описания: «{words}»"),
    "results": Phrase(
        '{count} of {of} results: "{words}"', "результаты, {count} из {of}: «{words}»"
    ),
}
_SAYS = Phrase("{evidence} ({kind})", "{evidence} ({kind})")
_NO_EVIDENCE = Phrase("none, counts as a write", "нет, считается записью")
_CONTRADICTORY = Phrase(
    "{count} with contradictory evidence: decide whether it reads or writes, and set it in 'effects'",
    "{count} с противоречивыми основаниями: решите, чтение это или запись, и задайте в 'effects'",
)
_UNDECIDED = Phrase(
    "{count} without clear evidence: a score counts every call as a write; pass definitions with --tools,"
    " or set 'effects'",
    "{count} без ясных оснований: оценка считает каждый вызов записью; укажите описания (--tools) или"
    " задайте 'effects'",
)
_CAUGHT = Phrase(
    "{count} for which only the setting '*' decides: --write puts what is known about a tool before it,"
    " because the first pattern that matches decides",
    "{count}, где решает только настройка '*': --write поставит известное об инструменте перед ней,"
    " потому что решает первый подходящий шаблон",
)
_PROPOSALS = Phrase(
    "{count} whose kind follows only from texts: a score uses it once --write has written it",
    "{count} с видом, который следует только из текстов: оценка учтёт его, когда --write его запишет",
)
_WRITTEN = Phrase("{count} written to {file}", "в {file} записано: {count}")
_NOTHING_WRITTEN = Phrase(
    "nothing to write to {file}: it has all that is known", "в {file} нечего дописать: всё уже есть"
)
_WORDS_WIDTH = 40
_NAMES_SHOWN = 5
_NAME_WIDTH = 60


def headline(found: EffectsFound, lang: Language) -> tuple[str, str]:
    """What was read, and how many tools there are of each kind."""
    counted = ((FILES, found.files), (TRACES, found.traces), (_CALLS, found.calls))
    known = [tool for tool in found.tools if tool.decided_by != "unknown"]
    reads = sum(tool.effect == "read" for tool in known)
    proposed = sum(
        tool.decided_by == "unknown" and tool.proposed is not None for tool in found.tools
    )
    kinds = say(
        _HEADLINE,
        lang,
        tools=count_of(TOOLS, len(found.tools), lang),
        reads=reads,
        writes=len(known) - reads,
        unknown=len(found.tools) - len(known) - proposed,
    )
    kinds += say(_PROPOSED_COUNT, lang, count=proposed) if proposed else ""
    return ", ".join(count_of(noun, count, lang) for noun, count in counted), kinds


def headers(lang: Language) -> list[str]:
    """The headers of the table."""
    return [say(header, lang) for header in _HEADERS]


def kind_text(tool: ToolEffect, lang: Language) -> str:
    """The kind that a score uses; with a question mark if it is only proposed."""
    if tool.decided_by != "unknown":
        return say(_KINDS[tool.effect], lang)
    if tool.proposed is None:
        return say(_UNKNOWN_KIND, lang)
    return say(_PROPOSED, lang, kind=say(_KINDS[tool.proposed], lang))


def evidence_text(tool: ToolEffect, lang: Language) -> str:
    """The evidence, in the order in which it decides; what each says if they contradict each other."""
    if not tool.evidence:
        return say(_NO_EVIDENCE, lang)
    parts = []
    for each in tool.evidence:
        text = _one_evidence(each, lang)
        if tool.is_contradictory:
            text = say(_SAYS, lang, evidence=text, kind=say(_KINDS[each.effect], lang))
        parts.append(text)
    return ", ".join(parts)


def _one_evidence(evidence: EffectEvidence, lang: Language) -> str:
    words = clip(escape(evidence.words), _WORDS_WIDTH)
    phrase = _EVIDENCE[evidence.source]
    return say(phrase, lang, words=words, count=evidence.count, of=evidence.of)


def effect_notes(found: EffectsFound, lang: Language) -> list[tuple[str, str]]:
    """What to decide or to write, and what was not read: sentences, and the first names."""
    unknown = [tool for tool in found.tools if tool.decided_by == "unknown"]
    proposed = [tool for tool in unknown if tool.proposed is not None]
    open_ones = [tool for tool in unknown if tool.proposed is None and not tool.is_contradictory]
    is_written = found.file is not None
    review = [tool for tool in found.tools if tool.is_contradictory]
    groups = (
        # A contradictory tool that its definition declares has been written.
        (_CONTRADICTORY, [each for each in review if not (is_written and each.proposed)]),
        (_PROPOSALS, [] if is_written else proposed),
        (_UNDECIDED, open_ones),
        (
            _CAUGHT,
            [each for each in found.tools if each.is_caught and not (is_written and each.proposed)],
        ),
    )
    notes = []
    for phrase, tools in groups:
        if tools:
            names = [tool.name for tool in tools]
            shown = first_names(names, len(names), lang, width=_NAME_WIDTH, most=_NAMES_SHOWN)
            notes.append((say(phrase, lang, count=count_of(TOOLS, len(tools), lang)), shown))
    if found.file is not None:
        phrase = _WRITTEN if found.written else _NOTHING_WRITTEN
        count = count_of(TOOLS, len(found.written), lang)
        notes.append((say(phrase, lang, count=count, file=escape(found.file)), ""))
    return notes + _reading_notes(found, lang)


def _reading_notes(found: EffectsFound, lang: Language) -> list[tuple[str, str]]:
    notes = []
    if found.skipped.count:
        count = count_of(SKIPPED_NOTE[0], found.skipped.count, lang)
        names = first_names(found.skipped.names, found.skipped.count, lang, width=_NAME_WIDTH * 2)
        notes.append((say(SKIPPED_NOTE[1], lang, count=count), names))
    if found.unread.count:
        count = count_of(UNREAD_NOTE[0], found.unread.count, lang)
        notes.append((say(UNREAD_NOTE[1], lang, count=count), unread_places(found.unread, lang)))
    return notes


def write_json(found: EffectsFound, *, lang: Language = "en") -> str:  # noqa: ARG001  (it has no sentences)
    """An indented document."""
    is_written = found.file is not None
    document = {
        "files": found.files,
        "traces": found.traces,
        "calls": found.calls,
        "tools": [_tool_to_dict(tool) for tool in found.tools],
        "written": {"file": found.file, "effects": found.written} if is_written else None,
        "skipped": noted_to_dict(found.skipped),
        "unread": noted_to_dict(found.unread),
    }
    return json_document(document)


def _tool_to_dict(tool: ToolEffect) -> dict[str, Any]:
    return {
        "name": tool.name,
        "effect": tool.effect,
        "decided_by": tool.decided_by,
        "calls": tool.calls,
        "expected": tool.expected,
        "evidence": [_evidence_to_dict(each) for each in tool.evidence],
        "proposed": tool.proposed,
        "is_contradictory": tool.is_contradictory,
        "is_caught": tool.is_caught,
    }


def _evidence_to_dict(evidence: EffectEvidence) -> dict[str, Any]:
    counts = {"count": evidence.count, "of": evidence.of}
    return {
        "source": evidence.source,
        "effect": evidence.effect,
        "words": evidence.words,
        "confidence": evidence.confidence,
        **({} if evidence.count is None else counts),
    }


def write_markdown(found: EffectsFound, *, lang: Language = "en") -> str:
    """Headline, notes and table; the text of traces stays plain text."""
    return join_blocks(_markdown_blocks(found, lang))


def _markdown_blocks(found: EffectsFound, lang: Language) -> Iterator[str]:
    read, kinds = headline(found, lang)
    yield f"## {kinds}"
    yield read
    yield note_items(effect_notes(found, lang), width=_NAME_WIDTH * 5)
    rows = [
        (code(tool.name), tool.calls, kind_text(tool, lang), code(evidence_text(tool, lang)))
        for tool in found.tools
    ]
    if rows:
        yield table(headers(lang), rows)
