"""`$regex`: found anywhere, and given up in time."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.case import Group
from callscore.core.comparators import regex as module
from callscore.core.rules import Matcher, check_matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.errors import InvalidCall

CONTEXT = make_context(Settings(), Budget(10**12))
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


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches have little time, not to wait for them."""
    monkeypatch.setattr("callscore.core.budget.MAX_SECONDS", 0.05)


def _scored(pattern: str, *texts: str) -> Any:
    calls = [ToolCall("f", {"a": text}) for text in texts]
    return score_calls(
        (ToolCall("f", {"a": Matcher("$regex", pattern)}),), tuple(calls), Settings()
    )


@pytest.mark.usefixtures("short")
def test_a_case_with_an_endless_search_is_refused() -> None:
    with pytest.raises(InvalidCall) as refusal:
        _scored(ENDLESS, TEXT)

    assert str(refusal.value) == (
        "expected: the comparison takes more than 0.05 s for searches per case, and was stopped at"
        " '$regex'. Simplify the regular expression."
    )


def test_no_case_has_less_time_because_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("callscore.core.budget.MAX_SECONDS", 0.02)
        with pytest.raises(InvalidCall):
            _scored(ENDLESS, TEXT)

    assert len(_scored(ENDLESS, "aa").correct) == 1


def test_a_text_is_searched_once_by_the_same_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Pattern:
        def search(self, text: str, *, timeout: float) -> None:
            assert timeout > 0
            asked.append(text)

    monkeypatch.setattr(module, "_compiled", lambda _pattern: Pattern())
    rule = Matcher("$regex", "x")
    group = Group("any_order", (ToolCall("f", {"a": rule}), ToolCall("f", {"b": [rule]})))
    made = (ToolCall("f", {"a": "y"}), ToolCall("f", {"b": ["y"]}), ToolCall("f", {"a": "y"}))

    score_calls((group,), made, Settings())

    assert asked == ["y"]


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
        context = make_context(Settings(), Budget(10**12))  # of its own: searches have a time limit
        assert compare_value(Matcher("$regex", pattern), text, context).matched == expected


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
