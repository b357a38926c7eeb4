"""MCP messages (JSON-RPC sessions, `tools/list` results).

Several clients may write into one log and count their requests from the same number: an answer
belongs to the last request before it that has no answer yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import TRUNCATED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.shape import as_list, at, first, json_of, list_of, name_of
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 280
EXAMPLE = [
    {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "get_weather", "arguments": {"city": "Paris"}},
    },
    {
        "jsonrpc": "2.0",
        "id": 2,
        "result": {"content": [{"type": "text", "text": "18 degrees"}], "isError": False},
    },
]
_MAX_SAMPLED = 50
# Other protocols use JSON-RPC, too, with other methods to call tools.
_METHODS = ("tools/", "resources/", "prompts/", "notifications/", "sampling/", "elicitation/")
_WRAPPERS = ("message", "msg", "payload", "data", "body", "rpc", "request", "response")
_CLIENTS = ("sessionId", "session_id", "session", "clientId", "client_id", "client")
_SERVERS = ("server", "serverName", "server_name", "connectionId", "connection_id")
_MARKS = frozenset(("jsonrpc", "method", *_WRAPPERS))  # every entry of a log has one of them
# The text before a message in a log: which server it is of, if it says so.
_LEVELS = "trace|debug|info|warn|warning|error"
_SERVER_IN_PREFIX = re.compile(
    rf"\[(?:{_LEVELS})\] \[(?P<last>[^][]+)\] Message from|\[(?P<first>[^][]+)\] \[(?:{_LEVELS})\] Message"
    r"|\(session (?P<session>[^()]+)\)"
)
_NAME_IN_TEXT = re.compile(r'"name"\s*:\s*"([^"\\]*)"')
_LISTING = frozenset(
    (
        "tools",
        *("_meta", "meta"),
        *("nextCursor", "next_cursor"),
        *("ttlMs", "ttl_ms"),
        *("cacheScope", "cache_scope"),
        *("resultType", "result_type"),
    )
)
_ANSWERS = ("inputResponses", "input_responses", "requestState", "request_state")
SIGNS = Signs(keys=(*_MARKS, "tools"), item_keys=tuple(_MARKS), has_other_items=True)


def recognizes(document: Any) -> bool:
    """Whether it is a message of MCP, a list with such messages, or a list of tools."""
    if isinstance(document, list):
        return any(map(_speaks_mcp, islice(_entries_in(document), _MAX_SAMPLED)))
    if isinstance(document, dict) and _MARKS.isdisjoint(document):
        return _is_listing(document)
    return _is_listing(document) or _speaks_mcp(document)


def _is_listing(value: Any) -> bool:
    """Whether it is a result of `tools/list`, and nothing else."""
    tools = value.get("tools") if isinstance(value, dict) else None
    if not isinstance(tools, list) or not tools or not _LISTING.issuperset(value):
        return False
    if all(isinstance(at(tool, "inputSchema"), dict) for tool in tools):
        return True
    # Anthropic spells tools like this, too; those of MCP have other keys beside them.
    return len(value) > 1 and all(isinstance(at(tool, "input_schema"), dict) for tool in tools)


def _speaks_mcp(entry: Any) -> bool:
    if not isinstance(entry, dict) or _MARKS.isdisjoint(entry):
        return False
    for message in _messages_in(entry):
        method = message.get("method")
        if isinstance(method, str) and (method.startswith(_METHODS) or method == "initialize"):
            return True
        if _is_listing(message.get("result")):
            return True
    return False


def _entries_in(document: Any) -> Iterator[Any]:
    """The entries of a log, with those of batches."""
    for entry in as_list(document):
        if isinstance(entry, list):
            yield from entry
        else:
            yield entry


def _messages_in(entry: Any) -> list[dict[str, Any]]:
    """The messages in an entry of a log, which may have a time and a direction beside them."""
    if not isinstance(entry, dict):
        return []
    if _is_message(entry):
        return [entry]
    messages = []
    for key in _WRAPPERS:
        if key in entry:
            inner = entry[key]
            if isinstance(inner, str) and '"jsonrpc"' in inner:
                inner = json_of(inner)
            if isinstance(inner, dict) and _is_message(inner):
                messages.append(inner)
    return messages


def _is_message(value: dict[str, Any]) -> bool:
    params = value.get("params")
    is_text = isinstance(params, str) and params.startswith('{"')  # of a proxy's log
    return isinstance(value.get("jsonrpc"), str) or (
        value.get("method") in ("tools/call", "tools/list")
        and (isinstance(params, dict | None) or is_text)
    )


def joins_lines(line: Any) -> bool:
    """Whether a line has a message in it."""
    return bool(_messages_in(line))


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per client that the log distinguishes."""
    logs: dict[str | None, _Log] = {}
    for entry in _entries_in(document):
        client = server = None
        messages = _messages_in(entry)
        if messages and messages[0] is not entry:
            client, server = name_of(first(entry, *_CLIENTS)), name_of(first(entry, *_SERVERS))
        prefix = entry.get("prefix") if isinstance(entry, dict) else None
        for message in messages:
            if client not in logs:
                logs[client] = _Log()
            if isinstance(prefix, str):  # of a log that people read, with all that is repeated
                logs[client].take_once(message, _server_in(prefix))
            else:
                logs[client].take(message, server)
    return [log.trace(client, options) for client, log in (logs or {None: _Log()}).items()]


def _server_in(prefix: str) -> str | None:
    found = _SERVER_IN_PREFIX.search(prefix)
    return None if found is None else found[found.lastgroup or 0]


class _Log:
    """The calls of one client, and the requests and tasks that are not answered yet."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._waiting: dict[tuple[str | None, str], list[_Call | None]] = {}
        self._tasks: dict[str, _Call] = {}
        self._seen: dict[str | None, dict[str, list[Any]]] = {}  # requests by id, by server

    def trace(self, client: str | None, options: ReadOptions) -> Trace:
        transcript = Transcript(options)
        for call in self._calls:
            transcript.step()
            if isinstance(call.params, str):  # cut off
                name = _NAME_IN_TEXT.search(call.params)
                transcript.call(name and name[1], call.params, call.id, error=TRUNCATED)
            else:
                transcript.call(at(call.params, "name"), at(call.params, "arguments"), call.id)
            if call.is_answered:
                transcript.result(call.result, call.id, failed=call.failed)
        return transcript.trace(id=client, view="executed")

    def take_once(self, message: dict[str, Any], server: str | None) -> None:
        """Take a message, unless the same request came before on this connection.

        Programs log a message when it comes in and when they pass it on, and with several handlers.
        """
        seen = self._seen.setdefault(server, {})
        id_ = name_of(message.get("id"))
        if message.get("method") == "initialize":
            seen.clear()
        elif message.get("method") == "tools/call" and id_ is not None:
            same, params = seen.setdefault(id_, []), _params_of(message)
            if params in same:
                return
            same.append(params)
        self.take(message, server)

    def take(self, message: dict[str, Any], server: str | None) -> None:
        id_ = name_of(message.get("id"))
        if "method" in message:
            call = self._request(message)
            if id_ is not None:
                self._waiting.setdefault((server, id_), []).append(call)
        elif id_ is not None:
            waiting = self._waiting.get((server, id_))
            call = waiting.pop() if waiting else None
            if call is not None:
                self._answer(call, message)

    def _request(self, message: dict[str, Any]) -> _Call | None:
        """The call that a request makes, or continues; None for a request of another kind."""
        method, params = message.get("method"), _params_of(message)
        if method == "tasks/result":
            return self._tasks.get(name_of(first(params, "taskId", "task_id")) or "")
        if method != "tools/call":
            return None
        if first(params, *_ANSWERS) is not None:
            name = at(params, "name")
            for call in reversed(self._calls):
                if call.is_asking and at(call.params, "name") == name:
                    call.is_asking = False
                    return call
        call = _Call(params, message.get("id"))
        self._calls.append(call)
        return call

    def _answer(self, call: _Call, message: dict[str, Any]) -> None:
        result = message.get("result")
        if first(result, "resultType", "result_type") == "input_required":
            call.is_asking = True
            return
        task = name_of(first(at(result, "task"), "taskId", "task_id"))
        if task is not None:
            self._tasks[task] = call
            return
        call.is_answered = True
        if "error" in message:
            call.result, call.failed = message["error"], True
        else:
            content = at(result, "content")
            call.result = content if isinstance(content, list) else result
            call.failed = first(result, "isError", "is_error") is True


def _params_of(message: dict[str, Any]) -> Any:
    """The parameters of a request, which a proxy may log as text, cut off if it is long."""
    params = message.get("params")
    return json_of(params) if isinstance(params, str) else params


class _Call(Struct):
    """A call, as far as the log has been read."""

    params: Any
    id: Any
    result: Any = None
    failed: bool = False
    is_answered: bool = False
    is_asking: bool = False


def read_tools(document: Any) -> list[Tool]:
    """The tools that the servers have listed."""
    if _is_listing(document):
        return read_definitions(list_of(document["tools"]))
    messages = [message for entry in _entries_in(document) for message in _messages_in(entry)]
    listed = [list_of(at(message, "result", "tools")) for message in messages]
    return [tool for tools in listed for tool in read_definitions(tools)]
