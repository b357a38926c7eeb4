"""Qwen3-Coder text (XML parameters)."""

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

ORDER = 140
EXAMPLE = (
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n"
    "</function>\n</tool_call>"
)
_CALL = re.compile(r"<function=[^>\n]{1,200}>\s*(?:<parameter=|</function>|</tool_call>|\Z)")
_PARAMETER = re.compile(
    r"<parameter=(?P<name>[^>\n]{1,200})>\n?(?P<value>.*?)\n?(?:</parameter>|(?=<parameter=)|\Z)",
    re.DOTALL,
)

read_tools = tools_in
SIGNS = TEXT_SIGNS


def recognizes(document: Any) -> bool:
    """Whether it is text with a function and its parameters in tags."""
    return isinstance(document, str) and "<function=" in document and bool(_CALL.search(document))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls in the text, with typed arguments if the tools are known."""
    return read_marked(document, options, _MARKUP)


_MARKUP = make_markup(
    r"<function=(?P<name>[^>\n]{1,200})>(?P<body>.*?)"
    r"(?:(?P<end></function>|</tool_call>)|(?=<function=)|\Z)",
    tagged_call_reader(_PARAMETER),
)
