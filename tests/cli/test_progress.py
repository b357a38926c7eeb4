"""The progress bar."""

from __future__ import annotations

import io
import sys
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from callscore.cli.output import print_note
from callscore.cli.progress import (
    RunningScore,
    bar_width,
    counting_progress,
    pace_text,
    progress,
    run_progress,
)
from callscore.core.call import ToolCall
from callscore.core.case import Case
from callscore.core.results import Answer, Failure, Result
from callscore.core.score import Score
from callscore.evaluations.evaluation import Evaluation, Question

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.phrases import Language


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return shown


def test_a_long_file_has_a_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"\n" * 10_000_000)

    with progress([str(file)]) as on_bytes:
        assert on_bytes is not None
        on_bytes(5_000_000)

    assert "scoring" in terminal.getvalue()
    assert "10.0 MB" in terminal.getvalue()


def test_input_of_unknown_length_has_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)

    with progress(["-"]) as on_bytes:
        assert on_bytes is not None

    assert "scoring" in terminal.getvalue()


def test_a_short_file_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    file = tmp_path / "short.jsonl"
    file.write_bytes(b"\n")

    with progress([str(file)]) as on_bytes:
        assert on_bytes is None

    assert terminal.getvalue() == ""


def test_without_a_terminal_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    with progress(["-"]) as on_bytes:
        assert on_bytes is None


# A progress bar for a run.

CALLS = (ToolCall("f", {}),)
RIGHT, WRONG = Score(CALLS, CALLS, 1), Score(CALLS, (), 0)
QUESTION = Question(
    evaluation=Evaluation(name="a", task=lambda case: case, cases=[]), case=Case("Hi", id="hi")
)
ERROR = Result(
    case=QUESTION.case, status="error", failure=Failure(case="a", kind="raised", problem="no")
)


def scored(score: Score | None, *, passed: bool | None) -> Result:
    return Result(case=QUESTION.case, answer=Answer(document=[]), score=score, passed=passed)


class RunTerminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_yet_is_nothing_to_say() -> None:
    assert RunningScore().text("en") == ""


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "score 0.667  1 failed  1 error"),
        ("ru", "оценка 0.667  не пройдено 1  ошибок 1"),
    ],
)
def test_the_score_so_far_is_shown_with_what_failed(lang: Language, text: str) -> None:
    score = RunningScore()
    for outcome in (scored(RIGHT, passed=True), scored(WRONG, passed=False), ERROR):
        score.add(outcome)
    score.add(scored(None, passed=True))  # nothing is expected, and the scorers are content

    assert score.text(lang) == text


def test_an_answer_without_a_number_is_not_counted() -> None:
    score = RunningScore()
    score.add(scored(None, passed=None))
    score.add(ERROR)
    score.add(ERROR)

    assert score.text("en") == "2 errors"


@pytest.mark.parametrize(
    ("done", "seconds", "text"),
    [(0, 5.0, ""), (3, 0.0, ""), (40, 10.0, "4.0/s  1:05"), (300, 75.0, "4.0/s  0:00")],
)
def test_the_pace_is_the_mean_since_the_beginning(done: int, seconds: float, text: str) -> None:
    assert pace_text(done, 300, seconds, "en") == text
    assert pace_text(done, 300, seconds, "ru") == text.replace("/s", "/с")


def test_nobody_is_told_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = StringIO()
    monkeypatch.setattr(sys, "stderr", stream)

    with run_progress("en") as hooks:
        hooks.on_plan(2)
        hooks.on_done(QUESTION, ERROR)

    assert stream.getvalue() == ""


def test_the_bar_says_how_far_it_is_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = RunTerminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)

    with run_progress("en") as hooks:
        hooks.on_plan(2)
        hooks.on_done(QUESTION, scored(RIGHT, passed=True))
        hooks.on_done(QUESTION, ERROR)

    seen = stream.getvalue()
    assert "2/2" in seen
    assert "score 1.000  1 error" in seen
    assert seen.endswith("\x1b[2K")  # the line is wiped out


def test_a_note_is_one_line_whatever_stands_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_note("two\nlines \x1b[31m")

    assert capsys.readouterr().err == "callscore: two\\nlines \\u001b[31m\n"


@pytest.mark.parametrize(("width", "bar"), [(120, 30), (70, 14), (60, 4), (40, 4)])
def test_the_bar_leaves_room_for_the_numbers(width: int, bar: int) -> None:
    assert bar_width(width) == bar


def test_work_of_unknown_length_shows_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    with counting_progress("measuring settings") as on_step:
        assert on_step is None  # there is no terminal
    terminal = use_terminal(monkeypatch)

    with counting_progress("measuring settings") as on_step:
        assert on_step is not None
        on_step()
        on_step()

    assert "measuring settings" in terminal.getvalue()
