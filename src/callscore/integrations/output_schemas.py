"""The JSON Schemas of what the tools answer: complete, so that an answer can be checked by them."""

from __future__ import annotations

from typing import Any, get_args

from callscore.core.fault import FaultKind

__all__ = ["check_output_schema", "explain_output_schema", "score_output_schema"]

_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_KINDS = ("missing", "unexpected", "type", "value", "matcher", "malformed")


def score_output_schema() -> dict[str, Any]:
    """What `score_tool_calls` answers."""
    return _object(
        {
            **_numbers(),
            "correctCalls": _list(_correct(), "The calls that were made as expected."),
            "incorrectCalls": _list(_incorrect(), "The right tool with the wrong arguments."),
            "missedCalls": _list(_missed(), "The expected calls that were not made."),
            "extraCalls": _list(_extra(), "The calls that nobody expected."),
            "forbiddenCalls": _list(_call(), "Those of them that must not be made."),
            "ignoredCalls": _list(_ignored(), "The calls that do not count in mode outcome."),
            "faults": _list(_fault(), "What the tools' schemas say against the calls."),
            "summary": {**_TEXT, "description": "All of this on one line."},
        },
        optional=("faults",),
    )


def explain_output_schema() -> dict[str, Any]:
    """What `explain_score` answers."""
    return _object(
        {
            "explanation": {**_TEXT, "description": "Three steps that can be checked by hand."},
            **_numbers(),
            "correct": _COUNT,
            "incorrect": _COUNT,
            "missed": _COUNT,
            "extra": _COUNT,
            "rating": {"type": "string", "enum": ["Excellent", "Good", "Moderate", "Poor"]},
            "summary": {**_TEXT, "description": "The numbers on one line."},
        }
    )


def check_output_schema() -> dict[str, Any]:
    """What `check_tool_calls` answers."""
    return _object(
        {
            "totalActual": {**_COUNT, "description": "How many calls were checked."},
            "faultyCalls": {**_COUNT, "description": "How many of them are at fault."},
            "parametersValid": {
                **_SHARE,
                "type": ["number", "null"],
                "description": "The share of the calls that the tools' schemas accept; null without"
                " tools.",
            },
            "faults": _list(_fault(), "What is wrong, in the order of the calls."),
            "summary": {**_TEXT, "description": "The numbers on one line."},
        }
    )


def _object(
    properties: dict[str, Any], *, optional: tuple[str, ...] = (), description: str | None = None
) -> dict[str, Any]:
    return {
        "type": "object",
        **({} if description is None else {"description": description}),
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "description": description, "items": items}


def _numbers() -> dict[str, Any]:
    return {
        "score": {**_SHARE, "description": "F1, or 0 where a forbidden call was made."},
        "precision": {**_SHARE, "description": "The share of the actual calls that are correct."},
        "recall": {**_SHARE, "description": "The share of the expected calls that were made."},
        "totalExpected": {**_COUNT, "description": "How many calls were expected."},
        "totalActual": {**_COUNT, "description": "How many calls were made."},
    }


def _call(**more: Any) -> dict[str, Any]:
    properties = {
        "tool": _TEXT,
        "args": {
            "type": ["object", "null"],
            "description": "Not there where any will do; null where they cannot be read.",
        },
        "id": {**_TEXT, "description": "The id that the call was sent with."},
        "raw": {**_TEXT, "description": "What stood in place of the arguments."},
        "error": {**_TEXT, "description": "Why that is no JSON object."},
        **more,
    }
    return _object(properties, optional=("args", "id", "raw", "error", *more))


def _correct() -> dict[str, Any]:
    return _object(
        {
            **_pair("correct", args_match=True),
            "differences": _list(_difference(), "What differs all the same, in mode flexible."),
        },
        optional=("differences",),
    )


def _incorrect() -> dict[str, Any]:
    return _object(
        {
            **_pair("incorrect", args_match=False),
            "details": {**_TEXT, "description": "The differences in words."},
            "differences": _list(_difference(), "Every difference, with its place."),
        }
    )


def _pair(status: str, *, args_match: bool) -> dict[str, Any]:
    return {
        "expected": _call(),
        "actual": _call(),
        "status": {"const": status},
        "argsMatch": {"const": args_match},
    }


def _missed() -> dict[str, Any]:
    return _object(
        {
            "expected": _call(),
            "status": {"const": "missed"},
            "argsMatch": {"const": False},
            "details": {**_TEXT, "description": "Whether the tool was called at all."},
        }
    )


def _extra() -> dict[str, Any]:
    about = "Why it is extra, where there is more to say than that nobody expected it."
    return _call(details={**_TEXT, "description": about})


def _ignored() -> dict[str, Any]:
    return _object(
        {
            "side": {"type": "string", "enum": ["expected", "actual"]},
            "why": {"type": "string", "enum": ["read", "failed", "repeated"]},
            "call": _call(),
        }
    )


def _difference() -> dict[str, Any]:
    return _object(
        {
            "path": {**_TEXT, "description": "Where, as a JSON path: $.passengers[0].name."},
            "kind": {"type": "string", "enum": [*_KINDS]},
            "expected": {"description": "The value that was expected there; null where none was."},
            "actual": {"description": "The value that was given there; null where none was."},
            "reason": {**_TEXT, "description": "The same in one sentence."},
        }
    )


def _fault() -> dict[str, Any]:
    return _object(
        {
            "kind": {"type": "string", "enum": [*get_args(FaultKind)]},
            "tool": _TEXT,
            "index": {**_COUNT, "description": "The position of the call in actual, from 0."},
            "path": {**_TEXT, "description": "Where in the arguments; $ for all of them."},
            "value": {"description": "What was given there."},
            "wanted": {"description": "What the schema asks for there."},
            "since": {
                "type": ["integer", "null"],
                "description": "The index of the call that is repeated, from 0.",
            },
            "reason": {**_TEXT, "description": "What is wrong, in one sentence."},
        }
    )
