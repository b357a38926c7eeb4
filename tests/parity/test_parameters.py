"""The calls that the metrics of other tools take."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from callscore import InvalidCall, InvalidSettings, NotScorable, ToolCall, expect
from callscore.parity import agentevals, bfcl, evalite, google_adk, ragas, strands

PLAIN = {"name": "f", "arguments": {"a": 1}}


@pytest.mark.parametrize(
    "call",
    [
        {"tool": "f", "args": {"a": 1}},
        MappingProxyType(PLAIN),
        ToolCall("f", {"a": 1}),
        {**PLAIN, "id": "x"},
        {"toolName": "f", "input": {"a": 1}},
        ("f", {"a": 1}),
    ],
)
def test_a_call_has_a_name_and_arguments(call: Any) -> None:
    assert ragas.tool_call_accuracy([PLAIN], [call]) == 1.0
    assert strands.exact(["f"], [call]) == 1.0


@pytest.mark.parametrize(
    "call", [{"name": "f"}, {"name": "f", "arguments": None}, "f", ("f", None)]
)
def test_arguments_may_be_left_out(call: Any) -> None:
    assert google_adk.trajectory([ToolCall("f")], [call]) == 1.0


@pytest.mark.parametrize(
    "call", [3, None, (), ("f", {}, 1), (1, {}), {}, {"name": 3, "arguments": {}}], ids=repr
)
def test_a_malformed_call_is_an_error_that_says_what_to_do(call: Any) -> None:
    with pytest.raises(InvalidCall, match=r"callscore\.read_calls"):
        ragas.tool_call_accuracy([PLAIN], [call])


@pytest.mark.parametrize(
    "call", [{"name": "f", "arguments": "{}"}, ToolCall("f", raw="{", error="not_json")], ids=repr
)
def test_arguments_that_are_no_object_are_not_scored(call: Any) -> None:
    with pytest.raises(NotScorable, match="arguments of f"):
        ragas.tool_call_accuracy([PLAIN], [call])


@pytest.mark.parametrize("calls", [None, PLAIN, "f", 3], ids=repr)
def test_a_value_that_is_not_a_list_of_calls_is_an_error(calls: Any) -> None:
    with pytest.raises(InvalidCall, match="expected a list of calls"):
        ragas.tool_call_accuracy([PLAIN], calls)


def test_rules_do_not_matter_to_a_metric_of_names() -> None:
    rule = expect.call("f", a=expect.contains("x"))

    assert strands.exact([rule], ["f"]) == 1.0
    with pytest.raises(NotScorable, match="groups"):
        strands.exact([expect.optional(rule)], ["f"])


def test_a_plain_object_holds_no_rules() -> None:
    call = {"name": "f", "arguments": {"a": {"$contains": "x"}}}

    assert ragas.tool_call_accuracy([call], [call]) == 1.0
    assert ragas.tool_call_accuracy([call], [{"name": "f", "arguments": {"a": "x"}}]) == 0.0


@pytest.mark.parametrize(
    ("metric", "option"),
    [
        (agentevals.trajectory_match, "trajectory_match_mode"),
        (bfcl.valid, "test_category"),
        (evalite.tool_call_accuracy, "mode"),
        (strands.in_order, "items"),
    ],
)
def test_a_word_that_no_option_has_is_refused_with_those_there_are(
    metric: Any, option: str
) -> None:
    with pytest.raises(InvalidSettings, match=f"{option}: unknown value .* Choose from: "):
        metric([PLAIN], [PLAIN], **{option: "sideways"})
