"""What a history has of a case and of an evaluation, as values again: cases, settings, skipped cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from callscore.core.budget import OverBudget
from callscore.core.case import Case, origin_in
from callscore.core.results import Noted
from callscore.core.settings import DEFAULT, ArgumentRule, settings_from
from callscore.errors import CallscoreError, InvalidCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from callscore.core.settings import Settings
    from callscore.history.records import EvaluationRecord

__all__ = [
    "FUNCTION_SETTINGS",
    "case_from_payload",
    "read_settings",
    "stored_settings",
    "stored_skipped",
]


def case_from_payload(name: str, payload: Mapping[str, Any]) -> Case:
    """The case of a stored payload.

    Raises:
        InvalidCall: only Python can express what it expects.
    """
    # A run without cases to show needs none of what reads and scores them.
    from callscore.formats.case_sides import read_expected_side
    from callscore.history.saved_scores import PYTHON_KEY

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


class StoredFunction:
    """A judge or another function of stored settings: it has a name, and cannot be called.

    Attributes:
        model: the model of a judge.
    """

    def __init__(self, stored: Any) -> None:
        if isinstance(stored, dict):
            self.model = stored.get("model")
        else:
            self.__module__, _, self.__qualname__ = str(stored).rpartition(".")

    def __call__(self, *_: Any) -> Any:
        """Nothing is scored again to be shown; an explanation leaves out what it cannot find out.

        Raises:
            OverBudget: always.
        """
        raise OverBudget("the function of a stored run cannot be called.")


def read_settings(kept: Mapping[str, Any]) -> Settings:
    """Stored settings; functions have only their names. The defaults if they cannot be read."""
    found = stored_settings(kept)
    for name in FUNCTION_SETTINGS:
        if found.get(name) is not None:
            found[name] = StoredFunction(found[name])
    known = {name: value for name, value in found.items() if value != getattr(DEFAULT, name, UNSET)}
    try:
        return settings_from(known) if known else DEFAULT
    except CallscoreError:  # settings of another version of callscore
        return DEFAULT


def stored_skipped(record: EvaluationRecord) -> Noted:
    """How many cases were skipped; their names are not stored."""
    skipped = record.summary.get("skipped")
    return Noted(skipped if isinstance(skipped, int) else 0)
