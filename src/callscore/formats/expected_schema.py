"""The JSON Schema of what a case expects: calls, groups of calls, repeats, and what is forbidden.

It is as strict as the reader where what stands there is in our own words, and lets everything else
be: what another stack wrote may stand there as well, and only its reader can tell.
"""

from __future__ import annotations

from typing import Any, Final

from callscore.formats.calls import ARGUMENTS, CALL_FIELDS, NAMES
from callscore.formats.expectations import FORBID, GROUPS, MOST_TIMES, TIMES
from callscore.formats.value_schema import has_any

__all__ = ["expected_definitions"]

_NAME, *_OTHER_NAMES = NAMES
_ARGUMENTS, *_OTHER_ARGUMENTS = ARGUMENTS
_NESTED: Final = "function"  # where chat completions keep both
_KINDS = (*GROUPS, FORBID)

_MEANINGS: Final[dict[str, dict[str, Any]]] = {
    "in_order": {
        "title": "In this order",
        "description": "Each is made after the one before; other calls may stand between.",
        "examples": [["search_flights", "book_flight"]],
    },
    "any_order": {
        "title": "In any order",
        "description": "All are made, in any order; groups among them may interleave.",
        "examples": [["get_weather", "get_time"]],
    },
    "one_of": {
        "title": "One of these",
        "description": "One of these calls or groups is made: that which gives the best score.",
        "examples": [["search_web", "search_news"]],
    },
    "optional": {
        "title": "This, or nothing",
        "description": "A call or a group that may be made, and costs nothing if it is not.",
        "examples": ["get_user"],
    },
    FORBID: {
        "title": "Never this",
        "description": "The name of a tool that must not be called, with * for anything; if it is"
        " called, the score of the case is 0. It stands in the top list.",
        "examples": ["delete_*"],
    },
}

_TOOL: Final = {
    "title": "The tool",
    "description": "The name of the tool that should be called.",
    "type": ["string", "null"],
    "minLength": 1,
}
_GIVEN: Final = {"$ref": "#/$defs/arguments"}
_MEMBER: Final = {"$ref": "#/$defs/member"}
_IS_GROUP: Final = {"$ref": "#/$defs/is_group"}
_FIELD: Final = {"$ref": "#/$defs/field_of_call"}
_UNNAMED: Final = {"propertyNames": {"not": {"enum": [*NAMES]}}}
# What people write when they mean a field of a call, or a group.
_NEARLY = (
    r"^\$|^[Aa]rg|^[Nn]am|^time$|^[Ff]orb|^[Oo]p[a-z]*l"
    "|^(?:in|any|un)[ _-]?[Oo]r?d|^(?:one|any|all)[ _-]?[Oo]f$"
)


def expected_definitions() -> dict[str, Any]:
    """The schema `expected`, and what it refers to beside values: to be put under `$defs`."""
    return {
        "expected": _expected(),
        "expectation": _expectation(),
        "member": _member(),
        "group": _group(),
        "call": _call(),
        "pair": _pair(),
        "arguments": _arguments(),
        "times": _times(),
        "field_of_call": {"enum": sorted(CALL_FIELDS)},
        "is_group": {"type": "object", **has_any(_KINDS), **_UNNAMED},
        "is_ours": _is_ours(),
    }


def _expected() -> dict[str, Any]:
    is_written = {"type": "object", "anyOf": [{"required": [TIMES]}, _IS_GROUP]}
    expectation = {"$ref": "#/$defs/expectation"}
    ours = {"$ref": "#/$defs/is_ours"}
    is_near = {"anyOf": [has_any(NAMES), {"not": {"propertyNames": _FIELD}}]}
    return {
        "title": "What is expected",
        "description": "The calls that should be made. [] or null: no tool should be called. Or a"
        " document in any format that callscore reads, whose calls should be made.",
        "type": ["array", "object", "string", "null"],
        "pattern": r"[\[{<(]|^\s*null\s*$",  # a tool's name stands in a list
        "allOf": [
            {
                "if": {
                    "type": "array",
                    "anyOf": [{"contains": is_written}, {"items": ours}],
                },
                "then": {"items": expectation},
            },
            {
                "if": {
                    "type": "object",
                    "anyOf": [{"maxProperties": 0}, is_written, {"allOf": [ours, is_near]}],
                },
                "then": expectation,
            },
        ],
    }


def _is_ours() -> dict[str, Any]:
    """Whether an item of a list is in our own words, or means to be."""
    is_bare = {"not": {"required": ["type"]}}  # most stacks say what something is
    nearly = {"anyOf": [_FIELD, {"pattern": _NEARLY}]}
    return {
        "if": {"type": "object"},
        "then": {
            "anyOf": [
                {"required": [_NAME, _ARGUMENTS], "maxProperties": 2},
                {"propertyNames": _FIELD, **is_bare},
                {"propertyNames": nearly, **is_bare, "anyOf": [_UNNAMED, _without_arguments()]},
            ]
        },
    }


def _without_arguments() -> dict[str, Any]:
    return {"patternProperties": {_any_of(ARGUMENTS): {"type": "null"}}}


def _any_of(words: tuple[str, ...] | list[str]) -> str:
    return f"^(?:{'|'.join(words)})$"


def _expectation() -> dict[str, Any]:
    """An item of the top list."""
    is_forbidden = {"type": "object", "required": [FORBID], **_UNNAMED}
    pattern = {**_MEANINGS[FORBID], "type": "string", "minLength": 1}
    return {
        "title": "A call, a group of calls, or a forbidden call",
        "properties": {FORBID: _MEANINGS[FORBID]},
        "if": is_forbidden,
        "then": {"properties": {FORBID: pattern}, "maxProperties": 1},
        "else": _MEMBER,
    }


def _member() -> dict[str, Any]:
    """An item of a group, where nothing can be forbidden."""
    return {
        "title": "A call, or a group of calls",
        "description": 'A call is {"name": ..., "arguments": {...}}, ["name", {...}], or "name",'
        " which accepts any arguments.",
        "type": ["object", "array", "string"],
        "minLength": 1,
        "properties": {kind: _MEANINGS[kind] for kind in GROUPS},  # for whoever begins to write
        "allOf": [
            {"if": {"type": "array"}, "then": {"$ref": "#/$defs/pair"}},
            {
                "if": {"type": "object"},
                "then": {
                    "if": _IS_GROUP,
                    "then": {"$ref": "#/$defs/group"},
                    "else": {"$ref": "#/$defs/call"},
                },
            },
        ],
    }


def _group() -> dict[str, Any]:
    members = {"type": "array", "minItems": 1, "items": _MEMBER}
    return {
        "title": "A group of calls",
        "properties": {
            kind: {**_MEANINGS[kind], **(_MEMBER if kind == "optional" else members)}
            for kind in GROUPS
        },
        "maxProperties": 1,
        "additionalProperties": False,
    }


def _call() -> dict[str, Any]:
    nested = {"properties": {"name": {"type": ["string", "null"]}, _ARGUMENTS: _GIVEN}}
    return {
        "title": "A call",
        "not": has_any((*_KINDS, "min", "max")),  # which go around it, or into `times`
        "if": {"properties": {_NESTED: {"type": "object"}}, "required": [_NESTED]},
        "then": {"properties": {_NESTED: nested, TIMES: {"$ref": "#/$defs/times"}}},
        "else": _flat_call(),
    }


def _flat_call() -> dict[str, Any]:
    has_both = {
        "properties": {_NAME: {"type": "string"}, _ARGUMENTS: {"type": "object"}},
        "required": [_NAME, _ARGUMENTS],
    }
    aliases = {_any_of(_OTHER_NAMES): _TOOL, _any_of(_OTHER_ARGUMENTS): _GIVEN}
    # With no arguments, a field that no call has may well be meant as them.
    strays = {
        "propertyNames": {"anyOf": [_FIELD, {"const": TIMES}]},
        "properties": {"error": {"not": {"type": "string"}}},
    }
    return {
        "properties": {
            _NAME: _TOOL,
            _ARGUMENTS: _GIVEN,
            TIMES: {"$ref": "#/$defs/times"},
            "id": {"description": "The id of the call; it is not compared."},
        },
        "anyOf": [{"required": [name], "properties": {name: {"type": "string"}}} for name in NAMES],
        "allOf": [
            {"if": has_both, "else": {"patternProperties": aliases}},
            {"if": _without_arguments(), "then": strays},
        ],
    }


def _pair() -> dict[str, Any]:
    return {
        "title": "A call as a pair",
        "description": "The name of the tool and its arguments.",
        "minItems": 2,
        "maxItems": 2,
        "prefixItems": [{"type": "string", "minLength": 1}, _GIVEN],
    }


def _arguments() -> dict[str, Any]:
    return {
        "title": "The arguments",
        "description": "The values that are expected, or rules in place of them. {}: there must be"
        " none. null, or no such field: any will do.",
        "type": ["object", "string", "null"],
        "pattern": r"^$|^[^\[\-0-9A-Za-z]|^null",  # text is an object as JSON, blank, or null
        "if": {"type": "object"},
        "then": {"$ref": "#/$defs/values"},
    }


def _times() -> dict[str, Any]:
    return {
        "title": "How often",
        "description": "How often the call is made: a number, or bounds.",
        "examples": [2, {"min": 1, "max": 3}],
        "type": ["integer", "object"],
        "minimum": 1,
        "maximum": MOST_TIMES,
        "properties": {
            "min": {
                "description": "How often it must be made; 1 if this is not given.",
                "type": "integer",
                "minimum": 0,
                "maximum": MOST_TIMES,
            },
            "max": {
                "description": "How often it may be made; any number of times if this is not"
                " given.",
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": MOST_TIMES,
            },
        },
        "additionalProperties": False,
    }
