"""Scorers: by name, as functions, and what becomes of one that goes wrong."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET

from callscore import Case, Tool, ToolCall, expect, score
from callscore.errors import InvalidSettings, NotScorable
from callscore.evaluations.scorers import (
    scorer_of,
    scorer_value,
    scorers_from,
)

if TYPE_CHECKING:
    from callscore.core.results import MetricValue

WEATHER = ToolCall("getWeather", {"location": "Paris"})
TOOLS = {"getWeather": Tool("getWeather", parameters={"type": "object"})}


def given(**changed: Any) -> dict[str, Any]:
    expected, calls = (WEATHER,), (WEATHER, ToolCall("other", {}))
    return {
        "case": Case("What?", id="a"),
        "input": "What?",
        "output": {"role": "assistant"},
        "calls": calls,
        "expected": expected,
        "score": score(expected, calls, tools=TOOLS),
        "tools": TOOLS,
        **changed,
    }


def value(scorer: Any, **changed: Any) -> MetricValue:
    return asyncio.run(scorer_value(scorer_of(scorer), given(**changed)))


def said(scorer: Any, **changed: Any) -> tuple[float | None, str | None]:
    found = value(scorer, **changed)
    assert not found.is_broken
    return found.value, found.reason


def complaint(scorer: Any, **changed: Any) -> str:
    found = value(scorer, **changed)
    assert found.is_broken
    assert found.value is None
    return found.reason or ""


def test_the_schemas_say_whether_parameters_are_valid_whatever_is_expected() -> None:
    named = "parameters_valid"

    assert said(named, score=None, expected=UNSET) == (0.5, None)
    assert said(named, score=None, expected=UNSET, calls=()) == (1.0, None)
    assert said(named, score=None, expected=UNSET, tools=None) == (
        None,
        "the tool definitions are unknown.",
    )


def test_a_schema_that_cannot_be_used_breaks_what_goes_by_it() -> None:
    tools = {"getWeather": Tool("getWeather", parameters={"type": "nothing"})}

    assert "no score: " in complaint("parameters_valid", score=None, tools=tools)


def test_a_metric_of_another_tool_is_a_scorer() -> None:
    number, reason = said("ragas.tool_call_f1")

    assert number == 0.6667  # as that tool rounds it
    assert reason is None


def test_a_metric_of_another_tool_says_why_it_has_no_number() -> None:
    from callscore import expect

    assert said("ragas.tool_call_f1", expected=UNSET) == (
        None,
        "no expected calls given.",
    )
    number, reason = said("ragas.tool_call_f1", expected=(expect.forbid("x"),))
    assert number is None
    assert reason == "the expectation contains groups, which other tools do not support."


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("acuracy", "unknown scorer 'acuracy'. Did you mean 'accuracy'?"),
        ("beauty", "Choose from: accuracy, f1, precision"),
        ("ragas.tool_call_f2", "unknown metric 'ragas.tool_call_f2'"),
        (7, "7 is not a name or a function"),
    ],
)
def test_an_unknown_scorer_is_refused(name: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings, match="scorers: ") as caught:
        scorer_of(name)

    assert problem in str(caught.value)


def test_a_metric_of_which_less_is_better_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="lower is better"):
        scorer_of("tool_scorer.redundant_rate")


def test_a_function_is_given_what_it_asks_for_by_name() -> None:
    def judged(
        output: Any, expected: Any, calls: Any, tools: Any = None, *, strict: int = 2
    ) -> bool:
        return bool(
            output == {"role": "assistant"} and expected and calls and tools and strict == 2
        )

    scorer = scorer_of(judged)

    assert (scorer.name, scorer.takes) == ("judged", ("output", "expected", "calls", "tools"))
    assert said(judged) == (1.0, None)


def test_a_function_may_be_async_or_give_something_to_await() -> None:
    async def later(input: str) -> float:  # noqa: A002  (as people write it)
        await asyncio.sleep(0)
        return len(input) / 10

    assert said(later) == (0.5, None)
    assert said(lambda input: later(input)) == (0.5, None)  # noqa: A006, PLW0108  (likewise)


@pytest.mark.parametrize(
    ("answer", "number", "reason"),
    [
        (True, 1.0, None),
        (0.25, 0.25, None),
        ((0.5, "half of it"), 0.5, "half of it"),
        ([1, "all"], 1.0, "all"),
        ((None, "nothing to see"), None, "nothing to see"),
        (None, None, None),
        (1 + 1e-12, 1.0, None),
        (-1e-12, 0.0, None),
    ],
)
def test_the_return_value_of_a_scorer_function_becomes_a_number_and_a_reason(
    answer: Any, number: float | None, reason: str | None
) -> None:
    assert said(lambda: answer) == (number, reason)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("good", "the metric returned a value of type str, not a number."),
        ({"value": 0.5}, "the metric returned a value of type dict, not a number."),
        (float("nan"), "the metric returned nan, which cannot be compared."),
        (5, "it returned 5, which is not a number from 0 to 1."),
    ],
)
def test_a_function_that_returns_no_number_from_0_to_1_is_broken(answer: Any, reason: str) -> None:
    assert complaint(lambda: answer) == reason


def test_a_function_may_say_that_it_has_no_number() -> None:
    def careful() -> float:
        raise NotScorable("there is no text.")

    assert said(careful) == (None, "there is no text.")


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (
            lambda outputs: outputs,
            "<lambda> has the unusable parameter 'outputs'. Did you mean 'output'?",
        ),
        (lambda x: x, "<lambda> has the unusable parameter 'x'. Choose from: case, input, output"),
        (lambda score, /: score, "<lambda> has the unusable parameter 'score'"),
        (dict.fromkeys, "fromkeys has the unusable parameter"),
    ],
)
def test_a_function_that_wants_what_nobody_has_is_refused(function: Any, problem: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        scorer_of(function)

    assert problem in str(caught.value)


class Careful:
    """A scorer with a memory."""

    def __call__(self, calls: Any) -> float:
        return len(calls) / 4


def test_objects_and_partials_have_names_as_well() -> None:
    def near(calls: Any, bound: int) -> bool:
        return len(calls) <= bound

    assert scorer_of(Careful()).name == "Careful"
    assert said(Careful()) == (0.5, None)
    assert scorer_of(partial(near, bound=2)).name == "near"
    assert said(partial(near, bound=1)) == (0.0, None)


def test_two_scorers_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="two scorers are named 'exact'"):
        scorers_from(["exact", "exact"])


def test_no_scorers_at_all_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="the list is empty"):
        scorers_from([])


def test_turns_have_a_mean_and_a_minimum() -> None:
    expected = [expect.turn("a"), expect.turn("b")]
    right = [ToolCall("a", {}, turn=0), ToolCall("c", {}, turn=1)]

    scored = score(expected, right)

    assert said("turn_mean", score=scored) == (0.5, None)
    assert said("turn_min", score=scored) == (0.0, None)
    for name in ("turn_mean", "turn_min"):
        number, reason = said(name)
        assert (number, reason) == (
            None,
            "the case has no turns, or the trace does not say where they begin.",
        )


def test_the_state_is_right_or_not_or_a_share_of_it_is() -> None:
    states = {"x": 1, "y": 2}, {"x": 1, "y": 3}

    def of(actual: Any, **options: Any) -> Any:
        return said(
            "state",
            score=score(None, ["a"], expected_state=states[0], actual_state=actual, **options),
        )

    assert of(states[0]) == (1.0, None)
    assert of(states[1]) == (0.0, None)
    assert of(None) == (0.0, None)
    assert of(states[1], mode="flexible") == (0.5, None)
    assert said("state") == (None, "the case has no expected state.")
    assert said("state", score=score([], [])) == (None, "the case has no expected state.")
