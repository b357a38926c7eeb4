"""tau-bench: expected actions on one side, the trajectory on the other."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects import tau_bench
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def record(*messages: Any, **fields: Any) -> dict[str, Any]:
    task = {"instruction": "i", "actions": [{"name": "f", "kwargs": {"a": 1}}]}
    info = {"task": task}
    return {"task_id": 3, "trial": 2, "reward": 0.0, "info": info, "traj": [*messages], **fields}


def called(id_: str, arguments: str) -> dict[str, Any]:
    function = {"name": "f", "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": id_, "function": function}]}


def said(text: str, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": text}


@pytest.mark.parametrize(
    "document",
    [
        {"task_id": 1, "traj": []},
        {"traj": [], "reward": 1.0},
        {"task_id": "1", "messages": [], "reward": 1.0},
        {"actions": [{"name": "f", "arguments": {}}], "instruction": "i"},
        {"actions": [], "instruction": None},
        [record(), {"task_id": 1}],
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not tau_bench.recognizes(document)


def test_a_record_has_both_sides_its_task_and_its_trial() -> None:
    document = record(
        called("1", '{"a": 2}'),
        {"role": "tool", "tool_call_id": "1", "name": "f", "content": "Error: x"},
        called("2", '{"a": 1}'),
        {"role": "tool", "tool_call_id": "2", "name": "f", "content": "y"},
    )

    assert tau_bench.recognizes(document)
    assert tau_bench.read(document, DEFAULT_READ_OPTIONS) == [
        Trace(
            calls=(
                ToolCall("f", {"a": 2}, id="1", step=0, result="Error: x", failed=True),
                ToolCall("f", {"a": 1}, id="2", step=1, result="y", failed=False),
            ),
            expected=(ToolCall("f", {"a": 1}),),
            id="3",
            trial=2,
            input="i",
        )
    ]


def test_a_run_that_broke_off_expects_nothing_that_is_known() -> None:
    document = record(info={"error": "x", "traceback": "y"}, task_id=None, trial=None)

    assert tau_bench.read([document], DEFAULT_READ_OPTIONS) == [Trace(calls=())]


def test_an_answer_is_no_call() -> None:
    actions = [{"name": "respond", "kwargs": {"content": "x"}}, {"name": "f", "kwargs": {}}]
    document = [{"instruction": "i", "actions": actions}, {"instruction": "j", "actions": []}]

    assert tau_bench.recognizes(document)
    assert tau_bench.read(document, DEFAULT_READ_OPTIONS) == [
        Trace(expected=(ToolCall("f", {}),), id="0", input="i"),
        Trace(expected=(), id="1", input="j"),
    ]


def test_a_task_that_has_an_id_or_stands_alone_goes_by_no_place() -> None:
    task = {"instruction": "i", "actions": []}

    assert tau_bench.read([{**task, "task_id": 7}], DEFAULT_READ_OPTIONS)[0].id == "7"
    assert tau_bench.read(task, DEFAULT_READ_OPTIONS)[0].id is None


def test_actions_that_are_written_as_text_are_calls() -> None:
    document = record(
        said("Thought:\nx\nAction:\n" + '{"name": "f", "arguments": {"a": 1}}'),
        said("API output: Error: x", "user"),
        said("Action:\n" + '{"name": "respond", "arguments": {"content": "hi"}}'),
        said("Action: I say something that nobody can read"),
        said("API output: nobody has asked", "user"),
        said("hello", "user"),
    )

    (trace,) = tau_bench.read(document, DEFAULT_READ_OPTIONS)

    assert trace.calls == (ToolCall("f", {"a": 1}, step=0, result="Error: x", failed=True),)
