"""Records of recorders that have a notation of their own for a request and its response.

Each function returns the bodies of the request and of the response and the status, or None for
records of other recorders.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from callscore.formats.shape import as_list, at, dicts, first, integer_of, name_of

_OK = 200
_KIND_PREFIX = "TOOL_CALL_TYPE_"
_MCP = "MCP_TOOL"
# The types of the same calls in xAI's Responses API.
_ITEM_TYPES = {
    "ATTACHMENT_SEARCH_TOOL": "attachment_search_call",
    "CODE_EXECUTION_TOOL": "code_execution_call",
    "COLLECTIONS_SEARCH_TOOL": "collections_search_call",
    "IMAGE_GENERATION_TOOL": "image_generation_call",
    _MCP: "mcp_call",
    "WEB_SEARCH_TOOL": "web_search_call",
    "X_SEARCH_TOOL": "x_search_call",
}
_BODY_KEYS = ("json", "string", "base64Bytes")


class Recorded(NamedTuple):
    """A request and its response."""

    request: Any
    response: Any
    status: int
    is_binary: bool = False


def from_expectation(item: dict[str, Any]) -> Recorded | None:
    """An exchange in MockServer's notation, which is also what its proxy records."""
    request, response = item.get("httpRequest"), item.get("httpResponse")
    if not isinstance(request, dict) or not isinstance(response, dict):
        return None
    status = integer_of(response.get("statusCode"))
    body = response.get("body")
    is_binary = at(body, "type") == "BINARY"
    return Recorded(
        _content_of(request.get("body")), _content_of(body), status or _OK, is_binary=is_binary
    )


def _content_of(body: Any) -> Any:
    """What a body contains; one without a type, or a pattern of requests, is itself."""
    return first(body, *_BODY_KEYS) if isinstance(at(body, "type"), str) else body


def without_types(body: Any) -> Any:
    """A body without the names of the classes that Llama Stack's recorder writes around it."""
    if isinstance(body, list):
        return [without_types(item) for item in body]
    return body["__data__"] if isinstance(body, dict) and "__type__" in body else body


# --- gRPC exchanges with xAI, as JSON, in the tests of Pydantic AI ----------------------------------


def from_sample(item: dict[str, Any]) -> Recorded | None:
    """An exchange with xAI; its answer as one of xAI's Responses API, which names hosted tools."""
    if "request_sample" in item:
        asked, outputs = item["request_sample"], at(item, "response_sample", "json", "outputs")
        messages = [at(output, "message") for output in as_list(outputs)]
    elif "request_stream" in item:
        asked, chunks = item["request_stream"], at(item, "response_stream", "chunks_json")
        outputs = chunks
        messages = [
            at(output, "delta")
            for chunk in dicts(chunks)
            for output in dicts(at(chunk, "chunk", "outputs"))
        ]
    else:
        return None
    if not isinstance(outputs, list):
        return None
    if "request_sample" in item and not any(map(_is_hosted, messages)):
        # Several answers to one question, not the steps of one during which the provider ran tools.
        choices = [{"message": {**message, "role": "assistant"}} for message in dicts(messages)]
        return Recorded(_conversation_in(at(asked, "json")), {"choices": choices}, _OK)
    items: dict[Any, dict[str, Any]] = {}
    for message in dicts(messages):
        for call in dicts(message.get("tool_calls")):
            _take(call, message, items)
    return Recorded(
        _conversation_in(at(asked, "json")),
        {"object": "response", "output": list(items.values())},
        _OK,
    )


def _is_hosted(message: Any) -> bool:
    kinds = [str(call.get("type")) for call in dicts(at(message, "tool_calls"))]
    return any(kind.removeprefix(_KIND_PREFIX) in _ITEM_TYPES for kind in kinds)


def _take(call: dict[str, Any], message: dict[str, Any], items: dict[Any, dict[str, Any]]) -> None:
    """Add a call as an item. The message of a hosted tool repeats its call."""
    key = name_of(call.get("id")) or len(items)
    item = items.setdefault(key, {})
    kind = str(call.get("type")).removeprefix(_KIND_PREFIX)
    name, arguments = at(call, "function", "name"), at(call, "function", "arguments")
    item |= {"type": _ITEM_TYPES.get(kind, "function_call"), "name": name, "arguments": arguments}
    item |= {"id": call.get("id"), "call_id": call.get("id"), "status": "completed"}
    if str(call.get("status")).endswith("_FAILED"):
        item |= {"error": call.get("error_message") or "failed"}
    if message.get("role") == "ROLE_TOOL" and message.get("content"):
        item["output"] = message["content"]


def _conversation_in(asked: Any) -> Any:
    """The messages of a request, like those of chat completions; None if there are none."""
    messages = [
        {**message, "role": str(message.get("role")).removeprefix("ROLE_").lower()}
        for message in dicts(at(asked, "messages"))
    ]
    return {**asked, "messages": messages} if messages else None
