"""TPMJS tool-call-accuracy-score."""

from __future__ import annotations

from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import NotScorable, ToolCall
from callscore.parity import tpmjs


def call(tool: str, **args: Any) -> dict[str, Any]:
    return {"tool": tool, "args": args}


SEARCH = call("searchWeb", query="AI news")
SUMMARY = call("summarize", text="long article...")
OTHER_SUMMARY = call("summarize", text="different text")
TRANSLATION = call("translateText", text="hello", to="es")


def test_the_example_of_its_documentation_scores_what_its_formula_gives() -> None:
    answer = tpmjs.tool_call_accuracy_score(
        {"expected": [SEARCH, SUMMARY], "actual": [SEARCH, OTHER_SUMMARY, TRANSLATION]}
    )

    assert answer == {
        "score": 0.4,
        "precision": 0.333,
        "recall": 0.5,
        "f1": 0.4,
        "totalExpected": 2,
        "totalActual": 3,
        "correctCalls": [
            {"expected": SEARCH, "actual": SEARCH, "status": "correct", "argsMatch": True}
        ],
        "incorrectCalls": [
            {
                "expected": SUMMARY,
                "actual": OTHER_SUMMARY,
                "status": "incorrect",
                "argsMatch": False,
                "details": "the tool was called with other arguments",
            }
        ],
        "missedCalls": [],
        "extraCalls": [TRANSLATION],
        "summary": "F1: 40.0% | Precision: 33.3% | Recall: 50.0% | Correct: 1/2 | Incorrect: 1"
        " | Missed: 0 | Extra: 1",
    }


def test_a_call_that_was_not_made_is_missed() -> None:
    answer = tpmjs.tool_call_accuracy_score({"expected": [SEARCH, SUMMARY], "actual": [SEARCH]})

    assert answer["missedCalls"] == [
        {
            "expected": SUMMARY,
            "status": "missed",
            "argsMatch": False,
            "details": "no other call of this tool was made",
        }
    ]
    assert answer["score"] == 0.667


@pytest.mark.parametrize(
    ("expected", "actual", "rates"),
    [([], [], (1, 1, 1)), ([], [SEARCH], (0, 1, 0)), ([SEARCH], [], (1, 0, 0))],
)
def test_empty_sides(expected: list[Any], actual: list[Any], rates: tuple[int, int, int]) -> None:
    assert (
        tpmjs.precision(expected, actual),
        tpmjs.recall(expected, actual),
        tpmjs.tool_call_accuracy(expected, actual),
    ) == rates


def test_an_earlier_expectation_takes_the_call_that_a_later_one_matches() -> None:
    expected = [call("book", a=1), call("book", a=2)]
    actual = [call("book", a=2), call("book", a=9)]

    assert tpmjs.tool_call_accuracy(expected, actual) == 0.0
    assert tpmjs.tool_call_accuracy(expected[::-1], actual) == 0.5


def test_a_later_call_that_matches_comes_before_an_earlier_one_that_does_not() -> None:
    assert tpmjs.recall([call("book", a=2)], [call("book", a=1), call("book", a=2)]) == 1.0


def test_an_array_is_the_object_with_its_positions_for_keys() -> None:
    assert tpmjs.tool_call_accuracy([call("f", a=[1])], [call("f", a={"0": 1})]) == 1.0


def test_integers_that_share_a_double_are_the_same() -> None:
    assert tpmjs.tool_call_accuracy([call("f", a=2**53)], [call("f", a=2**53 + 1)]) == 1.0


def test_true_is_not_1_and_null_is_not_absent() -> None:
    assert tpmjs.tool_call_accuracy([call("f", a=True)], [call("f", a=1)]) == 0.0
    assert tpmjs.tool_call_accuracy([call("f", a=None)], [call("f")]) == 0.0


def test_rates_are_rounded_to_three_decimals_halves_up() -> None:
    made = [*[call("f")] * 1, *[call("g")] * 15]

    assert tpmjs.precision([call("f")], made) == 0.063  # of 0.0625


def test_calls_in_other_shapes_are_read() -> None:
    assert tpmjs.tool_call_accuracy([ToolCall("f", {"a": 1})], [call("f", a=1.0)]) == 1.0


def test_values_of_any_depth_are_compared() -> None:
    assert tpmjs.tool_call_accuracy([call("f", a=nested())], [call("f", a=nested())]) == 1.0


@pytest.mark.parametrize("given", [None, {}, {"expected": []}, {"expected": [], "actual": "f"}])
def test_what_has_no_two_lists_of_calls_is_refused(given: Any) -> None:
    with pytest.raises(NotScorable, match="must be a list of calls"):
        tpmjs.tool_call_accuracy_score(given)


@pytest.mark.parametrize(
    "wrong", [None, "f", {"args": {}}, {"tool": 1, "args": {}}, {"tool": "f", "args": []}]
)
def test_what_is_no_call_is_named(wrong: Any) -> None:
    with pytest.raises(NotScorable, match=r"actual\[1\] is not a call"):
        tpmjs.tool_call_accuracy_score({"expected": [], "actual": [call("f"), wrong]})


def test_calls_without_arguments_are_an_error_only_where_they_are_compared() -> None:
    bare = {"tool": "f"}

    assert tpmjs.tool_call_accuracy_score({"expected": [bare], "actual": [SEARCH]})["score"] == 0.0
    assert tpmjs.tool_call_accuracy([SEARCH], [SEARCH, ToolCall("searchWeb")]) == 0.667
    with pytest.raises(NotScorable, match="one has none"):
        tpmjs.tool_call_accuracy_score({"expected": [bare], "actual": [call("f")]})
    with pytest.raises(NotScorable, match="one has none"):
        tpmjs.tool_call_accuracy([call("f")], [ToolCall("f")])
