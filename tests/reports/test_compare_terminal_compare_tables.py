"""The tables of a comparison."""

from __future__ import annotations

import pytest
from tests.reports.comparisons import ATTACKED, REGRESSED

from callscore.core.rendering import display_width
from callscore.reports.compare import change_rows, changed_slices
from callscore.reports.compare_terminal import change_lines, measure_table, slice_table


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_of_cases_is_wider_than_the_terminal(width: int) -> None:
    rows = change_rows((*REGRESSED.changes, *ATTACKED.changes), "en")

    lines = change_lines(rows, "broken", width)

    assert max(display_width(line.plain) for line in lines) <= width
    assert "- hello" in "".join([line.plain for line in lines])


def test_remarks_stand_at_the_end_where_there_is_room_and_else_below() -> None:
    rows = change_rows(REGRESSED.changed("broken"), "en")

    wide = [line.plain for line in change_lines(rows, "broken", 140)]
    narrow = [line.plain for line in change_lines(rows, "broken", 80)]

    assert wide[1] == (
        "- refund-order-17                           F1 100.0% → 0.0%    forbidden call, schema error"
    )
    assert len(wide) == 3
    assert narrow[1:3] == [
        "- refund-order-17                           F1 100.0% → 0.0%",
        "    forbidden call, schema error",
    ]


def test_a_column_that_is_empty_takes_no_room() -> None:
    rows = change_rows(REGRESSED.changed("changed"), "en")

    (line,) = change_lines(rows, "changed", 80)

    assert line.plain == "~ convert-5-miles-to-km   other calls"


def test_a_sure_difference_has_the_colour_of_its_verdict() -> None:
    text = measure_table((REGRESSED.main,), 80, "en")
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}

    assert styles["−8.0"] == "red"  # noqa: RUF001  (a minus sign is meant)


def test_a_slice_that_is_not_sure_has_none() -> None:
    text = slice_table(changed_slices(REGRESSED), 80, "en")
    styles = {text.plain[span.start : span.end]: span.style for span in text.spans}

    assert styles["regressed"] == "red"
    assert styles["not enough data"] == "dim"
