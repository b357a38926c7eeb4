"""LangChain messages, stream chunks, generations and agent steps.

These are `model_dump`, `messages_to_dict` and `dumpd`. Objects that wrap messages are read, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.families.langchain_messages import (
    goes_on,
    is_message,
    is_unambiguous_message,
    take_messages,
)
from callscore.formats.shape import as_list, at, first, list_of
from callscore.formats.signs import Signs
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool

ORDER = 500
EXAMPLE = {
    "type": "ai",
    "content": "",
    "tool_calls": [
        {"name": "get_weather", "args": {"city": "Paris"}, "id": "call_1", "type": "tool_call"}
    ],
    "invalid_tool_calls": [],
}
_CALLS = ("tool_call", "invalid_tool_call", "server_tool_call")
# Types of blocks beside calls in the bare content of an answer.
_BLOCKS = ("text", "reasoning", "server_tool_result", "non_standard", "image", "audio", "file")
_GENERATIONS = ("ChatGeneration", "ChatGenerationChunk", "Generation", "GenerationChunk")
# Every entry has one of these keys, and every wrapper of entries one of the others.
_MARKS = frozenset(("type", "invalid_tool_calls", "tool_input"))
_HOLDERS = frozenset(("generations", "intermediate_steps", "messages", "output", "raw"))
_MAX_WRAPPERS = 3
_PAIR = 2
SIGNS = Signs(
    keys=tuple((_MARKS | _HOLDERS) - {"messages"}),
    item_keys=tuple(_MARKS),
    message_keys=tuple(_MARKS),
    has_other_items=True,
)

continues = goes_on  # a state of a graph after each of its steps
joins_lines = is_unambiguous_message  # one message of a conversation, or a chunk of one


def recognizes(document: Any) -> bool:
    """Whether it is a message, an agent's action or a call, or has a list of these."""
    if isinstance(document, dict):
        if _MARKS.isdisjoint(document) and _HOLDERS.isdisjoint(document):
            return False
        if isinstance(document.get("generations"), list):
            generation = _generation(document, DEFAULT_READ_OPTIONS)
            is_known = at(generation, "type") in _GENERATIONS
            return is_known or is_message(at(generation, "message"))
    elif not isinstance(document, list):
        return False
    entries = _entries_in(document, DEFAULT_READ_OPTIONS)
    return all(map(_is_entry, entries)) and any(map(_is_unambiguous, entries))


def _entries_in(document: Any, options: ReadOptions) -> list[Any]:
    """The messages, actions or calls in a document, without their wrappers."""
    for _ in range(_MAX_WRAPPERS):
        if not isinstance(document, dict) or is_message(document):
            break
        steps = document.get("intermediate_steps")
        if isinstance(steps, list) and steps:
            return steps
        if isinstance(document.get("generations"), list):
            return [generated_message(document, options)]
        is_constructor = document.get("type") == "constructor"
        if (at(document, "id", -1) if is_constructor else document.get("type")) in _GENERATIONS:
            return [at(first(document, "kwargs") or document, "message")]
        inner = first(document, "messages", "output", "raw")
        if not isinstance(inner, dict | list):
            break
        document = inner
    return as_list(document)


def generated_message(result: Any, options: ReadOptions) -> Any:
    """The chosen message of what a model has generated, an `LLMResult`."""
    return at(_generation(result, options), "message")


def _generation(result: Any, options: ReadOptions) -> Any:
    first_prompt = at(result, "generations", 0)
    # One list per prompt, unless only one prompt is stored.
    answers = first_prompt if isinstance(first_prompt, list) else at(result, "generations")
    return at(answers, options.choose(range(len(list_of(answers)))))


def _is_entry(value: Any) -> bool:
    if isinstance(value, dict) and _MARKS.isdisjoint(value):
        return False
    return is_message(value) or _is_unambiguous(value) or at(value, "type") in _BLOCKS


def _is_unambiguous(value: Any) -> bool:
    return is_unambiguous_message(value) or _is_call(value) or _action_of(value) is not None


def _is_call(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in _CALLS
        and "name" in value
        and "args" in value
    )


def _action_of(value: Any) -> dict[str, Any] | None:
    """The action of an agent, alone or with its observation."""
    if isinstance(value, list) and len(value) == _PAIR:
        value = value[0]
    if not isinstance(value, dict):
        return None
    if value.get("type") == "constructor":
        value = value.get("kwargs")
    is_action = isinstance(value, dict) and "tool_input" in value and "log" in value
    return value if is_action and isinstance(value.get("tool"), str) else None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: all messages, the chosen generation, or the actions of an agent."""
    transcript = Transcript(options)
    entries = _entries_in(document, options)
    actions = [(entry, action) for entry in entries if (action := _action_of(entry)) is not None]
    for entry, action in actions:
        _take_action(entry, action, transcript)
    if not actions:
        are_blocks = any(map(_is_call, entries))
        messages = [{"type": "ai", "content": entries}] if are_blocks else entries
        take_messages(messages, transcript, reads_text=True)
    return [transcript.trace()]


def _take_action(entry: Any, action: dict[str, Any], transcript: Transcript) -> None:
    value = action.get("tool_input")
    # A tool with one text as input; a text that begins like an object was meant to be one.
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        value = {"input": value}
    id_ = action.get("tool_call_id")
    transcript.step()
    transcript.call(action["tool"], value, id_)
    if isinstance(entry, list):
        transcript.result(entry[1], id_)


def read_tools(document: Any) -> list[Tool]:
    """The tools recorded beside the messages; LangChain itself does not record them."""
    return read_definitions(list_of(at(document, "tools")))
