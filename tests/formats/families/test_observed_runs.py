"""Runs put together from what was observed: each call once, in one view, with its result."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.families.observed_runs import (
    Nesting,
    ObservedRun,
    ObservedStep,
    ToolResult,
    is_repeated,
    nesting_of,
    steps_above,
    steps_by_id,
    tool_around,
    traces_of,
)
from callscore.formats.trace import DEFAULT_READ_OPTIONS, ReadOptions, Trace

PARIS = {"city": "Paris"}
LYON = {"city": "Lyon"}
EXECUTED = ReadOptions(view="executed")


def call(name: str = "weather", arguments: Any = None, id_: str | None = None) -> ToolCall:
    return ToolCall(name, PARIS if arguments is None else arguments, id_)


def model(*calls: ToolCall, **more: Any) -> ObservedStep:
    return ObservedStep(requests=calls, **more)


def tool(name: str, arguments: Any, id_: str | None = None, **more: Any) -> ObservedStep:
    done = ToolCall(name, arguments, id_, result=f"{name} of {arguments}", failed=False)
    return ObservedStep(execution=done, **more)


def read(*steps: ObservedStep, options: ReadOptions = DEFAULT_READ_OPTIONS) -> Trace:
    [trace] = traces_of([ObservedRun(list(steps), "Weather?")], options)
    return trace


def calls_of(
    *steps: ObservedStep, options: ReadOptions = DEFAULT_READ_OPTIONS
) -> tuple[ToolCall, ...]:
    calls = read(*steps, options=options).calls
    assert calls is not None
    return calls


# --- the view -----------------------------------------------------------------------------------


def test_what_models_asked_for_is_taken_before_what_was_executed() -> None:
    trace = read(model(call()), tool("weather", PARIS), tool("cleanup", {}))

    assert trace.view == "requested"
    assert trace.input == "Weather?"
    assert [made.name for made in trace.calls or ()] == ["weather"]


def test_what_was_executed_is_taken_where_that_is_asked_for() -> None:
    trace = read(model(call()), tool("weather", PARIS), tool("cleanup", {}), options=EXECUTED)

    assert trace.view == "executed"
    assert [made.name for made in trace.calls or ()] == ["weather", "cleanup"]


def test_what_was_executed_is_taken_where_no_model_asked_for_anything() -> None:
    assert read(model(), tool("weather", PARIS)).view == "executed"


def test_what_models_asked_for_is_taken_where_no_tool_was_observed() -> None:
    assert read(model(call()), options=EXECUTED).view == "requested"


def test_what_was_executed_is_taken_where_only_that_was_captured() -> None:
    unseen = ToolCall("weather", error=NOT_CAPTURED)

    assert read(model(unseen), tool("weather", PARIS)).view == "executed"
    assert read(model(unseen), ObservedStep(execution=unseen)).view == "requested"


def test_a_run_without_models_is_no_run_of_the_agent_among_others_with_models() -> None:
    runs = [
        ObservedRun([model(call())]),
        ObservedRun([tool("weather", PARIS)]),
        ObservedRun([ObservedStep()]),
    ]

    assert len(traces_of(runs, DEFAULT_READ_OPTIONS)) == 1
    assert len(traces_of(runs, EXECUTED)) == 2


def test_a_run_of_which_nothing_was_observed_has_no_calls() -> None:
    assert traces_of([ObservedRun([ObservedStep()], "Hello")], DEFAULT_READ_OPTIONS) == [
        Trace(calls=(), input="Hello")
    ]


# --- each call once -----------------------------------------------------------------------------


def test_a_model_around_another_that_asked_for_the_same_is_not_counted() -> None:
    outer = model(call(id_=None), call(arguments=LYON), id="a")
    inner = model(call(id_="c1"), call(arguments=LYON, id_="c2"), id="b", parent="a")

    assert [made.id for made in calls_of(outer, inner)] == ["c1", "c2"]


def test_a_model_around_another_that_asked_for_something_else_is_counted() -> None:
    outer = model(call("transfer", {}), id="a")
    inner = model(call(), id="b", parent="a")

    assert [made.name for made in calls_of(outer, inner)] == ["transfer", "weather"]


def test_a_call_that_is_written_down_for_two_models_is_counted_once() -> None:
    assert len(calls_of(model(call(id_="c1")), model(call(id_="c1")))) == 1


def test_a_call_with_the_same_id_after_tools_were_run_is_another() -> None:
    steps = (model(call(id_="c1")), tool("weather", PARIS, "c1"), model(call(id_="c1")))

    assert len(calls_of(*steps)) == 2


@pytest.mark.parametrize(
    "second",
    [call(id_="c1", arguments=LYON), call("other", id_="c1"), call(id_="c2"), call(id_=None)],
)
def test_calls_that_differ_are_two(second: ToolCall) -> None:
    assert len(calls_of(model(call(id_="c1")), model(second))) == 2


def test_calls_of_one_message_are_never_the_same() -> None:
    assert len(calls_of(model(call(id_="c1"), call(id_="c1")))) == 2


def test_calls_of_one_message_share_a_step() -> None:
    steps = (model(call(id_="c1"), call(id_="c2")), model(), model(call(id_="c3")))

    assert [made.step for made in calls_of(*steps)] == [0, 0, 1]


def test_an_agent_that_tells_of_several_messages_has_a_step_for_each() -> None:
    told = model(ToolCall("a", {}, step=0), ToolCall("b", {}, step=1))

    assert [made.step for made in calls_of(told, model(ToolCall("c", {})))] == [0, 1, 2]


def test_spans_that_are_parts_of_each_other_do_not_go_on_for_ever() -> None:
    steps = (model(call(), id="a", parent="b"), model(call("x", {}), id="b", parent="a"))

    assert len(calls_of(*steps)) == 2


# --- results ------------------------------------------------------------------------------------


def test_the_result_of_a_tool_goes_to_the_call_with_its_id() -> None:
    first, second = calls_of(
        model(call(id_="c1"), call(id_="c2")), tool("renamed", LYON, "c2"), tool("w", PARIS, "c1")
    )

    assert (first.result, second.result) == ("w of " + str(PARIS), "renamed of " + str(LYON))


def test_without_an_id_it_goes_to_the_call_with_its_arguments_or_at_least_its_name() -> None:
    first, second = calls_of(
        model(call(arguments=PARIS), call(arguments=LYON)),
        tool("weather", LYON),
        tool("weather", {"input": "Paris"}),
    )

    assert second.result == f"weather of {LYON}"
    assert first.result == "weather of {'input': 'Paris'}"


def test_of_calls_with_the_same_id_the_first_that_waits_gets_the_result() -> None:
    first, second = calls_of(
        model(call(id_="c1"), call(arguments=LYON, id_="c1")),
        tool("weather", PARIS, "c1"),
        tool("weather", LYON, "c1"),
    )

    assert (first.result, second.result) == (f"weather of {PARIS}", f"weather of {LYON}")


def test_a_result_of_another_call_goes_to_none() -> None:
    [made] = calls_of(model(call(id_="c1")), tool("weather", PARIS, "c9"), tool("other", PARIS))

    assert made.result is None
    assert made.failed is None


def test_a_result_that_stands_with_the_call_stays() -> None:
    done = ToolCall("search", {}, result="found", failed=False)

    [made] = calls_of(model(done), tool("search", {}))

    assert made.result == "found"


def test_a_tool_within_itself_has_one_result() -> None:
    first, second = calls_of(
        model(call(id_="c1"), call(arguments=LYON, id_="c2")),
        tool("weather", PARIS, "c1", id="t1"),
        tool("weather", PARIS, id="t2", parent="t1"),
    )

    assert first.result == f"weather of {PARIS}"
    assert second.result is None


def given(*answers: ToolResult) -> ObservedStep:
    return ObservedStep(requests=(), answers=lambda: list(answers))


def test_what_the_next_model_is_told_is_the_result_where_no_tool_was_observed() -> None:
    first, second, third = calls_of(
        model(call(id_="c1"), call(id_="c2"), call(id_="c3")),
        given(
            ToolResult("Error: gone", "c2"),
            ToolResult("18", "c1"),
            ToolResult({"x": 1}, "c3", failed=True),
        ),
    )

    assert (first.result, first.failed) == ("18", False)
    assert (second.result, second.failed) == ("Error: gone", True)
    assert (third.result, third.failed) == ({"x": 1}, True)


def test_without_ids_the_last_results_belong_to_the_last_calls() -> None:
    history = [ToolResult("18", name="weather", arguments=PARIS), ToolResult("19", name="weather")]

    first, second, third = calls_of(
        model(call()), given(history[0]), model(call(), call("mail", {})), given(*history)
    )

    assert (first.result, second.result, third.result) == ("18", "19", None)


def test_a_model_is_not_asked_for_results_that_nobody_waits_for() -> None:
    def refuse() -> list[ToolResult]:
        raise AssertionError

    [made] = calls_of(
        model(call(id_="c1")),
        tool("weather", PARIS, "c1"),
        ObservedStep(requests=(), answers=refuse),
    )

    assert made.failed is False


# --- who called ---------------------------------------------------------------------------------


def test_what_a_model_within_a_tool_asks_for_is_the_call_of_a_sub_agent() -> None:
    outer, inner = calls_of(
        model(call("research", {}, "c1"), id="a"),
        tool("research", {}, "c1", id="t"),
        model(call(), id="b", parent="t"),
    )

    assert (outer.caller, inner.caller) == (None, "subagent")


def test_what_is_executed_within_a_tool_was_called_by_a_sub_agent_or_by_code() -> None:
    calls = calls_of(
        model(call("research", {}, "c1"), id="a"),
        tool("research", {}, "c1", id="t"),
        model(call(), id="b", parent="t"),
        tool("weather", PARIS, id="u", parent="t"),
        tool("research", {}, id="v", parent="t"),
        tool("script", {}, id="s"),
        tool("weather", PARIS, id="x", parent="s"),
        tool("script", {}, id="y", parent="s"),
        options=EXECUTED,
    )

    assert [(made.name, made.caller, made.step) for made in calls] == [
        ("research", None, 0),
        ("weather", "subagent", 1),
        ("research", "subagent", 1),
        ("script", None, 1),
        ("weather", "code", 1),
    ]


# What stands around what in an observed run.

AGENT = ObservedStep(id="agent")
TOOL = ObservedStep(id="tool", parent="agent", execution=ToolCall("search", {}))
CLIENT = ObservedStep(id="client", parent="tool", execution=ToolCall("search", {}))
MODEL = ObservedStep(id="model", parent="client", requests=())


def test_the_steps_around_a_step_come_from_the_inside_out() -> None:
    steps = steps_by_id(ObservedRun([AGENT, TOOL, CLIENT, MODEL]))

    assert list(steps_above(MODEL, steps)) == [CLIENT, TOOL, AGENT]
    assert list(steps_above(AGENT, steps)) == []


def test_steps_around_each_other_are_there_once() -> None:
    first, second = ObservedStep(id="a", parent="b"), ObservedStep(id="b", parent="a")
    alone = ObservedStep(id="c", parent="c")

    assert list(steps_above(first, steps_by_id(ObservedRun([first, second])))) == [second]
    assert list(steps_above(alone, steps_by_id(ObservedRun([alone])))) == []


def test_the_innermost_tool_around_a_step_is_found() -> None:
    run = ObservedRun([AGENT, TOOL, CLIENT])
    nesting = nesting_of(run)

    assert tool_around(CLIENT, nesting) is TOOL
    assert tool_around(TOOL, nesting) is None


def test_where_nothing_is_a_part_of_a_tool_there_is_no_nesting() -> None:
    assert nesting_of(ObservedRun([AGENT, TOOL])) == Nesting()
    assert nesting_of(ObservedRun([AGENT, MODEL])) == Nesting()
    assert tool_around(TOOL, nesting_of(ObservedRun([AGENT, TOOL]))) is None


def test_a_tool_within_itself_repeats_it_unless_a_model_is_at_work_there() -> None:
    done = ToolCall("search", {})
    plain = nesting_of(ObservedRun([TOOL, CLIENT]))
    with_model = nesting_of(ObservedRun([TOOL, CLIENT, MODEL]))

    assert is_repeated(done, TOOL, plain)
    assert not is_repeated(done, TOOL, with_model)
    assert not is_repeated(ToolCall("other", {}), TOOL, plain)
    assert not is_repeated(done, None, plain)
    assert with_model.delegating == {"tool", "client"}


def test_many_tools_can_be_within_each_other() -> None:
    steps = [tool("f", {}, id=str(number), parent=str(number + 1)) for number in range(8_000)]
    nesting = nesting_of(ObservedRun(steps))
    around = [tool_around(step, nesting) for step in steps]

    assert around == [*steps[1:], None]
