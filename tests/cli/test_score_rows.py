"""`callscore score` on large data, from the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.commands import run

from callscore.engines import results_of, splits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.process


def record(number: int) -> dict[str, Any]:
    expected = [{"name": "book", "arguments": {"seat": number}}]
    actual = [{"name": "book", "arguments": {"seat": number if number % 4 else -1}}]
    return {"id": f"case {number}", "expected": expected, "actual": actual}


def write_lines(path: Path, records: Sequence[Any]) -> None:
    path.write_bytes(b"".join([msgspec.json.encode(each) + b"\n" for each in records]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "callscore.toml").touch()
    (tmp_path / "logs" / "a").mkdir(parents=True)
    write_lines(tmp_path / "logs" / "a" / "first.jsonl", [record(n) for n in range(100)])
    write_lines(tmp_path / "logs" / "second.jsonl", [record(n) for n in range(100, 200)])
    return tmp_path


def test_rows_are_written_for_all_files_of_a_pattern(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run("score", "logs/**/*.jsonl", "--jobs", "auto", "--results", "rows.parquet")

    rows = parquet.read_table(folder / "rows.parquet")
    out, err = capsys.readouterr()
    assert code == 0
    assert rows["id"].to_pylist() == [f"case {n}" for n in range(200)]
    assert results_of(rows).summary.passed == 150
    assert "75.0%" in out
    assert "200 rows written to rows.parquet" in err
    assert not (folder / "rows.parquet.parts").exists()


def test_the_report_is_the_same_as_without_rows(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("score", "logs/**/*.jsonl")
    plain = capsys.readouterr().out
    run("score", "logs/**/*.jsonl", "--results", "rows.parquet")
    assert capsys.readouterr().out == plain

    run("score", "logs/**/*.jsonl", "--max-shown", "10", "--show", "failing", "--json")
    plain = capsys.readouterr().out
    run("score", "logs/**/*.jsonl", "--json", "--results", "rows.parquet")
    assert msgspec.json.decode(capsys.readouterr().out) == msgspec.json.decode(plain)
    assert (folder / "rows.parquet").exists()


def test_a_folder_of_rows_is_one_data_set(folder: Path) -> None:
    assert run("score", "logs/**/*.jsonl", "--results", "rows/") == 0

    assert sorted(path.suffix for path in (folder / "rows").iterdir()) == [".parquet"]
    assert parquet.read_table(folder / "rows").num_rows == 200


def test_a_gate_counts_bad_records_and_names_their_places(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "logs" / "third.jsonl"
    path.write_bytes(b'{"id": "broken"\n' + msgspec.json.encode(record(1)) + b"\n")
    options = ["score", "logs/**/*.jsonl", "--results", "rows.parquet", "--fail-under", "0.5"]

    code = run(*options)
    out, err = capsys.readouterr()
    assert code == 1
    assert "third.jsonl@0" in out
    assert "1 record could not be read" in err
    assert run(*options, "--max-skipped", "1") == 0
    capsys.readouterr()

    code = run(*options, "--no-skip-bad")
    assert code == 3
    assert "third.jsonl@0" in capsys.readouterr().err


def test_two_data_sets_are_joined(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [record(n) for n in range(50)]
    write_lines(
        folder / "references.jsonl", [{k: r[k] for k in ("id", "expected")} for r in records]
    )
    traces = [{k: r[k] for k in ("id", "actual")} for r in records[1:]]
    write_lines(folder / "traces.jsonl", [*traces, {"id": "unknown", "actual": []}])
    sides = ["--expected", "references.jsonl", "--actual", "traces.jsonl"]

    run("score", *sides, "--json", "--max-shown", "10", "--show", "failing")
    plain = msgspec.json.decode(capsys.readouterr().out)
    assert run("score", *sides, "--json", "--results", "rows.parquet", "--jobs", "2") == 0
    found = msgspec.json.decode(capsys.readouterr().out)

    assert found["totals"] == plain["totals"]
    assert found["not_run"] == plain["not_run"] == {"count": 1, "names": ["case 0"]}
    assert found["without_reference"]["count"] == 1
    statuses = parquet.read_table(folder / "rows.parquet")["status"].to_pylist()
    assert (statuses.count("scored"), statuses.count("no_answer")) == (49, 1)


def test_pairs_are_a_column_on_demand(folder: Path) -> None:
    run("score", "logs/second.jsonl", "--results", "rows.parquet", "--pairs")

    row = parquet.read_table(folder / "rows.parquet").to_pylist()[0]
    pairs = msgspec.json.decode(row["pairs"])
    assert pairs["incorrect"][0]["differences"][0]["path"] == "$.seat"


def test_secrets_are_hidden_in_pairs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", "a-very-secret-value-123")
    call = {"name": "log", "arguments": {"key": "a-very-secret-value-123"}}
    write_lines(folder / "secret.jsonl", [{"id": "a", "expected": [call], "actual": []}])

    run("score", "secret.jsonl", "--results", "rows.parquet", "--pairs")

    assert b"a-very-secret" not in (folder / "rows.parquet").read_bytes()
    assert "[hidden" in parquet.read_table(folder / "rows.parquet")["pairs"][0].as_py()


def test_a_run_saves_its_totals_and_the_failing_cases(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["score", "logs/**/*.jsonl", "--results", "rows.parquet", "--save", "nightly"]
    assert run(*options) == 0
    capsys.readouterr()

    assert run("show", "nightly") == 0
    out = capsys.readouterr().out
    assert "150 of 200 passed" in out
    assert "the totals are those of all cases" in out
    assert not (folder / "rows.parquet.parts").exists()


def test_a_sample_estimates_the_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = run("score", "logs/**/*.jsonl", "--sample", "50", "--json", "--fail-under", "0.5")

    found = msgspec.json.decode(capsys.readouterr().out)["sample"]
    low, high = found["macro_f1_interval"]
    assert code == 0
    assert (found["cases"], found["sampled_cases"]) == (200, 50)
    assert 0.4 < low < 0.75 < high < 0.95
    assert folder.exists()


def test_fail_under_is_compared_with_the_estimate_of_a_sample(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rare = [{"id": f"rare {n}", "expected": ["pay"], "actual": []} for n in range(20)]
    common = [{"id": f"{n}", "expected": ["find"], "actual": ["find"]} for n in range(1980)]
    write_lines(folder / "log.jsonl", [*rare, *common])

    code = run(
        *["score", "log.jsonl", "--sample", "40", "--by", "tool", "--fail-under", "0.9"],
        *["--format", "markdown"],
    )

    assert code == 0
    assert "99.0%" in capsys.readouterr().out.splitlines()[0]


def test_without_a_row_none_is_said_to_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty.jsonl").touch()

    assert run("score", "empty.jsonl", "--results", "rows.parquet") == 3
    assert "written" not in capsys.readouterr().err
    assert not (folder / "rows.parquet").exists()


def test_if_no_record_can_be_read_the_first_reason_is_told_completely(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(folder / "other.jsonl", [{"task": n, "wanted": ["f"]} for n in range(3)])

    assert run("score", "other.jsonl", "--results", "rows.parquet") == 3
    assert "pass their path: --map actual=$.path.to.calls" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_an_engine_has_processes_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    run("score", "logs/second.jsonl", "--engine", "ray", "--jobs", "2")  # which is not installed

    assert "--jobs has no effect with --engine" in capsys.readouterr().err


def test_existing_results_and_input_files_are_not_overwritten(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("score", "logs/**/*.jsonl", "--results", "rows/") == 0
    before = (folder / "rows" / "part-000000.parquet").read_bytes()
    parquet.write_table(pa.table({"id": ["a"], "expected": ["[]"], "actual": ["[]"]}), "in.parquet")

    assert run("score", "logs/**/*.jsonl", "--results", "rows/") == 2
    assert "the folder has files" in capsys.readouterr().err
    assert run("score", "in.parquet", "--results", "./in.parquet") == 2
    assert "the command reads this file, which would be lost" in capsys.readouterr().err
    assert run("score", "logs/second.jsonl", "missing.jsonl", "--results", "in.parquet") == 3
    assert "missing.jsonl: file not found" in capsys.readouterr().err
    (folder / "empty.jsonl").touch()
    assert run("score", "empty.jsonl", "--results", "in.parquet") == 3
    assert (folder / "rows" / "part-000000.parquet").read_bytes() == before
    assert parquet.read_table("in.parquet").num_rows == 1


def test_a_run_that_stops_at_a_bad_record_leaves_nothing_behind(folder: Path) -> None:
    (folder / "bad.jsonl").write_bytes(b"{broken\n")

    assert run("score", "bad.jsonl", "--results", "rows.parquet", "--no-skip-bad") == 3
    assert not list(folder.glob("rows.parquet*"))


IN_PARTS = """
import sys
from callscore.cli.main import main
from callscore.engines import splits

splits.SPLIT_SIZE = splits.plan_splits.__kwdefaults__["size"] = 100_000
sys.exit(main())
"""
# All its processes are killed as soon as some parts are done.
KILLED = """
import os, signal
from callscore.engines.collector import RepeatedIds

done = []

def take(repeated, ids, take=RepeatedIds.take):
    take(repeated, ids)
    done.append(ids)
    if len(done) == 4:
        os.killpg(0, signal.SIGKILL)

RepeatedIds.take = take
"""


def test_a_killed_command_is_continued(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(folder / "large.jsonl", [record(n) for n in range(20_000)])
    monkeypatch.setattr(splits, "SPLIT_SIZE", 100_000)
    options = ["score", "large.jsonl", "--results", "rows.parquet", "--jobs", "2"]

    killed = subprocess.run(
        [sys.executable, "-c", KILLED + IN_PARTS, *options], check=False, start_new_session=True
    )

    assert killed.returncode == -signal.SIGKILL
    assert not (folder / "rows.parquet").exists()
    assert run(*options) == 2
    assert "--resume" in capsys.readouterr().err

    found = subprocess.run(
        [sys.executable, "-c", IN_PARTS, *options, "--resume"], capture_output=True, check=False
    )
    assert found.returncode == 0
    assert b"not scored again" in found.stderr
    rows = parquet.read_table(folder / "rows.parquet")
    assert rows["id"].to_pylist() == [f"case {n}" for n in range(20_000)]
