"""spring-ai-ragas samples: a conversation, and the calls that it should have had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from callscore.formats.shape import dicts, first
from callscore.formats.trace import Trace
from callscore.formats.transcript import Transcript

if TYPE_CHECKING:
    from callscore.core.call import ToolCall
    from callscore.formats.trace import Wanted

__all__ = ["EXAMPLE", "ORDER", "read", "recognises"]

ORDER = 435
EXAMPLE = {
    "userInput": "How is the weather in Paris?",
    "userInputMessages": [
        {"content": "How is the weather in Paris?"},
        {
            "content": "",
            "toolCalls": [{"name": "get_weather", "arguments": {"city": "Paris"}}],
        },
    ],
    "referenceToolCalls": [{"name": "get_weather", "arguments": {"city": "Paris"}}],
}


def recognises(document: Any) -> bool:
    """Whether it has a conversation or reference calls under the names of that library."""
    return isinstance(document, dict) and (
        isinstance(document.get("userInputMessages"), list)
        or isinstance(document.get("referenceToolCalls"), list)
    )


def read(document: Any, wanted: Wanted) -> list[Trace]:
    """One run, with what was expected of it."""
    messages = first(document, "userInputMessages")
    reference = first(document, "referenceToolCalls")
    trace = Trace(
        calls=_calls_in(messages, wanted) if isinstance(messages, list) else None,
        expected=_calls_in([document], wanted, "referenceToolCalls")
        if isinstance(reference, list)
        else None,
        input=first(document, "userInput"),
    )
    return [trace]


def _calls_in(messages: Any, wanted: Wanted, key: str = "toolCalls") -> tuple[ToolCall, ...]:
    """The calls in a conversation; what is said while some are open are their results."""
    transcript = Transcript(wanted)
    waiting = 0
    for message in dicts(messages):
        if key in message:
            transcript.step()
            calls = dicts(message[key])
            for call in calls:
                transcript.call(call.get("name"), call.get("arguments"))
            waiting = len(calls)
        elif waiting:  # a tool's message is told from a user's by its place alone
            transcript.result(message.get("content"))
            waiting -= 1
    return transcript.calls()
