"""An agent that sends something that looks like calls and cannot be read gets an error."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.integrations.tools import TOOLS, run_tool

SPOILED = {"choices": [{"message": {"role": "assistant", "toolcalls": [{"id": "1"}]}}]}
HOSTED = {"object": "response", "output": [{"type": "banana_call", "id": "1"}]}


@pytest.mark.parametrize(
    ("actual", "sign"),
    [
        (SPOILED, "'toolcalls' at $.choices[0].message looks like a call."),
        (HOSTED, "'type: banana_call' at $.output[0] looks like a call."),
    ],
)
@pytest.mark.parametrize("name", ["score_tool_calls", "explain_score"])
def test_it_is_refused_with_the_place(name: str, actual: Any, sign: str) -> None:
    found = run_tool(TOOLS[name], {"expected": [{"name": "f"}], "actual": actual})

    assert found.is_error
    assert sign in found.content["error"]
    assert found.content["error"].endswith("It was not read.")


def test_an_answer_without_calls_is_scored() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "No."}}]}

    found = run_tool(TOOLS["score_tool_calls"], {"expected": [], "actual": answer})

    assert not found.is_error
