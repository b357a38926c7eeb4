"""Microsoft Agent Framework and Microsoft.Extensions.AI (messages, responses, updates, threads).

Both have contents with a type: `$type` in .NET, `type` in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import as_list, at, dicts, first, text_in
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 562
EXAMPLE = [
    {
        "role": "assistant",
        "contents": [
            {
                "$type": "functionCall",
                "callId": "call_1",
                "name": "get_weather",
                "arguments": {"city": "Paris"},
            }
        ],
    }
]
_MAX_SAMPLED = 50
_MAX_DEPTH = 3
_ROLES = ("system", "user", "assistant", "tool")
_CALLS = ("functionCall", "function_call")
_RESULTS = ("functionResult", "function_result")
_MCP_CALLS = ("mcpServerToolCall", "mcp_server_tool_call")
_MCP_RESULTS = ("mcpServerToolResult", "mcp_server_tool_result")
# The call in a question whether it may run, and in the answer to it; it can be there by itself, too.
_ASKED_ABOUT = ("toolCall", "functionCall", "tool_call", "function_call")
_HELD = ("messages", "updates", "Messages")
SIGNS = Signs(
    keys=("contents", "messages", "updates", "Messages", "chat_message_store_state", "storeState"),
    item_keys=("contents",),
    has_other_items=True,
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a message, or messages in a list, a response or a thread, with typed contents."""
    messages = _messages_in(document, 0)[:_MAX_SAMPLED]
    return (
        bool(messages)
        and all(map(joins_lines, messages))
        and any(at(message, "contents") for message in messages)
    )


def _messages_in(document: Any, depth: int) -> list[Any]:
    """The messages, in the containers of both languages; streams are lists of updates."""
    if isinstance(document, list) and isinstance(at(document, 0), list):
        lists = document if depth < _MAX_DEPTH else []
        return [item for held in lists for item in _messages_in(held, depth + 1)]
    store = first(document, "chat_message_store_state", "storeState")
    held = first(store if isinstance(store, dict) else document, *_HELD)
    return held if isinstance(held, list) else as_list(document)


def joins_lines(line: Any) -> bool:
    """Whether a line is a message or an update, whose contents have types."""
    contents = at(line, "contents")
    return (
        isinstance(contents, list)
        and (_role_of(line) in _ROLES or "responseId" in line or "response_id" in line)
        and all(isinstance(first(part, "$type", "type"), str) for part in contents)
    )


def _role_of(message: Any) -> Any:
    role = at(message, "role")
    return role.get("value") if isinstance(role, dict) else role


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages."""
    transcript = Transcript(options, once=True)
    question = None
    for message in dicts(_messages_in(document, 0)):
        contents = dicts(message.get("contents"))
        role = _role_of(message)
        if role != "user" or not any(map(_is_about_call, contents)):
            transcript.role(role)
        if role == "user" and question is None:
            question = text_in([{**part, "type": "text"} for part in contents if "text" in part])
        for part in contents:
            _take(part, transcript)
        if role in ("user", "tool"):
            transcript.close_step()
    return [transcript.trace(input=question)]


def _is_about_call(part: dict[str, Any]) -> bool:
    """Whether a part is a result, or the permission to call: then the user asks for nothing new."""
    kind = first(part, "$type", "type")
    return kind in (*_RESULTS, *_MCP_RESULTS) or first(part, *_ASKED_ABOUT) is not None


def _take(part: dict[str, Any], transcript: Transcript) -> None:
    asked = first(part, *_ASKED_ABOUT)
    part = asked if isinstance(asked, dict) else part
    kind, id_ = first(part, "$type", "type"), first(part, "callId", "call_id")
    if kind in (*_CALLS, *_MCP_CALLS):
        transcript.open_step()
        hosted = "mcp" if kind in _MCP_CALLS else None
        name = first(part, "name", "toolName", "tool_name")
        transcript.call(name, part.get("arguments"), id_, kind=hosted)
    elif kind in (*_RESULTS, *_MCP_RESULTS):
        error = part.get("exception")
        value = first(part, "result", "output")
        failed = True if error else None
        transcript.result(error if failed and value is None else value, id_, failed=failed)
        transcript.close_step()
    else:
        transcript.unknown(kind)
