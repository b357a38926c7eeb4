"""How a call is spelled: `{"name", "arguments"}`, its relatives, a pair, a name, a `ToolCall`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from callscore.core.equality import equal
from callscore.core.malformed import Malformed, excerpt, fault_of
from callscore.core.model import ToolCall
from callscore.errors import InvalidCall
from callscore.formats.describing import describe

__all__ = ["Side", "read_call", "read_calls"]

Side = Literal["expected", "actual"]

_NAMES = ("name", "tool", "toolName", "tool_name")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "kwargs")
_IDS = ("id", "toolCallId", "tool_call_id")
_KNOWN = frozenset(
    (*_NAMES, *_ARGUMENTS, *_IDS, "step", "result", "failed", "raw", "error", "type", "function")
)
_SHAPES = '{"name": ..., "arguments": {...}}'
_PAIR = 2
_NAMELESS = "?"


def read_calls(value: Any, *, side: Side, where: str) -> tuple[ToolCall, ...]:
    """The calls that a value spells: a list of calls, one call, or None for no calls.

    Args:
        value: the calls, however they are spelled.
        side: whether they were expected or made.
        where: what to call the value in messages: `expected`.

    Raises:
        InvalidCall: it spells no calls, or expected ones that nobody could match.
    """
    if value.__class__ is not list:
        return _read_no_list(value, side, where)
    calls = []
    for index, item in enumerate(value):
        # Nearly every call looks like this, and nothing in it has to be looked up twice.
        if item.__class__ is dict and len(item) == _PAIR:
            name, arguments = item.get("name"), item.get("arguments")
            if name and name.__class__ is str and arguments.__class__ is dict:
                calls.append(ToolCall(name, arguments))
                continue
        calls.append(read_call(item, side=side, where=f"{where}[{index}]"))
    return tuple(calls)


def _read_no_list(value: Any, side: Side, where: str) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    if isinstance(value, Mapping | ToolCall):
        return (read_call(value, side=side, where=where),)
    if isinstance(value, str):
        problem = f"a string is a tool's name only inside a list. Write [{describe(value)}]."
        raise InvalidCall(f"{where}: {problem}")
    if not isinstance(value, Iterable):
        raise InvalidCall(f"{where}: expected a list of calls, got {describe(value)}.")
    return read_calls(list(value), side=side, where=where)


def read_call(value: Any, *, side: Side, where: str) -> ToolCall:
    """The call that a value spells.

    Missing arguments accept any on the expected side, and are none on the actual side. Arguments
    that are text are parsed as JSON, strictly. Arguments that are no JSON object are kept as `raw`
    with an `error` on the actual side; on the expected side they are a mistake.

    Args:
        value: an object, a pair of a name and arguments, a name, or a `ToolCall`.
        side: whether the call was expected or made.
        where: what to call the value in messages: `expected[1]`.

    Raises:
        InvalidCall: it has no name, or is expected with arguments that cannot be read.
    """
    if isinstance(value, ToolCall):
        return _read_tool_call(value, side, where)
    if isinstance(value, Mapping):
        return _read_mapping(value, side, where)
    pair = (value, None) if isinstance(value, str) else value
    if _is_pair(pair):
        return _read_mapping({"name": pair[0], "arguments": pair[1]}, side, where)
    raise InvalidCall(f"{where}: expected a call such as {_SHAPES}, got {describe(value)}.")


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == _PAIR and isinstance(value[0], str)


def _read_tool_call(call: ToolCall, side: Side, where: str) -> ToolCall:
    if call.name and call.error is None and call.arguments.__class__ is dict:
        return call
    return _read_mapping(msgspec.structs.asdict(call), side, where)


def _read_mapping(call: Mapping[str, Any], side: Side, where: str) -> ToolCall:
    inner = call.get("function")
    if isinstance(inner, Mapping):  # as chat completions nest it
        call = {**call, **inner}
    name = _read_name(call, side, where)
    arguments = _read_arguments(call, side, where)
    fault = arguments if isinstance(arguments, Malformed) else None
    if fault is not None and side == "expected":
        problem = f"the arguments of {describe(name)} cannot be read: {fault.problem}"
        remedy = f"Write them as a JSON object instead of {describe(fault.raw)}."
        raise InvalidCall(f"{where}: {problem}. {remedy}")
    step, failed = call.get("step"), call.get("failed")
    return ToolCall(
        name,
        None if isinstance(arguments, Malformed) else arguments,
        id=_id_of(_first(call, _IDS)),
        step=step if isinstance(step, int) and not isinstance(step, bool) else None,
        result=call.get("result"),
        failed=failed if isinstance(failed, bool) else None,
        raw=fault.raw if fault else None,
        error=fault.problem if fault else None,
    )


def _read_name(call: Mapping[str, Any], side: Side, where: str) -> str:
    name = _only(call, _NAMES, where)
    if isinstance(name, str) and name:
        return name
    if side == "actual" and any(key in call for key in _NAMES):
        return _NAMELESS  # the agent has made a call, if of no tool there is
    got = describe(call if name is None else name)
    raise InvalidCall(f"{where}: a call needs a name, as in {_SHAPES}; got {got}.")


def _only(call: Mapping[str, Any], keys: tuple[str, ...], where: str) -> Any:
    """The value that a call has under one of these keys, which all mean the same."""
    given = [key for key in keys if call.get(key) is not None]
    # Beside a name and an argument object anything may stand: nobody can take it for them.
    is_plain = isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict)
    is_one = all(equal(call[given[0]], call[key]) for key in given[1:])
    if not is_plain and not is_one:
        raise InvalidCall(f"{where}: {' and '.join(given)} mean the same. Keep one of them.")
    return call[given[0]] if given else None


def _first(call: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The value of the first of these keys that is there and not null."""
    for key in keys:
        value = call.get(key)
        if value is not None:
            return value
    return None


def _id_of(value: Any) -> str | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if isinstance(value, str) else describe(value) if is_number else None


def _read_arguments(
    call: Mapping[str, Any], side: Side, where: str
) -> dict[str, Any] | Malformed | None:
    given = _only(call, _ARGUMENTS, where)
    if given is None:
        error, raw = call.get("error"), call.get("raw")
        if isinstance(error, str):  # a call that was written down after it could not be read
            return Malformed(raw if isinstance(raw, str) else "", error)
        _require_no_strays(call, side, where)
        return None if side == "expected" else {}
    if isinstance(given, str):
        return _parse(given)
    return _as_object(given)


def _require_no_strays(call: Mapping[str, Any], side: Side, where: str) -> None:
    """Refuse a call without arguments that has something which may well be meant as them.

    To ignore it would let an expected call accept anything, and blame an agent for a typo.
    """
    for key, value in call.items():
        is_object = isinstance(value, Mapping) or (isinstance(value, str) and value[:1] == "{")
        if key not in _KNOWN and (is_object or side == "expected"):
            problem = f"{describe(key)} is no field of a call. Arguments go under `arguments`."
            raise InvalidCall(f"{where}: {problem}")


def _as_object(value: Any) -> dict[str, Any] | Malformed:
    fault = fault_of(value)
    if fault is not None:
        return fault
    if isinstance(value, Mapping):
        return value if isinstance(value, dict) else dict(value)
    return Malformed(_json_text(value), f"{describe(value)} is not an object")


def _parse(text: str) -> dict[str, Any] | Malformed:
    """The object that a text holds: strict JSON, never repaired.

    A text without content and a null are no arguments. A text within a text was encoded twice.
    """
    value: Any = text
    for _ in range(2):
        if isinstance(value, str):
            try:
                value = msgspec.json.decode(value) if value.strip() else None
            except RecursionError:
                return Malformed(excerpt(text), "nested too deeply")
            except ValueError as error:
                return Malformed(excerpt(text), f"not JSON ({_reason(error)})")
    if isinstance(value, dict):
        return value
    return {} if value is None else Malformed(excerpt(text), f"{describe(value)} is not an object")


def _reason(error: ValueError) -> str:
    if isinstance(error, UnicodeError):
        return "half of a surrogate pair is not text"
    return str(error).removeprefix("JSON is malformed: ").lower()


def _json_text(value: Any) -> str:
    try:
        return excerpt(msgspec.json.encode(value, enc_hook=repr).decode())
    except (RecursionError, ValueError, TypeError):
        return describe(value)
