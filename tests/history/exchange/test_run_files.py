"""Files of runs: whatever they are, they are read from their beginning, as often as one likes."""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.core.results import MetricValue
from callscore.errors import UnreadableInput
from callscore.history.exchange import run_files
from callscore.history.exchange.json_lines import Record, encode_line
from callscore.history.exchange.run_files import (
    COLUMNS,
    csv_lines,
    flat_row,
    open_run_file,
    read_parquet_run,
    record_from_row,
    write_parquet_run,
)
from callscore.history.records import ResultRecord

if TYPE_CHECKING:
    from pathlib import Path

RUN = a_run()
RECORDS: list[Record] = [RUN, an_evaluation(RUN.id), a_result(RUN.id)]
LINES = b"".join(map(encode_line, RECORDS))


def as_parquet() -> bytes:
    file = io.BytesIO()
    write_parquet_run(file, RUN, [an_evaluation(RUN.id)], [a_result(RUN.id)])
    return file.getvalue()


@pytest.mark.parametrize("kind", ["lines", "gzip", "parquet", "zipped parquet"])
def test_a_file_is_read_twice_alike(kind: str, tmp_path: Path) -> None:
    content = as_parquet() if "parquet" in kind else LINES
    path = tmp_path / "run"
    path.write_bytes(gzip.compress(content) if "zip" in kind else content)

    with open_run_file(str(path)) as file:
        assert list(file.records()) == RECORDS
        assert list(file.records()) == RECORDS


def test_a_line_without_an_end_is_not_read_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_files, "_MAX_LINE", len(LINES))
    (tmp_path / "bomb").write_bytes(gzip.compress(LINES + b" " * 10_000_000))

    with (
        open_run_file(str(tmp_path / "bomb")) as file,
        pytest.raises(UnreadableInput, match=r"bomb:4: the line is longer than"),
    ):
        list(file.records())


# A run for spreadsheets: a row a result, and no formula.


def rows(*results: ResultRecord) -> list[dict[str, str]]:
    lines = csv_lines({0: an_evaluation("run")}, results)
    return list(csv.DictReader(io.StringIO(b"".join(lines).decode(), newline="")))


@pytest.mark.parametrize(
    "start",
    [
        "=",
        "\t",
        "\uff1d",
    ],
)
def test_a_cell_that_looks_like_a_formula_is_written_as_text(start: str) -> None:
    formula = f"{start}HYPERLINK(1)"
    failed = a_result("run", formula, status="error", failure=("raised", formula), answer=formula)

    (row,) = rows(failed)

    assert row["case"] == f"'{formula}"
    assert row["failure"] == f"'{formula}"
    assert row["answer"].startswith('"')


# Results as rows: everything is in a column, and comes back.

FULL = a_result(
    "run",
    values=(MetricValue("accuracy", 0.5, "half"), MetricValue("mine", None, "it raises", True)),
    comparison={"pairs": []},
    tools={"search": (1, 0, 0, 0, 0)},
    faults=3,
    expectation="0" * 32,
    asked="1" * 32,
    is_reused=True,
)
BARE = ResultRecord(run="run", evaluation=0, case="bare", status="not_scored")
FAILED = ResultRecord(
    run="run", evaluation=0, case="failed", status="error", failure=("timeout", "too long")
)


@pytest.mark.parametrize("record", [FULL, BARE, FAILED])
def test_a_row_is_the_whole_result(record: ResultRecord) -> None:
    row = flat_row(record, None)

    assert list(row) == list(COLUMNS)
    assert record_from_row(row, "run", "run.parquet[0]") == record


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"calls": "[{"}, "calls: not valid JSON"),
        ({"trial": -1}, "result: Expected `int` >= 0 - at `$.trial`."),
        ({"status": "odd"}, "result: "),
    ],
)
def test_a_row_that_cannot_be_read_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(UnreadableInput, match=r"run.parquet\[4\]: ") as caught:
        record_from_row(flat_row(FULL, None) | changes, "run", "run.parquet[4]")

    assert told in str(caught.value)


# A run as a Parquet file: all of it comes back.

PARQUET_RUN = a_run(name="main")
EVALUATIONS = [
    an_evaluation(PARQUET_RUN.id),
    an_evaluation(PARQUET_RUN.id, 1, variant="fast", tools=[{"a": 1}]),
]


def written(*cases: str) -> io.BytesIO:
    file = io.BytesIO()
    count = write_parquet_run(
        file, PARQUET_RUN, EVALUATIONS, [a_result(PARQUET_RUN.id, case) for case in cases]
    )
    assert count == len(cases)
    file.seek(0)
    return file


def test_a_run_comes_back_as_it_was() -> None:
    file = written("one", "two", "погода")

    assert list(read_parquet_run(file, "run.parquet")) == [
        PARQUET_RUN,
        *EVALUATIONS,
        *[a_result(PARQUET_RUN.id, case) for case in ("one", "two", "погода")],
    ]


def test_other_programs_find_numbers_and_words_in_the_columns() -> None:
    table = parquet.read_table(written("one"))

    assert table.column("case").to_pylist() == ["one"]
    assert table.column("f1").to_pylist() == [1.0]
    assert table.column("passed").to_pylist() == [True]


def test_a_damaged_file_is_told() -> None:
    whole = written("one").getvalue()
    damaged = io.BytesIO(whole[:-20] + b"\0" * 20)

    with pytest.raises(UnreadableInput, match=r"run.parquet: the Parquet file is damaged"):
        list(read_parquet_run(damaged, "run.parquet"))
