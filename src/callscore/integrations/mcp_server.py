"""The tools as a server of the Model Context Protocol, over standard input or over HTTP.

It is built with the official SDK, which is an extra and is imported only when a server is made.
"""

from __future__ import annotations

import re
import socket
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

import callscore
from callscore.errors import InvalidCall, InvalidSettings, MissingExtra
from callscore.formats.shape import describe
from callscore.integrations.tools import TOOLS, tool_named
from callscore.integrations.workers import Workers

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable

    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server import Server
    from mcp.server.context import ServerRequestContext
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.message import SessionMessage
    from mcp_types import (
        CallToolRequestParams,
        CallToolResult,
        ListToolsResult,
        PaginatedRequestParams,
        Tool,
    )

    from callscore.integrations.tools import AgentTool, ToolAnswer

__all__ = ["LOOPBACK", "make_server", "serve_http", "serve_stdio"]


# The server, on standard input and output or over HTTP.

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

    with workers:
        anyio.run(run_on_stdio, server)


def serve_http(host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Answer what comes over HTTP until the process is told to end.

    Only this machine can reach it, and no page in a browser: requests must name this host and port.
    When it is to end, it ends at once: no answer is waited for.

    Args:
        host: one of `LOOPBACK`.
        port: where to listen; 0 for any port that is free.
        on_ready: called with the address as soon as clients can connect.

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
    """A socket on which clients can connect at once, before requests are answered."""
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
    return ListToolsResult(tools=[_tool_description(tool) for tool in TOOLS.values()])


def _tool_description(tool: AgentTool) -> Tool:
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


def _result(found: ToolAnswer) -> CallToolResult:
    from mcp_types import CallToolResult, TextContent

    content = found.content
    if found.is_error:
        return CallToolResult(content=[TextContent(text=content["error"])], is_error=True)
    # An explanation is made to be read; the rest is read as JSON where clients know nothing better.
    text = content.get("explanation") or msgspec.json.encode(content).decode()
    return CallToolResult(content=[TextContent(text=text)], structured_content=content)


# Standard input and output, where messages that cannot be read are answered, too.

_UNREADABLE = (
    "this message cannot be read: it is not JSON, it is nested too deeply, or it holds what is no text."
    " Send the call again with plain and flat arguments."
)
_NO_REQUEST = (
    'this is no message of this protocol. A request is {"jsonrpc": "2.0", "id": 1, "method":'
    ' "tools/call", "params": {"name": "score_tool_calls", "arguments": {...}}}.'
)
_SEVERAL = "several messages at once are not answered here. Send them one by one, each on a line."
_NO_OBJECT = "arguments: give one JSON object; got {got}."
# Tokens of JSON; an unclosed string ends with the line.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class _Outgoing(Protocol):
    async def send(self, item: SessionMessage, /) -> None: ...


async def run_on_stdio(server: Server[Any]) -> None:
    """Answer what comes over standard input until it is closed.

    The SDK passes over a message that it cannot read, and whoever sent it would wait for ever. Here
    it is answered, with the id of the request wherever that can be made out.
    """
    import anyio
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(_relay, incoming, sender, outgoing)
        await server.run(receiver, outgoing, server.create_initialization_options())


async def _relay(
    incoming: AsyncIterable[SessionMessage | Exception],
    sender: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: _Outgoing,
) -> None:
    async with sender:
        async for item in incoming:
            if isinstance(item, Exception):
                for reply in _replies(item):
                    await outgoing.send(reply)
                continue
            message, refusal = _with_object_arguments(item)
            await (sender.send(message) if refusal is None else outgoing.send(refusal))


def _with_object_arguments(item: SessionMessage) -> tuple[SessionMessage, SessionMessage | None]:
    """The message with the arguments of a call as an object, and what to answer if they are none.

    Some clients send them as JSON text, for which the SDK has no more than a number.
    """
    from mcp.shared.message import SessionMessage
    from mcp_types import INVALID_PARAMS, JSONRPCRequest

    message = item.message
    if not isinstance(message, JSONRPCRequest) or message.method != "tools/call":
        return item, None
    given = (message.params or {}).get("arguments")
    if given is None or isinstance(given, dict):
        return item, None
    arguments = _decoded(given)
    if not isinstance(arguments, dict):
        problem = _NO_OBJECT.format(got=describe(given))
        return item, _error(message.id, INVALID_PARAMS, problem)
    params = {**(message.params or {}), "arguments": arguments}
    return SessionMessage(message.model_copy(update={"params": params}), item.metadata), None


def _decoded(value: Any) -> Any:
    try:
        return msgspec.json.decode(value) if isinstance(value, str) else value
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def _replies(problem: Exception) -> list[SessionMessage]:
    """What to answer to a message that cannot be read; nothing where it wants no answer."""
    from mcp_types import INVALID_REQUEST, PARSE_ERROR
    from pydantic import ValidationError

    if not isinstance(problem, ValidationError):
        return []
    text, message = _received(problem)
    if text is not None:
        return [_error(_id_in(text), PARSE_ERROR, _UNREADABLE)] if text.strip() else []
    is_list = isinstance(message, list)
    sent = [item for item in (message if is_list else [message]) if _wants_answer(item)]
    ids = [_id_of(item) for item in sent]
    if is_list:  # one answer for each that can be told apart, but at least one
        ids = [number for number in ids if number is not None] or [None]
    return [_error(number, INVALID_REQUEST, _SEVERAL if is_list else _NO_REQUEST) for number in ids]


def _received(problem: Any) -> tuple[str | None, Any]:
    """What was received: its text where that is no JSON, or else what the JSON says."""
    for found in problem.errors(include_url=False):
        place = found["loc"]
        if not place:
            return str(found["input"]), None
        # Of a field that is missing the SDK shows what it is missing in.
        if len(place) == 1 or (len(place) == 2 and found["type"] == "missing"):  # noqa: PLR2004  (the kind of message, and a field)
            return None, found["input"]
    return None, None


def _wants_answer(message: Any) -> bool:
    """Whether it is no notification, and no answer itself."""
    if not isinstance(message, dict):
        return True
    method = message.get("method")
    if isinstance(method, str) and method.startswith("notifications/"):
        return False
    return "method" in message or message.keys().isdisjoint(("result", "error"))


def _id_of(message: Any) -> str | int | None:
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _id_in(text: str) -> str | int | None:
    """The id that a broken object has, as far as it goes."""
    level = 0
    tokens = _TOKEN.finditer(text)
    for token in tokens:
        level += (token[0] in "{[") - (token[0] in "}]")
        if level == 1 and token[0] == '"id"' and next(tokens, token)[0] == ":":
            found = next(tokens, None)
            return _id_of({"id": None if found is None else _decoded(found[0])})
    return None


def _error(request: str | int | None, code: int, problem: str) -> SessionMessage:
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError

    error = ErrorData(code=code, message=problem)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=error))
