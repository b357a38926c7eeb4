"""Looking into values of unknown shape."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from callscore.core.call import Malformed
from callscore.formats.shape import (
    at,
    describe,
    dicts,
    first,
    integer_of,
    json_of,
    list_of,
    name_of,
    text_in,
    text_of,
)

VALUE = {"a": [{"b": 1}, 2], "n": None}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((), VALUE),
        (("a", 0, "b"), 1),
        (("a", -1), 2),
        (("a", 2), None),
        (("a", -3), None),
        (("a", "b"), None),
        (("a", 0, 0), None),
        (("n", "x"), None),
        (("x", "y", 3), None),
    ],
)
def test_a_path_that_ends_early_leads_to_none(path: tuple[Any, ...], found: Any) -> None:
    assert at(VALUE, *path) == found


@pytest.mark.parametrize("value", [None, 5, "text", [1], {"x": None, "y": 0}])
def test_whatever_the_value_is_there_is_an_answer(value: Any) -> None:
    assert first(value, "x", "y") == (0 if isinstance(value, dict) else None)
    assert list_of(value) == ([1] if isinstance(value, list) else [])
    assert dicts(value) == []
    assert text_of(value) == ("text" if value == "text" else None)
    assert integer_of(value) == (5 if value == 5 else None)
    assert at(value, "a") is None


def test_only_objects_of_a_list_are_objects() -> None:
    assert dicts([{"a": 1}, 5, None, {}]) == [{"a": 1}, {}]
    assert integer_of(True) is None


@pytest.mark.parametrize(
    ("value", "found"),
    [('{"a": 1}', {"a": 1}), ("plain", "plain"), (5, 5), ("[" * 9999, "[" * 9999)],
)
def test_text_that_holds_json_is_what_it_holds(value: Any, found: Any) -> None:
    assert json_of(value) == found


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("x", "x"),
        ([{"text": "a"}, {"image": 1}, {"text": "b"}], "a\nb"),
        ([{"image": 1}], None),
        ([], None),
        (None, None),
        ([{"text": 5}], None),
    ],
)
def test_the_text_of_a_content_is_in_its_parts(content: Any, text: str | None) -> None:
    assert text_in(content) == text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("a", "a"),
        (7, "7"),
        (0, "0"),
        (True, None),
        pytest.param(10**5000, None, id="huge"),
        (1.5, None),
        ([], None),
    ],
)
def test_a_name_is_text_or_a_number(value: Any, name: str | None) -> None:
    assert name_of(value) == name


# Values in a few words.


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (1.5, "1.5"),
        pytest.param(10**5000, "a very large integer", id="10**5000"),
        ("поиск", "'поиск'"),
        ("\x1b[31mred", "'\\x1b[31mred'"),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ((1,), "a list of 1"),
        ({}, "an empty object"),
        ({"q": 1}, "an object with the key 'q'"),
        ({"q": 1, 2: 1}, "an object with the keys 'q', 2"),
        (dict.fromkeys("abcdef"), "an object with the keys 'a', 'b', 'c', 'd', 'e', …"),
        (date(2024, 1, 15), "a date"),
        (Malformed("NaN", "NaN is not a JSON number"), "NaN (NaN is not a JSON number)"),
    ],
)
def test_a_value_is_described_in_a_few_words(value: Any, words: str) -> None:
    assert describe(value) == words


def test_a_long_text_is_shortened() -> None:
    assert describe("x" * 10_000_000) == "'" + "x" * 59 + "…"


def test_nesting_is_not_followed() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]

    assert describe(value) == "a list of 1"
