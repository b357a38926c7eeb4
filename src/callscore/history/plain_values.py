"""Recognizes values that are JSON already, so that they are saved as they are.

Turning a value into JSON looks at each member, and copies it. Nearly everything in a case file is JSON.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.core.call import ToolCall

__all__ = ["call_fields", "exact_json", "is_json"]

_MAX_DEPTH = 50  # levels; `json_safe` has its own limit, which is higher
_INTEGERS = 2**63  # larger ones may be too long to be printed


def is_json(value: Any, depth: int = 0, *, has_rules: bool = True) -> bool:
    """Whether `json_safe` would return an equal value, with or without `exact`; if in doubt, it is not.

    Without `has_rules`, a value with a key that begins with `$` is not.
    """
    kind = value.__class__
    if kind is dict:
        for key in value:
            if key.__class__ is not str or not (key.isascii() or _is_encodable(key)):
                return False
            if not has_rules and key[:1] == "$":
                return False
        return _are_json(value.values(), depth, has_rules=has_rules)
    return _are_json(value if kind is list else (value,), depth, has_rules=has_rules)


def _are_json(members: Iterable[Any], depth: int, *, has_rules: bool) -> bool:
    for member in members:
        kind = member.__class__
        if kind is str:
            is_plain = member.isascii() or _is_encodable(member)
        elif kind is int:
            is_plain = -_INTEGERS <= member < _INTEGERS
        elif kind is bool or member is None:
            continue
        elif kind is dict or kind is list:
            is_plain = depth < _MAX_DEPTH and is_json(member, depth + 1, has_rules=has_rules)
        else:
            is_plain = kind is float and isfinite(member)
        if not is_plain:
            return False
    return True


def _is_encodable(text: str) -> bool:
    """Whether there is no half of a surrogate pair in a text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def exact_json(value: Any) -> Any:
    """The value as `json_safe` has it, with numbers of any size; the same object if it is JSON already."""
    return value if is_json(value) else json_safe(value, exact=True)


def call_fields(call: ToolCall, *, has_rules: bool = True) -> dict[str, Any] | None:
    """The fields of a call that are set, if they are JSON; None if one of them is not.

    Without `has_rules`, arguments with a key that begins with `$` are not.
    """
    name, arguments = call.name, call.arguments
    if arguments.__class__ is not dict or name.__class__ is not str:
        return None
    if not (name.isascii() or _is_encodable(name)) or not _are_arguments(
        arguments, has_rules=has_rules
    ):
        return None
    fields = {"name": name, "arguments": arguments}
    is_short = (
        call.id is None
        and call.step is None
        and call.result is None
        and call.failed is None
        and call.raw is None
        and call.error is None
        and call.kind is None
        and call.caller is None
        and call.warning is None
        and call.turn is None
        and not call.positional
    )
    return fields if is_short else _with_others(fields, call)


def _are_arguments(arguments: dict[str, Any], *, has_rules: bool) -> bool:
    """`is_json` of an object; nearly all arguments are scalars, and checking these here saves calls."""
    for key, value in arguments.items():
        if key.__class__ is str and key.isascii() and key[:1] != "$":
            kind = value.__class__
            if kind is str:
                if value.isascii():
                    continue
            elif kind is bool or (kind is int and -_INTEGERS <= value < _INTEGERS):
                continue
        if not is_json({key: value}, has_rules=has_rules):
            return False
    return True


def _with_others(fields: dict[str, Any], call: ToolCall) -> dict[str, Any] | None:
    for field in call.__struct_fields__[2:]:
        value = getattr(call, field)
        if value is not None and (value or field != "positional"):
            if not is_json(value):
                return None
            fields[field] = value
    return fields
