"""OpenAI Assistants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.core.call import NOT_CAPTURED
from callscore.formats.dialects.openai_assistants import joins_lines, read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def entry(id: str, output: Any = None) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    function = {"name": "f", "arguments": "{}", "output": output}
    return {"id": id, "type": "function", "function": function}


def step(time: Any, *calls: Any, id: Any = None) -> dict[str, Any]:  # noqa: A002  (as the field is called)
    details = {"type": "tool_calls", "tool_calls": list(calls)}
    return {"object": "thread.run.step", "id": id, "created_at": time, "step_details": details}


def run(*calls: Any, **more: Any) -> dict[str, Any]:
    action = {"type": "submit_tool_outputs", "submit_tool_outputs": {"tool_calls": list(calls)}}
    return {"object": "thread.run", "id": "run_1", "required_action": action, **more}


def calls_of(document: Any) -> tuple[ToolCall, ...]:
    assert recognizes(document)
    (trace,) = read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_steps_are_read_from_the_oldest_on_with_their_outputs() -> None:
    page = {
        "object": "list",
        "data": [step(2, entry("b", "Error: none")), step(1, entry("a", "18C"), entry("c"))],
    }

    calls = calls_of(page)

    assert [(call.id, call.step, call.result, call.failed) for call in calls] == [
        ("a", 0, "18C", False),
        ("c", 0, None, None),
        ("b", 1, "Error: none", True),
    ]


def test_tools_of_the_provider_are_marked() -> None:
    code = {"input": "1", "outputs": [{"type": "logs", "logs": "1"}]}
    search = {"id": "s", "type": "file_search", "file_search": {"ranking_options": {}}}

    ran, searched = calls_of(
        step(1, {"id": "c", "type": "code_interpreter", "code_interpreter": code}, search)
    )

    assert (ran.name, ran.arguments, ran.kind) == ("code_interpreter", {"input": "1"}, "hosted")
    assert (ran.result, ran.failed) == (code["outputs"], False)
    # What was searched for is not recorded.
    assert (searched.name, searched.arguments) == ("file_search", None)
    assert (searched.error, searched.kind) == (NOT_CAPTURED, "hosted")


def test_a_tool_of_an_unknown_type_is_passed_over() -> None:
    assert calls_of(step(1, {"id": "c", "type": "other", "other": {"input": "1"}})) == ()


def test_what_waits_for_an_output_and_is_a_step_already_counts_once() -> None:
    waiting = {"event": "thread.run.requires_action", "data": run(entry("a"), entry("b"))}
    finished = {"event": "thread.run.step.completed", "data": step(1, entry("a", "18C"), id="s")}

    calls = calls_of([waiting, finished])

    assert [(call.id, call.result) for call in calls] == [("a", "18C"), ("b", None)]


def test_a_step_counts_as_it_was_reported_last() -> None:
    begun = {"event": "thread.run.step.in_progress", "data": step(1, entry("a"), id="s")}
    finished = {"event": "thread.run.step.completed", "data": step(1, entry("a", "18C"), id="s")}

    (call,) = calls_of([begun, finished, {"event": "done", "data": "[DONE]"}])

    assert call.result == "18C"


def test_a_step_without_a_time_comes_first() -> None:
    calls = calls_of([step(1, entry("a")), step("later", entry("b"))])

    assert [call.id for call in calls] == ["b", "a"]


def test_a_run_that_waits_for_nothing_has_no_calls() -> None:
    assert calls_of(run(required_action=None)) == ()


def test_the_tools_are_those_of_the_run() -> None:
    assert [tool.name for tool in read_tools(run(tools=[{"name": "f"}]))] == ["f"]


def test_lines_of_steps_and_events_are_one_run() -> None:
    assert joins_lines(step(1))
    assert joins_lines({"event": "thread.run.created", "data": run()})
    assert joins_lines({"event": "thread.created", "data": {"object": "thread"}})
    assert joins_lines({"event": "done", "data": "[DONE]"})
    assert not joins_lines({"event": "response.created", "data": {}})
    assert not joins_lines({"event": "thread.created"})


@pytest.mark.parametrize(
    "document",
    [
        {"object": "list", "data": [{"object": "chat.completion"}]},
        {"object": "thread.message"},
        [step(1), "text"],
        [{"object": "thread"}],
    ],
)
def test_what_only_looks_alike_is_left_to_others(document: Any) -> None:
    assert not recognizes(document)
