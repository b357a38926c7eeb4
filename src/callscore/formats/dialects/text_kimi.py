"""Kimi text (K2 and later)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from callscore.core.call import TRUNCATED, Malformed, Tool
from callscore.formats.families.model_text import make_markup, read_marked
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace
    from callscore.formats.transcript import Transcript

ORDER = 120
EXAMPLE = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
    '<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
)
_BEGIN = "<|tool_call_begin|>"
_ID = re.compile(r"(?:functions\.)?(.*?)(?::\d+)?", re.DOTALL)
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a call in Kimi's tokens."""
    return isinstance(document, str) and _BEGIN in document


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the text, whose ids contain the names of the tools."""
    return read_marked(document, options, _MARKUP)


def _take(match: re.Match[str], transcript: Transcript, _: Mapping[str, Tool]) -> None:
    id_ = match["id"].strip()
    name = _ID.fullmatch(id_)
    arguments = match["arguments"]
    transcript.call(
        name[1] if name else id_,
        Malformed("", TRUNCATED) if arguments is None else arguments.strip(),
        id_,
    )


_MARKUP = make_markup(
    r"<\|tool_call_begin\|>(?P<id>[^<]*)(?:<\|tool_call_argument_begin\|>(?P<arguments>.*?))?"
    r"(?:<\|tool_call_end\|>|<\|tool_calls_section_end\|>|(?=<\|tool_call_begin\|>)|\Z)",
    _take,
    result=r"\A\s*\#\# Return of (?P<answered>\S+)\n(?P<result>.*)",
    take_result=lambda match, to: to.result(match["result"].strip(), match["answered"]),
)
