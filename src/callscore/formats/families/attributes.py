"""The attributes of a span or an event, however an exporter writes them, as dotted keys.

OTLP writes a list of typed values, most SDKs a flat object, Phoenix an object nested at each dot.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from callscore.errors import InvalidCall
from callscore.formats.shape import dicts, json_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["inside", "items_at", "items_of", "read_attributes", "tree_of", "untyped"]

_DEEPEST = 100
_LONGEST_INDEX = 10
_SEVERAL = 2
_ARRAYS = ("arrayValue", "array_value")
_OBJECTS = ("kvlistValue", "kvlist_value")
_INTEGERS = ("intValue", "int_value")
# What the dotted names begin with that somebody asks for. Other objects are values: a request, say,
# which is large.
_NESTED = frozenset(
    (
        *("ai", "error", "event", "exception", "gcp", "gen_ai", "input", "llm", "mlflow"),
        *("openinference", "otel", "output", "pydantic_ai", "tool", "tool_call", "traceloop"),
    )
)
_CONVERTED = frozenset((*_INTEGERS, *_ARRAYS, *_OBJECTS))
_AS_THEY_ARE = frozenset(
    (
        *("stringValue", "boolValue", "doubleValue", "bytesValue"),
        *("string_value", "bool_value", "double_value", "bytes_value"),
    )
)


def read_attributes(given: Any) -> dict[str, Any]:
    """The attributes by their dotted keys; an object under such a key is a value, and stays one.

    Of attributes nested at each dot, what stands at each level is there, too: `tool` as well as
    `tool.name`, if that is how the name of an attribute can begin. Lists are never taken apart.

    Args:
        given: a list of keys and typed values, an object, or JSON text of either.
    """
    if isinstance(given, str):
        given = json_of(json_of(given))  # as a column of JSON text may hold what is text already
    if isinstance(given, list):
        return _from_list(given)
    if not isinstance(given, dict):
        return {}
    is_flat = _NESTED.isdisjoint(given) and _has_only_texts(given)
    return given if is_flat else _flattened(given)


def _has_only_texts(keys: Iterable[Any]) -> bool:
    try:
        "".join(keys)  # which looks at all of them at once
    except TypeError:
        return False
    return True


def _from_list(entries: list[Any], depth: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    try:
        for entry in entries:
            # Nearly all are texts and integers, and there are more of them than of anything else:
            # they are looked at here, without a call for each.
            value = entry["value"]
            is_typed = value.__class__ is dict and len(value) == 1
            if is_typed and "stringValue" in value:
                found[entry["key"]] = value["stringValue"]
            elif is_typed and "intValue" in value:
                found[entry["key"]] = _integer(value["intValue"])
            else:
                found[entry["key"]] = untyped(value, depth)
    except (KeyError, TypeError):
        return _from_odd_list(entries, depth)
    return found if _has_only_texts(found) else _from_odd_list(entries, depth)


def _from_odd_list(entries: list[Any], depth: int) -> dict[str, Any]:
    """As `_from_list`, where not all entries have a key and a value."""
    return {
        entry["key"]: untyped(entry.get("value"), depth)
        for entry in dicts(entries)
        if isinstance(entry.get("key"), str)
    }


def _flattened(given: dict[Any, Any]) -> dict[str, Any]:
    flat = {key: value for key, value in given.items() if isinstance(key, str)}
    for key, value in given.items():
        if key in _NESTED and isinstance(value, dict):
            _flatten(value, key, flat, 0)
    return flat


def _flatten(value: dict[str, Any], prefix: str, flat: dict[str, Any], depth: int) -> None:
    for key, item in value.items():
        path = f"{prefix}.{key}"
        flat[path] = item
        if isinstance(item, dict) and depth < _DEEPEST:
            _flatten(item, path, flat, depth + 1)


def untyped(value: Any, depth: int = 0) -> Any:
    """The value that an OTLP value holds: the name of its only key says of which type it is.

    What is not written like that is a value already, and stays as it is.
    """
    if not isinstance(value, dict) or len(value) > 1:
        return value
    if not value:
        return None
    [(kind, held)] = value.items()
    if kind in _AS_THEY_ARE:
        return held
    return _converted(kind, held, depth + 1) if kind in _CONVERTED else value


def _converted(kind: str, held: Any, depth: int) -> Any:
    if kind in _INTEGERS:
        return _integer(held)
    if depth > _DEEPEST:
        raise InvalidCall("an attribute is nested too deeply to be read.")
    if kind in _ARRAYS:
        return [untyped(item, depth) for item in _values(held)]
    return _from_list(_values(held), depth)


def _values(held: Any) -> list[Any]:
    values = held.get("values") if isinstance(held, dict) else held
    return values if isinstance(values, list) else []


def _integer(held: Any) -> Any:
    """The integer that a text spells, as OTLP has it; what is no integer stays as it is."""
    if held.__class__ is not str:
        return held
    try:
        return int(held)
    except ValueError:
        return held


def tree_of(flat: dict[str, Any]) -> dict[str, Any]:
    """The tree that dotted keys such as `tool_calls.0.name` make up."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = str(key).split(".")
        node = tree
        for step in path:
            inner = node.get(step)
            if not isinstance(inner, dict):
                inner = node[step] = {}
            node = inner
        node[last] = value
    return tree


def items_at(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """The items of the list under a prefix.

    Where they are put together from keys such as `prefix.0.message.role`, each is an object with
    the rest of the keys: `message.role`. That is quicker than a tree, and `inside` sees no
    difference.
    """
    if prefix in attributes:
        return items_of(json_of(attributes[prefix]))
    items: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}  # those that are put together here
    for key, value in attributes.items():
        place = _place_in_list(key)
        if place is not None and place[0] == prefix:
            _, index, rest = place
            if not rest:
                items[index] = value
                own.pop(index, None)
            elif index in own:
                own[index][rest] = value
            else:
                items[index] = own[index] = {rest: value}
    return list(items.values()) if len(items) < _SEVERAL else items_of(items)


@lru_cache(maxsize=8192)  # all spans have the same keys, more or less
def _place_in_list(key: str) -> tuple[str, str, str] | None:
    """What stands before, at and behind the first number in a dotted key."""
    steps = key.split(".")
    for place, step in enumerate(steps):
        if _is_index(step):
            return ".".join(steps[:place]), step, ".".join(steps[place + 1 :])
    return None


def items_of(node: Any) -> list[Any]:
    """The items of a list, or of an object that has numbers for keys, in their order."""
    if isinstance(node, list):
        return node
    if not isinstance(node, dict):
        return []
    numbered = [(int(key), item) for key, item in node.items() if _is_index(key)]
    return [item for _, item in sorted(numbered, key=lambda pair: pair[0])]


def _is_index(key: Any) -> bool:
    return isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < _LONGEST_INDEX


def inside(node: Any, path: str) -> Any:
    """What stands at a dotted path in an object whose keys are split at the dots, or are not."""
    while isinstance(node, dict):
        if path in node:
            return node[path]
        head, dot, rest = path.partition(".")
        if not dot:
            return None
        node, path = node.get(head), rest
    return None
