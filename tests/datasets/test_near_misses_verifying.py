"""Whether a case fails as it should: near misses of one class are of no other."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import Tool
from callscore.datasets.near_misses import FAILURE_CLASSES, fails_only_with, passes_without_faults

TOOLS = {
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

    assert [name for name in unordered if fails_only_with(record, name, TOOLS)] == [failure]


def test_what_is_right_but_for_the_order_fails_by_the_order() -> None:
    assert fails_only_with(_record(*MISSES["wrong_order"]), "wrong_order", TOOLS)


@pytest.mark.parametrize("failure", FAILURE_CLASSES)
def test_what_passes_is_no_miss(failure: str) -> None:
    expected = [{"in_order": [F]}] if failure == "wrong_order" else [F]

    assert not fails_only_with(_record(expected, [F]), failure, TOOLS)


def test_a_wrong_call_in_the_wrong_order_is_wrong_in_two_ways() -> None:
    record = _record([{"in_order": [F, G]}], [G, {"name": "f", "arguments": {"a": 2}}])

    assert not fails_only_with(record, "wrong_order", TOOLS)


def test_a_case_passes_with_what_it_expects_and_what_the_tool_takes() -> None:
    refused = [{"name": "f", "arguments": {"a": 0}}]

    assert passes_without_faults(_record([F, G], [G, F]), TOOLS)
    assert not passes_without_faults(_record([F, G], [F]), TOOLS)
    assert not passes_without_faults(_record(refused, refused), TOOLS)
