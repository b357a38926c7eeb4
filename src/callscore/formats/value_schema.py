"""The JSON Schema of an expected argument's value: plain data, or a rule in place of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.comparator import comparators
from callscore.core.spelling import LITERAL

if TYPE_CHECKING:
    from callscore.core.comparator import Comparator

__all__ = ["has_any", "value_definitions"]

_VALUE = {"$ref": "#/$defs/value"}
_IS_LITERAL = {"type": "object", "required": [LITERAL]}
_PLAIN_KEY = {"pattern": "^(?:[^$]|$)"}  # what begins with $ is a rule, or a mistake
_SYNTAX = re.compile(r"[\\^$.*+?()\[\]{}|/]")


def has_any(keys: tuple[str, ...]) -> dict[str, Any]:
    """The schema of an object that has at least one of these keys."""
    if len(keys) == 1:
        return {"required": [*keys]}
    return {"anyOf": [{"required": [key]} for key in keys]}


def value_definitions() -> dict[str, Any]:
    """What the schemas of rules refer to, and whoever holds values: to be put under `$defs`.

    `value` is a value that may be, or hold, a rule; `values` an object of them; `literal` a value
    that is meant as it stands.

    Raises:
        InvalidSettings: a comparator of another package cannot be used.
    """
    return {"value": _value(), "values": _values(), "literal": _literal()}


def _value() -> dict[str, Any]:
    known = comparators()
    keys = [key for comparator in known for key in comparator.keys]
    return {
        "description": 'A value, or a rule in place of one, such as {"$contains": "Paris"}.',
        "properties": {
            **{key: _operand(comparator, key) for comparator in known for key in comparator.keys},
            LITERAL: {
                "title": "A value that is meant as it stands",
                "description": "Keys in it that begin with $ are no rules.",
            },
        },
        "propertyNames": {"pattern": _plain_or_any_of([*keys, LITERAL])},
        "additionalProperties": _VALUE,
        "items": _VALUE,
        "allOf": [
            *map(_beside, known),
            {"if": {"required": [LITERAL]}, "then": {"maxProperties": 1}},
        ],
    }


def _plain_or_any_of(keys: list[str]) -> str:
    """The pattern of a key that is no rule, or one of these; validators show it as it stands."""
    spelled = "|".join(_SYNTAX.sub(r"\\\g<0>", key) for key in keys)
    return f"^(?:[^$]|$|(?:{spelled})$)"


def _operand(comparator: Comparator, key: str) -> dict[str, Any]:
    """What stands under the key of a rule."""
    about: dict[str, Any] = comparator.schema["options"].get(key, comparator.schema["value"])
    described = {
        "title": comparator.title,
        "examples": [example[key] for example, _, _ in comparator.examples if key in example],
    }
    if not comparator.nests or "$ref" in about:
        return described | about
    # Where rules may stand, so may what only looks like one.
    notes = {word: about[word] for word in ("description",) if word in about}
    literal = {"$ref": "#/$defs/literal"}
    return described | notes | {"if": _IS_LITERAL, "then": literal, "else": about}


def _beside(comparator: Comparator) -> dict[str, Any]:
    """What may stand beside the key of a rule, and nothing else may."""
    allowed = dict.fromkeys((*comparator.keys, *comparator.options))
    options = {
        option: about
        for option, about in comparator.schema["options"].items()
        if option not in comparator.keys
    }
    named = {"properties": options} if options else {}
    return {
        "if": has_any(comparator.keys),
        "then": {**named, "propertyNames": {"enum": [*allowed]}},
    }


def _values() -> dict[str, Any]:
    return {
        "type": "object",
        "if": {"required": [LITERAL]},
        "then": {"properties": {LITERAL: {"type": "object"}}, "maxProperties": 1},
        "else": {"propertyNames": _PLAIN_KEY, "additionalProperties": _VALUE},
    }


def _literal() -> dict[str, Any]:
    return {**_IS_LITERAL, "maxProperties": 1}
