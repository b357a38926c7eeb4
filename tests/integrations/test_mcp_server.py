"""The server, asked by the official client in the same process."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Any

import anyio
import jsonschema_rs
import mcp_types
import msgspec
import pytest
from mcp import Client, MCPError

import callscore
from callscore.errors import InvalidSettings, MissingExtra
from callscore.integrations.mcp_server import _security, make_server, serve_http, serve_stdio
from callscore.integrations.tools import TOOLS, explain_score, score_tool_calls
from callscore.integrations.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

INPUT = {
    "expected": [{"tool": "f", "args": {"a": None}}, {"tool": "g", "args": {}}],
    "actual": [{"tool": "f", "args": {"a": 1}}],
}


def asked(question: Callable[[Client], Awaitable[Any]], mode: str = "auto") -> Any:
    """What the server answers to a client that connects for one question."""

    async def ask() -> Any:
        async with Client(make_server(workers), mode=mode) as client:
            return await question(client)

    with Workers() as workers:
        return anyio.run(ask)


def called(name: str, arguments: dict[str, Any], mode: str = "auto") -> Any:
    return asked(lambda client: client.call_tool(name, arguments), mode)


def test_the_server_says_who_it_is() -> None:
    async def look(client: Client) -> Any:
        return client.server_info, client.instructions

    info, instructions = asked(look)

    assert (info.name, info.version) == ("callscore", callscore.__version__)
    assert "score_tool_calls" in instructions


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_is_listed_with_its_schemas_and_as_harmless(mode: str) -> None:
    listed = asked(lambda client: client.list_tools(), mode).tools

    assert [tool.name for tool in listed] == list(TOOLS)
    for tool in listed:
        ours, hints = TOOLS[tool.name], tool.annotations
        assert (tool.title, tool.description) == (ours.title, ours.description)
        assert (tool.input_schema, tool.output_schema) == (
            ours.input_schema(),
            ours.output_schema(),
        )
        assert (hints.read_only_hint, hints.destructive_hint) == (True, False)
        assert (hints.idempotent_hint, hints.open_world_hint) == (True, False)


def test_an_answer_comes_as_data_and_as_the_same_in_text() -> None:
    result = called("score_tool_calls", INPUT)

    assert not result.is_error
    assert result.structured_content == score_tool_calls(INPUT)
    assert msgspec.json.decode(result.content[0].text) == result.structured_content
    jsonschema_rs.validate(TOOLS["score_tool_calls"].output_schema(), result.structured_content)


def test_an_explanation_comes_as_text_that_is_made_to_be_read() -> None:
    result = called("explain_score", INPUT)

    assert result.content[0].text == explain_score(INPUT)["explanation"]
    assert result.structured_content == explain_score(INPUT)


def test_wrong_arguments_are_a_result_that_says_what_to_do() -> None:
    result = called("score_tool_calls", {"expected": []})

    assert result.is_error
    assert result.structured_content is None
    assert result.content[0].text.startswith("actual: give the calls that were made")


def test_a_call_without_arguments_is_answered() -> None:
    result = asked(lambda client: client.call_tool("check_tool_calls"))

    assert result.is_error


def test_a_tool_that_there_is_not_is_an_error_of_the_protocol() -> None:
    async def refused(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("score", {})
        return caught.value

    error = asked(refused).error

    assert error.code == mcp_types.INVALID_PARAMS
    assert error.message.startswith("there is no tool 'score'. Is 'score_tool_calls' meant?")


@pytest.mark.parametrize(
    "serve",
    [lambda: make_server(Workers()), serve_stdio, lambda: serve_http("::1", 0, print)],
)
def test_without_the_extra_it_is_named(
    serve: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)

    with pytest.raises(MissingExtra, match=r"^callscore mcp needs an extra: .*'callscore\[mcp\]'"):
        serve()


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org", "", "::"])  # noqa: S104  (to be refused)
def test_only_this_machine_is_listened_to(host: str) -> None:
    with pytest.raises(InvalidSettings, match=r"is one of 127\.0\.0\.1, localhost, ::1\.$"):
        serve_http(host, 0, print)


@pytest.mark.parametrize("port", [80, 8000])
def test_requests_must_name_this_machine_and_the_port_if_it_is_not_the_usual_one(port: int) -> None:
    security = _security(port)

    hosts = ["127.0.0.1", "localhost", "[::1]"]
    named = [f"{host}:{port}" for host in hosts] + (hosts if port == 80 else [])
    assert security.enable_dns_rebinding_protection
    assert security.allowed_hosts == named
    assert security.allowed_origins == [f"http://{host}" for host in named]


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(InvalidSettings, match=f"nobody can listen on 127.0.0.1, port {port}: "):
            serve_http("127.0.0.1", port, print)
