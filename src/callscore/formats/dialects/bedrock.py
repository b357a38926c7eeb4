"""Amazon Bedrock (Converse, Nova, streams, invocation logs, batches).

The answers of Anthropic's models to `InvokeModel` are in the dialect `anthropic`. A line of a log,
or of a batch, may have either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from callscore.core.call import TRUNCATED, Tool
from callscore.formats.definitions import read_definitions
from callscore.formats.dialects import anthropic, anthropic_stream
from callscore.formats.shape import as_list, at, dicts, first, integer_of, list_of, text_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

ORDER = 670
_EXAMPLE_USE = {"toolUseId": "tooluse_1", "name": "get_weather", "input": {"city": "Paris"}}
EXAMPLE = {
    "output": {"message": {"role": "assistant", "content": [{"toolUse": _EXAMPLE_USE}]}},
    "stopReason": "tool_use",
}
_MAX_SAMPLED = 20
_BLOCK_EVENTS = ("contentBlockStart", "contentBlockDelta", "contentBlockStop")
_EVENTS = frozenset(("messageStart", *_BLOCK_EVENTS, "messageStop"))
_CUT_OFF = ("max_tokens", "model_context_window_exceeded")
_MALFORMED = "malformed_tool_use"
_NO_CALLS = frozenset(
    (
        *("text", "image", "document", "video", "audio", "reasoningContent", "citationsContent"),
        *("guardContent", "cachePoint", "searchResult"),
    )
)
_STATUSES = {"success": False, "error": True}
SIGNS = Signs(
    keys=(
        *("output", "toolConfig", "content", "schemaType", "modelInput", "stream", "toolUse"),
        *_EVENTS,
    ),
    item_keys=("toolUse", *_EVENTS),
    message_keys=("content",),
    reads_plain_chat=False,
)


def recognizes(document: Any) -> bool:
    """Whether it is a request, a response, a message, a block, a stream or a record of Converse."""
    if isinstance(document, list):
        return any(_is_event(item) or _is_call(item) for item in document[:_MAX_SAMPLED])
    return isinstance(document, dict) and (
        _is_response(document)
        or _is_request(document)
        or has_blocks(document)
        or _is_call(document)
        or _is_event(document)
        or _is_record(document)
        or any(map(_is_event, list_of(document.get("stream"))[:_MAX_SAMPLED]))
    )


def _is_response(document: dict[str, Any]) -> bool:
    output = document.get("output")
    message = output.get("message") if isinstance(output, dict) else None
    return (
        isinstance(message, dict)
        and isinstance(message.get("content"), list)
        and (isinstance(document.get("stopReason"), str) or has_blocks(message))
    )


def _is_request(document: dict[str, Any]) -> bool:
    messages = document.get("messages")
    return isinstance(messages, list) and (
        any(map(has_blocks, messages)) or isinstance(at(document.get("toolConfig"), "tools"), list)
    )


def has_blocks(message: Any) -> bool:
    """Whether a message has a call or a result in the format of Converse."""
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(first(block, "toolUse", "toolResult"), dict):
            return True
    return False


def _is_call(block: Any) -> bool:
    """Whether it is a block of a message, with a call."""
    use = block.get("toolUse") if isinstance(block, dict) and len(block) == 1 else None
    return isinstance(use, dict) and isinstance(use.get("name"), str)


def joins_lines(line: Any) -> bool:
    """Whether a line is one event of a stream, or one message of a conversation."""
    return _is_event(line) or (isinstance(at(line, "role"), str) and has_blocks(line))


def _is_event(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and not _EVENTS.isdisjoint(value)
        and any(isinstance(value.get(key), dict) for key in _EVENTS)
    )


def _is_record(document: dict[str, Any]) -> bool:
    """Whether it is a line of a log or of a batch, with an answer that can be read or with none."""
    if document.get("schemaType") == "ModelInvocationLog":
        return _reader_of(at(document, "output", "outputBodyJson")) is not None
    if not isinstance(document.get("modelInput"), dict):
        return False
    return "error" in document or _reader_of(document.get("modelOutput")) is not None


def _reader_of(answer: Any) -> Callable[[Any, ReadOptions], list[Trace]] | None:
    is_response = isinstance(answer, dict) and _is_response(answer)
    if is_response or any(map(_is_event, list_of(answer)[:_MAX_SAMPLED])):
        return read
    if anthropic.recognizes(answer):
        return anthropic.read
    return anthropic_stream.read if anthropic_stream.recognizes(answer) else None


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run: a response, the messages of a stream or all messages of a conversation."""
    if isinstance(document, dict) and _is_record(document):
        name = text_of(document.get("recordId"))
        answer = first(document, "modelOutput") or at(document, "output", "outputBodyJson")
        read_answer = _reader_of(answer)
        if read_answer is None:
            return [Trace(id=name)]  # no answer came, which is not an answer without calls
        return [replace(trace, id=name) for trace in read_answer(answer, options)]
    transcript = Transcript(options)
    for message, stop_reason in _messages_in(document):
        take_message(message, transcript, stop_reason)
    return [transcript.trace()]


def _messages_in(document: Any) -> list[tuple[Any, Any]]:
    """The messages in a document, each with the reason why it ends, if that is known."""
    blocks = as_list(document)
    if any(map(_is_call, blocks)):
        return [({"content": blocks}, None)]
    answer = at(document, "output", "message")
    if isinstance(answer, dict):
        return [(answer, document.get("stopReason"))]
    items = document if isinstance(document, list) else first(document, "stream", "messages")
    found = dicts(items if isinstance(items, list) else [document])
    if not any(map(_is_event, found[:_MAX_SAMPLED])):
        return [(message, None) for message in found]
    messages: list[_Message] = []
    for event in found:
        if isinstance(event.get("messageStart"), dict) or not messages:
            messages.append(_Message())
        messages[-1].take(event)
    return [(message.whole(), message.stop_reason) for message in messages]


def take_message(message: Any, transcript: Transcript, stop_reason: Any = None) -> None:
    """Add the calls and the results of a message, whose last call may be cut off or unreadable."""
    content = dicts(at(message, "content"))
    if at(message, "role") != "user":
        transcript.step()
    if not any("toolResult" in block for block in content):
        transcript.role(at(message, "role"))
    faulty, fault = _fault_in(content, stop_reason)
    for block in content:
        use, result = block.get("toolUse"), block.get("toolResult")
        if isinstance(use, dict):
            transcript.call(
                use.get("name"),
                use.get("input"),
                use.get("toolUseId"),
                kind="hosted" if use.get("type") == "server_tool_use" else None,
                error=fault if block is faulty else None,
            )
        elif isinstance(result, dict):
            failed = _STATUSES.get(text_of(result.get("status")) or "")
            transcript.result(result.get("content"), result.get("toolUseId"), failed=failed)
        else:
            transcript.unknown_keys(block, _NO_CALLS)
    if fault == _MALFORMED and faulty is None:
        transcript.call(None, None, error=_MALFORMED)


def _fault_in(content: list[dict[str, Any]], stop_reason: Any) -> tuple[Any, str | None]:
    """The call that is not as the model intended it, and why."""
    calls = [block for block in content if isinstance(block.get("toolUse"), dict)]
    last = calls[-1] if calls else None
    if stop_reason == _MALFORMED:
        return last, _MALFORMED
    if stop_reason in _CUT_OFF and last is not None and last is content[-1]:
        arguments = last["toolUse"].get("input")
        # Text shows whether it is complete; an object may have been closed by a parser.
        if not (arguments and isinstance(arguments, str)):
            return last, TRUNCATED
    return None, None


class _Message:
    """A message, as far as it was streamed."""

    def __init__(self) -> None:
        self.stop_reason: Any = None
        self._blocks: list[tuple[str, dict[str, Any], list[Any]]] = []
        self._open: dict[int | None, int] = {}

    def take(self, event: dict[str, Any]) -> None:
        if "contentBlockDelta" in event:
            delta = event["contentBlockDelta"]
            position = self._open.get(integer_of(at(delta, "contentBlockIndex")))
            if position is not None:
                kind, _, pieces = self._blocks[position]
                piece = at(delta, "delta", kind)
                pieces += piece if isinstance(piece, list) else [at(piece, "input")]
        elif "contentBlockStart" in event:
            start = event["contentBlockStart"]
            begun = at(start, "start")
            for kind, block in begun.items() if isinstance(begun, dict) else ():
                if isinstance(block, dict) and kind not in _NO_CALLS:
                    self._open[integer_of(at(start, "contentBlockIndex"))] = len(self._blocks)
                    self._blocks.append((kind, block, []))
        elif "messageStop" in event:
            self.stop_reason = at(event, "messageStop", "stopReason")

    def whole(self) -> dict[str, Any]:
        content = []
        for kind, block, pieces in self._blocks:
            joined = "".join(piece for piece in pieces if isinstance(piece, str))
            own = {"content": pieces} if kind == "toolResult" else {"input": joined}
            content.append({kind: {**block, **own}})
        return {"role": "assistant", "content": content}


def read_tools(document: Any) -> list[Tool]:
    """The tools that a request offers."""
    request = first(document, "modelInput") or at(document, "input", "inputBodyJson") or document
    tools = read_definitions(at(request, "toolConfig", "tools"))
    return tools or (anthropic.read_tools(request) if request is not document else [])
