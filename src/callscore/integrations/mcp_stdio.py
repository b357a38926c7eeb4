"""A server on standard input and output that also answers messages which cannot be read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from callscore.formats.describing import describe

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server import Server
    from mcp.shared.message import SessionMessage


__all__ = ["run_on_stdio"]

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
# What JSON is made of; a text that is not closed ends with the line.
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
            message, refusal = _with_object(item)
            await (sender.send(message) if refusal is None else outgoing.send(refusal))


def _with_object(item: SessionMessage) -> tuple[SessionMessage, SessionMessage | None]:
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
