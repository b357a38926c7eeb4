"""Plain calls (an object with a name and arguments, a list or lines of them).

The name and the arguments can be under any usual keys. This dialect is tried last, after those of
all stacks, and reads the output of `callscore extract`.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from callscore.core.call import TRUNCATED, ToolCall
from callscore.errors import InvalidCall
from callscore.formats.calls import CALL_FIELDS, ID_KEYS, NAME_KEYS, read_arguments, read_calls
from callscore.formats.dialects.tool_definitions import is_definition, is_schema
from callscore.formats.shape import (
    at,
    describe,
    dicts,
    first,
    integer_of,
    json_of,
    text_in,
    text_of,
)
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

ORDER = 900
EXAMPLE = [
    {"name": "get_weather", "arguments": {"city": "Paris"}},
    {"tool": "get_time", "args": {"city": "Paris"}},
]
_LISTS = ("calls", "tool_calls", "toolCalls")
_NAMED = frozenset(NAME_KEYS)
# Values of the first keys are always arguments; those of the others must look like arguments.
_SURE = frozenset(("arguments", "tool_input", "tool_kwargs", "tool_args", "input_parameters"))
_LIKELY = frozenset(("args", "kwargs", "input", "params", "inputParameters"))
# A call that callscore has extracted names its case.
_FIELDS = CALL_FIELDS | {"case", "trial"}
_CALL_SIGNS = (*ID_KEYS, "step", "result", "failed", "raw", "error", "positional")
# Anything may have a `name` and an `input`: test cases, form fields, components. It is a call only if
# its name can be that of a tool, and if nothing else in it is foreign to a call.
_TOOL_KEYS = frozenset(NAME_KEYS) - {"name", "function"}
_CALL_ID = re.compile("(?:tool|call).*id", re.IGNORECASE)  # `toolUseId`, `callId`
_TOOL_NAME = re.compile(r"[\w.:/-]+")
_KEPT_FAULTS = (None, TRUNCATED)  # of what may be arguments; other text in braces is code
_OUTCOME_FIELDS = frozenset(
    (
        *("output", "response", "observation", "status", "success", "is_error", "isError"),
        *("index", "timestamp", "time", "duration", "duration_ms", "latency", "latency_ms"),
        *("start_time", "end_time", "startTime", "endTime", "created_at", "createdAt"),
        *("server", "server_name", "server_label", "namespace", "caller", "reasoning", "thought"),
    )
)
# Otherwise the name of an object with an input must be that of a function.
_EVIDENCE = (
    *("toolCallId", "tool_call_id", "call_id", "toolUseId", "tool_use_id", "type", "kind", "step"),
    *("failed", "raw", "positional", *NAME_KEYS[1:]),
)
_CALL_TYPE = re.compile("tool|function|call|mcp|custom|action", re.IGNORECASE)
# `{"get_weather": {"city": "Paris"}}`, as the Berkeley leaderboard writes calls. Other objects have
# one key, too, so that the key must be that of a function: `math.sqrt`, or a verb with an object.
_FUNCTION_NAME = re.compile(r"[A-Za-z]\w*(?:[.-]\w+)*")
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VERB_TEXT = """
    add analyze apply assign authenticate buy calculate cancel classify compare compute convert create
    delete detect determine download edit evaluate execute extract fetch find generate get identify
    initialize insert install invoke locate make modify multiply notify optimize parse pay perform
    predict provide publish recommend register remove rename replace reserve resolve retrieve save
    select send simulate solve subscribe summarize translate upload validate verify
"""
_VERBS = frozenset(_VERB_TEXT.split())
# These are nouns, too: `search_flights` is a function, and `search_result` is not.
_NOUN_TEXT = """
    book check close count display estimate exchange fill filter forecast list log lookup measure move
    open order place play plot post process purchase query read reply request reset run schedule
    search set share show sort start stop track train transfer turn update view visit write
"""
_VERBS_OR_NOUNS = frozenset(_NOUN_TEXT.split())
_THING_TEXT = """
    body case config context count data details entry event id info item items list log message metadata
    model name options params record records request response result results schema settings state
    status summary type value values
"""
_THINGS = frozenset(_THING_TEXT.split())
_LAST_VERBS = frozenset(("calculate", "convert", "fetch", "find", "get", "lookup", "search"))
_FILE_NAME = re.compile(r".*\.(?:com|css|html?|io|js|json|jsx|md|net|org|py|toml|tsx?|txt|ya?ml)")
SIGNS = Signs(keys=(*_LISTS, *NAME_KEYS), item_keys=NAME_KEYS, value_types=(dict,))


def is_call(item: Any) -> bool:
    """Whether a value is definitely a call: it has a name, which may be empty, and arguments."""
    if not isinstance(item, dict) or _NAMED.isdisjoint(item):
        return False
    inner = item.get("function", item)
    if isinstance(inner, dict) and "arguments" in inner and isinstance(inner.get("name"), str):
        return True
    return _has_name(item) and _has_arguments(item)


def _has_arguments(item: dict[str, Any]) -> bool:
    for key, value in item.items():
        if key in _SURE:
            return True
        if key in _LIKELY and _are_arguments(value):
            return _is_of_tool(item, value) and (key != "input" or _is_evident(item))
    value = item.get("parameters")  # mostly a schema
    is_plain = _are_arguments(value) and not is_schema(value) and not is_definition(item)
    return is_plain and _is_of_tool(item, value)


def _is_evident(item: dict[str, Any]) -> bool:
    """Whether an object with a name and an input, as fixtures of tests have them, is a call."""
    name = item.get("name")
    return any(key in item for key in _EVIDENCE) or (
        isinstance(name, str)
        and _FUNCTION_NAME.fullmatch(name) is not None
        and _is_function_name(name)
    )


def _is_of_tool(item: dict[str, Any], arguments: Any) -> bool:
    """Whether an object with what may be arguments is the call of a tool."""
    if any(item.get(key) is not None for key in _TOOL_KEYS) or any(map(_CALL_ID.fullmatch, item)):
        return True
    kind, name = item.get("type"), first(item, "name", "function")
    return (
        isinstance(name, str)
        and (name == "" or _TOOL_NAME.fullmatch(name) is not None)
        and (isinstance(arguments, dict) or read_arguments(arguments).error in _KEPT_FAULTS)
        and (not isinstance(kind, str) or _CALL_TYPE.search(kind) is not None)
        and all(
            key in _FIELDS
            or key in _OUTCOME_FIELDS
            or value is None  # a field that SDKs leave empty
            for key, value in item.items()
        )
    )


def _has_name(item: dict[str, Any]) -> bool:
    for key in NAME_KEYS:
        name = item.get(key)
        if name is not None:
            return isinstance(name, str)
    return False


def _are_arguments(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, str) and value.lstrip()[:1] == "{")


def _may_be_call(item: Any) -> bool:
    """Whether a value is a call if its neighbours are: a name may be all that it has."""
    if is_call(item):
        return True
    return isinstance(item, dict) and _has_name(item) and _FIELDS.issuperset(item)


def joins_lines(line: Any) -> bool:
    """Whether a line is one call; without arguments, it has a field that only calls have."""
    if is_call(line):
        return True
    is_named = _may_be_call(line) and "input" not in line
    return is_named and any(line.get(key) is not None for key in _CALL_SIGNS)


def _are_calls(items: Any) -> bool:
    return (
        isinstance(items, list) and all(map(_may_be_call, items)) and any(map(joins_lines, items))
    )


def _is_listed(item: Any) -> bool:
    """Whether an object with an input is a call, if it is in a list under a name for calls."""
    return (
        isinstance(item, dict)
        and _has_name(item)
        and _are_arguments(item.get("input"))
        and _is_of_tool(item, item["input"])
    )


def listed_calls(document: Any) -> list[Any] | None:
    """The calls that a value lists, or the one that it is; None if it is neither."""
    if isinstance(document, list):
        return document if _are_calls(document) else _certain_keyed_calls(document)
    if not isinstance(document, dict):
        return None
    for key in _LISTS:
        if key in document:
            items = document[key]
            is_empty = items == [] or (items is None and key != "calls")
            are_calls = _are_calls(items) or (
                isinstance(items, list) and all(map(_is_listed, items))
            )
            return [] if is_empty else items if are_calls else None
    return [document] if joins_lines(document) else None


def _certain_keyed_calls(items: list[Any]) -> list[dict[str, Any]] | None:
    calls = _keyed_calls(items)
    if not calls or not isinstance(calls[0]["arguments"], dict):
        return None
    return calls if any(_is_function_name(call["name"]) for call in calls) else None


def _keyed_calls(items: list[Any]) -> list[dict[str, Any]] | None:
    """The calls of objects that have the name of the function as their only key."""
    calls = []
    for item in items:
        if not isinstance(item, dict) or len(item) != 1:
            return None
        ((name, arguments),) = item.items()
        is_object = isinstance(arguments, dict) or (
            isinstance(arguments, str) and isinstance(json_of(arguments), dict)
        )
        is_name = name not in _FIELDS and _FUNCTION_NAME.fullmatch(name) is not None
        # An object around a call, such as `{"functionCall": {...}}`, is that of another format.
        if not is_object or not is_name or is_schema(arguments) or is_call(arguments):
            return None
        calls.append({"name": name, "arguments": arguments})
    return calls


def _is_function_name(name: str) -> bool:
    """Whether a key is certainly the name of a function."""
    if "." in name:
        return _FILE_NAME.fullmatch(name) is None
    words = [word.lower() for word in _WORD.findall(name)]
    if len(words) == 1:
        return False
    is_verb = words[0] in _VERBS or (words[0] in _VERBS_OR_NOUNS and words[-1] not in _THINGS)
    return is_verb or words[-1] in _LAST_VERBS


def recognizes(document: Any) -> bool:
    """Whether it is a call, a list of calls, or such a list under a name that says so."""
    return listed_calls(document) is not None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run, or one for each case that the calls name; any other item is an error."""
    items = [document] if isinstance(document, dict) else document
    task: dict[str, Any] = {}
    if isinstance(document, dict) and any(key in document for key in _LISTS):
        items, task = first(document, *_LISTS), document
    keyed = _keyed_calls(items) if isinstance(items, list) else None
    items = keyed or items
    if isinstance(items, str):
        raise InvalidCall(f"expected calls, got {describe(items)}.")
    calls = read_calls(items, side="actual", where="calls")
    calls = tuple([call if call.result is None else _with_outcome(call, options) for call in calls])
    if not any("case" in item for item in dicts(items)):
        return [Trace(calls=calls, id=_id(task.get("id")), input=task.get("input"))]
    runs: dict[tuple[str | None, str | int | None], list[ToolCall]] = {}
    for item, call in zip(items, calls, strict=True):
        trial = at(item, "trial")
        whose = _id(at(item, "case")), trial if isinstance(trial, str) else integer_of(trial)
        runs.setdefault(whose, []).append(call)
    return [Trace(calls=tuple(made), id=case, trial=trial) for (case, trial), made in runs.items()]


def _with_outcome(call: ToolCall, options: ReadOptions) -> ToolCall:
    """The call with whether it failed, if its result shows that."""
    text = text_in(call.result) if call.failed is None else None
    if text is None:
        return call
    return replace(call, failed=options.failure.search(text) is not None)


def _id(value: Any) -> str | None:
    number = integer_of(value)
    return text_of(value) if number is None else str(number)
