"""Google ADK evaluations: what is expected, and what was done about it."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.core.case import Group
from callscore.formats.dialects import adk_evalset
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def invocation(*uses: Any, asked: str = "q", **fields: Any) -> dict[str, Any]:
    content = {"role": "user", "parts": [{"text": asked}]}
    return {"user_content": content, "intermediate_data": {"tool_uses": list(uses)}, **fields}


def result(name: str, actual: Any, expected: Any = None) -> dict[str, Any]:
    compared = {"actual_invocation": actual, "expected_invocation": expected}
    return {"eval_id": name, "eval_metric_result_per_invocation": [compared]}


@pytest.mark.parametrize(
    "document",
    [
        {"eval_id": "c"},
        {"eval_cases": None},
        [{"query": "q", "reference": "r"}],
        [{"name": "n", "data": []}],
        [{"name": "n", "data": [{"query": "q"}]}],
        [{"query": "q", "expected_tool_use": []}, {"query": "q"}],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not adk_evalset.recognizes(document)


def test_the_invocations_of_a_case_are_one_conversation() -> None:
    case = {
        "evalId": "c",
        "conversation": [
            invocation({"name": "f", "args": {"a": 1}}, {"name": "g"}),
            {"userContent": {"parts": [{"text": "r"}]}, "intermediateData": None},
            invocation({"name": "f"}, asked="s"),
        ],
    }

    assert adk_evalset.recognizes(case)
    assert adk_evalset.read(case, DEFAULT_READ_OPTIONS) == [
        Trace(
            expected=(
                Group("turn", (ToolCall("f", {"a": 1}, step=0), ToolCall("g", {}, step=0))),
                Group("turn", ()),
                Group("turn", (ToolCall("f", {}, step=1),)),
            ),
            id="c",
            input=["q", "r", "s"],
        )
    ]


def test_the_responses_beside_expected_calls_are_their_results() -> None:
    data = {
        "toolUses": [{"id": "1", "name": "f"}],
        "toolResponses": [{"id": "1", "name": "f", "response": {"error": "x"}}],
    }
    case = {"evalId": "c", "conversation": [{"intermediateData": data}]}

    (trace,) = adk_evalset.read(case, DEFAULT_READ_OPTIONS)

    assert trace.expected == (
        ToolCall("f", {}, id="1", step=0, result={"error": "x"}, failed=True),
    )


def test_a_conversation_that_is_yet_to_be_played_expects_nothing_in_particular() -> None:
    case = {"eval_id": "c", "conversation_scenario": {"starting_prompt": "hello"}}

    assert adk_evalset.recognizes([case])
    assert adk_evalset.read([case], DEFAULT_READ_OPTIONS) == [Trace(id="c", input="hello")]


def test_a_result_has_both_sides() -> None:
    actual = invocation({"name": "f", "args": {"a": 2}})
    document = result("c", actual, invocation({"name": "f", "args": {"a": 1}}))

    assert adk_evalset.recognizes(document)
    assert adk_evalset.read(document, DEFAULT_READ_OPTIONS) == [
        Trace(
            calls=(ToolCall("f", {"a": 2}, step=0),),
            expected=(ToolCall("f", {"a": 1}, step=0),),
            id="c",
            input="q",
        )
    ]


def test_the_runs_of_one_case_are_its_trials() -> None:
    document = {"evalCaseResults": [result(name, invocation()) for name in ("a", "b", "a")]}

    traces = adk_evalset.read(document, DEFAULT_READ_OPTIONS)

    assert [(trace.id, trace.trial) for trace in traces] == [("a", 0), ("b", None), ("a", 1)]
    assert [trace.expected for trace in traces] == [None, None, None]
    assert [trace.calls for trace in traces] == [(), (), ()]


def test_cases_can_stand_among_results() -> None:
    case = {"eval_id": "a", "conversation": []}
    result = {"eval_id": "a", "eval_metric_result_per_invocation": [{}]}

    case_trace, result_trace = adk_evalset.read([case, result], DEFAULT_READ_OPTIONS)

    assert (case_trace.calls, case_trace.expected) == (None, ())
    assert (result_trace.calls, result_trace.expected) == ((), None)


def test_a_run_that_was_not_measured_is_read_from_its_session() -> None:
    part = {"functionCall": {"name": "f", "args": {}}}
    events = [{"author": "a", "invocationId": "i", "content": {"parts": [part]}}]
    document = [
        {"evalId": "a", "evalMetricResultPerInvocation": [], "sessionDetails": {"events": events}},
        {"evalId": "b", "evalMetricResultPerInvocation": [], "sessionDetails": None},
    ]

    first, second = adk_evalset.read(document, DEFAULT_READ_OPTIONS)

    assert first.calls == (ToolCall("f", {}, step=0),)
    assert second.calls is None


def test_the_turns_of_an_old_test_file_are_one_conversation() -> None:
    document = [
        {"query": "p", "expected_tool_use": []},
        {"query": "q", "expected_tool_use": [{"tool_name": "f", "tool_input": {"a": 1}}]},
        {"query": "r", "expected_tool_use": [{"tool_name": "g"}], "actual_tool_use": None},
    ]

    assert adk_evalset.read(document, DEFAULT_READ_OPTIONS) == [
        Trace(
            calls=(),
            expected=(
                Group("turn", ()),
                Group("turn", (ToolCall("f", {"a": 1}, step=0),)),
                Group("turn", (ToolCall("g", {}, step=1),)),
            ),
            input=["p", "q", "r"],
        )
    ]


def test_an_old_eval_set_names_its_cases() -> None:
    turn = {"query": "q", "actual_tool_use": [{"tool_name": "f", "tool_input": {}}]}

    assert adk_evalset.read([{"name": "n", "data": [turn]}], DEFAULT_READ_OPTIONS) == [
        Trace(calls=(ToolCall("f", {}, step=0),), id="n", input="q")
    ]


def test_the_tools_of_all_agents_come_out_once() -> None:
    def details(*names: str) -> dict[str, Any]:
        agent = {"tool_declarations": [{"function_declarations": [{"name": n} for n in names]}]}
        return {"app_details": {"agent_details": {"a": agent}}}

    case = {"eval_id": "c", "conversation": [details("f"), details("f", "g"), {"appDetails": {}}]}
    done = result("c", details("h"))

    assert [tool.name for tool in adk_evalset.read_tools(case)] == ["f", "g"]
    assert [tool.name for tool in adk_evalset.read_tools([done])] == ["h"]
    assert adk_evalset.read_tools(None) == []


def test_the_events_of_an_invocation_tell_which_calls_went_together() -> None:
    parts = [{"function_call": {"name": name}} for name in ("f", "g")]
    events = [{"author": "a", "content": {"parts": [part]}} for part in parts]
    case = {
        "eval_id": "c",
        "conversation": [{"intermediate_data": {"invocation_events": events}}],
    }

    (trace,) = adk_evalset.read(case, DEFAULT_READ_OPTIONS)

    assert trace.expected == (ToolCall("f", {}, step=0), ToolCall("g", {}, step=1))
