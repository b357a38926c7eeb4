"""Answers that are nearly right: for each class of failure one that fails in just that way."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from callscore.core.call import ToolCall
from callscore.core.expectation import Expected, Forbidden, Group
from callscore.core.malformed import TRUNCATED
from callscore.core.plain import encode_json
from callscore.core.tool import Tool
from callscore.datasets.drawing import drawn_call, other_arguments, two_calls
from callscore.datasets.questions import ask_for, ask_in_order, ask_without
from callscore.datasets.spoiling import invalid_values, other_types, strange_names
from callscore.datasets.values import is_valid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["CLASSES", "NearMiss", "misses"]

_FAILED = "Error: the service did not answer in time"
_UNKNOWN = ("verbose", "dry_run", "extra_note")


class NearMiss(Struct, frozen=True):
    """A question, what is expected, and an answer that misses it.

    Attributes:
        failure: the class of the failure.
        input: the question.
        expected: what should be done.
        actual: what is done instead.
        place: where in the arguments it goes wrong, as a JSON path, if it does there.
    """

    failure: str
    input: str
    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]
    place: str | None = None


class _Scene(Struct, frozen=True):
    """What a near miss is made of: the tool that it is about comes first among all."""

    tools: tuple[Tool, ...]
    rng: Random

    @property
    def tool(self) -> Tool:
        return self.tools[0]

    def refuses(self, arguments: dict[str, Any]) -> bool:
        """Whether the schema of the tool does: to ask it is quicker than to score in vain."""
        return not is_valid(self.tool.parameters, arguments, self.tool.parameters)

    def asked(self, *calls: ToolCall) -> str:
        return ask_for(calls, {tool.name: tool for tool in self.tools}, self.rng)


# What was expected and asked, what is done instead, and where it differs.
_Made = tuple[str, tuple[Expected, ...], tuple[ToolCall, ...], str | None]


def misses(failure: str, tools: Sequence[Tool], rng: Random) -> Iterator[NearMiss]:
    """Answers that should fail in one way; whoever takes one checks that it does.

    Args:
        failure: the class of the failure, one of `CLASSES`.
        tools: all tools; the first is the one that the failure is about.
        rng: what chooses.

    Raises:
        InvalidSettings: no arguments are found for a tool.
    """
    for asked, expected, actual, place in CLASSES[failure](_Scene(tuple(tools), rng)):
        yield NearMiss(failure, asked, expected, actual, place)


def _of_arguments(
    scene: _Scene, spoil: Callable[[dict[str, Any]], Iterator[tuple[str, dict[str, Any]]]]
) -> Iterator[_Made]:
    """A call whose arguments are spoilt in one place."""
    call = drawn_call(scene.tool, scene.rng)
    asked = scene.asked(call)
    for name, arguments in spoil(call.arguments or {}):
        yield asked, (call,), (ToolCall(call.name, arguments),), f"$.{name}"


def _wrong_value(scene: _Scene) -> Iterator[_Made]:
    def spoil(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        changed = other_arguments(scene.tool, given, scene.rng)
        for name in changed or ():
            if changed is not None and changed[name] is not given[name]:
                yield name, changed

    return _of_arguments(scene, spoil)


def _missing_argument(scene: _Scene) -> Iterator[_Made]:
    def spoil(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for name in _shuffled(given, scene.rng):
            changed = {key: value for key, value in given.items() if key != name}
            if scene.refuses(changed):
                yield name, changed

    return _of_arguments(scene, spoil)


def _unknown_argument(scene: _Scene) -> Iterator[_Made]:
    def spoil(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for name in _shuffled(_UNKNOWN, scene.rng):
            yield name, {**given, name: True}

    return _of_arguments(scene, spoil)


def _wrong_type(scene: _Scene) -> Iterator[_Made]:
    def spoil(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for name in _shuffled(given, scene.rng):
            for value in other_types(given[name]):
                if scene.refuses(changed := {**given, name: value}):
                    yield name, changed

    return _of_arguments(scene, spoil)


def _invalid_value(scene: _Scene) -> Iterator[_Made]:
    def spoil(given: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        for name in _shuffled(given, scene.rng):
            for value in invalid_values(given[name]):
                if scene.refuses(changed := {**given, name: value}):
                    yield name, changed

    return _of_arguments(scene, spoil)


def _malformed(scene: _Scene) -> Iterator[_Made]:
    call = drawn_call(scene.tool, scene.rng)
    text = encode_json(call.arguments).decode()
    broken = text[: scene.rng.randint(max(1, len(text) // 2), len(text) - 1)]
    actual = ToolCall(call.name, None, raw=broken, error=TRUNCATED)
    yield scene.asked(call), (call,), (actual,), None


def _wrong_tool(scene: _Scene) -> Iterator[_Made]:
    for other in _shuffled(scene.tools[1:], scene.rng):
        call = drawn_call(scene.tool, scene.rng)
        yield scene.asked(call), (call,), (drawn_call(other, scene.rng),), None


def _unknown_tool(scene: _Scene) -> Iterator[_Made]:
    call = drawn_call(scene.tool, scene.rng)
    for name in _shuffled(strange_names(call.name), scene.rng):
        yield scene.asked(call), (call,), (ToolCall(name, call.arguments),), None


def _missed_call(scene: _Scene) -> Iterator[_Made]:
    calls = two_calls(scene.tools, scene.rng)
    if calls is None:
        call = drawn_call(scene.tool, scene.rng)
        yield scene.asked(call), (call,), (), None
    else:
        yield scene.asked(*calls), calls, calls[:1], None


def _extra_call(scene: _Scene) -> Iterator[_Made]:
    calls = two_calls(scene.tools, scene.rng)
    if calls is not None:
        yield scene.asked(calls[0]), calls[:1], calls, None


def _wrong_order(scene: _Scene) -> Iterator[_Made]:
    calls = two_calls(scene.tools, scene.rng)
    if calls is not None:
        known = {tool.name: tool for tool in scene.tools}
        asked = ask_in_order(calls, known, scene.rng)
        yield asked, (Group("in_order", calls),), calls[::-1], None


def _repeat(scene: _Scene) -> Iterator[_Made]:
    call = drawn_call(scene.tool, scene.rng)
    yield scene.asked(call), (call,), (call, call), None


def _loop(scene: _Scene) -> Iterator[_Made]:
    call = drawn_call(scene.tool, scene.rng)
    yield scene.asked(call), (call,), (call,) * 3, None


def _retry_unchanged(scene: _Scene) -> Iterator[_Made]:
    call = drawn_call(scene.tool, scene.rng)
    failed = ToolCall(call.name, call.arguments, result=_FAILED, failed=True)
    yield scene.asked(call), (call,), (failed, call), None


def _forbidden_call(scene: _Scene) -> Iterator[_Made]:
    for other in _shuffled(scene.tools[1:], scene.rng):
        call = drawn_call(scene.tool, scene.rng)
        asked = ask_without(scene.asked(call), other)
        forbidden = drawn_call(other, scene.rng)
        yield asked, (call, Forbidden(other.name)), (call, forbidden), None
    call = drawn_call(scene.tool, scene.rng)
    yield ask_without("Hi!", scene.tool), (Forbidden(scene.tool.name),), (call,), None


def _shuffled(items: Any, rng: Random) -> list[Any]:
    found = list(items)
    rng.shuffle(found)
    return found


CLASSES: dict[str, Callable[[_Scene], Iterator[_Made]]] = {
    "wrong_value": _wrong_value,
    "missing_argument": _missing_argument,
    "unknown_argument": _unknown_argument,
    "wrong_type": _wrong_type,
    "invalid_value": _invalid_value,
    "malformed": _malformed,
    "wrong_tool": _wrong_tool,
    "unknown_tool": _unknown_tool,
    "missed_call": _missed_call,
    "extra_call": _extra_call,
    "wrong_order": _wrong_order,
    "repeat": _repeat,
    "loop": _loop,
    "retry_unchanged": _retry_unchanged,
    "forbidden_call": _forbidden_call,
}
