"""The server itself: on this machine only, at a free port, until it is told to end."""

from __future__ import annotations

import http.client
import socket
import sys
import webbrowser
from contextlib import closing, suppress
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_run

from callscore.errors import InvalidSettings, MissingExtra
from callscore.history.opening import open_store
from callscore.web import server as page_servers
from callscore.web.server import HOST, listener, page_server, require_extra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.web.server import PageServer

WAIT = 300


@pytest.fixture
def server(project: Path) -> Iterator[PageServer]:
    del project
    with page_server(None, port=0) as found:
        yield found


def asked(server: PageServer, line: str, *headers: str, body: bytes = b"") -> bytes:
    """The answer to a request as it is written, byte by byte."""
    lines = [line, *(headers or (f"Host: 127.0.0.1:{server.port}",)), "Connection: close", "", ""]
    with socket.create_connection((HOST, server.port), timeout=WAIT) as connection:
        found = b""
        with suppress(ConnectionError):  # it is closed as soon as too much is sent
            connection.sendall("\r\n".join(lines).encode() + body)
            while part := connection.recv(65536):
                found += part
    return found


def test_the_server_answers_on_its_loopback_address_only(server: PageServer) -> None:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=WAIT)
    connection.request("GET", "/api/home")
    answer = connection.getresponse()

    assert (answer.status, answer.read()[:14]) == (200, b'{"running":[],')
    assert answer.headers["server"] is None
    assert server.address == f"http://127.0.0.1:{server.port}/"
    with pytest.raises(OSError):  # noqa: PT011  (which one depends on the system)
        socket.create_connection(("127.0.0.2", server.port), timeout=WAIT)
    connection.close()


@pytest.mark.parametrize(
    "target",
    [
        "/static/report/../report/base.css",
        "/static/page/../../../../../../etc/passwd",
        "/static/page/..\\..\\__init__.py",
        "/static/page/%2e%2e%2f__init__.py",
        "/static/page/page.js%2f..%2fapi.js",
        "/api/../static/page/page.js",
        "/..//etc/passwd",
        "//static/page/page.js",
        "http://evil.example/static/page/page.js",
        "file:///etc/passwd",
    ],
)
def test_a_path_is_looked_up_and_never_opened(server: PageServer, target: str) -> None:
    answer = asked(server, f"GET {target} HTTP/1.1")

    assert answer.split(b" ")[1] in (b"404", b"400", b"403")
    assert b"root:" not in answer
    assert b"import {" not in answer


def test_a_request_without_a_host_is_refused(server: PageServer) -> None:
    old = asked(server, "GET /api/home HTTP/1.0", "Accept: */*")
    empty = asked(server, "GET /api/home HTTP/1.1", "Host:")
    foreign = asked(server, "GET /api/home HTTP/1.1", "Host: evil.example")

    assert [answer.split(b" ")[1] for answer in (old, empty, foreign)] == [b"403"] * 3


def test_a_request_that_is_no_http_is_refused(server: PageServer) -> None:
    assert asked(server, "nonsense").startswith(b"HTTP/1.1 400 ")
    assert asked(server, "GET /" + "x" * 100_000 + " HTTP/1.1").split(b" ")[1] in (
        b"400",
        b"404",
        b"431",
    )


def test_many_headers_do_not_fill_the_memory(server: PageServer) -> None:
    many = [f"X-{number}: {'y' * 1000}" for number in range(200)]

    assert asked(server, "GET / HTTP/1.1", *many)[:13] in (b"", b"HTTP/1.1 400 ")


def test_a_taken_port_is_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(listener(0)) as taken:
        monkeypatch.setattr(page_servers, "DEFAULT_PORT", taken.getsockname()[1])
        with closing(listener(None)) as next_one:
            assert next_one.getsockname()[0] == HOST
            assert next_one.getsockname()[1] != taken.getsockname()[1]


def test_a_port_that_was_asked_for_is_used_or_refused() -> None:
    with closing(listener(0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidSettings, match=f"cannot listen on 127.0.0.1, port {port}"):
            listener(port)
    with closing(listener(port)) as found:
        assert found.getsockname() == (HOST, port)


def test_the_server_ends_with_the_block(project: Path) -> None:
    del project
    states = []
    with page_server(None, port=0) as server:
        states.append(server.is_running)
        port = server.port
    states.append(server.is_running)

    assert states == [True, False]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((HOST, port), timeout=WAIT)


def test_a_reader_of_events_does_not_keep_it_from_ending(project: Path) -> None:
    with open_store(project / ".callscore/history.db") as store, store.lock(a_run().id):
        store.begin(a_run())
        with page_server(None, port=0) as server:
            connection = http.client.HTTPConnection(HOST, server.port, timeout=WAIT)
            connection.request("GET", f"/api/events?run={a_run().id}")
            events = connection.getresponse()
            first = events.readline()
        try:
            rest = events.read()
        except http.client.IncompleteRead as cut:  # in the middle of a pause
            rest = cut.partial
        events.close()
        connection.close()

    assert first == b"event: progress\n"
    assert b'"is_finished":true' not in rest


def test_each_server_has_another_token(project: Path) -> None:
    del project

    def token() -> bytes:
        with page_server(None, port=0) as server:
            found = asked(server, "GET / HTTP/1.1")
        return found.partition(b'"token":"')[2].partition(b'"')[0]

    first, second = token(), token()

    assert len(first) == len(second) == 32
    assert first != second


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    with pytest.raises(MissingExtra) as caught:
        require_extra()

    assert str(caught.value) == "callscore view needs an extra: pip install 'callscore[web]'"


def test_a_browser_that_cannot_be_opened_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = Event()

    def fail(address: str) -> Any:
        tried.set()
        raise webbrowser.Error(address)

    monkeypatch.setenv("BROWSER", "true")
    monkeypatch.setattr(webbrowser, "open", fail)

    page_servers.open_in_browser("http://127.0.0.1:1/")

    assert tried.wait(WAIT)
