"""Fenced code blocks in text (JSON, `tool_code`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.formats.dialects.generic import listed_calls
from callscore.formats.families.model_text import (
    make_markup,
    read_marked,
    starts_with_call,
    take_json,
    take_values,
)
from callscore.formats.families.python_calls import parse_calls, take_call
from callscore.formats.shape import json_of
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 190
EXAMPLE = '```json\n[{"name": "get_weather", "arguments": {"city": "Paris"}}]\n```'
_BLOCK = r"```(?P<language>[\w+-]*)[ \t]*\n(?P<body>.*?)(?:```|\Z)"
_FENCE = re.compile(_BLOCK, re.DOTALL)
_CODE = "tool_code"
_JSON = ("", "json", "tool_call", "tool_calls", "tool_use", "function_call", "function_calls")
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a block in which there is a call."""
    return (
        isinstance(document, str)
        and "```" in document
        and any(_is_call(block) for block in _FENCE.finditer(document))
    )


def _is_call(block: re.Match[str]) -> bool:
    body = block["body"].strip()
    if block["language"] == _CODE:
        return bool(parse_calls(body))
    if block["language"] not in _JSON:
        return False
    value = json_of(body)
    if isinstance(value, str):  # no JSON, or not all of it
        return starts_with_call(value.removeprefix("["))
    return bool(listed_calls(value))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the blocks that are calls; other blocks are part of what the model says."""
    return read_marked(document, options, _MARKUP)


def _take(block: re.Match[str], transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    if not _is_call(block):
        return
    body = block["body"].strip()
    if block["language"] == _CODE:
        for call in parse_calls(body) or []:
            printed = None  # the call whose result is printed
            if call.name == "print":
                printed = parse_calls(call.source.removeprefix("print(").removesuffix(")"))
            for made in printed or [call]:
                take_call(made, transcript, tools)
        return
    value = json_of(body)
    listed = listed_calls(value) or []
    if isinstance(value, dict) and listed[0] is not value:  # the calls are under a name
        take_values(listed, transcript)
    else:
        take_json(body, transcript)


_MARKUP = make_markup(_BLOCK, _take, result=r"```tool_output[ \t]*\n(?P<result>.*?)(?:```|\Z)")
