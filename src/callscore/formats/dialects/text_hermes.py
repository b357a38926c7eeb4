"""Hermes, Qwen 2.5 and Qwen 3 text (`<tool_call>` tags)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import make_markup, read_marked, take_json, tools_in
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

__all__ = ["EXAMPLE", "ORDER", "SIGNS", "read", "read_tools", "recognizes"]

ORDER = 160
EXAMPLE = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

read_tools = tools_in
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a call in a tag."""
    return isinstance(document, str) and "<tool_call>" in document


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the tags, the last of which may be open."""
    return read_marked(document, options, _MARKUP)


_MARKUP = make_markup(
    r"<tool_call>(?P<body>.*?)(?:(?P<end></tool_call>)|(?=<tool_call>)|\Z)",
    lambda match, to, _: take_json(match["body"], to, is_closed=bool(match["end"])),
)
