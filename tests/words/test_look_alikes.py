"""Texts that differ but look the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscore.words.look_alikes import (
    _appearance,
    code_points_text,
    look_alike_lines,
    looks_same,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("caf\u00e9", "cafe\u0301"),
        ("\u0410", "A"),
        ("\u03a1", "P"),
        ("a\u200bb", "ab"),
        ("a\u00adb", "ab"),
        ("\u2764\ufe0f", "\u2764"),
        ("a\u00a0b", "a b"),
        ("a  b", "a b"),
        ("Oslo ", "Oslo"),
        ("a–b", "a-b"),
        ("−1", "-1"),
        ("“x”", '"x"'),
        ("it’s", "it's"),
        ("\u00b5g", "\u03bcg"),
        ("…", "..."),
        ("lIl", "lll"),
        ("O", "0"),
        ("\u041e", "0"),
        ("\u0406", "l"),
        ("a|b", "a1b"),
    ],
)
def test_texts_that_look_the_same(one: str, other: str) -> None:
    assert looks_same(one, other)
    assert looks_same(other, one)
    assert looks_same(f"x {one} y" * 9, f"x {other} y" * 9)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a", "a"),
        ("a", "b"),
        ("Oslo", "oslo"),
        ("ab", "a b"),
        ("e", "\u00e9"),
        ("x2", "x²"),
        ("ABC", "\uff21BC"),
        ("½", "1/2"),
        ("o", "0"),
        ("i", "l"),
    ],
)
def test_texts_that_are_the_same_or_look_different(one: str, other: str) -> None:
    assert not looks_same(one, other)
    assert code_points_text(one, other, "en") is None


@pytest.mark.parametrize(("expected", "actual"), [(1, "1"), (None, ""), ("1", 1)])
def test_other_values_have_no_code_points(expected: object, actual: object) -> None:
    assert code_points_text(expected, actual, "en") is None


def test_only_the_first_places_are_shown() -> None:
    text = code_points_text("a-" * 9, "a–" * 9, "en")

    assert text == (
        "looks the same, differs at character 2: U+002D / U+2013; character 4: U+002D / U+2013; "
        "character 6: U+002D / U+2013; …"
    )
    assert code_points_text("x", "x" + "\u200b" * 9, "ru") == (
        "отличается символ 2: нет / U+200B U+200B U+200B U+200B …"
    )


def test_long_texts_are_compared_where_they_differ() -> None:
    start = "x" * 1_000_000

    assert looks_same(start + "A" + start, start + "\u0410" + start)
    assert not looks_same("\u200b" * 5000, "y" + "\u200b" * 3000 + "x")


@given(st.text(), st.text())
def test_every_pair_of_texts_has_an_answer(one: str, other: str) -> None:
    assert looks_same(one, other) == looks_same(other, one)


def test_names_that_look_the_same_are_listed_in_pairs() -> None:
    names = ["se\u0430rch", "search", "find", "x" * 300, "x" * 300 + " "]

    assert look_alike_lines(names, "en") == [
        "search / se\u0430rch: looks the same, differs at character 3: U+0061 / U+0430"
    ]


@given(st.text(st.characters(max_codepoint=127)))
def test_text_in_ascii_is_compared_as_any_other_text(text: str) -> None:
    assert _appearance(f"x{text}x日") == f"{_appearance(f'x{text}x')}日"


@given(st.text("aAlI1|0O'`\"- \t\x01"), st.text("aAlI1|0O'`\"- \t\x01"))
def test_texts_that_begin_to_differ_visibly_look_different(one: str, other: str) -> None:
    is_same = one != other and _appearance(f"x{one}x") == _appearance(f"x{other}x")

    assert looks_same(f"x{one}x", f"x{other}x") == is_same
