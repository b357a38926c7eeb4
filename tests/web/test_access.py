"""Who may ask the server, and what every answer says to a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from tests.web.conftest import PORT, TOKEN

from callscore.web.access import HEADERS, LARGEST_BODY, TOKEN_HEADER

if TYPE_CHECKING:
    from tests.web.conftest import Browser

    from callscore.web.app import Page

JSON = "application/json"
ALLOWED: dict[str, str] = {TOKEN_HEADER: TOKEN, "content-type": JSON}


@pytest.mark.parametrize("path", ["/", "/api/home"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:80",
        f"127.0.0.1:{PORT}.evil.example",
        f"127.0.0.1.evil.example:{PORT}",
        f"127.0.0.2:{PORT}",
        "",
    ],
)
def test_a_request_for_another_host_is_refused(browser: Browser, host: str, path: str) -> None:
    answer = browser.client.get(path, headers={"host": host})

    assert answer.status_code == 403
    assert answer.json() == {
        "error": "this server answers requests to 127.0.0.1 and localhost only"
    }


def test_at_the_port_of_http_browsers_leave_the_port_out(page: Page) -> None:
    client = TestClient(page.app(80), base_url="http://localhost")

    assert client.get("/api/home", headers={"origin": "http://localhost"}).status_code == 200
    assert client.get("/api/home", headers={"host": "localhost:8765"}).status_code == 403


def test_two_hosts_are_no_host(browser: Browser) -> None:
    hosts = [("host", f"127.0.0.1:{PORT}"), ("host", "evil.example")]

    assert browser.client.get("/api/home", headers=hosts).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "http://localhost:3000",
        f"https://localhost:{PORT}",
        f"http://localhost:{PORT}.evil.example",
        "file://",
    ],
)
def test_a_request_of_another_page_is_refused(browser: Browser, origin: str) -> None:
    asked = browser.client.get("/api/home", headers={"origin": origin})
    told = browser.client.post("/api/notes", json={}, headers={**ALLOWED, "origin": origin})

    assert (asked.status_code, told.status_code) == (403, 403)
    assert asked.json() == {"error": "the request comes from another page, and is refused"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_link_to_a_screen_and_nothing_else(browser: Browser, site: str) -> None:
    link = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    frame = {**link, "sec-fetch-dest": "iframe"}
    script = {**link, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"}

    def status(path: str, headers: dict[str, str]) -> int:
        return browser.client.get(path, headers=headers).status_code

    assert status("/runs/latest", link) == 200
    assert status("/runs/latest", frame) == 403
    assert status("/runs/latest", script) == 403
    assert status("/api/home", link) == 403
    assert status("/static/page/page.js", script) == 403
    assert (
        browser.client.post("/api/notes", json={}, headers={**ALLOWED, **link}).status_code == 403
    )


def test_the_page_itself_may_ask(browser: Browser) -> None:
    own = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}

    assert browser.client.get("/api/home", headers=own).status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + " ", TOKEN[:-1], "ключ"])
def test_a_change_needs_the_token(browser: Browser, token: str) -> None:
    headers: Any = {"content-type": JSON, TOKEN_HEADER: token.encode()}

    answer = browser.client.post("/api/notes", content=b"{}", headers=headers)

    assert answer.status_code == 403
    assert "Reload the page" in answer.json()["error"]


def test_a_change_without_any_token_is_refused(browser: Browser) -> None:
    assert browser.client.post("/api/notes", json={}).status_code == 403


@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonp",
    ],
)
def test_a_change_must_be_json(browser: Browser, kind: str) -> None:
    headers = {**ALLOWED, "content-type": kind}

    answer = browser.client.post("/api/notes", content=b"{}", headers=headers)

    assert answer.status_code == 415


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/", "/api/notes"])
def test_other_methods_are_refused(browser: Browser, method: str, path: str) -> None:
    answer = browser.client.request(method, path, headers=ALLOWED)

    assert answer.status_code == 405
    assert answer.json() == {"error": "this method is not allowed"}


@pytest.mark.parametrize("path", ["/api/notes", "/api/notes/delete", "/api/runs/latest/cancel"])
def test_a_get_request_to_a_path_that_changes_something_is_refused(
    browser: Browser, path: str
) -> None:
    assert browser.client.get(path).status_code == 405


def test_a_large_body_is_refused_by_its_length(browser: Browser) -> None:
    content = b'{"text": "' + b"x" * LARGEST_BODY + b'"}'

    answer = browser.client.post("/api/notes", content=content, headers=ALLOWED)

    assert answer.status_code == 413


def test_a_large_body_without_a_length_is_refused_while_it_is_read(browser: Browser) -> None:
    def endless() -> Any:
        for _ in range(LARGEST_BODY // 1000 + 2):
            yield b"x" * 1000

    answer = browser.client.post("/api/notes", content=endless(), headers=ALLOWED)

    assert answer.status_code == 413
    assert "262,144 bytes" in answer.json()["error"]


@pytest.mark.parametrize("length", ["-1", "abc", "1e3"])
def test_a_length_that_is_no_number_is_refused(browser: Browser, length: str) -> None:
    headers = {**ALLOWED, "content-length": length}

    answer = browser.client.post("/api/notes", content=b"{}", headers=headers)

    assert answer.status_code == 413


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'"text"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(browser: Browser, body: bytes) -> None:
    answer = browser.client.post("/api/notes", content=body, headers=ALLOWED)

    assert answer.status_code == 400
    assert answer.json() == {"error": "the body must be one JSON object"}


@pytest.mark.parametrize(
    "path", ["/", "/runs/latest", "/api/home", "/api/runs/none", "/static/page/page.js", "/nowhere"]
)
def test_every_answer_keeps_a_browser_to_the_rules(browser: Browser, path: str) -> None:
    answer = browser.client.get(path)

    assert {name: answer.headers[name] for name in HEADERS if name != "cache-control"} == {
        name: value for name, value in HEADERS.items() if name != "cache-control"
    }
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    kept = "no-cache" if path.startswith("/static/") else "no-store"
    assert answer.headers["cache-control"] == kept


def test_a_refusal_has_the_same_headers(browser: Browser) -> None:
    answer = browser.client.get("/", headers={"host": "evil.example"})

    assert {name: answer.headers[name] for name in HEADERS} == dict(HEADERS)


def test_a_refused_head_has_no_body(browser: Browser) -> None:
    answer = browser.client.head("/", headers={"host": "evil.example"})

    assert (answer.status_code, answer.content) == (403, b"")


def test_no_other_protocol_is_spoken(browser: Browser) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        browser.client.websocket_connect("/api/events"),
    ):
        pass
