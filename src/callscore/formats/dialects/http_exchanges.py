"""Recorded HTTP traffic of model APIs (VCR cassettes, nock recordings, HAR files).

The answers are read one after another, each by the dialect that recognizes it, and make one run.
The requests repeat earlier answers; only the results of the calls are taken from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from callscore.errors import UnknownFormat
from callscore.formats.dialects import mcp
from callscore.formats.families.recorded_bodies import BodyReader
from callscore.formats.families.recorder_records import from_expectation, from_sample, without_types
from callscore.formats.families.user_turns import count_turns
from callscore.formats.reading import Recognizer, inner_finder
from callscore.formats.shape import as_list, at, dicts, first, integer_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace

if TYPE_CHECKING:
    from callscore.core.call import Tool, ToolCall
    from callscore.formats.dialect import Dialect

    _Find = Callable[[Any], Dialect | None]

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
_ITEM_MARKS = (
    *("request", "scope", "responseStatus", "headers", "httpResponse"),
    *("response_sample", "response_stream"),
)
_LISTS = ("interactions", "http_interactions", "recordings")  # vcrpy, go-vcr; VCR; Mastra
_MARKS = frozenset((*_LISTS, "log", "responses", *_ITEM_MARKS))
_OK, _FIRST_ERROR_STATUS = 200, 400
_STATUS_DIGITS = 3
SIGNS = Signs(keys=tuple(_MARKS), item_keys=_ITEM_MARKS)


class _Exchange(Struct, frozen=True, gc=False):
    """A request and the response to it, each as an object with a body, as the recorder has it."""

    request: Any
    response: Any
    status: int | None
    is_binary: bool = False  # whether the body of the response is encoded, whatever it looks like


def recognizes(document: Any) -> bool:
    """Whether it is an exchange of a request and a response over HTTP, or a list of these."""
    if isinstance(document, dict) and _MARKS.isdisjoint(document):
        return False
    items = _items_in(document)
    return bool(items) and all(map(joins_lines, items[:_MAX_SAMPLED]))


def joins_lines(line: Any) -> bool:
    """Whether a line is one exchange."""
    return isinstance(line, dict) and _exchange_of(line) is not None


def _items_in(document: Any) -> list[Any]:
    if not isinstance(document, dict):
        return list_of(document)
    requests, responses = document.get("requests"), document.get("responses")
    if isinstance(requests, list) and isinstance(responses, list):  # LangChain's tests
        pairs: Iterator[tuple[Any, Any]] = zip_longest(
            requests[: len(responses)], responses, fillvalue={}
        )
        return [{"request": asked, "response": answered} for asked, answered in pairs]
    recorded = first(document, *_LISTS)
    archived = at(document, "log", "entries")  # HAR
    return next((inner for inner in (recorded, archived) if isinstance(inner, list)), [document])


def _exchanges_in(document: Any) -> list[_Exchange]:
    found = [_exchange_of(item) for item in dicts(_items_in(document))]
    return [exchange for exchange in found if exchange is not None]


def _exchange_of(item: dict[str, Any]) -> _Exchange | None:
    """The exchange in a record of any recorder; None if it is something else."""
    request, response = item.get("request"), item.get("response")
    if isinstance(request, dict) and isinstance(response, dict):
        status = _status_of(item.get("status")) or _status_in(response)
        is_request = isinstance(request.get("method"), str)
        # Llama Stack leaves the status out.
        is_answered = status is not None or ("body" in response and "url" in request)
        return _Exchange(request, response, status) if is_request and is_answered else None
    if "scope" in item and "path" in item and isinstance(item.get("status"), int):  # nock
        is_binary = item.get("responseIsBinary") is True
        answer = {"body": response}
        return _Exchange({"body": item.get("body")}, answer, item["status"], is_binary)
    return _from_recorder(item) or _from_network(item) or _from_response(item)


def _from_network(item: dict[str, Any]) -> _Exchange | None:
    """An entry of the network panel of the MCP Inspector; a body may be missing."""
    is_entry = "requestHeaders" in item and isinstance(item.get("method"), str)
    status = _status_of(item.get("responseStatus"))
    if not is_entry or status is None or not ("requestBody" in item or "responseBody" in item):
        return None
    if item.get("category") == "auth":
        return _Exchange({}, {}, status)
    return _Exchange({"body": item.get("requestBody")}, {"body": item.get("responseBody")}, status)


def _from_recorder(item: dict[str, Any]) -> _Exchange | None:
    """An exchange in the notation of a recorder that no other has."""
    found = from_sample(item) or from_expectation(item)
    if found is None:
        return None
    return _Exchange(
        {"body": found.request}, {"body": found.response}, found.status, found.is_binary
    )


def _from_response(item: dict[str, Any]) -> _Exchange | None:
    """A response without its request."""
    status = _status_of(item.get("status"))
    is_response = isinstance(item.get("headers"), dict) and isinstance(item.get("body"), str | dict)
    return _Exchange({}, item, status) if is_response and status is not None else None


def _status_in(response: dict[str, Any]) -> int | None:
    keys = ("status", "status_code", "statusCode", "code")
    found = (_status_of(response.get(key)) for key in keys)
    default = _OK if "is_streaming" in response else None  # Llama Stack records no other
    return next((status for status in found if status is not None), default)


def _status_of(value: Any) -> int | None:
    """The number of a status: itself, as text, with its phrase, or in an object."""
    if isinstance(value, dict):
        value = first(value, "code", "status_code")
    if isinstance(value, str):
        number, _, phrase = value.partition(" ")
        is_number = number.isdecimal() and len(number) <= _STATUS_DIGITS
        value = int(number) if is_number and (not phrase or phrase.isprintable()) else None
    return integer_of(value)


def _request_body(exchange: _Exchange, bodies: BodyReader) -> Any:
    return _body_of(exchange.request, bodies)


def _response_body(exchange: _Exchange, bodies: BodyReader) -> Any:
    return _body_of(exchange.response, bodies, is_encoded=exchange.is_binary)


def _body_of(side: Any, bodies: BodyReader, *, is_encoded: bool = False) -> Any:
    """The body of a request or a response, without the wrapper of the recorder."""
    chunks = at(side, "chunks")
    if isinstance(chunks, list) and all(isinstance(chunk, str) for chunk in chunks):  # Mastra
        return bodies.read("".join(chunks))
    body = without_types(first(side, "parsed_body", "body", "postData", "content", "json"))
    if isinstance(body, dict):
        is_encoded |= body.get("encoding") == "base64"  # HAR
    for key in ("string", "text"):
        if isinstance(body, dict) and isinstance(body.get(key), str):
            body = body[key]
    encoded = at(body, "base64_string")
    if isinstance(encoded, str):  # VCR, betamax
        return bodies.read(encoded, is_encoded=True)
    return bodies.read(body, is_encoded=is_encoded)


def _dialect_of(body: Any, find: _Find) -> Dialect | None:
    """The dialect of a body; text that is not JSON is not from a model's API."""
    return find(body) if isinstance(body, dict | list) else None


def _rows_in(body: Any, find: _Find) -> list[Any]:
    """The answers in a body of JSON lines, such as the results of a batch; none if it has others."""
    rows = list_of(body)
    return rows if all(isinstance(row, dict) and find(row) for row in rows) else []


class _Run:
    """The run, as far as the exchanges have been read."""

    def __init__(self, find: _Find) -> None:
        self.find = find
        self.bodies = BodyReader()
        self.calls: list[ToolCall] = []
        self.steps = 0
        self.has_answer = False
        self.is_asking_again = False  # for the state of what was asked for before
        # The outputs of OpenAI's Responses, by id: a request that continues one does not repeat it.
        self.outputs: dict[str, list[Any]] = {}
        self.messages: list[Any] = []  # of MCP
        self._answers: set[tuple[str, ...]] = set()
        self._turns_before: int | None = None  # in the first request
        self.turn = 0
        self.is_asked = False

    def note_turn(self, body: Any) -> None:
        """Note how often the user has asked, in the conversation that a request repeats."""
        number = count_turns(body)
        value = at(body, "input")
        self.is_asked |= number is not None or (isinstance(value, str) and bool(value))
        if at(body, "previous_response_id") is not None:  # which is not repeated
            is_asked = number is not None or (isinstance(value, str) and bool(value))
            self.turn += is_asked and self.has_answer
        elif number is not None:
            if self._turns_before is None:
                self._turns_before = number
            self.turn = max(self.turn, number - self._turns_before)

    def has_repeated(self, body: Any, traces: list[Trace]) -> bool:
        """Whether the same answer, with calls, was recorded before: it was asked for twice."""
        calls = [call for trace in traces for call in trace.calls or ()]
        names = [text_of(at(body, "id")), *[call.id for call in calls]]
        known = tuple([name for name in names if name])
        if not calls or len(known) < len(names):
            return False
        is_known = known in self._answers
        self._answers.add(known)
        return is_known


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: the calls of all answers, with results of later requests; no answer is an error.

    What a client of MCP sends is what a model has requested, and is read if there is no model.
    """
    run = _Run(inner_finder(options))
    exchanges = _exchanges_in(document)
    for exchange in exchanges:
        asked, answered = (
            _request_body(exchange, run.bodies),
            _response_body(exchange, run.bodies),
        )
        messages = [body for body in (asked, answered) if _is_of_mcp(body)]
        if messages:
            run.messages += [message for body in messages for message in as_list(body)]
        else:
            run.is_asking_again = str(at(exchange.request, "method")).upper() == "GET"
            run.note_turn(asked)
            _take_results(asked, run, options)
            _take_answer(answered, exchange.status, run, options)
    if not run.has_answer and run.messages:
        return mcp.read(run.messages, options)
    if not run.has_answer:
        raise UnknownFormat(
            f"none of the {len(exchanges)} recorded HTTP responses is in a known format."
        )
    has_turns = run.turn or (options.numbers_turns and run.is_asked)
    calls = run.calls if has_turns else [replace(call, turn=None) for call in run.calls]
    return [Trace(calls=tuple(calls))]


def _is_of_mcp(body: Any) -> bool:
    messages = as_list(body)[:_MAX_SAMPLED]
    return bool(messages) and all(isinstance(at(each, "jsonrpc"), str) for each in messages)


def _take_answer(body: Any, status: int | None, run: _Run, options: ReadOptions) -> None:
    dialect = _dialect_of(body, run.find)
    if dialect is None:
        for row in _rows_in(body, run.find):
            _take_answer(row, status, run, options)
        return
    traces = dialect.read(body, options)
    is_error = (status or 0) >= _FIRST_ERROR_STATUS
    if is_error and not any(trace.calls for trace in traces):
        return
    run.has_answer = True
    if run.has_repeated(body, traces):
        return
    _take_calls([call for trace in traces for call in trace.calls or ()], run)
    if isinstance(at(body, "id"), str):
        run.outputs[body["id"]] = list_of(body.get("output"))


def _take_calls(calls: list[ToolCall], run: _Run) -> None:
    first_step = run.steps
    for call in calls:
        if run.is_asking_again and _is_known(call, run):
            continue
        step = first_step + (call.step or 0)
        run.steps = max(run.steps, step + 1)
        run.calls.append(replace(call, step=step, turn=run.turn))


def _is_known(call: ToolCall, run: _Run) -> bool:
    return call.id is not None and any(
        call.id == before.id and call.name == before.name for before in run.calls
    )


def _take_results(body: Any, run: _Run, options: ReadOptions) -> None:
    """Copy the results of earlier calls out of the conversation that a request repeats."""
    if all(map(_is_answered, run.calls)):
        return
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
    bodies = BodyReader()
    for exchange in _exchanges_in(document):
        for body in (_request_body(exchange, bodies), _response_body(exchange, bodies)):
            dialect = _dialect_of(body, find)
            if dialect is not None:
                tools += dialect.read_tools(body)
    return tools
