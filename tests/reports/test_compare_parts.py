"""The parts of a comparison as every report shows them."""

from __future__ import annotations

from msgspec.structs import replace
from tests.reports.comparisons import NOTHING_NEW, REGRESSED

from callscore.comparing.changes import CaseChange
from callscore.comparing.differences import Difference, Slice
from callscore.reports.compare import (
    case_names,
    change_rows,
    changed_slices,
    has_several_evaluations,
    slice_name,
    slices_by_kind,
)


def test_a_case_that_was_asked_once_says_nothing_of_trials() -> None:
    oslo, refund, hello = change_rows(REGRESSED.changed("broken"), "en")

    assert (oslo.trials, oslo.f1, oslo.remarks) == ("", "100.0% → 50.0%", "")
    assert refund.remarks == "forbidden call, schema error"
    assert hello.trials == "3/3 → 1/3"
    assert (
        hello.remarks == "no answer: timeout: no answer within 60 seconds, expects something else"
    )


def test_an_f1_that_is_the_same_is_not_said() -> None:
    (row,) = change_rows(REGRESSED.changed("changed"), "en")
    (gone,) = change_rows([CaseChange(kind="broken", evaluation="", case="", f1=(1.0, None))], "en")

    assert (row.f1, row.remarks) == ("", "other calls")
    assert gone.f1 == "100.0% → –"  # noqa: RUF001  (the dash for no number)


def test_evaluations_are_named_where_there_are_several() -> None:
    assert has_several_evaluations(REGRESSED)
    assert not has_several_evaluations(NOTHING_NEW)
    several = replace(REGRESSED, changes=REGRESSED.changed("fixed"))  # of one evaluation alone
    assert has_several_evaluations(several)
    (row,) = change_rows(several.changes, "en", has_evaluation=True)
    assert row.case == "assistant::book-a-table"


def test_where_one_evaluation_was_compared_its_name_is_not_repeated() -> None:
    names = ["assistant::a", "other::b", "c"]

    assert case_names(names, NOTHING_NEW) == ["a", "other::b", "c"]
    assert case_names(names, REGRESSED) == names


def test_tools_and_tags_stand_apart() -> None:
    slices = (*REGRESSED.tags, *REGRESSED.tools)

    kinds = [[part.kind for part in group] for group in slices_by_kind(slices)]

    assert kinds == [["tool", "tool"], ["tag", "tag"]]
    assert slices_by_kind(REGRESSED.tags) == [list(REGRESSED.tags)]


def test_slices_that_moved_come_the_surest_first() -> None:
    names = [slice_name(part, "en") for part in changed_slices(REGRESSED)]

    assert names == ["tool get_weather", "tag weather", "tag smoke"]
    assert slice_name(REGRESSED.tags[0], "ru", write=str.upper) == "тег SMOKE"


def test_of_slices_that_are_as_sure_the_larger_difference_comes_first() -> None:
    def part(name: str, after: float | None) -> Slice:
        found = Difference(measure="passed", cases=3, before=0.5, after=after, down=1)
        return Slice(kind="tag", name=name, difference=found)

    comparison = replace(NOTHING_NEW, tags=(part("a", None), part("b", 0.4), part("c", 0.1)))

    assert [each.name for each in changed_slices(comparison)] == ["c", "b", "a"]
