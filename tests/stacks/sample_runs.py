"""What an agent was expected to call, and what it called: the samples that run in every library."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

import callscore

__all__ = ["FLEXIBLE", "SAMPLES", "Sample"]

FLEXIBLE: dict[str, Any] = {"preset": "flexible", "argument_match_threshold": 0.5}


class Sample(Struct, frozen=True):
    """One sample: the expected calls, and the calls of the agent."""

    name: str
    expected: list[Any]
    actual: list[Any]

    def score(self, **options: Any) -> callscore.Score:
        """The score that every library has to show."""
        return callscore.score(self.expected, self.actual, **options)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The run as messages of OpenAI's chat API."""
        calls = [
            {"id": f"call_{number}", "type": "function", "function": _as_function(call)}
            for number, call in enumerate(self.actual)
        ]
        return [
            {"role": "user", "content": f"Sample {self.name}"},
            {"role": "assistant", "content": "", **({"tool_calls": calls} if calls else {})},
        ]


def _as_function(call: dict[str, Any]) -> dict[str, Any]:
    from msgspec.json import encode

    arguments = call["arguments"]
    text = arguments if isinstance(arguments, str) else encode(arguments).decode()
    return {"name": call["name"], "arguments": text}


def _call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


_WEATHER = _call("get_weather", city="Paris", unit="C")
_SAVE = _call("save", path="paris.txt")

SAMPLES = (
    Sample("correct", [_WEATHER, _SAVE], [_WEATHER, _SAVE]),
    Sample("partly", [_WEATHER, _SAVE], [_WEATHER, _call("translate", text="Paris")]),
    Sample("argument", [_WEATHER], [_call("get_weather", city="Paris", unit="F")]),
    Sample("wrong", [_WEATHER], [_call("get_time", city="Paris")]),
    Sample("extra", [_WEATHER], [_WEATHER, _WEATHER, _SAVE]),
    Sample("nothing called", [_WEATHER], []),
    Sample("nothing expected", [], []),
    Sample("called in vain", [], [_WEATHER]),
    Sample("malformed", [_WEATHER, _SAVE], [{"name": "get_weather", "arguments": '{"city": Par'}]),
)
