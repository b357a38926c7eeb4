"""Functions in another process: what they print, what they end, and where that finds its modules."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.e2e.processes import is_running, wait_until

from callscore.processes import Process, ProcessEnded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.process
# A process that asks another one to work for long, and tells which.
ASKER = """
import time
from callscore.processes import Process
process = Process()
print(process._process.pid, flush=True)
process.call(time.sleep, 600)
"""


@pytest.fixture
def process() -> Iterator[Process]:
    found = Process()
    yield found
    found.end()


def test_what_a_function_prints_and_reads_is_not_part_of_the_answers(process: Process) -> None:
    process.call(print, "printed")
    written = process.call(os.write, 1, b"written")
    read = process.call(os.read, 0, 10)

    assert (written, read) == (7, b"")


def test_values_are_equal_that_json_does_not_have(process: Process) -> None:
    value = {"a": (float("inf"), 10**30, "\ud800", None, b"x")}

    assert process.call(dict, value) == value


@pytest.mark.parametrize(("end", "code"), [((os._exit, 3), 3), ((os.abort,), -signal.SIGABRT)])
def test_a_function_that_ends_the_process_is_an_error_with_its_exit_code(
    process: Process, end: tuple[object], code: int
) -> None:
    with pytest.raises(ProcessEnded) as ended:
        process.call(*end)  # type: ignore[arg-type]

    assert ended.value.code == code
    assert not process.is_running


def test_no_module_is_imported_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("queue", "marshal", "subprocess", "callscore"):
        (tmp_path / f"{name}.py").write_text("import os; os._exit(9)")
    process = Process()
    try:
        assert process.call(os.getcwd) == str(tmp_path)
    finally:
        process.end()


def test_a_process_ends_with_the_one_that_started_it_even_at_work() -> None:
    with subprocess.Popen([sys.executable, "-c", ASKER], stdout=subprocess.PIPE) as asker:
        assert asker.stdout is not None
        child = int(asker.stdout.readline())
        asker.kill()
    wait_until(lambda: not is_running(child), "it has ended, too")
