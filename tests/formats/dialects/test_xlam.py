"""xLAM rows: what is expected."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.errors import InvalidCall
from callscore.formats.dialects.xlam import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS

CALLS = [{"name": "f", "arguments": {"x": 1}}]


@pytest.mark.parametrize("answers", [CALLS, '[{"name": "f", "arguments": {"x": 1}}]'])
def test_the_answers_are_expected(answers: Any) -> None:
    row = {"id": 3, "query": "q", "answers": answers, "tools": "[]"}

    assert recognizes(row)
    (trace,) = read(row, DEFAULT_READ_OPTIONS)
    assert (trace.calls, trace.id, trace.input) == (None, "3", "q")
    assert trace.expected == (ToolCall("f", {"x": 1}),)


def test_no_answer_expects_no_call() -> None:
    (trace,) = read({"query": "q", "answers": "[]", "tools": "[]"}, DEFAULT_READ_OPTIONS)

    assert trace.expected == ()


@pytest.mark.parametrize(
    "row",
    [
        {"query": "q", "answers": CALLS},
        {"answers": CALLS, "tools": []},
        {"query": "q", "answers": ["yes"], "tools": []},
        {"query": "q", "answers": "yes", "tools": []},
    ],
)
def test_look_alikes_are_not_claimed(row: Any) -> None:
    assert not recognizes(row)


def test_answers_that_cannot_be_read_are_an_error() -> None:
    with pytest.raises(InvalidCall):
        read({"query": "q", "answers": "[{", "tools": []}, DEFAULT_READ_OPTIONS)
