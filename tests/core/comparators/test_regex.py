"""`$regex`: found anywhere, and given up in time."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callscore.core.call import ToolCall
from callscore.core.comparators import regex as module
from callscore.core.equality import digest
from callscore.core.rules import Matcher, check_matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context

CONTEXT = make_context(Settings())
ENDLESS = r"(a|aa)+$"
TEXT = "a" * 5000 + "!"


def test_it_may_be_found_anywhere() -> None:
    assert compare_value(Matcher("$regex", "b"), "abc", CONTEXT).matched
    assert not compare_value(Matcher("$regex", "^b"), "abc", CONTEXT).matched


@pytest.mark.parametrize("given", [5, None, ["b"], {"b": "b"}])
def test_only_text_is_searched(given: Any) -> None:
    assert not compare_value(Matcher("$regex", "b|5"), given, CONTEXT).matched


def test_half_of_a_surrogate_pair_is_a_letter_like_others() -> None:
    assert compare_value(Matcher("$regex", "^.$"), "\ud800", CONTEXT).matched


def test_an_endless_search_is_given_up_and_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    monkeypatch.setattr(module, "_timed_out", {})
    first = compare_value(Matcher("$regex", ENDLESS), TEXT, CONTEXT)
    monkeypatch.setattr(module, "_SECONDS", 100.0)

    again = compare_value(Matcher("$regex", ENDLESS), TEXT, CONTEXT)

    assert first.note is not None
    assert first.note.text("en") == "the expression is too slow: stopped after 0.05 s"
    assert first.note.text("ru").endswith("поиск прерван через 0.05 с")
    assert again == first


def test_another_text_is_not_the_worse_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    monkeypatch.setattr(module, "_timed_out", {})

    assert not compare_value(Matcher("$regex", ENDLESS), TEXT, CONTEXT).matched
    assert compare_value(Matcher("$regex", ENDLESS), "aa", CONTEXT).matched
    assert not compare_value(Matcher("$regex", ENDLESS), "b", CONTEXT).matched
    assert compare_value(Matcher("$regex", "a+$"), "aa", CONTEXT).matched


def test_many_endless_searches_of_one_case_have_less_and_less_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.02)
    monkeypatch.setattr(module, "_TRIES", 1)
    monkeypatch.setattr(module, "_MIN_SECONDS", 0.0002)
    monkeypatch.setattr(module, "_MAX_REMEMBERED", 4)
    monkeypatch.setattr(module, "_timed_out", {})
    slow: dict[Any, float] = {}
    context = make_context(Settings(), slow)

    for number in range(6):
        compare_value(Matcher("$regex", ENDLESS), TEXT * 4 + str(number), context)
        assert len(slow) == min(number + 1, 4)

    assert [*slow.values()] == [pytest.approx(0.0002)] * 4


def test_any_number_of_endless_searches_leaves_the_least_time() -> None:
    slow = {("", bytes([first, second])): 0.01 for first in range(64) for second in range(64)}

    found = compare_value(Matcher("$regex", ENDLESS), TEXT, make_context(Settings(), slow))

    assert found.note is not None
    assert found.note.text("en").endswith("stopped after 0.01 s")


def _scored(pattern: str, *texts: str) -> Any:
    calls = [ToolCall("f", {"a": text}) for text in texts]
    return score_calls(
        (ToolCall("f", {"a": Matcher("$regex", pattern)}),), tuple(calls), Settings()
    )


def test_no_case_has_less_time_because_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.02)
    monkeypatch.setattr(module, "_TRIES", 1)
    monkeypatch.setattr(module, "_MIN_SECONDS", 0.0002)
    monkeypatch.setattr(module, "_timed_out", {})
    many = _scored(ENDLESS, *[TEXT + str(number) for number in range(4)])

    (alone,) = _scored(ENDLESS, TEXT + "3").incorrect

    assert not many.correct
    assert alone.differences[0].reason.endswith("stopped after 0.02 s)")


def test_what_is_said_about_a_score_agrees_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.02)
    monkeypatch.setattr(module, "_timed_out", {})
    (pair,) = _scored(ENDLESS, TEXT).incorrect
    monkeypatch.setattr(module, "_SECONDS", 100.0)

    assert pair.differences[0].reason.endswith("stopped after 0.02 s)")


def test_what_was_given_up_once_is_found_by_the_next_score_that_has_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matcher, given_up = Matcher("$regex", "b$"), {("b$", digest("ab")): 0.01}
    monkeypatch.setattr(module, "_timed_out", given_up)
    before = compare_value(matcher, "ab", CONTEXT)

    scored = compare_value(matcher, "ab", make_context(Settings(), {}))

    assert not before.matched
    assert scored.matched
    assert compare_value(matcher, "ab", CONTEXT).matched


@pytest.mark.parametrize(
    ("pattern", "found", "other"),
    [
        ("^UA{d}$", "UA{d}", "U"),
        ("a{e}", "a{e}", "b"),
        ("id{i}", "id{i}", "iid"),
        ("(?:foo){e<=1}", "foo{e<=1}", "fo"),
        ("^x{}$", "x{}", "x"),
        ("^x{,}$", "xxx", "x{,}"),
        ("^[[:alpha:]]$", ":]", "b"),
        ("^[^[{e}]$", "x", "["),
        (r"^[\[{]$", "{", "e"),
        (r"^\N{DIGIT ONE}{2}$", "11", "1"),
        (r"^[\N{DIGIT ONE}[]$", "[", "N"),
        ("(?#[)^a{e}]$", "a{e}]", "a"),
        ("^[ab&&a]$", "&", "&&"),
    ],
)
def test_an_expression_means_what_it_means_in_python(pattern: str, found: str, other: str) -> None:
    matcher = Matcher("$regex", pattern)

    assert check_matcher(matcher) is None
    assert compare_value(matcher, found, CONTEXT).matched
    assert not compare_value(matcher, other, CONTEXT).matched


PIECES = st.lists(
    st.sampled_from(
        [*"ab1e{}[]()|*?^$.,:-", "{e}", "{2}", "{,1}", "[^", "[:a:]", r"\d", "(?:", "&&"]
    )
)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@settings(max_examples=300)
@given(PIECES.map("".join), st.text("ab1e{}[]:-,", max_size=6))
def test_no_expression_means_anything_else(pattern: str, text: str) -> None:
    try:
        expected = re.search(pattern, text) is not None
    except re.error:
        assert check_matcher(Matcher("$regex", pattern)) is not None
    else:
        assert check_matcher(Matcher("$regex", pattern)) is None
        assert compare_value(Matcher("$regex", pattern), text, CONTEXT).matched == expected


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("a(", "invalid regular expression: missing ), unterminated subpattern at position 1."),
        (r"\p{Lu}", r"invalid regular expression: bad escape \p at position 0."),
        (r"\m", r"invalid regular expression: bad escape \m at position 0."),
        ("a{,9999999999}", "invalid regular expression: the repetition number is too large."),
        ("(?x) a # [", "a regular expression with (?x) cannot contain '#'."),
        ("*a", "invalid regular expression: nothing to repeat at position 0."),
        ("(" * 2000 + ")" * 2000, "the regular expression is nested too deeply."),
        ("a" * 5001, "the regular expression is longer than 5000 characters."),
        ("a(?R)?b", "invalid regular expression: unknown extension ?R at position 2."),
        ("(a)(?1)", "invalid regular expression: unknown extension ?1 at position 4."),
        ("(?P<x>a)(?&x)", "invalid regular expression: unknown extension ?& at position 9."),
        (None, "expected a regular expression, got null."),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(pattern: Any, problem: str) -> None:
    assert check_matcher(Matcher("$regex", pattern)) == problem


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
    problem = check_matcher(Matcher("$regex", pattern))

    assert problem == "the regular expression expands to more than 100000 characters."


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\d{4}-\d{2}-\d{2}$",
        r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        "(?:.{0,5000}){1,3000}",
        "[)](a|b){9}",
        r"[A-Z]\w+ (?i:street)",
        "(?x) a b",
        "(?i)#a",
        "x{,5}y{z}",
    ],
)
def test_what_people_write_is_not(pattern: str) -> None:
    assert check_matcher(Matcher("$regex", pattern)) is None


def test_a_bracket_too_many_is_left_to_the_library() -> None:
    assert check_matcher(Matcher("$regex", "a)")) is not None


@pytest.mark.parametrize(
    ("pattern", "text"), [(r"^\(?0\d{2}\)? \d+$", "(030) 12"), (r"\(?R", "R"), ("[(?&]", "&")]
)
def test_what_only_looks_like_a_call_of_itself_is_used(pattern: str, text: str) -> None:
    assert check_matcher(Matcher("$regex", pattern)) is None
    assert compare_value(Matcher("$regex", pattern), text, CONTEXT).matched


def test_an_expression_is_shown_as_it_is_written() -> None:
    assert repr(Matcher("$regex", r"^UA\d+$")) == r"$regex ^UA\d+$"
    assert repr(Matcher("$regex", "a\nb")) == r"$regex a\nb"
