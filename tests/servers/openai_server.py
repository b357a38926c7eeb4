"""A real HTTP server on loopback that speaks the protocol of OpenAI's chat completions.

A test gives it a script: a function that is given the body of a request and its number, from 1 on,
and returns a `Reply`. There is latency in one, an error, a connection that drops or hangs, a
stream or half of one, arguments that are no JSON:

    with openai_server(lambda body, number: Reply(calls=[("getWeather", {"city": "Paris"})])) as server:
        chat("m", base_url=server.base_url)
        server.requests[0].body["messages"]

As a process, for benchmarks and by hand: `python -m tests.servers.openai_server --latency 0.02`. It
prints its address on a line, calls the first tool that a request offers, and ends with its parent.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any

import msgspec
from msgspec import Struct

__all__ = [
    "ERROR_429",
    "OpenAIServer",
    "Reply",
    "Request",
    "Script",
    "in_turn",
    "obliging",
    "openai_server",
]

_encode = msgspec.json.encode
_decode = msgspec.json.decode


class Reply(Struct, frozen=True, kw_only=True):
    """What the server does with one request.

    Attributes:
        text: what the assistant says; None where it only calls.
        calls: the tools that it calls, with their arguments: data, or text that is sent as it is.
        status: the status of HTTP; an error has a body as OpenAI writes them.
        headers: more headers: `{"Retry-After": "1"}`.
        message: what an error says.
        latency: for how many seconds nothing is sent.
        body: sent in place of a body of the server's making, whatever it is.
        is_dropped: whether the connection is closed without an answer.
        is_hung: whether there is never an answer.
        half: after how many chunks a stream, or bytes a body, breaks off; None where it does not.
        usage: tokens read and written; None where nothing is said of them.
        choices: more choices, where `n` were asked for, each a list of calls.
    """

    text: str | None = None
    calls: Sequence[tuple[str, Any]] = ()
    status: int = 200
    headers: dict[str, str] = {}
    message: str = "The server says no."
    latency: float = 0.0
    body: bytes | str | None = None
    is_dropped: bool = False
    is_hung: bool = False
    half: int | None = None
    usage: tuple[int, int] | None = (20, 10)
    choices: Sequence[Sequence[tuple[str, Any]]] = ()


class Request(Struct, frozen=True, kw_only=True):
    """A request as it came.

    Attributes:
        number: its place among all requests, from 1 on.
        path: what was asked for.
        headers: its headers, with names in small letters.
        body: its body as data; empty where it has none.
    """

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Script = Callable[[dict[str, Any], int], Reply]

ERROR_429 = Reply(status=429, headers={"Retry-After": "0"}, message="Rate limit reached.")


def in_turn(*replies: Reply) -> Script:
    """A script that gives one reply after another, and the last one for ever."""
    return lambda _body, number: replies[min(number, len(replies)) - 1]


def obliging(body: dict[str, Any], _: int = 0) -> Reply:
    """Call the first tool that is offered, with the last message as `query`; else say it back."""
    said = next((one.get("content") for one in reversed(body.get("messages") or ())), "")
    if not body.get("tools"):
        return Reply(text=str(said))
    return Reply(calls=[(body["tools"][0]["function"]["name"], {"query": said})])


class OpenAIServer:
    """A server that runs, and what it was asked.

    Attributes:
        requests: the requests in the order in which they came.
        in_flight: how many are being answered now.
        most_in_flight: how many were being answered at once, at most.
    """

    def __init__(
        self, script: Script, *, keeps: bool = True, latency: float = 0.0, together: int = 1
    ) -> None:
        self.requests: list[Request] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.connections: set[_Connection] = set()
        self.latency = latency
        self.together = together
        self.held: list[Callable[[], None]] = []
        self._script = script
        self._keeps = keeps
        self._count = 0
        self._port = 0

    @property
    def origin(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """The address as the SDK takes it."""
        return f"{self.origin}/v1"

    def reply(self, path: str, headers: dict[str, str], payload: bytes) -> tuple[Reply, Any]:
        """Note the request and ask the script; with the body of the request."""
        self._count += 1
        body = _decode(payload) if payload else {}
        request = Request(number=self._count, path=path, headers=headers, body=body)
        if self._keeps:
            self.requests.append(request)
        if not path.endswith("/chat/completions"):
            return Reply(status=404, message=f"There is no {path} here."), body
        return self._script(body, request.number), body

    async def serve(self, started: Callable[[], None], ended: asyncio.Event) -> None:
        """Listen on a free port until `ended` is set, and drop every connection then."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", backlog=1024)
        self._port = server.sockets[0].getsockname()[1]
        started()
        await ended.wait()
        server.close()
        for connection in tuple(self.connections):
            connection.drop()


class _Connection(asyncio.Protocol):
    """One connection: requests one after another, each answered before the next is read."""

    def __init__(self, server: OpenAIServer) -> None:
        self._server = server
        self._waiting = b""
        self._is_busy = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (as asyncio calls it)
        self._transport = None
        self._server.connections.discard(self)
        self._end()

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        if not self._is_busy:
            self._next()

    def drop(self) -> None:
        """Close the connection at once, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def _next(self) -> None:
        head, found, rest = self._waiting.partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)
        }
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        self._waiting = rest[length:]
        self._begin()
        reply, body = self._server.reply(first.split(" ")[1], headers, rest[:length])
        latency = reply.latency or self._server.latency
        if reply.is_hung:
            return
        if latency:
            asyncio.get_running_loop().call_later(latency, self._answer, reply, body)
            return
        self._server.held.append(partial(self._answer, reply, body))
        if self._server.most_in_flight >= self._server.together:
            held, self._server.held = self._server.held, []
            for answer in held:
                answer()

    def _begin(self) -> None:
        self._is_busy = True
        self._server.in_flight += 1
        self._server.most_in_flight = max(self._server.most_in_flight, self._server.in_flight)

    def _end(self) -> None:
        if self._is_busy:
            self._is_busy = False
            self._server.in_flight -= 1

    def _answer(self, reply: Reply, body: dict[str, Any]) -> None:
        if self._transport is None:  # the client went away in the meantime
            return
        if reply.is_dropped:
            self._transport.abort()
            return
        streamed = bool(body.get("stream")) and reply.status == HTTPStatus.OK and reply.body is None
        self._transport.write(_streamed(reply, body) if streamed else _whole(reply, body))
        if reply.half is not None:
            self._transport.close()
            return
        self._end()
        if self._waiting:
            self._next()


def _head(reply: Reply, kind: str, framing: str) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers.items())
    reason = HTTPStatus(reply.status).phrase
    head = f"HTTP/1.1 {reply.status} {reason}\r\nContent-Type: {kind}\r\n{framing}\r\n{more}\r\n"
    return head.encode("latin-1")


def _whole(reply: Reply, body: dict[str, Any]) -> bytes:
    """The whole answer, or the beginning of one that says it is longer."""
    given = reply.body
    if given is None:
        is_fine = reply.status == HTTPStatus.OK
        content = _encode(_completion(reply, body) if is_fine else _error(reply))
    else:
        content = given.encode() if isinstance(given, str) else given
    head = _head(reply, "application/json", f"Content-Length: {len(content)}")
    return head + content[: reply.half]


def _error(reply: Reply) -> dict[str, Any]:
    return {"error": {"message": reply.message, "type": "error", "param": None, "code": None}}


def _tool_calls(calls: Sequence[tuple[str, Any]], first: int = 1) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else _encode(given).decode(),
            },
        }
        for place, (name, given) in enumerate(calls, first)
    ]


def _choice(place: int, text: str | None, calls: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if calls:
        message["tool_calls"] = _tool_calls(calls)
    reason = "tool_calls" if calls else "stop"
    return {"index": place, "message": message, "finish_reason": reason, "logprobs": None}


def _usage(reply: Reply) -> dict[str, int] | None:
    if reply.usage is None:
        return None
    read, written = reply.usage
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _completion(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    choices = [_choice(0, reply.text, reply.calls)]
    choices += [_choice(place, None, calls) for place, calls in enumerate(reply.choices, 1)]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": body.get("model"),
        "choices": choices,
        "usage": _usage(reply),
    }


def _deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    """What a stream says bit by bit: the role, words, and arguments in two pieces."""
    yield {"role": "assistant", "content": None if reply.calls else ""}
    for word in (reply.text or "").split(" ") if reply.text else ():
        yield {"content": f"{word} "}
    for place, made in enumerate(_tool_calls(reply.calls)):
        arguments = made["function"]["arguments"]
        middle = len(arguments) // 2
        begun = {**made["function"], "arguments": arguments[:middle]}
        yield {"tool_calls": [{"index": place, **made, "function": begun}]}
        yield {"tool_calls": [{"index": place, "function": {"arguments": arguments[middle:]}}]}


def _chunks(reply: Reply, body: dict[str, Any]) -> Iterator[bytes]:
    about = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": body.get("model"),
    }

    def chunk(choices: list[dict[str, Any]], **more: Any) -> bytes:
        return b"data: " + _encode({**about, "choices": choices, **more}) + b"\n\n"

    for delta in _deltas(reply):
        yield chunk([{"index": 0, "delta": delta, "finish_reason": None}])
    reason = "tool_calls" if reply.calls else "stop"
    yield chunk([{"index": 0, "delta": {}, "finish_reason": reason}])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield chunk([], usage=_usage(reply))
    yield b"data: [DONE]\n\n"


def _streamed(reply: Reply, body: dict[str, Any]) -> bytes:
    """A stream of events in chunks; half of one has no end."""
    chunks = list(_chunks(reply, body))[: reply.half]
    framed = b"".join(f"{len(one):x}\r\n".encode() + one + b"\r\n" for one in chunks)
    ending = b"0\r\n\r\n" if reply.half is None else b""
    return _head(reply, "text/event-stream", "Transfer-Encoding: chunked") + framed + ending


@contextmanager
def openai_server(
    script: Script = obliging, *, latency: float = 0.0, together: int = 1
) -> Iterator[OpenAIServer]:
    """Serve a script in a thread of its own while the block runs.

    Args:
        script: what the server answers.
        latency: for how many seconds every reply waits that does not say so itself.
        together: how many requests must be there at once before the first one is answered.
    """
    server = OpenAIServer(script, latency=latency, together=together)
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()
    ready = threading.Event()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(server.serve(ready.set, ended))

    thread = threading.Thread(target=run, daemon=True, name="openai-server")
    thread.start()
    assert ready.wait(300), "The server did not start."
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(300)


async def _serve_process(latency: float) -> None:
    """Serve until the parent is gone, so that no server is left behind."""
    server = OpenAIServer(obliging, keeps=False, latency=latency)
    ended = asyncio.Event()
    serving = asyncio.create_task(server.serve(lambda: print(server.base_url, flush=True), ended))  # noqa: T201  (whoever started it reads this line)
    parent = os.getppid()
    while os.getppid() == parent and not serving.done():
        await asyncio.wait([serving], timeout=0.5)
    ended.set()
    await serving


def main() -> None:
    """Serve on a free port as a process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    asyncio.run(_serve_process(parser.parse_args().latency))


if __name__ == "__main__":
    main()
