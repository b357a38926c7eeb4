"""`callscore export`, from the command line."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING

import msgspec
import pytest

from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_files
from callscore.engines.saving import SaveRequest, ScoreSaver
from callscore.history.opening import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Program

CASES = """\
{"id": "right", "tags": ["smoke"], "expected": ["f"], "actual": ["f"]}
{"id": "=1+1", "expected": ["f"], "actual": ["g"]}
"""


@pytest.fixture(autouse=True)
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that is kept under the name `first`."""
    (tmp_path / "cases.jsonl").write_text(CASES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    keeper = ScoreSaver(SaveRequest(name="first", cases=["cases.jsonl"]), open_store)
    score_files("cases.jsonl", hooks=keeper.with_saving(ScoreHooks()))
    keeper.finish()
    with open_store(tmp_path / ".callscore/history.db") as store:
        return store.find("first").id


def test_a_run_is_lines_of_json(callscore: Program, run: str, tmp_path: Path) -> None:
    ran = callscore("export", "first", "-o", "out.jsonl")

    first, evaluation, *results, end = map(
        msgspec.json.decode, (tmp_path / "out.jsonl").read_bytes().splitlines()
    )
    assert ran.returncode == 0
    assert ran.stderr == f"callscore: run {run} written to out.jsonl: 2 results\n"
    assert (first["callscore"], first["version"], first["run"]["id"]) == ("run", 1, run)
    assert evaluation["evaluation"]["place"] == "cases.jsonl"
    assert [each["result"]["case"] for each in results] == ["right", "=1+1"]
    assert end == {"end": {"evaluations": 1, "results": 2}}


def test_without_a_file_it_goes_to_standard_output(callscore: Program, tmp_path: Path) -> None:
    callscore("export", "first", "-o", "out.jsonl")

    ran = callscore("export", "latest")

    assert ran.stdout.encode() == (tmp_path / "out.jsonl").read_bytes()
    assert ran.stderr == ""
    assert callscore("export", "latest", "-o", "-").stdout == ran.stdout


def test_a_table_is_safe_to_open(callscore: Program, tmp_path: Path) -> None:
    callscore("export", "first", "-o", "out.csv")

    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["case"], row["passed"]) for row in rows] == [("right", "true"), ("'=1+1", "false")]


def test_a_parquet_file_is_read_by_others(callscore: Program, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")

    callscore("export", "first", "-o", "out.parquet")

    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column("case").to_pylist() == ["right", "=1+1"]


def test_a_name_that_says_so_is_compressed(callscore: Program, tmp_path: Path) -> None:
    callscore("export", "first", "-o", "out.jsonl")
    callscore("export", "first", "-o", "out.jsonl.gz")

    packed = (tmp_path / "out.jsonl.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "out.jsonl").read_bytes()


def test_a_file_that_was_there_stays_where_it_breaks_off(
    callscore: Program, run: str, tmp_path: Path
) -> None:
    (tmp_path / "out.jsonl").write_text("what was there")
    with open_store(tmp_path / ".callscore/history.db") as store, store.altering() as connection:
        connection.exec_driver_sql("UPDATE results SET scores = 'damaged' WHERE case_id = '=1+1'")

    ran = callscore("export", run, "-o", "out.jsonl")

    assert ran.returncode not in (0, 1)
    assert "a result is damaged" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert (tmp_path / "out.jsonl").read_text() == "what was there"
