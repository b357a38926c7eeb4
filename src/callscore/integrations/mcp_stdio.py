"""A server on standard input and output that also answers messages which cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.documents import document_of

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server import Server
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

__all__ = ["run_on_stdio"]

_UNREADABLE = (
    "this message cannot be read: it is not JSON, it is nested too deeply, it holds what is no text, or"
    " it is no message of this protocol. Send the call again with plain and flat arguments."
)


async def run_on_stdio(server: Server[Any]) -> None:
    """Answer what comes over standard input until it is closed.

    The SDK passes over a message that it cannot read, and whoever sent it would wait for ever. Here
    it is answered, wherever the id of the request can be made out.
    """
    import anyio
    from mcp.server.stdio import stdio_server
    from mcp.shared.message import SessionMessage

    sender, receiver = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        tasks.start_soon(_relay, incoming, sender, outgoing)
        await server.run(receiver, outgoing, server.create_initialization_options())


async def _relay(
    incoming: ReadStream[SessionMessage | Exception],
    sender: MemoryObjectSendStream[SessionMessage | Exception],
    outgoing: WriteStream[SessionMessage],
) -> None:
    async with sender:
        async for item in incoming:
            reply = _reply(item) if isinstance(item, Exception) else None
            await (sender.send(item) if reply is None else outgoing.send(reply))


def _reply(problem: Exception) -> SessionMessage | None:
    """What to answer to a message that cannot be read; None where nobody knows whom."""
    from mcp.shared.message import SessionMessage
    from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError
    from pydantic import ValidationError

    if not isinstance(problem, ValidationError):
        return None
    message = problem.errors()[0]["input"]
    read = document_of(message) if isinstance(message, str) else message
    request = read.get("id") if isinstance(read, dict) else None
    if not isinstance(request, str | int) or isinstance(request, bool):
        return None
    error = ErrorData(code=PARSE_ERROR, message=_UNREADABLE)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=error))
