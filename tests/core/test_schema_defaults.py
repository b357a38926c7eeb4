"""Defaults of schemas: each pair is decided for itself, whatever else was called."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import callscore
from callscore import Score

VALUES = st.integers(1, 2)
ARGUMENTS = st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES})
CALLS = st.lists(st.tuples(st.just("f"), ARGUMENTS), max_size=3)
MODES = st.sampled_from([{"mode": "strict"}, {"mode": "flexible", "argument_match_threshold": 0.5}])
TOOLS = [{"name": "f", "parameters": {"properties": {"b": {"default": 1}}}}]


def scored(expected: Any, actual: Any, mode: dict[str, Any], **settings: Any) -> Score:
    return callscore.score(expected, actual, tools=TOOLS, **mode, **settings)


@examples(max_examples=300)
@given(CALLS, CALLS, MODES, st.sampled_from(["ignore", "count"]))
def test_a_default_never_lowers_the_score(
    expected: list[Any], actual: list[Any], mode: dict[str, Any], extra: str
) -> None:
    equal = scored(expected, actual, mode, extra_arguments=extra, schema_defaults="equal")

    assert equal.f1 >= scored(expected, actual, mode, extra_arguments=extra).f1


@examples(max_examples=300)
@given(CALLS, CALLS, MODES)
def test_counting_extra_arguments_is_never_looser(
    expected: list[Any], actual: list[Any], mode: dict[str, Any]
) -> None:
    counted = scored(expected, actual, mode, extra_arguments="count", schema_defaults="equal")

    assert counted.f1 <= scored(expected, actual, mode, schema_defaults="equal").f1


@examples(max_examples=300)
@given(st.tuples(st.just("f"), ARGUMENTS), CALLS, CALLS, MODES)
def test_a_pair_is_graded_like_the_same_pair_alone(
    wanted: Any, before: list[Any], after: list[Any], mode: dict[str, Any]
) -> None:
    calls = [*before, *after] or [("f", {})]

    whole = scored([wanted] * len(calls), calls, mode, order="exact", schema_defaults="equal")

    alone = [scored([wanted], [call], mode, schema_defaults="equal").f1 for call in calls]
    correct = {pair.actual_index for pair in whole.correct}
    assert [float(at in correct) for at in range(len(calls))] == alone


@examples(max_examples=300)
@given(CALLS, CALLS)
def test_many_calls_are_paired_by_the_same_rule_as_few(
    expected: list[Any], actual: list[Any]
) -> None:
    mode = {"mode": "flexible", "argument_match_threshold": 0.5}
    others = [("f", {"c": 9, "d": number}) for number in range(9)]  # for which an index is built

    few = scored(expected, actual, mode, schema_defaults="equal")
    many = scored([*expected, *others], [*actual, *others], mode, schema_defaults="equal")

    assert len(many.correct) >= len(few.correct) + len(others)
