"""The real agentevals."""

from __future__ import annotations

import json  # noqa: TID251  (what a caller of the package would write)
import os
from typing import TYPE_CHECKING, Any

# Nothing is to be sent anywhere; it is read when the package is imported.
os.environ["LANGSMITH_TRACING"] = os.environ["LANGCHAIN_TRACING_V2"] = "false"

from agentevals.trajectory.match import create_trajectory_match_evaluator
from tests.parity.configurations.agentevals import overrides_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "agentevals"

_MODES = ("exact", "ignore", "subset", "superset")
_OVERRIDES = (
    "get_weather:[city],book:[opt.a,id],search:ignore",
    "get_weather:subset,book:superset,search:[a.b,c],web_search:[]",
)


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    found = {}
    for arguments in _MODES:
        for messages, wrap in (("one_message", _one_message), ("message_per_call", _per_call)):
            found[f"strict/{arguments}/{messages}"] = _measure("strict", arguments, wrap)
        for mode in ("unordered", "subset", "superset"):
            found[f"{mode}/{arguments}"] = _measure(mode, arguments)
    for mode in ("unordered", "superset"):
        for overrides in _OVERRIDES:
            name = f"{mode}/exact/overrides{{{overrides}}}"
            found[name] = _measure(mode, "exact", overrides=overrides_of(overrides))
    return found


def _one_message(calls: Calls) -> list[Any]:
    return [
        {"role": "assistant", "content": "", "tool_calls": [_tool_call(call) for call in calls]}
    ]


def _per_call(calls: Calls) -> list[Any]:
    return [message for call in calls for message in _one_message([call])]


def _tool_call(call: dict[str, Any]) -> dict[str, Any]:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    return {"id": "call", "type": "function", "function": function}


def _measure(
    mode: Any,
    arguments: Any,
    wrap: Callable[[Calls], list[Any]] = _one_message,
    overrides: Any = None,
) -> Measure:
    evaluator: Any = create_trajectory_match_evaluator(
        trajectory_match_mode=mode,
        tool_args_match_mode=arguments,
        tool_args_match_overrides=overrides,
    )

    def measure(expected: Calls, actual: Calls) -> Any:
        return evaluator(outputs=wrap(actual), reference_outputs=wrap(expected))["score"]

    return measure
