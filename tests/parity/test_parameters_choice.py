"""An option that is one of a few words."""

from __future__ import annotations

from typing import Any

import pytest

from callscore import InvalidSettings
from callscore.parity import (
    agentevals,
    autoevals,
    azure,
    bfcl,
    evalite,
    google_adk,
    pydantic_evals,
    ragas,
    spring_ai_ragas,
    strands,
)
from callscore.parity.parameters import option_value


def test_a_word_has_its_meaning() -> None:
    assert option_value("order", "any", {"any": 1, "exact": 2}) == 1


@pytest.mark.parametrize("word", ["al", None, ["any"]], ids=repr)
def test_any_other_word_is_an_error_that_names_them_all(word: Any) -> None:
    with pytest.raises(InvalidSettings, match=r"order is .*; it can be any, exact"):
        option_value("order", word, {"any": 1, "exact": 2})


@pytest.mark.parametrize(
    ("function", "option"),
    [
        (agentevals.trajectory_match, "trajectory_match_mode"),
        (agentevals.trajectory_match, "tool_args_match_mode"),
        (autoevals.list_contains, "pairwise_scorer"),
        (azure.navigation_match, "matching_mode"),
        (bfcl.valid, "test_category"),
        (evalite.tool_call_accuracy, "mode"),
        (google_adk.trajectory, "match_type"),
        (pydantic_evals.trajectory_match, "order"),
        (ragas.string_similarity, "distance_measure"),
        (spring_ai_ragas.tool_call_accuracy, "mode"),
        (strands.in_order, "items"),
    ],
    ids=lambda value: getattr(value, "__module__", value),
)
def test_no_metric_takes_a_word_that_it_does_not_know(function: Any, option: str) -> None:
    with pytest.raises(InvalidSettings, match=f"{option} is 'sideways'; it can be"):
        function("a", "b", **{option: "sideways"})
