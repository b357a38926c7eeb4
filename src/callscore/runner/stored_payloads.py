"""What a history has of a case and of an evaluation, as values again: cases, settings, skipped cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from callscore.core.case import Case, origin_in
from callscore.core.results import Noted
from callscore.core.settings import ArgumentRule
from callscore.errors import InvalidCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.history.records import EvaluationRecord

__all__ = ["FUNCTION_SETTINGS", "case_from_payload", "stored_settings", "stored_skipped"]


def case_from_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case of a stored payload.

    Raises:
        InvalidCall: only Python can express what it expects.
    """
    # A run without cases to show needs none of what reads and scores them.
    from callscore.engines.payloads import PYTHON_KEY
    from callscore.formats.case_sides import read_expected_side

    expected = payload.get("expected")
    for item in expected or ():
        if isinstance(item, dict) and PYTHON_KEY in item:
            raise InvalidCall(
                f"the expected calls can be written only in Python: {item[PYTHON_KEY]}"
            )
    return Case(
        payload.get("input"),
        id=name,
        expected=UNSET
        if expected is None
        else read_expected_side(expected, where=f"case {name}", spelled=True),
        tools=payload.get("tools"),
        tags=tuple(payload.get("tags") or ()),
        metadata=payload.get("metadata"),
        origin=origin_in(payload.get("origin")),
    )


_TUPLE_SETTINGS = ("strip_prefix", "normalize_name", "effects")
# Settings that are functions, of which only a judge can be restored.
FUNCTION_SETTINGS = ("judge", "similarity")


def stored_settings(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Stored settings as keyword arguments."""
    found = dict(kept)
    if "arguments" in found:
        rules = found["arguments"] or ()
        found["arguments"] = tuple([msgspec.convert(rule, ArgumentRule) for rule in rules])
    for name in _TUPLE_SETTINGS:
        if isinstance(found.get(name), list):
            found[name] = tuple(found[name])
    return found


def stored_skipped(record: EvaluationRecord) -> Noted:
    """How many cases were skipped; their names are not stored."""
    skipped = record.summary.get("skipped")
    return Noted(skipped if isinstance(skipped, int) else 0)
