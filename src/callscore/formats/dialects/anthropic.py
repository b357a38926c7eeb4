"""Anthropic Messages API (responses, requests, conversations, content blocks, batch lines).

Calls that the provider runs itself, or sends to MCP servers, are among the other calls. Repeated
blocks count once: some proxies repeat whole blocks.
"""

from __future__ import annotations

from typing import Any

from callscore.core.call import TRUNCATED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.families.span_origin import origin_of_response
from callscore.formats.families.written_calls import take_written_calls
from callscore.formats.shape import at, dicts, integer_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

ORDER = 685
EXAMPLE = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Paris"}}
    ],
    "stop_reason": "tool_use",
}
_KINDS = {"tool_use": None, "server_tool_use": "hosted", "mcp_tool_use": "mcp"}
_CALLS = tuple(_KINDS)
_TEXTS = ("text", "thinking", "redacted_thinking")
_ROLES = ("user", "assistant", "system")
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")
_BATCH_RESULTS = ("succeeded", "errored", "canceled", "expired")
SIGNS = Signs(
    keys=("content", "tools", "custom_id", "input"),
    item_keys=("content", "input"),
    message_keys=("content",),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a message, a request, a conversation or blocks in the format of Anthropic."""
    if isinstance(document, list):
        return _is_conversation(document) or _is_content(document)
    return isinstance(document, dict) and (
        _is_response(document)
        or _is_request(document)
        or _is_batch_line(document)
        or _is_call(document)
        or (_is_message(document) and _has_blocks(document))
    )


def _is_response(document: dict[str, Any]) -> bool:
    return (
        document.get("type") == "message"
        and document.get("role") == "assistant"
        and isinstance(document.get("content"), list)
        and ("stop_reason" in document or _has_blocks(document))
    )


def _is_request(document: dict[str, Any]) -> bool:
    messages = document.get("messages")
    if not isinstance(messages, list):
        return False
    tools = dicts(document.get("tools"))
    has_schemas = any(isinstance(tool.get("input_schema"), dict) for tool in tools)
    has_others = any(message.get("tool_calls") for message in dicts(messages))
    return _is_conversation(messages) or (has_schemas and not has_others)


def _is_batch_line(document: dict[str, Any]) -> bool:
    return isinstance(document.get("custom_id"), str) and (
        at(document, "result", "type") in _BATCH_RESULTS
        or isinstance(at(document, "params", "messages"), list)
    )


def _is_conversation(messages: list[Any]) -> bool:
    """Whether all are messages and one has a call or a result; text looks alike in all formats."""
    return all(map(_is_message, messages)) and any(map(_has_blocks, messages))


def _is_message(value: Any) -> bool:
    # If a message has calls beside its content, another dialect reads these.
    return isinstance(value, dict) and value.get("role") in _ROLES and not value.get("tool_calls")


def _is_content(values: list[Any]) -> bool:
    return all(
        isinstance(value, dict) and isinstance(value.get("type"), str) and "role" not in value
        for value in values
    ) and any(map(_is_call, values))


def _is_call(block: dict[str, Any]) -> bool:
    return block.get("type") in _CALLS and "name" in block and "input" in block


def _has_blocks(message: dict[str, Any]) -> bool:
    """Whether a message has a call or a result in the format of Anthropic."""
    return any(_is_call(block) or _is_result(block) for block in dicts(message.get("content")))


def _is_result(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    return isinstance(kind, str) and kind.endswith("tool_result") and "tool_use_id" in block


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a conversation; a response is a document of its own."""
    return _is_message(line) and line.get("type") != "message" and _has_blocks(line)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: a response, or all messages of a conversation."""
    name = text_of(at(document, "custom_id"))
    outcome = at(document, "result", "type") if name is not None else None
    if outcome is not None and outcome != "succeeded":
        return [Trace(id=name)]  # no answer came, which is not an answer without calls
    transcript = Transcript(options, once=True)
    messages = _messages_in(document)
    for message in messages:
        content = message.get("content")
        note_speaker(message, transcript)
        is_text = all(block.get("type") in _TEXTS for block in dicts(content))
        if message.get("type") == "message" and is_text:
            take_written_calls(content, transcript, has_results=False)
            continue
        if message.get("role") in ("assistant", None):
            transcript.step()
        take_blocks(content, transcript, stop_reason=message.get("stop_reason"))
    answers = [message for message in messages if message.get("type") == "message"]
    return [transcript.trace(id=name, origin=origin_of_response(at(answers, -1)))]


def _messages_in(document: Any) -> list[dict[str, Any]]:
    """The messages in a document; blocks without a message make one."""
    if isinstance(document, list):
        is_content = all(isinstance(item, dict) and "role" not in item for item in document)
        return [{"content": document}] if is_content else dicts(document)
    for path in (("messages",), ("params", "messages")):
        messages = at(document, *path)
        if isinstance(messages, list):
            return dicts(messages)
    message = at(document, "result", "message") or document
    if not isinstance(message, dict):
        return []
    return [{"content": [message]}] if "content" not in message else [message]


def note_speaker(message: dict[str, Any], transcript: Transcript) -> None:
    """Note who wrote a message; one of the user with results in it is the program's."""
    if not any("tool_use_id" in block for block in dicts(message.get("content"))):
        transcript.role(message.get("role"))


def take_blocks(
    blocks: Any, transcript: Transcript, *, stop_reason: Any = None, caller: str | None = None
) -> None:
    """Add the calls and the results in the content of a message, which may be cut off."""
    cut_off = at(blocks, -1) if stop_reason in _CUT_OFF else None
    for block in dicts(blocks):
        kind = block.get("type")
        if isinstance(kind, str) and kind in _KINDS:
            arguments = block.get("input")
            # Text shows whether it is complete; an object may have been closed by a parser.
            is_cut = block is cut_off and not (arguments and isinstance(arguments, str))
            own_caller = text_of(at(block, "caller", "type"))
            transcript.call(
                block.get("name"),
                arguments,
                block.get("id"),
                kind=_KINDS[kind],
                caller=caller or (None if own_caller in (None, "direct") else "code"),
                error=TRUNCATED if is_cut else None,
            )
        elif "tool_use_id" in block:
            transcript.result(block.get("content"), block["tool_use_id"], failed=_failed(block))
        else:
            transcript.unknown(kind, block)


def _failed(block: dict[str, Any]) -> bool | None:
    flag = block.get("is_error")
    if isinstance(flag, bool):
        return flag
    if block.get("type") == "tool_result":
        return None  # many programs do not set the flag
    content = block.get("content")
    return isinstance(content, dict) and (
        "error_code" in content or bool(integer_of(content.get("return_code")))
    )


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers, and those that MCP servers list."""
    tools = read_definitions(at(document, "tools") or at(document, "params", "tools"))
    blocks = [b for message in _messages_in(document) for b in dicts(message.get("content"))]
    for block in blocks:
        if block.get("type") == "mcp_tool_listing":
            tools += read_definitions(list_of(block.get("tools")))
    return tools
