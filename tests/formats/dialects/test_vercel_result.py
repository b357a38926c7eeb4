"""What is read of Vercel AI SDK results beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import vercel_result
from callscore.formats.trace import DEFAULT_READ_OPTIONS

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def part(kind: str, id_: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "toolCallId": id_, "toolName": "ping", **more}


def step(*parts: Any) -> dict[str, Any]:
    return {"content": list(parts), "finishReason": "tool-calls"}


def calls_in(document: Any) -> tuple[ToolCall, ...]:
    [trace] = vercel_result.read(document, DEFAULT_READ_OPTIONS)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_are_attached_to_their_calls() -> None:
    found = calls_in(
        {
            "steps": [
                step(
                    *[part("tool-call", id_, input={}) for id_ in "abcd"],
                    part("tool-result", "a", input={}, output={"t": 18}),
                    part("tool-error", "b", input={}, error="down"),
                    part("tool-result", "c", input={}, output="not yet", preliminary=True),
                    part("tool-result", "c", input={}, output="Error: no"),
                    part("tool-result", "d", args={}, result="no", isError=True),
                )
            ]
        }
    )

    assert [item.result for item in found] == [{"t": 18}, "down", "Error: no", "no"]
    assert [item.failed for item in found] == [False, True, True, True]


def test_each_step_is_a_step() -> None:
    found = calls_in(
        [step(part("tool-call", "a"), part("tool-call", "b")), step(part("tool-call", "c"))]
    )

    assert [item.step for item in found] == [0, 0, 1]


def test_only_the_steps_are_read_where_there_are_any() -> None:
    again = part("tool-call", "b", input={})
    document = {"steps": [step(part("tool-call", "a", input={}))], "toolCalls": [again]}

    assert [item.id for item in calls_in(document)] == ["a"]
    assert [item.id for item in calls_in({**document, "steps": []})] == ["b"]


def test_results_beside_the_calls_are_read_in_version_4() -> None:
    document = {
        "toolCalls": [{"toolCallId": "a", "toolName": "ping", "args": '{"n": 1}'}],
        "toolResults": [{"toolCallId": "a", "toolName": "ping", "result": "ok"}],
    }

    [found] = calls_in(document)

    assert (found.arguments, found.result, found.failed) == ({"n": 1}, "ok", False)


def test_tools_that_the_provider_has_run_are_marked() -> None:
    found = calls_in(step(part("tool-call", "a", providerExecuted=True), part("tool-call", "b")))

    assert [item.kind for item in found] == ["hosted", None]


def test_invalid_calls_keep_what_the_model_wrote() -> None:
    [found] = calls_in(step(part("tool-call", "a", input='{"n": ', invalid=True, error={})))

    assert (found.arguments, found.raw, found.error) == (None, '{"n": ', "truncated_json")


@pytest.mark.parametrize(
    "document",
    [
        {"steps": [{"tool_calls": [], "step_number": 1}]},
        {"steps": [{"step_id": 1, "source": "agent", "message": ""}], "schema_version": "ATIF-v1"},
        {"role": "assistant", "content": [part("tool-call", "a")]},
        {"toolCalls": [{"id": "1", "type": "function", "name": "ping", "arguments": "{}"}]},
        {"toolCalls": [], "messageType": "ASSISTANT", "text": "of Spring AI"},
        {"toolCalls": "ping"},
        {"content": {"parts": []}, "finishReason": "STOP"},
        {"content": [{"type": "text", "text": "Hello"}]},
        [part("tool-call", "a"), {"type": "text", "text": "x"}],
        [{"steps": [step()]}],
        [{"type": "tool-call", "toolName": "no id"}],
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not vercel_result.recognizes(document)


@pytest.mark.parametrize("document", [None, 3, "x", [], [3], {}, {"steps": 3}])
def test_what_has_no_calls_is_read(document: Any) -> None:
    assert calls_in(document) == ()
