"""Pairs and differences as a run has kept them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from tests.reports.kept_cases import AS_KEPT, COMPARISON

from callscore.core.results import KeptScore
from callscore.reports.case import stored_call_lines
from callscore.words.diff import plain_text

TRIAL = AS_KEPT.trials[0]


def lines_of(comparison: Any, expected: list[Any] | None = None) -> list[str]:
    trial = replace(TRIAL, kept=KeptScore(comparison=comparison))
    return plain_text(stored_call_lines(trial, expected, width=60, lang="en")).splitlines()


def test_every_call_has_its_mark() -> None:
    assert [line[0] for line in lines_of(COMPARISON, AS_KEPT.expected)] == [*"~  =-+!"]


def test_calls_that_the_comparison_tells_itself_are_taken() -> None:
    told = {
        "pairs": [[0, 0, True]],
        "missed": [1],
        "expected": [{"name": "a"}, {"name": "b", "arguments": {"x": 1}}],
        "actual": [{"name": "a", "arguments": {}}],
    }

    assert lines_of(told) == ["= a()", "- b(x=1)"]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"name": "b"}, "- b(…)"),
        ({"any_order": [{"name": "b"}]}, '- {"any_order": [{"name": "b"}]}'),
        ("b", '- "b"'),
    ],
)
def test_what_is_expected_is_shown_as_it_is_spelled(item: Any, text: str) -> None:
    assert lines_of({"missed": [0]}, [item]) == [text]


def test_positions_that_lead_nowhere_are_no_error() -> None:
    nowhere = {"pairs": [[0, 9, True]], "missed": [7, -1], "extra": [8]}

    assert lines_of(nowhere) == ["= ?", "- ?", "- ?", "+ ?"]


@pytest.mark.parametrize("comparison", [None, {}, {"pairs": 7}, {"differences": [1]}])
def test_what_nobody_can_read_has_no_lines(comparison: Any) -> None:
    assert lines_of(comparison) == []
