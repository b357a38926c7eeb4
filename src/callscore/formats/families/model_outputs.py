"""What a model answered, as an observer has passed it on: a message of whatever dialect.

Observers that do not read what passes through them write it down as it came, or nearly so.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from callscore.formats.dialect import dialect_named
from callscore.formats.families.genai_spans import (
    are_otel_messages,
    responses_in,
    take_otel_messages,
)
from callscore.formats.families.observed_runs import ToolResult
from callscore.formats.reading import inner_finder
from callscore.formats.shape import at, dicts, first, json_of
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.core.call import ToolCall
    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import Wanted

__all__ = ["ModelOutputs"]

# The dialects that have a word for what a model answered, or for a conversation with it.
_MODEL_DIALECTS = frozenset(
    (
        "anthropic",
        "autogen",
        "bedrock",
        "cohere",
        "gemini",
        "gemini_interactions",
        "langchain",
        "llamaindex",
        "mistral",
        "ollama",
        "openai_chat",
        "openai_responses",
        "pydantic_ai",
        "semantic_kernel",
        "spring_ai",
        "vercel_messages",
        "vercel_result",
    )
)
# One of these is in the JSON of every call and of every result, whatever the dialect.
_TOOL_SIGNS = ("ool", "unction", "_call", "arguments", "xecut", "cached", "\\u00")
_LEGACY_KEYS = ("tool_calls", "function_call")
_WRAPPER_KEYS = ("message", "response", "output")  # of a message that has something around it
_PLAIN_KEYS = frozenset(
    ("role", "content", "refusal", "annotations", "finish_reason", "name", "text")
)
_PLAIN_PART_KEYS = frozenset(("type", "text"))
_LOGFIRE_KEYS = {"message", "usage"}  # what Logfire keeps of an answer


class ModelOutputs:
    """Reads the answers of one trace: their dialect is looked up once, and then only checked."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._find: Callable[..., Dialect | None] | None = None

    def calls(self, given: Any) -> tuple[ToolCall, ...]:
        """The calls in an answer, or in messages, with the results that stand there, too.

        Args:
            given: a message, a list of them, a response, or JSON text of it. Other text has none.
        """
        value = _value_of(given)
        if value and are_otel_messages(value):
            return self._written(take_otel_messages, value)
        value = value and _unwrapped(value, self._wanted)
        if not value or not isinstance(value, dict | list) or _is_plain(value):
            return ()
        if _are_vercel_calls(value):
            return self._written(_take_vercel, value)
        return self._read(value)

    def _written(self, take: Callable[[Any, Transcript], None], value: Any) -> tuple[ToolCall, ...]:
        transcript = Transcript(self._wanted)
        take(value, transcript)
        return transcript.calls()

    def answers(self, given: Any) -> list[ToolResult]:
        """The results in what a model was given: a request, or its messages."""
        value = _value_of(given)
        if not value:
            return []
        messages = value.get("messages") if isinstance(value, dict) else value
        if are_otel_messages(messages):
            return responses_in(messages)
        told = [
            ToolResult(message.get("content"), message["tool_call_id"])
            for message in dicts(messages)
            if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str)
        ]
        return told or [
            ToolResult(call.result, call.id, call.name, call.failed, call.arguments)
            for call in self.calls(value)
            if call.result is not None
        ]

    def _read(self, value: Any) -> tuple[ToolCall, ...]:
        for held in (value, first(value, *_WRAPPER_KEYS)):
            dialect = self._dialect_of(held)
            if dialect is not None:
                traces = dialect.read(held, self._wanted)
                return tuple([call for trace in traces for call in trace.calls or ()])
        return ()

    def _dialect_of(self, value: Any) -> Dialect | None:
        if not isinstance(value, dict | list):
            return None
        if _is_likely_openai(value) and _openai_dialect().recognises(value):
            return _openai_dialect()
        if self._find is None:
            self._find = inner_finder(self._wanted)
        return self._find(value, _MODEL_DIALECTS)


@cache
def _openai_dialect() -> Dialect:
    return dialect_named("openai_chat")


def _value_of(value: Any) -> Any:
    """What an answer is, where it can have anything to do with tools; other texts are not read."""
    if isinstance(value, str):
        for sign in _TOOL_SIGNS:
            if sign in value:
                return json_of(value)
        return None
    return value


def _is_likely_openai(value: Any) -> bool:
    """Whether it looks like what most observers pass on, so that the search for it is short."""
    held = value[0] if isinstance(value, list) and value else value
    if not isinstance(held, dict):
        return False
    return bool(held.get("choices") or ("tool_calls" in held and _has_function(held["tool_calls"])))


def _has_function(calls: Any) -> bool:
    return bool(at(calls, 0, "function"))


def _is_plain(value: Any) -> bool:
    """Whether it is a message, or messages, with nothing but text, as most are."""
    return (
        all(map(_is_plain_message, value)) if isinstance(value, list) else _is_plain_message(value)
    )


def _is_plain_message(message: Any) -> bool:
    if not isinstance(message, dict) or not _PLAIN_KEYS.issuperset(message):
        return False
    content = message.get("content")
    if isinstance(content, list):
        return all(map(_is_plain_part, content))
    return not isinstance(content, dict) and not isinstance(message.get("text"), dict | list)


def _is_plain_part(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and _PLAIN_PART_KEYS.issuperset(part)
        and part.get("type", "text") == "text"
        and isinstance(part.get("text"), str)
    )


def _are_vercel_calls(value: Any) -> bool:
    """Whether they are calls as the Vercel AI SDK lists them for its observers."""
    return isinstance(at(value, 0, "toolName"), str) and all(
        isinstance(at(item, "toolName"), str) for item in value
    )


def _take_vercel(value: Any, transcript: Transcript) -> None:
    """Write down calls that the Vercel AI SDK has listed, with JSON as input."""
    transcript.step()
    for item in value:
        transcript.call(item["toolName"], first(item, "input", "args"), item.get("toolCallId"))


def _unwrapped(value: Any, wanted: Wanted) -> Any:
    """The message or the response in what an observer or a framework has put around it."""
    if isinstance(value, list):
        return _unwrapped_list(value)
    if not isinstance(value, dict):
        return value
    if "generations" in value and isinstance(at(value["generations"], 0), list):
        answers = value["generations"][0]  # LangChain's, in lists of lists
        return at(answers, wanted.choose(range(len(answers))), "message")
    return _unwrapped_object(value)


def _unwrapped_object(value: dict[str, Any]) -> Any:
    content = value.get("content")
    if isinstance(content, dict) and isinstance(content.get("parts"), list):
        return {"candidates": [value]}  # Gemini's candidate on its own
    if value.keys() == _LOGFIRE_KEYS and _is_likely_openai(value["message"]):
        return value["message"]
    return _as_message(value)


def _unwrapped_list(value: list[Any]) -> Any:
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
    """The calls that stand as JSON where the text of a message should stand, as Koog writes it."""
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
    """The message with the calls in their place, where they stand among LangChain's extras."""
    if "type" in value:
        return value
    extra = value.get("additional_kwargs")
    if isinstance(extra, dict) and not value.get("tool_calls"):
        held = {key: extra[key] for key in _LEGACY_KEYS if extra.get(key)}
        return {**value, **held} if held else value
    if "role" not in value and isinstance(value.get("tool_calls"), list):
        return {"role": "assistant", **value}
    return value
