"""spring-ai-ragas samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import at, dicts
from callscore.formats.signs import Signs
from callscore.formats.trace import ReadOptions, Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

ORDER = 435
EXAMPLE = {
    "userInput": "How is the weather in Paris?",
    "userInputMessages": [
        {"content": "How is the weather in Paris?"},
        {"content": "", "toolCalls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]},
    ],
    "referenceToolCalls": [{"name": "get_weather", "arguments": {"city": "Paris"}}],
}
SIGNS = Signs(keys=("userInputMessages", "referenceToolCalls"), item_keys=())


def recognizes(document: Any) -> bool:
    """Whether it has a conversation or reference calls under the names of that library."""
    return isinstance(document, dict) and (
        isinstance(document.get("userInputMessages"), list)
        or isinstance(document.get("referenceToolCalls"), list)
    )


def read(document: Any, options: ReadOptions) -> list[Trace]:
    """One run, with the expected calls."""
    reference = at(document, "referenceToolCalls")
    reference = [{"toolCalls": reference}] if isinstance(reference, list) else None
    calls = _calls_in(at(document, "userInputMessages"), options)
    expected = _calls_in(reference, options)
    return [Trace(calls=calls, expected=expected, input=at(document, "userInput"))]


def _calls_in(messages: Any, options: ReadOptions) -> tuple[ToolCall, ...] | None:
    """The calls in a conversation; the messages after them are their results."""
    if not isinstance(messages, list):
        return None
    transcript = Transcript(options)
    waiting = 0
    for message in dicts(messages):
        if "toolCalls" in message:
            transcript.step()
            calls = dicts(message["toolCalls"])
            for call in calls:
                transcript.call(call.get("name"), call.get("arguments"))
            waiting = len(calls)
            transcript.speaker(is_user=False)
        elif waiting:  # only its position distinguishes a tool's message from a user's
            transcript.result(message.get("content"))
            waiting -= 1
        else:
            transcript.speaker(is_user=True)
    return transcript.calls()
