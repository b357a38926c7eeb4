"""An empty field for a call is not a call, in every format that has the field."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.formats.reading import read_document

EMPTY: list[Any] = [None, {}, {"name": "", "arguments": ""}, {"name": None, "arguments": None}]


def answer(call: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "hi", "function_call": call, "tool_calls": None}


def documents(call: Any) -> dict[str, Any]:
    """Documents whose only answer has this in the field."""
    message = answer(call)
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": message}]}
    extra = {"function_call": call}
    asked = {"role": "user", "content": "w"}
    llama = {"role": "assistant", "blocks": [{"block_type": "text", "text": "hi"}]}
    return {
        "response": {"object": "chat.completion", "choices": [{"message": message}]},
        "messages": [asked, message],
        "stream": [chunk, chunk],
        "langchain": [{"type": "ai", "content": "hi", "additional_kwargs": extra}],
        "llamaindex": [{**llama, "additional_kwargs": extra}],
        "gemini": {
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": "hi", "function_call": call}]}}
            ]
        },
    }


@pytest.mark.parametrize("call", EMPTY)
def test_an_empty_call_is_none(call: Any) -> None:
    found = {
        name: [trace.calls for trace in read_document(document)]
        for name, document in documents(call).items()
        # Gemini's arguments may be absent, so that a call with an empty name is still one.
        if name != "gemini" or not call or call["name"] is None
    }

    assert found == {name: [()] for name in found}


def test_a_call_in_the_same_place_is_read() -> None:
    call = {"name": "f", "arguments": "{}"}
    found = {
        name: [made.name for trace in read_document(document) for made in trace.calls or ()]
        for name, document in documents(call).items()
    }

    assert found == {name: ["f", "f"] if name == "stream" else ["f"] for name in found}
