"""A server that answers an SDK's own client without a network: what it says is up to the test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.differential.comparison import dumps

__all__ = ["Server"]

httpx: Any = pytest.importorskip("httpx2")


class Server:
    """Gives its answer to whatever it is asked, and keeps the last question.

    A list is sent as a stream of events, everything else as JSON.

    Attributes:
        answer: what it answers; an iterator has one answer after another.
        asked: the body of the last request.
        client: what an SDK's client sends its requests with.
    """

    def __init__(self) -> None:
        self.answer: Any = None
        self.asked = b""
        self.client = httpx.Client(transport=httpx.MockTransport(self._respond))

    def _respond(self, request: Any) -> Any:
        self.asked = request.content
        answer = next(self.answer) if isinstance(self.answer, Iterator) else self.answer
        if not isinstance(answer, list):
            return httpx.Response(200, json=answer)
        body = "".join([_event(item) for item in answer])
        return httpx.Response(200, text=body, headers={"content-type": "text/event-stream"})


def _event(item: dict[str, Any]) -> str:
    name = f"event: {item['type']}\n" if "type" in item else ""
    return f"{name}data: {dumps(item)}\n\n"
