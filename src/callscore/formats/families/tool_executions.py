"""The call of a tool execution: its input in any notation, and its result."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.calls import NAMELESS, ParsedArguments, read_arguments
from callscore.formats.shape import json_of, list_of, name_of, text_in

if TYPE_CHECKING:
    from callscore.formats.families.spans import Span
    from callscore.formats.trace import ReadOptions

_MAX_LENGTH = 100_000
_WRAPPER_KEYS = frozenset(("args", "kwargs", "sanitize_inputs_outputs"))
_REDACTED = "__REDACTED__"
_WORD = re.compile(r"'[^']*'|[^\W\d]\w*")  # a text without escapes, or a name
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}


class ToolInput(Struct, frozen=True, gc=False):
    """The input of a tool.

    Attributes:
        arguments: to be read like those of any call.
        error: `not_captured` if the arguments were not recorded.
        positional: whether some are named by their positions.
        caller: `code` if code that a model wrote called the tool.
        warning: `python_repr` if they were written as Python, not as JSON.
    """

    arguments: Any
    error: str | None = None
    positional: bool = False
    caller: str | None = None
    warning: str | None = None


def read_tool_input(given: Any, names: Any = None) -> ToolInput:
    """The arguments of a tool; the keys of `names` are the names of its parameters, in order."""
    if given is None or given == _REDACTED:
        return ToolInput(None, NOT_CAPTURED)
    value = json_of(given) if isinstance(given, str) else given
    if isinstance(value, str) and value is given:
        return _from_python(value)
    if isinstance(value, dict) and "kwargs" in value and _WRAPPER_KEYS.issuperset(value):
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
    # smolagents sanitizes inputs of calls by agents, and not those of calls by generated code.
    caller = "code" if value.get("sanitize_inputs_outputs") is False else None
    return ToolInput(arguments, None, len(values) > len(known), caller)


def _from_python(text: str) -> ToolInput:
    """An object that Python's `str` wrote: the recorder did that, not the model."""
    if len(text) > _MAX_LENGTH or not text.lstrip().startswith("{"):
        return ToolInput(text)
    arguments = None
    if '"' not in text and "\\" not in text:
        # Only quotes and constants may differ from JSON: evaluating Python is slow.
        arguments = json_of(_WORD.sub(_json_word, text.strip()))
    if not isinstance(arguments, dict):
        arguments = _evaluated(text)
    return ToolInput(text) if arguments is None else ToolInput(arguments, warning="python_repr")


def _json_word(word: re.Match[str]) -> str:
    found = word[0]
    return f'"{found[1:-1]}"' if found[0] == "'" else _CONSTANTS.get(found, "?")


def _evaluated(text: str) -> dict[str, Any] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes
            value = ast.literal_eval(text.strip())
        # Only values that JSON has can be arguments of a call.
        return msgspec.json.decode(msgspec.json.encode(value), type=dict[str, Any])
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


_NO_INPUT = ToolInput(None)


def requested_call(
    name: Any,
    value: Any,
    id: Any,  # noqa: A002  (as the field is called)
) -> ToolCall:
    """A call in the only message of a model, from an entry in its span."""
    arguments = read_arguments(value)
    return ToolCall(
        name if isinstance(name, str) and name else NAMELESS,
        arguments.value,
        name_of(id),
        step=0,
        raw=arguments.raw,
        error=arguments.error,
        warning=arguments.warning,
    )


def executed_call(  # noqa: PLR0913  (a call has as many parts)
    name: Any,
    value: Any,
    id: Any,  # noqa: A002  (as the field is called)
    *,
    result: Any,
    failed: bool,
    options: ReadOptions,
    names: Any = None,
) -> ToolCall:
    """The call that a tool executed, from the input and the output in its span.

    The keys of `names` are the names of the tool's parameters.
    """
    read, arguments = _read(value, names)
    is_captured = read.error is None
    text = result if isinstance(result, str) else text_in(result)
    reads_like_error = None if text is None else options.failure.search(text) is not None
    return ToolCall(
        name if isinstance(name, str) and name else NAMELESS,
        arguments.value if is_captured else None,
        name_of(id),
        result=result,
        failed=True if failed else reads_like_error,
        raw=arguments.raw,
        error=arguments.error if is_captured else read.error,
        caller=read.caller,
        positional=read.positional,
        warning=arguments.warning if read.warning is None else read.warning,
    )


def _read(value: Any, names: Any) -> tuple[ToolInput, ParsedArguments]:
    """The input of a tool, and the arguments in it."""
    if value.__class__ is str and value[:2] == '{"' and "kwargs" not in value:
        # A fast path for plain JSON, so that it is decoded only once.
        arguments = read_arguments(value)
        if arguments.error is None:
            return _NO_INPUT, arguments
    read = read_tool_input(value, names)
    return read, read_arguments(read.arguments)


def exception_in(span: Span) -> Any:
    """The message of the exception in a span; None if there is none."""
    for event in span.events:
        if event.name == "exception":
            return event.attributes.get("exception.message")
    return None
