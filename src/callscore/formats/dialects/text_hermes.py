"""Hermes, Qwen 2.5, Qwen 3 and Nemotron text (`<tool_call>` tags)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import make_markup, read_marked, take_json, tools_in
from callscore.formats.shape import json_of
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 160
EXAMPLE = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

read_tools = tools_in
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a call in a tag."""
    return isinstance(document, str) and any(tag in document for tag in _TAGS)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the tags, the last of which may be open."""
    return read_marked(document, options, _MARKUP)


_TAGS = ("<tool_call>", "<TOOLCALL>")  # the second is Nemotron's, with a list of calls
_MARKUP = make_markup(
    r"<(?P<tag>tool_call|TOOLCALL)>(?P<body>.*?)(?:(?P<end></(?P=tag)>)|(?=<(?P=tag)>)|\Z)",
    lambda match, to, _: take_json(_listed(match["body"]), to, is_closed=bool(match["end"])),
)


def _listed(body: str) -> str:
    """The body; of a list of texts, the texts, which are calls."""
    values = json_of(body)
    are_texts = isinstance(values, list) and all(isinstance(value, str) for value in values)
    return "\n".join(values) if are_texts else body
