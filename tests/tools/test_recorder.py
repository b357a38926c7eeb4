from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.transcript.comparison import read_recording

ROOT = Path(__file__).parents[2]


def transcript(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tools.transcript", *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_output_exit_codes_files_and_histories_of_selected_jobs_are_recorded(
    tmp_path: Path,
) -> None:
    file = tmp_path / "before.jsonl"

    ended = transcript("--only", "^history/newer:", "-o", str(file))

    assert ended.returncode == 0, ended.stderr
    run, change, history, *_, kept = read_recording(file).values()
    assert (run.key, run.exit) == ("history/newer #1", 0)
    assert "<run-1>" in run.stdout + run.stderr
    assert "history.db" not in "".join(run.files)
    assert (change.command[:9], change.exit) == ("python -c", 0)
    assert (history.exit, history.stdout) == (3, "")
    assert kept.command == "callscore history --json --store .callscore/history.db"


def test_a_recording_that_differs_is_told_by_exit_code(tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    line = '{"key":"x #1","command":"callscore show","exit":0,"stdout":"a\\n","stderr":""}\n'
    before.write_text(line)
    after.write_text(line.replace('"a\\n"', '"b\\n"'))

    same = transcript("--compare", str(before), str(before))
    different = transcript("--compare", str(before), str(after))

    assert (same.returncode, same.stdout) == (0, "All 1 commands are the same\n")
    assert different.returncode == 1
    assert "=== x #1\n    callscore show\n" in different.stdout
