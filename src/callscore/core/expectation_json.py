"""Expectations as JSON: `$` keys of case files become rules, and rules become `$` keys, without loss."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.case import Expected, Forbidden, Group, Times
from callscore.core.rules import Comparator, Matcher, comparator_for, contains_matchers
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from callscore.core.call import ToolCall

LITERAL = "$literal"
_RULE_PREFIX = "$"
_SCALARS = frozenset((str, int, float, bool, type(None)))


def contains_rule_keys(value: Any) -> bool:
    """Whether any key in a value begins with `$`; the search is not recursive.

    It goes level by level, so that the keys of many objects are searched as one text.
    """
    level = [value]
    while level:
        objects = [item for item in level if isinstance(item, dict)]
        if objects and _has_rule_keys(chain.from_iterable(objects)):
            return True
        members = [*chain.from_iterable(map(dict.values, objects))]
        if len(objects) < len(level):
            arrays = [item for item in level if isinstance(item, list | tuple)]
            members += chain.from_iterable(arrays)
        level = [member for member in members if member.__class__ not in _SCALARS]
    return False


def _has_rule_keys(keys: Iterable[Any]) -> bool:
    """Whether a key begins with `$`."""
    known = [*keys]
    try:
        text = "\0".join(known)
    except TypeError:  # a key is not a text
        return any(map(_is_rule_key, known))
    return _RULE_PREFIX in text and any(map(_is_rule_key, known))


def _is_rule_key(key: Any) -> bool:
    return isinstance(key, str) and key.startswith(_RULE_PREFIX)


def parse_matchers(value: Any, *, where: str) -> Any:
    """A value of a case file with its `$` keys read as rules; the value itself if it has none.

    Error messages call it `where`: `expected[0].arguments`.

    Raises:
        InvalidCall: a key that begins with `$` is not a rule, or a rule is invalid.
    """
    if not contains_rule_keys(value):
        return value
    try:
        return _parse(value, where)
    except RecursionError as error:
        raise InvalidCall(f"{where}: matchers are nested too deeply.") from error


def _parse(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        if _has_rule_keys(value):
            return _parse_rule(value, where)
        return {key: _parse(member, f"{where}.{key}") for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_parse(item, f"{where}[{position}]") for position, item in enumerate(value)]
    return value


def _parse_rule(value: dict[str, Any], where: str) -> Any:
    if LITERAL in value:
        if len(value) > 1:
            raise InvalidCall(f"{where}: '{LITERAL}' must be the only key of its object.")
        return value[LITERAL]
    comparator = _comparator_for(value, where)
    key = next(key for key in comparator.keys if key in value)
    operand = value[key]
    options = {name: option for name, option in value.items() if name != key}
    _require_options(key, options, comparator, where)
    if comparator.nests:
        operand = _parse(operand, f"{where}.{key}")
    matcher = Matcher(key, operand, options)
    problem = comparator.check(matcher)
    if problem is not None:
        raise InvalidCall(f"{where}: '{key}': {problem}")
    return matcher


def _comparator_for(value: dict[str, Any], where: str) -> Comparator:
    key = next(key for key in value if _is_rule_key(key))
    try:
        return comparator_for(key)
    except InvalidCall as error:
        hint = f'If the key is literal, put the object into {{"{LITERAL}": ...}}.'
        raise InvalidCall(f"{where}: {error} {hint}") from error


def _require_options(key: str, options: dict[str, Any], comparator: Comparator, where: str) -> None:
    known = [option for option in comparator.options if option != key]
    for option in map(str, options):  # a dictionary from Python may have any keys
        if option in known:
            continue
        if option.startswith(_RULE_PREFIX):
            raise InvalidCall(f"{where}: '{key}' and '{option}' cannot be combined.")
        hint = did_you_mean(option, known) or "."
        raise InvalidCall(f"{where}: unknown option '{option}' of '{key}'{hint}")


def matchers_to_json(value: Any) -> Any:
    """A value as in a case file: rules become `$` keys, and other `$` keys become literal.

    Raises:
        InvalidCall: an object with another `$` key contains a rule, which no file can express; or
            rules are nested too deeply.
    """
    if not contains_rule_keys(value) and not contains_matchers(value):
        return value
    try:
        return _to_json(value)
    except RecursionError as error:
        raise InvalidCall("matchers are nested too deeply to be written.") from error


def _to_json(value: Any) -> Any:
    if isinstance(value, Matcher):
        nests = comparator_for(value.key).nests
        return {value.key: _to_json(value.value) if nests else value.value, **value.options}
    if not isinstance(value, dict):
        return [_to_json(item) for item in value] if isinstance(value, list | tuple) else value
    if not _has_rule_keys(value):
        return {key: _to_json(member) for key, member in value.items()}
    if contains_matchers(value):
        keys = ", ".join(key for key in value if _is_rule_key(key))
        raise InvalidCall(
            f"{keys}: a file cannot contain a matcher inside an object with such a key."
        )
    return {LITERAL: value}


def expected_to_json(item: Expected) -> Any:
    """A call, a group, a repeat or a forbidden pattern as in a case file.

    Raises:
        InvalidCall: as for `matchers_to_json`.
    """
    if isinstance(item, Group):
        members = [expected_to_json(member) for member in item.members]
        return {item.kind: members[0] if item.kind == "optional" else members}
    if isinstance(item, Forbidden):
        return {"forbid": item.pattern}
    if isinstance(item, Times):
        bounds = {"min": item.least, "max": item.most}
        if item.most is None:
            del bounds["max"]
        return {**_call_to_json(item.call), "times": bounds}
    return _call_to_json(item)


def _call_to_json(call: ToolCall) -> dict[str, Any]:
    spelled = {
        field: value
        for field, value in structs.asdict(call).items()
        if value is not None and (value or field != "positional")
    }
    if call.arguments is not None:
        spelled["arguments"] = matchers_to_json(call.arguments)
    return spelled
