"""What is known about the effects of tools, and what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from callscore.checks.effects import EffectEvidence, EvidenceCounter
from callscore.core.call import Tool, ToolCall
from callscore.core.case import Group, Times
from callscore.core.settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from callscore.checks.effects import ToolEffect
    from callscore.core.call import Effect

READ_HINT: list[tuple[Effect, str]] = [("read", "readOnlyHint")]


def found(
    calls: Iterable[ToolCall] = (), tools: Iterable[Tool] = (), settings: Settings = DEFAULT
) -> dict[str, ToolEffect]:
    counter = EvidenceCounter(settings)
    counter.take_calls(calls)
    for tool in tools:
        counter.take_tool(tool)
    return {tool.name: tool for tool in counter.tools()}


def made(name: str, *results: Any, failed: bool | None = None) -> list[ToolCall]:
    return [ToolCall(name, {}, result=result, failed=failed) for result in results]


def test_each_source_gives_its_evidence() -> None:
    counter = EvidenceCounter(Settings(effects=(("get_*", "read"),)))
    counter.take_calls(made("get_user", "Created user 1.", "Ann"))
    counter.take_tool(Tool("get_user", "Gets a user.", effect="read"), READ_HINT)

    (tool,) = counter.tools()

    assert tool.evidence == (
        EffectEvidence("setting", "read", "get_*", "certain"),
        EffectEvidence("definition", "read", "readOnlyHint", "certain"),
        EffectEvidence("name", "read", "get_*", "high"),
        EffectEvidence("description", "read", "Gets", "high"),
        EffectEvidence("results", "write", "created", "low", 1, 2),
    )


@pytest.mark.parametrize(
    ("tool", "settings", "expected"),
    [
        (Tool("pay", effect="read"), Settings(effects=(("pay", "write"),)), ("write", "setting")),
        (Tool("get_x", effect="write"), DEFAULT, ("write", "definition")),
        (Tool("get_x", "Deletes x."), DEFAULT, ("read", "name")),
        (Tool("x", "Read-only."), DEFAULT, ("write", "unknown")),
    ],
)
def test_settings_definitions_and_names_decide_in_this_order(
    tool: Tool, settings: Settings, expected: tuple[str, str]
) -> None:
    listed = found(tools=[tool], settings=settings)[tool.name]

    assert (listed.effect, listed.decided_by) == expected


@pytest.mark.parametrize(
    ("tool", "proposed"),
    [
        (Tool("f", effect="write"), "write"),
        (Tool("get_f"), "read"),
        (Tool("f", "Gets f."), "read"),
        (Tool("f", "Deletes f."), "write"),
        (Tool("f", "Effs."), None),
        (Tool("get_f", "Deletes f."), None),  # contradictory
        (Tool("get_f", effect="write"), "write"),  # as a score with the definition counts it
        (Tool("f", "Deletes f.", effect="read"), None),
    ],
)
def test_the_effect_of_a_tool_is_proposed_from_its_definition_name_or_description(
    tool: Tool, proposed: str | None
) -> None:
    assert found(tools=[tool])[tool.name].proposed == proposed


def test_a_tool_with_an_effect_in_the_settings_has_no_proposal_and_no_contradiction() -> None:
    settings = Settings(effects=(("get_*", "write"),))

    tool = found(tools=[Tool("get_f", "Gets f.")], settings=settings)["get_f"]

    assert (tool.effect, tool.proposed, tool.is_contradictory) == ("write", None, False)


def test_a_catch_all_pattern_does_not_prevent_the_proposal_of_a_known_effect() -> None:
    settings = Settings(effects=(("look", "read"), ("*", "write"), ("get_late", "write")))
    tools = [Tool("look", "Gets it."), Tool("get_f"), Tool("f"), Tool("get_late")]

    listed = found(tools=tools, settings=settings)

    assert {name: (tool.proposed, tool.is_caught) for name, tool in listed.items()} == {
        "look": (None, False),
        "get_f": ("read", True),
        "f": (None, True),
        "get_late": (None, True),  # somebody has written a rule for it
    }
    assert {(tool.effect, tool.is_contradictory) for tool in listed.values()} == {
        ("read", False),
        ("write", False),
    }


def test_definitions_that_disagree_are_contradictory_and_count_as_writes() -> None:
    tool = found(tools=[Tool("f", effect="read"), Tool("f", effect="write")])["f"]

    assert tool.is_contradictory
    assert (tool.effect, tool.decided_by, tool.proposed) == ("write", "definition", None)
    assert [each.effect for each in tool.evidence] == ["read", "write"]


def test_results_that_contradict_a_name_are_for_review() -> None:
    tool = found(made("get_or_make", "Created order 1."))["get_or_make"]

    assert (tool.is_contradictory, tool.effect, tool.proposed) == (True, "read", None)


def test_one_result_is_not_enough_for_a_proposal() -> None:
    few = found(made("order", "Created order 1.", "Created order 2."))["order"]
    enough = found(made("order", *["Created order 1."] * 3))["order"]
    rare = found(made("order", *["Created order 1."] * 3, *["Ann"] * 7))["order"]

    assert [tool.proposed for tool in (few, enough, rare)] == [None, "write", None]
    assert rare.evidence == (EffectEvidence("results", "write", "created", "low", 3, 10),)


def test_failed_calls_and_calls_without_results_tell_nothing() -> None:
    calls = [*made("order", "Created.", "Created.", failed=True), *made("order", None)]

    assert found(calls)["order"].evidence == ()


def test_calls_are_counted_on_both_sides_and_the_most_called_come_first() -> None:
    counter = EvidenceCounter(DEFAULT)
    group = Group("one_of", (ToolCall("c"), Times(ToolCall("b"), 1, 2)))
    counter.take_calls([ToolCall("b"), ToolCall("b"), ToolCall("a")], [group])
    counter.take_tool(Tool("d"))

    counted = [(tool.name, tool.calls, tool.expected) for tool in counter.tools()]

    assert counted == [("b", 2, 1), ("a", 1, 0), ("c", 0, 1), ("d", 0, 0)]


def test_names_are_compared_as_a_score_compares_them() -> None:
    settings = Settings(normalize_name=("namespace",))
    tool = Tool("look", "Gets it.", effect="read")

    listed = found([ToolCall("server.look")], [tool], settings)

    assert [*listed] == ["server.look"]
    assert listed["server.look"].decided_by == "definition"
