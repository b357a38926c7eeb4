"""Objects of other libraries, taken apart by what they look like: no SDK is imported."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import msgspec

from callscore.core.call import FaultyArray, FaultyObject, Malformed
from callscore.errors import InvalidCall

__all__ = ["to_plain_data"]

_FUNCTIONS = BuiltinFunctionType | FunctionType | MethodType
_SCALARS = (str, int, float, bool, type(None))
# A result that holds a whole run gives it out under one of these names.
_RUN_METHODS = ("all_messages", "to_input_list", "get_full_steps")
_MAX_DEPTH = 200
# As JSON if that can be; what JSON cannot hold is taken apart here. An object in a field for a
# more general kind must keep what only it has: of a message in general LangChain says no calls.
# Older versions of pydantic cannot do that without leaving out what a model does to its fields.
_DUMP_OPTIONS = {"by_alias": True, "warnings": False}
_FULL_DUMP_OPTIONS = {**_DUMP_OPTIONS, "polymorphic_serialization": True}
_DUMP_ATTEMPTS = (
    {"mode": "json", **_FULL_DUMP_OPTIONS},
    {"mode": "json", **_DUMP_OPTIONS},
    _FULL_DUMP_OPTIONS,
    _DUMP_OPTIONS,
)


def to_plain_data(value: Any, depth: int = 0) -> Any:
    """A value as JSON would have it: objects, lists, texts, numbers, booleans and null.

    Args:
        value: what was handed over: data, or the response or message objects of an SDK.
        depth: how deep it stands in what was handed over.

    Raises:
        InvalidCall: an object cannot be taken apart.
    """
    if value.__class__ in _SCALARS or isinstance(value, FaultyObject | FaultyArray | Malformed):
        return value  # what knows its faults must not lose them
    if depth > _MAX_DEPTH:
        raise InvalidCall("the value is nested too deeply to be read.")
    if isinstance(value, Mapping):
        return {key: to_plain_data(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | Iterator):  # a stream is taken to its end
        return [to_plain_data(item, depth + 1) for item in value]
    return _from_object(value, depth)


def _from_object(value: Any, depth: int) -> Any:
    if isinstance(value, str | int | float | type | _FUNCTIONS):
        return value.value if isinstance(value, Enum) else value
    for way in (_from_scalar, _from_run, _from_model, _from_fields):
        try:
            found = way(value)
        except Exception as error:  # whatever an object of another library does
            problem = f"a {type(value).__qualname__} cannot be read: {error}."
            raise InvalidCall(problem) from error
        if found is not None:
            return to_plain_data(found, depth + 1)
    return value


def _from_scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if hasattr(value, "isoformat") else None


def _from_run(value: Any) -> Any:
    for name in _RUN_METHODS:
        method = getattr(value, name, None)
        if callable(method):
            return method()
    return None


def _from_model(value: Any) -> Any:
    if callable(getattr(value, "model_dump", None)):
        dumped = _dumped(value.model_dump)
        children = getattr(value, "child_runs", None)  # which a run of LangSmith keeps for itself
        return {**dumped, "child_runs": children} if isinstance(children, list) else dumped
    for name in ("to_dict", "dict"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    return None


def _dumped(dump: Callable[..., Any]) -> Any:
    """The dump of a pydantic model, with the first set of options that works."""
    for options in _DUMP_ATTEMPTS:
        try:
            return dump(**options)
        except Exception:  # noqa: BLE001, S112  (whatever it is, another way may do)
            continue
    return dump()


def _from_fields(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    fields = getattr(value, "__dict__", None)
    if not fields:
        return None
    public = {key: item for key, item in fields.items() if not key.startswith("_")}
    messages = getattr(value, "messages", None)  # which the state of a task in Inspect computes
    return {**public, "messages": messages} if isinstance(messages, list) else public
