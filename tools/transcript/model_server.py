"""A server on this machine that answers as a language model, always the same to the same question."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["model_server"]

# What a city is called in the arguments of the call that the model makes.
_CITIES = ("Paris", "Rome", "Oslo")


# The history keeps digests in which the address is. Several recordings at once share the port:
# whichever server is asked, the answer is the same.
_PLACE = ("127.0.0.1", 8476)


class _Server(ThreadingHTTPServer):
    allow_reuse_port = True


@contextmanager
def model_server() -> Iterator[str]:
    """The base URL of a server, which a process of its own runs."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            server = _Server(_PLACE, _Handler)
            os.write(writing, b"ready")
            os.close(writing)
            server.serve_forever()
        finally:
            os._exit(0)
    os.close(writing)
    is_ready = os.read(reading, 10)
    os.close(reading)
    try:
        if not is_ready:
            raise OSError(f"the port {_PLACE[1]} is taken; end what listens there")
        yield f"http://{_PLACE[0]}:{_PLACE[1]}/v1"
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for chat completions."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one request."""
        length = int(self.headers.get("Content-Length") or 0)
        body = msgspec.json.decode(self.rfile.read(length))
        status, answer = _answer(body)
        content = msgspec.json.encode(answer)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (named by http.server)
        """Say nothing."""


def _answer(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The status and the body of an answer; the name of the model says how it behaves."""
    model = body["model"]
    if model == "broken":
        return 400, {"error": {"message": "This model is broken.", "type": "invalid_request_error"}}
    if model == "unknown":
        return 404, {"error": {"message": "There is no such model.", "type": "not_found"}}
    said = " ".join(str(message.get("content")) for message in body["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": _text(model, said)}
    is_answered = any(one["role"] == "tool" for one in body["messages"])
    if body.get("tools") and model != "silent" and not is_answered:
        message = {"role": "assistant", "content": None, "tool_calls": [_call(body["tools"], said)]}
    return 200, {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30},
    }


def _text(model: str, said: str) -> str:
    if model == "judge":
        verdict = "rude" not in said
        return msgspec.json.encode({"verdict": verdict, "reason": "It is polite."}).decode()
    if model == "vague":
        return "Perhaps."
    return f"You said {len(said)} characters."


def _call(tools: list[dict[str, Any]], said: str) -> dict[str, Any]:
    """A call of the first tool, with a city that was mentioned."""
    city = next((city for city in _CITIES if city in said), "Lima")
    function = tools[0]["function"]
    name = next(iter(function.get("parameters", {}).get("properties") or {"city": {}}))
    arguments = msgspec.json.encode({name: city}).decode()
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": function["name"], "arguments": arguments},
    }
