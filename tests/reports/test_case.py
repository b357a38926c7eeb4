"""What is said of one case of a run."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones, and en dashes, are meant)

from __future__ import annotations

import pytest
from tests.reports.kept_cases import FAILED, REPEATED, a_trial

from callscore.core.rendering import display_width
from callscore.core.results import Answer
from callscore.reports.case import cost_text, outcome_text, text_lines, trials_passed_text


def test_what_became_of_a_trial_is_said_in_a_word() -> None:
    assert outcome_text(a_trial(passed=True), "en") == ("passed", "green")
    assert outcome_text(a_trial(passed=False), "en") == ("failed", "red")
    assert outcome_text(a_trial(passed=None), "en") == ("no number", "dim")
    assert outcome_text(a_trial(failure=("exited", "")), "en") == ("error: exited", "red")


def test_trials_are_counted_where_there_are_several() -> None:
    assert trials_passed_text(FAILED, "en") == ""
    assert trials_passed_text(REPEATED, "en") == "1/3 trials passed"


def test_what_cost_nothing_is_not_mentioned() -> None:
    assert cost_text(a_trial(), "en") == ""
    assert cost_text(FAILED.trials[0], "ru") == (
        "1.2 с, 2 запуска, 3 запроса, токены: 1\N{NO-BREAK SPACE}204 на входе, 33 на выходе"
    )


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("one\ntwo", ["one", "two"]),
        ("", [""]),
        ([{"role": "user", "content": "Hi\nyou"}], ["user: Hi", "you"]),
        ([{"role": "user", "content": ["Hi"]}], None),
        ({"city": "Paris"}, ["{", '  "city": "Paris"', "}"]),
        (7, ["7"]),
        ("\x1b[31m", ["\\u001b[31m"]),
    ],
)
def test_what_was_asked_is_shown_as_people_read_it(value: object, lines: list[str] | None) -> None:
    found = text_lines(value, 80)

    assert found == lines if lines is not None else found[0] == "["


def test_long_lines_are_broken_at_blanks_and_none_is_too_wide() -> None:
    lines = text_lines("word " * 30 + "x" * 50 + "城市" * 20, 40)

    assert max(display_width(line) for line in lines) <= 40
    assert lines[0] == "word word word word word word word word"
    assert "".join(lines).count("x") == 50
    assert "".join(lines).count("城市") == 20


def test_a_very_long_text_is_shown_to_its_end() -> None:
    assert text_lines("\n".join(map(str, range(100))), 80) == [*map(str, range(100))]


def test_a_trial_that_was_reused_says_so() -> None:
    reused = a_trial(answer=Answer(seconds=1.0, is_reused=True))

    assert cost_text(reused, "en").endswith(", reused")
