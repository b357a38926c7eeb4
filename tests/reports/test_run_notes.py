"""What should be known of an evaluation beside its numbers."""

from __future__ import annotations

from msgspec.structs import replace
from tests.reports.runs import FINE, MIXED, VARIANTS, WEATHER

from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.results import CaseTrials, Noted
from callscore.core.summary import Summary
from callscore.reports.run import group_notes

EACH = FINE.evaluations[0]


def test_what_is_fine_needs_no_notes() -> None:
    assert group_notes([EACH], "en") == []


def test_notes_name_what_has_no_number_and_what_was_left_out() -> None:
    assert group_notes(MIXED.evaluations[:1], "en") == [
        ("polite has no number for 5 cases", "the scorer raised KeyError: 'text'"),
        ("1 case skipped", "say-goodbye: the service is down on Sundays"),
    ]


def test_a_note_of_some_variants_names_them() -> None:
    assert group_notes(VARIANTS.evaluations, "en") == [
        ("claude-sonnet-4: 1 flaky case", "weather 2/3"),
        ("small: accuracy 0.667 is below 0.800", ""),
        ("small: 1 flaky case", "weather 1/3"),
    ]


def test_a_note_of_all_variants_is_said_once() -> None:
    group = [
        replace(each, skipped=Noted(1, ("draft",)), trials=(), scorers=())
        for each in VARIANTS.evaluations
    ]

    assert group_notes(group, "ru") == [("пропущено: 1 случай", "draft")]


def test_a_forbidden_call_is_said_first_and_that_no_call_counts_too() -> None:
    summary = Summary()
    summary.add(replace(WEATHER.score, forbidden=(1,)))
    ignored = (Ignored(ToolCall("get", {}), "actual", "read"),)
    nothing = replace(WEATHER.score, expected=(), actual=(), incorrect=(), ignored=ignored)
    summary.add(nothing)
    each = replace(EACH, results=replace(EACH.results, summary=summary))

    assert group_notes([each], "en") == [
        ("1 forbidden call, in 1 case: such a case scores 0", "calculator"),
        ("1 case: no call counts under these settings, so it passes", ""),
    ]


def test_flaky_cases_are_those_that_sometimes_pass() -> None:
    trials = (CaseTrials("a", 3, 3), CaseTrials("b", 3, 1), CaseTrials("c", 3, 0))

    assert group_notes([replace(EACH, trials=trials)], "en") == [("1 flaky case", "b 1/3")]
