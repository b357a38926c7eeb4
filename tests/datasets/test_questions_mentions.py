"""Whether a question says what the calls need to know."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.datasets.questions import enum_texts, unmentioned_values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The weather in PARIS, please", "Paris"),
        ("a round trip", "round_trip"),
        ("for 3 people", 3),
        ("pay 1,250 euros", 1250),
        ("pay 2.5 euros", 2.50),
        ("pay 5 euros", 5.0),
        ("on 14 March 2025", "2025-03-14"),
        ("on March 4th, 2025", "2025-03-04"),
        ("on 2025-03-14", "2025-03-14"),
        ("on Mar 14, 2025 at noon", "2025-03-14T12:00:00Z"),
        ("whatever", True),
        ("whatever", None),
        ("Paris and Rome", ["Paris", "Rome"]),
        ("Ann Lee", {"first": "Ann", "last": "Lee"}),
    ],
)
def test_a_value_is_said_in_the_words_of_people(text: str, value: Any) -> None:
    assert unmentioned_values(text, [{"a": value}], set()) == []


@pytest.mark.parametrize(
    ("text", "value", "missing"),
    [
        ("The weather there", "Paris", "Paris"),
        ("for some people", 3, "3"),
        ("on 15 March 2025", "2025-03-14", "2025-03-14"),
        ("on 14 March", "2025-03-14", "2025-03-14"),
        ("on 14 April 2025", "2025-03-14", "2025-03-14"),
        ("on 30 February 2025", "2025-02-30", "2025-02-30"),
        ("Paris and Oslo", ["Paris", "Rome"], "Rome"),
        ("hm", "x" * 100, "x" * 59 + "…"),
    ],
)
def test_a_value_that_is_not_said_is_named(text: str, value: Any, missing: str) -> None:
    assert unmentioned_values(text, [{"a": value}], set()) == [missing]


def test_what_is_one_of_a_few_need_not_be_said() -> None:
    schema = {"properties": {"cabin": {"enum": ["basic_economy", 3]}, "kind": {"const": "x"}}}

    known = enum_texts(schema)

    assert known == {"basic_economy", "x"}
    assert unmentioned_values("the cheapest seat", [{"cabin": "basic_economy"}], known) == []
