"""A metric of another tool, asked about cases."""

from __future__ import annotations

from array import array
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from msgspec import UNSET

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Group
from callscore.core.results import MetricValue
from callscore.core.rules import Matcher
from callscore.errors import InvalidSettings, NotScorable
from callscore.metrics.metric import InvalidOption, Metric, Option

F = ToolCall("f", {"a": 1})


def metric(value: Any) -> Metric:
    return Metric("x.y", lambda *_: value, {})


class NumpyTruth:
    """What numpy gives for a comparison, which is no number to Python."""

    shape = ()

    def item(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.25, 0.25),
        (True, 1.0),
        (False, 0.0),
        (1, 1.0),
        (Fraction(1, 4), 0.25),
        (Decimal("0.25"), 0.25),
        (NumpyTruth(), 1.0),
    ],
)
def test_what_a_tool_says_is_a_number(value: Any, number: float) -> None:
    found = metric(value).of([F], [F])

    assert found == number
    assert type(found) is float


def test_a_tool_may_decline_to_score_a_case() -> None:
    assert metric(None).of([F], [F]) is None
    assert metric(None).value_of([F], [F]) == MetricValue(
        "x.y", None, "the tool gives no number for such a case."
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (1e16, "1e\\+16"),
        (-(10**400), "a number beyond 1e\\+15"),
        (Decimal("1e999999"), "a number beyond"),
        (Decimal("sNaN"), "a number beyond"),
    ],
)
def test_what_cannot_be_compared_is_no_number(value: Any, shown: str) -> None:
    with pytest.raises(NotScorable, match=f"it gives {shown}.*no number to compare"):
        metric(value).of([F], [F])


@pytest.mark.parametrize(
    ("value", "kind"),
    [("abc", "str"), ("1", "str"), (1j, "complex"), ([1.0], "list"), (array("d", [1.0]), "array")],
)
def test_what_is_no_number_is_not_taken_for_one(value: Any, kind: str) -> None:
    found = metric(value).value_of([F], [F])

    assert found == MetricValue(
        "x.y", None, f"it gives something of the type {kind}, and no number."
    )


@pytest.mark.parametrize(
    ("expected", "what"),
    [
        ((Group("optional", (F,)),), "groups"),
        ((ToolCall("f", {"a": [Matcher("$gt", 1)]}),), "rules"),
    ],
)
def test_a_tool_is_not_asked_about_what_it_has_no_word_for(expected: Any, what: str) -> None:
    found = metric(1.0).value_of(expected, [F])

    assert found == MetricValue(
        "x.y", None, f"the expectation has {what}, which other tools do not know."
    )


def test_a_metric_that_knows_rules_is_asked_about_them() -> None:
    knows = Metric("x.y", lambda expected, _: float(len(expected)), {}, knows_rules=True)

    assert knows.of([F, Group("optional", (F,))], []) == 2.0


def test_a_metric_of_somebody_else_cannot_change_what_the_next_one_sees() -> None:
    def spoils(expected: Any, actual: Any) -> float:
        for call in (*expected, *actual):
            call.arguments["a"].append(2)
        return float(len(actual[0].arguments["a"]))

    calls = [ToolCall("f", {"a": [1]})]

    assert Metric("x.y", spoils, {}).of(calls, calls) == 2.0
    assert calls == [ToolCall("f", {"a": [1]})]


def test_our_own_functions_are_given_the_calls_themselves() -> None:
    given: list[Any] = []

    def notes(expected: Any, _: Any) -> float:
        given.append(expected)
        return 1.0

    notes.__module__ = "callscore.parity.strands"
    calls = [F]
    Metric("x.y", notes, {}).of(calls, [])

    assert given[0] is calls


def test_an_option_that_a_metric_refuses_is_said_to_be_one_of_its() -> None:
    def refuses(*_: Any) -> float:
        raise InvalidSettings("least is -1.")

    with pytest.raises(InvalidOption, match=r"^the metric x\.y: least is -1\.$"):
        Metric("x.y", refuses, {}).of([], [])


def test_where_a_tool_raises_there_is_no_number_and_a_reason() -> None:
    def breaks(*_: Any) -> float:
        raise NotScorable("it divides by zero.")

    assert Metric("x.y", breaks, {}).value_of([], []).reason == "it divides by zero."


def test_where_a_metric_of_somebody_else_breaks_there_is_a_reason_too() -> None:
    def breaks(expected: Any, _: Any) -> float:
        return 1 / len(expected)

    with pytest.raises(NotScorable, match="it raises ZeroDivisionError: division by zero"):
        Metric("x.y", breaks, {}).of([], [])


def test_a_metric_is_told_its_options_and_the_tools_if_it_wants_them() -> None:
    asked: list[dict[str, Any]] = []

    def notes(*_: Any, **told: Any) -> float:
        asked.append(told)
        return 1.0

    tools = {"f": Tool("f")}
    Metric("x.y", notes, {"strict": True}).of([F], [F], tools)
    Metric("x.y", notes, {}, takes_tools=True).of([F], [F], tools)

    assert asked == [{"strict": True}, {"tools": tools}]


def test_an_option_without_a_default_is_required() -> None:
    assert Option("a", int, UNSET).is_required
    assert not Option("a", int, None).is_required
