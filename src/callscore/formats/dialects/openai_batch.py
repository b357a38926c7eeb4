"""OpenAI Batch API files (input, output)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects import openai_chat, openai_responses
from callscore.formats.dialects.openai_chat import EXAMPLE_CALL
from callscore.formats.shape import at, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from types import ModuleType

    from callscore.core.call import Tool

ORDER = 620
EXAMPLE = {
    "custom_id": "task-1",
    "response": {
        "status_code": 200,
        "body": {"choices": [{"message": {"role": "assistant", "tool_calls": [EXAMPLE_CALL]}}]},
    },
    "error": None,
}
SIGNS = Signs(keys=("custom_id",), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it is a request with a custom id, or the outcome of one."""
    if not isinstance(document, dict) or "custom_id" not in document:
        return False
    if isinstance(document.get("body"), dict):
        return "method" in document and "url" in document
    response = document.get("response")
    if response is None:
        return isinstance(document.get("error"), dict) and "response" in document
    return isinstance(response, dict) and "status_code" in response and "body" in response


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run, under its custom id; a request that failed is one that was not run."""
    task = text_of(at(document, "custom_id"))
    body, reader = _body_of(document)
    if reader is None:
        return [Trace(calls=None, id=task)]
    trace: Trace = reader.read(body, options)[0]
    return [Trace(calls=trace.calls, id=task, input=trace.input)]


def _body_of(document: Any) -> tuple[Any, ModuleType | None]:
    """The body of the answer, or of the request, and the dialect that reads it."""
    body = at(document, "response", "body")
    if body is None:
        body = at(document, "body")
    readers = [module for module in (openai_responses, openai_chat) if module.recognizes(body)]
    return body, readers[0] if readers else None


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers, or that a response repeats."""
    body, reader = _body_of(document)
    tools: list[Tool] = reader.read_tools(body) if reader is not None else []
    return tools
