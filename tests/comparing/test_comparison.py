"""What a comparison says of itself."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.comparing.sides_made_up import a_case, a_side, an_error, scored

from callscore.comparing.changes import CaseChange
from callscore.comparing.comparison import (
    Comparison,
    SideSummary,
    compare_sides,
    comparison_notes,
    comparison_to_dict,
    gate_to_dict,
    with_evaluation,
)
from callscore.comparing.differences import Difference
from callscore.comparing.gating import gate
from callscore.comparing.sides import EvaluationSide, Side, match_sides
from callscore.core.phrases import Note, Phrase
from callscore.core.results import Noted
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.comparing.sides import CaseOutcome


def test_a_comparison_gives_its_changes_by_kind_and_its_verdict() -> None:
    broken = CaseChange(kind="broken", evaluation="weather", case="a")
    fixed = CaseChange(kind="fixed", evaluation="weather", case="b")

    found = Comparison(
        before=SideSummary(label="main"),
        after=SideSummary(label="latest"),
        main=Difference(measure="passed", cases=2, before=0.5, after=0.75, verdict="no evidence"),
        changes=(broken, fixed),
    )

    assert found.verdict == "no evidence"
    assert found.main.change == 0.25
    assert (found.changed("broken"), found.changed("fixed")) == ((broken,), (fixed,))
    assert found.to_dict()["verdict"] == "no evidence"


# Two runs, case by case, from what the history holds to the verdict.

LOW = Note(Phrase("{scorer} is low", "{scorer}: мало"), {"scorer": "tone"})


def test_a_run_that_broke_a_tenth_of_two_hundred_cases_regressed() -> None:
    before, after = a_side(*[True] * 200), a_side(*[False] * 20, *[True] * 180)

    found = compare_sides(before, after)

    assert (found.verdict, found.main.measure, found.main.cases) == ("regressed", "passed", 200)
    assert [change.case for change in found.changed("broken")][:2] == ["case-0", "case-1"]
    assert (len(found.changes), found.same) == (20, 180)


def test_each_run_is_told_in_a_few_words() -> None:
    before = replace(
        a_side(True, a_case("b", an_error(), an_error()), label="main"),
        run="k3f9",
        command="run",
        started_at=5.0,
        git_commit="abc",
        git_dirty=True,
        is_finished=False,
    )

    found = compare_sides(before, a_side(True)).before

    assert (found.label, found.run, found.command, found.started_at) == ("main", "k3f9", "run", 5.0)
    assert (found.git_commit, found.git_dirty, found.is_finished) == ("abc", True, False)
    assert (found.cases, found.errors, found.below) == (2, 2, ())


def test_missed_thresholds_name_their_evaluation_where_there_are_several() -> None:
    one, two = (EvaluationSide(name=name, below=(LOW,)) for name in ("a", "b"))

    alone = compare_sides(a_side(True), a_side(evaluations=[one])).after
    several = compare_sides(a_side(True), a_side(evaluations=[one, two])).after

    assert [note.text("en") for note in alone.below] == ["tone is low"]
    assert [note.text("en") for note in several.below] == ["a: tone is low", "b: tone is low"]


def test_cases_that_cannot_be_compared_are_counted_and_named() -> None:
    before = a_side(*(a_case(name, name != "open") for name in ("gone", "lost", "both")))
    before = a_side(*before.evaluations[0].cases, a_case("open", None))
    after = a_side(*(a_case(name, True) for name in ("new", "open", "both")), a_case("lost", None))

    found = compare_sides(before, after)

    assert found.only_before == Noted(1, ("weather::gone",))
    assert found.only_after == Noted(1, ("weather::new",))
    assert found.undecided == Noted(2, ("weather::open", "weather::lost"))
    assert found.lost == Noted(1, ("weather::lost",))
    assert (found.main.cases, found.in_common) == (1, 3)
    assert found.evaluations == ("weather",)


def test_no_case_in_common_is_another_thing_than_no_number_in_common() -> None:
    nothing = compare_sides(a_side(a_case("a", True)), a_side(a_case("b", True)))
    no_number = compare_sides(a_side(a_case("a", None)), a_side(a_case("a", None)))

    assert (nothing.main.cases, nothing.in_common) == (0, 0)
    assert (no_number.main.cases, no_number.in_common) == (0, 1)


def test_trials_that_only_one_run_has_make_no_difference() -> None:
    lucky = [a_case(f"{number}", True) for number in range(200)]
    often = [a_case(f"{number}", *[True] * 9, False) for number in range(200)]

    found = compare_sides(a_side(*lucky), a_side(*often))

    assert (found.verdict, found.main.change, found.main.down) == ("no evidence", 0, 0)


def test_of_many_names_the_first_are_given() -> None:
    found = compare_sides(a_side(*[True] * 50), a_side(a_case("other", True)))

    assert found.only_before.count == 50
    assert len(found.only_before.names) == 20


def test_other_expectations_and_other_inputs_are_told_apart() -> None:
    cases = [a_case(name, True) for name in "abcd"]
    expected, asked = replace(cases[0], expectation="x"), replace(cases[1], asked="x")
    unknown = replace(cases[2], asked="")

    found = compare_sides(a_side(*cases), a_side(expected, asked, unknown, cases[3]))

    assert found.expectations_changed == Noted(1, ("weather::a",))
    assert found.inputs_changed == Noted(1, ("weather::b",))


def test_other_measures_stand_beside_the_one_that_decides() -> None:
    def case(name: str, f1: float, tone: float) -> CaseOutcome:
        values = (("accuracy", f1), ("tone", tone))
        return a_case(name, scored(f1 == 1, f1=f1, values=values))

    before = a_side(*(case(f"{number}", 1.0, 0.5) for number in range(10)))
    after = a_side(*(case(f"{number}", 0.5, 0.75) for number in range(10)))

    found = compare_sides(before, after, measure="tone")

    assert (found.main.measure, found.verdict) == ("tone", "improved")
    # What the scorer `accuracy` says is what F1 says, and is not repeated.
    assert [(other.measure, other.verdict) for other in found.others] == [
        ("passed", "regressed"),
        ("f1", "regressed"),
    ]


def test_a_measure_without_a_number_stands_nowhere() -> None:
    before = after = a_side(a_case("a", scored(f1=None, values=(("tone", None),))))

    assert compare_sides(before, after).others == ()


def test_an_unknown_measure_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="measure: unknown measure 'tune'"):
        compare_sides(a_side(True), a_side(True), measure="tune")


def test_slices_alarms_and_notes_are_there() -> None:
    right, wrong = (
        scored(tools={"search": counts}) for counts in ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0))
    )
    before = a_side(a_case("a", right, tags=("slow",)))
    after = replace(
        a_side(a_case("a", replace(wrong, forbidden=1), tags=("slow",))), is_finished=False
    )

    found = compare_sides(before, after)

    assert [each.name for each in found.tools] == ["search"]
    assert [each.name for each in found.tags] == ["slow"]
    assert [alarm.kind for alarm in found.alarms] == ["forbidden"]
    assert len(found.notes) == 1


outcomes = st.lists(
    st.tuples(st.sampled_from([True, False]), st.sampled_from([True, False])),
    min_size=2,
    max_size=60,
)


@given(outcomes)
def test_splitting_an_evaluation_changes_no_number(pairs: list[tuple[bool, bool]]) -> None:
    def side(place: int, cuts: list[int]) -> Side:
        cases = [a_case(f"{number}", pair[place]) for number, pair in enumerate(pairs)]
        edges = [0, *cuts, len(cases)]
        return a_side(
            evaluations=[
                EvaluationSide(name=f"{start}", cases=tuple(cases[start:end]))
                for start, end in pairwise(edges)
            ]
        )

    whole, parts = (compare_sides(side(0, cuts), side(1, cuts)) for cuts in ([], [len(pairs) // 2]))

    assert parts.main == whole.main
    assert parts.same == whole.same
    assert [(change.kind, change.case) for change in parts.changes] == [
        (change.kind, change.case) for change in whole.changes
    ]


@given(outcomes, st.integers(0, 1000))
def test_the_order_of_the_cases_changes_no_number(
    pairs: list[tuple[bool, bool]], seed: int
) -> None:
    cases = [
        (a_case(f"{number}", first, tags=("t",)), a_case(f"{number}", second))
        for number, (first, second) in enumerate(pairs)
    ]
    shuffled = Random(seed).sample(cases, len(cases))

    one = compare_sides(
        a_side(*(first for first, _ in cases)), a_side(*(last for _, last in cases))
    )
    other = compare_sides(
        a_side(*(first for first, _ in shuffled)), a_side(*(last for _, last in reversed(cases)))
    )

    assert (other.main, other.tags) == (one.main, one.tags)
    assert {change.case for change in other.changes} == {change.case for change in one.changes}


# Comparisons and gates as plain data.

BELOW = Note(Phrase("low", "мало"))


def test_everything_is_there_as_plain_data() -> None:
    before = a_side(a_case("a", True, tags=("\ud800",)), a_case("b", True), label="main")
    after = a_side(a_case("a", an_error(), tags=("\ud800",)), label="latest")
    comparison = compare_sides(before, after)

    found = comparison_to_dict(comparison)

    assert msgspec.json.decode(msgspec.json.encode(found)) == found
    assert found["verdict"] == "not enough data"
    assert found["counts"] == {"broken": 1, "fixed": 0, "changed": 0, "same": 0}
    assert found["only_before"] == {"count": 1, "names": ["weather::b"]}
    assert found["changes"] == [
        {
            "kind": "broken",
            "evaluation": "weather",
            "case": "a",
            "tags": ["\\ud800"],
            "before": {"passed": 1, "decided": 1, "f1": 1.0},
            "after": {"passed": 0, "decided": 1, "f1": None},
            "reasons": [{"kind": "no answer", "text": "it timed out"}],
            "is_expectation_changed": False,
        }
    ]
    assert found["tags"][0]["name"] == "\\ud800"
    assert found["tags"][0]["p_value"] is None
    assert found["main"]["change"] == -1.0
    assert set(found["main"]["interval"]) == {"low", "high"}
    assert found["main"]["smallest"] is None


def test_every_field_of_a_comparison_is_exported() -> None:
    comparison = compare_sides(a_side(True), a_side(False))

    found = comparison_to_dict(comparison)

    assert set(comparison.__struct_fields__) - {"same"} <= set(found)  # it is one of the counts
    fields = {*comparison.main.__struct_fields__, "change"} - {"required"}  # only for display
    assert fields == set(found["main"])
    assert set(comparison.after.__struct_fields__) == set(found["after"])


def test_sentences_are_said_in_the_language_that_is_asked_for() -> None:
    after = a_side(False)
    after = replace(
        after, is_finished=False, evaluations=(replace(after.evaluations[0], below=(BELOW,)),)
    )
    comparison = compare_sides(a_side(True), after)

    english, russian = (comparison_to_dict(comparison, lang=lang) for lang in ("en", "ru"))

    assert (english["after"]["below"], russian["after"]["below"]) == (["low"], ["мало"])
    assert english["notes"] == ["run: the run did not finish"]
    assert russian["notes"] != english["notes"]


def test_what_was_not_compared_has_no_numbers() -> None:
    found = comparison_to_dict(compare_sides(a_side(), a_side()))["main"]

    assert (found["cases"], found["interval"], found["change"]) == (0, None, None)


def test_a_gate_says_why() -> None:
    found = gate_to_dict(gate(compare_sides(a_side(True), a_side(False)), "broken"))

    assert (found["is_open"], found["is_doubtful"], found["fail_on"]) == (False, False, "broken")
    assert found["reasons"] == [
        {"kind": "large loss", "count": 1, "cases": [], "sides": []},
        {"kind": "broken", "count": 1, "cases": ["weather::case-0"], "sides": []},
    ]
    assert found["comparison"]["verdict"] == "not enough data"


# What should be known about a comparison besides its numbers.

UNEVEN = (
    "cases with different numbers of trials: 1 (up to {before} before, up to {after} after); "
    "the verdict is about the first trials, as many as both runs have, the lists about all"
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
    assert notes(BEFORE, replace(AFTER, is_finished=False)) == ["latest: the run did not finish"]


def test_other_rules_than_before_are_told() -> None:
    before, after = (
        Side(label="x", evaluations=(EvaluationSide(name="weather", settings=settings),))
        for settings in ("one", "two")
    )

    [note] = notes(before, after)

    assert note.startswith("weather: the settings or scorers of the two runs differ")


def test_an_evaluation_that_one_run_has_is_told() -> None:
    both = [EvaluationSide(name="a"), EvaluationSide(name="b")]
    more = [*both, EvaluationSide(name="c")]

    before = a_side(label="main", evaluations=more)
    after = a_side(label="latest", evaluations=both)

    assert notes(before, after) == ["c is only in main"]
    assert notes(after, before) == ["c is only in main"]


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
        "weather and forecast are compared as one evaluation under different names"
    ]
    # Whoever compares two files has just written their names.
    assert notes(replace(before, run=""), replace(after, run="")) == []


def test_what_has_no_answer_is_told() -> None:
    after = a_side(a_case("case-0", an_error()), label="latest")

    assert notes(BEFORE, after) == [
        "latest: errors (1) count as not passed, and as 0 in F1 and the scorers"
    ]


def test_a_side_has_the_counts_of_its_run() -> None:
    run = a_side(a_case("a", True, True), a_case("b", False, None), a_case("c", an_error(), True))
    unscored = a_side(a_case("a", an_error()))

    found = compare_sides(unscored, run)

    after = found.after
    assert (after.cases, after.variants, after.trials, after.is_repeated) == (3, 1, 6, True)
    assert (after.passed, after.failed, after.errors) == (3, 1, 1)
    assert after.f1 == (1 + 1 + 0 + 0 + 1) / 5
    assert found.before.f1 == 0.0


def test_more_trials_than_before_and_ids_that_repeat_are_told() -> None:
    after = a_side(a_case("case-0", True, True), a_case("case-0", True), label="latest")

    assert notes(BEFORE, after) == [
        UNEVEN.format(before=1, after=3),
        "duplicate case ids, each counted as one case: 1",
    ]


def test_a_note_may_be_about_one_evaluation() -> None:
    note = Note(Phrase("{scorer} is low", "{scorer}: мало"), {"scorer": "tone"})

    assert with_evaluation("weather", note).text("en") == "weather: tone is low"
    assert with_evaluation("weather", note).text("ru") == "weather: tone: мало"
