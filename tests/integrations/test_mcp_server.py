"""The server, asked by the official client in the same process."""

from __future__ import annotations

import socket
import sys
from contextlib import closing
from io import BytesIO
from typing import TYPE_CHECKING, Any

import anyio
import jsonschema_rs
import mcp_types
import msgspec
import pytest
from mcp import Client, MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from tests.e2e.histories import add_run

import callscore
from callscore.errors import InvalidSettings, MissingExtra
from callscore.integrations.documentation import PAGES
from callscore.integrations.history_tools import SERVED_TOOLS
from callscore.integrations.mcp_server import (
    BoundedLines,
    HttpOptions,
    _replies,
    _with_object_arguments,
    make_server,
    serve_http,
    serve_stdio,
)
from callscore.integrations.mcp_workers import Workers
from callscore.integrations.tools import TOOLS, explain_score, score_tool_calls

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

INPUT = {
    "expected": [{"tool": "f", "args": {"a": None}}, {"tool": "g", "args": {}}],
    "actual": [{"tool": "f", "args": {"a": 1}}],
}


def asked(
    question: Callable[[Client], Awaitable[Any]],
    mode: str = "auto",
    *,
    store: str | None = None,
    has_history: bool = True,
) -> Any:
    """What the server answers to a client that connects for one question."""

    async def ask() -> Any:
        server = make_server(workers, has_history=has_history)
        async with Client(server, mode=mode) as client:
            return await question(client)

    with closing(Workers(store=store)) as workers:
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

    assert [tool.name for tool in listed] == list(SERVED_TOOLS)
    for tool in listed:
        ours, hints = SERVED_TOOLS[tool.name], tool.annotations
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


async def refused(question: Awaitable[Any]) -> Any:
    """The error of the protocol with which a question is answered."""
    with pytest.raises(MCPError) as caught:
        await question
    return caught.value.error


# --- the history, pages, and the prompt -----------------------------------------------------------


def test_the_history_that_the_server_was_given_is_read(tmp_path: Path) -> None:
    run = add_run(tmp_path, wrong={"sum"})
    place = str(tmp_path / ".callscore/history.db")

    async def look(client: Client) -> Any:
        listed = await client.call_tool("list_runs", {})
        case = await client.call_tool("get_case", {"case": "sum"})
        prompt = await client.get_prompt("review_failing_run", {"run": ""})
        unknown = await client.call_tool("get_case", {"case": "summ"})
        return listed, case, prompt, unknown

    listed, case, prompt, unknown = asked(look, store=place)

    assert [each["id"] for each in listed.structured_content["runs"]] == [run]
    assert case.structured_content["cases"][0]["trials"][0]["passed"] is False
    assert msgspec.json.decode(case.content[0].text) == case.structured_content
    (message,) = prompt.messages
    assert (message.role, run in message.content.text) == ("user", True)
    assert '"case": "sum"' in message.content.text
    assert (unknown.is_error, "Did you mean 'sum'?" in unknown.content[0].text) == (True, True)


def test_a_prompt_about_what_there_is_not_is_an_error_of_the_protocol(tmp_path: Path) -> None:
    add_run(tmp_path)

    async def look(client: Client) -> Any:
        return [
            await refused(client.get_prompt("review", {})),
            await refused(client.get_prompt("review_failing_run", {"run": "nobody"})),
            await refused(client.get_prompt("review_failing_run", {"rnu": "latest"})),
        ]

    errors = asked(look, store=str(tmp_path / ".callscore/history.db"))

    assert {error.code for error in errors} == {mcp_types.INVALID_PARAMS}
    assert [error.message.partition(".")[0] for error in errors] == [
        "unknown prompt 'review'",
        "unknown run 'nobody'",
        "unknown argument 'rnu'",
    ]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_pages_are_listed_and_read(mode: str) -> None:
    async def look(client: Client) -> Any:
        listed = (await client.list_resources()).resources
        texts = []
        for each in listed:
            content: Any = (await client.read_resource(each.uri)).contents[0]
            texts.append(content.text)
        return listed, texts, await refused(client.read_resource("callscore://docs/nothing"))

    listed, texts, error = asked(look, mode)

    assert [each.uri for each in listed] == list(PAGES)
    assert all(text.startswith("# ") for text in texts)
    assert (error.code, "Did you mean" in error.message or "Choose" in error.message) == (
        mcp_types.INVALID_PARAMS,
        True,
    )


def test_without_the_history_no_tool_and_no_prompt_reads_it() -> None:
    async def look(client: Client) -> Any:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        errors = [
            await refused(client.call_tool("list_runs", {})),
            await refused(client.get_prompt("review_failing_run", {})),
        ]
        return tools, errors, client.instructions, len((await client.list_resources()).resources)

    tools, errors, instructions, pages = asked(look, has_history=False)

    assert tools == list(TOOLS)
    assert errors[0].message.startswith("unknown tool 'list_runs'")
    assert "list_runs" not in instructions
    assert pages == len(PAGES)


@pytest.mark.parametrize(
    "serve",
    [
        lambda: make_server(Workers()),
        serve_stdio,
        lambda: serve_http(HttpOptions(host="::1"), print),
    ],
)
def test_without_the_extra_it_is_named(
    serve: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)

    with pytest.raises(MissingExtra, match=r"^callscore mcp needs an extra: .*'callscore\[mcp\]'"):
        serve()


@pytest.mark.parametrize("host", ["0.0.0.0", "example.org", "", "::"])  # noqa: S104  (to be refused)
def test_only_this_machine_is_listened_to(host: str) -> None:
    with pytest.raises(InvalidSettings, match=r"Choose from: 127\.0\.0\.1, localhost, ::1\.$"):
        serve_http(HttpOptions(host=host), print)


def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(InvalidSettings, match=f"cannot listen on 127.0.0.1, port {port}: "):
            serve_http(HttpOptions(port=port), print)


# Messages that cannot be read, and what is answered to them.


def problem_with(line: str) -> ValidationError:
    """What the SDK says of a line that it cannot read."""
    with pytest.raises(ValidationError) as caught:
        mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    return caught.value


def answered(line: str) -> list[tuple[Any, int]]:
    """The ids and the codes of what is answered to a line."""
    messages: list[Any] = [reply.message for reply in _replies(problem_with(line))]
    return [(message.id, message.error.code) for message in messages]


def request(arguments: str) -> str:
    params = f'{{"name": "score_tool_calls", "arguments": {arguments}}}'
    return f'{{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {params}}}'


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (request('{"expected": ' + "[" * 100_000 + "]" * 100_000 + "}"), 7),
        (request('{"expected": ["\\ud800"]}'), 7),
        (request('{"id": 5')[:-2], 7),
        (request("{bad}"), 7),
        (request("{,}"), 7),
        ('{"params": {"id": 5, "a": "} \\" {"}, "id": "x", ', "x"),
        ('{"id": 7, "me', 7),
        ('{"id": "7', None),
        ('{"id": 1.5, "', None),
        ('{"id": true, "', None),
        ('{"id":', None),
        ('{"id"', None),
        ('{"id" 7', None),
        ('[{"id": 7', None),
        ("garbage", None),
        ("{'id': 7}", None),
    ],
)
def test_invalid_json_is_answered_with_the_id_of_the_request_if_it_can_be_found(
    line: str, number: Any
) -> None:
    assert answered(line) == [(number, mcp_types.PARSE_ERROR)]


def call(**params: Any) -> SessionMessage:
    return SessionMessage(
        mcp_types.JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/call", params=params)
    )


@pytest.mark.parametrize(
    ("arguments", "got"),
    [
        ([], "an empty list"),
        ("x", "'x'"),
        ("[1]", "'[1]'"),
        ("[" * 100_000, None),
        (5, "5"),
    ],
)
def test_arguments_that_are_no_object_are_refused_with_what_to_give(
    arguments: Any, got: str | None
) -> None:
    _, refusal = _with_object_arguments(call(name="f", arguments=arguments))

    assert refusal is not None
    message: Any = refusal.message
    assert (message.id, message.error.code) == (7, mcp_types.INVALID_PARAMS)
    assert message.error.message.startswith("arguments: expected one JSON object, got ")
    assert got is None or message.error.message.endswith(f"got {got}.")


# --- lines of standard input ----------------------------------------------------------------------


def lines_of(content: bytes) -> list[str]:
    lines = BoundedLines(BytesIO(content))
    return list(iter(lines.readline, ""))


@pytest.mark.parametrize(
    ("large", "number"),
    [
        (b'{"id": 7, "params": "%s"}', 7),
        (b'{"params": {"id": 1, "a": "%s"}, "id": "seven"}', "seven"),
        (b'{"params": "%s"}', None),
        (b'{"id": 7, "params": "%s', 7),
    ],
)
def test_a_message_that_is_too_large_is_refused_with_its_id_and_the_next_one_read(
    large: bytes, number: Any
) -> None:
    refused, *rest = lines_of(large % (b"x" * 9_000_000) + b"\n{}\n")

    (reply,) = _replies(problem_with(refused))
    message: Any = reply.message
    assert (message.id, message.error.code) == (number, mcp_types.INVALID_REQUEST)
    assert message.error.message.startswith(
        "the message is too large: the limit is 4,194,304 bytes."
    )
    assert len(refused) < 10_000
    assert rest == ["{}\n"]
