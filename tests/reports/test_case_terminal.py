"""One case of a run, for people."""

from __future__ import annotations

from functools import partial
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.reports.saved_cases import AS_KEPT, ATTACKED, FAILED, REPEATED, SILENT

from callscore import Case, score
from callscore.core.call import ToolCall
from callscore.core.rendering import display_width
from callscore.core.results import SavedScore
from callscore.reports.case_terminal import render
from callscore.reports.terminal import printed_text

if TYPE_CHECKING:
    from callscore.core.results import SavedCase

write_text = partial(printed_text, render)

FAILED_REPORT = """\
weather   failed   assistant
evals/eval_assistant.py   run 20261115-184354-k3f9   tags: smoke, short
1.2 s, 2 attempts, 3 requests, 1,204 tokens in, 33 out

Input
  What is the weather in Paris?

  0.000 accuracy   1.000 polite
  polite: it says please
  Expected              Actual
~ getWeather            getWeather
  ~ location: "Paris"     location: "Lyon"
+                       log()
"""
REPEATED_REPORT = """\
weather   1 of 3 trials passed   assistant [large]
run 20261115-184354-k3f9

Input
  system: You know the weather.
  Be brief.
  user: And in Paris?

Trial 1   passed   250 ms, reused
  1.000 accuracy
  Expected                       Actual
= getWeather(location="Paris")   getWeather(location="Paris")

Trial 2   error: timeout
  no answer within 60 seconds

Trial 3   no score
  log()
"""
AS_KEPT_REPORT = """\
odd   failed   assistant
run 20261115-184354-k3f9

The reference cannot be scored again from the history. Below is the saved comparison.

~ getWeather(location="Lyon")
    location: expected "Paris", got "Lyon"
    n: $gt 3, got 2
= log()
- ToolCall('book', <odd>)
+ getWeather(location="Paris")
! delete(all=true)
"""


def shown(case: SavedCase, width: int) -> str:
    console = Console(file=StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        render([case], console=console)
    return capture.get()


@pytest.mark.parametrize(
    ("case", "report"),
    [(FAILED, FAILED_REPORT), (REPEATED, REPEATED_REPORT), (AS_KEPT, AS_KEPT_REPORT)],
    ids=["failed", "repeated", "as kept"],
)
def test_a_case_is_shown_with_all_its_trials(case: SavedCase, report: str) -> None:
    assert write_text([case]) == report


def test_a_case_without_calls_says_so() -> None:
    assert write_text([SILENT]) == "hello   no score   assistant\nrun r\n\n  No calls.\n"


def test_what_nobody_can_read_of_a_comparison_leaves_the_calls() -> None:
    trial = replace(AS_KEPT.trials[0], saved=SavedScore(comparison={"pairs": "none"}))

    report = write_text([replace(AS_KEPT, trials=(trial,))])

    assert report.endswith('  getWeather(location="Paris")\n  delete(all=true)\n')


def test_a_forbidden_call_is_said_in_the_first_line() -> None:
    trial = FAILED.trials[0]
    assert trial.score is not None
    forbidden = replace(trial, score=replace(trial.score, forbidden=(1,)))

    report = write_text([replace(FAILED, trials=(forbidden,))])

    assert report.startswith("weather   failed   1 forbidden call   assistant\n")


def test_a_name_that_fills_the_line_leaves_no_room_for_the_evaluation() -> None:
    narrow = shown(replace(REPEATED, id="x" * 80), 30)

    assert "assistant" not in narrow.splitlines()[0]


def test_several_evaluations_are_shown_one_below_the_other() -> None:
    report = write_text([FAILED, AS_KEPT])

    assert report == f"{FAILED_REPORT}\n{AS_KEPT_REPORT}"


def test_a_case_is_shown_in_russian() -> None:
    report = write_text([REPEATED, AS_KEPT], lang="ru")

    assert report.startswith("weather   пройдено попыток: 1 из 3   assistant [large]\nпрогон 2026")
    assert "\nВходные данные\n" in report
    assert "Попытка 1   пройдена" in report
    assert "Попытка 2   ошибка: истекло время" in report
    assert "\nodd   не пройден " in report
    assert 'location: ожидалось "Paris", получено "Lyon"' in report


@pytest.mark.parametrize("case", [FAILED, REPEATED, AS_KEPT, SILENT])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(case: SavedCase, width: int) -> None:
    assert max(display_width(line) for line in shown(case, width).splitlines()) <= width


def test_hostile_texts_are_harmless() -> None:
    report = write_text([ATTACKED])

    assert "\x1b" not in report
    assert "\x00" not in report
    assert "[red]" in report


def test_a_long_call_is_shown_to_its_end_at_every_width() -> None:
    text = "".join(f"<{number}>" for number in range(300))
    made = ToolCall("write", {"text": text})
    wanted = score(expected=[{"name": "write", "arguments": {"text": "x" + text}}], actual=[made])
    case = replace(
        FAILED,
        metadata={"who": "me"},
        trials=(replace(FAILED.trials[0], score=wanted, case=Case(id="a", actual=(made,))),),
    )

    for report in (write_text([case]), shown(case, 60)):
        joined = "".join(line.strip() for line in report.splitlines())
        assert f'write(text="{text}")' in joined
        assert f'write(text="x{text}")' in joined
        assert max(map(display_width, report.splitlines())) <= 100
        assert "\nMetadata\n" in report
    assert "in full" not in write_text([FAILED])


def test_long_calls_that_are_as_kept_go_on_in_the_next_line() -> None:
    made = ToolCall("write", {"text": "y" * 300})
    trial = replace(AS_KEPT.trials[0], case=Case(id="a", actual=(made,) * 9))
    case = replace(AS_KEPT, trials=(trial,))

    joined = "".join(line.strip() for line in shown(case, 50).splitlines())

    assert "y" * 300 in joined
