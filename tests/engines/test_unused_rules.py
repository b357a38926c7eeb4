"""Rules of settings that match nothing, in Python."""

from __future__ import annotations

import warnings

import pytest

from callscore.core.settings import settings_from
from callscore.engines.local import score_cases

CASES = [{"id": "a", "expected": ["book"], "actual": [{"name": "book", "arguments": {"seat": 1}}]}]


def test_a_rule_that_matches_nothing_is_a_warning() -> None:
    settings = settings_from({"arguments": {"book.seats": "ignore", "book.seat": "ignore"}})
    said = (
        r"settings: 1 rule matches nothing: arguments 'book\.seats' \(did you mean 'book\.seat'\?\)"
    )
    with pytest.warns(UserWarning, match=said):
        score_cases(CASES, settings=settings)


def test_nothing_is_said_about_rules_if_there_are_no_names_or_too_many() -> None:
    settings = settings_from({"arguments": {"look.at": "ignore"}})
    many = {str(number): number for number in range(10_001)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score_cases([{"id": "a", "expected": [], "actual": []}], settings=settings)
        score_cases(
            [{"id": "a", "expected": [], "actual": [{"name": "f", "arguments": many}]}],
            settings=settings,
        )
