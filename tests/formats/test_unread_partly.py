"""Calls that were not read, beside calls that were."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.reading import read_document
from callscore.formats.trace import ReadOptions


def call(id_: str, **function: Any) -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": function}


def answer(**fields: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, **fields}


def result(id_: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": "18"}


GOOD = call("1", name="f", arguments="{}")


def read(document: Any) -> tuple[list[str], list[str]]:
    """The names of the calls that are read, and the notes."""
    notes: list[str] = []
    traces = read_document(document, ReadOptions(on_unread=notes.append))
    return [call.name for trace in traces for call in trace.calls or ()], notes


def test_a_field_of_another_message_that_looks_like_calls_is_noted() -> None:
    names, notes = read([answer(tool_calls=[GOOD]), result("1"), answer(toolCalls=[GOOD])])

    assert names == ["f"]
    (note,) = notes
    assert note.startswith("'toolCalls' at $[2].toolCalls looks like a call of an unknown kind")


def test_a_result_without_its_call_is_noted() -> None:
    names, notes = read([answer(tool_calls=[GOOD]), result("1"), result("2")])

    assert (names, notes) == (["f"], ["There is a result whose call is missing."])


@pytest.mark.parametrize(
    "messages",
    [
        [result("0"), answer(tool_calls=[GOOD]), result("1")],  # of an earlier conversation
        [answer(tool_calls=[GOOD]), result("1"), result("1")],  # written twice
    ],
    ids=["before the first call", "twice"],
)
def test_a_result_of_an_earlier_call_is_not(messages: list[Any]) -> None:
    assert read(messages) == (["f"], [])


def test_arguments_under_another_name_are_noted() -> None:
    names, notes = read([answer(tool_calls=[GOOD, call("2", name="g", args={"a": 1})])])

    assert names == ["f", "g"]
    (note,) = notes
    assert note.startswith("'function with name, args' at $[0].tool_calls[1].function looks like")
    assert read([answer(tool_calls=[call("2", name="g")])]) == (["g"], [])


def test_calls_of_a_trajectory_under_another_name_are_noted() -> None:
    step = {"action": "ls", "observation": "a.py", "thought": "", "state": {}}
    entry = {"role": "assistant", "agent": "main", "content": "", "toolcalls": [GOOD]}

    names, notes = read({"trajectory": [step], "history": [entry], "info": {}})

    assert names == ["bash"]
    assert len(notes) == 1
    assert "'toolcalls'" in notes[0]


def generation(number: int, output: Any) -> dict[str, Any]:
    return {
        "id": f"g{number}",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": f"2026-01-01T00:00:0{number}Z",
        "input": [{"role": "user", "content": "x"}],
        "output": output,
    }


def test_calls_that_are_spread_over_generations_are_all_read() -> None:
    flat = {"content": "", "toolCalls": [{"id": "2", "name": "g", "args": {"b": 2}}]}
    choices = {"choices": [{"message": answer(tool_calls=[call("3", name="h", arguments="{}")])}]}
    observations = [
        generation(0, answer(tool_calls=[GOOD])),
        generation(1, flat),
        generation(2, choices),
        generation(3, answer(content="Done.")),
    ]

    assert read(observations) == (["f", "g", "h"], [])


def test_an_answer_in_an_unknown_notation_among_others_is_noted() -> None:
    unknown = {"parts_v2": [{"toolcall": {"fn": "g", "args": {"b": 2}}}]}

    names, notes = read([generation(0, answer(tool_calls=[GOOD])), generation(1, unknown)])

    assert names == ["f"]
    (note,) = notes
    assert note.startswith("'toolcall' at $[1].output.parts_v2[0] looks like a call")
