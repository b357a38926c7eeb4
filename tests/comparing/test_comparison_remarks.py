"""What should be known about a comparison besides its numbers."""

from __future__ import annotations

from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, an_error

from callscore.comparing.comparison import comparison_notes, with_evaluation
from callscore.comparing.matching import match_sides
from callscore.comparing.sides import EvaluationSide, Side
from callscore.core.phrases import Note, Phrase

UNEVEN = (
    "cases that one run tried more often than the other: 1 (up to {before} and {after} times); "
    "as many trials are compared as both have, the first ones"
)
BEFORE, AFTER = a_side(True, label="main"), a_side(True, label="latest")


def notes(before: Side, after: Side) -> list[str]:
    found = list(comparison_notes(before, after, match_sides(before, after)))
    assert all(note.text("ru") for note in found)
    return [note.text("en") for note in found]


def test_of_two_runs_of_one_suite_nothing_is_to_be_said() -> None:
    assert notes(BEFORE, AFTER) == []


def test_two_variants_of_one_run_are_not_the_same() -> None:
    small, large = (
        Side(label=f"main:{variant}", run="k3f9", evaluations=(variant_of(variant),))
        for variant in ("small", "large")
    )

    assert notes(small, large) == []


def variant_of(variant: str) -> EvaluationSide:
    return EvaluationSide(name="weather", variant=variant, cases=(a_case("a", True),))


def test_a_run_that_did_not_end_is_told() -> None:
    assert notes(BEFORE, replace(AFTER, is_finished=False)) == ["latest did not come to its end"]


def test_other_rules_than_before_are_told() -> None:
    before, after = (
        Side(label="x", evaluations=(EvaluationSide(name="weather", settings=settings),))
        for settings in ("one", "two")
    )

    [note] = notes(before, after)

    assert note.startswith("weather: the settings or the scorers are others than before")


def test_an_evaluation_that_one_run_has_is_told() -> None:
    both = [EvaluationSide(name="a"), EvaluationSide(name="b")]
    more = [*both, EvaluationSide(name="c")]

    before = a_side(label="main", evaluations=more)
    after = a_side(label="latest", evaluations=both)

    assert notes(before, after) == ["only main has c"]
    assert notes(after, before) == ["only main has c"]


def test_evaluations_of_other_names_that_are_taken_for_one_are_told() -> None:
    before, after = (
        Side(
            label=label,
            run=label,
            evaluations=(EvaluationSide(name=name, cases=(a_case("a", True),)),),
        )
        for label, name in (("main", "weather"), ("latest", "forecast"))
    )

    assert notes(before, after) == [
        "weather and forecast are compared as one evaluation, though their names differ"
    ]
    # Whoever compares two files has just written their names.
    assert notes(replace(before, run=""), replace(after, run="")) == []


def test_what_has_no_answer_is_told() -> None:
    after = a_side(a_case("case-0", an_error()), label="latest")

    assert notes(BEFORE, after) == ["latest: 1 without an answer, taken as not passed"]


def test_more_trials_than_before_and_ids_that_repeat_are_told() -> None:
    after = a_side(a_case("case-0", True, True), a_case("case-0", True), label="latest")

    assert notes(BEFORE, after) == [
        UNEVEN.format(before=1, after=3),
        "cases whose id is there twice count as one case: 1",
    ]


def test_a_note_may_be_about_one_evaluation() -> None:
    note = Note(Phrase("{scorer} is low", "{scorer}: мало"), {"scorer": "tone"})

    assert with_evaluation("weather", note).text("en") == "weather: tone is low"
    assert with_evaluation("weather", note).text("ru") == "weather: tone: мало"
