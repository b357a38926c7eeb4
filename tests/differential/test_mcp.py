"""The MCP SDK: a real client and a real server, in memory, with every message written down."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import given
from tests.differential.comparison import CALLS, SCHEMA, dumps, every_way, read, said, tools

import callscore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

anyio: Any = pytest.importorskip("anyio")
mcp: Any = pytest.importorskip("mcp")
types: Any = pytest.importorskip("mcp.types")
memory: Any = pytest.importorskip("mcp.shared.memory")
servers: Any = pytest.importorskip("mcp.server")
mcpserver: Any = pytest.importorskip("mcp.server.mcpserver")

READS = types.ToolAnnotations(read_only_hint=True)
TOOL = types.Tool(name="f", description="d", input_schema=SCHEMA, annotations=READS)
ERAS = pytest.mark.parametrize("mode", ["legacy", "auto"])


class Tap:
    """A stream to write into that keeps what is written."""

    def __init__(self, stream: Any, log: list[Any]) -> None:
        self._stream = stream
        self._log = log

    async def send(self, message: Any) -> None:
        self._log.append(message)
        await self._stream.send(message)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@asynccontextmanager
async def connected(server: Any, log: list[Any]) -> AsyncIterator[Any]:
    """What a client reads from and writes to a server that runs meanwhile."""
    async with (
        memory.create_client_server_memory_streams() as (theirs, ours),
        anyio.create_task_group() as tasks,
    ):
        (client_reads, client_writes), (server_reads, server_writes) = theirs, ours
        options = server.create_initialization_options()
        tasks.start_soon(server.run, server_reads, Tap(server_writes, log), options)
        yield client_reads, Tap(client_writes, log)
        await client_writes.aclose()
        await server_writes.aclose()


class Conversation:
    """What a client and a server have said to each other about some calls.

    Attributes:
        log: the messages.
        ran: the calls as the server got them.
        outcomes: what the client was told of each: a result, or the error.
        listed: the tools as the client got them.
    """

    def __init__(self, calls: Any, mode: str) -> None:
        self.log: list[Any] = []
        self.ran: list[tuple[str, Any]] = []
        self.outcomes: list[Any] = []
        self.listed: Any = None
        self._server = servers.Server("s", on_list_tools=self._list, on_call_tool=self._call)
        asyncio.run(self._talk(calls, mode))

    async def _list(self, *_: Any) -> Any:
        return types.ListToolsResult(tools=[TOOL])

    async def _call(self, _: Any, params: Any) -> Any:
        self.ran.append((params.name, params.arguments))
        if params.name[0].isupper():
            raise mcp.MCPError(code=-32602, message="unknown tool")
        words = types.TextContent(type="text", text=params.name)
        return types.CallToolResult(content=[words], is_error=params.name[0] == "_")

    async def _talk(self, calls: Any, mode: str) -> None:
        async with mcp.Client(connected(self._server, self.log), mode=mode) as client:
            self.listed = await client.list_tools()
            for name, arguments in calls:
                try:
                    self.outcomes.append(await client.call_tool(name, arguments))
                except mcp.MCPError as error:
                    self.outcomes.append(error)


@ERAS
@given(calls=CALLS)
def test_the_log_has_the_calls_that_the_server_got(calls: Any, mode: str) -> None:
    talk = Conversation(calls, mode)
    messages = [entry.message for entry in talk.log]
    sent = [message.model_dump(by_alias=True, exclude_none=True) for message in messages]

    expected = [(name, repr(arguments)) for name, arguments in talk.ran]

    assert expected == [(name, repr(arguments)) for name, arguments in calls]
    for document in (talk.log, messages, sent, "\n".join(map(dumps, sent))):
        assert [call[:2] for call in read(document)] == expected
        assert tools(document) == [("f", "d", SCHEMA)]


@ERAS
@given(calls=CALLS)
def test_results_and_failures_are_those_that_the_client_got(calls: Any, mode: str) -> None:
    talk = Conversation(calls, mode)

    found = callscore.read_calls(talk.log)

    for call, outcome in zip(found, talk.outcomes, strict=True):
        if isinstance(outcome, mcp.MCPError):
            assert (call.failed, call.result["message"]) == (True, "unknown tool")
        else:
            assert (call.failed, call.result[0]["text"]) == (outcome.is_error, call.name)


def test_a_call_without_arguments_has_none() -> None:
    talk = Conversation([("f", None)], "auto")

    assert talk.ran == [("f", None)]
    assert [call[:2] for call in read(talk.log)] == [said("f", {})[:2]]


def test_a_list_of_tools_is_read_as_the_sdk_has_it() -> None:
    listed = Conversation([], "auto").listed

    (tool,) = listed.tools

    for document in (*every_way(listed), listed.model_dump(by_alias=True)):
        assert tools(document) == [(tool.name, tool.description, tool.input_schema)]
        assert [found.effect for found in callscore.read_tools(document)] == ["read"]
    for document in (listed.tools, [tool.model_dump() for tool in listed.tools], tool):
        assert tools(document) == [("f", "d", SCHEMA)]


def get_weather(city: str, days: list[int] | None = None) -> str:
    """What the weather is."""
    return f"{city}: {days}"


def test_tools_made_from_functions_are_read_as_they_are_offered() -> None:
    server = mcpserver.MCPServer("s")
    server.tool(annotations=types.ToolAnnotations(read_only_hint=False))(get_weather)

    async def talk() -> tuple[Any, Any]:
        async with mcp.Client(server) as client:
            listed = await client.list_tools()
            return listed, await client.call_tool("get_weather", {"city": "Paris"})

    listed, result = asyncio.run(talk())

    (found,) = callscore.read_tools(listed)
    assert result.content[0].text == "Paris: None"
    assert found.name == "get_weather"
    assert found.parameters == listed.tools[0].input_schema
    assert found.effect == "write"
