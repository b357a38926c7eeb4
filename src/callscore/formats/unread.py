"""Finds what looks like calls in a document from which no call was read.

"No calls" is a good answer to some questions. A document whose calls could not be read must not pass
for one: it would look like a bad agent. So a document without calls is searched for the fields and
the marks in text that only calls have. Definitions of tools, token counts, and what others than the
model said are no signs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.formats.shape import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

__all__ = ["Sign", "find_sign", "is_call_kind", "warn_unread"]

_MAX_NODES = 20_000  # of a document: what is found beyond them was found before them, too
_MAX_TEXT = 200_000  # characters


class Sign(Struct, frozen=True):
    """Something that looks like calls.

    Attributes:
        path: where it is: `$.messages[2].content`.
        what: the key, the mark or the kind that was found.
        value: the object, list or text that holds it.
    """

    path: str
    what: str
    value: Any


# --- keys and kinds ----------------------------------------------------------------------------

# Written in any case, with or without separators.
_CALL_KEYS = re.compile(
    "toolcall|functioncall|tooluse|toolinvocation|toolrequest|calledtool|toolscalled|toolname"
)
_NO_CALL_KEYS = re.compile(
    "^(?:max|num|parallel|has|total)|(?:count|choice|parser|config|requests|limit|schema|names)s?$"
)
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_KIND_KEYS = frozenset(
    (
        *("type", "kind", "part_kind", "block_type", "content_type", "event", "event_type"),
        *("$type", "stringValue"),  # as OpenTelemetry encodes a text
    )
)
_CALL_KINDS = re.compile(r"(?:tool|function)(?:call|use|request|invocation)|call$")
_REASON_KEYS = frozenset(("finishreason", "stopreason"))
_CALL_REASONS = re.compile("toolcall|tooluse|functioncall")
# What spans and runs of tools say that they are.
_TOOL_SPANS = frozenset(
    ("execute_tool", "tool", "TOOL", "gen_ai.tool.name", "tool.name", "tools/call")
)
_TOOL_SPAN_KEYS = frozenset(
    (
        *("gen_ai.operation.name", "openinference.span.kind", "mlflow.spanType", "run_type"),
        *("key", "method"),
    )
)
_NAME_KEYS = frozenset(("name", "tool", "tool_name", "toolName", "function_name", "functionName"))
_ARGUMENT_KEYS = frozenset(
    (
        *("arguments", "args", "tool_input", "toolInput", "tool_args", "kwargs", "parameters"),
        *("input_parameters", "inputParameters", "tool_kwargs"),
    )
)
# Definitions, options of a request, counts: there are tools in them, and no calls.
_NO_CALLS_BELOW = frozenset(
    (
        *("tools", "functions", "tool_choice", "toolChoice", "available_tools", "availableTools"),
        *("tool_definitions", "toolDefinitions", "functionDeclarations", "function_declarations"),
        *("toolConfig", "tool_config", "response_format", "usage", "usageMetadata", "token_usage"),
        *(
            "usage_metadata",
            "tool_schemas",
            "input_schema",
            "inputSchema",
            "gen_ai.tool.definitions",
        ),
        *("gen_ai.prompt", "gen_ai.input.messages", "input.value"),
    )
)
_INPUT_PREFIXES = ("llm.input_messages", "gen_ai.prompt", "llm.tools", "llm.request", "ai.prompt")
# What a model was given may contain the calls of earlier runs, where its answer is beside it.
_OUTPUTS = {"input": "output", "inputs": "outputs", "request": "response"}

_ANSWERS = ("choices", "candidates")  # to the same question

# --- text --------------------------------------------------------------------------------------

_ROLE_KEYS = ("role", "from", "speaker", "author", "source", "type")
# Those who speak to the model: its instructions may explain how to write a call.
_OTHER_ROLES = frozenset(
    (
        *("user", "human", "system", "developer", "tool", "function", "observation", "ipython"),
        *("function_response", "tool_response", "environment", "tool_result"),
    )
)
_OTHER_TEXT_KEYS = frozenset(
    (
        *("prompt", "system", "instructions", "instruction", "system_prompt", "systemPrompt"),
        *("question", "query", "user", "description", "input", "inputs", "task", "observation"),
        *("observations", "reasoning", "thinking", "thought", "log"),
    )
)
_TEXT_MARKS = re.compile(
    r"<\|?/?tool_calls?\b[^>]*>|<\|?function_?calls?\|?>|<function=|<invoke name=|<tool_use>"
    r"|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call|<\uff5ctool|\bto=functions\."
    r"|^\s*Action(?:\s*\d+)?:(?=.*^\s*Action(?:\s*\d+)?\s*Input(?:\s*\d+)?:)"
    r"""|["']function_?call["']\s*:\s*[\[{]|["']tool_?calls["']\s*:\s*\[\s*\{"""
    r"""|\{\s*["'](?:name|tool_name|tool|function)["']\s*:\s*["'][^"']+["']\s*,"""
    r"""\s*["'](?:arguments|parameters|args|input|tool_input)["']\s*:""",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
# One of these is in every text with a call.
_MAY_CALL = re.compile(r"[<{(\[]|```|to=functions|action", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)|\A.*?</think>", re.DOTALL)
_FENCES = re.compile(r"```[\w-]*\n(.*?)(?:```|\Z)", re.DOTALL)
_FIRST_WORD = re.compile(r"^[ \t$>]*([\w.:-]+)", re.MULTILINE)


def warn_unread(text: str) -> None:
    """Warn the caller of callscore about what looks like calls and was not read."""
    import sys
    import warnings

    from callscore.errors import UnreadCalls

    level, frame = 1, sys._getframe()  # noqa: SLF001  (the only way to know who called)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("callscore"):
        level, frame = level + 1, frame.f_back
    problem = f"{text} It was not read, so that there are no calls."
    warnings.warn(problem, UnreadCalls, stacklevel=level)


def is_call_kind(kind: object) -> bool:
    """Whether the kind of an item is that of a call: `web_search_call`, `tool-call`, `toolUse`."""
    if not isinstance(kind, str):
        return False
    return _CALL_KINDS.search(_plain(kind)) is not None


def find_sign(
    document: Any,
    tools: Collection[str] = (),
    is_calls: Callable[[str], bool] | None = None,
    *,
    candidate: int = 0,
) -> Sign | None:
    """The first thing in a document that looks like calls; None if nothing does.

    Args:
        document: what no call was read from.
        tools: the names of the tools, which fenced code may call.
        is_calls: whether a text is in a known notation of calls.
        candidate: which of several answers was read; the others are no signs.
    """
    pending: list[_Node] = [_Node(document, None, None, is_spoken=True)]
    for _ in range(_MAX_NODES):
        if not pending:
            break
        node = pending.pop()
        if isinstance(node.value, str) and node.value[:1] in ("{", "["):
            node.value = json_of(node.value)
        value = node.value
        what = None
        if isinstance(value, dict):
            what = _object_sign(value)
            pending += _fields_of(value, node)
        elif isinstance(value, list):
            pending += _items_of(value, node, candidate)
        elif node.is_spoken and _MAY_CALL.search(value):
            # A text that is the whole document has been read already.
            what = _text_sign(value, tools, None if value is document else is_calls)
        if what is not None:
            return Sign(node.path, what, value)
    return None


class _Node:
    """A value in a document: under which key of which other one, and whether the model says it."""

    __slots__ = ("is_spoken", "key", "owner", "value")

    def __init__(self, value: Any, key: Any, owner: _Node | None, *, is_spoken: bool) -> None:
        self.value, self.key, self.owner, self.is_spoken = value, key, owner, is_spoken

    @property
    def path(self) -> str:
        if self.owner is None:
            return "$"
        key = self.key
        is_plain = isinstance(key, str) and key.isidentifier()
        return self.owner.path + (f".{key}" if is_plain else f"[{key!r}]")


def _fields_of(value: dict[Any, Any], node: _Node) -> list[_Node]:
    """The fields of an object that can hold calls, the last one first."""
    is_spoken = node.is_spoken and _speaks(value)
    found = [
        _Node(item, key, node, is_spoken=is_spoken and not _role_of(key) & _OTHER_TEXT)
        for key, item in value.items()
        if isinstance(item, str | dict | list) and not _is_beside(key, value)
    ]
    found.reverse()
    return found


def _items_of(value: list[Any], node: _Node, candidate: int) -> list[_Node]:
    is_answers = node.key in _ANSWERS
    found = [
        _Node(item, number, node, is_spoken=node.is_spoken)
        for number, item in enumerate(value)
        if isinstance(item, str | dict | list) and not (is_answers and number != candidate)
    ]
    found.reverse()
    return found


def _speaks(value: dict[Any, Any]) -> bool:
    """Whether an object is not a message of somebody else than the model."""
    for key in _ROLE_KEYS:
        role = value.get(key)
        if isinstance(role, str) and role.lower() in _OTHER_ROLES:
            return False
    return True


# What the key of a field says about it: bits, because they are asked for every field.
_NO_CALLS = 1  # definitions, options, counts, the input of the model
_INPUT = 2  # no calls of this run, if the output is beside it
_OTHER_TEXT = 4  # not said by the model
_KIND = 8
_REASON = 16  # why the model stopped
_SPAN = 32  # what a span or a run is about
_CALLS = 64


@lru_cache(maxsize=8_192)
def _role_of(key: Any) -> int:
    plain = _plain(key)
    if key in _NO_CALLS_BELOW or (isinstance(key, str) and key.startswith(_INPUT_PREFIXES)):
        return _NO_CALLS
    role = 0
    for is_so, named in (
        (key in _OUTPUTS, _INPUT),
        (key in _OTHER_TEXT_KEYS, _OTHER_TEXT),
        (key in _KIND_KEYS, _KIND),
        (plain in _REASON_KEYS, _REASON),
        (key in _TOOL_SPAN_KEYS, _SPAN),
        (_CALL_KEYS.search(plain) and not _NO_CALL_KEYS.search(plain), _CALLS),
    ):
        role |= named if is_so else 0
    return role


def _is_beside(key: Any, owner: dict[Any, Any]) -> bool:
    """Whether a field cannot hold calls that the model made in this run."""
    role = _role_of(key)
    return bool(role & _NO_CALLS) or (bool(role & _INPUT) and bool(owner.get(_OUTPUTS[key])))


def _object_sign(value: dict[Any, Any]) -> str | None:
    for key, item in value.items():
        role = _role_of(key)
        if not role:
            continue
        if isinstance(item, str) and _names_call(role, item):
            return f"{key}: {item}"
        if role & _CALLS and _is_filled(key, item):
            return str(key)
    return _named_attribute(value) or _named_call(value)


def _named_attribute(value: dict[Any, Any]) -> str | None:
    """The key of an attribute for calls, as OpenTelemetry encodes it: a key beside its value."""
    key, held = value.get("key"), value.get("value")
    if not isinstance(key, str) or not isinstance(held, dict) or not _role_of(key) & _CALLS:
        return None
    return key if any(_is_filled(key, item) for item in held.values()) else None


def _names_call(role: int, text: str) -> bool:
    """Whether a field says that its object is a call, or that calls follow."""
    if role & _KIND:
        return is_call_kind(text)
    if role & _REASON:
        return _CALL_REASONS.search(_plain(text)) is not None
    return bool(role & _SPAN) and text.strip('"') in _TOOL_SPANS


def _named_call(value: dict[Any, Any]) -> str | None:
    """The keys of an object that has the name of a tool and arguments."""
    for name in _NAME_KEYS & value.keys():
        if value[name] and isinstance(value[name], str):
            for key in _ARGUMENT_KEYS & value.keys():
                given = json_of(value[key])
                if isinstance(given, dict) and "properties" not in given:  # that would be a schema
                    return f"{name} and {key}"
    return None


def _is_filled(key: Any, value: Any) -> bool:
    """Whether a field for calls has anything in it: some stacks write it empty."""
    if isinstance(value, str):
        is_name = _plain(key).endswith(("id", "name"))
        return bool(value) and (is_name or value.lstrip()[:1] in ("{", "["))
    if isinstance(value, dict):
        return any(item not in (None, "", [], {}) for item in value.values())
    return isinstance(value, list) and any(item not in (None, "", [], {}) for item in value)


def _text_sign(
    text: str, tools: Collection[str], is_calls: Callable[[str], bool] | None
) -> str | None:
    text = _THOUGHTS.sub("", text[:_MAX_TEXT])
    mark = _TEXT_MARKS.search(text)
    if mark is not None:
        return " ".join(mark[0].split())[:40]
    for fence in _FENCES.finditer(text):
        for word in _FIRST_WORD.findall(fence[1]):
            if word in tools:
                return f"``` with {word}"
    if is_calls is not None and is_calls(text):
        return "text in a notation of calls"
    return None


def _plain(key: object) -> str:
    return _SEPARATORS.sub("", str(key).lower())
