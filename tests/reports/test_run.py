"""What is said of a run."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from msgspec.structs import replace
from tests.reports.runs import FINE, MIXED, VARIANTS

from callscore.core.results import FailureKind, RunResults
from callscore.reports.formatting import duration, first_names, grouped_number
from callscore.reports.run import (
    FAILURE_KINDS,
    facts_line,
    gate_hint,
    judge_lines,
    subtitle,
    verdict_parts,
)

if TYPE_CHECKING:
    from callscore.core.phrases import Language

EACH = FINE.evaluations[0]


@pytest.mark.parametrize(
    ("seconds", "english", "russian"),
    [
        (0.0001, "< 1 ms", "< 1 мс"),
        (0.25, "250 ms", "250 мс"),
        (0.96, "1.0 s", "1.0 с"),
        (4.21, "4.2 s", "4.2 с"),
        (59.97, "1 min 0 s", "1 мин 0 с"),
        (125, "2 min 5 s", "2 мин 5 с"),
        (3725, "1 h 2 min", "1 ч 2 мин"),
    ],
)
def test_a_time_is_said_as_people_say_it(seconds: float, english: str, russian: str) -> None:
    assert (duration(seconds, "en"), duration(seconds, "ru")) == (english, russian)


def test_thousands_stand_apart() -> None:
    assert grouped_number(1_234_567, "en") == "1,234,567"
    assert grouped_number(1_234_567, "ru") == "1\u00a0234\u00a0567"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answered": 3, "passed": 3}, [("All 3 passed", "good")]),
        ({"answered": 1, "passed": 1}, [("1 passed", "good")]),
        ({"answered": 3, "passed": 2}, [("2 of 3 passed", ""), ("1 failed", "bad")]),
        ({"answered": 2, "passed": 2, "errors": 1}, [("2 passed", ""), ("1 error", "bad")]),
        ({"answered": 0, "passed": 0, "errors": 2}, [("No answers", ""), ("2 errors", "bad")]),
        (
            {"answered": 2, "passed": 0, "undecided": 2},
            [("0 passed", ""), ("2 without a number", "")],
        ),
    ],
)
def test_the_verdict_says_what_it_all_comes_to(
    fields: dict[str, int], words: list[tuple[str, str]]
) -> None:
    run = RunResults(evaluations=(replace(EACH, **fields),))

    assert verdict_parts(run, "en") == words


def test_an_interrupted_run_says_so() -> None:
    assert verdict_parts(replace(FINE, is_interrupted=True), "ru") == [
        ("пройдено 3", ""),  # not all: nobody knows about the others
        ("прервано: без ответа 0", "bad"),
    ]


@pytest.mark.parametrize("kind", get_args(FailureKind))
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_there_are_words_for_every_kind_of_error(kind: FailureKind, lang: Language) -> None:
    assert getattr(FAILURE_KINDS[kind], lang)


def test_the_facts_leave_out_what_there_is_nothing_of() -> None:
    assert facts_line(FINE, "en") == "3 answers in 31 ms"
    assert facts_line(MIXED, "en") == (
        "8 answers (2 reused) in 1 min 15 s, 9 requests, 12,345 tokens in, 678 out"
    )


def test_names_beyond_the_first_are_counted() -> None:
    assert first_names(["a", "b"], 2, "en") == "a, b"
    assert first_names(list("abcdefg"), 7, "en") == "a, b, c, d, e, … 2 more"
    assert first_names([], 3, "en") == ""


def test_a_judge_is_named_with_what_it_was_asked() -> None:
    assert judge_lines(MIXED, "en") == ["judged by gpt-4.1-mini: 12 values, 4 questions asked"]


def test_below_the_name_stand_the_cases_and_how_they_are_compared() -> None:
    assert subtitle([EACH], "en") == "3 cases, strict, any order, median < 1 ms"
    assert subtitle(VARIANTS.evaluations, "en") == "2 cases, strict, any order"
    alone = replace(VARIANTS.evaluations[0], variant=None)
    assert subtitle([alone], "en") == "2 cases, 6 answers, strict, any order, median 3.0 s"
    assert subtitle(VARIANTS.evaluations[:1], "en") == "2 cases, 6 answers, strict, any order"


@pytest.mark.parametrize(
    ("fields", "is_said"),
    [
        ({"answered": 3, "passed": 2}, True),
        ({"answered": 3, "passed": 3}, False),
        ({"answered": 3, "passed": 2, "undecided": 1}, False),
        ({"answered": 3, "passed": 2, "errors": 1}, False),  # the exit code says so
    ],
)
def test_failures_that_change_no_exit_code_are_pointed_out(
    fields: dict[str, int], is_said: bool
) -> None:
    scorers = tuple(replace(scorer, threshold=None) for scorer in EACH.scorers)
    run = RunResults(evaluations=(replace(EACH, scorers=scorers, **fields),))

    hint = gate_hint(run, "en")

    assert (hint is not None and "--fail-under 1" in hint) is is_said


def test_where_there_is_a_threshold_there_is_a_gate() -> None:
    scorers = tuple(replace(scorer, threshold=0.1) for scorer in EACH.scorers)
    run = RunResults(evaluations=(replace(EACH, scorers=scorers, answered=3, passed=2),))

    assert gate_hint(run, "en") is None
