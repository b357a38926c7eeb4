"""The JSON document of a run, which is the same however its cases were encoded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.encoders import nested
from tests.reports.runs import MIXED

from callscore.core.call import ToolCall
from callscore.core.results import CaseScore, EvaluationResults, MetricValue, Results, RunResults
from callscore.core.scoring import score_calls
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary
from callscore.reports.run_json import write_json
from callscore.words.plain_data import run_to_dict
from callscore.words.value_text import json_document

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=8,
)


def _case(name: str, value: Any, other: Any = None) -> CaseScore:
    expected = [ToolCall("search", {"value": value}), ToolCall("lost")]
    actual = [ToolCall("search", {"value": other}), ToolCall("more", {"cases": []})]
    return CaseScore(
        id=name,
        tags=(name,),
        metrics=(MetricValue("accuracy", 0.5, "why"),),
        score=score_calls(tuple(expected), tuple(actual), DEFAULT),
    )


def _run(*groups: list[CaseScore]) -> RunResults:
    return RunResults(
        id='\n      "cases": []',
        evaluations=tuple(
            [
                EvaluationResults(
                    name=f"evaluation {number}",
                    place="eval_a.py",
                    results=Results(summary=Summary(), settings=DEFAULT, cases=tuple(cases)),
                )
                for number, cases in enumerate(groups)
            ]
        ),
    )


@given(st.lists(st.lists(st.tuples(st.text(), VALUES, VALUES), max_size=3), max_size=3))
def test_the_document_is_that_of_the_plain_data(
    groups: list[list[tuple[str, Any, Any]]],
) -> None:
    run = _run(*[[_case(*each) for each in group] for group in groups])

    assert write_json(run) == json_document(run_to_dict(run))
    assert write_json(run, lang="ru") == json_document(run_to_dict(run, lang="ru"))


@pytest.mark.parametrize("depth", [80, 88, 89, 90, 91, 92, 93, 94, 96, 98, 100, 150])
def test_what_is_nested_too_deeply_is_text_from_the_same_level_on(depth: int) -> None:
    run = _run([_case("deep", nested(depth), 1)], [])

    assert write_json(run) == json_document(run_to_dict(run))


def test_a_run_with_everything_is_the_same() -> None:
    assert write_json(MIXED) == json_document(run_to_dict(MIXED))


def test_half_of_a_surrogate_pair_is_escaped() -> None:
    run = _run([_case("\ud800", "\udc00", {"\ud800": 1})])

    assert write_json(run) == json_document(run_to_dict(run))
