"""Exit codes, and the reasons that are printed with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.reports.comparisons import CLOSED, DOUBTFUL, OPEN
from tests.reports.runs import FINE as FINE_RUN
from tests.reports.runs import MIXED, VARIANTS, WEATHER

from callscore.checks.check import CheckResults
from callscore.cli.exit_codes import FAILED, INTERRUPTED, NO_ANSWER, OK, UNREADABLE, USAGE
from callscore.cli.exits import (
    baseline_exit_code,
    check_exit_code,
    print_gate_reasons,
    run_exit_code,
    run_exit_reasons,
    score_exit_reasons,
    unblessed_exit_code,
)
from callscore.core.call import ToolCall
from callscore.core.counted_calls import Ignored
from callscore.core.results import Noted, Results, RunResults, ScorerResult
from callscore.core.score import Score
from callscore.core.settings import DEFAULT
from callscore.core.summary import Summary

if TYPE_CHECKING:
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
        f"callscore: interrupted; finished results are saved. To continue: {GO_ON}",
        "callscore: evals/eval_broken.py:3: ModuleNotFoundError: No module named 'wether'",
        "callscore: assistant: no answer for 4 cases",
        "callscore: assistant: accuracy 0.667, required ≥ 0.900",
        "callscore: assistant: polite has no score, required ≥ 0.500",
        "callscore: router: 1 case failed",
    ]


def test_a_mean_below_fail_under_is_not_said_again_right_below_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    below = replace(MIXED, is_interrupted=False, unloaded=(), evaluations=VARIANTS.evaluations[2:])
    below = replace(below, evaluations=(replace(below.evaluations[0], errors=0, failures=()),))

    assert run_exit_code(below, "en", go_on=GO_ON, is_shown=True) == FAILED
    assert capsys.readouterr().err == ""
    assert run_exit_code(below, "en", go_on=GO_ON) == FAILED
    assert "accuracy 0.667, required ≥ 0.800" in capsys.readouterr().err


def test_each_reason_has_its_code() -> None:
    assert [code for code, _ in found(MIXED)] == [
        INTERRUPTED,
        UNREADABLE,
        NO_ANSWER,
        FAILED,
        FAILED,
        FAILED,
    ]


@pytest.mark.parametrize(
    ("evaluation", "reason"),
    [
        (
            {"answered": 2, "undecided": 2, "scorers": (ScorerResult(name="accuracy"),)},
            "no case was scored: no scorer returned a number",
        ),
        (
            {
                "answered": 1,
                "undecided": 1,
                "scorers": (
                    ScorerResult(
                        name="exact", not_scorable=Noted(1, ("the case has no expected calls.",))
                    ),
                ),
            },
            "no case was scored: no scorer returned a number (the case has no expected calls)",
        ),
        ({"skipped": Noted(2)}, "no case was scored: all cases are skipped"),
        ({}, "no case was scored: the run has no answers"),
    ],
)
def test_a_run_without_scores_is_not_a_success(evaluation: dict[str, Any], reason: str) -> None:
    nothing = {"cases": 0, "questions": 0, "answered": 0, "passed": 0, "scorers": ()}
    each = replace(FINE_RUN.evaluations[0], **{**nothing, **evaluation})

    assert found(RunResults(evaluations=(each,))) == [(UNREADABLE, reason)]


def test_a_run_with_a_score_may_have_an_evaluation_without_one() -> None:
    empty = replace(FINE_RUN.evaluations[0], answered=0, passed=0, skipped=Noted(1))

    assert found(replace(FINE_RUN, evaluations=(*FINE_RUN.evaluations, empty))) == []


def test_what_was_not_kept_is_not_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    unkept = replace(FINE_RUN, id="", is_interrupted=True)

    assert run_exit_code(unkept, "ru", go_on=GO_ON) == INTERRUPTED
    assert capsys.readouterr().err == "callscore: прервано\n"


def test_an_answer_that_could_not_be_scored_is_not_a_missing_answer() -> None:
    each = replace(FINE_RUN.evaluations[0], cases=3, questions=3, errors=2, unscored=1)
    name = each.label
    only = replace(each, errors=1, unscored=1)

    assert found(replace(FINE_RUN, evaluations=(each,))) == [
        (NO_ANSWER, f"{name}: no answer for 1 case"),
        (NO_ANSWER, f"{name}: 1 case could not be scored"),
    ]
    assert found(replace(FINE_RUN, evaluations=(only,)), "ru") == [
        (NO_ANSWER, f"{name}: не удалось оценить: 1 случай")
    ]


def test_reasons_can_be_had_in_russian() -> None:
    assert [sentence for _, sentence in found(MIXED, "ru")] == [
        f"прервано; готовые результаты сохранены. Продолжить: {GO_ON}",
        "evals/eval_broken.py:3: ModuleNotFoundError: No module named 'wether'",
        "assistant: нет ответа для 4 случаев",
        "assistant: accuracy 0.667, требуется ≥ 0.900",
        "assistant: polite: нет оценки, требуется ≥ 0.500",
        "router: 1 случай не пройден",
    ]


@pytest.mark.parametrize(("fail_under", "codes"), [(None, []), (0.0, [FAILED])])
def test_a_forbidden_call_counts_once_there_is_a_fail_under(
    fail_under: float | None, codes: list[int]
) -> None:
    summary = Summary()
    summary.add(replace(WEATHER.score, forbidden=(1,)))
    each = FINE_RUN.evaluations[0]
    run = RunResults(
        evaluations=(
            replace(
                each,
                results=replace(each.results, summary=summary),
                scorers=(ScorerResult(name="accuracy", mean=0.5, fail_under=fail_under),),
            ),
        )
    )

    assert [code for code, _ in found(run)] == codes
    assert all("forbidden calls were made: calculator" in sentence for _, sentence in found(run))


# The gates of `callscore compare` and `callscore gate`.


def test_reasons_are_said_beside_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    print_gate_reasons(OPEN, "en")
    assert capsys.readouterr() == ("", "")

    print_gate_reasons(CLOSED, "en")
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 6
    assert said[3] == "callscore: 3 cases are missing (a, b, c)"

    print_gate_reasons(DOUBTFUL, "en")
    assert capsys.readouterr().err.startswith(
        "callscore: too few cases for a verdict: 1 worse, 0 better"
    )


# The gate of `callscore score` and `callscore demo`.

A, DELETE = ToolCall("a", {}), ToolCall("delete", {})


def results(*scores: Score, not_run: Noted | None = None) -> Results:
    summary = Summary()
    for score in scores:
        summary.add(score)
    return Results(settings=DEFAULT, summary=summary, not_run=not_run or Noted())


def test_a_forbidden_call_fails_a_gate_however_good_the_rest_is() -> None:
    fine, forbidden = Score((A,), (A,), 1), Score((A,), (A, DELETE), 1, forbidden=(1,))
    made = results(fine, forbidden)

    assert score_exit_reasons(made, 0.5, "en") == [
        "forbidden calls were made: delete",
    ]
    assert score_exit_reasons(made, 0.6, "ru") == [
        "macro F1 50.0%, требуется ≥ 60.0% (--fail-under)",
        "вызваны запрещённые инструменты: delete",
    ]
    assert score_exit_reasons(results(fine), 1, "en") == []


def test_a_gate_fails_if_no_case_has_a_call_that_counts() -> None:
    ignored = (Ignored(A, "actual", "read"),)
    uncounted, fine = Score((), (), 0, ignored=ignored), Score((A,), (A,), 1)

    assert score_exit_reasons(results(uncounted), 0.5, "en") == [
        "no case has a call that counts under these settings, so --fail-under has nothing to check"
    ]
    assert score_exit_reasons(results(uncounted, fine), 0.5, "en") == []


def test_the_score_and_the_limit_are_never_rounded_to_the_same_number() -> None:
    scores = [Score((A,), (A,), 1)] * 2249 + [Score((A,), (), 0)] * 751  # 0.74966...

    assert score_exit_reasons(results(*scores), 0.75, "en") == [
        "macro F1 74.9%, required ≥ 75.0% (--fail-under)"
    ]


def test_a_gate_fails_where_nothing_was_scored_or_a_reference_was_not_run() -> None:
    not_run = Noted(7, tuple("abcdefg"))

    assert score_exit_reasons(results(not_run=not_run), 0.5, "en") == [
        "no case was scored",
        "cases without an answer: a, b, c, d, e, +2",
    ]


def test_skipped_records_fail_a_gate_unless_they_are_allowed() -> None:
    skipped = replace(results(Score((A,), (A,), 1)), skipped=Noted(2, ("a:1: bad", "a:2: bad")))

    assert score_exit_reasons(skipped, 0, "en") == [
        "2 records could not be read, allowed ≤ 0 (--max-skipped)"
    ]
    assert score_exit_reasons(skipped, 0, "ru", 1) == [
        "2 записи не прочитаны, допустимо ≤ 1 (--max-skipped)"
    ]
    assert score_exit_reasons(skipped, 0, "en", 2) == []


def test_skipped_records_fail_a_check_only_with_fail_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    skipped = CheckResults(runs=1, skipped=Noted(1, ("a:1: bad",)))

    assert check_exit_code(skipped, (), "en") == OK
    assert check_exit_code(skipped, ("any",), "en", 1) == OK
    assert capsys.readouterr().err == ""
    assert check_exit_code(skipped, ("any",), "en") == FAILED
    assert "1 record could not be read, allowed ≤ 0" in capsys.readouterr().err


def test_what_was_lost_fails_a_check_only_with_fail_on(capsys: pytest.CaptureFixture[str]) -> None:
    unanswered = CheckResults(runs=1, without_calls=Noted(2, ("a:1 b", "a:2 c")))
    empty = CheckResults(runs=1, empty_files=("b.jsonl",))

    assert check_exit_code(unanswered, (), "en") == OK
    assert capsys.readouterr().err == ""
    assert check_exit_code(unanswered, ("any",), "en") == FAILED
    assert "cases without an answer: a:1 b, a:2 c" in capsys.readouterr().err
    assert check_exit_code(empty, (), "en") == OK
    assert check_exit_code(empty, ("loop",), "ru") == FAILED
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "callscore: files without cases: b.jsonl",
        "callscore: файлы без случаев: b.jsonl",
    ]


def test_a_rescored_run_without_some_records_fails_unless_they_are_allowed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = RunResults(unreadable=3)

    assert run_exit_code(run, "en", go_on="", max_skipped=3) == UNREADABLE  # nothing was scored
    assert "allowed" not in capsys.readouterr().err
    run_exit_code(run, "en", go_on="", max_skipped=2)
    assert "3 records could not be read, allowed ≤ 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("why", "code", "lang", "said"),
    [
        ("dry run", OK, "ru", "ничего не записано"),
        ("declined", FAILED, "en", "nothing was written"),
        ("declined", FAILED, "ru", "ничего не записано"),
        # Errors are in English only.
        ("unselected", UNREADABLE, "ru", "nothing selected: no case matches -k"),
        (
            "no terminal",
            USAGE,
            "ru",
            "nothing was written: there is no terminal to ask for confirmation. Pass --yes to write",
        ),
    ],
)
def test_why_nothing_is_blessed_decides_about_the_code(
    why: str, code: int, lang: Language, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert unblessed_exit_code(why, lang) == code
    assert capsys.readouterr().err == f"callscore: {said}\n"


def test_a_run_with_faults_is_refused_as_a_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    assert baseline_exit_code("a", []) == OK
    assert capsys.readouterr().err == ""

    assert baseline_exit_code("a", ["it did not end", "1 error"]) == FAILED
    assert capsys.readouterr().err.startswith(
        "callscore: the run a cannot be a baseline: it did not end, 1 error. Choose another run"
    )
