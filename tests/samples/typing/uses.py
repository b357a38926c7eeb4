"""Ways to use the public API that a type checker must accept. `tests/formats/test_given.py` checks it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import callscore
from callscore import Calls, Case, ToolCall, TraceLike, expect, score
from callscore.testing import assert_calls


class Reply:
    """An object of an SDK that is neither a model nor a dataclass."""


class Model:
    """As pydantic has it."""

    def model_dump(self, *, mode: str = "python", by_alias: bool = False) -> dict[str, Any]:
        return {"mode": mode, "by_alias": by_alias}


@dataclasses.dataclass
class Run:
    """A result of an SDK."""

    messages: list[dict[str, object]]


ARGUMENTS: dict[str, object] = {"city": "Oslo"}
calls: Calls = [("get_weather", {"city": "Oslo"}), "get_time"]
pairs = [("get_weather", {"city": "Oslo"}), ("get_time", {})]
names = ["get_weather", "get_time"]
objects = [{"name": "get_weather", "arguments": {"city": "Oslo"}}]
values = [ToolCall("get_weather", {"city": "Oslo"}), ToolCall("get_time")]
mixed = ["get_time", ("get_weather", {"city": "Oslo"})]
mixed_objects = ["get_time", {"name": "get_weather"}]
mixed_values = ["get_time", ToolCall("get_weather")]
groups = [
    expect.in_order(expect.call("get_weather", city=expect.contains("Oslo")), "get_time"),
    expect.optional(expect.call("get_user")),
    expect.forbid("delete_*"),
]
two_kinds = [expect.call("a"), expect.times(expect.call("b"), 2)]
messages: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": []}]

for expected in (pairs, names, objects, values, mixed, mixed_objects, mixed_values, groups):
    assert_calls(expected, expected)
score(calls, calls)
score(pairs, pairs)
score(names, names)
score(objects, objects)
score(values, tuple(values))
score(mixed, mixed)
score(mixed_objects, mixed_objects)
score(mixed_values, mixed_values)
score(groups, names)
score(two_kinds, names)
score(messages, messages)
score((call for call in values), iter(values))
score([], [])
score(None, [])
score([("f", ARGUMENTS)], [("f", None)])
score([["f", {"a": 1}]], [["f", {"a": 1}]])
score(["f", ("g", {}), {"tool": "h"}, ToolCall("i"), expect.forbid("j")], [])
score({"turns": [["f"], []]}, {"turns": [["f"], []]})
score('["f"]', b'["f"]')
score(Path("expected.json"), Path("trace.json"))
score(Model(), Reply())
score(Run([]), Run([]))
score([Model()], [Model(), Run([])])
score(expect.from_json(["f"]), callscore.read_calls(Reply()))
score(["f"], ["f"], preset="flexible", tools=[{"name": "f"}], order="exact", callers=["agent"])
callscore.check_calls(Reply(), tools=["f"])


def own(given: Calls, response: TraceLike) -> float:
    """A function of a user that passes both on."""
    return score(given, response).f1


def table(cases: list[Case]) -> Any:
    """Results as a data frame."""
    return callscore.score_cases(cases, show="all", max_shown=None).to_pandas()
