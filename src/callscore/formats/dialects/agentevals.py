"""agentevals and LangSmith evaluator inputs (`outputs`, `reference_outputs`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callscore.formats.reading import find_dialect, inner_finder, read_definitions_in, read_document
from callscore.formats.shape import json_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.dialect import Dialect

    _Find = Callable[[Any], Dialect | None]

ORDER = 460
_EXAMPLE_CALL = {"function": {"name": "get_weather", "arguments": '{"city": "Paris"}'}}
_EXAMPLE_MESSAGE = {"role": "assistant", "content": "", "tool_calls": [_EXAMPLE_CALL]}
EXAMPLE = {
    "inputs": {"question": "What is the weather in Paris?"},
    "outputs": [_EXAMPLE_MESSAGE],
    "reference_outputs": [_EXAMPLE_MESSAGE],
}
_SIDES = ("outputs", "reference_outputs")
SIGNS = Signs(keys=("reference_outputs",), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has outputs and reference outputs."""
    return isinstance(document, dict) and "outputs" in document and "reference_outputs" in document


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run; each side is a document of any dialect, and an unknown one is an error."""
    if not isinstance(document, dict):
        return []
    find = inner_finder(options)
    return [
        Trace(
            calls=_calls_in(document.get("outputs"), options, find),
            expected=_calls_in(document.get("reference_outputs"), options, find),
            id=text_of(document.get("id")),
            input=document.get("inputs"),
        )
    ]


def _calls_in(side: Any, options: ReadOptions, find: _Find) -> tuple[ToolCall, ...] | None:
    document = json_of(side)
    if document is None or document == []:
        return None if document is None else ()
    dialect = find(document)  # mostly that of the other side
    traces = dialect.read(document, options) if dialect else read_document(document, options)
    return tuple([call for trace in traces for call in trace.any_calls])


def read_tools(document: Any) -> list[Tool]:
    """The tools that either side defines."""
    sides = [json_of(document.get(side)) for side in _SIDES] if isinstance(document, dict) else []
    known = [side for side in sides if find_dialect(side) is not None]
    return [tool for side in known for tool in read_definitions_in(side)]
