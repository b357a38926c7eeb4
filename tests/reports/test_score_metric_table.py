"""What other tools say, in rows and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from callscore.core.results import MetricResult, MetricValue, Noted
from callscore.core.settings import Settings
from callscore.reports.formatting import metric_cells, number_text
from callscore.reports.score import MetricRow, metric_rows, not_scorable_notes, settings_note

if TYPE_CHECKING:
    from callscore.core.results import Results


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),  # noqa: RUF001  (a dash)
        (1.0, "1.000"),
        (0.9999999999999999, "1.000"),
        (0.99999, "0.999"),
        (0.00001, "0.001"),
        (1e-17, "0.000"),
        (2 / 3, "0.667"),
        (-0.25, "-0.250"),
    ],
)
def test_a_number_is_1_or_0_only_where_it_is(value: float | None, text: str) -> None:
    assert number_text(value) == text


def test_our_own_mean_is_the_first_row(asked: Results) -> None:
    own, *others = metric_rows(asked, "en")

    assert own == MetricRow("callscore, macro F1", "0.700", 2, 0)
    assert [row.name for row in others] == [metric.name for metric in asked.metrics]


def test_without_metrics_there_are_no_rows(results: Results) -> None:
    assert metric_rows(results, "en") == []


def test_metrics_that_refuse_the_same_cases_are_named_together() -> None:
    why = Noted(3, ("one.", "two.", "three."))
    metrics = [MetricResult(f"m{number}", None, 0, why) for number in range(6)]

    assert not_scorable_notes([*metrics, MetricResult("fine", 1.0, 3)], "en") == [
        ("m0, m1, m2, m3, … 2 more: 3 cases not scorable", "one; two; … 1 more")
    ]


def test_the_numbers_of_a_case_stand_in_one_line_where_there_is_room() -> None:
    values = [MetricValue("a.b", 0.5), MetricValue("c.defg", None, "why")]

    cells = [("0.500", "a.b"), ("    –", "c.defg")]  # noqa: RUF001  (a dash)
    assert metric_cells(values, 24) == [cells]
    assert metric_cells(values, 23) == [[cells[0]], [cells[1]]]


def test_in_several_lines_they_stand_in_columns() -> None:
    values = [MetricValue("a" * length, 1.0) for length in (3, 5, 4)]

    lines = metric_cells(values, 30)

    assert lines == [[("1.000", "aaa  "), ("1.000", "aaaaa")], [("1.000", "aaaa")]]


def test_a_name_that_is_longer_than_the_line_stays_whole() -> None:
    ((cell,),) = metric_cells([MetricValue("a" * 20 + "b", 1.0)], 12)

    assert cell == ("1.000", "a" * 20 + "b")


def test_with_other_settings_the_first_row_says_so(asked: Results) -> None:
    changed = replace(asked, settings=Settings(count_calls="writes"))

    assert metric_rows(changed, "en")[0].name == "callscore, macro F1, settings as above"
    assert metric_rows(changed, "ru")[0].name == "callscore, macro F1, настройки как выше"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(), None),
        (Settings(count_calls="writes"), "the others are given all calls as they were read."),
        (Settings(top_k=2), "all calls of the first answer, as they were read."),
    ],
)
def test_it_is_said_what_other_tools_are_given(
    asked: Results, settings: Settings, said: str | None
) -> None:
    line = settings_note(replace(asked, settings=settings), "en")

    assert line == said or (said is not None and (line or "").endswith(said))
