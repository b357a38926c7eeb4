"""Which definition a call is held against where less than whole names is compared."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.checks.tool_schema import tools_by_call_name
from callscore.core.call import Tool
from callscore.core.settings import Settings
from callscore.errors import InvalidSettings

SCHEMA: dict[str, Any] = {"type": "object"}
OTHER: dict[str, Any] = {"type": "object", "properties": {}}
ONE, TWO = Tool("mcp__a__book", None, SCHEMA), Tool("mcp__b__book", None, OTHER)
SETTINGS = Settings(strip_prefix=("mcp__*__",))


def _by_call(*names: str, tools: tuple[Tool, ...] = (ONE, TWO)) -> dict[str, Tool]:
    return tools_by_call_name(names, {tool.name: tool for tool in tools}, SETTINGS)


def test_a_tool_is_known_by_its_own_name_whatever_others_are_called() -> None:
    found = _by_call("mcp__b__book", "mcp__a__book")

    assert found == {"mcp__a__book": ONE, "mcp__b__book": TWO}


def test_another_name_is_that_of_the_tool_that_is_compared_alike() -> None:
    found = _by_call("book", "mcp__c__book", "cook", tools=(ONE,))

    assert found == {"mcp__a__book": ONE, "book": ONE, "mcp__c__book": ONE}


def test_a_name_that_can_mean_tools_that_differ_is_refused_with_their_names() -> None:
    with pytest.raises(InvalidSettings, match="'mcp__a__book' and 'mcp__b__book' have different"):
        _by_call("book")


def test_tools_that_take_the_same_are_no_reason_to_refuse_a_name() -> None:
    same = Tool("mcp__b__book", "x", SCHEMA, "read")

    assert _by_call("book", tools=(ONE, same))["book"] == ONE
