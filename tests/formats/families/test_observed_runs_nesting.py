"""What stands around what in an observed run."""

from __future__ import annotations

from callscore.core.call import ToolCall
from callscore.formats.families.observed_runs import (
    Nesting,
    ObservedRun,
    ObservedStep,
    is_repeated,
    nesting_of,
    steps_above,
    steps_by_id,
    tool_around,
)

AGENT = ObservedStep(id="agent")
TOOL = ObservedStep(id="tool", parent="agent", execution=ToolCall("search", {}))
CLIENT = ObservedStep(id="client", parent="tool", execution=ToolCall("search", {}))
MODEL = ObservedStep(id="model", parent="client", requests=())


def test_the_steps_around_a_step_come_from_the_inside_out() -> None:
    steps = steps_by_id(ObservedRun([AGENT, TOOL, CLIENT, MODEL]))

    assert steps_above(MODEL, steps) == [CLIENT, TOOL, AGENT]
    assert steps_above(AGENT, steps) == []


def test_steps_around_each_other_are_there_once() -> None:
    first, second = ObservedStep(id="a", parent="b"), ObservedStep(id="b", parent="a")
    alone = ObservedStep(id="c", parent="c")

    assert steps_above(first, steps_by_id(ObservedRun([first, second]))) == [second]
    assert steps_above(alone, steps_by_id(ObservedRun([alone]))) == []


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
