"""OpenAI chat completions (responses, requests, messages, fine-tuning files).

Also of Azure, Groq, vLLM, OpenRouter, DeepSeek, Mistral, Together, LiteLLM and most other servers.
If a request is beside a response, only the calls of the response are read: the conversation before
it is recorded elsewhere, or was made up for the request.
"""

from __future__ import annotations

from typing import Any

from callscore.core.call import TRUNCATED, Tool
from callscore.formats.calls import is_empty_call
from callscore.formats.definitions import read_definitions
from callscore.formats.families.span_origin import origin_of_response
from callscore.formats.families.written_calls import (
    is_observation,
    take_observation,
    take_written_calls,
)
from callscore.formats.shape import at, dicts, first, json_of, list_of, name_of, text_in
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

ORDER = 720
EXAMPLE_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
EXAMPLE = {
    "choices": [
        {
            "message": {"role": "assistant", "content": None, "tool_calls": [EXAMPLE_CALL]},
            "finish_reason": "tool_calls",
        }
    ]
}
_ROLES = ("assistant", "user", "system", "developer", "tool", "function")
_CONTENTS = ("content", "tool_calls", "function_call", "refusal", "audio")
_UI_KEYS = frozenset(("parts", "toolInvocations"))  # of the messages of user interfaces
_MESSAGE_KEYS = frozenset(
    ("role", "content", "tool_calls", "function_call", "executed_tools", "name", "refusal", "id")
)
_BARE = frozenset(("name", "description"))  # of a call without arguments
SIGNS = Signs(
    keys=("choices", "messages", "role", "function", "custom", "response", "data", "error"),
    item_keys=("role", "function", "custom"),
)


def recognizes(document: Any) -> bool:
    """Whether it has choices with a message, or messages, or is a list of messages or calls."""
    if isinstance(document, list):
        return bool(document) and all(map(_is_message_or_call, document))
    if not isinstance(document, dict):
        return False
    messages = document.get("messages")
    return (
        _is_response(document)
        or (isinstance(messages, list) and all(map(joins_lines, messages)))
        or _is_message_or_call(document)
        or (_is_response(document.get("response")) and isinstance(document.get("request"), dict))
        or _is_page(document)
        or _is_lost_call(document)
    )


def _is_response(document: Any) -> bool:
    if not isinstance(document, dict) or "choices" not in document:
        return False
    if document["choices"] == []:
        return bool(document.get("object") == "chat.completion")
    return isinstance(at(document, "choices", 0, "message"), dict)


def _is_message_or_call(item: Any) -> bool:
    return joins_lines(item) or _is_call(item)


def _is_page(document: dict[str, Any]) -> bool:
    data = document.get("data") if document.get("object") == "list" else None
    return isinstance(data, list) and bool(data) and all(map(_is_response, data))


def _is_lost_call(document: Any) -> bool:
    """Whether the server says that it could not parse the call of the model, as Groq does."""
    return bool(at(document, "error", "code") == "tool_use_failed")


def joins_lines(line: Any) -> bool:
    """Whether a line is one message of a conversation."""
    if (
        not isinstance(line, dict)
        or line.get("role") not in _ROLES
        or not _UI_KEYS.isdisjoint(line)
    ):
        return False
    content, calls = line.get("content"), line.get("tool_calls")
    if isinstance(content, list) and not all(map(_is_part, content)):
        return False
    if isinstance(calls, list) and not all(map(_is_entry, calls)):
        return False
    return content is not None or calls is not None or any(key in line for key in _CONTENTS)


def _is_part(part: Any) -> bool:
    """Whether it is a part of a text; other formats have calls and results among these."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and "tool" not in kind and "function" not in kind


def _is_entry(call: Any) -> bool:
    """Whether it is an entry of `tool_calls` with the call one level down, under its type."""
    if not isinstance(call, dict):
        return False
    if isinstance(call.get("function"), dict) or isinstance(call.get("custom"), dict):
        return True
    kind = call.get("type")
    return isinstance(kind, str) and isinstance(call.get(kind), dict)


def _is_call(item: Any) -> bool:
    """Whether it is a call; the definition of a tool looks alike, but has no arguments."""
    if not isinstance(item, dict):
        return False
    function, custom = item.get("function"), item.get("custom")
    if isinstance(function, dict):
        return isinstance(function.get("name"), str) and "arguments" in function
    return isinstance(custom, dict) and isinstance(custom.get("name"), str) and "input" in custom


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the chosen answer of a response, or all messages of a conversation."""
    if isinstance(document, dict):
        if document.get("object") == "list":
            return [_read_response(response, options) for response in dicts(document.get("data"))]
        for response in (document, document.get("response")):
            if isinstance(response, dict) and isinstance(response.get("choices"), list):
                return [_read_response(response, options)]
        if _is_lost_call(document):
            return [_read_lost_call(document["error"], options)]
    return [_read_conversation(document, options)]


def _read_response(response: Any, options: ReadOptions) -> Trace:
    choices = dicts(at(response, "choices"))
    number = options.choose(range(len(choices)))
    # By its index, or by its position if the server numbers none.
    found = [choice for choice in choices if choice.get("index") == number]
    choice = at(found, 0) or at(choices, number)
    if choice is None:
        return Trace(calls=None)  # no such answer, which is not an answer without calls
    transcript = Transcript(options)
    is_cut = choice.get("finish_reason") == "length"
    message = choice.get("message")
    take_message(message, transcript, is_cut=is_cut)
    if not len(transcript):
        take_written_calls(at(message, "content"), transcript, has_results=False)
    return transcript.trace(origin=origin_of_response(response))


_NO_CALL = "did not call a tool"  # says Groq of a model that had to, and wrote text


def _read_lost_call(error: dict[str, Any], options: ReadOptions) -> Trace:
    """The call that the server rejected; its tool is unknown if the server does not show it."""
    transcript = Transcript(options)
    transcript.step()
    if _NO_CALL in str(error.get("message")):
        return transcript.trace()
    generated = error.get("failed_generation")
    call = json_of(generated)
    if isinstance(call, dict) and isinstance(call.get("name"), str):
        transcript.call(call["name"], first(call, "arguments", "parameters"))
    else:
        transcript.call(None, generated, error="tool_use_failed")
    transcript.result(error.get("message"), failed=True)
    return transcript.trace()


def _read_conversation(document: Any, options: ReadOptions) -> Trace:
    transcript = Transcript(options)
    messages = document.get("messages", [document]) if isinstance(document, dict) else document
    question = None
    for message in dicts(messages):
        role = message.get("role")
        if role is None:
            take_call(message, transcript)
            continue
        if question is None and role == "user":
            question = text_in(message.get("content"))
        before = len(transcript)
        if role != "user" or not is_observation(message.get("content")):
            transcript.role(role)
        take_message(message, transcript)
        if role == "assistant" and len(transcript) == before:
            take_written_calls(message.get("content"), transcript)
        elif role == "user":
            take_observation(message.get("content"), transcript)
    is_record = isinstance(document, dict) and "messages" in document  # a message has an id, too
    task = name_of(first(document, "id", "task_id")) if is_record else None
    trial = at(document, "trial") if task is not None else None
    is_trial = isinstance(trial, str | int) and not isinstance(trial, bool)
    return transcript.trace(id=task, trial=trial if is_trial else None, input=question)


def take_message(message: Any, transcript: Transcript, *, is_cut: bool = False) -> None:
    """Add the calls, or the result, of one message; an answer that is cut ends in the middle."""
    if not isinstance(message, dict):
        return
    calls = message.get("tool_calls")
    executed = message.get("executed_tools")
    _note_unknown_parts(message, transcript)
    if executed:
        transcript.step()
        take_executed(executed, transcript)
    if calls:
        transcript.step()
        calls = list_of(calls)
        for place, call in enumerate(calls, 1):
            take_call(call, transcript, is_cut=is_cut and place == len(calls))
    elif _has_legacy_call(message):
        transcript.step()
        take_call({"function": message["function_call"]}, transcript, is_cut=is_cut)
    elif message.get("role") in ("tool", "function"):
        _take_result(message, transcript)


def _note_unknown_parts(message: dict[str, Any], transcript: Transcript) -> None:
    """Note the fields and parts of an answer that look like calls: this format has them elsewhere."""
    if message.get("role") != "assistant":
        return
    if not _MESSAGE_KEYS.issuperset(message) and not message.get("tool_calls"):
        transcript.unknown_keys(message, _MESSAGE_KEYS)
    content = message.get("content")
    if content.__class__ is list:
        for part in dicts(content):
            transcript.unknown(part.get("type"), part)


def _has_legacy_call(message: dict[str, Any]) -> bool:
    """Whether there is a call as it was before there were tool calls."""
    call = message.get("function_call")
    return isinstance(call, dict) and not is_empty_call(call.get("name"), call.get("arguments"))


def take_executed(entries: Any, transcript: Transcript) -> None:
    """Add the calls of tools that the server has run before it answered, as Groq does."""
    for entry in dicts(entries):
        name = first(entry, "name", "type")
        transcript.call(name, entry.get("arguments"), kind="hosted")
        output = first(entry, "output", "search_results", "code_results", "browser_results")
        if output is not None:
            transcript.result(output, name=name)


def take_call(call: Any, transcript: Transcript, *, is_cut: bool = False) -> None:
    """Add one entry of `tool_calls`, in the middle of which the answer may be cut."""
    if not isinstance(call, dict):
        return
    function, custom = call.get("function"), call.get("custom")
    if isinstance(function, dict):
        name, arguments = function.get("name"), function.get("arguments")
        # Text shows whether it is complete, but an empty one may be cut off.
        is_cut = is_cut and not arguments
        if "arguments" not in function and not _BARE.issuperset(function):
            keys = ", ".join(map(str, function))
            transcript.unknown(f"function with {keys}", function, is_call=True)
    elif isinstance(custom, dict):  # free text does not show whether it is complete
        name, arguments = custom.get("name"), {"input": custom.get("input")}
    else:  # malformed, but still a call of the model
        name, arguments = first(call, "name", "function"), first(call, "arguments", "args")
        is_cut = False
        if name is None:
            transcript.unknown(call.get("type"), call, is_call=True)
    error = TRUNCATED if is_cut else None
    transcript.call(name, arguments, _id_in(call, "id"), error=error)


def _id_in(entry: dict[str, Any], key: str) -> Any:
    found = entry.get(key)
    return None if found == "null" else found  # how Mistral's SDK writes a missing id


def _take_result(message: dict[str, Any], transcript: Transcript) -> None:
    id_ = _id_in(message, "tool_call_id")
    name = first(message, "name", "tool_name") if id_ is None else None
    is_error = message.get("status") == "error"
    failed = True if is_error else first(message, "is_error", "isError")
    transcript.result(message.get("content"), id_, name=name, failed=failed)


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers."""
    requests = (document, at(document, "request"))
    offered = [at(request, key) for request in requests for key in ("tools", "functions")]
    return next(filter(None, [read_definitions(list_of(tools)) for tools in offered]), [])
