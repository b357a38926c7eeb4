"""Answers of models, as observability tools store them: messages in any dialect.

Tools that do not interpret the answers of models store them nearly unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from callscore.formats.dialect import Dialect, dialect_named
from callscore.formats.families.genai_spans import (
    are_otel_messages,
    responses_in,
    take_otel_messages,
)
from callscore.formats.families.observed_runs import ToolResult
from callscore.formats.reading import inner_finder
from callscore.formats.shape import as_list, at, dicts, first, json_of
from callscore.formats.transcript import Transcript
from callscore.formats.unread import find_sign

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.trace import ReadOptions

# The dialects of answers of models, and of conversations with them.
_MODEL_DIALECTS = frozenset(
    (
        *("anthropic", "autogen", "bedrock", "cohere", "gemini", "gemini_interactions", "haystack"),
        *("langchain", "llamaindex", "mistral", "ollama", "openai_chat", "openai_responses"),
        *("pydantic_ai", "semantic_kernel", "spring_ai", "vercel_messages", "vercel_result"),
    )
)
# One of these is in the JSON of every call and every result, in all dialects.
_TOOL_SIGNS = ("ool", "unction", "_call", "arguments", "xecut", "cached", "\\u00")
_GEMINI_CALLS = ("functionCall", "function_call")
_CALL_KEYS = {"name", "arguments"}
_LEGACY_KEYS = ("tool_calls", "function_call")
_WRAPPER_KEYS = ("message", "response", "output", "completion", "result")  # around a message
_PLAIN_KEYS = frozenset(
    ("role", "content", "refusal", "annotations", "finish_reason", "name", "text")
)
_PLAIN_PART_KEYS = frozenset(("type", "text"))
_LOGFIRE_KEYS = {"message", "usage"}  # what Logfire keeps of an answer


class ModelOutputs:
    """Reads the answers of one trace; their dialect is found once, and then only checked."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._find: Callable[..., Dialect | None] | None = None

    def calls(self, given: Any) -> tuple[ToolCall, ...]:
        """The calls in an answer or in messages, with their results.

        Text that is not JSON has none. In any other answer, what looks like a call is noted.
        """
        found = self._calls(given)
        if not found and self._options.is_searched and not self.is_plain(given):
            sign = find_sign(_value_of(given), candidate=self._options.candidate)
            if sign is not None:
                self._options.note_unknown(sign.what, sign.value)
        return found

    def _calls(self, given: Any) -> tuple[ToolCall, ...]:
        value = _value_of(given)
        if value and are_otel_messages(value):
            transcript = Transcript(self._options)
            take_otel_messages(value, transcript)
            return transcript.calls()
        value = value and _unwrapped(value, self._options)
        messages = as_list(value)
        if not isinstance(value, dict | list) or all(map(_is_plain_message, messages)):
            return ()
        if messages is value and all(isinstance(at(item, "toolName"), str) for item in messages):
            transcript = Transcript(self._options)
            transcript.step()  # calls as the Vercel AI SDK lists them in spans
            for item in messages:
                call_input = first(item, "input", "args")
                transcript.call(item["toolName"], call_input, item.get("toolCallId"))
            return transcript.calls()
        return self._read(value)

    def is_plain(self, given: Any) -> bool:
        """Whether an answer is text, or a message of nothing else: it was recorded, without calls."""
        value = json_of(given)
        if isinstance(value, str):
            return bool(value.strip())
        return bool(value) and all(map(_is_plain_message, as_list(value)))

    def answers(self, given: Any) -> list[ToolResult]:
        """The results in the input of a model: a request, or its messages."""
        value = _value_of(given)
        if not value:
            return []
        messages = value.get("messages") if isinstance(value, dict) else value
        if are_otel_messages(messages):
            return responses_in(messages)
        results = [
            ToolResult(message.get("content"), message["tool_call_id"])
            for message in dicts(messages)
            if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str)
        ]
        return results or [
            ToolResult(call.result, call.id, call.name, call.failed, call.arguments)
            for call in self._calls(value)
            if call.result is not None
        ]

    def _read(self, value: Any) -> tuple[ToolCall, ...]:
        for held in (value, first(value, *_WRAPPER_KEYS)):
            dialect = self._dialect_of(held)
            if dialect is not None:
                traces = dialect.read(held, self._options)
                return tuple([call for trace in traces for call in trace.calls or ()])
        return ()

    def _dialect_of(self, value: Any) -> Dialect | None:
        if not isinstance(value, dict | list):
            return None
        if _is_likely_openai(value) and _openai_dialect().recognizes(value):
            return _openai_dialect()
        if self._find is None:
            self._find = inner_finder(self._options)
        return self._find(value, _MODEL_DIALECTS)


@cache
def _openai_dialect() -> Dialect:
    return dialect_named("openai_chat")


def _value_of(value: Any) -> Any:
    """An answer, decoded if it may contain calls or results; other texts are not read."""
    if isinstance(value, str):
        for sign in _TOOL_SIGNS:
            if sign in value:
                return json_of(value)
        return None
    return value


def _is_likely_openai(value: Any) -> bool:
    """Whether a value looks like OpenAI's; most do, and then the search is short."""
    held = value[0] if isinstance(value, list) and value else value
    if not isinstance(held, dict):
        return False
    return bool(held.get("choices") or at(held, "tool_calls", 0, "function"))


def _is_plain_message(message: Any) -> bool:
    if not isinstance(message, dict) or not _PLAIN_KEYS.issuperset(message):
        return False
    content = message.get("content")
    if isinstance(content, list):
        return all(
            isinstance(part, dict)
            and _PLAIN_PART_KEYS.issuperset(part)
            and part.get("type", "text") == "text"
            and isinstance(part.get("text"), str)
            for part in content
        )
    return not isinstance(content, dict) and not isinstance(message.get("text"), dict | list)


def _unwrapped(value: Any, options: ReadOptions) -> Any:
    """The message or the response, without what a tool or a framework put around it."""
    if isinstance(value, list):
        return _unwrapped_list(value)
    if not isinstance(value, dict):
        return value
    if "generations" in value and isinstance(at(value["generations"], 0), list):
        answers = value["generations"][0]  # LangChain's, in lists of lists
        return at(answers, options.choose(range(len(answers))), "message")
    return _unwrapped_object(value)


def _unwrapped_object(value: dict[str, Any]) -> Any:
    content = value.get("content")
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        return {"candidates": [value]}  # Gemini's candidate, without the answer around it
    if isinstance(content, str):
        calls = _calls_in_content(value)
        if calls:
            return {"role": "assistant", "tool_calls": calls}
    if value.keys() == _LOGFIRE_KEYS and _is_likely_openai(value["message"]):
        return value["message"]
    return _as_message(value)


def _unwrapped_list(value: list[Any]) -> Any:
    if any(isinstance(first(part, *_GEMINI_CALLS), dict) for part in dicts(value)):
        return {"candidates": [{"content": {"role": "model", "parts": value}}]}  # only the parts
    calls: list[Any] = []
    messages = []
    for item in value:
        if isinstance(item, dict):
            calls += _calls_in_content(item)
            messages.append(_as_message(item))
        else:
            messages.append(item)
    return {"role": "assistant", "tool_calls": calls} if calls else messages


def _calls_in_content(message: dict[str, Any]) -> list[Any]:
    """The calls that are JSON in place of the text of a message, as in Koog."""
    content = message.get("content")
    if not isinstance(content, str) or content[:2] != "[{" or message.get("role") != "assistant":
        return []
    calls = json_of(content)
    is_calls = isinstance(calls, list) and all(
        at(call, "type") == "function" and isinstance(at(call, "function", "name"), str)
        for call in calls
    )
    return calls if is_calls else []


def _as_message(value: dict[str, Any]) -> dict[str, Any]:
    """The message with the calls in their place, and with the role that it lacks."""
    if "type" in value:
        return value
    extra = value.get("additional_kwargs")
    if isinstance(extra, dict) and not value.get("tool_calls"):
        held = {key: extra[key] for key in _LEGACY_KEYS if extra.get(key)}  # as in LangChain
        return {**value, **held} if held else value
    return _with_openai_calls(value if "role" in value else _with_role(value))


def _with_role(value: dict[str, Any]) -> dict[str, Any]:
    has_calls = isinstance(first(value, "tool_calls", "toolCalls"), list) or any(
        part.get("type") == "tool_use" for part in dicts(value.get("content"))
    )
    if value.keys() == _CALL_KEYS and isinstance(value["name"], str):
        value = {"function_call": value}
        has_calls = True
    return {"role": "assistant", **value} if has_calls else value


def _with_openai_calls(message: dict[str, Any]) -> dict[str, Any]:
    """The message of OpenAI with calls of OpenAI, if they are LangChain's or flat."""
    calls = first(message, "tool_calls", "toolCalls")
    if not isinstance(calls, list) or message.get("role") not in ("assistant", "ai"):
        return message
    if not calls or not all(map(_is_flat_call, calls)):
        return message
    whole = [
        {
            "id": first(call, "id", "toolCallId"),
            "type": "function",
            "function": {
                "name": first(call, "name", "toolName"),
                "arguments": first(call, "args", "arguments", "input"),
            },
        }
        for call in calls
    ]
    others = {key: value for key, value in message.items() if key != "toolCalls"}
    return {**others, "role": "assistant", "tool_calls": whole}


def _is_flat_call(call: Any) -> bool:
    return isinstance(first(call, "name", "toolName"), str) and "function" not in call
