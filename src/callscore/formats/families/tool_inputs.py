"""What a tool was given, however its span has it: an object, JSON, Python, or args and kwargs."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

import msgspec
from msgspec import Struct

from callscore.core.malformed import NOT_CAPTURED
from callscore.formats.shape import json_of, list_of

__all__ = ["ToolInput", "read_tool_input"]

_LONGEST = 100_000
_WRAPPER = frozenset(("args", "kwargs", "sanitize_inputs_outputs"))
_HIDDEN = "__REDACTED__"
_WORD = re.compile(r"'[^']*'|[^\W\d]\w*")  # a text without escapes, or a name
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}


class ToolInput(Struct, frozen=True, gc=False):
    """What came of it.

    Attributes:
        arguments: to be read as those of any call.
        error: `not_captured` where nobody wrote them down.
        positional: whether some are named by their positions.
        caller: `code` where code that a model wrote has called the tool.
        warning: `python_repr` where they were written as Python, not as JSON.
    """

    arguments: Any
    error: str | None = None
    positional: bool = False
    caller: str | None = None
    warning: str | None = None


def read_tool_input(given: Any, names: Any = None) -> ToolInput:
    """The arguments that a tool was given.

    Args:
        given: what its span has as its input; None where it has none.
        names: an object with the names of the tool's parameters, in order, as keys.
    """
    if given is None or given == _HIDDEN:
        return ToolInput(None, NOT_CAPTURED)
    value = json_of(given) if isinstance(given, str) else given
    if isinstance(value, str) and value is given:
        return _from_python(value)
    if isinstance(value, dict) and "kwargs" in value and _WRAPPER.issuperset(value):
        return _unwrapped(value, names)
    return ToolInput(given)


def _unwrapped(value: dict[str, Any], names: Any) -> ToolInput:
    """Positional and named arguments in one object; the positional ones get their names."""
    known = list(names) if isinstance(names, dict) else []
    arguments: dict[str, Any] = {}
    values = list_of(value.get("args"))
    for position, item in enumerate(values):
        arguments[known[position] if position < len(known) else str(position)] = item
    named = value["kwargs"]
    if isinstance(named, dict):
        arguments.update(named)
    # The agents of smolagents ask for clean inputs, and the code that their models write does not.
    caller = "code" if value.get("sanitize_inputs_outputs") is False else None
    return ToolInput(arguments, None, len(values) > len(known), caller)


def _from_python(text: str) -> ToolInput:
    """An object that was written by Python's `str`, which is no fault of the model."""
    if len(text) > _LONGEST or not text.lstrip().startswith("{"):
        return ToolInput(text)
    arguments = _with_other_words(text) or _evaluated(text)
    return ToolInput(text) if arguments is None else ToolInput(arguments, warning="python_repr")


def _with_other_words(text: str) -> Any:
    """What it is as JSON, if only quotes and constants are Python's: to evaluate it takes long."""
    if '"' in text or "\\" in text:
        return None
    value = json_of(_WORD.sub(_in_json, text.strip()))
    return value if isinstance(value, dict) else None


def _in_json(word: re.Match[str]) -> str:
    found = word[0]
    return f'"{found[1:-1]}"' if found[0] == "'" else _CONSTANTS.get(found, "?")


def _evaluated(text: str) -> dict[str, Any] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python will not take for ever
            value = ast.literal_eval(text.strip())
        # What JSON cannot have was no argument of a call.
        return msgspec.json.decode(msgspec.json.encode(value), type=dict[str, Any])
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
