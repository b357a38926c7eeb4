"""ragas: multi-turn samples with the calls that were made and those that were expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts, list_of
from callscore.formats.trace import Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.trace import Wanted

__all__ = ["EXAMPLE", "ORDER", "read", "recognises"]

ORDER = 430
EXAMPLE = {
    "user_input": [
        {"content": "What is the weather in Paris?", "type": "human"},
        {
            "content": "",
            "type": "ai",
            "tool_calls": [{"name": "get_weather", "args": {"city": "Paris"}}],
        },
        {"content": "18 °C", "type": "tool"},
    ],
    "reference_tool_calls": [{"name": "get_weather", "args": {"city": "Paris"}}],
}
_KINDS = ("human", "ai", "tool")


def recognises(document: Any) -> bool:
    """Whether it is a multi-turn sample, or a dataset of them."""
    if isinstance(document, dict) and isinstance(document.get("samples"), list):
        document = document["samples"]
    if isinstance(document, list):
        return bool(document) and all(_is_sample(item) for item in document)
    return _is_sample(document)


def _is_sample(item: Any) -> bool:
    if not isinstance(item, dict) or "user_input" not in item:
        return False
    messages = item["user_input"]
    if isinstance(item.get("reference_tool_calls"), list):
        return True
    return bool(messages) and all(at(one, "type") in _KINDS for one in list_of(messages) or [None])


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run a sample; its reference calls are what is expected of it."""
    if isinstance(document, dict) and isinstance(document.get("samples"), list):
        document = document["samples"]
    samples = dicts(document) if isinstance(document, list) else dicts([document])
    return [_read_sample(sample, wanted) for sample in samples]


def _read_sample(sample: dict[str, Any], wanted: Wanted) -> Trace:
    messages = sample.get("user_input")
    reference = sample.get("reference_tool_calls")
    return Trace(
        calls=_read_messages(messages, wanted) if isinstance(messages, list) else None,
        expected=_read_reference(reference, wanted) if isinstance(reference, list) else None,
        input=_asked(messages),
    )


def _read_messages(messages: list[Any], wanted: Wanted) -> tuple[ToolCall, ...]:
    transcript = Transcript(wanted)
    for message in dicts(messages):
        if message.get("type") == "ai" and message.get("tool_calls"):
            transcript.step()
            _take(message["tool_calls"], transcript)
        elif message.get("type") == "tool":
            transcript.result(message.get("content"))
    return transcript.calls()


def _read_reference(reference: list[Any], wanted: Wanted) -> tuple[ToolCall, ...]:
    transcript = Transcript(wanted)
    _take(reference, transcript)
    return transcript.calls()


def _take(calls: Any, transcript: Transcript) -> None:
    for call in dicts(calls):
        transcript.call(call.get("name"), call.get("args"))


def _asked(messages: Any) -> Any:
    if not isinstance(messages, list):
        return messages
    said = [one.get("content") for one in dicts(messages) if one.get("type") == "human"]
    return said[0] if said else None
