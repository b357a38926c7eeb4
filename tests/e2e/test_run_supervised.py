"""Commands whose process is ended by an agent, a scorer, a plugin or a signal: never with exit code 0."""

from __future__ import annotations

import os
import pty
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from msgspec.json import decode
from tests.e2e.agents import add_file, asked
from tests.e2e.conftest import SOURCE
from tests.e2e.processes import is_running, started, wait_until

from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

# The second case does something that no agent should, unless a file says that it is repaired.
ENDING = """
import os, sys

def end():
    {ending}

@evaluation(cases=CASES, fail_under={{"accuracy": 1.0}})
def assistant(case):
    asking(case)
    if case.id == "sum" and not Path("repaired").exists():
        end()
    return ANSWERS[case.id]
"""
# How it ends, the exit code, and what is said about it.
ENDINGS = {
    "exit": ("os._exit(0)", 5, "ended with exit code 0"),
    "exec": ("os.execv('/bin/sh', ['sh', '-c', 'exit 0'])", 5, "ended with exit code 0"),
    "all closed": ("os.closerange(0, 256); os._exit(0)", 5, "ended with exit code 0"),
    "a copy exits": (
        "pid = os.fork()\n    if not pid: sys.exit(0)\n    os.waitpid(pid, 0); os._exit(0)",
        5,
        "ended with exit code 0",
    ),
    "killed": (
        "os.kill(os.getpid(), 9)",
        137,
        "was ended by SIGKILL (perhaps too little memory)",
    ),
    "terminated": ("os.kill(os.getpid(), 15)", 143, "was ended by SIGTERM"),
}
HANGING = ENDING.format(
    ending="Path('pid').write_text(str(os.getpid())); __import__('time').sleep(600)"
)


def pid_of_child(folder: Path) -> int:
    """The process of the agent, as soon as the second case hangs and the first one is saved."""

    def hangs() -> bool:
        if not (folder / "pid").exists() or not (folder / "pid").read_text():
            return False
        with open_store(folder / ".callscore/history.db") as store:
            return any(len(list(store.results(run.id))) == 1 for run in store.runs())

    wait_until(hangs, "one answer is saved, another one hangs")
    return int((folder / "pid").read_text())


@pytest.mark.parametrize("kind", ENDINGS)
def test_an_agent_that_ends_the_process_fails_the_run(
    callscore: Program, tmp_path: Path, kind: str
) -> None:
    ending, code, how = ENDINGS[kind]
    source = ENDING.format(ending=ending)
    if "closerange" in ending:  # in the thread of the loop, which could not go on without its files
        source = source.replace("def assistant", "async def assistant")
    add_file(tmp_path, "eval_ending.py", source)

    ran = callscore("run", "--jobs", "1", "--fail-under", "0")

    assert (ran.returncode, ran.stdout) == (code, "")
    unfinished = (
        f"callscore: the run did not finish: its process {how} while answering sum; 1 of 3 results are"
        " saved. To continue: callscore run . --resume --jobs 1 --fail-under 0"
    )
    assert ran.stderr.splitlines() == [unfinished]
    assert "did not finish" in callscore("history").stdout
    (tmp_path / "repaired").touch()
    assert callscore("run", "--resume", "--jobs", "1").returncode == 0
    assert asked(tmp_path) == ["weather", "sum", "sum", "greeting"]


def test_trials_are_counted_and_the_sentence_is_in_the_language_of_the_report(
    callscore: Program, tmp_path: Path
) -> None:
    add_file(tmp_path, "eval_ending.py", ENDING.format(ending="os._exit(0)"))

    ran = callscore("run", "--jobs", "1", "--trials", "2", "--lang", "ru")

    assert ran.returncode == 5
    assert ran.stderr == (
        "callscore: прогон не завершён: процесс закончился с кодом 0 во время ответа на sum; сохранено"
        " результатов: 2 из 6. Продолжить: callscore run . --resume --jobs 1 --lang ru\n"
    )


def test_the_command_that_is_suggested_finishes_the_run_and_writes_the_report(
    callscore: Program, tmp_path: Path
) -> None:
    variants = ENDING.replace("cases=CASES,", 'cases=CASES, variants={{"a": {{}}, "b": {{}}}},')
    add_file(tmp_path, "eval_ending.py", variants.format(ending="os._exit(0)"))

    ran = callscore("run", "-j", "1", "-k", "not greeting", "--json", "-o", "report.txt")
    command = shlex.split(ran.stderr.partition("To continue: callscore ")[2])
    again = callscore(*command)
    rest = callscore(*command, "-k", "not greeting and not sum")

    assert "while answering sum [a]; 1 of 4 results are saved." in ran.stderr
    assert (again.returncode, again.stdout, again.stderr) == (5, "", ran.stderr)
    assert (rest.returncode, rest.stdout, rest.stderr) == (0, "", "")
    report = decode((tmp_path / "report.txt").read_bytes())
    assert report["totals"]["answered"] == 2


def test_a_file_that_ends_the_process_fails_the_command(callscore: Program, tmp_path: Path) -> None:
    add_file(tmp_path, "eval_ending.py", "import os\nos._exit(0)")

    ran = callscore("run", "--collect-only")

    assert (ran.returncode, ran.stdout) == (5, "")
    assert ran.stderr == (
        "callscore: the command did not finish: its process ended with exit code 0 while importing"
        " eval_ending.py\n"
    )


@pytest.mark.parametrize(
    ("raised", "codes"),
    [
        ("SystemExit(0)", (3, 4)),
        ("KeyboardInterrupt", (130, 4)),
        ("GeneratorExit", (5, 4)),
    ],
)
def test_an_exception_that_would_end_the_program_fails_the_command(
    callscore: Program, tmp_path: Path, raised: str, codes: tuple[int, int]
) -> None:
    add_file(tmp_path, "eval_importing.py", f"raise {raised}")
    add_file(tmp_path, "eval_ending.py", ENDING.format(ending=f"raise {raised}"))

    found = [callscore("run", f"eval_{name}.py").returncode for name in ("importing", "ending")]

    assert tuple(found) == codes


def test_an_agent_whose_copy_ends_or_whose_program_exits_at_the_end_changes_nothing(
    callscore: Program, tmp_path: Path
) -> None:
    forking = "pid = os.fork()\n    if not pid: os._exit(3)\n    os.waitpid(pid, 0)"
    at_exit = "__import__('atexit').register(os._exit, 0); raise ValueError"
    add_file(tmp_path, "eval_forking.py", ENDING.format(ending=forking))
    add_file(tmp_path, "eval_exit.py", ENDING.format(ending=at_exit))

    assert callscore("run", "eval_forking.py").returncode == 0
    assert callscore("run", "eval_exit.py").returncode == 4


def test_a_scorer_that_ends_the_process_fails_rescore(callscore: Program, tmp_path: Path) -> None:
    scorer = """
    import os

    def careful(case, score):
        if Path("ends").exists():
            os._exit(0)
        return 1.0

    @evaluation(cases=CASES, scorers=[careful])
    def assistant(case):
        return ANSWERS[case.id]
    """
    add_file(tmp_path, "eval_scored.py", scorer)
    assert callscore("run").returncode == 0
    (tmp_path / "ends").touch()

    ran = callscore("rescore")

    assert (ran.returncode, ran.stdout) == (5, "")
    assert "the command did not finish: its process ended with exit code 0\n" in ran.stderr


def test_a_plugin_that_exits_fails_score(callscore: Program, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    (installed / "ending-1.0.dist-info").mkdir(parents=True)
    about = "Metadata-Version: 2.1\nName: ending\nVersion: 1.0\n"
    (installed / "ending-1.0.dist-info/METADATA").write_text(about)
    points = "[callscore.formats]\nending = ending\n"
    (installed / "ending-1.0.dist-info/entry_points.txt").write_text(points)
    (installed / "ending.py").write_text("import sys\nsys.exit()\n")
    (tmp_path / "cases.jsonl").write_text('{"expected": [], "actual": {"unknown": 1}}\n')

    ran = callscore(
        "score", "cases.jsonl", "--fail-under", "1", PYTHONPATH=f"{SOURCE}{os.pathsep}{installed}"
    )

    assert (ran.returncode, ran.stdout) == (5, "")
    assert ran.stderr == (
        "callscore: the command did not finish: its process ended with exit code 0\n"
    )


def test_a_signal_to_the_parent_reaches_the_run(tmp_path: Path) -> None:
    add_file(tmp_path, "eval_hanging.py", HANGING)
    with started(tmp_path, "run", "--jobs", "1") as process:
        child = pid_of_child(tmp_path)
        process.terminate()
        code = process.wait()

    assert code == 128 + signal.SIGTERM
    assert "its process was ended by SIGTERM while answering sum; 1 of 3 results are saved" in (
        (tmp_path / "stderr").read_text()
    )
    assert not is_running(child)


@pytest.mark.parametrize("is_parent", [True, False])
def test_kill_9_of_either_process_ends_both_and_loses_nothing(
    callscore: Program, tmp_path: Path, is_parent: bool
) -> None:
    add_file(tmp_path, "eval_hanging.py", HANGING)
    with started(tmp_path, "run", "--jobs", "1") as process:
        child = pid_of_child(tmp_path)
        os.kill(process.pid if is_parent else child, signal.SIGKILL)
        code = process.wait()
        wait_until(lambda: not is_running(child), "the run has ended, too")

    assert code == (-signal.SIGKILL if is_parent else 128 + signal.SIGKILL)
    (tmp_path / "repaired").touch()
    ran = callscore("run", "--resume", "--jobs", "1")
    assert ran.returncode == 0
    assert "All 3 passed\n3 cases (1 reused) in " in ran.stdout
    assert asked(tmp_path) == ["weather", "sum", "sum", "greeting"]


def test_kill_9_of_the_parent_ends_a_run_that_does_not_release_the_interpreter(
    tmp_path: Path,
) -> None:
    stuck = (
        "Path('pid').write_text(str(os.getpid())); __import__('re').match('(a+)+$', 'a' * 60 + 'b')"
    )
    add_file(tmp_path, "eval_stuck.py", ENDING.format(ending=stuck).replace("CASES", "CASES[1:2]"))
    with started(tmp_path, "run") as process:
        wait_until(
            lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text(), "it is stuck"
        )
        child = int((tmp_path / "pid").read_text())
        process.kill()
        process.wait()
        try:
            wait_until(lambda: not is_running(child), "the run has ended, too")
        finally:
            if is_running(child):
                os.kill(child, signal.SIGKILL)


# A shell of its own makes the terminal the one that controls the processes.
ON_TERMINAL = "import os, sys, fcntl, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
ON_TERMINAL += " os.execv(sys.executable, [sys.executable, '-m', 'callscore', *sys.argv[1:]])"


def on_terminal(folder: Path, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """The program on a terminal, with standard error in a file, and the end that types."""
    typing, shown = pty.openpty()
    with (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, *arguments],
            stdin=shown,
            stdout=shown,
            stderr=err,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
    os.close(shown)
    return process, typing


def test_ctrl_c_on_a_terminal_is_said_once(tmp_path: Path) -> None:
    add_file(tmp_path, "eval_hanging.py", HANGING)
    process, typing = on_terminal(tmp_path, "run", "--jobs", "1")
    try:
        child = pid_of_child(tmp_path)
        os.write(typing, b"\x03")
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        os.close(typing)

    assert code == 130
    assert (tmp_path / "stderr").read_text() == (
        "callscore: interrupted; finished results are saved. To continue: callscore run . --resume --jobs 1\n"
    )
    assert not is_running(child)


def test_signals_to_the_group_stop_and_continue_both(tmp_path: Path) -> None:
    until_repaired = "[*iter(Path('repaired').exists, True)]"
    hanging = HANGING.replace("__import__('time').sleep(600)", until_repaired)
    add_file(tmp_path, "eval_hanging.py", hanging)
    process, typing = on_terminal(tmp_path, "run", "--jobs", "1")
    try:
        pid_of_child(tmp_path)
        os.killpg(process.pid, signal.SIGSTOP)  # Ctrl-Z has no effect without a shell
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        os.killpg(process.pid, signal.SIGCONT)
        (tmp_path / "repaired").touch()
        code = process.wait()
    finally:
        process.kill()
        process.wait()
        os.close(typing)

    assert code == 0
