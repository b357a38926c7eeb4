"""The server: the protocol as exporters expect it, and requests that are refused."""

from __future__ import annotations

import gzip
import http.client
import socket
import sys
from contextlib import ExitStack, closing
from importlib import import_module
from time import sleep
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.receiving.made_up import (
    a_request,
    a_span,
    field,
    in_protobuf,
    lines_of,
    no_file_over,
)
from tests.receiving.serving import BODY, HOST, WAIT, ask, serving

from callscore.errors import InvalidSettings, MissingExtra
from callscore.receiving import server as servers
from callscore.receiving.otlp import JSON, PROTOBUF
from callscore.receiving.server import checked_token, listening
from callscore.receiving.traces import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.receiving.server import TraceServer

TOKEN = "the-token-of-these-tests"  # noqa: S105  (it opens nothing)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TraceServer]:
    with serving(tmp_path) as running:
        yield running.server


def test_spans_are_acknowledged_in_both_encodings(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, server, _):
        first = ask(server)
        second = ask(server, msgspec.json.encode(a_request(a_span(2, 1))), kind=f"{JSON};charset=x")
        third = ask(
            server,
            gzip.compress(in_protobuf(a_request(a_span(3, 1)))),
            Content_Encoding="gzip",
        )

        assert [first.status, second.status, third.status] == [200, 200, 200]
        assert (first.headers["content-type"], first.body) == (PROTOBUF, b"")
        assert (second.headers["content-type"], second.body) == (JSON, b"{}")
        assert first.headers["server"] is None
    assert len(lines_of(tmp_path / "t.jsonl")) == 3


def test_refused_spans_are_in_the_response(server: TraceServer) -> None:
    found = ask(server, msgspec.json.encode(a_request(a_span(0, 1), a_span(1, 1))), kind=JSON)

    assert found.status == 200
    assert found.data["partialSuccess"]["rejectedSpans"] == "1"


def test_an_empty_request_is_valid(server: TraceServer) -> None:
    assert ask(server, b"").status == 200
    assert ask(server, b"{}", kind=JSON).status == 200


def test_errors_are_in_the_encoding_of_the_request(server: TraceServer) -> None:
    found = ask(server, b"\x0a\xff")
    other = ask(server, b"{", kind=JSON)

    assert (found.status, found.headers["content-type"]) == (400, PROTOBUF)
    assert found.body.startswith(b"\x08\x03\x12")
    assert (other.status, other.data["code"]) == (400, 3)


def test_wrong_requests_have_their_status(server: TraceServer) -> None:
    found = {
        "path": ask(server, path="/v1/logs").status,
        "method": ask(server, b"", method="GET", kind=None).status,
        "preflight": ask(server, b"", method="OPTIONS", kind=None).status,
        "no type": ask(server, kind=None).status,
        "type": ask(server, kind="text/plain").status,
        "encoding": ask(server, Content_Encoding="br").status,
        "large": ask(server, b"x" * 200_000).status,
        "very large": ask(server, b"x" * 30_000_000).status,
        "very large and wrong": ask(server, b"x" * 30_000_000, kind="text/plain").status,
        "bomb": ask(server, gzip.compress(b"\0" * 10_000_000), Content_Encoding="gzip").status,
    }

    assert found == {
        "path": 404,
        "method": 405,
        "preflight": 405,
        "no type": 415,
        "type": 415,
        "encoding": 415,
        "large": 413,
        "very large": 413,
        "very large and wrong": 415,
        "bomb": 413,
    }


def test_a_header_that_is_given_twice_is_refused(server: TraceServer) -> None:
    connection = http.client.HTTPConnection(HOST, server.port, timeout=WAIT)
    with closing(connection):
        connection.putrequest("POST", "/v1/traces")
        for kind in (JSON, PROTOBUF):
            connection.putheader("Content-Type", kind)
        connection.putheader("Content-Length", "0")
        connection.endheaders()

        assert connection.getresponse().status == 400


def test_pages_in_a_browser_are_refused(server: TraceServer) -> None:
    assert ask(server, Origin="http://evil.example").status == 403
    assert ask(server, Origin=f"http://{HOST}:{server.port}").status == 403
    assert ask(server, Sec_Fetch_Site="cross-site").status == 403
    assert ask(server, Host="evil.example").status == 403
    assert ask(server, Host=f"evil.example:{server.port}").status == 403


@pytest.mark.parametrize("host", ["localhost", "localhost:99", "127.0.0.1", "[::1]:4318"])
def test_a_request_to_any_name_of_this_machine_is_accepted(server: TraceServer, host: str) -> None:
    assert ask(server, Host=host).status == 200


def test_with_a_token_every_request_needs_it(tmp_path: Path) -> None:
    with serving(tmp_path, token=TOKEN) as (_, server, _):
        right = f"Bearer {TOKEN}"
        found = [
            ask(server, Authorization=given, Host="receiver.internal:4318").status
            for given in (right, f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "")
        ]
        missing = ask(server)
        health = ask(server, b"", path="/healthz", method="GET", kind=None)

    assert found == [200, 401, 401, 401, 401]
    assert (missing.status, missing.headers["www-authenticate"]) == (401, "Bearer")
    assert TOKEN.encode() not in missing.body
    assert health.status == 200


def test_too_much_at_once_is_asked_to_wait(tmp_path: Path) -> None:
    limits = Limits(settle=1, quiet=10, max_open_traces=1)
    with serving(tmp_path, limits=limits) as (_, server, _):
        ask(server)
        found = ask(server, in_protobuf(a_request(a_span(2, 1))))

    assert (found.status, found.headers["retry-after"]) == (429, "2")
    assert found.headers["content-type"] == PROTOBUF


def test_bodies_that_are_being_received_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_MAX_UNREAD_BYTES", 1000)
    with serving(tmp_path) as (_, server, _):
        found = ask(server, b"x" * 2000)
        again = ask(server)

    assert (found.status, found.headers["retry-after"]) == (429, "1")
    assert again.status == 200  # what was refused is not counted any more


HEAD = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {PROTOBUF}\r\n".encode()
HALF = [b"", HEAD, HEAD + b"Content-Length: 50000\r\n\r\n" + b"x" * 40_000]


@pytest.mark.parametrize("sent", HALF)
def test_a_request_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(servers, "_PATIENCE", 0.2)
    with (
        serving(tmp_path) as (_, server, _),
        socket.create_connection((HOST, server.port), timeout=WAIT) as connection,
    ):
        connection.sendall(sent)

        assert connection.recv(1) == b""  # it is closed


@pytest.mark.parametrize("sent", HALF)
def test_connections_that_wait_do_not_shut_out_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(servers, "_MOST_CONNECTIONS", 10)
    monkeypatch.setattr(servers, "_MAX_UNREAD_BYTES", 100_000)
    monkeypatch.setattr(servers, "_PATIENCE", WAIT)
    with serving(tmp_path) as (_, server, _), ExitStack() as connections:
        for _ in range(30):
            connection = socket.create_connection((HOST, server.port), timeout=WAIT)
            connections.enter_context(connection).sendall(sent)

        assert [ask(server).status for _ in range(3)] == [200] * 3


def test_a_body_has_as_long_to_come_as_its_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_PATIENCE", 2.5)
    with (
        serving(tmp_path) as (_, server, _),
        socket.create_connection((HOST, server.port), timeout=WAIT) as connection,
    ):
        for part in (HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY), BODY):
            sleep(1.5)
            connection.sendall(part)

        assert connection.recv(12) == b"HTTP/1.1 200"


def test_an_old_connection_is_not_closed_for_a_body_that_began_before_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_MAX_UNREAD_BYTES", 60_000)
    body = in_protobuf(a_request(a_span(1, 1, text="x" * 40_000)))
    with (
        serving(tmp_path) as (_, server, _),
        socket.create_connection((HOST, server.port), timeout=WAIT) as old,
        socket.create_connection((HOST, server.port), timeout=WAIT) as other,
    ):
        ask(server, b"", path="/healthz", method="GET", kind=None)  # both are known by now
        other.sendall(HALF[-1])
        sleep(0.2)
        old.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body[:30_000])
        sleep(0.2)
        old.sendall(body[30_000:])

        assert old.recv(12) == b"HTTP/1.1 200"


def test_a_connection_without_a_body_is_not_closed_for_the_memory_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_MAX_UNREAD_BYTES", 1000)
    with (
        serving(tmp_path) as (_, server, _),
        socket.create_connection((HOST, server.port), timeout=WAIT) as idle,
    ):
        ask(server)  # the other connection is known by now
        found = ask(server, b"x" * 2000)
        idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")

        assert (found.status, idle.recv(12)) == (429, b"HTTP/1.1 200")


def test_many_empty_members_of_gzip_are_read(server: TraceServer) -> None:
    body = gzip.compress(b"") * 4_500

    assert ask(server, body + gzip.compress(BODY), Content_Encoding="gzip").status == 200
    assert ask(server, body + b"\x1f", Content_Encoding="gzip").status == 400
    assert ask(server, gzip.compress(BODY)[:-1], Content_Encoding="gzip").status == 400


def test_a_full_disk_is_said(tmp_path: Path) -> None:
    large = msgspec.json.encode(a_request(a_span(1, 1, text="x" * 50_000)))
    with serving(tmp_path) as (_, server, _):
        before = ask(server, b"", path="/healthz", method="GET", kind=None)
        with no_file_over(40_000):
            found = ask(server, large, kind=JSON)
            health = ask(server, b"", path="/healthz", method="GET", kind=None)
            small = ask(server, in_protobuf(a_request(a_span(2, 1))))
        again = ask(server, b"", path="/healthz", method="GET", kind=None)

    assert (before.status, before.data) == (200, {"status": "ok"})
    assert (found.status, found.headers["retry-after"]) == (503, "5")
    assert "File too large" in found.data["message"]
    assert (health.status, health.data) == (503, {"status": "cannot write"})
    assert (small.status, again.status) == (200, 200)
    assert [line["trace_id"] for line in lines_of(tmp_path / "t.jsonl")] == [f"{2:032x}"]


def test_a_client_that_gives_up_changes_nothing(tmp_path: Path) -> None:
    head = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {PROTOBUF}\r\n"
    with serving(tmp_path) as (_, server, _):
        with socket.create_connection((HOST, server.port), timeout=WAIT) as connection:
            connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode() + BODY)
        assert ask(server).status == 200
    assert len(lines_of(tmp_path / "t.jsonl")) == 1


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_body_is_an_error_of_the_server(server: TraceServer, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([JSON, PROTOBUF]))
    request = a_request(a_span(1, 1, a="b"))
    body = bytearray(msgspec.json.encode(request) if kind == JSON else in_protobuf(request))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    encoding = data.draw(st.sampled_from(["", "gzip"]))
    sent = gzip.compress(bytes(body)) if encoding and data.draw(st.booleans()) else bytes(body)

    found = ask(server, sent, kind=kind, Content_Encoding=encoding)

    assert found.status in (200, 400)


def test_ports_and_addresses_that_cannot_be_used_are_refused() -> None:
    with closing(socket.create_server((HOST, 0))) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(InvalidSettings, match=f"port {port}.*Pass another --port"),
            listening(port=port),
        ):
            pass
    with (
        pytest.raises(InvalidSettings, match="--host no such host"),
        listening("no such host"),
    ):
        pass


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.8.8.8"])
def test_a_loopback_address_needs_no_token(host: str) -> None:
    assert checked_token(host, None) is None
    assert checked_token(host, "") is None
    assert checked_token(host, TOKEN) == TOKEN


@pytest.mark.parametrize("host", ["::", "192.168.1.7", "example.com", "localhost.evil"])
def test_other_machines_need_a_token(host: str) -> None:
    with pytest.raises(InvalidSettings, match="CALLSCORE_RECEIVE_TOKEN"):
        checked_token(host, None)
    assert checked_token(host, TOKEN) == TOKEN


@pytest.mark.parametrize("token", ["short", "with a line\nbreak in it", "пароль из русских букв"])
def test_a_token_that_cannot_be_sent_or_guessed_is_refused(token: str) -> None:
    with pytest.raises(InvalidSettings, match="at least 16 ASCII characters") as caught:
        checked_token("0.0.0.0", token)  # noqa: S104  (it is refused)

    assert token not in str(caught.value)


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "callscore.receiving.server")

    with pytest.raises(MissingExtra, match=r"callscore\[web\]"):
        import_module("callscore.receiving.server")


def test_two_byte_messages_do_not_take_the_memory(server: TraceServer) -> None:
    body = field(1, field(2, b"\x12\x00" * 40_000))

    found = ask(server, body)

    assert found.status == 200
    assert found.body  # all of them are refused
