"""How rules and groups are spelled in case files: `$` keys and plain JSON, both ways without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from callscore.core.expectation import Forbidden, Group, Times
from callscore.core.matcher import Matcher, holds_matchers
from callscore.core.nearest import meant_by
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.call import ToolCall
    from callscore.core.comparator import Comparator
    from callscore.core.expectation import Expected

__all__ = ["LITERAL", "holds_rules", "matchers_in", "spell", "spell_expected"]

LITERAL = "$literal"
_MARK = "$"


def holds_rules(value: Any) -> bool:
    """Whether any key in a value begins with `$`; no depth of nesting can exhaust the walk."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if _has_marks(item):
                return True
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return False


def _has_marks(value: Mapping[Any, Any]) -> bool:
    return any(isinstance(key, str) and key.startswith(_MARK) for key in value)


def matchers_in(value: Any, *, where: str) -> Any:
    """A value out of a case file with its `$` keys read as rules; itself where it has none.

    Args:
        value: the value.
        where: what to call it in messages: `expected[0].arguments`.

    Raises:
        InvalidCall: a key that begins with `$` is no rule, or a rule makes no sense.
    """
    if not holds_rules(value):
        return value
    try:
        return _read(value, where)
    except RecursionError as error:
        raise InvalidCall(f"{where}: rules are nested too deeply.") from error


def _read(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        if _has_marks(value):
            return _read_rule(value, where)
        return {key: _read(member, f"{where}.{key}") for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_read(item, f"{where}[{position}]") for position, item in enumerate(value)]
    return value


def _read_rule(value: dict[str, Any], where: str) -> Any:
    if LITERAL in value:
        if len(value) > 1:
            raise InvalidCall(f"{where}: nothing stands beside `{LITERAL}`.")
        return value[LITERAL]
    comparator = _comparator_for(value, where)
    key = next(key for key in comparator.keys if key in value)
    operand = value[key]
    options = {name: option for name, option in value.items() if name != key}
    _require_options(key, options, comparator, where)
    matcher = Matcher(
        key, _read(operand, f"{where}.{key}") if comparator.nests else operand, options
    )
    problem = comparator.check(matcher)
    if problem is not None:
        raise InvalidCall(f"{where}: `{key}`: {problem}")
    return matcher


def _comparator_for(value: dict[str, Any], where: str) -> Comparator:
    from callscore.core.comparator import comparator_of

    key = next(key for key in value if str(key).startswith(_MARK))
    try:
        return comparator_of(key)
    except InvalidCall as error:
        hint = f'A key that is meant as it stands goes into {{"{LITERAL}": ...}}.'
        raise InvalidCall(f"{where}: {error} {hint}") from error


def _require_options(key: str, options: dict[str, Any], comparator: Comparator, where: str) -> None:
    known = [option for option in comparator.options if option != key]
    for option in options:
        if option in known:
            continue
        if option.startswith(_MARK):
            raise InvalidCall(f"{where}: `{key}` and `{option}` cannot stand together.")
        hint = meant_by(option, known) or "."
        raise InvalidCall(f"{where}: `{option}` is no option of `{key}`{hint}")


def spell(value: Any) -> Any:
    """A value as a case file has it: rules as `$` keys, and keys that only look so as literal.

    Raises:
        InvalidCall: a key that begins with `$` stands beside a rule, which no file can say; or
            rules are nested too deeply.
    """
    if not holds_rules(value) and not holds_matchers(value):
        return value
    try:
        return _spell(value)
    except RecursionError as error:
        raise InvalidCall("rules are nested too deeply to be written.") from error


def _spell(value: Any) -> Any:
    if isinstance(value, Matcher):
        return _spell_rule(value)
    if isinstance(value, dict):
        return _spell_object(value)
    return [_spell(item) for item in value] if isinstance(value, list | tuple) else value


def _spell_rule(matcher: Matcher) -> dict[str, Any]:
    from callscore.core.comparator import comparator_of

    nests = comparator_of(matcher.key).nests
    operand = _spell(matcher.value) if nests else matcher.value
    return {matcher.key: operand, **matcher.options}


def _spell_object(value: dict[str, Any]) -> dict[str, Any]:
    if not _has_marks(value):
        return {key: _spell(member) for key, member in value.items()}
    if holds_matchers(value):
        keys = ", ".join(key for key in value if str(key).startswith(_MARK))
        raise InvalidCall(f"{keys}: a file cannot hold a rule inside an object with such a key.")
    return {LITERAL: value}


def spell_expected(item: Expected) -> Any:
    """A call, a group or what is forbidden, as a case file has it.

    Raises:
        InvalidCall: as for `spell`.
    """
    if isinstance(item, Group):
        members = [spell_expected(member) for member in item.members]
        return {item.kind: members[0] if item.kind == "optional" else members}
    if isinstance(item, Forbidden):
        return {"forbid": item.pattern}
    if isinstance(item, Times):
        bounds = {"min": item.least, "max": item.most}
        if item.most is None:
            del bounds["max"]
        return {**_spell_call(item.call), "times": bounds}
    return _spell_call(item)


def _spell_call(call: ToolCall) -> dict[str, Any]:
    spelled = {
        field: value
        for field, value in structs.asdict(call).items()
        if value is not None and (value or field != "positional")
    }
    if call.arguments is not None:
        spelled["arguments"] = spell(call.arguments)
    return spelled
