"""Berkeley Function Calling Leaderboard (results, ground truth, test entries)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.call import Tool, ToolCall
from callscore.core.rules import Matcher
from callscore.errors import InvalidCall
from callscore.formats.definitions import read_definitions
from callscore.formats.families.python_calls import (
    is_python_call_list,
    parse_calls,
    take_call,
    take_python,
    take_unparsable,
)
from callscore.formats.shape import describe, dicts, json_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EXAMPLE", "ORDER", "SIGNS", "read", "read_tools", "recognizes"]

ORDER = 420
EXAMPLE = {"id": "simple_python_0", "result": [{"get_weather": '{"city": "Paris"}'}]}
_ID = re.compile(
    "(?:live_|multi_turn_|exec_)?(?:simple|multiple|parallel|irrelevance|relevance|java|rest|sql"
    "|base|miss_func|miss_param|long_context|composite|memory|web_search|format_sensitivity)"
)
_COUNTS = ("input_token_count", "output_token_count", "latency")
_FAILED = "Error during inference"
_LEFT_OUT = ""  # among the possible values of an argument: it is optional
_MAX_DEPTH = 3  # turns, their steps, and the calls of a step
# The types of JSON Schema, by the leaderboard's names.
_TYPES = {
    name: kind
    for kind, names in {
        "object": ("dict", "HashMap", "Hashtable"),
        "number": ("float", "double"),
        "array": ("tuple", "list", "ArrayList", "Array", "Queue", "Stack", "Set"),
        "boolean": ("bool", "Boolean"),
        "integer": ("byte", "short", "long", "Integer", "Bigint"),
        "string": ("char", "String"),
    }.items()
    for name in names
}
_ANY = ("any", "Any")
SIGNS = Signs(keys=("result", "ground_truth", "question"), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has an id, and a result, a ground truth, or a question with functions."""
    if not isinstance(document, dict) or not isinstance(document.get("id"), str):
        return False
    return (
        _is_result(document)
        or _is_truth(document)
        or (isinstance(document.get("question"), list) and bool(document.get("function")))
    )


def _is_result(document: dict[str, Any]) -> bool:
    result = document.get("result", False)
    if result is not None and not isinstance(result, list | str):
        return False
    if any(key in document for key in _COUNTS) or _ID.match(document["id"]):
        return True
    if isinstance(result, str):
        return is_python_call_list(result)
    return _has_call(result, _MAX_DEPTH)


def _has_call(items: list[Any] | None, depth: int) -> bool:
    """Whether the first item in a list of results is a call."""
    item = items[0] if items else None
    if isinstance(item, list):
        return depth > 1 and _has_call(item, depth - 1)
    return (
        isinstance(item, dict)
        and len(item) == 1
        and all(isinstance(arguments, str) for arguments in item.values())
    )


def _is_truth(document: dict[str, Any]) -> bool:
    truth = document.get("ground_truth")
    return (isinstance(truth, list) and bool(truth)) and (
        _ID.match(document["id"]) is not None or all(isinstance(turn, list) for turn in truth)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One task: the calls of the model, or the expected ones; other ground truth is an error."""
    if not isinstance(document, dict):
        return []
    result = document.get("result")
    has_failed = isinstance(result, str) and result.startswith(_FAILED)
    transcript = Transcript(options)
    _take(result, transcript, options.tools)
    return [
        Trace(
            calls=transcript.calls() if "result" in document and not has_failed else None,
            expected=_read_truth(document, options),
            id=text_of(document.get("id")),
            input=document.get("question"),
        )
    ]


def _take(
    result: Any, transcript: Transcript, tools: Mapping[str, Tool], depth: int = _MAX_DEPTH
) -> None:
    if isinstance(result, str):
        _take_text(result, transcript, tools)
        return
    items = list_of(result)
    if dicts(items):
        transcript.step()
    for item in items:
        if isinstance(item, dict):
            for name, arguments in item.items():
                transcript.call(name, arguments)
        elif depth > 0:
            _take(item, transcript, tools, depth - 1)


def _take_text(text: str, transcript: Transcript, tools: Mapping[str, Tool]) -> None:
    """Add an answer in Python; any other text calls nothing."""
    text = text.strip("`\n ")
    calls = parse_calls(text)
    if calls:
        transcript.step()
        for call in calls:
            take_call(call, transcript, tools)
    elif calls is None and is_python_call_list(text):  # cut off, or malformed
        transcript.step()
        take_unparsable(text, transcript, tools)


def _read_truth(document: dict[str, Any], options: ReadOptions) -> Any:
    truth = document.get("ground_truth")
    if truth is None:
        return None
    items = list_of(truth)
    if items and all(map(_is_possible_answer, items)):
        return tuple(
            ToolCall(name, {key: _one_of(values) for key, values in arguments.items()}, step=0)
            for item in items
            for name, arguments in item.items()
        )
    turns = [turn for turn in items if isinstance(turn, list)]
    if len(turns) < len(items):
        problem = "is an answer in words, not calls"
        if dicts(items):
            problem = "has an argument, or a function, without a list of possible values"
        raise InvalidCall(f"the ground truth of {describe(document.get('id'))} {problem}.")
    transcript = Transcript(options)
    for turn in turns:
        transcript.step()
        for text in turn:
            if isinstance(text, str):
                take_python(text, transcript, options.tools)
    return transcript.calls()


def _is_possible_answer(item: Any) -> bool:
    """Whether it is the name of a function and, for each argument, the values that it may have."""
    if not isinstance(item, dict) or len(item) != 1:
        return False
    (arguments,) = item.values()
    return isinstance(arguments, dict) and all(
        isinstance(values, list) and values for values in arguments.values()
    )


def _one_of(values: list[Any]) -> Any:
    """The only possible value, or a rule: one of several, or optional if `""` is among them."""
    given = [_possible(value) for value in values if value != _LEFT_OUT]
    if not given:
        return Matcher("$optional", _LEFT_OUT)
    accepted = given[0] if len(given) == 1 else Matcher("$one_of", given)
    return accepted if len(given) == len(values) else Matcher("$optional", accepted)


def _possible(value: Any) -> Any:
    """A possible value, where each member of an object has possible values of its own."""
    if isinstance(value, list):
        return [_possible(item) if isinstance(item, dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _one_of(values) if isinstance(values, list) and values else values
        for key, values in value.items()
    }


def read_tools(document: Any) -> list[Tool]:
    """The functions of a test entry, with the types of JSON Schema."""
    functions = json_of(document.get("function")) if isinstance(document, dict) else None
    return read_definitions(
        [
            {**entry, "parameters": _schema(json_of(entry.get("parameters")))}
            for entry in dicts([functions] if isinstance(functions, dict) else functions)
        ]
    )


def _schema(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    mapped = dict(schema)
    kind = mapped.get("type")
    if kind in _ANY:
        del mapped["type"]
    elif isinstance(kind, str):
        mapped["type"] = _TYPES.get(kind, kind)
    if isinstance(mapped.get("properties"), dict):
        mapped["properties"] = {key: _schema(item) for key, item in mapped["properties"].items()}
    if "items" in mapped:
        mapped["items"] = _schema(mapped["items"])
    return mapped
