"""What a run gave, put together as people read it."""

from __future__ import annotations

from msgspec.structs import replace
from tests.reports.runs import FINE, MIXED, VARIANTS

from callscore.core.results import RunResults
from callscore.reports.run import (
    evaluation_label,
    failure_groups,
    shown_cases,
    unnamed_errors,
    variant_groups,
)


def test_the_variants_of_an_evaluation_belong_together() -> None:
    run = RunResults(evaluations=(*VARIANTS.evaluations, *FINE.evaluations))

    assert [len(group) for group in variant_groups(run)] == [3, 1]


def test_evaluations_of_one_name_in_two_files_are_two() -> None:
    first = FINE.evaluations[0]
    run = RunResults(evaluations=(first, replace(first, place="elsewhere.py")))

    assert [len(group) for group in variant_groups(run)] == [1, 1]


def test_an_evaluation_alone_needs_no_name_beside_its_cases() -> None:
    assert evaluation_label(FINE, FINE.evaluations[0]) == ""
    assert evaluation_label(VARIANTS, VARIANTS.evaluations[2]) == "assistant [small]"


def test_cases_are_shown_with_and_without_expectations() -> None:
    assert [(shown.case.label, shown.passed) for shown in shown_cases(MIXED)] == [
        ("what-is-the-weather-in-paris", False),
        ("promise-me-a-refund", False),
    ]


def test_errors_that_say_the_same_are_said_once() -> None:
    first, second = failure_groups(MIXED)

    assert (first.kind, first.attempts, len(first.failures)) == ("timeout", 3, 1)
    assert [failure.case for failure in second.failures] == ["book-a-table", "book-another-table"]


def test_errors_beyond_the_first_are_counted() -> None:
    assert unnamed_errors(MIXED.evaluations) == 1
