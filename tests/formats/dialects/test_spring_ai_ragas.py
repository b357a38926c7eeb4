"""What is read of spring-ai-ragas samples."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.dialects import spring_ai_ragas
from callscore.formats.trace import DEFAULT_READ_OPTIONS, Trace


def read(**sample: Any) -> Trace:
    [trace] = spring_ai_ragas.read(sample, DEFAULT_READ_OPTIONS)
    return trace


def call(name: str) -> dict[str, Any]:
    return {"name": name, "arguments": {"x": 1}}


def test_the_reference_is_what_is_expected() -> None:
    trace = read(
        userInput="go",
        userInputMessages=[{"content": "", "toolCalls": [call("f")]}],
        referenceToolCalls=[call("g"), call("h")],
    )

    assert trace.input == "go"
    assert [one.name for one in trace.calls or ()] == ["f"]
    assert [one.name for one in trace.expected or ()] == ["g", "h"]


def test_a_sample_that_was_not_run_has_no_calls() -> None:
    trace = read(userInputMessages=None, referenceToolCalls=[])

    assert trace.calls is None
    assert trace.expected == ()


def test_a_sample_without_a_reference_expects_nothing_said() -> None:
    trace = read(userInputMessages=[], referenceToolCalls=None)

    assert trace.calls == ()
    assert trace.expected is None


def test_what_is_said_while_calls_are_open_are_their_results() -> None:
    trace = read(
        userInputMessages=[
            {"content": "go"},
            {"content": "", "toolCalls": [call("f"), call("g")]},
            {"content": "fine"},
            {"content": "Error: oh"},
            {"content": "so", "toolCalls": []},
            {"content": "and on"},
            {"content": "", "toolCalls": [call("h")]},
        ]
    )

    assert [(one.result, one.failed, one.step) for one in trace.calls or ()] == [
        ("fine", False, 0),
        ("Error: oh", True, 0),
        (None, None, 2),
    ]


@pytest.mark.parametrize(
    "document",
    [{"user_input": [], "reference_tool_calls": []}, {"userInput": "x"}, {"referenceToolCalls": 1}],
)
def test_the_documents_of_others_are_left_to_them(document: Any) -> None:
    assert not spring_ai_ragas.recognizes(document)
