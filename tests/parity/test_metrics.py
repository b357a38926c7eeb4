"""Metrics of other tools, given what a table cannot hold: functions, rules, depth, long numbers."""

from __future__ import annotations

import functools
from contextlib import suppress
from math import nan
from random import Random
from typing import Any

import pytest
from tests.parity.nesting import nested

from callscore import NotScorable, ToolCall, expect, parity
from callscore.core.call import Tool
from callscore.metrics.metric import Metric
from callscore.parity import (
    agentevals,
    autoevals,
    bfcl,
    deepeval,
    evalite,
    pydantic_evals,
    ragas,
    tau2,
    tau_bench,
    tool_scorer,
)

TOO_LONG = 10**5000
EVERY_METRIC = [
    pytest.param(metric, id=f"{tool}.{metric.__name__}")
    for tool in parity.TOOLS
    for metric in getattr(parity, tool).METRICS
]


def f(**arguments: Any) -> dict[str, Any]:
    return {"name": "f", "arguments": arguments}


@pytest.mark.slow
@pytest.mark.parametrize("metric", EVERY_METRIC)
@pytest.mark.parametrize("value", [nested, lambda: TOO_LONG], ids=["deep", "long"])
def test_any_value_has_a_number_or_a_reason_against_it(metric: Any, value: Any) -> None:
    expected, actual = ([ToolCall("f", {"a": value()})] for _ in range(2))

    with suppress(NotScorable):
        number = Metric("m", metric, {}).of(expected, actual)
        assert number is None or 0 <= number <= 1


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (agentevals.trajectory_match, {}),
        (agentevals.trajectory_match, {"tool_args_match_mode": "superset"}),
        (autoevals.json_diff, {}),
        (bfcl.valid, {}),
        (ragas.tool_call_accuracy, {}),
        (ragas.tool_call_f1, {}),
        (tau2.action_checks, {}),
        (tool_scorer.score, {}),
        (tool_scorer.argument_f1, {"strict": True}),
        (tool_scorer.tool_correctness_with_args, {}),
    ],
)
def test_arguments_nested_too_deeply_for_the_reproduced_tool_are_not_scored(
    metric: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(NotScorable):
        metric([f(a=nested())], [f(a=nested())], **options)
    with pytest.raises(NotScorable, match="too deep"):
        pydantic_evals.argument_correctness(f(a=nested()), [f(a=nested())])


@pytest.mark.parametrize("metric", [evalite.tool_call_accuracy, parity.tpmjs.tool_call_accuracy])
def test_metrics_of_javascript_tools_compare_arguments_at_any_depth(metric: Any) -> None:
    assert metric([f(a=nested())], [f(a=nested())]) == 1.0


@pytest.mark.parametrize(
    "metric", [parity.azure.navigation_match, deepeval.tool_correctness, tool_scorer.identical_rate]
)
def test_a_number_that_python_cannot_write_is_not_scored(metric: Any) -> None:
    with pytest.raises(NotScorable, match=r"JSON|cannot be written"):
        metric([f(a=1)], [f(a=TOO_LONG)])


def test_a_call_without_arguments_cannot_be_written_for_ragas() -> None:
    for metric in ragas.METRICS:
        with pytest.raises(NotScorable, match="without arguments"):
            metric([{"name": "f"}], [])


def test_nan_equals_itself_in_the_metrics_of_some_tools_only() -> None:
    call = [f(a=nan)]

    assert agentevals.trajectory_match(call, [f(a=float("nan"))]) is True
    assert agentevals.trajectory_match(call, call, tool_args_match_mode="superset") is False
    assert evalite.tool_call_accuracy(call, call, mode="exact") == 1.0
    assert evalite.tool_call_accuracy(call, [f(a=None)], mode="exact") == 0.5
    assert pydantic_evals.argument_correctness(call[0], call) is False
    assert tool_scorer.argument_f1(call, call) == 0.0
    assert autoevals.exact_match([f(a=None)], call) == 0.0
    with pytest.raises(NotScorable, match="not a number"):
        autoevals.list_contains(call, call, pairwise_scorer="json_diff")


def test_agentevals_gives_a_function_the_actual_arguments_first_but_last_in_mode_subset() -> None:
    overrides: Any = {"f": lambda given, wanted: given["a"] > wanted["a"]}

    assert {
        mode: agentevals.trajectory_match(
            [f(a=1)], [f(a=2)], trajectory_match_mode=mode, tool_args_match_overrides=overrides
        )
        for mode in ("strict", "superset", "subset", "unordered")
    } == {"strict": True, "superset": True, "subset": False, "unordered": False}


def test_ragas_gives_another_metric_the_expected_text_first() -> None:
    seen: list[tuple[str, str]] = []

    def note(expected: str, actual: str) -> float:
        seen.append((expected, actual))
        return 1.0

    assert ragas.tool_call_accuracy([f(a=1)], [f(a=2.0)], arg_comparison_metric=note) == 1.0
    assert seen == [("1", "2.0")]


def test_no_metric_of_tau_bench_is_asked_about_a_single_case() -> None:
    assert tau_bench.METRICS == ()


def test_toolscore_pairs_calls_of_one_tool_as_by_trying_everything() -> None:
    random = Random(5)
    for _ in range(150):
        expected, actual = ([_call(random) for _ in range(random.randint(1, 5))] for _ in range(2))
        found = tool_scorer.evaluate(expected, actual)
        assert found.argument.precision == _precision_by_trying(expected, actual)


def _call(random: Random) -> tuple[str, dict[str, int] | None]:
    keys = random.sample("abcd", random.randrange(5))
    return ("f", {key: random.randrange(2) for key in keys} if random.random() < 0.8 else None)


def _precision_by_trying(expected: list[Any], actual: list[Any]) -> float:
    """The precision by all pairings: most pairs, most right, then the first that goes without."""

    @functools.cache
    def best(row: int, used: frozenset[int]) -> tuple[int, int, tuple[int | None, ...]]:
        if row == len(expected):
            return 0, 0, ()
        pairs, right, rest = best(row + 1, used)
        found: tuple[int, int, tuple[int | None, ...]] = (pairs, right, (None, *rest))
        for column in sorted(set(range(len(actual))) - used):
            pairs, right, rest = best(row + 1, used | {column})
            right += len((expected[row][1] or {}).items() & (actual[column][1] or {}).items())
            if (pairs + 1, right) > found[:2]:
                found = (pairs + 1, right, (column, *rest))
        return found

    _, right, columns = best(0, frozenset())
    counted = sum(
        len(actual[column][1] or {})
        for (_, wanted), column in zip(expected, columns, strict=True)
        if column is not None and wanted is not None
    )
    if not counted and not any(wanted for _, wanted in expected):
        return 1.0
    return right / counted if counted else 0.0


# Rules of ours, and definitions of tools.


def test_rules_that_a_tool_does_not_have_are_not_scored() -> None:
    with pytest.raises(NotScorable, match=r"no rule \$regex"):
        bfcl.valid([f(a=expect.regex("x"))], [f(a="x")])
    with pytest.raises(NotScorable, match="which tau2-bench does not have"):
        tau2.action_checks([f(a=expect.regex("x"))], [f(a="x")])
    groups: Any = [expect.any_order("f")]
    with pytest.raises(NotScorable, match="groups"):
        tau2.action_checks(groups, [])
    with pytest.raises(NotScorable, match="matchers"):
        ragas.tool_call_accuracy([expect.call("f", a=expect.contains("x"))], [f(a="x")])


def test_alternatives_are_possible_answers_of_bfcl() -> None:
    expected = [f(a=expect.one_of(5, 2.5), b=expect.optional({"x": expect.one_of(1, 2)}))]

    assert bfcl.valid(expected, [f(a=5.0)])
    assert bfcl.valid(expected, [f(a=5, b={"x": 2})])
    assert not bfcl.valid(expected, [f(a=5, b={"x": 3})])
    assert not bfcl.valid(expected, [f(b={"x": 1})])


@pytest.mark.parametrize(
    ("schema", "accepted", "refused"),
    [
        ({"type": "number"}, 1.0, "1"),
        ({"type": ["null", "integer", "string"]}, 1, 1.5),
        ({"type": "array", "items": {"type": "number"}}, [1.0], ["x"]),
        ({"type": "object"}, {"x": 1}, [1]),
        ({"enum": [1]}, 1, 2),
        (True, 1, 2),
    ],
)
def test_a_definition_says_of_which_type_an_argument_of_bfcl_is(
    schema: Any, accepted: Any, refused: Any
) -> None:
    tools = {"f": Tool("f", parameters={"properties": {"a": schema}, "required": ["a"]})}

    assert bfcl.valid([f(a=accepted)], [f(a=accepted)], tools=tools)
    assert not bfcl.valid([f(a=accepted)], [f(a=refused)], tools=tools)


def test_of_several_definitions_for_bfcl_the_one_that_fits_the_answers_counts() -> None:
    options = [
        {"properties": {"b": {"type": "string"}}, "required": ["b"]},
        {"not": "a schema"},
        {"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"]},
        {"properties": {"a": {"type": "number"}, "b": {}}, "required": []},
    ]
    tools = {"f": Tool("f", parameters={"properties": {}, "anyOf": options})}
    expected = [f(a=1.5, b=expect.optional("x"))]

    assert bfcl.valid(expected, [f(a=1.5)], tools=tools)
    assert not bfcl.valid(expected, [f(b="x")], tools=tools)


def test_the_members_of_answers_tell_which_definition_for_bfcl_fits() -> None:
    arrays = {"type": "array", "items": {"type": "object"}}
    for kinds, value in (
        (["string", arrays], [{"x": expect.one_of(1, 2), "y": "z"}]),
        (["string", {"type": "object"}], {"x": expect.one_of(1, 2), "y": "z"}),
        ([{"type": "array", "items": {"type": "integer"}}, "integer"], expect.one_of([1], 5)),
    ):
        options = [
            {"properties": {"a": {"type": kind} if isinstance(kind, str) else kind}}
            for kind in kinds
        ]
        tools = {"f": Tool("f", parameters={"anyOf": options})}
        right: Any = 5 if not isinstance(value, list | dict) else {"x": 2, "y": "z"}
        given = [right] if isinstance(value, list) else right
        assert bfcl.valid([f(a=value)], [f(a=given)], tools=tools), value
        assert not bfcl.valid([f(a=value)], [f(a={"x": 3, "y": "z"})], tools=tools), value
