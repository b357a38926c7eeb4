"""The progress of a run, and what is printed about a process that did not finish."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from callscore.cli import board as boards
from callscore.cli.board import Board
from callscore.cli.unfinished import (
    Progress,
    advice_text,
    read_progress,
    tracked_run,
    tracking_files,
    tracking_parts,
    unfinished_text,
    write_progress,
)
from callscore.core.case import Case
from callscore.evaluations.evaluation import Question
from callscore.evaluations.plan import keyword_filter
from callscore.runner.running import RunHooks

BEGUN = Progress("callscore run --resume", "en")


def board() -> Board:
    made = Board()
    made.claim()
    return made


def test_the_progress_is_the_last_one_that_was_written_completely() -> None:
    made = board()
    read = [read_progress(made)]

    for saved in range(3):
        write_progress(made, replace(BEGUN, saved=saved))
        read.append(read_progress(made))
    write_progress(made, replace(BEGUN, command="x" * 100_000))  # there is no room for it
    read.append(read_progress(made))
    write_progress(made, None)

    assert [None if each is None else each.saved for each in read] == [None, 0, 1, 2, 2]
    assert read_progress(made) is None


@pytest.mark.parametrize(
    ("ended", "progress", "text"),
    [
        (0, None, "the command did not finish: its process ended with exit code 0"),
        (-11, None, "the command did not finish: its process was ended by SIGSEGV"),
        (-40, None, "the command did not finish: its process was ended by signal 40"),
        (
            0,
            replace(BEGUN, total=1200, saved=1000, current=7, names=(("a", ""), ("b", "v 2"))),
            (
                "the run did not finish: its process ended with exit code 0 while answering a, b [v 2],"
                " +5; 1,000 of 1,200 results are saved. To continue: callscore run --resume"
            ),
        ),
        (
            -9,
            Progress("", "ru", total=4, saved=1),
            (
                "прогон не завершён: процесс прерван сигналом SIGKILL (возможно, не хватило памяти);"
                " сохранено результатов: 1 из 4"
            ),
        ),
        (
            0,
            Progress("", "en", file="evals/eval_i.py"),
            (
                "the command did not finish: its process ended with exit code 0 while importing"
                " evals/eval_i.py"
            ),
        ),
    ],
)
def test_a_sentence_says_how_it_ended_and_how_to_continue(
    ended: int, progress: Progress | None, text: str
) -> None:
    assert unfinished_text(ended, progress) == text


@pytest.mark.parametrize(
    ("ended", "changes", "advice"),
    [
        (0, {"names": (("q4", ""),)}, "if q4 ends it again, leave it out: -k 'not q4'"),
        (-9, {"names": (("q4", "b"),)}, "if q4 ends it again, leave it out: -k 'not q4'"),
        (
            7,
            {"names": (("q 4", ""),), "keyword": "paris or oslo"},
            "if q 4 ends it again, leave it out: -k '(paris or oslo) and not \"q 4\"'",
        ),
        (
            7,
            {"names": (('say "no"', ""),)},
            """if say "no" ends it again, leave it out: -k 'not '"'"'say "no"'"'"''""",
        ),
        (7, {"names": (("\"'", ""),)}, None),
        (7, {"names": (("ask [hidden 5f2c91ab90c4]", ""),)}, None),
        (
            7,
            {"names": (("a", ""), ("b", "")), "current": 2},
            "if it ends again, find out which case ends it: --jobs 1",
        ),
        (7, {"names": (), "current": 0}, None),
        (7, {"names": (("q4", ""),), "command": ""}, None),
        (-15, {"names": (("q4", ""),)}, None),  # a user did it
    ],
)
def test_a_case_that_ends_each_run_can_be_found_and_left_out(
    ended: int, changes: dict[str, Any], advice: str | None
) -> None:
    progress = replace(BEGUN, **{"current": 1, **changes})

    assert advice_text(ended, progress) == advice
    if advice is not None and "-k" in advice:
        ((case, _),) = progress.names
        fits = keyword_filter(shlex.split(advice.partition("-k ")[2])[0])
        assert not fits(["assistant", case])
        assert fits(["assistant", "paris"])


def test_a_command_without_progress_has_no_advice() -> None:
    assert advice_text(0, None) is None


def test_the_file_that_is_imported_is_known_until_all_are(monkeypatch: pytest.MonkeyPatch) -> None:
    made = board()
    monkeypatch.setattr(boards, "_own_board", made)

    with tracking_files("ru") as on_file:
        on_file(Path("a.py"))
        first = read_progress(made)
        on_file(Path("b" * 100_000))  # the end of it is enough
        second = read_progress(made)

    assert first == Progress("", "ru", file="a.py")
    assert second is not None
    assert set(second.file) == {"b"}
    assert read_progress(made) is None


def test_without_a_parent_no_file_is_noted() -> None:
    with tracking_files("en") as on_file:
        on_file(Path("a.py"))


def test_the_progress_of_a_run_names_the_first_cases_without_a_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = board()
    monkeypatch.setattr(boards, "_own_board", made)
    evaluation: Any = None
    questions = [
        Question(evaluation=evaluation, case=Case("", id=f"case-{number}"), variant="v")
        for number in range(8)
    ]
    result: Any = None
    plans: list[int] = []

    with tracked_run(RunHooks(on_plan=plans.append), replace(BEGUN)) as hooks:
        hooks.on_plan(10)
        for question in questions:
            hooks.on_started(question)
        for question in questions[:2]:
            hooks.on_done(question, result)
        progress = read_progress(made)

    names = tuple((f"case-{number}", "v") for number in range(2, 7))
    assert progress == replace(BEGUN, total=10, saved=2, current=6, names=names)
    assert plans == [10]
    assert read_progress(made) is None  # nothing is left to answer


def test_without_a_parent_the_hooks_of_a_run_stay_as_they_are() -> None:
    hooks = RunHooks()

    with tracked_run(hooks, BEGUN) as same:
        assert same is hooks


def test_the_parts_of_a_large_run_are_named_while_there_are_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, folder = board(), tmp_path / "rows.parquet.parts"
    monkeypatch.setattr(boards, "_own_board", made)
    ended = "the command did not finish: its process was ended by SIGTERM"

    with tracking_parts(folder, "en"):
        progress = read_progress(made)
        assert unfinished_text(-15, progress) == ended
        folder.mkdir()
        assert unfinished_text(-15, progress) == (
            f"{ended}; what is done is in {folder}. To continue, add --resume to the same command"
        )
        assert advice_text(-11, progress) is None

    assert read_progress(made) is None


def test_without_a_parent_no_parts_are_named(tmp_path: Path) -> None:
    with tracking_parts(tmp_path, "en"):
        assert boards.own_board() is None
