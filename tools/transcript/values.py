"""Cases whose values are hard to compare: dates, schemas, groups, many calls of one tool."""

from __future__ import annotations

from typing import Any

__all__ = ["DATE_CASES", "GROUP_CASES", "MANY_CALLS", "SCHEMA_CASES", "SCHEMA_TOOLS"]


def _case(name: str, expected: Any, actual: Any) -> dict[str, Any]:
    return {"id": name, "expected": expected, "actual": actual}


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


_DATES = (
    *("2024-01-15", "2024-01-15T00:00:00", "2024-01-15T10:00:00Z", "2024-01-15 10:00"),
    *("15 January 2024", "January 15, 2024", "Jan 15 2024", "15.01.2024", "01/15/2024"),
    *("15/01/2024", "2024/01/15", "20240115", "15 янв. 2024", "15 января 2024 года"),
    *("Monday, January 15, 2024", "2024-W03-1", "2024-015", "2024-01-15T11:00:00+01:00"),
    *("10 am, 15 January 2024", "15th of January 2024", "1705276800", "tomorrow", "", "2024-13-45"),
)
DATE_CASES = [
    _case(
        f"{first} {number}",
        [_call("f", value={"$date": first})],
        [_call("f", value=second)],
    )
    for first in ("2024-01-15", "2024-01-15T10:00:00Z")
    for number, second in enumerate((*_DATES, 1705276800, 1705276800000, None, ["2024-01-15"]))
]

_SCHEMAS: dict[str, Any] = {
    "pattern": {"type": "string", "pattern": "^[A-Z]{2}-\\d{3,5}$"},
    "date": {"type": "string", "format": "date"},
    "moment": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "email": {"type": "string", "format": "email"},
    "uri": {"type": "string", "format": "uri"},
    "uuid": {"type": "string", "format": "uuid"},
    "address": {"type": "string", "format": "ipv4"},
    "short": {"type": "string", "minLength": 2, "maxLength": 4},
    "even": {"type": "integer", "multipleOf": 2, "minimum": -4, "exclusiveMaximum": 9},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "maybe": {"type": ["string", "null"]},
    "nullable": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "either": {
        "oneOf": [
            {"type": "string", "maxLength": 3},
            {"type": "array", "items": {"type": "integer"}},
        ]
    },
    "both": {"allOf": [{"type": "integer"}, {"minimum": 3}, {"not": {"const": 5}}]},
    "choice": {"enum": ["a", 1, None, [1]]},
    "fixed": {"const": "only this"},
    "several": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": 3,
        "uniqueItems": True,
    },
    "pair": {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "items": False,
    },
    "has": {"type": "array", "contains": {"const": 1}, "minContains": 2},
    "inner": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "deep": {"$ref": "#/$defs/node"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "map": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
    "named": {
        "type": "object",
        "patternProperties": {"^x_": {"type": "boolean"}},
        "propertyNames": {"maxLength": 5},
    },
    "if": {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}, "a": {"type": "integer"}},
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["a"]},
        "dependentRequired": {"a": ["kind"]},
    },
    "anything": {},
    "nothing": False,
    "default": {"type": "string", "default": "x", "examples": ["y"]},
}
SCHEMA_TOOLS: list[dict[str, Any]] = [
    {
        "name": f"set_{name}",
        "description": f"Set the value {name}.",
        "parameters": {
            "type": "object",
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
            "properties": {"value": schema, "note": {"type": "string"}},
            "required": [] if schema is False else ["value"],
        },
    }
    for name, schema in _SCHEMAS.items()
]
_VALUES: tuple[Any, ...] = (
    *("AB-123", "2024-01-15", "2024-01-15T10:00:00Z", "10:00:00Z", "a@b.example", "x", ""),
    *(4, 5, -4, 0.5, 2.0, None, True, "a", "only this", [], [1], [1, 1], ["a", 1], ["a", "a"]),
    *({}, {"city": "Oslo"}, {"city": 1}, {"city": "Oslo", "zip": 1}, {"x_a": True}, {"kind": "a"}),
)
SCHEMA_CASES = [
    _case(
        f"{name}-{number}",
        [_call(f"set_{name}", value={"$schema": schema})],
        [_call(f"set_{name}", value=value)],
    )
    for name, schema in _SCHEMAS.items()
    if name != "inner"  # its definitions stand outside of it
    for number, value in enumerate(_VALUES)
]

_GROUPS: dict[str, Any] = {
    "nested": [
        {"in_order": [{"any_order": ["a", "b"]}, {"one_of": ["c", {"in_order": ["d", "e"]}]}, "f"]},
        {"optional": {"in_order": ["g", "h"]}},
    ],
    "twice": [{"in_order": ["a", "b"]}, {"in_order": ["b", "a"]}, {"one_of": ["a", "c"]}],
    "times": [
        {"name": "a", "times": {"min": 0, "max": 2}},
        {"name": "b", "times": 2},
        {"in_order": [{"name": "a", "times": {"min": 1}}, "c"]},
    ],
    "alternatives": [
        {"one_of": [{"any_order": ["a", "b", "c"]}, {"in_order": ["d", "e"]}, "f"]},
        {"one_of": ["a", {"in_order": ["b", "c"]}]},
        {"any_order": [{"one_of": ["d", "e"]}, {"optional": "f"}]},
    ],
    "forbidden": [{"forbid": "[ab]"}, {"forbid": "h*"}, {"in_order": ["c", "d"]}],
    "arguments": [
        {"in_order": [_call("a", n=1), _call("a", n={"$gt": 1}), _call("b", n={"$optional": 3})]},
        {"optional": _call("c", n=1)},
    ],
}
_ORDERS = (
    *("abcf", "bacf", "fcba", "abdef", "abcfgh", "abcfhg", "aabbcc", "bbaac", "a", "", "hgfedcba"),
    *("abab", "baba", "cccaaabbb", "defdef", "cdcd"),
)
GROUP_CASES = [
    _case(
        f"{name}-{order}",
        expected,
        [_call(letter, n=place % 3) for place, letter in enumerate(order)],
    )
    for name, expected in _GROUPS.items()
    for order in _ORDERS
]

# Calls of the same tool that are more or less alike: the pairing has to choose.
MANY_CALLS = [
    _case(
        f"many-{shift}",
        [_call("f", a=n, b=n % 2, value=f"text number {n}", list=[n, n + 1]) for n in range(6)],
        [
            _call("f", a=n + shift % 2, b=n % 2, value=f"text nunber {n}", list=[n + 1, n])
            for n in range(shift, 6 + shift)
        ],
    )
    for shift in range(6)
]
