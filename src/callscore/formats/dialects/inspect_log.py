"""Inspect logs (whole logs, samples, events, model outputs, messages).

A log in the `.eval` format is a zip of the same samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.definitions import read_definitions
from callscore.formats.shape import (
    at,
    dicts,
    first,
    integer_of,
    list_of,
    name_of,
    text_in,
    text_of,
)
from callscore.formats.signs import Signs
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.formats.trace import ReadOptions, Trace

ORDER = 310
_EXAMPLE_CALL = {"id": "call_1", "function": "get_weather", "arguments": {"city": "Paris"}}
_EXAMPLE_MESSAGE = {"role": "assistant", "content": "", "tool_calls": [_EXAMPLE_CALL]}
EXAMPLE = {
    "version": 2,
    "eval": {"task": "weather"},
    "samples": [{"id": "paris", "epoch": 1, "messages": [_EXAMPLE_MESSAGE]}],
}
# What agents of Inspect tell a model, in the name of the user, that has called nothing.
_ROUTINE = ("Please proceed to the next step", "Your submission was incorrect")
_ATTACHMENT = "attachment://"
_UNPARSED = "Error parsing the following tool call arguments:\n\n"
_DETAILS = "\n\nError details: "
_MAX_DEPTH = 50
_EVENTS = frozenset(
    (
        *("sample_init", "sample_limit", "state", "store", "model", "tool", "sandbox", "approval"),
        *("input", "score", "score_edit", "error", "logger", "info", "step", "subtask"),
        *("span_begin", "span_end", "compaction", "checkpoint", "branch", "anchor", "interrupt"),
    )
)
_MAX_SAMPLED = 50
_LISTING = "mcp_list_tools"  # the provider lists the tools of a server: no call
SIGNS = Signs(
    keys=("eval", "epoch", "completion", "function", "tool_calls", "events"),
    item_keys=("function", "tool_calls", "event"),
    message_keys=("function", "tool_calls"),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a log, a sample of one, a model's output, or messages or calls of Inspect."""
    if isinstance(document, dict):
        return (
            _is_log(document)
            or _is_sample(document)
            or _is_output(document)
            or _is_call(document)
            or ("role" in document and _names_function(document))
            or _is_conversation(document.get("messages"))
            or _are_events(document.get("events"))
        )
    return _is_conversation(document) or _is_list_of_calls(document) or _are_events(document)


def _is_log(document: dict[str, Any]) -> bool:
    spec = document.get("eval")
    return isinstance(spec, dict) and (
        isinstance(document.get("samples"), list) or ("task" in spec and "version" in document)
    )


def _is_sample(document: dict[str, Any]) -> bool:
    return (
        "id" in document
        and integer_of(document.get("epoch")) is not None
        and (isinstance(document.get("messages"), list) or isinstance(document.get("events"), list))
    )


def _is_output(document: dict[str, Any]) -> bool:
    if "completion" not in document:
        return False
    choice = at(document, "choices", 0)
    return (
        isinstance(at(choice, "message"), dict)
        and "stop_reason" in choice
        and "finish_reason" not in choice
    )


def _is_call(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("function"), str)
        and item.get("type") in ("function", "custom")
        and "id" in item
        and "arguments" in item
    )


def _are_events(values: Any) -> bool:
    """Whether all are events of a sample, and a model or a tool is among them."""
    if not isinstance(values, list) or not values:
        return False
    kinds = [at(value, "event") for value in values[:_MAX_SAMPLED]]
    is_known = all(isinstance(kind, str) and kind in _EVENTS for kind in kinds)
    return is_known and any(map(_is_work, values))


def _is_work(event: Any) -> bool:
    """Whether an event is the answer of a model, or a call that was run."""
    kind = at(event, "event")
    return (kind == "model" and isinstance(event.get("output"), dict)) or (
        kind == "tool" and isinstance(event.get("function"), str)
    )


def _is_list_of_calls(document: Any) -> bool:
    return isinstance(document, list) and document != [] and all(map(_is_call, document))


def _is_conversation(messages: Any) -> bool:
    """Whether all are messages, and one has the name of its function as text."""
    return (
        isinstance(messages, list)
        and any(map(_names_function, messages))
        and all(isinstance(item, dict) and "role" in item for item in messages)
    )


def _names_function(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    if item.get("role") == "tool":
        return isinstance(item.get("function"), str)
    return "tool_calls" in item and isinstance(at(item["tool_calls"], 0, "function"), str)


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """A run for each sample and epoch; one run for anything else."""
    return [_read_sample(sample, options) for sample in _samples_in(document)]


def _samples_in(document: Any) -> list[dict[str, Any]]:
    if not isinstance(document, dict):
        calls = _is_list_of_calls(document)
        key = "events" if _are_events(document) else "messages"
        return [{key: [{"tool_calls": document}] if calls else document}]
    if isinstance(document.get("eval"), dict):
        return dicts(document.get("samples"))
    if isinstance(document.get("choices"), list):
        return [{"events": [{"event": "model", "output": document}]}]
    if _is_call(document):
        document = {"tool_calls": [document], "role": "assistant"}
    return [{"messages": [document]} if "role" in document else document]


def _read_sample(sample: dict[str, Any], options: ReadOptions) -> Trace:
    store = sample.get("attachments")
    reader = _Sample(Transcript(options), store if isinstance(store, dict) else {})
    messages, events = dicts(sample.get("messages")), dicts(sample.get("events"))
    has_tools = any(item.get("event") == "tool" for item in events)
    executed = options.view == "executed" and has_tools
    if messages and not executed:
        reader.take_messages(messages, sample.get("input"))
    elif not executed:
        reader.take_events(events, options)
        executed = has_tools and not len(reader.transcript)  # the answers were not recorded
    if executed:
        reader.take_executions(events)
    return reader.transcript.trace(
        id=name_of(sample.get("id")),
        trial=integer_of(sample.get("epoch")),
        input=reader.resolved(sample.get("input")),
        view="executed" if executed else "requested",
    )


class _Sample:
    """A sample: its transcript, and the attachments, which are long texts stored apart."""

    def __init__(self, transcript: Transcript, attachments: dict[str, Any]) -> None:
        self.transcript = transcript
        self._attachments = attachments

    def resolved(self, value: Any) -> Any:
        """The value with its attachments in their places."""
        if self._attachments:
            if value.__class__ is dict:
                return {key: self.resolved(item) for key, item in value.items()}
            if value.__class__ is list:
                return [self.resolved(item) for item in value]
            if isinstance(value, str) and value.startswith(_ATTACHMENT):
                return self._attachments.get(value.removeprefix(_ATTACHMENT), value)
        return value

    def take_messages(self, messages: list[dict[str, Any]], value: Any) -> None:
        """Add a conversation, without the messages of its input."""
        shown = [message.get("id") for message in dicts(value) if message.get("id") is not None]
        if shown:
            self.transcript.speaker(is_user=True)  # even if it is a whole conversation
        for message in messages:
            if message.get("id") not in shown:
                self._take_message(message)

    def take_events(self, events: list[dict[str, Any]], options: ReadOptions) -> None:
        """Add the answers of the models, and the results of their calls."""
        for event in events:
            if event.get("event") == "model":
                choices = list_of(at(event, "output", "choices"))
                message = at(choices, options.choose(range(len(choices))), "message")
                if isinstance(message, dict):
                    self._take_message(message)
            elif event.get("event") == "tool":
                self._take_result(event, event.get("result"), event.get("id"))

    def take_executions(self, events: list[dict[str, Any]]) -> None:
        for event in events:
            if event.get("event") == "model":
                self.transcript.step()
            elif event.get("event") == "tool":
                error = event.get("error")
                refused = at(error, "message") if at(error, "type") == "parsing" else None
                self._take_call(event, refused)
                self._take_result(event, event.get("result"), event.get("id"))

    def _take_message(self, message: dict[str, Any]) -> None:
        if message.get("role") == "tool":
            self._take_result(message, message.get("content"), message.get("tool_call_id"))
            return
        if not (self.resolved(text_in(message.get("content"))) or "").startswith(_ROUTINE):
            self.transcript.role(message.get("role"))
        served = []
        for block in dicts(message.get("content")):
            if "tool_type" in block:
                served.append(block)
            else:
                self.transcript.unknown(block.get("type"), block)
        calls = dicts(message.get("tool_calls"))
        if served or calls:
            self.transcript.step()
        for block in served:
            self._take_served(block)
        for call in calls:
            self._take_call(call, call.get("parse_error"))

    def _take_call(self, call: dict[str, Any], problem: Any) -> None:
        arguments = self.resolved(call.get("arguments"))
        problem = text_of(self.resolved(problem))
        if problem:
            quoted = problem.rpartition(_DETAILS)[0]  # what could not be parsed, behind a heading
            is_quoted = quoted.startswith(_UNPARSED)
            arguments = quoted.removeprefix(_UNPARSED) if is_quoted else arguments or None
        self.transcript.call(call.get("function"), arguments, call.get("id"), error=problem or None)

    def _take_served(self, block: dict[str, Any]) -> None:
        """Add a call that the provider made itself."""
        if block.get("name") == _LISTING:
            return
        arguments = self.resolved(block.get("arguments"))
        kind = "mcp" if block.get("tool_type") == "mcp_call" else "hosted"
        is_code = isinstance(arguments, str) and not arguments.lstrip().startswith("{")
        if block.get("tool_type") == "code_execution" and is_code:
            arguments = {"input": arguments}
        self.transcript.call(block.get("name"), arguments, block.get("id"), kind=kind)
        self._take_result(block, block.get("result"), block.get("id"))

    def _take_result(self, answer: dict[str, Any], value: Any, id_: Any) -> None:
        error = first(answer, "error", "tool_error")
        if error is not None:
            value = value or first(error, "message") or error
        failed = error is not None or answer.get("failed") is True
        self.transcript.result(self.resolved(value), id_, failed=failed)


def read_tools(document: Any) -> list[Tool]:
    """The tools that the models were offered."""
    tools: list[Tool] = []
    offered: Any = None
    for sample in _samples_in(document):
        for event in dicts(at(sample, "events")):
            if event.get("event") == "model" and event.get("tools") != offered:
                offered = event.get("tools")
                tools += read_definitions(_without_nulls(offered))
    return tools


def _without_nulls(value: Any, depth: int = 0) -> Any:
    """A definition as in a file: live objects have nulls for what is not set."""
    if depth > _MAX_DEPTH:
        return value
    if isinstance(value, dict):
        kept = [(key, item) for key, item in value.items() if item is not None]
        return {key: _without_nulls(item, depth + 1) for key, item in kept}
    return [_without_nulls(item, depth + 1) for item in value] if isinstance(value, list) else value
