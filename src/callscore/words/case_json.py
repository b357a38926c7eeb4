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
    PLAIN_PARTS,
    Parts,
    call_fields,
    case_fields,
    case_to_dict,
    expected_fields,
    settings_fields,
)
from callscore.words.value_text import encode_json, json_safe

if TYPE_CHECKING:
    from callscore.core.case import Expected
    from callscore.core.phrases import Language
    from callscore.core.results import Result
    from callscore.core.score import Score

    Arrange = Callable[[dict[str, Any]], dict[str, Any]]

_SCALARS = frozenset((str, int, float, bool, type(None)))
_PLAIN = _SCALARS | {dict, list, tuple}
_TEXTS = frozenset((str,))
_CALLS = frozenset((ToolCall,))
_NOTHING_ELSE = astuple(ToolCall(""))[2:]  # the fields of a call after its name and arguments
_MAX_DEPTH = 90  # `json_safe` turns values of more than 100 levels into text
_MAX_INTEGER = 1 << 9_999  # it turns larger ones into text
_flat = chain.from_iterable
_encode = msgspec.json.Encoder().encode


def _unchanged(value: Any) -> Any:
    return value


def case_to_json(case: Result, *, lang: Language = "en", arranged: Arrange | None = None) -> bytes:
    """The fields of `case_to_dict` as JSON on one line; `arranged` returns them as a document has them."""
    found = plain_case_to_json(case, lang=lang, arranged=arranged)
    if found is not None:
        return found
    try:
        return _encoded(case, lang, _PLAIN_DATA, arranged)
    except UnicodeEncodeError:  # half of a surrogate pair, in a reason
        fields = case_to_dict(case, lang=lang)
        return encode_json(fields if arranged is None else arranged(fields))


def _encoded(case: Result, lang: Language, parts: Parts, arranged: Arrange | None) -> bytes:
    fields = case_fields(case, lang, parts)
    return _encode(fields if arranged is None else arranged(fields))


def plain_case_to_json(
    case: Result, *, lang: Language = "en", arranged: Arrange | None = None
) -> bytes | None:
    """The same, if every text and number of the calls is written as it is; None if not."""
    score = case.score
    if score is None or not _is_usual(case, score):
        return None
    expected, actual = score.expected, score.actual
    is_decoded = expected.__class__ is actual.__class__ is DecodedCalls
    if not (is_decoded or _are_plain(expected + actual)):
        return None
    try:
        found = _encoded(case, lang, _UNCHANGED, arranged)
    except UnicodeEncodeError:
        return None
    # A key stands behind a bracket or a comma. A single byte is found soonest, and often there is none.
    may_have_rules = not is_decoded and b"$" in found and (b'{"$' in found or b',"$' in found)
    has_rules = may_have_rules and contains_rule_keys([call.arguments for call in expected])
    return None if has_rules else found


def _is_usual(case: Result, score: Score) -> bool:
    """Whether everything but the names and the arguments of the calls is written as it is."""
    asked, settings = case.case, score.settings
    has_rules = settings is not DEFAULT and settings.has_rules
    if has_rules or score.expectation is not None or score.ignored:
        return False
    if asked.trial is None and not asked.tags:
        return type(asked.id) is str
    return are_plain_values([asked.id, asked.trial, asked.tags])


def call_part(call: ToolCall) -> Any:
    """A call as an encoder of JSON may write it: itself, or plain data."""
    return call if _are_plain((call,)) else call_fields(call)


def expected_part(item: Expected) -> Any:
    """The same for an expected call, or for a group or rule in place of it."""
    if type(item) is ToolCall and _are_plain((item,)) and not contains_rule_keys(item.arguments):
        return item
    return expected_fields(item)


def value_part(value: Any) -> Any:
    """The same for any value."""
    return value if are_plain_values([value]) else json_safe(value)


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


_UNCHANGED = Parts(_unchanged, _unchanged, _unchanged, _settings_part)
_PLAIN_DATA = PLAIN_PARTS._replace(settings=_settings_part)


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
