"""Attributes of OpenTelemetry that look like calls."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.unread import find_sign


def span(key: str, value: Any) -> dict[str, Any]:
    return {"name": "step", "attributes": [{"key": key, "value": value}]}


@pytest.mark.parametrize("key", ["tool_call_id", "agent.tool.name", "toolCalls"])
def test_the_key_of_an_attribute_is_a_sign(key: str) -> None:
    text = "[1]" if key == "toolCalls" else "x"

    sign = find_sign({"spans": [span(key, {"stringValue": text})]})

    assert sign is not None
    assert (sign.what, sign.path) == (key, "$.spans[0].attributes[0]")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tool_call_id", {"stringValue": ""}),
        ("tool_call_count", {"intValue": 3}),
        ("session.id", {"stringValue": "x"}),
        ("gen_ai.agent.call.id", {"stringValue": "x"}),
        ("tool_call_id", None),
    ],
)
def test_an_empty_attribute_a_count_and_any_other_key_are_not(key: str, value: Any) -> None:
    assert find_sign({"spans": [span(key, value)]}) is None
