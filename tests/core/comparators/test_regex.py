"""`$regex`: found anywhere, and given up in time."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from callscore import expect
from callscore.core.budget import Budget
from callscore.core.call import ToolCall
from callscore.core.rules import Matcher, check_matcher
from callscore.core.scoring import score_calls
from callscore.core.settings import Settings
from callscore.core.value_comparison import compare_value, make_context
from callscore.errors import InvalidCall

ENDLESS = r"(a|aa)+$"
TEXT = "a" * 5000 + "!"


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
def test_a_usual_regular_expression_is_accepted(pattern: str) -> None:
    assert check_matcher(Matcher("$regex", pattern)) is None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [("(" * 2000 + ")" * 2000, "nested too deeply"), ("a" * 5001, "longer than 5000 characters")],
)
def test_an_expression_of_absurd_size_is_refused(pattern: str, problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        expect.regex(pattern)
