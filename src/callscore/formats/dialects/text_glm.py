"""GLM text (GLM-4.5 and later)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.formats.families.model_text import (
    make_markup,
    read_marked,
    tagged_call_reader,
    tools_in,
)
from callscore.formats.signs import TEXT_SIGNS

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 150
EXAMPLE = (
    "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>"
)
_CALL = re.compile(r"<tool_call>\s*[A-Za-z_][\w.:-]*\s*(?:<arg_key>|</tool_call>|\Z)")
_ARGUMENT = re.compile(
    r"<arg_key>(?P<name>[^<]*)</arg_key>\s*<arg_value>(?P<value>.*?)(?:</arg_value>|\Z)", re.DOTALL
)

read_tools = tools_in
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a tool's name and its arguments in tags."""
    return isinstance(document, str) and "<tool_call>" in document and bool(_CALL.search(document))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the text, with typed arguments if the tools are known."""
    return read_marked(document, options, _MARKUP)


_MARKUP = make_markup(
    r"<tool_call>(?P<name>[^<]*)(?P<body>.*?)(?:(?P<end></tool_call>)|(?=<tool_call>)|\Z)",
    tagged_call_reader(_ARGUMENT),
)
