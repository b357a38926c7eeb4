"""Recorded HTTP traffic of model APIs (VCR cassettes, nock recordings, HAR files).

The answers are read one after another, each by the dialect that recognizes it, and make one run.
The requests repeat earlier answers; only the results of the calls are taken from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.large_number import decode_json
from callscore.errors import UnknownFormat
from callscore.formats.reading import Recognizer, inner_finder
from callscore.formats.shape import at, dicts, first, list_of
from callscore.formats.signs import Signs
from callscore.formats.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from callscore.core.call import Tool, ToolCall
    from callscore.formats.dialect import Dialect
    from callscore.formats.trace import ReadOptions

    _Find = Callable[[Any], Dialect | None]

__all__ = ["EXAMPLE", "ORDER", "SIGNS", "joins_lines", "read", "read_tools", "recognizes"]

ORDER = 390
_EXAMPLE_CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Paris"}'},
}
EXAMPLE = [
    {
        "request": {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions"},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "body": {
                "choices": [{"message": {"role": "assistant", "tool_calls": [_EXAMPLE_CALL]}}]
            },
        },
    }
]
_MAX_SAMPLED = 20
# Every exchange, and every wrapper of a list of them, has one of these.
_MARKS = frozenset(("interactions", "http_interactions", "log", "request", "scope"))
_FIRST_ERROR_STATUS = 400
SIGNS = Signs(keys=tuple(_MARKS), item_keys=("request", "scope"))


def recognizes(document: Any) -> bool:
    """Whether it is an exchange of a request and a response over HTTP, or a list of these."""
    if isinstance(document, dict) and _MARKS.isdisjoint(document):
        return False
    exchanges = _exchanges_in(document)
    return bool(exchanges) and all(map(joins_lines, exchanges[:_MAX_SAMPLED]))


def _exchanges_in(document: Any) -> list[Any]:
    if not isinstance(document, dict):
        return list_of(document)
    recorded = first(document, "interactions", "http_interactions")  # vcrpy; VCR
    archived = at(document, "log", "entries")  # HAR
    return next((inner for inner in (recorded, archived) if isinstance(inner, list)), [document])


def joins_lines(line: Any) -> bool:
    """Whether a line is one exchange."""
    if not isinstance(line, dict):
        return False
    request, response = line.get("request"), line.get("response")
    if isinstance(request, dict) and isinstance(response, dict):
        return isinstance(request.get("method"), str) and _status_of(line) is not None
    return "scope" in line and "path" in line and isinstance(line.get("status"), int)  # nock


def _status_of(exchange: dict[str, Any]) -> int | None:
    status = first(exchange, "status")  # nock
    if status is None:
        status = first(exchange.get("response"), "status", "status_code")
    if isinstance(status, dict):
        status = first(status, "code", "status_code")
    if isinstance(status, str) and status.isdecimal() and len(status) < len("1000"):
        status = int(status)
    return status if isinstance(status, int) else None


def _request_body(exchange: dict[str, Any]) -> Any:
    request = exchange.get("request")
    return _body_of(request if isinstance(request, dict) else {"body": exchange.get("body")})


def _response_body(exchange: dict[str, Any]) -> Any:
    response = exchange.get("response")
    is_nock = not isinstance(exchange.get("request"), dict)
    return _body_of({"body": response} if is_nock else response)


def _body_of(side: Any) -> Any:
    """The body of a request or a response, without the wrapper of the recorder."""
    body = first(side, "parsed_body", "body", "postData", "content", "json")
    for key in ("string", "text"):
        if isinstance(body, dict) and isinstance(body.get(key), str):
            body = body[key]
    return _read_body(body) if isinstance(body, str) else body


def _dialect_of(body: Any, find: _Find) -> Dialect | None:
    """The dialect of a body; text that is not JSON is not from a model's API."""
    return find(body) if isinstance(body, dict | list) else None


class _Run:
    """The run, as far as the exchanges have been read."""

    def __init__(self, find: _Find) -> None:
        self.find = find
        self.calls: list[ToolCall] = []
        self.steps = 0
        self.has_answer = False
        # The outputs of OpenAI's Responses, by id: a request that continues one does not repeat it.
        self.outputs: dict[str, list[Any]] = {}


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls of all answers, with results of later requests; no answer is an error."""
    run = _Run(inner_finder(options))
    exchanges = dicts(_exchanges_in(document))
    for exchange in exchanges:
        _take_results(exchange, run, options)
        _take_answer(exchange, run, options)
    if not run.has_answer:
        raise UnknownFormat(
            f"none of the {len(exchanges)} recorded HTTP responses is in a known format."
        )
    return [Trace(calls=tuple(run.calls))]


def _take_answer(exchange: dict[str, Any], run: _Run, options: ReadOptions) -> None:
    body = _response_body(exchange)
    dialect = _dialect_of(body, run.find)
    if dialect is None:
        return
    traces = dialect.read(body, options)
    is_error = (_status_of(exchange) or 0) >= _FIRST_ERROR_STATUS
    if is_error and not any(trace.calls for trace in traces):
        return
    run.has_answer = True
    first_step = run.steps
    for trace in traces:
        for call in trace.calls or ():
            step = first_step + (call.step or 0)
            run.steps = max(run.steps, step + 1)
            run.calls.append(call if call.step == step else replace(call, step=step))
    if isinstance(at(body, "id"), str):
        run.outputs[body["id"]] = list_of(body.get("output"))


def _take_results(exchange: dict[str, Any], run: _Run, options: ReadOptions) -> None:
    """Copy the results of earlier calls out of the conversation that a request repeats."""
    if all(map(_is_answered, run.calls)):
        return
    body = _request_body(exchange)
    before, value = at(body, "previous_response_id"), at(body, "input")
    if isinstance(before, str) and isinstance(value, list):
        body = {**body, "input": [*run.outputs.get(before, []), *value]}
    dialect = _dialect_of(body, run.find)
    if dialect is None:
        return
    repeated = [call for trace in dialect.read(body, options) for call in trace.calls or ()]
    # From the end: the calls before the repeated ones were never answered here.
    for place in range(len(run.calls) - 1, -1, -1):
        call = run.calls[place]
        same = _pop_same(repeated, call)
        if same is not None and not _is_answered(call):
            run.calls[place] = replace(call, result=same.result, failed=same.failed)


def _is_answered(call: ToolCall) -> bool:
    return call.result is not None or call.failed is not None


def _pop_same(repeated: list[ToolCall], call: ToolCall) -> ToolCall | None:
    """Remove and return the last repeated call that can be this one; some APIs give no ids."""
    for place in range(len(repeated) - 1, -1, -1):
        other = repeated[place]
        if other.name == call.name and (
            other.arguments == call.arguments if call.id is None else other.id == call.id
        ):
            return repeated.pop(place)
    return None


def read_tools(document: Any) -> list[Tool]:
    """The tools that the requests offer, and those that answers list."""
    tools: list[Tool] = []
    find = Recognizer().find
    for exchange in dicts(_exchanges_in(document)):
        for body in (_request_body(exchange), _response_body(exchange)):
            dialect = _dialect_of(body, find)
            if dialect is not None:
                tools += dialect.read_tools(body)
    return tools


def _read_events(text: str) -> list[Any] | None:
    """The JSON values after `data:`, one per event; None if the text is not such a stream."""
    events: list[Any] = []
    lines: list[str] = []
    has_data = False
    # Not `splitlines`: a line separator within a JSON text ends no line of the stream.
    for line in [*text.split("\n"), ""]:
        if line.startswith("data:"):
            has_data = True
            lines.append(line.removeprefix("data:"))
        elif lines and not line.strip():
            events += _decoded("\n".join(lines)) or [v for each in lines for v in _decoded(each)]
            lines = []
    return events if has_data else None


def _read_body(text: str) -> Any:
    """The content of a body: a JSON value, the list of those that were streamed, or the text."""
    whole = _decoded(text)
    if whole:
        return whole[0]
    events = _read_events(text)
    if events is not None:
        return events
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    values = [value for line in lines for value in _decoded(line)]
    return values if values and len(values) == len(lines) else text


def _decoded(text: str) -> list[Any]:
    """The value in a text; none if it is not JSON, such as the `[DONE]` of a stream."""
    try:
        return [decode_json(text)]
    except (ValueError, RecursionError):
        return []
