"""Data frames of results: those that pandas and Polars read from the rows that a command writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from pandas.testing import assert_frame_equal as assert_same_pandas
from polars.testing import assert_frame_equal as assert_same_polars

import callscore

CASES = """\
{"id": "right", "expected": ["f"], "actual": ["f"], "tags": ["x"]}
{"id": "none", "expected": ["f"]}
{"id": "wrong", "expected": [["g", {"a": 1}]], "actual": [["g", {"a": 2}]]}
"""
UNKNOWN = ["source", "offset", "problem"]  # what only an engine knows


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The rows that the command writes for the cases beside them."""
    monkeypatch.chdir(tmp_path)
    Path("cases.jsonl").write_text(CASES, encoding="utf-8")
    command = [sys.executable, "-m", "callscore", "score", "cases.jsonl"]
    subprocess.run([*command, "--results", "rows.parquet"], check=True, capture_output=True)
    return tmp_path / "rows.parquet"


def _results() -> callscore.Results:
    return callscore.score_files("cases.jsonl", show="all", max_shown=None)


def test_a_data_frame_of_pandas_is_that_of_the_rows(rows: Path) -> None:
    frame = _results().to_pandas()

    assert_same_pandas(frame.drop(columns=UNKNOWN), pd.read_parquet(rows).drop(columns=UNKNOWN))
    assert frame.loc[~frame["passed"], "id"].tolist() == ["none", "wrong"]
    assert frame["f1"].mean() == pytest.approx(_results().summary.macro_f1)


def test_a_data_frame_of_polars_is_that_of_the_rows(rows: Path) -> None:
    frame = _results().to_polars()

    assert_same_polars(frame.drop(UNKNOWN), pl.read_parquet(rows).drop(UNKNOWN))
    assert frame.filter(~pl.col("passed"))["id"].to_list() == ["none", "wrong"]
