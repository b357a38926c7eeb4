"""Cases as the lines of a file."""

from __future__ import annotations

import msgspec

from callscore import ToolCall
from callscore.core.case import Forbidden, Group
from callscore.formats.cases import call_record, expected_records, record_line


def test_keys_that_look_like_rules_are_literal_in_what_is_expected() -> None:
    call = ToolCall("find", {"filter": {"$gt": 5}})

    (record,) = expected_records([call])

    assert record == {"name": "find", "arguments": {"filter": {"$literal": {"$gt": 5}}}}
    assert call_record(call) == {"name": "find", "arguments": {"filter": {"$gt": 5}}}


def test_groups_and_what_is_forbidden_are_spelled() -> None:
    records = expected_records([Group("in_order", (ToolCall("f", {}),)), Forbidden("g")])

    assert records == [{"in_order": [{"name": "f", "arguments": {}}]}, {"forbid": "g"}]


def test_arguments_that_are_no_json_stay_text() -> None:
    call = ToolCall("f", None, raw='{"a', error="truncated_json")

    assert call_record(call) == {"name": "f", "arguments": '{"a'}


def test_the_record_of_a_call_keeps_its_result_and_failure_but_not_its_id_and_step() -> None:
    call = ToolCall("f", {}, id="1", step=3, result="Error", failed=True)

    assert call_record(call) == {"name": "f", "arguments": {}, "result": "Error", "failed": True}


def test_a_line_leaves_out_what_is_not_said_and_keeps_an_empty_expectation() -> None:
    line = record_line({"id": "a", "input": None, "expected": [], "tags": [], "metadata": {}})

    assert line.endswith("\n")
    assert msgspec.json.decode(line) == {"id": "a", "expected": []}
