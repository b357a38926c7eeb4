"""Answers that are nearly right."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from callscore import Tool
from callscore.core.score import SCHEMA_FAULTS
from callscore.datasets.near_misses import FAILURE_CLASSES, fails_only_with, generate_near_misses
from callscore.formats.cases import call_record, expected_records

WEATHER = Tool(
    "get_weather",
    "Get the weather of a city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "unit": {"type": "string", "enum": ["C", "F"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
        },
        "required": ["city", "unit", "days"],
        "additionalProperties": False,
    },
)
SUM = Tool("add", "Add two numbers.", {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]})  # fmt: skip
PING = Tool("ping", "Ping.", {"type": "object", "properties": {}})
TOOLS = {tool.name: tool for tool in (WEATHER, SUM, PING)}
ARGUMENT_CLASSES = ("wrong_value", "missing_argument", "wrong_type", "invalid_value")


def _kept(failure: str, tools: list[Tool], seed: int) -> list[dict[str, Any]]:
    known = {tool.name: tool for tool in tools}
    records = [
        {
            "id": "a",
            "input": miss.input,
            "expected": expected_records(miss.expected),
            "actual": [call_record(call) for call in miss.actual],
            "place": miss.place,
        }
        for miss in generate_near_misses(failure, tools, Random(seed))
    ]
    return [record for record in records if fails_only_with(record, failure, known)]


def test_every_class_of_failure_that_checks_know_has_near_misses() -> None:
    assert set(FAILURE_CLASSES) > SCHEMA_FAULTS | {"repeat", "loop", "retry_unchanged"}


@pytest.mark.parametrize("failure", FAILURE_CLASSES)
@pytest.mark.parametrize("seed", range(3))
def test_a_near_miss_fails_in_its_own_way(failure: str, seed: int) -> None:
    kept = _kept(failure, [WEATHER, SUM, PING], seed)

    assert kept
    assert all(record["actual"] != record["expected"] for record in kept)


@pytest.mark.parametrize("failure", ARGUMENT_CLASSES)
def test_a_tool_without_arguments_gets_none_of_them_wrong(failure: str) -> None:
    assert _kept(failure, [PING], 0) == []


@pytest.mark.parametrize("failure", ["wrong_tool", "extra_call", "wrong_order"])
def test_a_single_tool_that_can_be_called_in_one_way_is_not_confused(failure: str) -> None:
    assert _kept(failure, [PING], 0) == []


@pytest.mark.parametrize("failure", ["missed_call", "forbidden_call", "repeat", "loop"])
def test_a_single_tool_can_be_called_too_seldom_or_too_often(failure: str) -> None:
    assert _kept(failure, [PING], 0)


@pytest.mark.parametrize("failure", [*ARGUMENT_CLASSES, "unknown_argument"])
def test_the_place_of_the_failure_is_named(failure: str) -> None:
    assert all(record["place"].startswith("$.") for record in _kept(failure, [WEATHER], 0))


def test_a_tool_that_takes_any_arguments_knows_no_unknown_ones() -> None:
    assert _kept("unknown_argument", [Tool("f", None, {"type": "object"})], 0) == []
