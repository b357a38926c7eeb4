"""Where the report of a run goes, and what the program tells its caller about it."""



from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.reports.runs import FINE as FINE_RUN
from tests.reports.runs import MIXED, VARIANTS, WEATHER

from callscore.cli.exits import (
    FAILED,
    INTERRUPTED,
    NO_ANSWER,
    OK,
    UNREADABLE,
    run_exit_code,
    run_exit_reasons,
)
from callscore.cli.output import open_output, stdout_to_stderr, write_run
from callscore.core.results import RunResults, ScorerResult
from callscore.core.summary import Summary

if TYPE_CHECKING:
    from pathlib import Path

    from callscore.core.phrases import Language

GO_ON = "callscore run evals --resume"


def found(run: RunResults, lang: Language = "en") -> list[tuple[int, str]]:
    return list(run_exit_reasons(run, lang, go_on=GO_ON))


def test_a_run_that_is_fine_has_no_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_exit_code(FINE_RUN, "en", go_on=GO_ON) == OK
    assert capsys.readouterr().err == ""


def test_the_gravest_reason_comes_first_and_decides(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_exit_code(MIXED, "en", go_on=GO_ON) == INTERRUPTED
    assert capsys.readouterr().err.splitlines() == [
        f"callscore: interrupted; what finished is kept. Go on with: {GO_ON}",
        "callscore: evals/eval_broken.py:3: ModuleNotFoundError: No module named 'wether'",
        "callscore: assistant: no answer to 4 cases",
        "callscore: assistant: accuracy 0.667 is below 0.900",
        "callscore: assistant: polite has no number, and 0.500 is wanted",
    ]


def test_a_missed_threshold_is_not_said_again_right_below_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    below = replace(MIXED, is_interrupted=False, unloaded=(), evaluations=VARIANTS.evaluations[2:])
    below = replace(below, evaluations=(replace(below.evaluations[0], errors=0, failures=()),))

    assert run_exit_code(below, "en", go_on=GO_ON, is_shown=True) == FAILED
    assert capsys.readouterr().err == ""
    assert run_exit_code(below, "en", go_on=GO_ON) == FAILED
    assert "accuracy 0.667 is below 0.800" in capsys.readouterr().err


def test_each_reason_has_its_code() -> None:
    assert [code for code, _ in found(MIXED)] == [
        INTERRUPTED,
        UNREADABLE,
        NO_ANSWER,
        FAILED,
        FAILED,
    ]


def test_what_was_not_kept_is_not_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    unkept = replace(FINE_RUN, id="", is_interrupted=True)

    assert run_exit_code(unkept, "ru", go_on=GO_ON) == INTERRUPTED
    assert capsys.readouterr().err == "callscore: прервано\n"


def test_reasons_can_be_had_in_russian() -> None:
    assert [sentence for _, sentence in found(MIXED, "ru")] == [
        f"прервано; готовое сохранено. Продолжить: {GO_ON}",
        "evals/eval_broken.py:3: ModuleNotFoundError: No module named 'wether'",
        "assistant: нет ответа для 4 случаев",
        "assistant: accuracy 0.667 ниже порога 0.900",
        "assistant: у polite нет оценки, а нужна 0.500",
    ]


@pytest.mark.parametrize(("threshold", "codes"), [(None, []), (0.0, [FAILED])])
def test_a_forbidden_call_counts_once_there_is_a_threshold(
    threshold: float | None, codes: list[int]
) -> None:
    summary = Summary()
    summary.add(replace(WEATHER.score, forbidden=(1,)))
    each = FINE_RUN.evaluations[0]
    run = RunResults(
        evaluations=(
            replace(
                each,
                results=replace(each.results, summary=summary),
                scorers=(ScorerResult(name="accuracy", mean=0.5, threshold=threshold),),
            ),
        )
    )

    assert [code for code, _ in found(run)] == codes
    assert all("forbidden calls were made: calculator" in sentence for _, sentence in found(run))


@pytest.mark.parametrize(
    ("output_format", "is_said"),
    [("json", True), ("junit", True), ("table", False), ("markdown", False)],
)
def test_warnings_are_said_beside_a_report_for_programs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, output_format: str, *, is_said: bool
) -> None:
    with open_output(str(tmp_path / "report"), output_format, "en") as output:
        write_run(MIXED, output, output_format, "en")

    warning = "Nothing was kept: the disk is full (.callscore/history.db)."
    assert (f"callscore: {warning}\n" in capsys.readouterr().err) is is_said
    assert "Nothing was kept" in (tmp_path / "report").read_text()


def test_what_is_printed_meanwhile_goes_to_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with stdout_to_stderr():
        sys.stdout.write("from Python\n")
        os.write(1, b"from elsewhere\n")
    sys.stdout.write("the report\n")

    out, err = capfd.readouterr()
    assert out == "the report\n"
    assert sorted(err.splitlines()) == ["from Python", "from elsewhere"]


def test_where_there_is_no_standard_output_it_runs_all_the_same(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def closed(_: int) -> int:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(os, "dup", closed)
        with stdout_to_stderr():
            sys.stdout.write("from Python\n")

    assert capfd.readouterr().err == "from Python\n"
