"""ragas multi-turn samples."""

from __future__ import annotations

from typing import Any

from callscore.formats.shape import as_list, at, dicts, list_of
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

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
SIGNS = Signs(keys=("samples", "user_input"), item_keys=("user_input",))


def recognizes(document: Any) -> bool:
    """Whether it is a multi-turn sample, or a dataset of them."""
    samples = _samples_in(document)
    return bool(samples) and all(map(_is_sample, samples))


def _samples_in(document: Any) -> list[Any]:
    samples = at(document, "samples")
    return samples if isinstance(samples, list) else as_list(document)


def _is_sample(item: Any) -> bool:
    if not isinstance(item, dict) or "user_input" not in item:
        return False
    messages = item["user_input"]
    if isinstance(item.get("reference_tool_calls"), list):
        return True
    return bool(messages) and all(at(one, "type") in _KINDS for one in list_of(messages) or [None])


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run per sample; its reference calls are expected."""
    return [_read_sample(sample, options) for sample in dicts(_samples_in(document))]


def _read_sample(sample: dict[str, Any], options: ReadOptions) -> Trace:
    actual, expected = Transcript(options), Transcript(options)
    asked = sample.get("user_input")
    has_messages = isinstance(asked, list)
    for message in dicts(asked):
        actual.role(message.get("type"))
        if message.get("type") == "ai" and message.get("tool_calls"):
            actual.step()
            _take_calls(message["tool_calls"], actual)
        elif message.get("type") == "tool":
            actual.result(message.get("content"))
    if has_messages:
        said = [
            message.get("content") for message in dicts(asked) if message.get("type") == "human"
        ]
        asked = said[0] if said else None
    reference = sample.get("reference_tool_calls")
    _take_calls(reference, expected)
    return Trace(
        calls=actual.calls() if has_messages else None,
        expected=expected.calls() if isinstance(reference, list) else None,
        input=asked,
    )


def _take_calls(calls: Any, transcript: Transcript) -> None:
    for call in dicts(calls):
        transcript.call(call.get("name"), call.get("args"))
