"""OpenAI batches."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects.openai_batch import EXAMPLE, read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

TOOLS = [{"type": "function", "name": "f", "parameters": {"type": "object"}}]
ASKED = {"model": "gpt", "input": "Weather?", "tools": TOOLS}


def test_a_line_is_a_run_under_its_custom_id() -> None:
    (trace,) = read(EXAMPLE, DEFAULT_READ_OPTIONS)

    assert trace.id == "task-1"
    assert [call.name for call in trace.calls or ()] == ["get_weather"]


def test_a_line_of_the_input_has_the_question_and_the_tools() -> None:
    line = {"custom_id": "t", "method": "POST", "url": "/v1/responses", "body": ASKED}

    assert recognizes(line)
    assert read(line, DEFAULT_READ_OPTIONS)[0].input == "Weather?"
    assert [tool.name for tool in read_tools(line)] == ["f"]


@pytest.mark.parametrize(
    "line",
    [
        {"custom_id": "t", "response": None, "error": {"code": "batch_expired"}},
        {"custom_id": "t", "response": {"status_code": 500, "body": {"error": {"code": "x"}}}},
        {"custom_id": "t", "response": {"status_code": 200, "body": None}, "error": None},
    ],
)
def test_a_request_that_failed_was_not_run(line: Any) -> None:
    assert recognizes(line)
    (trace,) = read(line, DEFAULT_READ_OPTIONS)

    assert (trace.id, trace.calls) == ("t", None)
    assert read_tools(line) == []


def test_a_custom_id_that_is_no_text_is_none() -> None:
    assert read({**EXAMPLE, "custom_id": 3}, DEFAULT_READ_OPTIONS)[0].id is None


@pytest.mark.parametrize(
    "document",
    [
        {"custom_id": "t", "result": {"type": "succeeded"}},  # Anthropic's
        {"custom_id": "t", "body": {}},
        {"custom_id": "t", "response": {"choices": []}},
        {"custom_id": "t", "error": {}},
        {"response": {"status_code": 200, "body": {}}},
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)
