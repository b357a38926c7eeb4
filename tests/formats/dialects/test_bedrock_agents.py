"""What is read of traces of Bedrock Agents beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import bedrock_agents
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return bedrock_agents.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def part(step: str, kind: str = "invocationInput", **held: Any) -> dict[str, Any]:
    return {"trace": {"orchestrationTrace": {kind: {"traceId": step, **held}}}}


def action(step: str, name: str = "ping", **more: Any) -> dict[str, Any]:
    return part(step, actionGroupInvocationInput={"function": name, **more})


def test_observations_are_the_results_of_the_same_step() -> None:
    said = {"agentCollaboratorInvocationOutput": {"output": {"type": "TEXT", "text": "Done."}}}
    first, second, third, fourth = calls_in(
        [
            action("t-0"),
            part("t-0", "observation", actionGroupInvocationOutput={"text": "pong"}),
            part("t-1", codeInterpreterInvocationInput={"code": "1", "files": None}),
            part("t-1", "observation", codeInterpreterInvocationOutput={"executionOutput": "1"}),
            part("t-2", codeInterpreterInvocationInput={"code": "while 1: 1"}),
            part("t-2", "observation", codeInterpreterInvocationOutput={"executionTimeout": True}),
            part(
                "t-3",
                agentCollaboratorInvocationInput={
                    "agentCollaboratorName": "clerk",
                    "input": {"type": "TEXT", "text": "Book it."},
                },
            ),
            part("t-3", "observation", **said),
        ]
    )

    assert (first.id, first.step, first.kind, first.result, first.failed) == (
        "t-0",
        0,
        None,
        "pong",
        False,
    )
    assert (second.step, second.kind, second.result, second.failed) == (1, "hosted", "1", False)
    assert (third.result, third.failed) == (None, True)
    assert (fourth.name, fourth.arguments, fourth.result) == (
        "clerk",
        {"type": "TEXT", "text": "Book it."},
        "Done.",
    )


def test_a_call_can_fail_in_other_ways() -> None:
    failure = {"traceId": "t-1", "failureReason": "AccessDenied"}

    first, second = calls_in(
        [
            action("t-0"),
            part("t-0", "observation", type="REPROMPT", repromptResponse={"text": "Which one?"}),
            action("t-1"),
            {"trace": {"failureTrace": failure}},
        ]
    )

    assert (first.result, first.failed) == ("Which one?", True)
    assert (second.result, second.failed) == ("AccessDenied", True)


def test_a_step_can_invoke_several_at_once() -> None:
    both = {"traceId": "t-0", "actionGroupInvocationInput": {"function": "ping"}}

    calls = calls_in({"orchestrationTrace": {"invocationInput": [both, both], "observation": []}})

    assert [(call.name, call.step, call.id) for call in calls] == [("ping", 0, "t-0")] * 2


@pytest.mark.parametrize("mark", [{"collaboratorName": "clerk"}, {"callerChain": [{}, {}]}])
def test_the_calls_of_other_agents_are_marked(mark: dict[str, Any]) -> None:
    event = action("t-0")

    [call] = calls_in([{"trace": {**mark, "trace": event["trace"]}}])
    [own] = calls_in([{"trace": {"callerChain": [{}], "trace": event["trace"]}}])

    assert (call.caller, own.caller) == ("subagent", None)


def test_sessions_are_runs_of_their_own() -> None:
    events = [
        {"trace": {"sessionId": "a", "trace": action("t-0")["trace"]}},
        {"trace": {"sessionId": "b", "trace": action("t-1")["trace"]}},
        {
            "returnControl": {
                "invocationId": "i",
                "invocationInputs": [
                    {"functionInvocationInput": {"function": "ask", "parameters": None}}
                ],
            }
        },
    ]

    names = [[call.name for call in trace.calls or ()] for trace in traces_in(events)]

    assert names == [["ping"], ["ping", "ask"]]


@pytest.mark.parametrize(
    "document",
    [
        part("t-0", "observation")["trace"],
        part("t-0", "modelInvocationOutput")["trace"]["orchestrationTrace"],
        {"completion": [part("t-0", "rationale")]},
        {"trace": {"preProcessingTrace": {}}},
    ],
)
def test_traces_come_with_more_or_less_around_them(document: Any) -> None:
    assert bedrock_agents.recognizes(document)
    assert calls_in(document) == ()


@pytest.mark.parametrize(
    "document",
    [
        {"trace": {"id": "x"}},
        {"observation": {"text": "x"}},
        [{"chunk": {"bytes": "Mw=="}}, {"files": {"files": []}}],
        {"completion": "x"},
        [action("t-0"), {"other": 1}],
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not bedrock_agents.recognizes(document)
