"""Values of unknown shape: what is absent or of another type is None, or empty.

`describe` puts such a value into a few words, and `to_plain_data` turns objects into plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import msgspec

from callscore.core.call import FaultyArray, FaultyObject, Malformed, excerpt
from callscore.core.large_number import LargeNumber, decode_json
from callscore.core.rendering import is_content_hidden
from callscore.errors import InvalidCall

_MAX_NAME_BITS = 1_000


def at(value: Any, *path: str | int) -> Any:
    """The value at a path of keys and indices; None if the path ends early."""
    for step in path:
        if isinstance(step, str):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        elif isinstance(value, list):
            try:
                value = value[step]
            except IndexError:
                return None
        else:
            return None
    return value


def first(value: Any, *keys: str) -> Any:
    """The value of the first of these keys that is present and not null."""
    if isinstance(value, dict):
        for key in keys:
            found = value.get(key)
            if found is not None:
                return found
    return None


def list_of(value: Any) -> list[Any]:
    """The value, if it is a list; an empty one otherwise."""
    return value if isinstance(value, list) else []


def as_list(value: Any) -> list[Any]:
    """The value, if it is a list; a list of it alone otherwise."""
    return value if isinstance(value, list) else [value]


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; none if the value is not a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """The value, if it is text."""
    return value if isinstance(value, str) else None


def integer_of(value: Any) -> int | None:
    """The value, if it is an integer."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def name_of(value: Any) -> str | None:
    """The value as a name: text, or a number that people can read."""
    if isinstance(value, str):
        return value
    number = integer_of(value)
    return None if number is None or number.bit_length() >= _MAX_NAME_BITS else str(number)


def json_of(value: Any) -> Any:
    """The JSON value of a text; the value itself if it is not text, or not JSON."""
    if isinstance(value, str):
        try:
            return decode_json(str(value))  # the decoder refuses other kinds of text
        except (ValueError, RecursionError):
            return value
    return value


def text_in(content: Any) -> str | None:
    """The text of a message's content: the content itself, or the `text` of its parts."""
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in dicts(content) if isinstance(part.get("text"), str)]
    return "\n".join(texts) if texts else None


_MAX_LENGTH = 60
_MAX_KEYS = 5
_MAX_SHOWN_BITS = 200
HIDDEN = "'…'"  # in place of text that must not be shown


def describe(value: Any) -> str:
    """A value as the object of "got": `an object with the keys 'q', 'limit'`."""
    if isinstance(value, Malformed):
        shown = HIDDEN if is_content_hidden() else _shortened(value.raw)
        return f"{shown} ({value.problem})"
    if isinstance(value, Mapping):
        return _describe_keys(value)
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    return _describe_scalar(value)


def _describe_keys(value: Mapping[Any, Any]) -> str:
    if not value:
        return "an empty object"
    keys = [_describe_scalar(key) for _, key in zip(range(_MAX_KEYS), value, strict=False)]
    noun = "the key" if len(value) == 1 else "the keys"
    more = ", …" if len(value) > _MAX_KEYS else ""
    return f"an object with {noun} {', '.join(keys)}{more}"


def _describe_scalar(value: Any) -> str:
    if isinstance(value, str):
        return HIDDEN if is_content_hidden() else _shortened(repr(value[: _MAX_LENGTH + 1]))
    if value is None or isinstance(value, bool):
        return "null" if value is None else repr(value).lower()
    if not isinstance(value, int | float | LargeNumber):
        return f"a {type(value).__qualname__}"
    return _describe_number(value)


def _describe_number(value: float | LargeNumber) -> str:
    if is_content_hidden():
        return "a number"
    if isinstance(value, LargeNumber):
        return "a very large number"
    is_large = isinstance(value, int) and value.bit_length() > _MAX_SHOWN_BITS
    return "a very large integer" if is_large else repr(value)


def _shortened(text: str) -> str:
    return excerpt(text if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH] + "…")


# --- objects of other libraries, read by their attributes and methods: no SDK is imported ------

_FUNCTIONS = BuiltinFunctionType | FunctionType | MethodType
_SCALARS = (str, int, float, bool, type(None), LargeNumber)
# The methods of results that return a whole run; the first is for objects that are made to be read.
_RUN_METHODS = ("__callscore_document__", "all_messages", "to_input_list", "get_full_steps")
_MAX_DEPTH = 200
_UNCOUNTED = 20_000
_MAX_REPEATS = 100_000
# As JSON if possible. An object in a field of a more general class must keep what only it has: a
# general message of LangChain has no calls. Older versions of pydantic do not know that option.
_DUMP_OPTIONS = {"by_alias": True, "warnings": False}
_FULL_DUMP_OPTIONS = {**_DUMP_OPTIONS, "polymorphic_serialization": True}
_DUMP_ATTEMPTS = (
    {"mode": "json", **_FULL_DUMP_OPTIONS},
    {"mode": "json", **_DUMP_OPTIONS},
    _FULL_DUMP_OPTIONS,
    _DUMP_OPTIONS,
)


def to_plain_data(value: Any) -> Any:
    """Data, or objects of an SDK, as JSON: objects, lists, texts, numbers, booleans and null.

    Raises:
        InvalidCall: an object cannot be read, is nested too deeply, or shares parts so often that
            too many values would have to be read.
    """
    return _plain(value, 0, _Limits())


class _Limits:
    """Refuses what is nested too deeply, or expands to very many values because it shares parts."""

    __slots__ = ("_known", "_left", "unchecked")

    def __init__(self) -> None:
        self.unchecked = _UNCOUNTED  # nearly all documents are small
        self._known: dict[int, Any] = {}  # the values too, so that no other takes their address
        self._left = _MAX_REPEATS

    def check(self, value: Any, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise InvalidCall("the value is nested too deeply to be read.")
        if self.unchecked >= 0:
            return
        if id(value) not in self._known:
            self._known[id(value)] = value
            return
        self._left -= 1
        if self._left < 0:
            raise InvalidCall("the value contains the same parts too many times to be read.")


def _plain(value: Any, depth: int, limits: _Limits) -> Any:
    kind = value.__class__
    if kind is dict:
        return _plain_object(value, depth, limits)
    if kind is list:
        return _plain_list(value, depth, limits)
    if kind in _SCALARS or isinstance(value, FaultyObject | FaultyArray | Malformed):
        return value  # keeps the marks of faults
    limits.unchecked -= 1
    limits.check(value, depth)
    return _from_other(value, depth + 1, limits)


# Most values are in the objects and lists of JSON. Both are copied by Python, and only those of
# their items that have parts are replaced.


def _plain_object(value: dict[Any, Any], depth: int, limits: _Limits) -> dict[Any, Any]:
    limits.unchecked -= 1
    if limits.unchecked < 0 or depth > _MAX_DEPTH:
        limits.check(value, depth)
    depth += 1
    plain = value.copy()
    for key, item in value.items():
        kind = item.__class__
        if kind is str:
            continue
        if kind is dict:
            plain[key] = _plain_object(item, depth, limits)
        elif kind is list:
            plain[key] = _plain_list(item, depth, limits)
        elif kind not in _SCALARS:
            plain[key] = _plain(item, depth, limits)
    return plain


def _plain_list(value: list[Any], depth: int, limits: _Limits) -> list[Any]:
    limits.unchecked -= 1
    if limits.unchecked < 0 or depth > _MAX_DEPTH:
        limits.check(value, depth)
    depth += 1
    plain = value.copy()
    for place, item in enumerate(value):
        kind = item.__class__
        if kind is dict:
            plain[place] = _plain_object(item, depth, limits)
        elif kind is list:
            plain[place] = _plain_list(item, depth, limits)
        elif kind not in _SCALARS:
            plain[place] = _plain(item, depth, limits)
    return plain


def _from_other(value: Any, depth: int, limits: _Limits) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item, depth, limits) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | Iterator):  # a stream is read to its end
        return [_plain(item, depth, limits) for item in value]
    return _from_object(value, depth, limits)


def _from_object(value: Any, depth: int, limits: _Limits) -> Any:
    if isinstance(value, str | int | float | type | _FUNCTIONS):
        return value.value if isinstance(value, Enum) else value
    for way in (_from_scalar, _from_methods, _from_fields):
        try:
            found = way(value)
        except InvalidCall:  # says everything
            raise
        except Exception as error:  # of the other library
            problem = f"a {type(value).__qualname__} cannot be read: {error}."
            raise InvalidCall(problem) from error
        if found is not None:
            return _plain(found, depth, limits)
    return value


def _from_scalar(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if hasattr(value, "isoformat") else None


def _from_methods(value: Any) -> Any:
    for name in (*_RUN_METHODS, "model_dump", "to_dict", "dict"):
        method = getattr(value, name, None)
        if not callable(method):
            continue
        if name != "model_dump":
            return method()
        dumped = _dumped(method)
        children = getattr(value, "child_runs", None)  # a LangSmith run does not dump them
        return {**dumped, "child_runs": children} if isinstance(children, list) else dumped
    return None


def _dumped(dump: Callable[..., Any]) -> Any:
    """The dump of a pydantic model, with the first options that work."""
    for options in _DUMP_ATTEMPTS:
        try:
            return dump(**options)
        except Exception:  # noqa: BLE001, S112  (other options may work)
            continue
    return dump()


def _from_fields(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    import dataclasses

    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    fields = getattr(value, "__dict__", None)
    if not fields:
        return None
    public = {key: item for key, item in fields.items() if not key.startswith("_")}
    messages = getattr(value, "messages", None)  # a property of Inspect's task state
    return {**public, "messages": messages} if isinstance(messages, list) else public
