"""Spans and messages in OTel's conventions for generative AI, in all their versions.

Also in the variants of Pydantic AI, Logfire, Google ADK, Strands and any-agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from callscore.core.call import NOT_CAPTURED, ToolCall
from callscore.formats.families.observed_runs import ObservedStep, ToolResult
from callscore.formats.families.spans import Event, Span
from callscore.formats.families.tool_executions import exception_in, executed_call
from callscore.formats.families.user_turns import count_turns
from callscore.formats.shape import (
    as_list,
    at,
    dicts,
    first,
    integer_of,
    json_of,
    list_of,
    text_in,
    text_of,
)
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.formats.families.model_outputs import ModelOutputs
    from callscore.formats.trace import ReadOptions

_CALL_TYPES = ("tool_call", "server_tool_call")
_RESULT_TYPES = ("tool_call_response", "server_tool_call_response")


def are_otel_messages(value: Any) -> bool:
    """Whether a value is a message, or a list of messages, with typed parts."""
    return any(map(_is_otel_message, as_list(value)))


def _is_otel_message(message: Any) -> bool:
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(parts, list) or not parts:
        return False
    return isinstance(parts[0], dict) and isinstance(parts[0].get("type"), str)


def take_otel_messages(value: Any, transcript: Transcript) -> None:
    """Add the calls and the results in the parts of messages."""
    for message in as_list(value):
        for part in list_of(message.get("parts")) if isinstance(message, dict) else ():
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in _CALL_TYPES:
                transcript.open_step()
                _take_call(part, transcript)
            elif kind in _RESULT_TYPES:
                transcript.result(_response(part), part.get("id"), name=part.get("name"))
            else:
                transcript.unknown(kind, part)
        transcript.close_step()


def _response(part: dict[str, Any]) -> Any:
    return first(part, "response", "result", "server_tool_call_response", "content")


def responses_in(value: Any) -> list[ToolResult]:
    """The results in the parts of messages, even if the calls are missing."""
    return [
        ToolResult(_response(part), text_of(part.get("id")), text_of(part.get("name")))
        for message in dicts(value)
        for part in dicts(message.get("parts"))
        if part.get("type") in _RESULT_TYPES
    ]


def _take_call(part: dict[str, Any], transcript: Transcript) -> None:
    name, id_ = part.get("name"), part.get("id")
    if part["type"] == "server_tool_call":
        held = part.get("server_tool_call")
        if isinstance(held, dict):
            held = {key: value for key, value in held.items() if key != "type"}
        transcript.call(name, held, id_, kind="hosted")
    elif "arguments" in part:
        transcript.call(name, part["arguments"], id_)
    else:
        transcript.call(name, None, id_, error=NOT_CAPTURED)


def question_in(value: Any) -> str | None:
    """The last text of the user in a list of messages."""
    for message in reversed(dicts(json_of(value))):
        if message.get("role") == "user":
            texts = [part.get("content") for part in dicts(message.get("parts"))]
            found = [text for text in texts if isinstance(text, str)]
            return "\n".join(found) if found else text_in(message.get("content"))
    return None


_OPERATION = "gen_ai.operation.name"
_MODEL_OPERATIONS = ("chat", "generate_content", "text_completion", "call_llm")
_OUTPUT = "gen_ai.output.messages"
_INPUT = "gen_ai.input.messages"
_CHOICE = "gen_ai.choice"
_RESULT = "gen_ai.tool.message"
_SPOKEN = ("gen_ai.user.message", "gen_ai.assistant.message")
# The keys of an answer in the provider's format.
_RAW_ANSWER_KEYS = ("gen_ai.completion", "gcp.vertex.agent.llm_response", "response_data")
_ARGUMENT_KEYS = (
    "gen_ai.tool.call.arguments",
    "tool_arguments",
    "gen_ai.tool.args",
    "gen_ai.tool.arguments",
    "gcp.vertex.agent.tool_call_args",
    "input.value",
)
_RESULT_KEYS = (
    "gen_ai.tool.call.result",
    "tool_response",
    "gcp.vertex.agent.tool_response",
    "gen_ai.output",
    "output.value",
)
_SINGLE_TOOL_KEYS = {"name": "name", "description": "description", "parameters": "json_schema"}
_MERGED_TOOLS = "(merged tools)"  # a span of ADK for tools that have spans of their own


def observe_span(span: Span, outputs: ModelOutputs, options: ReadOptions) -> ObservedStep:
    """The step of a span: of a model, of a tool, or empty."""
    tool, operation = span.attributes.get("gen_ai.tool.name"), span.attributes.get(_OPERATION)
    is_tool = operation == "execute_tool" or (operation is None and isinstance(tool, str))
    if is_tool and tool != _MERGED_TOOLS:
        return ObservedStep(id=span.id, parent=span.parent, execution=_execution(span, options))
    return ObservedStep(
        id=span.id,
        parent=span.parent,
        requests=_requests(span, outputs, options),
        answers=partial(_answers, span, outputs),
        turn=partial(_turn_of, span),
    )


def question_of(spans: list[Span]) -> str | None:
    """What the user asked before the first model call."""
    for span in spans:
        if _INPUT in span.attributes:
            return question_in(span.attributes[_INPUT])
    return None


def _requests(
    span: Span, outputs: ModelOutputs, options: ReadOptions
) -> tuple[ToolCall, ...] | None:
    """The calls in the answer of a model; None if the span is not a model's."""
    attributes = span.attributes
    if _OUTPUT in attributes:
        calls = outputs.calls(_chosen_message(attributes, options))
    elif "gen_ai.output" in attributes:
        calls = _any_agent_calls(attributes["gen_ai.output"], options)
    else:
        answer = first(attributes, *_RAW_ANSWER_KEYS)
        calls = () if answer is None else outputs.calls(answer)
        if answer is None and (span.events or "events" in attributes):
            for message in _choices(span, options):
                calls += _calls_in_choice(message, outputs, options)
    is_model = bool(calls) or attributes.get(_OPERATION) in _MODEL_OPERATIONS
    return calls if is_model else None


def _chosen_message(attributes: dict[str, Any], options: ReadOptions) -> Any:
    """The answer to take, if the model gave several."""
    messages = attributes[_OUTPUT]
    is_choice = attributes.get("gen_ai.request.choice.count") not in (None, 1, "1")
    if is_choice or (isinstance(messages, str) and messages[:1] == '"'):  # JSON within JSON
        messages = json_of(messages)
    if is_choice and isinstance(messages, list):
        chosen = options.choose(range(len(messages)))
        return messages[chosen : chosen + 1]
    return messages


def _any_agent_calls(value: Any, options: ReadOptions) -> tuple[ToolCall, ...]:
    """The calls in the notation of any-agent."""
    transcript = Transcript(options)
    for item in dicts(json_of(value)):
        if "tool.name" in item:
            transcript.call(item["tool.name"], item.get("tool.args"))
    return transcript.calls()


def _events(span: Span) -> Sequence[Event]:
    """The events of a span, and those that Pydantic AI keeps in an attribute."""
    if "events" not in span.attributes:
        return span.events
    kept = dicts(json_of(span.attributes["events"]))
    own = [Event(text_of(event.get("event.name")) or "", {}, event) for event in kept]
    return [*span.events, *own]


def _choices(span: Span, options: ReadOptions) -> list[Any]:
    """The messages in the answer of a model, from the events of its span."""
    messages: list[Any] = []
    indices: list[int | None] = []
    for event in _events(span):
        if _OUTPUT in event.attributes:
            messages.append(json_of(event.attributes[_OUTPUT]))
            indices.append(None)
        elif event.name == _CHOICE:
            held = _content(event)
            message = json_of(first(held, "message"))
            messages.append(held if message is None else message)
            indices.append(integer_of(json_of(first(held, "index"))))
    if len(set(indices)) <= 1:
        return messages
    number = options.choose(index for index in indices if index is not None)
    chosen = zip(indices, messages, strict=True)
    return [message for index, message in chosen if index == number]


def _content(event: Event) -> Any:
    """The content of an event: its body, an attribute with the body, or its attributes."""
    attributes = event.attributes
    return event.body or json_of(attributes.get("gen_ai.event.content")) or attributes


def _calls_in_choice(
    message: Any, outputs: ModelOutputs, options: ReadOptions
) -> tuple[ToolCall, ...]:
    if isinstance(message, list) and not are_otel_messages(message):  # the parts of a message
        return outputs.calls({"role": "assistant", "content": message})
    transcript = Transcript(options)
    for call in dicts(json_of(first(message, "tool_calls"))):
        function = call.get("function")
        arguments = first(function, "arguments")
        error = NOT_CAPTURED if arguments is None else None
        transcript.call(first(function, "name"), arguments, call.get("id"), error=error)
    return transcript.calls() or outputs.calls(message)


def _answers(span: Span, outputs: ModelOutputs) -> list[ToolResult]:
    """The results in the input of a model."""
    found: list[ToolResult] = []
    for event in _events(span):
        if event.name == _RESULT:
            found += _results_in_event(_content(event))
        elif _INPUT in event.attributes:
            found += outputs.answers(event.attributes[_INPUT])
    value = first(span.attributes, _INPUT, "gen_ai.prompt", "gcp.vertex.agent.llm_request")
    return found or outputs.answers(value)


def _turn_of(span: Span) -> int | None:
    """How often the user asked again in the input of a model."""
    value = first(span.attributes, _INPUT, "gen_ai.prompt", "gcp.vertex.agent.llm_request")
    if value is not None:
        return count_turns(value)
    events = _events(span)
    held = next((event.attributes[_INPUT] for event in events if _INPUT in event.attributes), None)
    if held is not None:
        return count_turns(held)
    return count_turns([_said(event) for event in events if event.name in _SPOKEN])


def _said(event: Event) -> dict[str, Any]:
    """The message that an event reports, whose role is a part of its name."""
    role = event.name.removeprefix("gen_ai.").removesuffix(".message")
    return {"role": role, "content": first(_content(event), "content")}


def _results_in_event(held: Any) -> list[ToolResult]:
    """The result in an event, or the results in its parts, as in Strands."""
    content = first(held, "content")
    parts = [part.get("toolResult") for part in dicts(json_of(content))]
    if not any(parts):
        return [ToolResult(content, text_of(first(held, "id")))]
    return [
        ToolResult(
            first(part, "content"),
            text_of(first(part, "toolUseId")),
            failed=True if first(part, "status") == "error" else None,
        )
        for part in parts
    ]


def _execution(span: Span, options: ReadOptions) -> ToolCall:
    attributes = span.attributes
    value, result = _first(attributes, _ARGUMENT_KEYS), _first(attributes, _RESULT_KEYS)
    if span.events or "events" in attributes:  # as in Strands
        for event in _events(span):
            if event.name == _RESULT and value is None:
                value = first(_content(event), "content")
            elif event.name == _CHOICE and result is None:
                result = json_of(first(_content(event), "message"))
    failed = first(attributes, "gen_ai.tool.status", "tool.status") == "error"
    return executed_call(
        attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool "),
        value,
        attributes.get("gen_ai.tool.call.id"),
        result=exception_in(span) if result is None else result,
        failed=failed or span.failed,
        options=options,
    )


def _first(attributes: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """Like `first`, but faster: most spans have the first of these keys."""
    found = attributes.get(keys[0])
    return first(attributes, *keys) if found is None else found


def whole_conversation(span: Span, step: ObservedStep, outputs: ModelOutputs) -> ObservedStep:
    """The step with the calls of a whole run, if its span is a Pydantic AI agent's."""
    value = first(span.attributes, "pydantic_ai.all_messages", "all_messages_events")
    if value is None:
        return step
    value = json_of(value)
    if isinstance(at(value, 0, "event.name"), str):
        value = _messages_in_events(dicts(value))
    calls = outputs.calls(value)
    return replace(step, requests=calls) if calls else step


def _messages_in_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of events, without those that contain only text."""
    messages = []
    for event in events:
        is_text = isinstance(event.get("content"), str) and "tool_calls" not in event
        if is_text and event.get("role") in ("user", "system", "assistant"):
            continue
        message = {key: value for key, value in event.items() if "." not in key}
        if "id" in event:
            message["tool_call_id"] = event["id"]
        messages.append(message)
    return messages


def offered_tools_in(attributes: dict[str, Any]) -> Any:
    """The definitions of the tools that a model or an agent was offered."""
    value = attributes.get("gen_ai.tool.definitions")
    if value is not None:
        return value
    if "gen_ai.tool.json_schema" in attributes:  # the span of one tool
        return [
            {key: attributes.get(f"gen_ai.tool.{name}") for key, name in _SINGLE_TOOL_KEYS.items()}
        ]
    parameters = json_of(attributes.get("model_request_parameters"))
    if isinstance(parameters, dict):
        return [*dicts(parameters.get("function_tools")), *dicts(parameters.get("output_tools"))]
    return at(json_of(attributes.get("request_data")), "tools") or at(
        json_of(attributes.get("gcp.vertex.agent.llm_request")), "config", "tools"
    )
