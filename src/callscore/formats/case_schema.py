"""The JSON Schema of a file of cases, by which editors complete and check what people write."""

from __future__ import annotations

from typing import Any, Final

from callscore.formats.expected_schema import expected_definitions
from callscore.formats.fields import ACTUAL, EITHER, EXPECTED, EXPECTED_TOOL
from callscore.formats.value_schema import has_any, value_definitions

__all__ = ["case_schema"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_CASE: Final = {"$ref": "#/$defs/case"}
_EXPECTED: Final = {"$ref": "#/$defs/expected"}
_ACTUAL: Final = {"$ref": "#/$defs/actual"}
_SCHEMA_OF_FILE: Final = {"description": "Where this schema is, for editors; nobody else minds."}

# The fields of a case in our own words.
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "id": {
        "title": "The name of the case",
        "description": "Text or an integer; together with `trial` it is unique. Without it the"
        " case is named for what is asked and expected.",
        "type": ["string", "integer", "null"],
        "minLength": 1,
    },
    "input": {"title": "What the agent was asked"},
    EXPECTED[0]: _EXPECTED,
    ACTUAL[0]: _ACTUAL,
    "trial": {
        "title": "Which repetition this is",
        "description": "Text or an integer, where a case is run several times.",
        "type": ["string", "integer", "null"],
    },
    "tools": {
        "title": "The definitions of the tools",
        "description": "In any format that callscore reads; the calls are checked by them.",
    },
    "tags": {
        "title": "Words to select and to group by",
        "type": ["string", "array", "null"],
        "items": {"type": "string"},
    },
    "metadata": {"title": "Anything else worth keeping"},
    "only": {
        "title": "Whether to run this case alone",
        "description": "Where agents are run: cases that do not say so are left out.",
        "type": "boolean",
    },
    "skip": {
        "title": "Whether to leave this case out",
        "description": "Where agents are run. True, or why, as text.",
        "type": ["boolean", "string"],
    },
}


def case_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a case, a list of cases, or an object with `cases`.

    The comparators of other packages that are installed are in it.

    Raises:
        InvalidSettings: one of those cannot be used.
    """
    cases = {"type": "array", "items": _CASE}
    return {
        "$schema": _DRAFT,
        "$comment": "Written by `callscore schema case`.",
        "title": "Cases for callscore",
        "description": "A case, a list of cases, or an object with `cases`.",
        "type": ["array", "object", "null"],
        "allOf": [
            {"if": {"type": "array"}, "then": cases},
            {
                "if": {"type": "object"},
                "then": {
                    "if": {"required": ["cases"], "properties": {"cases": {"type": "array"}}},
                    "then": {"properties": {"cases": cases, "$schema": _SCHEMA_OF_FILE}},
                    "else": _CASE,
                },
            },
        ],
        "$defs": {
            "case": _case(),
            "actual": _actual(),
            **expected_definitions(),
            **value_definitions(),
        },
    }


def _case() -> dict[str, Any]:
    return {
        "title": "A case",
        "description": "One thing to score: what was expected and what was done. Other fields are"
        " ignored.",
        "type": "object",
        "properties": {**_FIELDS, "$schema": _SCHEMA_OF_FILE},
        "patternProperties": _other_names(),
        "anyOf": [{"required": [field]} for field in ("id", "input", *EXPECTED, *ACTUAL, *EITHER)],
        "allOf": [*_only_one(EXPECTED), *_only_one(ACTUAL), _without_typos()],
    }


def _other_names() -> dict[str, Any]:
    """The sides by their other names, as patterns: editors need not propose them."""
    tool = {
        "title": "The tool that is expected",
        "description": "Its name, with any arguments, or null where no tool should be called.",
        "type": ["string", "null"],
        "minLength": 1,
    }
    sides = dict.fromkeys(EXPECTED[1:], _EXPECTED) | dict.fromkeys(ACTUAL[1:], _ACTUAL)
    return {f"^{name}$": side for name, side in (sides | {EXPECTED_TOOL: tool}).items()}


def _only_one(names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Of the names of one side, a case has one."""
    return [
        {
            "if": {"required": [name]},
            "then": {"properties": {other: False for other in names if other != name}},
        }
        for name in names[1:]
    ]


def _without_typos() -> dict[str, Any]:
    """Where a side is missing, a field that is nearly its name would hide the case."""
    typos = [typo for word in (EXPECTED[0], ACTUAL[0]) for typo in _misspelled(word)]
    return {
        "if": {"allOf": [has_any(EXPECTED), has_any(ACTUAL)]},
        "else": {"propertyNames": {"not": {"enum": typos}}},
    }


def _misspelled(word: str) -> list[str]:
    """A word with a capital, with a letter left out, and with two letters in each other's place."""
    cuts = range(len(word))
    shorter = [word[:cut] + word[cut + 1 :] for cut in cuts]
    swapped = [word[:cut] + word[cut : cut + 2][::-1] + word[cut + 2 :] for cut in cuts]
    found = dict.fromkeys((word.capitalize(), *shorter, *swapped))
    return [typo for typo in found if typo != word]


def _actual() -> dict[str, Any]:
    """What was done: calls of our own, which are described, or what any stack wrote."""
    return {
        "title": "What was done",
        "description": "The calls that were made. [] or null: none. Or what any stack wrote, in"
        " any format that callscore reads: see `callscore formats`.",
        "type": ["array", "object", "string", "null"],
        "items": {
            "properties": {
                "name": {"title": "The tool", "description": "The name of the tool."},
                "arguments": {
                    "title": "The arguments",
                    "description": "An object, or a JSON object as text; everything in it is"
                    " literal.",
                },
                "result": {"title": "What the tool answered"},
                "failed": {"title": "Whether that answer was an error"},
            }
        },
    }
