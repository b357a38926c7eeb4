"""The JSON Schemas of the input and the output of the tools; models read them."""

from __future__ import annotations

from typing import Any, get_args

from callscore.core.score import FaultKind
from callscore.integrations.inputs import CHECK_FIELDS, MODES, MOST_CALLS, ORDERS, SCORE_FIELDS

_RULES = (
    'A value may be a matcher: {"$contains": "Paris"}, {"$regex": "^A"}, {"$approx": 3.14},'
    ' {"$gte": 1}, {"$one_of": ["C", "celsius"]}, {"$date": "2026-05-01"}, {"$text": "ai news"},'
    ' {"$unordered": [1, 2]}, {"$optional": 10}, {"$any": true}. Put an object'
    ' with literal $ keys into {"$literal": ...}.'
)


def score_input_schema() -> dict[str, Any]:
    """The input of `score_tool_calls` and `explain_score`."""
    return _input_object(SCORE_FIELDS)


def check_input_schema() -> dict[str, Any]:
    """The input of `check_tool_calls`."""
    return _input_object(CHECK_FIELDS)


def _input_object(fields: tuple[str, ...]) -> dict[str, Any]:
    known = _properties()
    return {
        "type": "object",
        "properties": {field: known[field] for field in fields},
        "required": [field for field in fields if field in ("expected", "actual")],
        "additionalProperties": False,
    }


def _properties() -> dict[str, Any]:
    return {
        "expected": {
            "type": "array",
            "description": "The expected calls, each {tool, args}; [] if no tool should be called."
            " Without args, any arguments match; with args {}, there must be none. An item may also be"
            " a group, with exactly one of in_order, any_order, one_of, optional, turn or forbid. At most"
            f" {MOST_CALLS}.",
            "items": {"type": "object", "properties": {**_input_call(_RULES), **_groups()}},
        },
        "actual": {
            "type": "array",
            "description": "The actual calls, each {tool, args}, in the order in which they were"
            f" made; [] if there were none. At most {MOST_CALLS}. Calls as {{name, arguments}} and the"
            " messages of most providers are also accepted.",
            "items": {
                "type": "object",
                "properties": {
                    **_input_call("All values are literal."),
                    "turn": {
                        "type": "integer",
                        "description": "Which message of the user the call follows, from 0; only if"
                        " the expected calls are in turns.",
                    },
                },
            },
        },
        "mode": {
            "type": "string",
            "enum": [*MODES],
            "description": "strict (the default): all arguments must be equal. flexible: a share"
            " of them, see argument_match_threshold. outcome: strict, but only for calls that change something; reads"
            " and failed calls are ignored. coverage: strict, but calls that are not expected cost nothing.",
        },
        "argument_match_threshold": {
            "type": "number",
            "minimum": 0,
            "maximum": 1,
            "description": "Only with mode flexible: the share of the expected arguments that must"
            " match for a call to be correct; 0.8 by default.",
        },
        "order": {
            "type": "string",
            "enum": [*ORDERS],
            "description": "any (the default): the order of the calls does not matter. in_order: the"
            " calls must come in the expected order, other calls may be in between. exact: position by"
            " position. in_turns: in_order within each turn; the default in mode coverage.",
        },
        "expected_state": {
            "type": "object",
            "description": "The state that is expected at the end of the run, if it is known: it is"
            " compared as the arguments of a call are. Without expected, only the state is judged.",
        },
        "actual_state": {
            "type": "object",
            "description": "The state that was found at the end of the run.",
        },
        "tools": {
            "type": "array",
            "description": "The definitions of the agent's tools, in the format of any provider. The"
            " calls are checked against their schemas; the output then has faults.",
            # Without a type, which every provider accepts for items; for Gemini it is text.
            "items": {"description": "One definition, or only the name of the tool."},
        },
    }


def _input_call(about_arguments: str) -> dict[str, Any]:
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
            "description": "With tool: how many times this call is made; 1 by default.",
        },
        "in_order": {**members, "description": "Calls or groups, in this order."},
        "any_order": {**members, "description": "Calls or groups in any order."},
        "one_of": {**members, "description": "Calls or groups, exactly one of which is made."},
        "optional": {"type": "object", "description": "A call or group that may be absent."},
        "turn": {
            **members,
            "description": "What is expected after one message of the user; [] if nothing is. All"
            " calls are then in turns, in the order of the messages.",
        },
        "forbid": {
            "type": "string",
            "description": "The name of a tool that must not be called; * matches anything. If it is"
            " called, the score is 0.",
        },
    }


_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_DIFFERENCE_KINDS = ("missing", "unexpected", "type", "value", "matcher", "malformed")


def score_output_schema() -> dict[str, Any]:
    """The output of `score_tool_calls`."""
    why_extra = "Why the call is extra, if there is a particular reason."
    about = {**_TEXT, "description": why_extra}
    return _output_object(
        {
            **_numbers(),
            "correctCalls": _list(_correct(), "The calls that match expected ones."),
            "incorrectCalls": _list(_incorrect(), "The right tool with the wrong arguments."),
            "missedCalls": _list(_missed(), "The expected calls that were not made."),
            "extraCalls": _list(_output_call(details=about), "The calls that were not expected."),
            "forbiddenCalls": _list(_output_call(), "The extra calls that are forbidden."),
            "ignoredCalls": _list(_ignored(), "The calls that do not count under the settings."),
            "faults": _list(_fault(), "Violations of the tools' schemas."),
            **_turns(),
            "summary": {**_TEXT, "description": "The score and the counts on one line."},
        },
        optional=("faults", *_turns()),
    )


def _turns() -> dict[str, Any]:
    """The fields of a case with turns of the user."""
    turn = {
        "number": {"type": "integer", "minimum": 1, "description": "Which turn it is, from 1."},
        **dict.fromkeys(("correct", "expected", "actual", "forbidden"), _COUNT),
        **dict.fromkeys(("f1", "precision", "recall"), _SHARE),
        "passed": {"type": "boolean"},
    }
    return {
        "turns": _list(_output_object(turn), "The turns of the user, each with its counts."),
        "turnMean": {**_SHARE, "description": "The mean of the scores of the turns."},
        "turnMin": {**_SHARE, "description": "The lowest score of a turn."},
        "firstWrongTurn": {
            "type": ["integer", "null"],
            "description": "The number of the first turn that did not pass, from 1.",
        },
    }


def explain_output_schema() -> dict[str, Any]:
    """The output of `explain_score`."""
    return _output_object(
        {
            "explanation": {**_TEXT, "description": "The calculation in three steps."},
            **_numbers(),
            "correct": _COUNT,
            "incorrect": _COUNT,
            "missed": _COUNT,
            "extra": _COUNT,
            "rating": {
                "enum": ["Excellent", "Good", "Moderate", "Poor", None],
                "description": "The name of the score's band; null without calls that count.",
            },
            "summary": {**_TEXT, "description": "The numbers on one line."},
        }
    )


def check_output_schema() -> dict[str, Any]:
    """The output of `check_tool_calls`."""
    return _output_object(
        {
            "totalActual": {**_COUNT, "description": "The number of checked calls."},
            "faultyCalls": {**_COUNT, "description": "The number of calls with faults."},
            "parametersValid": {
                **_SHARE,
                "type": ["number", "null"],
                "description": "The share of the calls that the tools' schemas accept; null without"
                " tools.",
            },
            "faults": _list(_fault(), "All faults, in the order of the calls."),
            "summary": {**_TEXT, "description": "The numbers on one line."},
        }
    )


def _output_object(properties: dict[str, Any], *, optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": items}


def _numbers() -> dict[str, Any]:
    return {
        "score": {**_SHARE, "description": "F1, or 0 if a forbidden call was made."},
        "precision": {**_SHARE, "description": "The share of the actual calls that are correct."},
        "recall": {
            **_SHARE,
            "description": "The share of the expected calls that were made correctly.",
        },
        "totalExpected": {**_COUNT, "description": "The number of expected calls."},
        "totalActual": {**_COUNT, "description": "The number of actual calls."},
    }


def _output_call(**more: Any) -> dict[str, Any]:
    properties = {
        "tool": _TEXT,
        "args": {
            "type": ["object", "null"],
            "description": "Absent if any arguments match; null if they cannot be read.",
        },
        "id": {**_TEXT, "description": "The id of the call."},
        "raw": {**_TEXT, "description": "The arguments as text, if they are not a JSON object."},
        "error": {**_TEXT, "description": "Why they are not a JSON object."},
        "kind": {"const": "state", "description": "The state at the end, and not a call."},
        "caller": {**_TEXT, "description": "Who makes the call, if not the agent."},
        "turn": {"type": "integer", "description": "The turn of the user, from 0."},
        **more,
    }
    optional = ("args", "id", "raw", "error", "kind", "caller", "turn", *more)
    return _output_object(properties, optional=optional)


def _correct() -> dict[str, Any]:
    return _output_object(
        {
            **_pair("correct", args_match=True),
            "differences": _list(_difference(), "Differences that mode flexible accepts."),
        },
        optional=("differences",),
    )


def _incorrect() -> dict[str, Any]:
    return _output_object(
        {
            **_pair("incorrect", args_match=False),
            "details": {**_TEXT, "description": "The differences as text."},
            "differences": _list(_difference(), "All differences, each with its path."),
        }
    )


def _pair(status: str, *, args_match: bool) -> dict[str, Any]:
    return {
        "expected": _output_call(),
        "actual": _output_call(),
        "status": {"const": status},
        "argsMatch": {"const": args_match},
    }


def _missed() -> dict[str, Any]:
    return _output_object(
        {
            "expected": _output_call(),
            "status": {"const": "missed"},
            "argsMatch": {"const": False},
            "details": {**_TEXT, "description": "Why the call is missed."},
        }
    )


def _ignored() -> dict[str, Any]:
    return _output_object(
        {
            "side": {"type": "string", "enum": ["expected", "actual"]},
            "why": {"type": "string", "enum": ["read", "failed", "repeated", "free"]},
            "call": _output_call(),
        }
    )


def _difference() -> dict[str, Any]:
    return _output_object(
        {
            "path": {**_TEXT, "description": "The location as a JSON path: $.passengers[0].name."},
            "kind": {"type": "string", "enum": [*_DIFFERENCE_KINDS]},
            "expected": {"description": "The expected value; null if there is none."},
            "actual": {"description": "The actual value; null if there is none."},
            "reason": {**_TEXT, "description": "The difference in one sentence."},
        }
    )


def _fault() -> dict[str, Any]:
    return _output_object(
        {
            "kind": {"type": "string", "enum": [*get_args(FaultKind)]},
            "tool": _TEXT,
            "index": {**_COUNT, "description": "The position of the call in actual, from 0."},
            "path": {**_TEXT, "description": "The location in the arguments; $ for all of them."},
            "value": {"description": "The actual value."},
            "required": {"description": "What the schema requires."},
            "since": {
                "type": ["integer", "null"],
                "description": "The index of the call that is repeated, from 0.",
            },
            "reason": {**_TEXT, "description": "The fault in one sentence."},
        }
    )
