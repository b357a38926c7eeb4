"""What is read of LangSmith runs beyond the names and the arguments of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.formats.dialects import langsmith
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import ToolCall


def run(id_: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "run_type": kind, "name": id_, "inputs": {}, "outputs": None, **more}


def says(*ids: str, name: str = "ping") -> dict[str, Any]:
    calls = [{"name": name, "args": {}, "id": id_, "type": "tool_call"} for id_ in ids]
    return {"type": "ai", "content": "", "tool_calls": calls}


def model(id_: str, *ids: str, **more: Any) -> dict[str, Any]:
    return run(id_, "llm", outputs={"message": says(*ids)}, **more)


def tool(id_: str, call_id: str | None = None, **more: Any) -> dict[str, Any]:
    return run(id_, "tool", **{"extra": {"tool_call_id": call_id}, **more, "name": "ping"})


def traces_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> list[Trace]:
    return langsmith.read(document, options)


def calls_in(document: Any, options: ReadOptions = DEFAULT_READ_OPTIONS) -> tuple[ToolCall, ...]:
    [trace] = traces_in(document, options)
    assert trace.calls is not None
    return trace.calls


def test_results_and_failures_of_tools_are_attached_to_the_calls_of_models() -> None:
    first, second, third = calls_in(
        [
            run("root", "chain"),
            model("m", "a", "b", "c", parent_run_id="root"),
            tool("t", "b", outputs={"output": "18C"}, parent_run_id="root"),
            tool("u", "a", error="TimeoutError()", parent_run_id="root"),
            tool("v", "c", outputs={"t": 18}, parent_run_id="root"),
        ]
    )

    assert (first.id, first.result, first.failed) == ("a", "TimeoutError()", True)
    assert (second.id, second.result, second.failed) == ("b", "18C", False)
    assert (third.id, third.result) == ("c", {"t": 18})


def test_a_result_names_its_call_in_the_message_that_it_is() -> None:
    message = {"type": "tool", "content": "no", "tool_call_id": "b", "status": "error"}
    wrapped = {"type": "constructor", "id": ["ToolMessage"], "kwargs": message}

    for output in (message, wrapped):
        first, second = calls_in([model("m", "a", "b"), tool("t", outputs={"output": output})])
        assert first.result is None
        assert (second.result, second.failed) == ("no", True)


def test_results_are_read_from_what_the_next_model_is_given() -> None:
    anthropic = {"type": "tool_result", "tool_use_id": "b", "content": "down", "is_error": True}
    given = [
        {"role": "user", "content": "Hello"},
        {"role": "tool", "tool_call_id": "a", "content": "18C"},
        {"role": "user", "content": [anthropic, {"type": "text", "text": "x"}]},
        {"type": "function_call_output", "call_id": "c", "output": "ok"},
        {"type": "tool", "tool_call_id": "d", "content": "no", "status": "error"},
        "text",
    ]
    for inputs in ({"messages": given}, {"messages": [given]}, {"input": given}):
        found = calls_in(
            [
                run("root", "chain"),
                model("m", "a", "b", "c", "d", parent_run_id="root"),
                model("n", inputs=inputs, parent_run_id="root"),
            ]
        )
        assert [item.result for item in found] == ["18C", "down", "ok", "no"]
        assert [item.failed for item in found] == [False, True, False, True]


def test_runs_are_read_as_they_began() -> None:
    times = {"m": "2026-01-01T00:00:01", "n": "2026-01-01T00:00:02"}
    orders = {"m": "20260101T000001000000Zm", "n": "20260101T000000000000Zr.20260101T000002Zn"}
    by_time = [model(id_, id_, trace_id="x", start_time=times[id_]) for id_ in ("n", "m")]
    by_order = [model(id_, id_, trace_id="x", dotted_order=orders[id_]) for id_ in ("n", "m")]
    without = [{**by_time[0], "start_time": None}, by_time[1]]

    assert [item.id for item in calls_in(by_time)] == ["m", "n"]
    assert [item.id for item in calls_in(by_order)] == ["m", "n"]
    assert [item.id for item in calls_in(without)] == ["n", "m"]
    assert [item.step for item in calls_in(by_time)] == [0, 1]


def test_runs_within_runs_are_read_once() -> None:
    inner = model("m", "a")
    root = run("root", "chain", child_runs=[run("c", "chain", child_runs=[inner, None])])

    assert [item.id for item in calls_in(root)] == ["a"]
    assert [item.id for item in calls_in([root, inner])] == ["a"]


def test_a_model_around_a_model_is_the_same_model() -> None:
    inner = run("n", "llm", parent_run_id="m", outputs={"choices": [{"message": says("a")}]})

    assert [item.id for item in calls_in([model("m", "a"), inner])] == ["a"]


def test_the_calls_of_a_model_within_a_tool_are_marked() -> None:
    orders = {"m": "1Zr.2Zm", "t": "1Zr.3Zc.3Zt", "n": "1Zr.3Zc.3Zt.4Zd.5Zn"}
    runs = [
        model("m", "a", trace_id="r", parent_run_id="r", dotted_order=orders["m"]),
        tool("t", "a", trace_id="r", parent_run_id="c", dotted_order=orders["t"]),
        model("n", "b", trace_id="r", parent_run_id="d", dotted_order=orders["n"]),
    ]

    assert [item.caller for item in calls_in(runs)] == [None, "subagent"]


def test_each_trace_is_a_run_and_is_named_by_its_example() -> None:
    def group(root: str, example: str | None) -> list[dict[str, Any]]:
        return [
            run(root, "chain", reference_example_id=example, inputs={"question": root}),
            model(f"{root}-m", root, parent_run_id=root),
        ]

    traces = traces_in([*group("x", "one"), *group("y", "two"), *group("z", "one")])
    unnamed = traces_in([*group("x", None), *group("y", None)])
    [alone] = traces_in(group("x", None))

    assert [(trace.id, trace.trial) for trace in traces] == [("one", 0), ("two", None), ("one", 1)]
    assert [trace.input for trace in traces] == [{"question": root} for root in "xyz"]
    assert [trace.id for trace in unnamed] == ["x", "y"]
    assert alone.id is None


def test_models_and_tools_that_stand_alone_are_one_run() -> None:
    runs = [model("m", "a", trace_id="m"), tool("t", "a", outputs={"output": "ok"}, trace_id="t")]
    whole = [run("r", "chain", trace_id="r"), model("n", "b", trace_id="r", parent_run_id="r")]

    [loose, other] = traces_in([*runs, *whole])

    assert [(item.id, item.result) for item in loose.calls or ()] == [("a", "ok")]
    assert [item.id for item in other.calls or ()] == ["b"]


def test_models_that_stand_alone_are_runs_of_their_own() -> None:
    traces = traces_in([model("m", "a", trace_id="m"), model("n", "b", trace_id="n")])

    assert [trace.id for trace in traces] == ["m", "n"]


def test_runs_that_go_round_in_circles_are_read() -> None:
    runs = [model("m", "a", parent_run_id="n"), model("n", "b", parent_run_id="m")]

    assert sum(len(trace.calls or ()) for trace in traces_in(runs)) == 2


def test_tools_alone_are_what_was_executed() -> None:
    [trace] = traces_in([run("r", "chain"), tool("t", parent_run_id="r", inputs={"n": 1})])

    assert trace.view == "executed"
    assert [item.arguments for item in trace.calls or ()] == [{"n": 1}]


def test_the_view_that_is_asked_for_is_taken() -> None:
    runs = [
        model("m", "a", "b", trace_id="r", parent_run_id="r"),
        tool("t", "a", trace_id="r", parent_run_id="r"),
    ]
    root = run("r", "chain", outputs={"messages": [says("a", "b")]})
    without_models = [root, tool("t", "a", trace_id="r", parent_run_id="r")]
    executed = ReadOptions(view="executed")

    assert [len(calls_in(runs)), len(calls_in(runs, executed))] == [2, 1]
    assert [len(calls_in(without_models)), len(calls_in(without_models, executed))] == [2, 1]


@pytest.mark.parametrize(
    ("inputs", "arguments", "warning", "error"),
    [
        ({"n": 1}, {"n": 1}, None, None),
        ({"input": "{'n': None}"}, {"n": None}, "python_repr", None),
        ({"input": '{"n": null}'}, {"n": None}, None, None),
        ({"input": "Paris"}, {"input": "Paris"}, None, None),
        ({"input": {"n": 1}}, {"input": {"n": 1}}, None, None),
        ({"input": "{'n': object()}"}, None, None, "invalid_json"),
        ("{'n': 1}", {"n": 1}, "python_repr", None),
        (None, None, None, "not_captured"),
    ],
)
def test_what_a_tool_was_given_may_be_text(
    inputs: Any, arguments: Any, warning: str | None, error: str | None
) -> None:
    [found] = calls_in([tool("t", inputs=inputs)])

    assert (found.arguments, found.warning, found.error) == (arguments, warning, error)


@pytest.mark.parametrize(
    "outputs",
    [
        {"message": says("a")},
        {"messages": [{"type": "human", "content": "x"}, says("a")]},
        {"output": says("a")},
        {"output": [says("a")]},
        {"output": {"message": says("a")}},
        {"generations": [[{"message": says("a")}]]},
        {"choices": [{"message": {"role": "assistant", "tool_calls": says("a")["tool_calls"]}}]},
        {"tool_calls": says("a")["tool_calls"], "content": ""},
        {"output": [{"type": "function_call", "call_id": "a", "name": "ping", "arguments": ""}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "ping"}]},
        says("a"),
    ],
)
def test_models_give_out_calls_in_many_forms(outputs: Any) -> None:
    [found] = calls_in([run("m", "llm", outputs=outputs)])

    assert (found.id, found.name, found.arguments) == ("a", "ping", {})


def test_the_chosen_answer_is_read() -> None:
    choices = [{"message": says("a")}, {"message": says("b")}]
    runs = [run("m", "llm", outputs={"choices": choices})]

    assert [item.id for item in calls_in(runs, ReadOptions(candidate=1))] == ["b"]


@pytest.mark.parametrize("outputs", [None, "text", {}, {"output": "text"}, {"choices": []}, 3])
def test_a_model_may_call_nothing(outputs: Any) -> None:
    assert calls_in([run("m", "llm", outputs=outputs)]) == ()


def test_rows_of_an_experiment_hold_runs() -> None:
    row = {"run": model("m", "a", reference_example_id="one"), "example": {"id": "one"}}

    assert langsmith.recognizes([row])
    assert langsmith.joins_lines(row)
    assert [trace.id for trace in traces_in([row])] == ["one"]


def test_tools_are_read_from_what_models_were_offered() -> None:
    def offered(name: str) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": name}}]

    runs = [
        model("m", extra={"invocation_params": {"tools": offered("a")}}),
        model("n", extra={"invocation_params": {"functions": [{"name": "b"}]}}),
        model("o", inputs={"tools": offered("c")}),
        model("p", extra={"invocation_params": {"tools": offered("a")}}),
        tool("t", inputs={"tools": offered("d")}),
    ]

    assert [item.name for item in langsmith.read_tools(runs)] == ["a", "b", "c"]


def test_runs_need_no_id() -> None:
    runs = [{**model("m", "a"), "id": None}, {**model("n", "b"), "id": None}]

    assert [item.id for item in calls_in(runs)] == ["a", "b"]


def test_a_document_without_runs_has_no_calls() -> None:
    assert calls_in([]) == ()


def test_lines_of_runs_are_one_document() -> None:
    assert langsmith.joins_lines(model("m", "a"))
    assert not langsmith.joins_lines({"run_type": "llm"})


@pytest.mark.parametrize(
    "document",
    [
        {"run_type": "llm"},
        {"run_type": ["llm"], "inputs": {}},
        {"run_type": "other", "inputs": {}},
        [run("m", "llm"), {"name": "other"}],
        {"runs": []},
        {"object": "thread.run", "inputs": {}},
        [],
    ],
)
def test_what_others_write_is_not_claimed(document: Any) -> None:
    assert not langsmith.recognizes(document)


# --- batches ----------------------------------------------------------------------------------


def placed(id_: str, **more: Any) -> dict[str, Any]:
    order = f"20260101T000000000000Zroot.20260101T0000010000{id_}Z{id_}"
    return {"trace_id": "root", "dotted_order": order, **more}


def started(id_: str, **more: Any) -> dict[str, Any]:
    return placed(id_, id=id_, run_type="tool", name="ping", inputs={"n": id_}, outputs={}, **more)


def test_the_end_of_a_run_completes_its_start_in_another_batch() -> None:
    end = placed(
        "01", id="01", run_type="tool", inputs=None, outputs={"output": "pong"}, error=None
    )
    lines = [{"post": [started("01")]}, {"post": [started("02")], "patch": [end]}]

    first, second = calls_in(lines)

    assert (first.arguments, first.result, first.failed) == ({"n": "01"}, "pong", False)
    assert (second.arguments, second.result, second.failed) == ({"n": "02"}, None, None)


def test_the_end_of_a_run_can_come_first_and_be_known_by_its_place_only() -> None:
    end = placed("01", end_time="2026-01-01T00:00:02", outputs={"output": None}, error="Timeout")

    [call] = calls_in([{"patch": [end]}, {"post": [started("01")]}])

    assert (call.name, call.result, call.failed) == ("ping", "Timeout", True)


def test_the_end_of_a_run_without_its_start_is_a_run() -> None:
    end = started("01", end_time="2026-01-01T00:00:02") | {"outputs": {"output": "pong"}}

    [call] = calls_in({"patch": [end, placed("01", outputs={"output": "again"})]})

    assert (call.arguments, call.result) == ({"n": "01"}, "again")


@pytest.mark.parametrize(
    "document",
    [
        {"post": [started("01")], "url": "x"},
        {"post": "x"},
        {"post": [{"id": "01"}]},
        {"patch": [started("01"), 3]},
    ],
)
def test_other_objects_with_the_keys_of_a_batch_are_none(document: Any) -> None:
    assert not langsmith.recognizes(document)
    assert langsmith.recognizes({"post": [started("01")], "patch": []})
