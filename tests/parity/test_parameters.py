"""The calls that the functions of `parity` take."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from callscore import InvalidCall, InvalidSettings, NotScorable, ToolCall, expect
from callscore.parity import (
    agentevals,
    autoevals,
    azure,
    bfcl,
    evalite,
    google_adk,
    pydantic_evals,
    ragas,
    spring_ai_ragas,
    strands,
)
from callscore.parity.parameters import names_of, option_value, pairs_of

PLAIN = {"name": "f", "arguments": {"a": 1}}


@pytest.mark.parametrize(
    "call",
    [
        PLAIN,
        {"tool": "f", "args": {"a": 1}},
        MappingProxyType(PLAIN),
        ToolCall("f", {"a": 1}),
        {**PLAIN, "id": "x"},
        {"toolName": "f", "input": {"a": 1}},
        ("f", {"a": 1}),
    ],
)
def test_a_call_has_a_name_and_arguments(call: Any) -> None:
    assert pairs_of([call]) == [("f", {"a": 1})]
    assert names_of([call]) == ["f"]


@pytest.mark.parametrize(
    "call",
    [{"name": "f"}, {"name": "f", "arguments": None}, ToolCall("f"), "f", ("f", None)],
    ids=repr,
)
def test_arguments_that_are_not_given_are_none(call: Any) -> None:
    assert pairs_of([call]) == [("f", None)]


@pytest.mark.parametrize(
    "call",
    [
        3,
        None,
        (),
        ("f", {}, 1),
        (1, {}),
        {},
        {"name": None, "arguments": {}},
        {"name": 3, "arguments": {}},
    ],
    ids=repr,
)
def test_what_is_no_call_is_an_error_that_says_what_to_do(call: Any) -> None:
    with pytest.raises(InvalidCall, match=r"callscore\.read_calls"):
        pairs_of([call])
    with pytest.raises(InvalidCall, match="is not a call"):
        names_of([call])


@pytest.mark.parametrize(
    "call",
    [
        {"name": "f", "arguments": "{}"},
        {"name": "f", "arguments": [1]},
        ToolCall("f", raw="{", error="not_json"),
    ],
    ids=repr,
)
def test_arguments_that_are_no_object_are_not_scored(call: Any) -> None:
    with pytest.raises(NotScorable, match="arguments of f"):
        pairs_of([call])


def test_no_calls_are_no_calls() -> None:
    assert pairs_of([]) == []
    assert names_of(()) == []


@pytest.mark.parametrize("calls", [None, PLAIN, "f", 3, {PLAIN["name"]}], ids=repr)
def test_what_is_no_list_of_calls_is_an_error(calls: Any) -> None:
    with pytest.raises(InvalidCall, match="expected a list of calls"):
        pairs_of(calls)
    with pytest.raises(InvalidCall, match="expected a list of calls"):
        names_of(calls)


def test_rules_and_groups_are_not_scored() -> None:
    rule = expect.call("f", a=expect.contains("x"))

    with pytest.raises(NotScorable, match="matchers"):
        pairs_of([rule])
    with pytest.raises(NotScorable, match="groups"):
        names_of([expect.optional(rule)])
    assert names_of([rule]) == ["f"]


def test_a_plain_object_holds_no_rules() -> None:
    arguments = {"a": {"$contains": "x"}}

    assert pairs_of([{"name": "f", "arguments": arguments}]) == [("f", arguments)]


# An option that is one of a few words.


def test_a_word_has_its_meaning() -> None:
    assert option_value("order", "any", {"any": 1, "exact": 2}) == 1


@pytest.mark.parametrize("word", ["al", None, ["any"]], ids=repr)
def test_any_other_word_is_an_error_that_names_them_all(word: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"order: unknown value .* Choose from: any, exact"):
        option_value("order", word, {"any": 1, "exact": 2})


@pytest.mark.parametrize(
    ("function", "option"),
    [
        (agentevals.trajectory_match, "trajectory_match_mode"),
        (agentevals.trajectory_match, "tool_args_match_mode"),
        (autoevals.list_contains, "pairwise_scorer"),
        (azure.navigation_match, "matching_mode"),
        (bfcl.valid, "test_category"),
        (evalite.tool_call_accuracy, "mode"),
        (google_adk.trajectory, "match_type"),
        (pydantic_evals.trajectory_match, "order"),
        (ragas.string_similarity, "distance_measure"),
        (spring_ai_ragas.tool_call_accuracy, "mode"),
        (strands.in_order, "items"),
    ],
    ids=lambda value: getattr(value, "__module__", value),
)
def test_no_metric_takes_a_word_that_it_does_not_know(function: Any, option: str) -> None:
    with pytest.raises(InvalidSettings, match=f"{option}: unknown value 'sideways'"):
        function("a", "b", **{option: "sideways"})
