"""A metric of another tool, asked about cases."""

from __future__ import annotations

import inspect
from array import array
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import pytest

from callscore.core.call import Tool, ToolCall
from callscore.core.case import Group
from callscore.core.results import MetricValue
from callscore.core.rules import Matcher
from callscore.errors import InvalidSettings, NotScorable
from callscore.metrics.metric import (
    Metric,
    copy_calls,
    options_of,
    parse_options,
    python_options_of,
)
from callscore.metrics.registry import headline_metrics, metric_providers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from callscore.parity.parameters import Calls

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
def test_a_number_that_a_metric_returns_becomes_a_float(value: Any, number: float) -> None:
    found = metric(value).of([F], [F])

    assert found == number
    assert type(found) is float


def test_a_tool_may_decline_to_score_a_case() -> None:
    assert metric(None).of([F], [F]) is None
    assert metric(None).value_of([F], [F]) == MetricValue(
        "x.y", None, "the tool does not score such a case."
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
def test_a_metric_that_returns_nan_infinity_or_a_huge_number_is_not_scorable(
    value: Any, shown: str
) -> None:
    with pytest.raises(NotScorable, match=f"the metric returned {shown}.*cannot be compared"):
        metric(value).of([F], [F])


@pytest.mark.parametrize(
    ("value", "kind"),
    [("abc", "str"), ("1", "str"), (1j, "complex"), ([1.0], "list"), (array("d", [1.0]), "array")],
)
def test_a_returned_value_that_is_not_a_number_is_reported_with_its_type(
    value: Any, kind: str
) -> None:
    found = metric(value).value_of([F], [F])

    assert found == MetricValue(
        "x.y", None, f"the metric returned a value of type {kind}, not a number."
    )


@pytest.mark.parametrize(
    ("expected", "what"),
    [
        ((Group("optional", (F,)),), "groups"),
        ((ToolCall("f", {"a": [Matcher("$gt", 1)]}),), "matchers"),
    ],
)
def test_a_tool_is_not_asked_about_what_it_has_no_word_for(expected: Any, what: str) -> None:
    found = metric(1.0).value_of(expected, [F])

    assert found == MetricValue(
        "x.y", None, f"the expectation contains {what}, which other tools do not support."
    )


def test_a_metric_of_somebody_else_cannot_change_what_the_next_one_sees() -> None:
    def spoils(expected: Any, actual: Any) -> float:
        for call in (*expected, *actual):
            call.arguments["a"].append(2)
        return float(len(actual[0].arguments["a"]))

    calls = [ToolCall("f", {"a": [1]})]

    assert Metric("x.y", spoils, {}).of(calls, calls) == 2.0
    assert calls == [ToolCall("f", {"a": [1]})]


def test_where_a_metric_of_somebody_else_breaks_there_is_a_reason_too() -> None:
    def breaks(expected: Any, _: Any) -> float:
        return 1 / len(expected)

    with pytest.raises(NotScorable, match="the metric raised ZeroDivisionError: division by zero"):
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


# Copies of calls.


def test_arguments_may_be_missing_or_deeper_than_the_interpreter_can_follow() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]

    nothing, copy = copy_calls([ToolCall("f"), ToolCall("f", {"a": deep})])

    assert nothing.arguments is None
    depth, inner = 0, copy.arguments["a"]
    assert inner is not deep
    while isinstance(inner, list):  # or taking it down would go just as deep
        depth, inner, deep = depth + 1, inner.pop(), deep.pop()
    assert depth == 100_000


# What metrics can be told on the command line.

Match = Literal["exact", "ignore"]


def metric_options(  # noqa: PLR0913  (an option of every kind)
    expected: Calls,
    actual: Calls,
    *,
    match: Match = "exact",
    strict: bool = False,
    threshold: float | None = None,
    compare: Callable[[Any, Any], bool] | None = None,
    weights: dict[str, float] | None = None,
    nothing: None = None,
    tools: Mapping[str, Any] | None = None,
) -> float:
    """A metric."""
    raise NotImplementedError


def needy(expected: Calls, actual: Calls, *, tool: str) -> float:
    """A metric that must be told something."""
    raise NotImplementedError


def test_options_are_written_with_commas_between_them() -> None:
    given = "match=ignore,strict=true,threshold=0.5"

    assert parse_options("x.y", given, metric_options) == {
        "match": "ignore",
        "strict": True,
        "threshold": 0.5,
    }
    assert parse_options("x.y", None, metric_options) == {}
    assert parse_options("x.y", "tool=mcp:search", needy) == {"tool": "mcp:search"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("", r"x\.y: an option is missing after a colon or a comma\. `callscore metrics x\.y`"),
        ("strict=true,", "an option is missing"),
        ("strict=true,strict=false", r"x\.y: strict is given twice\."),
        ("strict=true:match=ignore", r"x\.y:strict=true:match=ignore: separate options with a co"),
        ("threshold=1:2", r"expected a number \| null\. Separate options with a comma\."),
        ("strict", r"x\.y:strict: the value is missing"),
        ("strikt=true", r"unknown option 'strikt' of the metric .* Did you mean 'strict'\?"),
        ("compare=f", "unknown option 'compare'"),
    ],
)
def test_a_malformed_or_unknown_option_is_refused_with_a_hint(given: str, problem: str) -> None:
    with pytest.raises(InvalidSettings, match=problem):
        parse_options("x.y", given, metric_options)


def test_a_missing_required_option_is_asked_for() -> None:
    def python(*_: Any, weigh: Callable[[], int]) -> float:
        raise NotImplementedError

    with pytest.raises(InvalidSettings, match=r"x\.y requires tool\. Write x\.y:tool="):
        parse_options("x.y", None, needy)
    with pytest.raises(InvalidSettings, match=r"x\.y requires weigh, which only Python can pass\."):
        parse_options("x.y", None, python)


ALL = [
    pytest.param(function, id=f"{peer.name}.{name}")
    for peer in metric_providers()
    for name, function in peer.metrics.items()
]


@pytest.mark.parametrize("function", ALL)
def test_every_word_or_number_that_a_metric_takes_can_be_told_by_text(
    function: Callable[..., float | None],
) -> None:
    parameters = inspect.signature(function).parameters.values()
    simple = {
        parameter.name
        for parameter in parameters
        if isinstance(parameter.default, bool | int | float | str)
    }

    assert simple <= {option.name for option in options_of(function)}


@pytest.mark.parametrize("function", ALL)
def test_every_required_option_of_a_metric_can_be_given_as_text(
    function: Callable[..., float | None],
) -> None:
    assert not any(option.is_required for option in python_options_of(function))


@pytest.mark.parametrize("known_for", headline_metrics(), ids=lambda metric: metric.name)
def test_a_headline_metric_has_no_required_options(known_for: Metric) -> None:
    assert not any(option.is_required for option in options_of(known_for.function))


def test_the_calls_of_all_turns_are_given_as_one_list_and_never_a_state() -> None:
    state = ToolCall("end_state", {"x": 1}, kind="state")
    seen: list[Any] = []

    def see(*sides: Any) -> int:
        seen.extend(sides)
        return 1

    kept = Metric("x.y", see, {})

    number = kept.of(
        (Group("turn", (F,)), Group("turn", ()), Group("turn", (F,)), state), (F, state)
    )

    assert number == 1
    assert [tuple(side) for side in seen] == [(F, F), (F,)]
    with pytest.raises(NotScorable, match="the case expects a state, and says nothing about calls"):
        kept.of((state,), (F, state))
    with pytest.raises(NotScorable, match="contains groups"):
        kept.of((Group("turn", (Group("optional", (F,)),)),), (F,))
