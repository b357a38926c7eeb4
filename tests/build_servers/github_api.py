"""A stand-in for the API of GitHub: the comments of pull requests, on a free port of this machine."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

BOT = {"login": "github-actions[bot]", "type": "Bot"}


class Api:
    """The comments, and what a token may do."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.tokens: set[str] = set()
        self.login: str | None = None  # of a person's token
        self.refusal: int | None = None  # the status of everything that writes
        self.address = ""

    def add(self, body: str, user: dict[str, str] | None = None) -> dict[str, Any]:
        number = len(self.comments) + 1
        own = {"login": self.login, "type": "User"} if self.login else BOT
        made = {
            "id": number,
            "body": body,
            "user": user or own,
            "html_url": f"https://github.example/comments/{number}",
        }
        self.comments.append(made)
        return made

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        self.requests.append(f"{method} {target}")
        place = urlsplit(target)
        if place.path == "/user":
            return (200, {"login": self.login}) if self.login else (403, {})
        assert place.path.startswith("/repos/ada/agent/issues/")
        if method == "GET":
            query = parse_qs(place.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[size * (page - 1) : size * page]
        if self.refusal is not None:
            return self.refusal, {"message": "Resource not accessible by integration"}
        return self._write(method, place.path, body["body"])

    def _write(self, method: str, path: str, body: str) -> tuple[int, Any]:
        if method == "POST":
            return 201, self.add(body)
        number = int(path.rpartition("/")[2])
        for comment in self.comments:
            if comment["id"] == number:
                comment["body"] = body
                return 200, comment
        return 404, {}


@contextmanager
def github_api() -> Iterator[Api]:
    """The API, until the end of the block."""
    api = Api()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = msgspec.json.decode(self.rfile.read(size)) if size else None
            api.tokens.add(self.headers["Authorization"])
            status, found = api.answer(self.command, self.path, body)
            data = msgspec.json.encode(found)
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _handle  # noqa: N815  (the names of http.server)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        api.address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()
