"""Cases, settings and tools as the plain data that a history keeps, and compares runs by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from callscore.core.export import tool_to_dict
from callscore.core.matcher import Matcher
from callscore.core.plain import plain
from callscore.core.spelling import spell_expected
from callscore.core.text import repr_text
from callscore.engines.definitions import Definitions
from callscore.errors import CallscoreError, InvalidCall
from callscore.models.judging import Judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.model import Case
    from callscore.core.settings import Settings
    from callscore.core.tool import Tool

__all__ = [
    "IN_PYTHON",
    "JUDGE",
    "case_payload",
    "expected_payload",
    "function_payload",
    "settings_payload",
    "tools_payload",
]

# What a judge is made of; the key itself is in the environment.
JUDGE = ("model", "base_url", "key_variable")

# Where the expectation stands that no file can spell.
IN_PYTHON = "python"

# Where an object is in memory, which is elsewhere in every run.
_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_DEEPEST = 100

# What functions, objects of an SDK and files say of tools, read once.
_definitions = Definitions()


def case_payload(case: Case) -> dict[str, Any]:
    """A case as a case file has it, without what is kept beside it: its id, its trial, its calls."""
    payload: dict[str, Any] = {}
    for field in ("input", "metadata"):
        value = getattr(case, field)
        if value is not None:
            payload[field] = _stable(value)
    if case.tools is not None:
        payload["tools"] = _own_tools(case)
    if case.tags:
        payload["tags"] = list(case.tags)
    if case.expected is not None:
        payload["expected"] = [expected_payload(item) for item in case.expected]
    return payload


def expected_payload(item: Any) -> Any:
    """Something that is expected, as a case file spells it; what none can spell, as it looks."""
    try:
        spelled = spell_expected(item)
        if not _has_addresses(spelled):
            return plain(spelled)
    except (InvalidCall, RecursionError):  # no file can say it; the run keeps what it looks like
        pass
    return {IN_PYTHON: _without_addresses(plain(repr_text(item)))}


def _stable(value: Any, depth: int = 0) -> Any:
    """A value as plain data that is the same in the next run: without where objects are in memory."""
    if depth == _DEEPEST or not isinstance(value, dict | list | tuple):
        told = plain(value)
        return _without_addresses(told) if _is_object(value) else told
    if isinstance(value, dict):
        keys = plain(dict.fromkeys(value))
        if len(keys) == len(value):
            members = zip(keys, value.values(), strict=True)
            return {key: _stable(member, depth + 1) for key, member in members}
        return plain(value)
    return [_stable(item, depth + 1) for item in value]


def _is_object(value: Any) -> bool:
    return not isinstance(value, str | int | float | dict | list | tuple | Matcher | None)


def _has_addresses(value: Any) -> bool:
    """Whether something in a value is only known by where it is in memory: a function, say."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
        elif _is_object(item) and _ADDRESS.search(repr_text(item)):
            return True
    return False


def _without_addresses(text: Any) -> Any:
    return _ADDRESS.sub("", text) if isinstance(text, str) else text


def _own_tools(case: Case) -> Any:
    """The tools that a case brings: as they are where that is data, else what they say of themselves."""
    tools = plain(case.tools)
    if tools == case.tools:
        return tools
    try:
        return tools_payload(_definitions.of(case.tools, f"case {case.id}"))
    except CallscoreError:  # nothing was scored by them, either
        return tools


def settings_payload(settings: Settings) -> dict[str, Any]:
    """Settings as plain data: of a judge what it is made of, of other functions the names."""
    found: dict[str, Any] = plain(msgspec.to_builtins(settings, enc_hook=function_payload))
    return found


def function_payload(function: Any) -> Any:
    """A function as plain data: of a judge what it is made of, of any other the name."""
    if isinstance(function, Judge):
        return {name: getattr(function, name) for name in JUDGE}
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def tools_payload(tools: Mapping[str, Tool] | None) -> list[dict[str, Any]] | None:
    """The definitions of the tools as plain data."""
    return None if tools is None else [tool_to_dict(tool) for tool in tools.values()]
