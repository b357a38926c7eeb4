"""The tools as an agent is offered them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from callscore.errors import InvalidCall
from callscore.integrations.tools import TOOLS, run_tool, tool_named


def test_there_are_three_tools() -> None:
    assert list(TOOLS) == ["score_tool_calls", "explain_score", "check_tool_calls"]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_a_tool_has_a_name_that_every_provider_takes_and_words_for_it(tool: Any) -> None:
    assert re.fullmatch(r"[a-z_]{1,64}", tool.name)
    assert tool.title
    assert 100 < len(tool.description) < 1024


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "score",
            "there is no tool 'score'. Is 'score_tool_calls' meant? There are score_tool_calls,",
        ),
        (
            "zzz",
            "there is no tool 'zzz'. There are score_tool_calls, explain_score, check_tool_calls.",
        ),
        (None, "there is no tool null. There are "),
    ],
)
def test_a_tool_that_there_is_not_is_answered_with_those_that_there_are(
    name: Any, told: str
) -> None:
    with pytest.raises(InvalidCall, match=re.escape(told)):
        tool_named(name)


def test_what_is_wrong_with_the_arguments_is_an_answer() -> None:
    found = run_tool(TOOLS["score_tool_calls"], {"expected": []})

    assert found.is_error
    assert found.content["error"].startswith("actual: give the calls that were made")


@pytest.mark.parametrize("text", ["\ud800", "\x00", "\u202e", "é", "🙂"])
def test_an_error_can_be_sent_whatever_is_in_it(text: str) -> None:
    found = run_tool(TOOLS["check_tool_calls"], {"actual": [], text: 1})

    assert found.is_error
    assert found.content["error"].encode()


@pytest.mark.parametrize("levels", [99, 200, 100_000])
@pytest.mark.parametrize("side", ["expected", "actual"])
def test_no_depth_breaks_anything(levels: int, side: str) -> None:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    arguments: Any = {"expected": [], "actual": [], side: [{"tool": "f", "args": value}]}

    found = run_tool(TOOLS["score_tool_calls"], arguments)

    assert found.is_error
    assert "nested too deeply" in found.content["error"]
