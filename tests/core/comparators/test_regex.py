"""`$regex`: found anywhere, and given up in time."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.comparator import check, compare
from callscore.core.comparators import regex as module
from callscore.core.comparison import context_for
from callscore.core.matcher import Matcher
from callscore.core.settings import Settings

CONTEXT = context_for(Settings())
ENDLESS = r"(a|aa)+$"
TEXT = "a" * 5000 + "!"


def test_it_may_be_found_anywhere() -> None:
    assert compare(Matcher("$regex", "b"), "abc", CONTEXT).matched
    assert not compare(Matcher("$regex", "^b"), "abc", CONTEXT).matched


@pytest.mark.parametrize("given", [5, None, ["b"], {"b": "b"}])
def test_only_text_is_searched(given: Any) -> None:
    assert not compare(Matcher("$regex", "b|5"), given, CONTEXT).matched


def test_half_of_a_surrogate_pair_is_a_letter_like_others() -> None:
    assert compare(Matcher("$regex", "^.$"), "\ud800", CONTEXT).matched


def test_an_endless_search_is_given_up_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    monkeypatch.setattr(module, "_slow", set())

    first = compare(Matcher("$regex", ENDLESS), TEXT, CONTEXT)
    again = compare(Matcher("$regex", ENDLESS), "aa", CONTEXT)
    other = compare(Matcher("$regex", "a+$"), "aa", CONTEXT)

    assert first.note is not None
    assert first.note.text("en") == "the expression is too slow: gave up after 0.05 s"
    assert first.note.text("ru").endswith("поиск прерван через 0.05 с")
    assert again == first
    assert other.matched


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a(", "not a regular expression: missing ) at position 2."),
        ("*a", "not a regular expression: nothing to repeat at position 0."),
        ("(" * 2000 + ")" * 2000, "the regular expression is nested too deep."),
        ("a" * 5001, "the regular expression is longer than 5000 characters."),
        ("a(?R)?b", "a regular expression that calls itself cannot be used."),
        ("(a)(?1)", "a regular expression that calls itself cannot be used."),
        ("(?P<x>a)(?&x)", "a regular expression that calls itself cannot be used."),
        (None, "a regular expression is wanted, not null."),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(pattern: Any, problem: str) -> None:
    assert check(Matcher("$regex", pattern)) == problem


@pytest.mark.parametrize(
    "pattern",
    [
        "a{1000000}",
        "(a{1000}){1000}",
        "(?:(?:(?:a{100}){100}){100}){100}",
        "(?:[^)(]{400,}){400}",
        "(?:abc{3000}d){3000}",
        r"(?:\)x{999}){999}",
        "a{999999999}{999999999}",
    ],
)
def test_what_would_fill_the_memory_is_refused(pattern: str) -> None:
    problem = check(Matcher("$regex", pattern))

    assert problem == "the regular expression repeats itself to more than 100000 characters."


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d{4}-\d{2}-\d{2}$",
        r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        "(?:.{0,5000}){1,3000}",
        "[)](a|b){9}",
        r"\p{Lu}\w+ (?i:street)",
        "x{,5}y{z}",
    ],
)
def test_what_people_write_is_not(pattern: str) -> None:
    assert check(Matcher("$regex", pattern)) is None


def test_a_bracket_too_many_is_left_to_the_library() -> None:
    assert check(Matcher("$regex", "a)")) is not None
