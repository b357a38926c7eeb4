"""The JSON Schemas of what the tools are given: they are read by models, so that words matter.

They stay within what every provider takes: at most one type a value, no references, no combinations.
"""

from __future__ import annotations

from typing import Any

from callscore.integrations.limits import MOST_CALLS
from callscore.integrations.tool_input import CHECK_FIELDS, MODES, ORDERS, SCORE_FIELDS

__all__ = ["check_input_schema", "score_input_schema"]

_RULES = (
    'A value may be a rule instead: {"$contains": "Paris"}, {"$regex": "^A"}, {"$approx": 3.14},'
    ' {"$gte": 1}, {"$one_of": ["C", "celsius"]}, {"$date": "2026-05-01"}, {"$text": "ai news"},'
    ' {"$unordered": [1, 2]}, {"$optional": 10}, {"$any": true}. A key that begins with $ and is'
    ' meant as it stands goes into {"$literal": ...}.'
)


def score_input_schema() -> dict[str, Any]:
    """What `score_tool_calls` and `explain_score` are given."""
    return _object(SCORE_FIELDS, ("expected", "actual"))


def check_input_schema() -> dict[str, Any]:
    """What `check_tool_calls` is given."""
    return _object(CHECK_FIELDS, ("actual",))


def _object(fields: tuple[str, ...], required: tuple[str, ...]) -> dict[str, Any]:
    known = _properties()
    return {
        "type": "object",
        "properties": {field: known[field] for field in fields},
        "required": [*required],
        "additionalProperties": False,
    }


def _properties() -> dict[str, Any]:
    return {
        "expected": {
            "type": "array",
            "description": "The calls that should be made, each {tool, args}; [] where no tool should"
            " be called. Without args, any arguments will do; with args {}, there must be none. In"
            " place of a call a group may stand, with one of in_order, any_order, one_of, optional or"
            f" forbid and nothing else. At most {MOST_CALLS}.",
            "items": {"type": "object", "properties": {**_call(_RULES), **_groups()}},
        },
        "actual": {
            "type": "array",
            "description": "The calls that were made, each {tool, args}, in the order in which they"
            f" were made; [] where none was. At most {MOST_CALLS}. Calls as {{name, arguments}}, and"
            " the messages of most providers, are read as well.",
            "items": {"type": "object", "properties": _call("Everything in it is literal.")},
        },
        "mode": {
            "type": "string",
            "enum": [*MODES],
            "description": "strict (the default): all arguments must be equal. flexible: enough of"
            " them, see threshold. outcome: strict, but only for calls that change something; reads"
            " and failed calls are ignored.",
        },
        "threshold": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Only with mode flexible: the share of the expected arguments that must be"
            " as expected for a call to be correct; 0.8 if this is not given.",
        },
        "order": {
            "type": "string",
            "enum": [*ORDERS],
            "description": "any (the default): the order of the calls does not matter. in_order: the"
            " calls must come in the expected order, others may stand between. exact: position by"
            " position.",
        },
        "tools": {
            "type": "array",
            "description": "The definitions of the tools that the agent had, as any provider takes"
            " them: by their schemas the calls are checked, and faults tells what is wrong.",
            # Without a type, which every provider takes for items and Gemini is given as text.
            "items": {"description": "One definition, or only the name of the tool."},
        },
    }


def _call(about_arguments: str) -> dict[str, Any]:
    return {
        "tool": {"type": "string", "description": "The name of the tool."},
        "args": {"type": "object", "description": f"The arguments. {about_arguments}"},
    }


def _groups() -> dict[str, Any]:
    members = {"type": "array", "items": {"type": "object"}}
    return {
        "times": {
            "type": "integer",
            "minimum": 1,
            "description": "Beside tool: how often this call is made, if not once.",
        },
        "in_order": {**members, "description": "Calls or groups, each after the one before."},
        "any_order": {**members, "description": "Calls or groups in any order."},
        "one_of": {**members, "description": "Calls or groups of which one is made."},
        "optional": {"type": "object", "description": "A call or group that may be made."},
        "forbid": {
            "type": "string",
            "description": "The name of a tool that must not be called, with * for anything; if it"
            " is, the score is 0.",
        },
    }
