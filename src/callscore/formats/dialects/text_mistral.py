"""Mistral text (tokenizer v7 and earlier, v11 and later)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.core.call import TRUNCATED, Malformed, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.families.model_text import make_markup, read_marked, take_json
from callscore.formats.shape import as_list, at, dicts, first, json_of
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 130
EXAMPLE = '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]get_time[ARGS]{}</s>'
_BEGIN = "[TOOL_CALLS]"
_NAMED = re.compile(
    r"\s*(?P<name>[^\[{\s]+)\s*(?:\[CALL_ID\](?P<id>[^\[{]*))?(?:\[ARGS\])?(?P<arguments>.*)",
    re.DOTALL,
)
_TOOLS = re.compile(r"\[AVAILABLE_TOOLS\](.*?)(?:\[/AVAILABLE_TOOLS\]|\Z)", re.DOTALL)
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a call in Mistral's tokens."""
    return isinstance(document, str) and _BEGIN in document


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the text, with the tools' results, if it has them."""
    return read_marked(document, options, _MARKUP)


def _take(match: re.Match[str], transcript: Transcript, _: Mapping[str, Tool]) -> None:
    text = match["calls"].strip()
    named = _NAMED.match(text)
    if named is None:
        take_json(text, transcript, is_closed=False)
        return
    arguments = named["arguments"].strip()
    is_cut = not arguments and "[ARGS]" not in text
    transcript.call(
        named["name"],
        Malformed("", TRUNCATED) if is_cut else arguments,
        (named["id"] or "").strip() or None,
    )


def _take_result(match: re.Match[str], transcript: Transcript) -> None:
    """Add a result: an object with an id, a list of them, an id and a text, or a text."""
    text = match["result"].strip()
    id_, mark, content = text.partition("[TOOL_CONTENT]")
    if mark:
        transcript.result(content.strip(), id_.strip())
        return
    value = json_of(text)
    entries = dicts(as_list(value))
    if not entries or not all("content" in entry for entry in entries):
        transcript.result(text)
        return
    for entry in entries:
        transcript.result(entry["content"], first(entry, "call_id"), name=at(entry, "name"))


_MARKUP = make_markup(
    r"\[TOOL_CALLS\](?P<calls>.*?)(?=\[TOOL_CALLS\]|\[TOOL_RESULTS\]|\[INST\]|</s>|\Z)",
    _take,
    result=r"\[TOOL_RESULTS\](?P<result>.*?)(?:\[/TOOL_RESULTS\]|\Z)",
    take_result=_take_result,
)


def read_tools(document: Any) -> list[Tool]:
    """The tools that a prompt offers."""
    found = _TOOLS.findall(document) if isinstance(document, str) else []
    return [tool for text in found for tool in read_definitions(text.strip())]
