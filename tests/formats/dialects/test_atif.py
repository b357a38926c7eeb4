"""What is read of ATIF trajectories."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import Tool
from callscore.formats.dialects import atif
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def step(*ids: str, **more: Any) -> dict[str, Any]:
    calls = [{"tool_call_id": id_, "function_name": "f", "arguments": {"x": id_}} for id_ in ids]
    return {"source": "agent", "message": "", "tool_calls": calls, **more}


def observed(*results: dict[str, Any]) -> dict[str, Any]:
    return {"results": list(results)}


def read(*steps: Any, **more: Any) -> Trace:
    [trace] = atif.read(
        {"schema_version": "ATIF-v1.7", "steps": list(steps), **more}, DEFAULT_READ_OPTIONS
    )
    return trace


def test_results_are_attached_and_a_note_of_an_error_is_believed() -> None:
    trace = read(
        step(
            "a",
            "b",
            "c",
            observation=observed(
                {"source_call_id": "b", "content": "oh", "extra": {"is_error": True}},
                {"source_call_id": "a", "content": [{"type": "text", "text": "18"}]},
                {"source_call_id": "c", "content": "Error", "extra": {"is_error": False}},
            ),
        )
    )

    assert [call.failed for call in trace.calls or ()] == [False, True, False]
    assert [call.result for call in trace.calls or ()][1] == "oh"


def test_a_result_without_a_call_is_of_no_call() -> None:
    trace = read(step("a", observation=observed({"content": "x"}, {"source_call_id": None})))

    assert [call.result for call in trace.calls or ()] == [None]


def test_steps_that_are_copied_are_left_out() -> None:
    trace = read(
        {"source": "user", "message": "old", "is_copied_context": True},
        step("a", is_copied_context=True),
        {"source": "user", "message": "new"},
        step("b", is_copied_context=False),
    )

    assert [call.id for call in trace.calls or ()] == ["b"]
    assert trace.input == "new"


def test_calls_of_subagents_are_marked_at_any_depth() -> None:
    inner = {"steps": [step("c")]}
    trace = read(
        step("a"),
        step("s", extra={"is_sidechain": True}),
        subagent_trajectories=[{"steps": [step("b")], "subagent_trajectories": [inner]}],
    )

    assert [(call.id, call.caller) for call in trace.calls or ()] == [
        ("a", None),
        ("s", "subagent"),
        ("b", "subagent"),
        ("c", "subagent"),
    ]


def test_calls_of_one_step_belong_together() -> None:
    trace = read(step("a", "b"), {"source": "agent", "message": "hm"}, step("c"))

    assert [call.step for call in trace.calls or ()] == [0, 0, 1]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"session_id": "s", "trajectory_id": "t"}, "s"),
        ({"session_id": None, "trajectory_id": "t"}, "t"),
        ({}, None),
    ],
)
def test_a_run_is_named_by_its_session(names: dict[str, Any], expected: str | None) -> None:
    trace = read(step("a"), **names)

    assert (trace.id, trace.input) == (expected, None)


def test_the_tools_are_those_of_the_agent() -> None:
    definition = {"type": "function", "function": {"name": "f", "parameters": {}}}

    assert atif.read_tools({"agent": {"tool_definitions": [definition]}}) == [Tool("f", None, {})]


@pytest.mark.parametrize("version", ["ATIF-v1.0", "ATIF-v1.8"])
def test_every_version_is_claimed(version: str) -> None:
    assert atif.recognizes({"schema_version": version})


@pytest.mark.parametrize("version", [None, 1, "1.0", ["ATIF-v1.0"]])
def test_other_documents_with_a_version_are_not(version: Any) -> None:
    assert not atif.recognizes({"schema_version": version, "steps": []})
