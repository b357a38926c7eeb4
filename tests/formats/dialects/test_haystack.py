"""What is read of Haystack messages beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import haystack
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return haystack.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


CALL = {"tool_name": "ping", "arguments": {"n": 1}, "id": "c1"}


def message(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "name": None, "meta": {}, "content": list(parts)}


def result(value: Any, *, error: bool = False, origin: Any = CALL) -> dict[str, Any]:
    return {"tool_call_result": {"result": value, "origin": origin, "error": error}}


def test_results_belong_to_their_origin_which_is_no_call() -> None:
    other = {**CALL, "id": "c2"}
    first, second = calls_in(
        [
            message("assistant", {"tool_call": CALL}, {"tool_call": other}),
            message("tool", result("gone", error=True, origin=other)),
            message("tool", result([{"text": "pong"}])),
        ]
    )

    assert (first.id, first.step, first.result, first.failed) == (
        "c1",
        0,
        [{"text": "pong"}],
        False,
    )
    assert (second.id, second.step, second.result, second.failed) == ("c2", 0, "gone", True)


def test_calls_without_an_id_are_found_by_name() -> None:
    bare = {**CALL, "id": None}

    [call] = calls_in(
        [message("assistant", {"tool_call": bare}), message("tool", result("pong", origin=bare))]
    )

    assert call.result == "pong"


def test_components_can_pass_the_same_call_on() -> None:
    said = message("assistant", {"tool_call": CALL})

    document = {"llm": {"replies": [said]}, "agent": {"messages": [said]}, "router": {"n": 1}}

    assert haystack.recognizes(document)
    assert len(calls_in(document)) == 1
    assert len(calls_in({"serialization_schema": {}, "serialized_data": document})) == 1


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "Hello."}],
        [message("user", {"type": "text", "text": "Hello."})],
        [message("user", 3)],
        [{"role": "user", "content": [{"text": "x"}], "meta": {}}],
        [{"role": "user", "content": "x", "meta": {}, "name": None, "id": 3}],
        {"serialized_data": [3]},
        {"messages": "x"},
    ],
)
def test_other_documents_are_not_recognized(document: Any) -> None:
    assert not haystack.recognizes(document)
    assert haystack.recognizes([message("user", {"text": "Hello."})])
    assert haystack.recognizes([{"role": "user", "content": "x", "meta": {}, "name": None}])
