"""Recognizes values that are JSON already, so that they are saved as they are, and not copied."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec.structs import astuple

from callscore.core.call import ToolCall
from callscore.core.expectation_json import contains_rule_keys
from callscore.words.case_json import are_plain_values
from callscore.words.value_text import json_safe

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_NO_OTHERS = astuple(ToolCall(""))[2:]  # the fields of a call after its name and arguments
# A key that begins with `$`; many values do, such as paths. A text may have the same inside: it is looked for again.
_RULE_KEY = re.compile(rb'"\$(?:[^"\\]|\\.)*":')
_MAX_DEPTH = 90  # levels; `json_safe` turns deeper values into text


def is_json(value: Any, *, has_rules: bool = True) -> bool:
    """Whether `json_safe` would return an equal value, with or without `exact`; if in doubt, it is not.

    Without `has_rules`, a value with a key that begins with `$` is not.
    """
    try:
        text = _encode(value)
        if _decode(text) != value:  # as of a tuple, or of a number that is not finite
            return False
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return False
    if not has_rules and _RULE_KEY.search(text) and contains_rule_keys(value):
        return False
    return text.count(b"{") + text.count(b"[") < _MAX_DEPTH or are_plain_values([value])


def exact_json(value: Any) -> Any:
    """The value as `json_safe` has it, with numbers of any size; the same object if it is JSON already."""
    return value if is_json(value) else json_safe(value, exact=True)


def call_fields(call: ToolCall, *, has_rules: bool = True) -> dict[str, Any] | None:
    """The fields of a call that are set, if they are JSON; None if one of them is not.

    Without `has_rules`, arguments with a key that begins with `$` are not.
    """
    if call.arguments is None:
        return None
    values = astuple(call)
    fields = {"name": call.name, "arguments": call.arguments}
    if values[2:] != _NO_OTHERS:
        named = zip(call.__struct_fields__, values, strict=True)
        fields = {
            name: each
            for name, each in named
            if each is not None and (each or name != "positional")
        }
    return fields if is_json(fields, has_rules=has_rules) else None
