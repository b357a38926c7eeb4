"""What is said of a list of runs."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

import pytest
from tests.reports.histories import NOW, at

from callscore.core.statistics import Interval
from callscore.reports.history import commit_text, moment_cell, moment_text, share_interval_text


def test_a_moment_is_told_in_the_time_of_this_place() -> None:
    assert moment_text(at(14, 9), "en", now=NOW) == "14 Nov 09:05"
    assert moment_text(at(14, 9), "ru", now=NOW) == "14 ноя 09:05"
    assert moment_text(at(1, 9, year=2025), "en", now=NOW) == "1 Nov 2025"


def test_in_a_table_every_moment_is_as_wide_as_the_others() -> None:
    days = [at(1, 9), at(14, 9), at(1, 9, year=2025)]

    assert {len(moment_cell(day, "en", now=NOW)) for day in days} == {12}


@pytest.mark.parametrize("nonsense", [1e300, float("nan"), float("inf")])
def test_a_moment_that_never_was_is_a_dash(nonsense: float) -> None:
    assert moment_text(nonsense, "en") == "–"


def test_an_interval_is_told_in_whole_percent() -> None:
    assert share_interval_text(Interval(0.614, 0.776)) == "61–78%"
    assert share_interval_text(None) == ""


def test_a_commit_has_a_star_where_files_had_changed() -> None:
    assert commit_text("0123456789", is_dirty=False) == "0123456"
    assert commit_text("0123456789", is_dirty=True) == "0123456*"
    assert commit_text("0123456789", is_dirty=None) == "0123456"
    assert commit_text(None, is_dirty=True) == ""
