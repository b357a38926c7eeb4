"""Trajectly."""

from __future__ import annotations

from callscore import ToolCall
from callscore.parity import trajectly
from callscore.parity.trajectly import Refinement

MISSING = "REFINEMENT_BASELINE_CALL_MISSING"
EXTRA = "REFINEMENT_EXTRA_TOOL_CALL"
EXTRA_EFFECT = "REFINEMENT_EXTRA_SIDE_EFFECT_CALL"
NEW_NAME = "REFINEMENT_NEW_TOOL_NAME_FORBIDDEN"


def calls(names: str) -> list[ToolCall]:
    return [ToolCall(name) for name in names]


def codes(expected: str, actual: str, **options: object) -> tuple[str, ...]:
    found = trajectly.refinement(calls(expected), calls(actual), **options)  # type: ignore[arg-type]  # a test's own
    assert found.passes is (not found.codes)
    assert not found.vacuous
    return found.codes


def test_the_same_names_in_the_same_order_pass_whatever_their_arguments_are() -> None:
    expected = [{"name": "a", "arguments": {"x": 1}}]
    actual = [{"name": "a", "arguments": {"x": 2}}]

    assert trajectly.refinement(expected, actual) == Refinement(True, False, ())
    assert trajectly.passes(expected, actual) is True


def test_an_empty_baseline_passes_whatever_is_called() -> None:
    assert trajectly.refinement([], calls("ab")) == Refinement(True, True, ())
    assert trajectly.refinement([], []) == Refinement(True, True, ())


def test_only_the_first_missing_call_is_reported() -> None:
    assert codes("abc", "") == (MISSING,)
    assert trajectly.passes(calls("abc"), []) is False


def test_calls_behind_a_missing_one_are_extra() -> None:
    assert codes("abc", "bc") == (MISSING, EXTRA, EXTRA)


def test_the_other_order_is_a_missing_and_an_extra_call() -> None:
    assert codes("ab", "ba") == (MISSING, EXTRA)


def test_a_retry_is_an_extra_call() -> None:
    assert codes("ab", "aab") == (EXTRA,)


def test_a_new_name_is_reported_twice() -> None:
    assert codes("ab", "axb") == (EXTRA, NEW_NAME)
    assert codes("ab", "xax") == (MISSING, EXTRA, NEW_NAME, EXTRA, NEW_NAME)


def test_a_new_name_that_is_allowed_is_still_an_extra_call() -> None:
    assert codes("ab", "axb", allow_new_tool_names=True) == (EXTRA,)
    assert trajectly.passes(calls("ab"), calls("axb")) is False


def test_an_extra_tool_that_is_allowed_may_be_new() -> None:
    assert codes("ab", "axbb", allow_extra_tools=["x", "b"]) == ()
    assert codes("ab", "axyb", allow_extra_tools=["x"], allow_new_tool_names=True) == (EXTRA,)


def test_an_extra_call_with_side_effects_is_reported_even_where_it_is_allowed() -> None:
    assert codes("ab", "axb", side_effect_tools={"x"}) == (EXTRA, EXTRA_EFFECT, NEW_NAME)
    assert codes("ab", "axb", side_effect_tools={"x"}, allow_extra_tools=["x"]) == (EXTRA_EFFECT,)
    assert codes("ab", "ab", side_effect_tools={"a"}) == ()
