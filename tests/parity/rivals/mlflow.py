"""The real MLflow.

Its scorer is asked as it is; only what reads a trace is replaced, so that neither a trace has to be
built nor a language model asked which tools there were, which has no part in the exact comparison.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")

from mlflow.genai.scorers import ToolCallCorrectness, builtin_scorers
from mlflow.genai.utils.type import FunctionCall

if TYPE_CHECKING:
    from tests.parity.configuration import Calls, Measure

__all__ = ["PACKAGE", "measures"]

PACKAGE = "mlflow"

_ANSWERS = {"yes": 1.0, "no": 0.0}


def measures() -> dict[str, Measure]:
    """What the package says, by configuration."""
    builtin_scorers.extract_request_from_trace = lambda _: ""
    builtin_scorers.extract_available_tools_from_trace = lambda _: []
    builtin_scorers.extract_tools_called_from_trace = lambda calls: calls
    found = {}
    for ordering, is_ordered in (("exact_unordered", False), ("exact_ordered", True)):
        scorer = ToolCallCorrectness(should_exact_match=True, should_consider_ordering=is_ordered)
        found[ordering] = _measure(scorer, ("name", "arguments"))
        found[f"{ordering}/names"] = _measure(scorer, ("name",))
    return found


def _measure(scorer: Any, expected_keys: tuple[str, ...]) -> Measure:
    def measure(expected: Calls, actual: Calls) -> Any:
        wanted = [{key: call[key] for key in expected_keys} for call in expected]
        made = [FunctionCall(name=call["name"], arguments=call["arguments"]) for call in actual]
        feedback = scorer(trace=made, expectations={"expected_tool_calls": wanted})
        return _ANSWERS[feedback.value]

    return measure
