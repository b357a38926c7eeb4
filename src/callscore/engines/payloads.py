"""Cases, settings and tools as the plain data that a history stores."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from callscore.core.call import DecodedCalls, Tool
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import CallscoreError
from callscore.history.plain_values import exact_json, is_json
from callscore.history.saved_scores import (
    calls_payload,
    expected_payload,
    is_object,
    without_addresses,
)
from callscore.words.plain_data import tool_to_dict
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.case import Case
    from callscore.core.settings import Settings

# The scorer of a file of cases: the default of evaluations.
FILE_SCORER = "accuracy"

# The fields of a judge; the key itself is in the environment.
JUDGE_FIELDS = ("model", "base_url", "key_variable")

# As saved: numbers of any size stay numbers.
_exact = partial(json_safe, exact=True)

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


def _stable_value(value: Any, depth: int = 0) -> Any:
    """A value as plain data without memory addresses."""
    if depth == _MAX_DEPTH or not isinstance(value, dict | list | tuple):
        plain = _exact(value)
        return without_addresses(plain) if is_object(value) else plain
    if isinstance(value, dict):
        keys = _exact(dict.fromkeys(value))
        if len(keys) == len(value):
            members = zip(keys, value.values(), strict=True)
            return {key: _stable_value(member, depth + 1) for key, member in members}
        return _exact(value)
    return [_stable_value(item, depth + 1) for item in value]


def settings_payload(settings: Settings) -> dict[str, Any]:
    """Settings as plain data; functions as in `function_payload`."""
    found: dict[str, Any] = _exact(msgspec.to_builtins(settings, enc_hook=function_payload))
    return found


def given_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given to a command as an argument of its run; nothing without any."""
    given = _exact(msgspec.to_builtins(dict(settings), enc_hook=function_payload))
    return {"settings": given} if given else {}


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
