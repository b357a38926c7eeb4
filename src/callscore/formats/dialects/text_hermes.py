"""Text of Hermes, Qwen 2.5 and Qwen 3 models, and of others that tag calls as they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import make_markup, read_marked, take_json, tools_in

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from callscore.core.call import Tool
    from callscore.formats.trace import Trace, Wanted
    from callscore.formats.transcript import Transcript

__all__ = ["EXAMPLE", "ORDER", "read", "read_tools", "recognises"]

ORDER = 160
EXAMPLE = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'


def recognises(document: Any) -> bool:
    """Whether it is text with a call in a tag."""
    return isinstance(document, str) and "<tool_call>" in document


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run: the calls in the tags, the last of which may be open."""
    return read_marked(document, wanted, _MARKUP)


def _take(match: re.Match[str], transcript: Transcript, _: Mapping[str, Tool]) -> None:
    take_json(match["body"], transcript, is_closed=bool(match["end"]))


_MARKUP = make_markup(
    r"<tool_call>(?P<body>.*?)(?:(?P<end></tool_call>)|(?=<tool_call>)|\Z)", _take
)

read_tools = tools_in
