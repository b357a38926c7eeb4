"""Scores with the camelCase fields of JavaScript tools."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidSettings, score
from callscore.integrations.tools import score_tool_calls

# The two examples of the README of a published tool, with its numbers where they follow from its
# own formula: it prints 0.667 for the first, and F1 is 2 · 1 / (2 + 3).
NEWS = {"tool": "searchWeb", "args": {"query": "AI news"}}
LONG = {"tool": "summarize", "args": {"text": "long article..."}}
OTHER = {"tool": "summarize", "args": {"text": "different text"}}
TRANSLATION = {"tool": "translateText", "args": {"text": "hello", "to": "es"}}


def test_the_camel_case_score_is_what_the_agent_tool_returns() -> None:
    sides: dict[str, Any] = {"expected": [NEWS, LONG], "actual": [OTHER, TRANSLATION, NEWS]}
    tools = [{"name": "searchWeb"}, {"name": "summarize", "parameters": {"required": ["text"]}}]

    assert score(**sides, tools=tools).to_dict(style="camel") == score_tool_calls(
        {**sides, "tools": tools}
    )


def test_snake_case_is_the_default() -> None:
    found = score([NEWS], [NEWS])

    assert found.to_dict() == found.to_dict(style="snake")
    assert found.to_dict()["total_expected"] == 1


@pytest.mark.parametrize("style", ["kebab", "Camel", None])
def test_an_unknown_style_is_refused(style: Any) -> None:
    with pytest.raises(InvalidSettings, match="style: unknown value"):
        score([], []).to_dict(style=style)
