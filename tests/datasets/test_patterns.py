"""Texts that a regular expression matches."""

from __future__ import annotations

import re
from random import Random

import pytest

from callscore.datasets.patterns import UnknownPatternError, text_matching


@pytest.mark.parametrize(
    "pattern",
    [
        "^abc$",
        "^[A-Z]{3}\\d{4}$",
        "^[^a-z]+$",
        "^[\\w.-]+@[\\w-]+\\.com$",
        "^(?:red|green|blue)$",
        "^(?P<year>\\d{4})-(?<month>\\d\\d)$".replace("(?<", "(?P<"),
        "a*b+c?d{2}e{1,3}f{2,}",
        "x{,3}y",
        "lazy.*?end",
        "{not a count}",
        "\\x41\\u0042\\n\\t",
        "[\\d\\-x]",
        "[a\\-z]",
        "[]x]",
        "[\u0430-\u044f]{3}",
        "\\D\\W\\S",
        "\\bword\\b",
        "(?i)hello",
        "(?i:hello)",
        "one|two|",
        "\\^\\$\\.",
        "((a|b)(c|d)){2}",
        "[+-]?\\d+(\\.\\d+)?",
        "",
    ],
)
def test_the_text_is_what_the_expression_finds(pattern: str) -> None:
    for seed in range(20):
        assert re.fullmatch(pattern, text_matching(pattern, Random(seed)))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^\\p{Lu}\\p{Ll}+$", "[A-Z][a-z]+"),
        ("^\\P{L}$", "[^a-zA-Z]"),
        ("\\u{41}", "A"),
        ("^(?<year>\\d{4})$", "\\d{4}"),
        ("^(?=.*x)a(?!b)(?<=a)(?<!b)$", "a"),
        ("a++", "a+"),
    ],
)
def test_what_python_does_not_know_is_understood(pattern: str, found: str) -> None:
    assert re.fullmatch(found, text_matching(pattern, Random(0)))


def test_what_repeats_without_end_is_repeated_until_the_text_is_long_enough() -> None:
    assert len(text_matching("^[a-z]+$", Random(0), minimum=40)) >= 40


@pytest.mark.parametrize("pattern", ["^x_", "_x$", "x"])
def test_an_end_that_is_open_is_lengthened(pattern: str) -> None:
    text = text_matching(pattern, Random(0), minimum=9)

    assert len(text) == 9
    assert re.search(pattern, text)


def test_an_expression_that_is_closed_at_both_ends_is_not_lengthened() -> None:
    assert text_matching("^x$", Random(0), minimum=9) == "x"


@pytest.mark.parametrize(
    "pattern",
    [
        "(a|b)\\1",
        "a)",
        "(a",
        "[a",
        "a\\",
        "[z-a]",
        "\\p{Cyrillic}",
        "\\pL",
        "\\xZZ",
        "\\u{110000000}",
        "\\q",
        "[^\\s\\S]",
        "(" * 60 + ")" * 60,
        "a" * 3_000,
        "(?:a{1000}){1000}",
    ],
)
def test_what_is_not_known_is_refused(pattern: str) -> None:
    with pytest.raises(UnknownPatternError):
        text_matching(pattern, Random(0))
