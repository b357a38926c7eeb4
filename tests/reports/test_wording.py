from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.core.results import Noted, Results
from callscore.core.settings import Settings
from callscore.core.statistics import Interval
from callscore.core.summary import Summary
from callscore.reports.wording import count_text, interval_text, note_lines

if TYPE_CHECKING:
    from callscore.core.wording import Language


NONE = Noted()


def noted(*, not_run: Noted = NONE, skipped: Noted = NONE) -> Results:
    return Results(settings=Settings(), summary=Summary(), not_run=not_run, skipped=skipped)


def test_nothing_out_of_the_ordinary_needs_no_note() -> None:
    assert note_lines(noted(), "en") == []


@pytest.mark.parametrize(
    ("lang", "names"),
    [("en", "a, b, c, d, e, … 95 more"), ("ru", "a, b, c, d, e, … ещё 95")],
)
def test_a_note_names_the_first_few_and_counts_the_rest(lang: Language, names: str) -> None:
    results = noted(not_run=Noted(100, tuple("abcdefgh")))

    assert [line[1] for line in note_lines(results, lang)] == [names]


def test_a_note_without_names_is_a_count_alone() -> None:
    assert note_lines(noted(skipped=Noted(3)), "en") == [("3 records skipped: not readable", "")]


def test_a_name_in_a_note_is_short_and_on_one_line() -> None:
    results = noted(skipped=Noted(1, ("x\n" * 100,)))

    (line,) = note_lines(results, "en")

    assert len(line[1]) == 100
    assert "\n" not in line[1]


def test_intervals_and_shares_are_given_in_percent() -> None:
    assert interval_text(Interval(0.25, 0.9999)) == "25.0% – 99.9%"  # noqa: RUF001  (a range)
    assert count_text(1, 4, "en") == "1 of 4, 25.0%"
    assert count_text(1, 4, "ru") == "1 из 4, 25.0%"
