"""Answers that are nearly right."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from callscore import Tool
from callscore.core.equality import equal, json_type
from callscore.core.score import SCHEMA_FAULTS
from callscore.datasets.near_misses import (
    FAILURE_CLASSES,
    fails_only_with,
    generate_near_misses,
    invalid_values,
    passes_without_faults,
    similar_names,
    values_of_other_types,
)
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


# Values and names that are a little wrong.

VALUES = ["text", "", 5, 2.5, True, None, ["a"], [], {"a": 1}, {}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_the_first_other_type_is_another_type(value: Any) -> None:
    assert all(json_type(other) != json_type(value) for other in values_of_other_types(value)[:1])


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_invalid_values_keep_the_type(value: Any) -> None:
    found = invalid_values(value)

    assert all(json_type(other) == json_type(value) for other in found)
    assert not value or isinstance(value, bool) or not all(equal(value, other) for other in found)


def test_long_texts_do_not_grow_without_end() -> None:
    assert max(map(len, invalid_values("x" * 10_000))) < 20_000


def test_strange_names_are_not_the_name() -> None:
    assert "get_weather" not in similar_names("get_weather")


# Whether a case fails as it should: near misses of one class are of no other.

VERIFYING_TOOLS = {
    "f": Tool("f", None, {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]}),
    "g": Tool("g", None, {"type": "object", "properties": {}}),
}  # fmt: skip
F = {"name": "f", "arguments": {"a": 1}}
G = {"name": "g", "arguments": {}}
MISSES: dict[str, tuple[list[Any], list[Any]]] = {
    "wrong_value": ([F], [{"name": "f", "arguments": {"a": 2}}]),
    "missing_argument": ([F], [{"name": "f", "arguments": {}}]),
    "unknown_argument": ([F], [{"name": "f", "arguments": {"a": 1, "b": 1}}]),
    "wrong_type": ([F], [{"name": "f", "arguments": {"a": "1"}}]),
    "invalid_value": ([F], [{"name": "f", "arguments": {"a": 0}}]),
    "malformed": ([F], [{"name": "f", "arguments": '{"a": '}]),
    "wrong_tool": ([F], [G]),
    "unknown_tool": ([F], [{"name": "fs", "arguments": {"a": 1}}]),
    "missed_call": ([F, G], [F]),
    "extra_call": ([F], [F, G]),
    "wrong_order": ([{"in_order": [F, G]}], [G, F]),
    "repeat": ([F], [F, F]),
    "loop": ([F], [F, F, F]),
    "retry_unchanged": ([F], [{**F, "failed": True}, F]),
    "forbidden_call": ([F, {"forbid": "g"}], [F, G]),
}


def _record(expected: list[Any], actual: list[Any]) -> dict[str, Any]:
    return {"id": "a", "expected": expected, "actual": actual}


def test_there_is_one_of_each_class() -> None:
    assert list(MISSES) == list(FAILURE_CLASSES)


@pytest.mark.parametrize("failure", [name for name in FAILURE_CLASSES if name != "wrong_order"])
def test_a_miss_is_of_its_own_class_and_of_no_other(failure: str) -> None:
    record = _record(*MISSES[failure])
    unordered = [name for name in FAILURE_CLASSES if name != "wrong_order"]

    assert [name for name in unordered if fails_only_with(record, name, VERIFYING_TOOLS)] == [
        failure
    ]


def test_what_is_right_but_for_the_order_fails_by_the_order() -> None:
    assert fails_only_with(_record(*MISSES["wrong_order"]), "wrong_order", VERIFYING_TOOLS)


@pytest.mark.parametrize("failure", FAILURE_CLASSES)
def test_what_passes_is_no_miss(failure: str) -> None:
    expected = [{"in_order": [F]}] if failure == "wrong_order" else [F]

    assert not fails_only_with(_record(expected, [F]), failure, VERIFYING_TOOLS)


def test_a_wrong_call_in_the_wrong_order_is_wrong_in_two_ways() -> None:
    record = _record([{"in_order": [F, G]}], [G, {"name": "f", "arguments": {"a": 2}}])

    assert not fails_only_with(record, "wrong_order", VERIFYING_TOOLS)


def test_a_case_passes_with_what_it_expects_and_what_the_tool_takes() -> None:
    refused = [{"name": "f", "arguments": {"a": 0}}]

    assert passes_without_faults(_record([F, G], [G, F]), VERIFYING_TOOLS)
    assert not passes_without_faults(_record([F, G], [F]), VERIFYING_TOOLS)
    assert not passes_without_faults(_record(refused, refused), VERIFYING_TOOLS)
