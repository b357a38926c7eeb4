"""The score of a case as JSON, encoded in one pass where that gives the same as `json_safe` and an encoder.

Most calls come from JSON, so that an encoder can write them as they are. Whether it can is checked in few steps that run
in C. Where it would not (objects of Python, rules, infinite numbers, very large integers), a call is turned into plain
data first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from gc import get_referents
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import astuple

from callscore.core.call import DecodedCalls, ToolCall
from callscore.core.expectation_json import contains_rule_keys
from callscore.core.settings import DEFAULT, Settings
from callscore.words.plain_data import (
    PairRow,
    Parts,
    call_fields,
    case_fields,
    case_row,
    case_to_dict,
    expected_fields,
    settings_fields,
    unanswered_to_dict,
)
from callscore.words.value_text import json_safe

if TYPE_CHECKING:
    from callscore.core.case import Expected
    from callscore.core.phrases import Language
    from callscore.core.results import Result

    Arrange = Callable[[dict[str, Any]], dict[str, Any]]

_SCALARS = frozenset((str, int, float, bool, type(None)))
_PLAIN = _SCALARS | {dict, list, tuple}
_TEXTS = frozenset((str,))
_CALLS = frozenset((ToolCall,))
_NOTHING_ELSE = astuple(ToolCall(""))[2:]  # the fields of a call after its name and arguments
# `json_safe` turns deeper values into text; a report has some levels around them.
_MAX_DEPTH = 90
_MAX_INTEGER = 1 << 9_999  # it turns larger ones into text
_flat = chain.from_iterable
_encode = msgspec.json.Encoder().encode


class NestedDeeply(Exception):
    """A value is nested so deeply that a part of it becomes text."""


def _unchanged(value: Any) -> Any:
    return value


def case_to_json(
    case: Result, *, lang: Language = "en", depth: int = 0, arranged: Arrange | None = None
) -> bytes:
    """The fields of `case_to_dict` as JSON on one line.

    `depth` is how many objects and arrays are around it in a document: it decides where a value is
    nested too deeply. `arranged` returns the fields as the document has them.
    """
    if case.score is None:
        fields = unanswered_to_dict(case)
        return msgspec.json.encode(fields if arranged is None else arranged(fields))
    found = plain_case_to_json(case, lang=lang, arranged=arranged)
    if found is not None:
        return found
    try:
        return _encoded(case, lang, _CHECKED, arranged)
    except (NestedDeeply, UnicodeEncodeError):  # the latter is half of a surrogate pair
        fields = case_to_dict(case, lang=lang)
        fields = fields if arranged is None else arranged(fields)
        return msgspec.json.encode(json_safe(fields, depth=depth))


def _encoded(case: Result, lang: Language, parts: Parts, arranged: Arrange | None) -> bytes:
    if arranged is None:
        return _encode(case_row(case, lang, parts))
    return _encode(arranged(case_fields(case, lang, parts)))


def plain_case_to_json(
    case: Result, *, lang: Language = "en", arranged: Arrange | None = None
) -> bytes | None:
    """The same, if every text and number of the calls is written as it is; None if not."""
    calls = case.required_score.expected, case.required_score.actual
    is_decoded = calls[0].__class__ is calls[1].__class__ is DecodedCalls
    if not _is_usual(case) or not (is_decoded or _are_plain(calls[0] + calls[1])):
        return None
    try:
        found = _encoded(case, lang, _UNCHANGED, arranged)
    except UnicodeEncodeError:
        return None
    # A key stands behind a bracket or a comma. A single byte is found soonest, and often there is none.
    may_have_rules = not is_decoded and b"$" in found and (b'{"$' in found or b',"$' in found)
    if may_have_rules and contains_rule_keys([call.arguments for call in calls[0]]):
        return None
    return found


def _is_usual(case: Result) -> bool:
    """Whether everything but the names and the arguments of the calls is written as it is."""
    score = case.required_score
    settings = score.settings
    has_rules = settings is not DEFAULT and settings.has_rules
    if has_rules or score.expectation is not None or score.ignored:
        return False
    if case.trial is None and not case.tags:
        return type(case.id) is str
    return are_plain_values([case.id, case.trial, case.tags])


def _call_parts(calls: Sequence[ToolCall]) -> list[Any]:
    return [call_part(call) for call in calls]


def call_part(call: ToolCall) -> Any:
    """A call as an encoder of JSON may write it: itself, or plain data."""
    return call if _are_plain((call,)) else _shallow(call_fields(call))


def _expected_parts(items: Sequence[Expected]) -> list[Any]:
    return [expected_part(item) for item in items]


def expected_part(item: Expected) -> Any:
    """The same for an expected call, or for a group or rule in place of it."""
    if type(item) is ToolCall and _are_plain((item,)) and not contains_rule_keys(item.arguments):
        return item
    return _shallow(expected_fields(item))


def value_part(value: Any) -> Any:
    """The same for any value."""
    return value if are_plain_values([value]) else _shallow(json_safe(value))


def settings_to_json(settings: Settings) -> bytes:
    """The settings as they are in the JSON of a case; most often they are those of the case before."""
    if not _encoded_settings or _encoded_settings[0][0] is not settings:
        encoded = msgspec.json.encode(settings_fields(settings))
        _encoded_settings[:] = [(settings, encoded, msgspec.Raw(encoded))]
    return _encoded_settings[0][1]


_encoded_settings: list[tuple[Settings, bytes, msgspec.Raw]] = []


def _settings_part(settings: Settings) -> msgspec.Raw:
    settings_to_json(settings)
    return _encoded_settings[0][2]


_UNCHANGED = Parts(_unchanged, _unchanged, _unchanged, _settings_part, PairRow)
_CHECKED = Parts(_expected_parts, _call_parts, value_part, _settings_part, PairRow)


def _are_plain(calls: Sequence[ToolCall]) -> bool:
    """Whether an encoder writes the calls as `json_safe` does."""
    if not set(map(type, calls)) <= _CALLS or not _are_texts([call.name for call in calls]):
        return False
    values = [call.arguments for call in calls]
    others = [astuple(call)[2:] for call in calls]
    if others.count(_NOTHING_ELSE) < len(others):  # an id, a result
        return are_plain_values([*values, *_flat(others)])
    return are_plain_values(values)


def are_plain_values(values: list[Any]) -> bool:
    """The same for values. The search goes level by level, and each step runs in C."""
    for _ in range(_MAX_DEPTH):
        kinds = set(map(type, values))
        if not (kinds <= _PLAIN and _are_plain_numbers(values, kinds)):
            return False
        if kinds <= _SCALARS:
            return True
        if dict in kinds and not _are_texts(_flat([v for v in values if type(v) is dict])):
            return False
        values = get_referents(*values)  # the members of objects and arrays; scalars have none
    return False


def _are_texts(values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= _TEXTS


def _are_plain_numbers(values: list[Any], kinds: set[type]) -> bool:
    """Whether the numbers among the values are finite, and the integers not very large."""
    if float in kinds and not isfinite(sum([v for v in values if type(v) is float])):
        return False
    return int not in kinds or max([abs(v) for v in values if type(v) is int]) < _MAX_INTEGER


def _shallow(value: Any) -> Any:
    """Plain data that are nested less deeply than the limit."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        inside: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inside += each.values()
            elif isinstance(each, list):
                inside += each
        if not inside:
            return value
        level = inside
    raise NestedDeeply
