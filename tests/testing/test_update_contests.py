"""Where those who expect something at the same place do not agree, nothing is rewritten."""

from __future__ import annotations

import pytest

from callscore.rewriting.change import Change
from callscore.rewriting.observed import location_key
from callscore.testing.item_record import EvaluationKey, ItemRecord
from callscore.testing.update import conflicting_changes


def _told(made: str | None, variant: str | None = None, case: str = "a") -> ItemRecord:
    """What is told of a case for which this was called; what is expected, where it is None."""
    about = EvaluationKey(
        name="x", place="eval_x.py:1", variant=variant, settings={}, thresholds={}
    )
    change = Change(label="x", files=("f.yaml",), case=case, items=({"name": made or ""},))
    if made is None:
        return ItemRecord(about=about, case=case, confirmed=(location_key(change),))
    return ItemRecord(about=about, case=case, changes=(change,))


@pytest.mark.parametrize(
    ("told", "problems"),
    [
        ([_told("g"), _told("g")], []),
        ([_told("g"), _told("h", case="b"), _told(None, case="c")], []),
        ([_told("g"), _told("h")], ["what is called there differs from time to time."] * 2),
        ([_told("g", "z"), _told("h", "y")], ["the variants y and z differ."] * 2),
        ([_told("g"), _told(None)], ["what is expected there is right at other times."]),
        ([_told("g", "z"), _told(None, "y")], ["what is expected there is right for the variant y."]),
        (
            [_told("g", "z"), _told(None, "y"), _told(None, "x")],
            ["what is expected there is right for the variants x and y."],
        ),
        (
            [_told("g", "z"), _told(None, "z"), _told(None, "y")],
            ["what is expected there is right at other times."],
        ),
    ],
)  # fmt: skip
def test_changes_are_refused_where_somebody_else_would_be_wrong(
    told: list[ItemRecord], problems: list[str]
) -> None:
    assert [each.problem for each in conflicting_changes(told)] == problems


def test_a_test_that_is_no_question_may_contest_itself() -> None:
    change = Change(label="x", files=("f.py",), kind="call", line=3)

    (refused,) = conflicting_changes(
        [ItemRecord(changes=(change,), confirmed=(location_key(change),))]
    )

    assert refused.change == change
