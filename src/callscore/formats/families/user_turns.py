"""Counts the turns of a user in the messages that a model received, in any provider's format."""

from __future__ import annotations

import re
from typing import Any

from callscore.formats.families.written_calls import is_observation
from callscore.formats.shape import at, dicts, first, json_of
from callscore.formats.transcript import AGENT_ROLES, USER_ROLES

# Of the only mention of a user in a text: as the role of a message, also in JSON within JSON.
_ROLE = re.compile(r'"(?:user|human|HumanMessage)\\*"(?!\s*:)')
_LISTS = ("messages", "contents", "input", "prompt", "chat_history")
_MAX_WRAPPERS = 4
_MIN_MESSAGES = 2  # of the user, in different turns
_CONTENTS = ("content", "parts", "contents")
_RESULT_KEYS = frozenset(
    ("tool_use_id", "toolResult", "functionResponse", "function_response", "tool_call_id")
)
_RESULT_TYPES = ("tool_result", "tool-result", "tool_call_response", "function_result")
# The last part of the path of LangChain's classes, as their JSON has it.
_CLASSES = {"HumanMessage": "user", "AIMessage": "assistant", "AIMessageChunk": "assistant"}


def count_turns(value: Any) -> int | None:
    """How often the user asked again after an answer; None if there are no messages of a user."""
    if value.__class__ is str and value.count("user") + value.count("uman") < _MIN_MESSAGES:
        # Of at most one message, so that there is nothing to count.
        return None if _ROLE.search(value) is None else 0
    turns: int | None = None
    is_answered = False
    for message in _messages_in(value):
        role = _role_of(message)
        if role in AGENT_ROLES:
            is_answered = True
        elif role in USER_ROLES and not _is_of_program(message):
            turns = 0 if turns is None else turns + is_answered
            is_answered = False
    return turns


def _messages_in(value: Any) -> list[dict[str, Any]]:
    for _ in range(_MAX_WRAPPERS):
        value = json_of(value)
        if isinstance(value, dict):
            value = first(value, *_LISTS)
        elif isinstance(value, list) and isinstance(at(value, 0), list):
            value = value[0]  # one list per prompt
        else:
            break
    return dicts(value)


def _role_of(message: dict[str, Any]) -> str | None:
    """Who wrote a message, in lower case."""
    if message.get("type") == "constructor":
        return _CLASSES.get(str(at(message, "id", -1)))
    role = message.get("role")
    if role is None:
        role = message.get("message.role") or at(message, "message", "role") or message.get("type")
    return role.lower() if role.__class__ is str else None


def _is_of_program(message: dict[str, Any]) -> bool:
    """Whether a message in the name of the user has the result of a call."""
    content = first(message, *_CONTENTS)
    if content.__class__ is str and content[:1] != "[":
        return is_observation(content)
    return any(
        not _RESULT_KEYS.isdisjoint(part) or part.get("type") in _RESULT_TYPES
        for part in dicts(json_of(content))
    )
