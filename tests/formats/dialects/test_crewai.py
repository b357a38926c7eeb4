"""What is read of CrewAI events and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import crewai
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

FAILURE = {"message": "oh", "reason": "exception"}


def event(kind: str, name: str = "f", **more: Any) -> dict[str, Any]:
    return {"type": kind, "tool_name": name, "tool_args": {"x": 1}, **more}


def started(id_: str | None = None, name: str = "f", **more: Any) -> dict[str, Any]:
    return event("tool_usage_started", name, event_id=id_, **more)


def finished(id_: str | None = None, name: str = "f", **more: Any) -> dict[str, Any]:
    more = {"output": "fine", **more}
    return event("tool_usage_finished", name, started_event_id=id_, **more)


def stumbled(id_: str | None = None, **more: Any) -> dict[str, Any]:
    return event("tool_usage_error", started_event_id=id_, error="oh", **more)


def read(document: Any) -> Trace:
    [trace] = crewai.read(document, DEFAULT_READ_OPTIONS)
    return trace


def calls(*events: Any) -> tuple[ToolCall, ...]:
    return read(list(events)).calls or ()


def test_what_was_started_is_what_was_run() -> None:
    trace = read(
        [
            {"type": "crew_kickoff_started"},
            started("a"),
            started("b"),
            finished("b", output="Error is what the tool is about", failure=None),
            finished("a", failure=FAILURE),
            {"type": "llm_call_completed"},
            started("c", tool_args='{"x": 2}'),
            stumbled("c"),
        ]
    )

    assert trace.view == "executed"
    assert [(one.id, one.result, one.failed, one.step) for one in trace.calls or ()] == [
        ("a", "fine", True, 0),
        ("b", "Error is what the tool is about", False, 0),
        ("c", "oh", True, 1),
    ]


def test_without_ids_the_name_tells_to_which_call_a_result_belongs() -> None:
    found = calls(started(name="f"), started(name="g"), finished(name="g"), finished(name="f"))

    assert [one.failed for one in found] == [False, False]


def test_older_versions_leave_it_to_the_text_whether_a_call_has_failed() -> None:
    found = calls(started("a"), finished("a", output="Error: oh"))

    assert [one.failed for one in found] == [True]


def test_where_no_starts_are_recorded_what_was_ended_was_run() -> None:
    found = calls(finished(), stumbled(), event("tool_failure_detected", failure=FAILURE))

    assert [(one.result, one.failed, one.step) for one in found] == [
        ("fine", False, 0),
        ("oh", True, 1),
    ]


def test_a_retry_by_the_crew_was_run_as_well() -> None:
    found = calls(
        started("a"),
        stumbled("a"),
        started("b", run_attempts=2),
        stumbled("b"),
        event("tool_failure_detected", failure=FAILURE),
        started("c"),
    )

    assert [(one.id, one.failed) for one in found] == [("a", True), ("b", True), ("c", None)]


def test_a_call_that_could_not_be_started_is_a_call() -> None:
    found = calls(
        started("a"),
        finished("a"),
        event("tool_selection_error", "g", error="there is none"),
        event("tool_failure_detected", "g", failure=FAILURE),
        event("tool_failure_detected", tool_args='{"x"', failure=FAILURE),
    )

    assert [(one.name, one.failed, one.error) for one in found] == [
        ("f", False, None),
        ("g", True, None),
        ("f", True, "truncated_json"),
    ]


def test_a_traced_event_is_taken_out_of_its_wrapping() -> None:
    wrapped = [
        {"type": one["type"], "event_data": one, "event_id": "other"}
        for one in (started("a"), finished("a"))
    ]

    assert [(one.id, one.result) for one in calls(*wrapped)] == [("a", "fine")]


def test_a_run_without_tools_has_no_calls() -> None:
    events = [{"type": "crew_kickoff_started"}, {"type": "task_started"}]

    assert crewai.recognizes(events)
    assert read(events).calls == ()


def test_the_output_of_a_crew_has_what_was_requested() -> None:
    function = {"name": "f", "arguments": '{"x": 1}'}
    messages = [
        {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": "fine"},
    ]
    document = {"raw": "", "tasks_output": [{"messages": messages}, {"messages": messages}]}

    trace = read(document)

    assert crewai.recognizes(document)
    assert trace.view == "requested"
    assert [(one.id, one.result) for one in trace.calls or ()] == [("a", "fine")] * 2


def test_an_action_in_words_is_a_call() -> None:
    texts = [
        'Thought: hm\nAction: f \nAction Input: {"x": 1}\nObservation: fine',
        "Action: f\nAction Input: {'x': 1}\nObservation: I encountered an error: oh",
        "Action: g\nAction Input: {}",
        "Action: there is none",
        "Final Answer: 18\nAction Input:",
    ]
    messages: list[dict[str, Any]] = [{"role": "assistant", "content": text} for text in texts]
    messages += [{"role": "user", "content": texts[0]}, {"role": "assistant", "content": None}]

    found = read({"tasks_output": [{"messages": messages}]}).calls or ()

    assert [(one.name, one.result, one.failed, one.error) for one in found] == [
        ("f", "fine", False, None),
        ("f", "I encountered an error: oh", True, "invalid_json"),
        ("g", None, None, None),
    ]


@pytest.mark.parametrize(
    "document",
    [{"tool_name": "f", "arguments": {"x": 1}}, [{"tool_name": "f", "arguments": {"x": 1}}]],
)
def test_a_tool_calling_is_a_request(document: Any) -> None:
    trace = read(document)

    assert crewai.recognizes(document)
    assert trace.view == "requested"
    assert [(one.name, one.arguments) for one in trace.calls or ()] == [("f", {"x": 1})]


def test_one_event_is_read_by_itself() -> None:
    assert crewai.recognizes(started("a"))
    assert [one.id for one in read(started("a")).calls or ()] == ["a"]


def test_lines_of_events_are_one_document() -> None:
    assert crewai.joins_lines(started())
    assert crewai.joins_lines({"type": "flow_started", "source_fingerprint": None, "event_id": "1"})
    assert not crewai.joins_lines({"type": "flow_started", "event_id": "1"})


def test_the_tools_that_a_model_was_offered_come_out() -> None:
    offer = {"type": "llm_call_started", "tools": [{"function": {"name": "f"}}]}

    found = crewai.read_tools([started(), offer, {"type": offer["type"], "event_data": offer}])

    assert [tool.name for tool in found] == ["f", "f"]


@pytest.mark.parametrize(
    "document",
    [
        [],
        [{"tool_name": "f", "tool_input": {}}],
        [{"tool_name": "f", "arguments": {}, "id": "a"}],
        [{"type": "tool_call"}],
        [started(), "x"],
        {"tool_name": 3, "arguments": {}},
        {"tasks_output": "x"},
    ],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not crewai.recognizes(document)
