"""A sample in words: its notes, its table, and the estimate in both languages and as data."""

from __future__ import annotations

from typing import Any

import pytest

from callscore.core.results import Noted, Results
from callscore.core.settings import DEFAULT
from callscore.core.statistics import Interval
from callscore.core.summary import Summary
from callscore.engines.sampling import Sample, SampledResults, StratumCount
from callscore.reports.sample import estimate_lines, estimate_to_dict, sample_lines, strata_lines

STRATA = (
    StratumCount("search", 1_200_000, 5_000, 1_200_000),
    StratumCount("", 34_567, 5_000, 34_567),
)


def sample(**fields: Any) -> Sample:
    known: dict[str, Any] = {
        "lines": (b"{}",) * 10_000,
        "strata": STRATA,
        "by": "tool",
        "seed": 0,
        "is_exact": True,
    }
    return Sample(**(known | fields))


def results(**fields: Any) -> Results:
    return Results(settings=DEFAULT, summary=Summary(), **fields)


def sampled(**fields: Any) -> SampledResults:
    known: dict[str, Any] = {
        "results": results(),
        "strata": STRATA,
        "by": "tool",
        "seed": 0,
        "is_exact": True,
        "estimate": 0.873,
        "interval": Interval(0.866, 0.88),
        "population": 1_234_567,
        "sampled": 10_000,
        "population_trials": 1_234_567,
        "sampled_trials": 10_000,
    }
    return SampledResults(**(known | fields))


def test_the_estimate_says_what_it_is_about() -> None:
    (line,) = estimate_lines(sampled(), "en")
    assert line == (
        "Estimated for all 1,234,567 cases: macro F1 87.3% (95% interval 86.6% – 88.0%), from a sample"
        " of 10,000 cases"
    )
    (russian,) = estimate_lines(sampled(), "ru")
    assert russian.replace("\N{NO-BREAK SPACE}", " ") == (
        "Для всех 1 234 567 случаев: macro F1 87.3% (95%-й интервал 86.6% – 88.0%), по выборке из 10 000"
        " случаев"
    )


def test_trials_are_counted_beside_cases() -> None:
    (line,) = estimate_lines(sampled(population=50, population_trials=200, is_exact=False), "en")

    assert line.startswith("Estimated for all about 50 cases, 200 trials: macro F1")


def test_what_is_left_out_of_the_estimate_is_named() -> None:
    left_out = results(skipped=Noted(12), not_scored=Noted(3))

    lines = estimate_lines(sampled(results=left_out, sampled=9_998), "en")

    assert lines[1] == (
        "Not part of the estimate: unreadable records: 12, cases without expected calls: 3, sampled cases"
        " that could not be scored: 2"
    )
    assert estimate_lines(sampled(results=left_out), "ru")[1] == (
        "В расчёт не вошли: нечитаемые записи: 12, случаи без ожидаемых вызовов: 3"
    )


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_without_an_estimate_that_is_reported(lang: Any) -> None:
    (line,) = estimate_lines(
        sampled(estimate=None, interval=None, population=1, population_trials=1, strata=()), lang
    )[:1]

    assert line in (
        "No estimate for all 1 case: no sampled case was scored",
        "Для всех 1 случая вывода нет: ни один случай выборки не оценён",
    )


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.5, 0.9, "50.0% – 90.0%"),
        (0.9991, 0.9999, "99.910% – 99.990%"),
        (0.87, 0.87, "87.0% – 87.0%"),
    ],
)
def test_a_narrow_interval_has_more_decimals(low: float, high: float, text: str) -> None:
    (line,) = estimate_lines(sampled(interval=Interval(low, high)), "en")

    assert f"95% interval {text})" in line


def test_the_estimate_is_plain_data() -> None:
    found = estimate_to_dict(sampled(strata=(*STRATA, StratumCount("", 5, 1, 9, is_other=True))))

    assert (found["macro_f1"], found["macro_f1_interval"]) == (0.873, [0.866, 0.88])
    assert (found["cases"], found["sampled_cases"]) == (1_234_567, 10_000)
    assert [each["name"] for each in found["strata"]] == ["search", None, "other"]
    assert found["strata"][2] == {
        "name": "other", "is_other": True, "cases": 5, "trials": 9, "sampled_cases": 1,
    }  # fmt: skip
    assert estimate_to_dict(sampled(estimate=None, interval=None))["macro_f1_interval"] is None


def test_notes_about_a_sample_name_what_is_unusual() -> None:
    strata = (*STRATA, StratumCount("", 5, 0, 9, is_other=True))

    lines = sample_lines(
        sample(
            strata=strata,
            lines=(b"{}",) * 12_000,
            is_exact=False,
            rewritten=7,
            divided=2,
            skipped=Noted(3),
        ),
        10_000,
        "en",
    )

    assert lines == [
        "10,000 of about 1,234,572 cases in the sample",
        "12,000 of 1,234,576 records with the trials of these cases",
        "more than 1,000 strata: the cases of all further ones are in 'other'",
        "written in the notation of case files, because they have no record of their own: 7",
        "strata without a sampled case: 1. Sample more cases",
        "cases with trials in several strata, which are sampled separately: 2",
        "records skipped: 3",
    ]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("tool", ["tool", "search", "(no calls)", "other"]),
        ("tag", ["tag", "search", "(no tags)", "other"]),
        ("$.model", ["$.model", "search", "(no value)", "other"]),
    ],
)
def test_the_table_names_the_strata(by: str, names: list[str]) -> None:
    strata = (StratumCount("", 5, 1, 9, is_other=True), *STRATA)

    lines = strata_lines(strata, by, "en")

    assert [line.split("  ")[0] for line in lines] == names
    assert lines[1].split()[1:] == ["1,200,000", "5,000"]


def test_names_of_strata_are_escaped_and_cut() -> None:
    lines = strata_lines([StratumCount("a\x1b[31m" + "x" * 100, 1, 1, 1)], "tool", "en")

    assert "\x1b" not in lines[1]
    assert len(lines[1]) < 90
