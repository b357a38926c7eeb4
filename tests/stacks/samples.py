"""The samples that the tests of scorers inside other libraries have in common."""

from __future__ import annotations

from typing import Any

__all__ = ["CASES", "EXPECTED", "OPTIONS", "WORDS", "messages"]

_PARIS = ("get_weather", '{"city": "Paris", "unit": "C"}')
_ROME = ("get_weather", '{"city": "Rome", "unit": "C"}')
_SAVE = ("save", "{}")

EXPECTED: list[dict[str, Any]] = [
    {"name": "get_weather", "arguments": {"city": "Paris", "unit": "C"}},
    {"name": "save", "arguments": {}},
]
# What is expected, and the calls that a model made: a name, and arguments as the model wrote them.
CASES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str]]]] = {
    "correct": (EXPECTED, [_PARIS, _SAVE]),
    "another order": (EXPECTED, [_SAVE, _PARIS]),
    "partly correct": (EXPECTED, [_ROME, _SAVE]),
    "one extra": (EXPECTED, [_PARIS, _SAVE, ("translate", '{"text": "x"}')]),
    "one missed": (EXPECTED, [_PARIS]),
    "wrong": (EXPECTED, [("translate", '{"text": "x"}')]),
    "nothing called": (EXPECTED, []),
    "malformed arguments": (EXPECTED, [("get_weather", '{"city": '), _SAVE]),
    "rightly nothing called": ([], []),
    "wrongly something called": ([], [_PARIS]),
}
OPTIONS: list[dict[str, Any]] = [{}, {"preset": "flexible"}, {"order": "exact"}]
WORDS = "It is 18 degrees in Paris."


def messages(calls: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """A conversation with one call per step, as OpenAI's chat API has it."""
    conversation: list[dict[str, Any]] = [{"role": "user", "content": "How is the weather?"}]
    for number, (name, arguments) in enumerate(calls):
        call = {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        conversation += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "done"},
        ]
    return [*conversation, {"role": "assistant", "content": WORDS}]
