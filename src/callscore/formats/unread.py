"""Finds what looks like calls in a document from which no call was read.

"No calls" is a good answer to some questions. A document whose calls could not be read must not pass
for one: it would look like a bad agent. So a document without calls is searched for the fields and
the marks in text that only calls have. Definitions of tools, token counts, and what others than the
model said are no signs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.formats.shape import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

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
    ("type", "kind", "part_kind", "block_type", "content_type", "event", "event_type", "$type")
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
_NAME_KEYS = ("name", "tool", "tool_name", "toolName", "function_name", "functionName")
_ARGUMENT_KEYS = (
    *("arguments", "args", "tool_input", "toolInput", "tool_args", "kwargs", "parameters"),
    *("input_parameters", "inputParameters", "tool_kwargs"),
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
    for path, value, key, is_spoken in _walk(document, candidate):
        if isinstance(value, str):
            # A text that is the whole document has been read already.
            reads = None if value is document else is_calls
            what = _text_sign(value, tools, reads) if is_spoken else None
        elif isinstance(value, dict):
            what = _object_sign(value)
        else:
            what = None
        if what is not None:
            return Sign(_path_text((*path, key) if key is not None else path), what, value)
    return None


def _walk(document: Any, candidate: int) -> Iterator[tuple[tuple[Any, ...], Any, Any, bool]]:
    """Every object, list and text: the path to its owner, itself, its key, whether the model says it."""
    pending: list[tuple[tuple[Any, ...], Any, Any, bool]] = [((), document, None, True)]
    for _ in range(_MAX_NODES):
        if not pending:
            return
        path, value, key, is_spoken = pending.pop()
        if isinstance(value, str):
            inner = json_of(value) if value[:1] in ("{", "[") else value
            if isinstance(inner, dict | list):
                value = inner
        yield path, value, key, is_spoken
        here = path if key is None else (*path, key)
        if isinstance(value, dict):
            spoken = is_spoken and _speaks(value)
            items = [
                (here, item, name, spoken and name not in _OTHER_TEXT_KEYS)
                for name, item in value.items()
                if isinstance(item, str | dict | list) and not _is_beside(name, value)
            ]
        elif isinstance(value, list):
            items = [
                (here, item, number, is_spoken)
                for number, item in enumerate(value)
                if key not in _ANSWERS or number == candidate
            ]
        else:
            continue
        pending += reversed(items)


def _is_beside(key: Any, owner: dict[Any, Any]) -> bool:
    """Whether a field cannot hold calls that the model made in this run."""
    if key in _NO_CALLS_BELOW:
        return True
    if key in _OUTPUTS:
        return bool(owner.get(_OUTPUTS[key]))
    return isinstance(key, str) and key.startswith(_INPUT_PREFIXES)


def _speaks(value: dict[Any, Any]) -> bool:
    """Whether an object is not a message of somebody else than the model."""
    for key in _ROLE_KEYS:
        role = value.get(key)
        if isinstance(role, str) and role.lower() in _OTHER_ROLES:
            return False
    return True


def _object_sign(value: dict[Any, Any]) -> str | None:
    for key, item in value.items():
        if _is_beside(key, value):
            continue
        plain = _plain(key)
        if isinstance(item, str) and _names_call(key, plain, item):
            return f"{key}: {item}"
        if _CALL_KEYS.search(plain) and not _NO_CALL_KEYS.search(plain) and _is_filled(key, item):
            return str(key)
    return _named_call(value)


def _names_call(key: Any, plain: str, text: str) -> bool:
    """Whether a field says that its object is a call, or that calls follow."""
    if key in _KIND_KEYS or key == "stringValue":  # as OpenTelemetry encodes a text
        return is_call_kind(text)
    if plain in _REASON_KEYS:
        return _CALL_REASONS.search(_plain(text)) is not None
    return key in _TOOL_SPAN_KEYS and text.strip('"') in _TOOL_SPANS


def _named_call(value: dict[Any, Any]) -> str | None:
    """The keys of an object that has the name of a tool and arguments."""
    name = next((key for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None or not value[name]:
        return None
    for key in _ARGUMENT_KEYS:
        given = json_of(value.get(key))
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


def _path_text(path: tuple[Any, ...]) -> str:
    parts = [
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if str(step).isidentifier()
        else f"[{step!r}]"
        for step in path
    ]
    return "$" + "".join(parts)
