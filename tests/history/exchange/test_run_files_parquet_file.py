"""A run as a Parquet file: all of it comes back."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.errors import MissingExtra, UnreadableInput
from callscore.history.exchange.run_files import is_parquet, read_parquet_run, write_parquet_run

pa: Any = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402  (after the test for it)

RUN = a_run(name="main")
EVALUATIONS = [an_evaluation(RUN.id), an_evaluation(RUN.id, 1, variant="fast", tools=[{"a": 1}])]


def written(*cases: str) -> io.BytesIO:
    file = io.BytesIO()
    count = write_parquet_run(file, RUN, EVALUATIONS, [a_result(RUN.id, case) for case in cases])
    assert count == len(cases)
    file.seek(0)
    return file


def test_a_run_comes_back_as_it_was() -> None:
    file = written("one", "two", "погода")

    assert is_parquet(file.getvalue()[:4])
    assert list(read_parquet_run(file, "run.parquet")) == [
        RUN,
        *EVALUATIONS,
        *[a_result(RUN.id, case) for case in ("one", "two", "погода")],
    ]


def test_a_run_without_results_comes_back() -> None:
    assert list(read_parquet_run(written(), "run.parquet")) == [RUN, *EVALUATIONS]


def test_long_runs_are_written_in_parts() -> None:
    names = [f"case-{number}" for number in range(1_001)]
    file = written(*names)

    assert parquet.ParquetFile(file).num_row_groups == 2
    assert len(list(read_parquet_run(file, "run.parquet"))) == 3 + 1_001


def test_other_programs_find_numbers_and_words_in_the_columns() -> None:
    table = parquet.read_table(written("one"))

    assert table.column("case").to_pylist() == ["one"]
    assert table.column("f1").to_pylist() == [1.0]
    assert table.column("passed").to_pylist() == [True]


def test_a_table_of_others_is_no_run() -> None:
    file = io.BytesIO()
    parquet.write_table(pa.table({"a": [1]}), file)

    with pytest.raises(UnreadableInput, match="no run in its metadata"):
        list(read_parquet_run(file, "run.parquet"))


def test_a_damaged_file_is_told() -> None:
    whole = written("one").getvalue()
    damaged = io.BytesIO(whole[:-20] + b"\0" * 20)

    with pytest.raises(UnreadableInput, match=r"run.parquet: the Parquet file is damaged"):
        list(read_parquet_run(damaged, "run.parquet"))


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    file = written("one")
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(MissingExtra, match="parquet"):
        write_parquet_run(io.BytesIO(), RUN, EVALUATIONS, [])
    with pytest.raises(MissingExtra, match="parquet"):
        list(read_parquet_run(file, "run.parquet"))
