"""The tools as a server of the Model Context Protocol, over standard input or over HTTP.

It is built with the official SDK, which is an extra and is imported only when a server is made.
"""

from __future__ import annotations

import socket
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

import callscore
from callscore.errors import InvalidCall, InvalidSettings, MissingExtra
from callscore.integrations.agent_tool import TOOLS, tool_named
from callscore.integrations.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import Server
    from mcp.server.context import ServerRequestContext
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp_types import (
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        PaginatedRequestParams,
        Tool,
    )

    from callscore.integrations.agent_tool import AgentTool, Answer

__all__ = ["LOOPBACK", "PATH", "make_server", "serve_http", "serve_stdio"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PATH = "/mcp"

_PORT_OF_HTTP = 80

_INSTRUCTIONS = (
    "Tools for whoever tests an agent: score_tool_calls compares the tool calls that an agent made with"
    " the expected ones, explain_score shows how that score comes about, and check_tool_calls finds"
    " what is wrong with calls without a reference. They change nothing and send nothing anywhere."
)


def make_server(workers: Workers) -> Server[Any]:
    """A server with all tools, for any transport.

    Args:
        workers: what runs the tools.

    Raises:
        MissingExtra: the extra `mcp` is not installed.
    """
    try:
        from mcp.server import Server
    except ImportError:
        raise MissingExtra("callscore mcp", "mcp") from None
    return Server(
        "callscore",
        title="callscore",
        version=callscore.__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=partial(_call_tool, workers),
    )


def serve_stdio() -> None:
    """Answer what comes over standard input until it is closed.

    Raises:
        MissingExtra: the extra `mcp` is not installed.
    """
    server = make_server(workers := Workers())
    import anyio

    from callscore.integrations.mcp_stdio import run_on_stdio

    with workers:
        anyio.run(run_on_stdio, server)


def serve_http(host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Answer what comes over HTTP until the process is told to end.

    Only this machine can reach it, and no page in a browser: requests must name this host and port.
    When it is to end, it ends at once: no answer is waited for.

    Args:
        host: one of `LOOPBACK`.
        port: where to listen; 0 for any port that is free.
        on_ready: is told the address, as soon as clients can connect.

    Raises:
        MissingExtra: the extra `mcp` is not installed.
        InvalidSettings: it is another host, or nobody can listen there.
    """
    if host not in LOOPBACK:
        problem = (
            f"host: {host!r} is not this machine alone. Whoever reaches the server can use it,"
        )
        raise InvalidSettings(f"{problem} so that it is one of {', '.join(LOOPBACK)}.")
    server = make_server(workers := Workers())
    import uvicorn

    with _listening(host, port) as listener, workers:
        real_port = listener.getsockname()[1]
        # Every call stands by itself: no session has to be kept, and an answer needs no stream.
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            transport_security=_security(real_port),
        )
        # A request that is broken off at the end is nothing to report, and no other errors go there.
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, timeout_graceful_shutdown=0
        )
        on_ready(f"http://{_in_url(host)}:{real_port}{PATH}")
        uvicorn.Server(config).run(sockets=[listener])


def _security(port: int) -> TransportSecuritySettings:
    """The hosts that a request may name, each in full: a pattern would take `localhost:1.evil.example`."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = [_in_url(host) for host in LOOPBACK]
    # Clients leave out the port that is the usual one.
    hosts = [f"{name}:{port}" for name in names] + (names if port == _PORT_OF_HTTP else [])
    origins = [f"http://{host}" for host in hosts]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listening(host: str, port: int) -> socket.socket:
    """A socket on which clients can connect at once, although nobody answers yet."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise InvalidSettings(f"nobody can listen on {host}, port {port}: {error}") from error
    return listener


async def _list_tools(
    context: ServerRequestContext[Any], params: PaginatedRequestParams | None
) -> ListToolsResult:
    from mcp_types import ListToolsResult

    del context, params
    return ListToolsResult(tools=[_described(tool) for tool in TOOLS.values()])


def _described(tool: AgentTool) -> Tool:
    from mcp_types import Tool, ToolAnnotations

    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema(),
        output_schema=tool.output_schema(),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


async def _call_tool(
    workers: Workers, context: ServerRequestContext[Any], params: CallToolRequestParams
) -> CallToolResult:
    from mcp import MCPError
    from mcp_types import INVALID_PARAMS

    del context
    try:
        tool = tool_named(params.name)
    except InvalidCall as error:  # which the protocol wants said in its own way
        raise MCPError(INVALID_PARAMS, str(error)) from error
    return _result(await workers.answer(tool, params.arguments or {}))


def _result(found: Answer) -> CallToolResult:
    from mcp_types import CallToolResult, TextContent

    content = found.content
    if found.is_error:
        return CallToolResult(content=[TextContent(text=content["error"])], is_error=True)
    # An explanation is made to be read; the rest is read as JSON where clients know nothing better.
    text = content.get("explanation") or msgspec.json.encode(content).decode()
    return CallToolResult(content=[TextContent(text=text)], structured_content=content)
