"""LangChain's messages in all encodings, whole or in chunks, and its records of tool runs.

A call is in a message up to three times: in `tool_calls`, in the provider's own `content`, and in
`additional_kwargs`. The first is read, with `invalid_tool_calls`, which has those whose arguments
could not be parsed; the others only if a message was written without the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.formats.calls import is_empty_call
from callscore.formats.families.hosted_items import is_hosted_item, take_hosted_item
from callscore.formats.families.observed_runs import ToolResult
from callscore.formats.families.tool_executions import executed_call
from callscore.formats.families.written_calls import (
    is_observation,
    take_observation,
    take_written_calls,
)
from callscore.formats.shape import at, dicts, first, list_of, text_of

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.trace import ReadOptions
    from callscore.formats.transcript import Transcript

CHUNK = "AIMessageChunk"
# The kind of a message by its type, or by the name of its class. Chunks of other messages than
# answers are whole messages.
_KINDS = {
    "ai": "ai",
    "chat": "chat",
    "function": "function",
    "human": "human",
    "remove": "remove",
    "system": "system",
    "tool": "tool",
    "AIMessage": "ai",
    "AIMessageChunk": CHUNK,
    "ChatMessage": "chat",
    "ChatMessageChunk": "chat",
    "FunctionMessage": "function",
    "FunctionMessageChunk": "function",
    "HumanMessage": "human",
    "HumanMessageChunk": "human",
    "RemoveMessage": "remove",
    "SystemMessage": "system",
    "SystemMessageChunk": "system",
    "ToolMessage": "tool",
    "ToolMessageChunk": "tool",
}
_ROLES = {
    "assistant": "ai",
    "developer": "system",
    "function": "function",
    "system": "system",
    "tool": "tool",
    "user": "human",
}
_RECORD_IDS = ("id", "task_id", "case_id", "thread_id", "run_id", "trial")
_CONTENT_CALL_TYPES = ("tool_use", "tool_call", "invalid_tool_call")
_HOSTED_CALLS = {
    "server_tool_call": "hosted",
    "server_tool_use": "hosted",
    "mcp_tool_use": "mcp",
    "mcp_call": "mcp",
}

# A block with a call that is in `tool_calls` as well, in the notation of a provider; or pieces of one.
_COPIES = frozenset(
    (
        *_CONTENT_CALL_TYPES,
        *("function_call", "custom_tool_call", "functionCall", "function", "toolUse"),
        *("tool_call_chunk", "server_tool_call_chunk"),
    )
)

_Message = tuple[str, dict[str, Any]]
_NO_MESSAGE: _Message = ("", {})


def fields_of(message: Any) -> _Message:
    """The kind of a message, `ai` for an answer, and its fields; "" if it is not a message."""
    if not isinstance(message, dict):
        return _NO_MESSAGE
    kind = message.get("type")
    if kind.__class__ is str:
        known = _KINDS.get(kind)
        if known is not None:
            inner = message.get("data")
            return known, inner if isinstance(inner, dict) else message
        if kind == "constructor":
            return _constructed(message)
    role = "assistant" if _is_typeless_answer(message) else message.get("role")
    return (_ROLES[role], message) if role.__class__ is str and role in _ROLES else _NO_MESSAGE


def _is_typeless_answer(message: dict[str, Any]) -> bool:
    """Whether it is an answer that was dumped without defaults, such as its type."""
    return (
        "invalid_tool_calls" in message
        and "type" not in message
        and isinstance(message["invalid_tool_calls"], list)
    )


def _constructed(message: dict[str, Any]) -> _Message:
    fields = message.get("kwargs")
    if isinstance(fields, dict):
        for name in (at(message, "id", -1), fields.get("type")):
            if isinstance(name, str) and name in _KINDS:
                return _KINDS[name], fields
    return _NO_MESSAGE


def is_message(value: Any) -> bool:
    """Whether a value is a message in an encoding of LangChain."""
    return _kind_of(value) is not None


def goes_on(before: Any, state: Any) -> bool:
    """Whether the messages of a state begin with all of the state before it, and are not a copy.

    Conversations that only begin in the same way are not of one run: each state of a run repeats the
    messages before it, and the state at the end may repeat all of them, with their ids.
    """
    are_states = isinstance(before, dict) and isinstance(state, dict)
    if not are_states or any(before.get(key) != state.get(key) for key in _RECORD_IDS):
        return False
    earlier, messages = before.get("messages"), state.get("messages")
    if not isinstance(messages, list) or not isinstance(earlier, list) or not earlier:
        return False
    try:
        is_same = all(map(is_message, earlier)) and messages[: len(earlier)] == earlier
    except RecursionError:
        return False
    return is_same and (
        len(messages) > len(earlier) or isinstance(fields_of(earlier[-1])[1].get("id"), str)
    )


def is_unambiguous_message(value: Any) -> bool:
    """Like `is_message`, without context: other formats also have the type `system`."""
    return _kind_of(value) in ("ai", CHUNK, "human", "tool")


def _kind_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    given = value.get("type")
    if given.__class__ is not str or (given not in _KINDS and given != "constructor"):
        is_answer = "content" in value and _is_typeless_answer(value)
        return "ai" if is_answer else None
    kind, fields = fields_of(value)
    # Other formats also have items of the type `tool`.
    return kind if ("tool_call_id" if kind == "tool" else "content") in fields else None


def take_messages(
    messages: Iterable[Any],
    transcript: Transcript,
    *,
    caller: str | None = None,
    reads_text: bool = False,
) -> None:
    """Add the calls and the results of messages, also in the provider's own format.

    `reads_text`: also those in the text of messages. Traces have other records of such calls.
    """
    for kind, fields in _merge_chunks(messages):
        if caller is None:
            _note_speaker(kind, fields, transcript)
        if kind == "ai":
            before = len(transcript)
            _take_answer(fields, transcript, caller)
            if reads_text and len(transcript) == before:
                take_written_calls(fields.get("content"), transcript)
        elif kind == "human" and reads_text:
            take_observation(fields.get("content"), transcript)
        elif kind == "tool":
            id_ = fields.get("tool_call_id")
            name = fields.get("name") if id_ is None else None
            # A status of success is the default, so it says nothing.
            failed = True if fields.get("status") == "error" else None
            transcript.result(fields.get("content"), id_, name=name, failed=failed)
        elif kind == "function":
            transcript.result(fields.get("content"), name=fields.get("name"))


def _note_speaker(kind: str, fields: dict[str, Any], transcript: Transcript) -> None:
    """Note who wrote a message; one of the user with results in it is the program's."""
    if kind == "ai":
        transcript.speaker(is_user=False)
    elif kind == "human":
        content = fields.get("content")
        has_results = any(block.get("type") == "tool_result" for block in dicts(content))
        if not has_results and not is_observation(content):
            transcript.speaker(is_user=True)


def _merge_chunks(messages: Iterable[Any]) -> list[_Message]:
    """The messages; one that came in chunks is in the place of its first chunk."""
    whole: list[_Message] = []
    unfinished: dict[str, dict[str, Any]] = {}
    last = ""
    for message in messages:
        kind, fields = fields_of(message)
        if kind != CHUNK:
            whole.append((kind, fields))
            unfinished.pop("", None)
            last = ""
            continue
        # Chunks without an id belong to the answer before.
        last = text_of(fields.get("id")) or last
        if last not in unfinished:
            unfinished[last] = {"tool_calls": []}
            whole.append(("ai", unfinished[last]))
        _add_chunk(unfinished[last]["tool_calls"], fields)
        if fields.get("chunk_position") == "last":
            del unfinished[last]
    return whole


def _add_chunk(calls: list[dict[str, Any]], fields: dict[str, Any]) -> None:
    """Add the calls of a chunk, from its pieces if it has any: `tool_calls` are repaired guesses."""
    pieces = dicts(fields.get("tool_call_chunks"))
    if not pieces:
        calls += [{**call} for call in dicts(fields.get("tool_calls"))]
    for piece in pieces:
        call = _open_call(calls, piece)
        if call is None:
            calls.append({**piece, "args": text_of(piece.get("args")) or ""})
        else:
            call["args"] += text_of(piece.get("args")) or ""
            for key in ("name", "id"):
                call[key] = call.get(key) or piece.get(key)


def _open_call(calls: list[dict[str, Any]], piece: dict[str, Any]) -> dict[str, Any] | None:
    """The call that a piece continues: at the same index, and with no other id."""
    index, id_ = piece.get("index"), piece.get("id")
    if index is None:
        return None
    for call in calls[::-1]:
        is_same = not id_ or not call.get("id") or call["id"] == id_
        if call.get("index") == index and is_same and isinstance(call.get("args"), str):
            return call
    return None


def _take_answer(fields: dict[str, Any], transcript: Transcript, caller: str | None) -> None:
    blocks = dicts(fields.get("content"))
    calls = _calls_of(fields, blocks)
    # The items of OpenAI's Responses API are blocks, or in older versions beside the content.
    extra = fields.get("additional_kwargs") or None
    blocks = blocks + dicts(extra and at(extra, "tool_outputs"))
    if calls or (blocks and (any(map(_hosted_kind, blocks)) or any(map(is_hosted_item, blocks)))):
        transcript.step()
    for block in blocks:
        kind = _hosted_kind(block)
        if kind is not None:
            _take_call(block, transcript, kind=kind, caller=caller)
        elif is_hosted_item(block):
            take_hosted_item(block, transcript, caller=caller)
        else:
            _take_server_result(block, transcript)
    for call in calls:
        _take_call(call, transcript, caller=caller)


def _calls_of(fields: dict[str, Any], blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    valid, invalid = dicts(fields.get("tool_calls")), dicts(fields.get("invalid_tool_calls"))
    if bool(valid) is not bool(invalid):
        return valid or invalid
    extra = fields.get("additional_kwargs") or None  # mostly empty
    copies = dicts(extra and at(extra, "tool_calls")) or [
        block for block in blocks if block.get("type") in _CONTENT_CALL_TYPES
    ]
    if valid:
        return _in_order_of(copies, valid + invalid)
    if copies and fields.get("tool_calls") is None:
        return copies
    legacy = fields.get("function_call") or (extra and at(extra, "function_call"))
    is_empty = is_empty_call(at(legacy, "name"), at(legacy, "arguments"))
    return [legacy] if isinstance(legacy, dict) and not is_empty else []


def _in_order_of(copies: list[dict[str, Any]], calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The calls in the order of their copies, if there are any."""
    ids = [copy.get("id") for copy in copies]

    def place(call: dict[str, Any]) -> int:
        id_ = call.get("id")
        return ids.index(id_) if id_ in ids else len(ids)

    return sorted(calls, key=place)


def _take_call(
    call: dict[str, Any],
    transcript: Transcript,
    *,
    kind: str | None = None,
    caller: str | None = None,
) -> None:
    """Add a call in the notation of LangChain or of the provider."""
    function = call.get("function")
    if isinstance(function, dict):
        name, arguments = function.get("name"), function.get("arguments")
    elif isinstance(call.get("custom"), dict):
        name, arguments = call["custom"].get("name"), {"input": call["custom"].get("input")}
    else:
        name, arguments = call.get("name"), first(call, "args", "input", "arguments")
    transcript.call(name, arguments, first(call, "id", "call_id"), kind=kind, caller=caller)


def _hosted_kind(block: dict[str, Any]) -> str | None:
    kind = block.get("type")
    return _HOSTED_CALLS.get(kind) if isinstance(kind, str) else None


def _take_server_result(block: dict[str, Any], transcript: Transcript) -> None:
    kind = block.get("type")
    if kind == "server_tool_result":
        failed = True if block.get("status") == "error" else None
        transcript.result(block.get("output"), block.get("tool_call_id"), failed=failed)
    elif isinstance(kind, str) and kind.endswith("_tool_result") and "tool_use_id" in block:
        failed = True if block.get("is_error") is True else None
        transcript.result(block.get("content"), block["tool_use_id"], failed=failed)
    elif kind == "non_standard":  # the block of the provider is in it
        transcript.unknown(at(block, "value", "type"), block.get("value"))
    elif isinstance(kind, str) and kind not in _COPIES:
        transcript.unknown(kind, block)


class ToolRun(NamedTuple):
    """The record of a tool that was run; its output may be in a tool message."""

    name: Any
    inputs: Any
    id: Any
    output: Any
    failed: bool


def call_of_tool_run(run: ToolRun, options: ReadOptions) -> ToolCall:
    """The call that a tool executed, with its result."""
    output, id_, failed = run.output, run.id, run.failed
    kind, fields = fields_of(output)
    if kind == "tool":
        output = fields.get("content")
        id_ = fields.get("tool_call_id") if id_ is None else id_
        failed = failed or fields.get("status") == "error"
    value = _tool_input(run.inputs)
    return executed_call(run.name, value, id_, result=output, failed=failed, options=options)


def _tool_input(inputs: Any) -> Any:
    """The arguments of a tool.

    If the only input is called `input` and is text, it is the text of all arguments: JSON in
    JavaScript, and the output of `str` in Python. A tool with one text as input has just that.
    """
    text = inputs.get("input") if isinstance(inputs, dict) and len(inputs) == 1 else inputs
    if not isinstance(text, str):
        return inputs
    return text if text.lstrip().startswith("{") else {"input": text}


def tool_results_in(inputs: Any) -> list[ToolResult]:
    """The results in the messages that a model received."""
    messages = list_of(first(inputs, "messages", "input"))
    if isinstance(at(messages, 0), list):  # one list per prompt
        messages = messages[0]
    answers = []
    for message in dicts(messages):
        kind, fields = fields_of(message)
        if kind == "tool":
            failed = fields.get("status") == "error"
            answers.append(_tool_result(fields.get("content"), fields.get("tool_call_id"), failed))
        elif message.get("type") == "function_call_output":
            answers.append(_tool_result(message.get("output"), message.get("call_id")))
        else:  # parts of what the user says, as in Anthropic's format
            for block in dicts(fields.get("content")):
                if block.get("type") == "tool_result":
                    value, id_ = block.get("content"), block.get("tool_use_id")
                    answers.append(_tool_result(value, id_, block.get("is_error")))
    return answers


def _tool_result(value: Any, id_: Any, failed: Any = None) -> ToolResult:
    return ToolResult(value, text_of(id_), failed=True if failed is True else None)
