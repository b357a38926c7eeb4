"""Answers that are nearly right, for each class of failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Struct

from callscore.api import score_case
from callscore.checks.check import check_calls
from callscore.core.call import TRUNCATED, Tool, ToolCall
from callscore.core.case import Case, Expected, Forbidden, Group
from callscore.datasets.questions import question_for_calls, question_forbidding, question_in_order
from callscore.datasets.schema_values import (
    changed_arguments,
    is_valid,
    random_call,
    two_different_calls,
)
from callscore.formats.cases import read_case
from callscore.words.value_text import encode_json

if TYPE_CHECKING:
    from callscore.core.score import Score

_LARGE_OFFSET = 10**9
_REPETITIONS = 50
_MAX_TEXT_LENGTH = 20_000


def values_of_other_types(value: Any) -> list[Any]:
    """The value in other JSON types, the most often confused first."""
    if isinstance(value, str):
        return [[value], 7, {"value": value}]
    if isinstance(value, bool):
        return ["true" if value else "false", int(value)]
    if isinstance(value, list):
        return [", ".join(map(str, value)), {"items": value}]
    return [str(value), [value], 7]


def invalid_values(value: Any) -> list[Any]:
    """Other values of the same JSON type that a schema may not allow."""
    if isinstance(value, str):
        texts = [f"{value}_x", f"not {value}", "", "?", value.swapcase(), value * _REPETITIONS]
        return [text for text in texts if text != value and len(text) <= _MAX_TEXT_LENGTH]
    if isinstance(value, int | float) and not isinstance(value, bool):
        small = [value + 1, -1] if isinstance(value, int) else [value + 0.123456, -0.5]
        return [value + _LARGE_OFFSET, value - _LARGE_OFFSET, *small]
    if isinstance(value, list):
        return [[], value * 2, value * _REPETITIONS]
    return [{}] if isinstance(value, dict) and value else []


def similar_names(name: str) -> list[str]:
    """Names that look like that of a tool, such as models make up."""
    return [f"{name}s", f"{name}_v2", f"do_{name}", f"{name}Now", name.upper()]


_ERROR_RESULT = "Error: the service did not answer in time"
_UNKNOWN_ARGUMENTS = ("verbose", "dry_run", "extra_note")
_Item = TypeVar("_Item")


class NearMiss(NamedTuple):
    """A question, what is expected, and an answer that misses it.

    `place` is the JSON path of the wrong argument, if there is one.
    """

    input: str
    expected: tuple[Expected, ...]
    actual: tuple[ToolCall, ...]
    place: str | None = None


class _Context(Struct, frozen=True):
    """The tools of a near miss, the first of which it is about, and the source of random choices."""

    tools: tuple[Tool, ...]
    rng: Random

    @property
    def tool(self) -> Tool:
        return self.tools[0]

    def refuses(self, arguments: dict[str, Any]) -> bool:
        """Whether the schema of the tool refuses arguments: a check that is faster than scoring."""
        return not is_valid(self.tool.parameters, arguments, self.tool.parameters)

    def call(self, tool: Tool | None = None) -> ToolCall:
        """A valid call of a tool, by default the first."""
        return random_call(tool or self.tool, self.rng)

    def two_calls(self) -> tuple[ToolCall, ToolCall] | None:
        return two_different_calls(self.tools, self.rng)

    def shuffled(self, items: Iterable[_Item]) -> list[_Item]:
        found = list(items)
        self.rng.shuffle(found)
        return found

    def asked(self, *calls: ToolCall) -> str:
        return question_for_calls(calls, {tool.name: tool for tool in self.tools}, self.rng)


_Arguments = dict[str, Any]
# Yields the name of an argument, and the arguments with this one made wrong.
_Mutation = Callable[[_Context, _Arguments], Iterator[tuple[str, _Arguments]]]


def generate_near_misses(failure: str, tools: Sequence[Tool], rng: Random) -> Iterator[NearMiss]:
    """Answers that should fail in one way; the caller verifies that they do.

    The first tool is the one that the failure is about. Raises `InvalidSettings` if no arguments are
    found for a tool.
    """
    return FAILURE_CLASSES[failure](_Context(tuple(tools), rng))


def _with_wrong_arguments(mutate: _Mutation, context: _Context) -> Iterator[NearMiss]:
    """A call with one wrong argument."""
    call = context.call()
    asked = context.asked(call)
    for name, arguments in mutate(context, call.arguments or {}):
        yield NearMiss(asked, (call,), (ToolCall(call.name, arguments),), f"$.{name}")


def _wrong_value(context: _Context, arguments: _Arguments) -> Iterator[tuple[str, _Arguments]]:
    changed = changed_arguments(context.tool, arguments, context.rng) or {}
    for name, value in changed.items():
        if value is not arguments[name]:
            yield name, changed


def _missing_argument(context: _Context, arguments: _Arguments) -> Iterator[tuple[str, _Arguments]]:
    for name in context.shuffled(arguments):
        changed = {key: value for key, value in arguments.items() if key != name}
        if context.refuses(changed):
            yield name, changed


def _unknown_argument(context: _Context, arguments: _Arguments) -> Iterator[tuple[str, _Arguments]]:
    for name in context.shuffled(_UNKNOWN_ARGUMENTS):
        yield name, {**arguments, name: True}


def _refused_value(
    other_values: Callable[[Any], list[Any]], context: _Context, arguments: _Arguments
) -> Iterator[tuple[str, _Arguments]]:
    for name in context.shuffled(arguments):
        for value in other_values(arguments[name]):
            changed = {**arguments, name: value}
            if context.refuses(changed):
                yield name, changed


def _malformed(context: _Context) -> Iterator[NearMiss]:
    call = context.call()
    text = encode_json(call.arguments).decode()
    broken = text[: context.rng.randint(max(1, len(text) // 2), len(text) - 1)]
    actual = ToolCall(call.name, None, raw=broken, error=TRUNCATED)
    yield NearMiss(context.asked(call), (call,), (actual,))


def _wrong_tool(context: _Context) -> Iterator[NearMiss]:
    for other in context.shuffled(context.tools[1:]):
        call = context.call()
        yield NearMiss(context.asked(call), (call,), (context.call(other),))


def _unknown_tool(context: _Context) -> Iterator[NearMiss]:
    call = context.call()
    for name in context.shuffled(similar_names(call.name)):
        yield NearMiss(context.asked(call), (call,), (ToolCall(name, call.arguments),))


def _missed_call(context: _Context) -> Iterator[NearMiss]:
    calls = context.two_calls()
    if calls is None:
        call = context.call()
        yield NearMiss(context.asked(call), (call,), ())
    else:
        yield NearMiss(context.asked(*calls), calls, calls[:1])


def _extra_call(context: _Context) -> Iterator[NearMiss]:
    calls = context.two_calls()
    if calls is not None:
        yield NearMiss(context.asked(calls[0]), calls[:1], calls)


def _wrong_order(context: _Context) -> Iterator[NearMiss]:
    calls = context.two_calls()
    if calls is not None:
        known = {tool.name: tool for tool in context.tools}
        asked = question_in_order(calls, known, context.rng)
        yield NearMiss(asked, (Group("in_order", calls),), calls[::-1])


def _repeated(count: int, context: _Context) -> Iterator[NearMiss]:
    call = context.call()
    yield NearMiss(context.asked(call), (call,), (call,) * count)


def _retry_unchanged(context: _Context) -> Iterator[NearMiss]:
    call = context.call()
    failed = ToolCall(call.name, call.arguments, result=_ERROR_RESULT, failed=True)
    yield NearMiss(context.asked(call), (call,), (failed, call))


def _forbidden_call(context: _Context) -> Iterator[NearMiss]:
    for other in context.shuffled(context.tools[1:]):
        call = context.call()
        asked = question_forbidding(context.asked(call), other)
        forbidden = context.call(other)
        yield NearMiss(asked, (call, Forbidden(other.name)), (call, forbidden))
    call = context.call()
    yield NearMiss(
        question_forbidding("Hi!", context.tool), (Forbidden(context.tool.name),), (call,)
    )


FAILURE_CLASSES: dict[str, Callable[[_Context], Iterator[NearMiss]]] = {
    "wrong_value": partial(_with_wrong_arguments, _wrong_value),
    "missing_argument": partial(_with_wrong_arguments, _missing_argument),
    "unknown_argument": partial(_with_wrong_arguments, _unknown_argument),
    "wrong_type": partial(_with_wrong_arguments, partial(_refused_value, values_of_other_types)),
    "invalid_value": partial(_with_wrong_arguments, partial(_refused_value, invalid_values)),
    "malformed": _malformed,
    "wrong_tool": _wrong_tool,
    "unknown_tool": _unknown_tool,
    "missed_call": _missed_call,
    "extra_call": _extra_call,
    "wrong_order": _wrong_order,
    "repeat": partial(_repeated, 2),
    "loop": partial(_repeated, 3),
    "retry_unchanged": _retry_unchanged,
    "forbidden_call": _forbidden_call,
}


class _Signs(NamedTuple):
    """The signs of a class of failure: the number of calls of each status, and the faults."""

    incorrect: int = 0
    missed: int = 0
    extra: int = 0
    forbidden: int = 0
    faults: AbstractSet[str] = frozenset()


_SIGNS_BY_FAILURE = {
    "wrong_value": _Signs(incorrect=1),
    "missing_argument": _Signs(incorrect=1, faults={"missing_argument"}),
    "unknown_argument": _Signs(incorrect=1, faults={"unknown_argument"}),
    "wrong_type": _Signs(incorrect=1, faults={"wrong_type"}),
    "invalid_value": _Signs(incorrect=1, faults={"invalid_value"}),
    "malformed": _Signs(incorrect=1, faults={"malformed"}),
    "wrong_tool": _Signs(missed=1, extra=1),
    "unknown_tool": _Signs(missed=1, extra=1, faults={"unknown_tool"}),
    "missed_call": _Signs(missed=1),
    "extra_call": _Signs(extra=1),
    "repeat": _Signs(extra=1, faults={"repeat"}),
    # A loop and an unchanged retry are repeats, too.
    "loop": _Signs(extra=2, faults={"repeat", "loop"}),
    "retry_unchanged": _Signs(extra=1, faults={"repeat", "retry_unchanged"}),
    "forbidden_call": _Signs(extra=1, forbidden=1),
}


def fails_only_with(record: dict[str, Any], failure: str, tools: Mapping[str, Tool]) -> bool:
    """Whether a case, as a record of a file, fails in one way and in no other."""
    case = read_case(record, place=failure)
    score, faults = _score_of(case, tools)
    if score.passed:
        return False
    if failure == "wrong_order":
        (group,) = case.expected or ()
        in_any_order = (Group("any_order", group.members),)
        return not faults and score_case(in_any_order, case.actual or (), tools=tools).passed
    counts = (len(score.incorrect), len(score.missed), len(score.extra), len(score.forbidden))
    return _Signs(*counts, faults) == _SIGNS_BY_FAILURE[failure]


def passes_without_faults(record: dict[str, Any], tools: Mapping[str, Tool]) -> bool:
    """Whether a case, as a record of a file, passes, and its answer has no faults."""
    case = read_case(record, place="")
    score, faults = _score_of(case, tools)
    return score.f1 == 1 and not faults


def _score_of(case: Case, tools: Mapping[str, Tool]) -> tuple[Score, frozenset[str]]:
    actual = case.actual or ()
    score = score_case(tuple(case.expected or ()), actual, tools=tools)
    return score, frozenset(fault.kind for fault in check_calls(actual, tools))
