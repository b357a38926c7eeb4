"""Streamed answers put together, as if they had come at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from callscore.core.plain import plain
from callscore.formats.dialects.openai_stream import Fragments, fragment_in, index_of
from callscore.formats.shape import text_in
from callscore.sources.server_sent_events import read_events

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["gathered"]

_END = re.compile(r"^data: ?\[DONE\]\s*$", re.MULTILINE)  # no JSON has a line like this
_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")
_ABOUT = ("id", "model", "created", "system_fingerprint", "service_tier")


class _Choice:
    """One of the answers, as far as it has come in."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._texts: dict[str, list[str]] = {}
        self._fragments = Fragments()
        self._finish: Any = None

    @property
    def is_finished(self) -> bool:
        """Whether the model has said that it is done."""
        return bool(self._finish)

    def take(self, choice: dict[str, Any]) -> None:
        """Add what a chunk says."""
        delta = fragment_in(choice)
        self._finish = choice.get("finish_reason") or self._finish
        if not isinstance(delta, dict):
            return
        self._fragments.take(delta)
        for name in _TEXTS:
            said = text_in(delta.get(name))
            if said is not None:
                self._texts.setdefault(name, []).append(said)

    def whole(self) -> dict[str, Any]:
        """The answer as one that is not streamed has it."""
        texts = {name: "".join(parts) for name, parts in self._texts.items()}
        message: dict[str, Any] = {"role": "assistant", "content": None, **texts}
        calls = [{"type": _kind_of(call), **call} for call in self._fragments.calls()]
        if calls:
            message["content"] = message["content"] or None
            message["tool_calls"] = calls
        return {"index": self._index, "message": message, "finish_reason": self._finish}


def _kind_of(call: dict[str, Any]) -> str:
    return "custom" if "custom" in call else "function"


def gathered(text: str) -> dict[str, Any]:
    """The completion that a stream of events adds up to; the error that it holds, if it does.

    Raises:
        ConnectionError: the stream ends in the middle.
    """
    events = [event for event in read_events(text) or () if isinstance(event, dict)]
    for event in events:
        if event.get("error"):
            return {"error": plain(event["error"])}
    choices = _choices_in(events)
    is_finished = bool(choices) and all(choice.is_finished for choice in choices)
    if not is_finished and _END.search(text) is None:
        raise ConnectionError("the stream ended in the middle")
    about = {name: event[name] for event in events for name in _ABOUT if event.get(name)}
    usage = [event["usage"] for event in events if isinstance(event.get("usage"), dict)]
    return {
        **about,
        "object": "chat.completion",
        "choices": [plain(choice.whole()) for choice in choices],
        "usage": plain(usage[-1]) if usage else None,
    }


def _choices_in(events: Iterable[dict[str, Any]]) -> list[_Choice]:
    found: dict[int, _Choice] = {}
    for event in events:
        for choice in event.get("choices") or ():
            if isinstance(choice, dict):
                number = index_of(choice.get("index")) or 0
                found.setdefault(number, _Choice(number)).take(choice)
    return [found[number] for number in sorted(found)]
