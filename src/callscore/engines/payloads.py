"""Cases, settings, tools and scores as the plain data that a history stores."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from callscore.core.call import DecodedCalls, ToolCall
from callscore.core.expectation_json import expected_to_json
from callscore.core.rendering import safe_repr
from callscore.core.rules import Matcher
from callscore.core.score import SCHEMA_FAULTS, outcome_of, turn_count
from callscore.core.settings import DEFAULT
from callscore.core.summary import tool_outcomes
from callscore.engines.plain_values import call_fields, exact_json, is_json, plain_json
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import CallscoreError, InvalidCall
from callscore.words.plain_data import call_to_dict, tool_to_dict
from callscore.words.value_text import json_safe, json_safe_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from callscore.core.call import Tool
    from callscore.core.case import Case
    from callscore.core.score import Fault, Pair, Score
    from callscore.core.settings import Settings

__all__ = [
    "FILE_SCORER",
    "JUDGE_FIELDS",
    "PYTHON_KEY",
    "calls_payload",
    "case_payload",
    "comparison_payload",
    "function_payload",
    "score_counts",
    "score_payload",
    "settings_payload",
    "tools_payload",
]

# The scorer of a file of cases: the default of evaluations.
FILE_SCORER = "accuracy"

# The fields of a judge; the key itself is in the environment.
JUDGE_FIELDS = ("model", "base_url", "key_variable")

# As saved: numbers of any size stay numbers.
_exact = partial(json_safe, exact=True)

# The key of an expectation that only Python can express.
PYTHON_KEY = "python"

# The memory address of an object, which differs in every run.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_MAX_DEPTH = 100

# Tools that are functions, objects of an SDK or files, read once.
_definitions = ToolDefinitions()


def case_payload(case: Case) -> dict[str, Any]:
    """A case as in a case file, without id, trial and actual calls; and where these were recorded.

    What is JSON already is not copied.
    """
    payload: dict[str, Any] = {}
    for field in ("input", "metadata"):
        value = getattr(case, field)
        if value is not None:
            payload[field] = value if is_json(value) else _stable_value(value)
    if case.tools is not None:
        payload["tools"] = _case_tools_payload(case)
    if case.origin is not None:
        payload["origin"] = msgspec.to_builtins(case.origin)
    if case.tags:
        payload["tags"] = list(case.tags)
    expected = case.expected
    if expected.__class__ is DecodedCalls:
        payload["expected"] = calls_payload(expected)
    elif expected is not UNSET:
        payload["expected"] = [expected_payload(item) for item in expected or ()]
    return payload


def _case_tools_payload(case: Case) -> Any:
    tools = exact_json(case.tools)
    if tools is not case.tools and tools != case.tools:  # not plain data
        with suppress(CallscoreError):  # they did not affect the score, either
            tools = tools_payload(_definitions.of(case.tools, f"case {case.id}"))
    return tools


def expected_payload(item: Any) -> Any:
    """An expected item as in a case file; its `repr` if only Python can express it."""
    if item.__class__ is ToolCall:
        spelled = call_fields(item, has_rules=False)
        if spelled is not None:
            return spelled
    try:
        spelled = expected_to_json(item)
        if not _has_addresses(spelled):
            return _exact(spelled)
    except (InvalidCall, RecursionError):
        pass
    return {PYTHON_KEY: _without_addresses(_exact(safe_repr(item)))}


def _stable_value(value: Any, depth: int = 0) -> Any:
    """A value as plain data without memory addresses."""
    if depth == _MAX_DEPTH or not isinstance(value, dict | list | tuple):
        plain = _exact(value)
        return _without_addresses(plain) if _is_object(value) else plain
    if isinstance(value, dict):
        keys = _exact(dict.fromkeys(value))
        if len(keys) == len(value):
            members = zip(keys, value.values(), strict=True)
            return {key: _stable_value(member, depth + 1) for key, member in members}
        return _exact(value)
    return [_stable_value(item, depth + 1) for item in value]


def _is_object(value: Any) -> bool:
    return not isinstance(value, str | int | float | dict | list | tuple | Matcher | None)


def _has_addresses(value: Any) -> bool:
    """Whether the `repr` of some object in a value has a memory address, as of a function."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
        elif _is_object(item) and _ADDRESS.search(safe_repr(item)):
            return True
    return False


def _without_addresses(text: Any) -> Any:
    return _ADDRESS.sub("", text) if isinstance(text, str) else text


def settings_payload(settings: Settings) -> dict[str, Any]:
    """Settings as plain data; functions as in `function_payload`."""
    found: dict[str, Any] = _exact(msgspec.to_builtins(settings, enc_hook=function_payload))
    return found


def function_payload(function: Any) -> Any:
    """A function as plain data: the fields of a judge, the name of any other function."""
    from callscore.models.judging import Judge  # imports the models

    if isinstance(function, Judge):
        return {name: getattr(function, name) for name in JUDGE_FIELDS}
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def tools_payload(tools: Mapping[str, Tool] | None) -> list[dict[str, Any]] | None:
    """The definitions of the tools as plain data."""
    return None if tools is None else [tool_to_dict(tool) for tool in tools.values()]


def calls_payload(calls: Iterable[ToolCall]) -> list[dict[str, Any]]:
    """Calls as plain data, with numbers of any size; what is JSON already is not copied."""
    if calls.__class__ is DecodedCalls:  # without looking at each value
        return [{"name": call.name, "arguments": call.arguments} for call in calls]
    return [call_fields(call) or call_to_dict(call, exact=True) for call in calls]


# A single call with a long list could have thousands.
_MAX_DIFFERENCES = 100


def score_payload(score: Score | None) -> dict[str, Any]:
    """The fields of a `ResultRecord` that come from a score."""
    if score is None:
        return {}
    return {
        "f1": score.f1,
        "counts": score_counts(score),
        "faults": None
        if score.faults is None
        else sum(fault.kind in SCHEMA_FAULTS for fault in score.faults),
        "turns": turn_count(score),
        "first_wrong_turn": score.first_wrong_turn,
        "tools": tool_outcomes(score),
        "comparison": comparison_payload(score),
    }


def score_counts(score: Score) -> tuple[int, ...]:
    """Correct, incorrect, missed, extra, expected, actual, forbidden."""
    correct, expected, actual, forbidden = outcome_of(score)
    incorrect = len(score.incorrect)
    paired = correct + incorrect
    extra = len(score.actual) - paired
    return correct, incorrect, expected - paired, extra, expected, actual, forbidden


def comparison_payload(score: Score) -> dict[str, Any]:
    """Which calls are paired, and how they differ: a `SavedComparison` as plain data."""
    pairs = [(position, position, True) for position in range(score.equal_start)]
    if score.other_correct:
        pairs += [(row, column, True) for row, column in score.other_correct]
    correct = len(pairs)
    if score.incorrect:
        pairs += [(pair.expected_index, pair.actual_index, False) for pair in score.incorrect]
    found = {
        "pairs": pairs,
        "missed": _unpaired_positions(pairs, 0, len(score.expected)),
        "extra": _unpaired_positions(pairs, 1, len(score.actual)),
        "forbidden": list(score.forbidden),
        "differences": _differences(score, correct),
        "faults": [_fault_payload(fault) for fault in score.faults] if score.faults else [],
    }
    if score.expectation is not None or score.ignored:
        found["expected"] = [expected_payload(call) for call in score.expected]
    if score.ignored:
        found["actual"] = [call_to_dict(call) for call in score.actual]
    return found


def _fault_payload(fault: Fault) -> dict[str, Any]:
    return {
        "tool": json_safe_string(fault.tool),
        "kind": fault.kind,
        "index": fault.index,
        "path": json_safe_string(fault.path),
        "reason": json_safe_string(fault.reason),
    }


def _unpaired_positions(pairs: list[tuple[int, int, bool]], side: int, calls: int) -> list[int]:
    if len(pairs) == calls:  # each call is in one pair at most
        return []
    taken = {pair[side] for pair in pairs}
    return [position for position in range(calls) if position not in taken]


def _differences(score: Score, correct: int) -> list[dict[str, Any]]:
    """The differences of the pairs; correct pairs have some only in lenient modes."""
    is_strict = score.settings is DEFAULT or score.settings.mode == "strict"
    if is_strict and not score.incorrect:
        return []
    pairs: list[tuple[int, Pair]] = [*enumerate(score.incorrect, correct)]
    if not is_strict:
        pairs = [*enumerate(score.correct), *pairs]
    found = [
        {
            "pair": number,
            "path": json_safe_string(difference.path),
            "kind": difference.kind,
            "expected": plain_json(difference.expected),
            "actual": plain_json(difference.actual),
            "reason": json_safe_string(difference.reason),
        }
        for number, pair in pairs
        for difference in pair.differences[:_MAX_DIFFERENCES]
    ]
    return found[:_MAX_DIFFERENCES]
