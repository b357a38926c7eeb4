"""Reads calls: `{"name", "arguments"}` and variants, pairs, names, `ToolCall`.

Arguments may be an object, JSON text, or neither. Nothing is repaired: anything but a JSON object
is kept as it is, with a description of what is wrong. `where` is what messages call a value:
`expected[1]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import Struct

from callscore.core.call import (
    AGENT,
    CONCATENATED,
    INVALID,
    NOT_AN_OBJECT,
    TOO_DEEP,
    TRUNCATED,
    ToolCall,
    excerpt,
    malformed_part,
    split_concatenated_objects,
)
from callscore.core.equality import equal
from callscore.core.large_number import decode_json
from callscore.core.nesting import MAX_DEPTH, end_soon, nesting_fault
from callscore.core.rendering import has_few_parts, safe_repr
from callscore.errors import InvalidCall, InvalidSettings
from callscore.formats.callers import caller_named
from callscore.formats.shape import describe, integer_of, json_of, text_of

# Brackets, and the texts in which they do not count.
_BRACKETS = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}
_MAX_BRACKETS = 10_000  # the rest of a text is not looked at
_TRUNCATED = "Input data was truncated"
_BROKEN_NUMBER = "invalid number"
_END_OF_KEY = re.compile(r'"\s*:')
_DUPLICATE_KEYS = "duplicate_keys"


class ParsedArguments(Struct, frozen=True, gc=False):
    """Arguments, or what is wrong with them.

    Attributes:
        value: the argument object; None if there is none.
        raw: what was there instead.
        error: what is wrong with it.
        warning: what is odd about an object that could be read.
    """

    value: dict[str, Any] | None
    raw: str | None = None
    error: str | None = None
    warning: str | None = None


def read_arguments(value: Any) -> ParsedArguments:
    """The argument object of a value or of its JSON text; empty text and null are empty."""
    if value.__class__ is dict:
        return _read_object(value)
    if isinstance(value, str):
        return _parse(value)
    return ParsedArguments({}) if value is None else _read_non_object(value)


def _read_object(value: dict[str, Any]) -> ParsedArguments:
    fault = nesting_fault(value)
    if fault is None:
        return ParsedArguments(value)
    if fault != "too_deep":
        raise InvalidCall(f"the arguments of a call {_ENDLESS[fault]}")
    return ParsedArguments(None, describe(value), TOO_DEEP)


# No trace can contain it: the program that calls this one made it.
_ENDLESS = {
    "cyclic": "contain themselves. Pass data without cycles.",
    "too_large": "contain the same parts too many times. Pass smaller data.",
}


def _read_non_object(value: Any) -> ParsedArguments:
    fault = malformed_part(value)
    if fault is not None:
        return ParsedArguments(None, fault.raw, fault.problem)
    if isinstance(value, Mapping):
        return _read_object(dict(value))
    _refuse_endless("arguments of a call", value)
    return ParsedArguments(None, raw_text(value), NOT_AN_OBJECT)


def _refuse_endless(name: str, value: Any) -> None:
    """Refuse a value that cannot be followed to its end, at any depth."""
    fault = None if isinstance(value, str) else nesting_fault({name: value})
    if fault is not None and fault != "too_deep":
        raise InvalidCall(f"the {name} {_ENDLESS[fault]}")


def _parse(text: str) -> ParsedArguments:
    """The object in a text. A text within a text was encoded twice."""
    warning = None
    inner = text = str(text)  # the decoder refuses other kinds of text
    try:
        value = decode_json(text) if text and not text.isspace() else None
        if value.__class__ is str:
            inner, warning = value, "double_encoded"
            value = decode_json(inner) if inner and not inner.isspace() else None
    except (RecursionError, ValueError) as error:
        return ParsedArguments(None, excerpt(text), _json_error(inner, error))
    if value is None:
        return ParsedArguments({}, None, None, warning)
    is_object = value.__class__ is dict
    is_deep = nesting_fault(value if is_object else {"": value}) is not None
    if is_deep or not is_object:
        return ParsedArguments(None, excerpt(text), TOO_DEEP if is_deep else NOT_AN_OBJECT)
    if inner.count(":") != len(value) and has_duplicate_keys(inner, value):
        warning = _DUPLICATE_KEYS
    return ParsedArguments(value, None, None, warning)


def _json_error(text: str, error: Exception) -> str:
    if isinstance(error, RecursionError) or _is_deep_text(text):
        return TOO_DEEP
    problem = str(error)
    if _TRUNCATED in problem:
        # msgspec has the same message for half a surrogate pair at the end of a complete text.
        return INVALID if text.rstrip()[-1:] == "}" and _count_objects(text) else TRUNCATED
    if _BROKEN_NUMBER in problem and problem.endswith(f"(byte {len(text.encode())})"):
        return TRUNCATED
    return CONCATENATED if text.count("{") > 1 and _count_objects(text) > 1 else INVALID


def _is_deep_text(text: str) -> bool:
    """Whether a text begins as deep as no value may be; how deep the decoder goes depends on Python."""
    depth = 0
    brackets = _BRACKETS.finditer(text) if text.count("[") + text.count("{") > MAX_DEPTH else ()
    for found in islice(brackets, _MAX_BRACKETS):
        depth += _STEP.get(found[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False


def _count_objects(text: str) -> int:
    """The number of JSON objects in a row; 0 if there is anything else."""
    return len(split_concatenated_objects(text, parse_int=str))


def has_duplicate_keys(text: str, value: dict[str, Any] | list[Any]) -> bool:
    """Whether a key is in one object twice, so that a value would be lost.

    There is a colon after every key, so there are no duplicates if there are as many colons as
    keys. If there are more, some may be within texts, and those after quotes are counted.
    """
    keys = _count_keys(value)
    if text.count(":") == keys or len(_END_OF_KEY.findall(text)) == keys:
        return False
    from json import JSONDecoder  # noqa: TID251  (it shows every pair)

    has_any = False

    def see(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal has_any
        members = dict(pairs)
        has_any = has_any or len(members) < len(pairs)
        return members

    with suppress(RecursionError):  # its limit is lower than that of msgspec
        # Numbers stay text, because large ones would be refused.
        JSONDecoder(object_pairs_hook=see, parse_int=str, parse_float=str).decode(text)
    return has_any


def _count_keys(value: Any) -> int:
    """The number of keys in an object or a list, at all levels."""
    is_object = value.__class__ is dict
    keys = len(value) if is_object else 0
    for item in value.values() if is_object else value:
        if item.__class__ is dict or item.__class__ is list:
            keys += _count_keys(item)
    return keys


def raw_text(value: Any) -> str | None:
    """What is in place of arguments, as text; None if nothing is."""
    if value is None or isinstance(value, str):
        return value if value is None else excerpt(value)
    if not has_few_parts(value):  # objects of Python, which the encoder would follow without end
        return describe(value)
    try:
        return excerpt(msgspec.json.encode(value, enc_hook=safe_repr).decode())
    except (RecursionError, ValueError, TypeError):
        return describe(value)


def is_empty_call(name: Any, arguments: Any) -> bool:
    """Whether a field for a call is not null, but has none: some SDKs write an empty object."""
    return not name and (not arguments or arguments == "{}")


Side = Literal["expected", "actual"]

# The keys of the two parts of a call, in all spellings.
NAME_KEYS = ("name", "tool", "toolName", "tool_name", "function_name", "function")
ARGUMENT_KEYS = (
    *("arguments", "args", "input", "parameters", "kwargs", "tool_input", "tool_kwargs"),
    *("tool_args", "input_parameters", "inputParameters", "params"),
)
ID_KEYS = ("id", "toolCallId", "tool_call_id", "call_id")
# All fields of a call; any other may be a typo.
CALL_FIELDS = frozenset(
    (
        *(*NAME_KEYS, *ARGUMENT_KEYS, *ID_KEYS, "step", "result", "failed", "raw", "error", "type"),
        *("kind", "caller", "positional", "warning", "turn"),
    )
)
# In order, and quick to look up.
_NAME_KEYS = dict.fromkeys(NAME_KEYS)
_ARGUMENT_KEYS = dict.fromkeys(ARGUMENT_KEYS)
_ALIASES = frozenset((*NAME_KEYS, *ARGUMENT_KEYS)).difference(("name", "arguments"))
_OTHER_FIELDS = CALL_FIELDS.difference(NAME_KEYS, ARGUMENT_KEYS)
_EXPECTED_SHAPE = '{"name": ..., "arguments": {...}}'
_FLAGS = {True: True, False: False, "true": True, "false": False, "True": True, "False": False}
_PAIR = 2
NAMELESS = ""  # the name of a call that has none; no expected call has it


def read_simple_calls(items: list[Any]) -> tuple[ToolCall, ...] | None:
    """The calls of a list in the simplest and usual notation; None for any other."""
    objects: list[dict[str, Any]] = []
    calls = _simple_calls(items, objects)
    is_bounded = end_soon(objects) or not any(map(nesting_fault, objects))
    return calls if is_bounded else None


def read_simple_sides(
    expected: list[Any], actual: list[Any]
) -> tuple[tuple[ToolCall, ...], tuple[ToolCall, ...]] | None:
    """The same for both sides of a case, whose arguments are checked together."""
    objects: list[dict[str, Any]] = []
    wanted = _simple_calls(expected, objects)
    made = None if wanted is None else _simple_calls(actual, objects)
    if wanted is None or made is None:
        return None
    is_bounded = end_soon(objects) or not any(map(nesting_fault, objects))
    return (wanted, made) if is_bounded else None


def _simple_calls(items: list[Any], objects: list[dict[str, Any]]) -> tuple[ToolCall, ...] | None:
    """The calls of a list, whose arguments are added to the objects that are to be checked."""
    calls: list[ToolCall] = []
    for item in items:
        if item.__class__ is not dict or len(item) != _PAIR:
            return None
        try:
            name, arguments = item["name"], item["arguments"]
        except KeyError:
            return None
        if name.__class__ is not str or not name or arguments.__class__ is not dict:
            return None
        calls.append(ToolCall(name, arguments))
        objects.append(arguments)
    return tuple(calls)


def read_calls(value: Any, *, side: Side, where: str) -> tuple[ToolCall, ...]:
    """The calls of a value: a list of calls in any notation, one call, or None for no calls.

    Raises:
        InvalidCall: it contains no calls, or expected calls that cannot be matched.
    """
    if value.__class__ is not list:
        return _read_non_list(value, side, where)
    calls = []
    for index, item in enumerate(value):
        # The fast path for nearly all calls.
        if item.__class__ is dict and len(item) == _PAIR:
            (key, name), (other, arguments) = item.items()
            if key in _ARGUMENT_KEYS:  # as in JSON with its keys sorted
                key, name, other, arguments = other, arguments, key, name
            is_call = key in _NAME_KEYS and other in _ARGUMENT_KEYS
            is_plain = is_call and name.__class__ is str and arguments.__class__ is dict
            if is_plain and name and nesting_fault(arguments) is None:
                calls.append(ToolCall(name, arguments))
                continue
        calls.append(read_call(item, side=side, where=f"{where}[{index}]"))
    return tuple(calls)


def _read_non_list(value: Any, side: Side, where: str) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    if isinstance(value, Mapping | ToolCall):
        return (read_call(value, side=side, where=where),)
    if isinstance(value, str):
        raise InvalidCall(f"{where}: {_problem_of_text(value, side)}")
    if not isinstance(value, Iterable):
        raise InvalidCall(f"{where}: must be a list of calls; got {describe(value)}.")
    return read_calls(list(value), side=side, where=where)


def _problem_of_text(text: str, side: Side) -> str:
    shown = describe(text)
    if text.lstrip().startswith(("[", "{")):
        advice = "Check that it is complete."
        if not isinstance(json_of(text.replace("'", '"')), str):  # as Python shows a list
            advice = "Write its texts in double quotes, not in single ones."
        return f"the text begins like JSON, but is not JSON: {shown}. {advice}"
    if side == "actual":  # most often the answer to the user, even if it is one word
        return (
            f"the text does not say which tools were called: {shown}. Pass the calls or the trace of the"
            " agent, or [] if no tool was called."
        )
    if is_tool_name(text):
        return f'a tool name must be inside a list. Write ["{shown[1:-1]}"].'
    return (
        f"the text does not say which calls are expected: {shown}. Write a list such as"
        f" [{_EXPECTED_SHAPE}], or [] if no tool should be called."
    )


def is_tool_name(text: str) -> bool:
    """Whether a text may be meant as the name of a tool, and not as words for people."""
    return _TOOL_NAME.fullmatch(text) is not None


_TOOL_NAME = re.compile(r"\w+(?:[.:/-]+\w+)*")


def read_call(value: Any, *, side: Side, where: str) -> ToolCall:
    """The call of an object, a pair of a name and arguments, a name, or a `ToolCall`.

    Missing arguments accept any on the expected side, and are none on the actual side. Text is parsed
    as JSON, strictly. Arguments that are not a JSON object are kept as `raw` with an `error` on the
    actual side; on the expected side they are a mistake.

    Raises:
        InvalidCall: it has no name, or is expected with arguments that cannot be read.
    """
    if isinstance(value, ToolCall):
        _require_field_types(value, where)
        arguments = value.arguments
        is_plain = value.name and value.error is None and arguments.__class__ is dict
        is_plain = is_plain and value.caller is None
        # Where a call was made does not say where it is expected: groups do.
        drops_turn = side == "expected" and value.turn is not None
        call = msgspec.structs.replace(value, turn=None) if drops_turn else value
        if is_plain and arguments is not None and nesting_fault(arguments) is None:
            return call
        value = msgspec.structs.asdict(call)
    if value.__class__ is dict or isinstance(value, Mapping):
        return _read_mapping(value, side, where)
    pair = (value, None) if isinstance(value, str) else value
    if is_pair(pair):
        return _read_mapping({"name": pair[0], "arguments": pair[1]}, side, where)
    raise InvalidCall(f"{where}: expected a call such as {_EXPECTED_SHAPE}, got {describe(value)}.")


def _require_field_types(call: ToolCall, where: str) -> None:
    """Refuse a call whose fields have other types than in a trace: the program itself made it."""
    name, _, id_, step, result, failed, raw, error, kind, caller, positional, warning, turn = (
        msgspec.structs.astuple(call)
    )
    for field, value in zip(_TEXT_FIELDS, (id_, raw, error, kind, caller, warning), strict=True):
        if value is not None and not isinstance(value, str):
            raise InvalidCall(f"{where}.{field}: must be text; got {describe(value)}.")
    if not isinstance(name, str):
        raise InvalidCall(f"{where}.name: must be text; got {describe(name)}.")
    for field, value in (("step", step), ("turn", turn)):
        if value is not None and integer_of(value) is None:
            raise InvalidCall(f"{where}.{field}: must be an integer; got {describe(value)}.")
    for field, value in (("failed", failed), ("positional", positional)):
        if value is not None and not isinstance(value, bool):
            raise InvalidCall(f"{where}.{field}: must be true or false; got {describe(value)}.")
    _refuse_odd(caller, turn, where)
    _refuse_endless("results of a call", result)


_TEXT_FIELDS = ("id", "raw", "error", "kind", "caller", "warning")


def is_pair(value: Any) -> bool:
    """Whether a value is a pair of a name and arguments."""
    return isinstance(value, list | tuple) and len(value) == _PAIR and isinstance(value[0], str)


def _advice_about(raw: str | None, error: str) -> str:
    """What to write instead of arguments that are not a JSON object."""
    if error == TOO_DEEP:
        return f"Use at most {MAX_DEPTH} levels."
    if error.endswith(_NOT_A_NUMBER):
        return f"Write null or a text instead, in {describe(raw)}."
    return f"Write them as a JSON object instead of {describe(raw)}."


_NOT_A_NUMBER = " is not a JSON number"


def _read_mapping(call: Mapping[str, Any], side: Side, where: str) -> ToolCall:
    inner = call.get("function")
    if inner is not None and isinstance(inner, Mapping):  # as in chat completions
        call = {**call, "function": None, **inner}
    if _ALIASES.isdisjoint(call):
        name, value = call.get("name"), call.get("arguments")
    else:
        name = _single_value(call, _NAME_KEYS, where)
        value = _single_value(call, _ARGUMENT_KEYS, where)
    if not isinstance(name, str) or not name:
        if side == "expected" or not any(key in call for key in NAME_KEYS):
            got = describe(call if name is None else name)
            raise InvalidCall(f"{where}: a call needs a name, as in {_EXPECTED_SHAPE}; got {got}.")
        name = NAMELESS  # it is still a call, of an unknown tool
    arguments = _fallback_arguments(call, side, where) if value is None else read_arguments(value)
    raw, error = arguments.raw, arguments.error
    if error is not None and side == "expected":
        from callscore.words.reasons import malformed_text

        problem = f"in the call of {describe(name)} {malformed_text(error)}."
        raise InvalidCall(f"{where}: {problem} {_advice_about(raw, error)}")
    if arguments.warning == _DUPLICATE_KEYS and side == "expected":
        problem = f"the arguments of {describe(name)} have a duplicate key."
        raise InvalidCall(f"{where}: {problem} Remove one of them.")
    if _OTHER_FIELDS.isdisjoint(call):
        return ToolCall(name, arguments.value, raw=raw, error=error, warning=arguments.warning)
    _refuse_endless("results of a call", call.get("result"))
    failed = call.get("failed")
    id_ = next((call[key] for key in ID_KEYS if call.get(key) is not None), None)
    return ToolCall(
        name,
        arguments.value,
        id=text_of(id_) if integer_of(id_) is None else describe(id_),
        step=integer_of(call.get("step")),
        result=call.get("result"),
        failed=_FLAGS.get(failed) if isinstance(failed, bool | int | str) else None,
        raw=raw,
        error=error,
        kind=text_of(call.get("kind")),
        caller=_caller_of(call.get("caller"), side, where),
        positional=call.get("positional") is True,
        turn=_read_turn(call.get("turn"), side, where),
        warning=arguments.warning or text_of(call.get("warning")),
    )


def refuse_odd_values(items: list[Any], where: str) -> None:
    """Refuse a caller or a turn of an actual call that cannot be one, in our own notation.

    Of other formats, such values are ignored: they mean something else there.

    Raises:
        InvalidCall: there is one.
    """
    for index, item in enumerate(items):
        if isinstance(item, Mapping):
            _refuse_odd(item.get("caller"), item.get("turn"), f"{where}[{index}]")


def _refuse_odd(caller: Any, turn: Any, where: str) -> None:
    _caller_of(caller, "expected", where)
    if turn is not None and _read_turn(turn, "actual", where) is None:
        raise InvalidCall(f"{where}.turn: must be an integer from 0; got {describe(turn)}.")


def _caller_of(value: Any, side: Side, where: str) -> str | None:
    """Who made a call, or should make it; None for what else a trace may have there."""
    try:
        name = caller_named(value)
    except InvalidSettings as error:
        if side == "actual":
            return None
        raise InvalidCall(f"{where}: {error}") from error
    return None if side == "actual" and name == AGENT else name


# A turn of an expected call makes a group of it and each one before.
MAX_TURN = 10_000
_MAX_ACTUAL_TURN = 1 << 53


def _read_turn(value: Any, side: Side, where: str) -> int | None:
    """The number of a turn; None if there is none, or if a trace has something else there."""
    number = integer_of(value)
    if side == "actual":
        return number if number is not None and 0 <= number < _MAX_ACTUAL_TURN else None
    if value is None or (number is not None and 0 <= number < MAX_TURN):
        return number
    problem = f"must be an integer from 0 to {MAX_TURN - 1:,}; got {describe(value)}"
    raise InvalidCall(f"{where}.turn: {problem}.")


def _single_value(call: Mapping[str, Any], keys: Mapping[str, None], where: str) -> Any:
    """The value under one of these keys; all of them mean the same."""
    given = [key for key in call if key in keys]
    if len(given) > 1:
        given = [key for key in keys if call.get(key) is not None]
    if not given:
        return None
    value = call[given[0]]
    is_same = all(equal(value, call[key]) for key in given[1:])
    # Beside a name and an argument object, any other keys are allowed.
    is_plain = isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict)
    if not is_same and not is_plain:
        raise InvalidCall(
            f"{where}: {' and '.join(map(repr, given))} are the same field. Keep one of them."
        )
    return value


def _fallback_arguments(call: Mapping[str, Any], side: Side, where: str) -> ParsedArguments:
    """The arguments of a call that has none.

    A field that may be meant as the arguments is refused. Ignoring it would make an expected call
    accept anything, and blame an agent for a typo.
    """
    error = text_of(call.get("error"))
    if error is not None:  # stored after it could not be read
        return ParsedArguments(None, text_of(call.get("raw")), error)
    for key, value in call.items():
        is_object = isinstance(value, Mapping) or (isinstance(value, str) and value[:1] == "{")
        if key not in CALL_FIELDS and (is_object or side == "expected"):
            problem = (
                f"unknown field {describe(key)} of a call. Put the arguments under 'arguments'."
            )
            raise InvalidCall(f"{where}: {problem}")
    return ParsedArguments(None if side == "expected" else {})
