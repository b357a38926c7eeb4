"""Our own cases, handed to what reads traces."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.errors import UnreadableInput
from callscore.formats.dialects.callscore_case import EXAMPLE, read, read_tools, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def test_each_side_stays_what_it_is() -> None:
    assert read(EXAMPLE, DEFAULT_READ_OPTIONS) == [
        Trace(
            calls=(ToolCall("get_weather", {"city": "paris"}),),
            expected=(ToolCall("get_weather", {"city": "Paris"}),),
            id="weather",
        )
    ]


def test_an_id_made_from_the_content_is_none_to_join_on() -> None:
    (trace,) = read([{"expected": ["f"], "trial": 2, "input": "x"}], DEFAULT_READ_OPTIONS)

    assert (trace.id, trace.trial, trace.input) == (None, 2, "x")
    assert trace.calls is None


@pytest.mark.parametrize(
    "document",
    [{"id": 1}, {"expected": "f"}, {"actual": {"messages": []}}, [EXAMPLE, 5], "expected"],
)
def test_what_is_no_case_is_not_claimed(document: Any) -> None:
    assert not recognizes(document)
    assert read_tools(document) == []


def test_a_case_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UnreadableInput, match=r"cases\[1\]: expected\[0\]"):
        read([EXAMPLE, {"expected": [5]}], DEFAULT_READ_OPTIONS)


CALL = {"name": "f", "arguments": {}}


def test_a_case_may_have_only_turns() -> None:
    document = {"id": "a", "turns": [{"expected": [CALL], "actual": [CALL]}, {"actual": [CALL]}]}

    (trace,) = read(document, DEFAULT_READ_OPTIONS)

    assert recognizes(document)
    assert [call.turn for call in trace.calls or ()] == [0, 1]
    assert trace.id == "a"


@pytest.mark.parametrize(
    "turns",
    [None, [], {}, [[CALL]], [{"role": "user"}], [{"expected": "f"}], [{"actual": [CALL]}, 1]],
)
def test_turns_of_another_kind_are_not_those_of_a_case(turns: object) -> None:
    assert not recognizes({"id": "a", "turns": turns})
