"""What is said of two runs that were compared."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and minus signs, are meant)

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.reports.comparisons import (
    LATEST,
    MAIN,
    NOT_ENOUGH,
    NOTHING_COMMON,
    NOTHING_NEW,
    REGRESSED,
)

from callscore.comparing.changes import ChangeReason
from callscore.comparing.comparison import SideSummary
from callscore.comparing.differences import Difference
from callscore.core.statistics import Interval
from callscore.reports.compare import (
    certainty_line,
    change_interval_text,
    change_line,
    flip_counts,
    holm_line,
    measure_name,
    p_text,
    points_text,
    power_lines,
    reason_text,
    share_text,
    side_parts,
    slice_heading,
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "–"),
        (0.0, "0.0"),
        (0.034, "+3.4"),
        (-0.08, "−8.0"),
        (1.0, "+100.0"),
        (0.00001, "+0.1"),  # 0.0 is said only of none at all
        (-0.00001, "−0.1"),
    ],
)
def test_a_difference_is_in_points_with_its_sign(change: float | None, said: str) -> None:
    assert points_text(change) == said


@pytest.mark.parametrize(
    ("p_value", "said"),
    [
        (None, "–"),
        (0.0, "< 0.001"),
        (0.00195, "0.002"),
        (0.0496, "< 0.050"),
        (0.05, "0.050"),
        (0.0504, "0.050"),
        (1.0, "1.000"),
    ],
)
def test_a_p_value_never_looks_as_if_it_were_on_the_other_side(
    p_value: float | None, said: str
) -> None:
    assert p_text(p_value) == said


def test_shares_and_intervals_have_a_dash_for_nothing() -> None:
    assert (share_text(None), share_text(0.9203)) == ("–", "92.0%")
    assert change_interval_text(None, "en") == "–"
    assert change_interval_text(Interval(-0.125, 0.01), "en") == "−12.5 to +1.0"
    assert change_interval_text(Interval(-0.125, 0.01), "ru") == "от −12.5 до +1.0"


def test_a_measure_is_a_word_of_ours_or_the_name_of_a_scorer() -> None:
    names = [measure_name(name, "ru") for name in ("passed", "f1", "to\x1bne")]

    assert names == ["пройдено", "F1", "to\\u001bne"]
    assert measure_name("tone", "en", write=str.upper) == "TONE"


def test_the_change_is_said_with_both_numbers() -> None:
    assert change_line(REGRESSED, "en") == "passed 92.0% → 84.0%, −8.0 points"
    assert change_line(REGRESSED, "ru") == "пройдено 92.0% → 84.0%, −8.0 п. п."
    assert change_line(NOTHING_COMMON, "en") == "no case is in both"


def test_cases_without_numbers_are_told_from_no_cases() -> None:
    comparison = replace(NOTHING_COMMON, same=2)

    assert change_line(comparison, "en") == "no case has a number for passed in both"
    assert change_line(comparison, "ru").endswith(" нет оценки «пройдено» и раньше, и теперь")


def test_slices_stand_under_what_they_are_compared_by() -> None:
    (tool, _), (tag, _) = REGRESSED.tools, REGRESSED.tags

    assert slice_heading(tool, "en") == "Tools, by the F1 of their calls"
    assert slice_heading(tag, "en") == "Tags, by passed"
    assert slice_heading(tag, "ru") == "Теги, по мере «пройдено»"


def test_how_sure_it_is_depends_on_what_is_known() -> None:
    assert certainty_line(REGRESSED.main, "en") == (
        "95% interval −12.5 to −3.5, p = 0.002, exact McNemar, 197 cases in both"
    )
    assert certainty_line(REGRESSED.others[0], "ru") == (
        "95% интервал от −8.1 до −1.6, p < 0.050, парный бутстреп, общих: 197 случаев"
    )
    assert certainty_line(Difference(measure="f1", cases=1), "en") == "1 case in both"


def test_what_the_cases_could_have_shown_is_said_and_what_to_do() -> None:
    assert power_lines(REGRESSED.main, "en") == [
        "a difference of 6.1 points or more would show, four times in five"
    ]
    assert power_lines(NOT_ENOUGH.main, "en") == [
        "so few cases show no difference at all",
        "more cases, or more trials of each, would tell",
    ]


def test_flips_are_counted_and_what_there_is_none_of_is_left_out() -> None:
    words = [word for word, _ in flip_counts(REGRESSED, "en")]

    assert words == ["3 broken", "1 fixed", "1 changed", "192 as before"]
    assert flip_counts(NOTHING_NEW, "ru") == [("без изменений 200", None)]
    assert flip_counts(NOTHING_COMMON, "en") == []


def test_a_run_is_said_in_a_few_words_and_a_file_in_fewer() -> None:
    assert side_parts(LATEST, "en") == [
        "latest",
        "run 20261115-120000-bbbb",
        "commit 9d1b191 with changes",
        "2026-11-15 12:00 UTC",
        "199 cases",
        "2 errors",
    ]
    assert side_parts(MAIN, "ru")[1:3] == ["прогон 20261114-120000-aaaa", "коммит 02f0cce"]
    assert side_parts(SideSummary(label="a.jsonl", cases=1), "en") == ["a.jsonl", "1 case"]
    assert side_parts(replace(MAIN, label=MAIN.run), "en")[0:2] == [MAIN.run, "commit 02f0cce"]


def test_p_values_are_corrected_for_as_many_slices_as_have_one() -> None:
    assert holm_line(REGRESSED, "en") == "p is corrected after Holm for 3 tools and tags"
    assert holm_line(NOTHING_NEW, "en") == ""


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (ChangeReason(kind="forbidden call"), "запрещённый вызов"),
        (ChangeReason(kind="schema error"), "ошибка по схеме"),
        (ChangeReason(kind="no answer"), "нет ответа"),
        (ChangeReason(kind="no answer", text="timeout: 60 s"), "нет ответа: timeout: 60 s"),
        (
            ChangeReason(kind="no answer before", text="it \x1braised"),
            "раньше не было ответа: it \\u001braised",
        ),
    ],
)
def test_what_is_to_be_known_of_a_case_is_said_in_the_language(
    reason: ChangeReason, said: str
) -> None:
    assert reason_text(reason, "ru") == said


def test_a_long_reason_is_cut() -> None:
    assert len(reason_text(ChangeReason(kind="no answer", text="x" * 500), "en")) == 160
