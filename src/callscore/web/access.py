"""Who may ask the server: this machine, and only pages of the server itself.

A page of another site can send requests to an address of this machine. It cannot read answers, but it could
change something, and by a name that resolves to this machine it could even read. So a request must name this
host and this port; one that comes from another page is refused; and one that changes something needs a token,
which only the server's own page has.
"""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

from callscore.history.records import json_bytes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-callscore-token"  # noqa: S105  (the name of a header)
LARGEST_BODY = 256 * 1024  # bytes
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_PORT_OF_HTTP = 80
_JSON = b"application/json"
# Of `Sec-Fetch-Site`: the page of the server itself, or the user, by typing an address.
_OWN_SITES = (b"same-origin", b"none")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

_FORBIDDEN, _NO_METHOD, _LARGE, _NO_JSON = 403, 405, 413, 415
_Problem = tuple[int, str]
_WRONG_HOST = _FORBIDDEN, "this server answers requests to 127.0.0.1 and localhost only"
_WRONG_ORIGIN = _FORBIDDEN, "the request comes from another page, and is refused"
_WRONG_TOKEN = (
    _FORBIDDEN,
    "the token of the request is missing or of another server. Reload the page",
)
_WRONG_METHOD = _NO_METHOD, "this method is not allowed"
_WRONG_TYPE = _NO_JSON, "the body must be JSON: Content-Type: application/json"
TOO_LARGE = _LARGE, f"the body is too large: the limit is {LARGEST_BODY:,} bytes"


class Guard:
    """Refuses requests of others, and adds the headers that keep a browser to its rules.

    Args:
        app: answers the requests that are not refused.
        port: the port of the server.
        token: the secret of requests that change something.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        names = [f"{name}:{port}" for name in _NAMES]
        if port == _PORT_OF_HTTP:  # browsers leave it out
            names += _NAMES
        self._app = app
        self._hosts = frozenset(name.encode() for name in names)
        self._origins = frozenset(f"http://{name}".encode() for name in names)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            problem = self._problem(scope)
            if problem is None:
                await self._app(scope, receive, _with_headers(send))
            else:
                await _refuse(problem, scope, _with_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _problem(self, scope: Scope) -> _Problem | None:
        """Why a request is refused; None if it is not."""
        given = _headers(scope)
        hosts = given.get(b"host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _WRONG_HOST
        is_own = all(origin in self._origins for origin in given.get(b"origin", []))
        if not is_own or not _is_own_site(scope, given):
            return _WRONG_ORIGIN
        if scope["method"] == "POST":
            return self._problem_of_change(given)
        return None if scope["method"] in ("GET", "HEAD") else _WRONG_METHOD

    def _problem_of_change(self, given: dict[bytes, list[bytes]]) -> _Problem | None:
        tokens = given.get(TOKEN_HEADER.encode(), [])
        if len(tokens) != 1 or not compare_digest(tokens[0], self._token):
            return _WRONG_TOKEN
        kinds = given.get(b"content-type", [])
        if len(kinds) != 1 or kinds[0].partition(b";")[0].strip().lower() != _JSON:
            return _WRONG_TYPE
        for length in given.get(b"content-length", []):
            if not length.isdigit() or int(length) > LARGEST_BODY:
                return TOO_LARGE
        return None


def _headers(scope: Scope) -> dict[bytes, list[bytes]]:
    found: dict[bytes, list[bytes]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.lower(), []).append(value)
    return found


def _is_own_site(scope: Scope, given: dict[bytes, list[bytes]]) -> bool:
    """Whether the request is not of another site; anybody may link to a screen of the page."""
    sites = given.get(b"sec-fetch-site", [])
    if all(site in _OWN_SITES for site in sites):
        return True
    is_link = given.get(b"sec-fetch-mode") == [b"navigate"] and given.get(b"sec-fetch-dest") == [
        b"document"
    ]
    is_screen = not scope["path"].startswith(("/api/", "/static/"))
    return is_link and is_screen and scope["method"] in ("GET", "HEAD")


def _with_headers(send: Send) -> Send:
    """Send answers with the headers; one that an answer has itself is left as it is."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", [])}
            more = [(name, value) for name, value in _HEADERS if name not in given]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return send_with_headers


async def _refuse(problem: _Problem, scope: Scope, send: Send) -> None:
    status, sentence = problem
    body = json_bytes({"error": sentence})
    headers: list[Any] = [
        (b"content-type", _JSON),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # the rest of the request is not read
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    shown = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": shown})
