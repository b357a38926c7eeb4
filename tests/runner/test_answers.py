"""What a task returns, as plain data."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from openai.types.chat import ChatCompletion
from tests.runner.agents import RIGHT

from callscore import ToolCall
from callscore.runner.answers import UnreadableAnswer, collect_stream, plain_document

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "small",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Hi"},
        }
    ],
}


@dataclass
class Reply:
    name: str
    arguments: dict[str, Any]


@pytest.mark.parametrize(
    ("returned", "document"),
    [
        (RIGHT, RIGHT),
        ("Hello!", "Hello!"),
        (b"Hello!", "Hello!"),
        ([], []),
        (ToolCall("f", {"a": 1}), [{"name": "f", "arguments": {"a": 1}}]),
        ((ToolCall("f", {}),), [{"name": "f", "arguments": {}}]),
        (iter(["f"]), ["f"]),
        ([Reply("f", {"a": 1})], [{"name": "f", "arguments": {"a": 1}}]),
        ({"a": 2**70}, {"a": 2**70}),
    ],
)
def test_it_becomes_plain_data(returned: Any, document: Any) -> None:
    assert plain_document(returned) == document


def test_an_object_of_an_sdk_becomes_what_the_server_wrote() -> None:
    document = plain_document(ChatCompletion.model_validate(COMPLETION))

    assert document["choices"][0]["message"]["content"] == "Hi"
    assert document["object"] == "chat.completion"


def test_nothing_is_no_answer() -> None:
    with pytest.raises(UnreadableAnswer, match=r"returned nothing. Return the response"):
        plain_document(None)


def test_what_is_no_data_is_named() -> None:
    with pytest.raises(UnreadableAnswer, match=r"^the task returned <object .*>, which is no data"):
        plain_document({"calls": [object()]})


def test_what_breaks_when_it_is_read_is_told() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> Any:
            raise ValueError("no")

    with pytest.raises(
        UnreadableAnswer, match=r"what cannot be read: a .*Broken cannot be read: no"
    ):
        plain_document(Broken())


def test_what_holds_itself_is_told() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(UnreadableAnswer, match="cannot be read"):
        plain_document(endless)


def test_an_asynchronous_stream_is_gathered() -> None:
    async def streamed() -> AsyncIterator[int]:
        yield 1
        yield 2

    assert asyncio.run(collect_stream(streamed())) == [1, 2]
    assert asyncio.run(collect_stream([3])) == [3]


def test_what_json_does_not_know_and_is_data_becomes_text() -> None:
    document = plain_document({"text": "\ud800", 1: "a", "when": date(2026, 11, 15)})

    assert document["when"] == "2026-11-15"
    assert document["text"] == "\\ud800"


def test_bytes_that_are_no_text_are_no_error() -> None:
    assert plain_document(b"\xff!") == "\\xff!"


@pytest.mark.parametrize("returned", [lambda: 1, iter([object()]), [[object()]], type])
def test_whatever_cannot_become_data_is_refused(returned: Any) -> None:
    with pytest.raises(UnreadableAnswer, match=r"^the task returned "):
        plain_document(returned)


def test_what_prints_badly_does_no_harm() -> None:
    class Hostile:
        __slots__ = ()

        def __repr__(self) -> str:
            return "\x1b[2J" + "x" * 10_000

    with pytest.raises(UnreadableAnswer) as raised:
        plain_document([Hostile()])

    assert "\x1b" not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_an_object_that_streams_and_is_a_document_is_taken_as_a_document() -> None:
    class Both:
        def model_dump(self, **_: Any) -> Any:
            return {"a": 1}

        async def __aiter__(self) -> AsyncIterator[int]:
            yield 1

    both = Both()

    assert asyncio.run(collect_stream(both)) is both
