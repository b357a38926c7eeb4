"""Which records are cases of our own."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.case_fields import is_case

F = {"name": "f", "arguments": {"q": 1}}


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        ({"expected": [], "x": 1}, True),
        ({"actual": None}, True),
        ({"id": 1, "toolCalls": ["f"], "model": "x"}, True),
        ({"id": 1, "tool_calls": ["f"], "messages": []}, True),
        ({"referenceToolCalls": ["f"], "toolCalls": ["f"], "model": "x"}, True),
        ({"id": 1, "toolCalls": []}, True),
        ({"id": 1, "tool_calls": [], "messages": []}, False),
        ({"tool_calls": ["f"], "type": "ai"}, False),
        ({"id": 1, "messages": []}, False),
        ([], False),
    ],
)
def test_a_record_is_ours_if_nothing_else_can_be_meant(record: Any, is_ours: bool) -> None:
    assert is_case(record) == is_ours


def test_an_empty_side_beside_nothing_but_words_is_a_side() -> None:
    record = {"id": "a", "text": "Hello!", "toolCalls": [], "finishReason": "stop"}

    assert is_case(record)
    assert not is_case({**record, "steps": [{"toolCalls": []}]})
