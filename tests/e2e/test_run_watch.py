"""`callscore run --watch`: a real process, and files that change under it."""

from __future__ import annotations

import os
import signal
from time import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.agents import ASSISTANT, add_file, asked
from tests.e2e.processes import started, wait_until
from tests.servers.fork_server import SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.conftest import Program

    Change = Callable[[Path, str], None]

OTHER = """
from answering import answer

@evaluation(cases=CASES[:1])
def other(case):
    asking(case)
    Path("evals/thoughts.json").write_text("[]")
    return answer(case)
"""


def waits(folder: Path, times: int) -> bool:
    """Whether it has run so many times, and waits for the next change."""
    return (folder / "stderr").read_text().count(
        "watching for changes; press Ctrl-C to stop"
    ) == times


@pytest.fixture
def change(tmp_path_factory: pytest.TempPathFactory) -> Change:
    """Changes a file at once, as editors do: half of the change would be one, too."""
    aside = tmp_path_factory.mktemp("aside") / "file"

    def change(file: Path, text: str) -> None:
        aside.write_text(text)
        # The clock of files lags behind: it would seem to be written by the run that has just ended.
        os.utime(aside, (time() + 1, time() + 1))
        aside.replace(file)

    return change


def test_evaluations_are_run_again_after_each_change_until_ctrl_c(
    tmp_path: Path, change: Change
) -> None:
    file = add_file(tmp_path, "evals/eval_assistant.py", ASSISTANT)
    add_file(tmp_path, "evals/eval_other.py", OTHER)
    helper = tmp_path / "evals/answering.py"
    helper.write_text("def answer(case):\n    return []\n")

    with started(tmp_path, "run", "evals", "--watch", "--jobs", "1") as process:
        wait_until(lambda: waits(tmp_path, 1), "the first run")
        change(file, ASSISTANT.replace('{"location": "Paris"}', '{"location": "Lyon"}'))
        wait_until(lambda: waits(tmp_path, 2), "the file of evaluations alone")
        change(helper, "def answer(case):\n    return [{'name': 'getWeather'}]\n")
        wait_until(lambda: waits(tmp_path, 3), "everything, for what stands beside it")
        change(file, "import no_such_module\n")
        wait_until(lambda: waits(tmp_path, 4), "a broken file")
        process.send_signal(signal.SIGINT)
        code = process.wait()

    err = (tmp_path / "stderr").read_text()
    assert code == 130
    three = ["weather", "sum", "greeting"]
    assert asked(tmp_path) == [*three, "weather", *three, *three, "weather"]
    assert "callscore: changed: evals/eval_assistant.py\n" in err
    assert "callscore: changed: evals/answering.py\n" in err
    assert "thoughts.json" not in err  # an agent's own notes start nothing
    assert "callscore: evals/eval_assistant.py:1: " in err
    assert "Traceback" not in err
    out = (tmp_path / "stdout").read_text()
    assert '~ location: "Paris"     location: "Lyon"' in out
    assert out.count("other   evals/eval_other.py:") == 2


def test_answers_from_before_another_file_changed_are_not_taken(
    tmp_path: Path, change: Change
) -> None:
    file = add_file(tmp_path, "eval_other.py", OTHER.replace("evals/thoughts", "thoughts"))
    former = file.read_text()
    helper = tmp_path / "answering.py"
    helper.write_text("def answer(case):\n    return []\n")

    with started(tmp_path, "run", "--watch") as process:
        wait_until(lambda: waits(tmp_path, 1), "the first run")
        change(file, former + "\nMORE = 1\n")
        wait_until(lambda: waits(tmp_path, 2), "the changed file")
        change(helper, "def answer(case):\n    return ANSWER\n\nANSWER = ['getWeather']\n")
        wait_until(lambda: waits(tmp_path, 3), "what stands beside it")
        change(file, former)
        wait_until(lambda: waits(tmp_path, 4), "the file as it was at first")
        change(file, former + "\nMORE = 1\n")
        wait_until(lambda: waits(tmp_path, 5), "what was asked since that change")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130

    assert asked(tmp_path) == ["weather"] * 4
    assert (tmp_path / "stdout").read_text().count("1 case (1 reused)") == 1


def test_of_a_suite_only_what_is_new_is_asked(tmp_path: Path, change: Change) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": "a", "actual": ["f"]}\n')
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": "a", "input": "x", "expected": []}\n')
    suite = tmp_path / "eval_suite.yaml"
    suite.write_text("answers: answers.jsonl\ncases: cases.jsonl\n")
    notes = tmp_path / "notes.txt"
    notes.write_text("Nothing.")
    reports: list[dict[str, Any]] = []

    def report_after(times: int, what: str) -> None:
        wait_until(lambda: waits(tmp_path, times), what)
        reports.append(msgspec.json.decode((tmp_path / "run.json").read_bytes()))

    with started(tmp_path, "run", "--watch", "--format", "json", "-o", "run.json") as process:
        report_after(1, "the first run")
        change(suite, "answers: answers.jsonl\ncases: cases.jsonl\nscorers: [recall]\n")
        report_after(2, "the changed suite")
        change(cases, '{"id": "a", "input": "x", "expected": ["f"]}\n')
        report_after(3, "the changed cases")
        notes.unlink()
        report_after(4, "something else is gone")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130

    assert [report["totals"]["reused"] for report in reports] == [0, 1, 1, 1]
    assert [report["totals"]["passed"] for report in reports] == [0, 1, 1, 1]


def test_without_the_extra_it_says_what_to_install(callscore: Program, tmp_path: Path) -> None:
    add_file(tmp_path, "eval_assistant.py", ASSISTANT)
    add_file(tmp_path, "missing/watchfiles.py", "raise ImportError\n")

    # A process of its own: a copy of another one may have imported the extra.
    ran = callscore("run", "--watch", PYTHONPATH=f"{tmp_path / 'missing'}{os.pathsep}{SOURCE}")

    assert ran.returncode == 3
    assert ran.stderr == "callscore: --watch needs an extra: pip install 'callscore[watch]'\n"
    assert asked(tmp_path) == []
