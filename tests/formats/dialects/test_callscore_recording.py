"""The runs of a recording, and those of agents within their tools."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.errors import InvalidCall
from callscore.formats.reading import read_definitions_in, read_document
from callscore.formats.trace import ReadOptions


def item(name: str, id_: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id_, "name": name, "arguments": "{}"}


def result(id_: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id_, "output": "ok"}


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def run(*items: Any, within: Any = None) -> dict[str, Any]:
    return {"document": list(items), **({} if within is None else {"within": within})}


def read(*runs: Any, options: ReadOptions | None = None) -> list[tuple[Any, ...]]:
    document = {"callscore_recording": 1, "runs": list(runs)}
    (trace,) = read_document(document, options or ReadOptions())
    return [(call.name, call.caller, call.step, call.turn) for call in trace.calls or ()]


def test_the_calls_of_an_inner_run_follow_the_message_that_called_its_tool() -> None:
    found = read(
        run(item("ask", "1"), item("look", "2"), result("1"), result("2"), item("end", "3")),
        run(item("search", "4"), within={"run": 0, "call": "1"}),
    )

    assert found == [
        ("ask", None, 0, None),
        ("look", None, 0, None),
        ("search", "subagent", 1, None),
        ("end", None, 2, None),
    ]


def test_runs_can_be_within_inner_runs() -> None:
    found = read(
        run(item("a", "1"), result("1"), item("z", "9")),
        run(item("b", "2"), result("2"), item("y", "8"), within={"run": 0, "call": "1"}),
        run(item("c", "3"), within={"run": 1, "call": "2"}),
        run(item("d", "4"), within={"run": 0, "call": "1"}),
    )

    assert [name for name, *_ in found] == ["a", "b", "c", "y", "d", "z"]
    assert [step for _, _, step, _ in found] == [0, 1, 2, 3, 4, 5]


def test_an_inner_run_of_an_unknown_call_is_at_the_end() -> None:
    assert [
        name for name, *_ in read(run(item("a", "1")), run(item("b", "2"), within={"run": 0}))
    ] == [
        "a",
        "b",
    ]
    assert read(run(), run(item("b", "2"), within={"run": 0, "call": "1"})) == [
        ("b", "subagent", 0, None)
    ]


@pytest.mark.parametrize("within", [{"run": 1}, {"run": -1}, {"run": "0"}, "0", {}])
def test_a_run_that_is_within_no_earlier_one_is_a_run_of_its_own(within: Any) -> None:
    assert read(run(item("a", "1")), run(item("b", "2"), within=within)) == [
        ("a", None, 0, None),
        ("b", None, 1, None),
    ]


def test_a_question_begins_a_turn_also_for_inner_runs() -> None:
    found = read(
        run(asked("a"), item("a", "1"), result("1"), asked("b"), item("b", "2")),
        run(asked("?"), item("c", "3"), within={"run": 0, "call": "2"}),
    )

    assert [turn for *_, turn in found] == [0, 1, 1]


def test_calls_of_subagents_can_be_left_out() -> None:
    runs = (run(item("a", "1")), run(item("b", "2"), within={"run": 0, "call": "1"}))

    assert len(read(*runs, options=ReadOptions(leave_out=("subagent",)))) == 1


def test_runs_without_calls_and_recordings_without_runs_have_no_calls() -> None:
    assert read() == read(run()) == read({}) == []


def test_a_run_of_an_unknown_format_is_noted() -> None:
    notes: list[str] = []

    assert read({"document": {"what": 1}}, options=ReadOptions(on_unread=notes.append)) == []
    assert "unknown format" in notes[0]
    with pytest.raises(InvalidCall, match="unknown format"):
        read({"document": {"what": 1}}, options=ReadOptions(strict=True))


def test_a_recording_within_a_recording_is_not_read() -> None:
    inner = {"callscore_recording": 1, "runs": [run(item("a", "1"))]}

    assert read({"document": inner}) == []


def test_the_tools_of_the_runs_are_read() -> None:
    offered = {"type": "function", "function": {"name": "look", "parameters": {}}}
    document = {"messages": [{"role": "assistant", "content": "a"}], "tools": [offered]}
    recording = {"callscore_recording": 1, "runs": [{"document": document}, run(), {}]}

    assert [tool.name for tool in read_definitions_in(recording)] == ["look"]
