"""The parent of a command: what the two processes share, and what is said about an end."""

from __future__ import annotations

import os
import shlex
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from callscore.cli import supervision
from callscore.cli.supervision import (
    Board,
    Progress,
    _code,
    advice_text,
    can_supervise,
    tracked_run,
    tracking_files,
    unfinished_text,
)
from callscore.core.case import Case
from callscore.evaluations.evaluation import Question
from callscore.evaluations.plan import keyword_filter
from callscore.runner.running import RunHooks

BEGUN = Progress("callscore run --resume", "en")
KILLED = 9  # the status of a process that this signal ended
EXITED = 256  # one more than the highest byte of a status with exit code 0


def board() -> Board:
    made = Board()
    made.claim()
    return made


def test_a_command_has_not_finished_until_it_says_so() -> None:
    made = board()

    before = made.code
    made.finish(4)

    assert (before, made.code) == (None, 4)


def test_a_copy_of_the_process_can_neither_finish_nor_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = board()
    monkeypatch.setattr(os, "getpid", lambda: -1)

    made.finish(0)
    made.write(BEGUN)

    assert (made.code, made.read()) == (None, None)


def test_the_progress_is_the_last_one_that_was_written_completely() -> None:
    made = board()
    read = [made.read()]

    for saved in range(3):
        made.write(replace(BEGUN, saved=saved))
        read.append(made.read())
    made.write(replace(BEGUN, command="x" * 100_000))  # there is no room for it
    read.append(made.read())
    made.write(None)

    assert [None if each is None else each.saved for each in read] == [None, 0, 1, 2, 2]
    assert made.read() is None


@pytest.mark.parametrize(
    ("finished", "status", "code"),
    [
        (0, 0, 0),
        (1, EXITED, 1),
        (1, 0, 1),  # the code of the command counts, whatever ends the process afterwards
        (0, 120 * EXITED, 120),  # standard output could not be written
        (0, KILLED, 137),
        (None, 0, 5),
        (None, 3 * EXITED, 5),
        (None, KILLED, 137),
    ],
)
def test_only_a_command_that_finished_exits_with_0(
    finished: int | None, status: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    made = board()
    if finished is not None:
        made.finish(finished)

    assert _code(status, made) == code
    assert bool(capsys.readouterr().err) == (finished is None or status == KILLED)


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
    monkeypatch.setattr(supervision, "_own_board", made)

    with tracking_files("ru") as on_file:
        on_file(Path("a.py"))
        first = made.read()
        on_file(Path("b" * 100_000))  # the end of it is enough
        second = made.read()

    assert first == Progress("", "ru", file="a.py")
    assert second is not None
    assert set(second.file) == {"b"}
    assert made.read() is None


def test_without_a_parent_no_file_is_noted() -> None:
    with tracking_files("en") as on_file:
        on_file(Path("a.py"))


def test_the_progress_of_a_run_names_the_first_cases_without_a_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = board()
    monkeypatch.setattr(supervision, "_own_board", made)
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
        progress = made.read()

    names = tuple((f"case-{number}", "v") for number in range(2, 7))
    assert progress == replace(BEGUN, total=10, saved=2, current=6, names=names)
    assert plans == [10]
    assert made.read() is None  # nothing is left to answer


def test_without_a_parent_the_hooks_of_a_run_stay_as_they_are() -> None:
    hooks = RunHooks()

    with tracked_run(hooks, BEGUN) as same:
        assert same is hooks


@pytest.mark.parametrize(
    ("arguments", "is_supervised"),
    [(["run"], True), (["score", "-"], True), (["mcp"], False), (["--help"], False), ([], False)],
)
def test_commands_have_a_parent_and_a_server_has_none(
    arguments: list[str], is_supervised: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)

    assert can_supervise(arguments) is is_supervised


def test_a_process_with_threads_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)

    assert not can_supervise(["run"])
