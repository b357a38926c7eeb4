"""ragas."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.call import ToolCall
from callscore.formats.dialects.ragas import read, recognizes
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace

ASKED = {"content": "hi", "type": "human"}


def said(*names: str) -> dict[str, Any]:
    return {
        "content": "",
        "type": "ai",
        "tool_calls": [{"name": name, "args": {}} for name in names],
    }


def traces_of(document: Any) -> list[Trace]:
    assert recognizes(document)
    return read(document, DEFAULT_READ_OPTIONS)


def test_a_sample_has_both_sides_and_the_question() -> None:
    (trace,) = traces_of(
        {
            "user_input": [ASKED, said("f")],
            "reference_tool_calls": [{"name": "g", "args": {"a": 1}}],
        }
    )

    assert trace == Trace(
        calls=(ToolCall("f", {}, step=0),), expected=(ToolCall("g", {"a": 1}),), input="hi"
    )


def test_results_belong_to_the_calls_in_their_order() -> None:
    messages = [
        said("f", "g"),
        {"type": "tool", "content": "1"},
        {"type": "tool", "content": "Error: 2"},
        said("h"),
    ]
    (trace,) = traces_of({"user_input": messages})

    assert [(call.step, call.result, call.failed) for call in trace.calls or ()] == [
        (0, "1", False),
        (0, "Error: 2", True),
        (1, None, None),
    ]
    assert trace.expected is None


@pytest.mark.parametrize("wrap", [lambda samples: samples, lambda samples: {"samples": samples}])
def test_a_dataset_has_one_run_a_sample(wrap: Any) -> None:
    samples = [{"user_input": [said("f")]}, {"user_input": [ASKED], "reference_tool_calls": []}]

    first, second = traces_of(wrap(samples))

    assert first.calls == (ToolCall("f", {}, step=0),)
    assert (second.calls, second.expected) == ((), ())


def test_a_sample_that_was_not_run_only_says_what_is_expected() -> None:
    (trace,) = traces_of({"user_input": "hi", "reference_tool_calls": [{"name": "f", "args": {}}]})

    assert trace == Trace(expected=(ToolCall("f", {}),), input="hi")


@pytest.mark.parametrize(
    "document",
    [
        {"user_input": "hi", "response": "ho", "reference": None},
        {"user_input": [], "reference_tool_calls": None},
        {"user_input": [{"role": "user", "content": "hi"}]},
        {"user_input": [ASKED, 5]},
        [{"user_input": [ASKED]}, {"user_input": "hi"}],
        [{"type": "human", "content": "hi"}],
        {"userInput": "hi", "referenceToolCalls": []},
        {"samples": []},
    ],
)
def test_look_alikes_are_not_claimed(document: Any) -> None:
    assert not recognizes(document)


@pytest.mark.parametrize("document", [None, 5, "x", [5], {"samples": [5]}])
def test_what_is_something_else_has_no_runs(document: Any) -> None:
    assert read(document, DEFAULT_READ_OPTIONS) == []
