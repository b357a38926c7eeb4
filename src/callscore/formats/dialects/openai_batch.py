"""OpenAI batches: lines of an input file and of an output file, joined by their custom id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.dialects import openai_chat, openai_responses
from callscore.formats.shape import at
from callscore.formats.trace import Trace

if TYPE_CHECKING:
    from types import ModuleType

    from callscore.core.call import Tool
    from callscore.formats.trace import Wanted

__all__ = ["EXAMPLE", "ORDER", "read", "read_tools", "recognises"]

ORDER = 620
EXAMPLE = {
    "custom_id": "task-1",
    "response": {
        "status_code": 200,
        "body": {
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "tool_calls": [
                            {
                                "id": "call_1",
                                "type": "function",
                                "function": {
                                    "name": "get_weather",
                                    "arguments": '{"city": "Paris"}',
                                },
                            }
                        ],
                    }
                }
            ]
        },
    },
    "error": None,
}


def recognises(document: Any) -> bool:
    """Whether it is a request with a custom id, or what came of one."""
    if not isinstance(document, dict) or "custom_id" not in document:
        return False
    if isinstance(document.get("body"), dict):
        return "method" in document and "url" in document
    response = document.get("response")
    if response is None:
        return isinstance(document.get("error"), dict) and "response" in document
    return isinstance(response, dict) and "status_code" in response and "body" in response


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run, under its custom id; a request that failed is one that was not run."""
    id = at(document, "custom_id")  # noqa: A001  (as the field is called)
    task = id if isinstance(id, str) else None
    body = _body_of(document)
    reader = _reader_of(body)
    if reader is None:
        return [Trace(calls=None, id=task)]
    trace: Trace = reader.read(body, wanted)[0]
    return [Trace(calls=trace.calls, id=task, input=trace.input)]


def _body_of(document: Any) -> Any:
    answer = at(document, "response", "body")
    return at(document, "body") if answer is None else answer


def _reader_of(body: Any) -> ModuleType | None:
    for dialect in (openai_responses, openai_chat):
        if dialect.recognises(body):
            return dialect
    return None


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers, or that a response repeats."""
    body = _body_of(document)
    reader = _reader_of(body)
    tools: list[Tool] = reader.read_tools(body) if reader is not None else []
    return tools
