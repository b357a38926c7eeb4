"""What is expected, as plain data: by the same rules as what is answered, so that like equals like."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.expectation import with_calls
from callscore.core.matcher import Matcher
from callscore.runner.answering import UnreadableAnswer, document_of

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.core.expectation import Expected
    from callscore.core.model import Case

__all__ = ["with_plain_expected"]

_UNCHANGED = frozenset({int, bool, type(None)})


def with_plain_expected(case: Case) -> Case:
    """The case with dates, sets and the like in what it expects as an answer would have them.

    What cannot become data, such as a function, stays as it is.
    """
    if case.expected is None:
        return case
    expected = tuple([_plain(item) for item in case.expected])
    return replace(case, expected=expected)


def _plain(item: Expected) -> Expected:
    return with_calls(item, _plain_call)


def _plain_call(call: ToolCall) -> ToolCall:
    arguments: Any = call.arguments
    return replace(call, arguments=_plain_value(arguments)) if arguments else call


def _plain_value(value: Any) -> Any:
    if _is_plain(value):
        return value
    if isinstance(value, Matcher):
        return replace(value, value=_plain_value(value.value))
    if isinstance(value, list | tuple):
        return [_plain_value(member) for member in value]
    return _plain_object(value)


def _is_plain(value: Any) -> bool:
    """Whether a value is nothing but what JSON knows, so far as that is seen at once."""
    kind = value.__class__
    if kind is str:
        return bool(value.isascii())
    return kind in _UNCHANGED or (kind is float and isfinite(value))


def _plain_object(value: Any) -> Any:
    if value.__class__ is dict and all(isinstance(key, str) for key in value):
        return {key: _plain_value(member) for key, member in value.items()}
    try:
        return document_of([value])[0]
    except UnreadableAnswer:
        return value
