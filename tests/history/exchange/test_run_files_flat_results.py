"""Results as rows: everything is in a column, and comes back."""

from __future__ import annotations

from typing import Any

import pytest
from tests.history.made_up import a_result, an_evaluation

from callscore.core.results import MetricValue
from callscore.errors import UnreadableInput
from callscore.history.exchange.run_files import COLUMNS, flat_row, record_from_row
from callscore.history.records import ResultRecord

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


def test_a_row_says_what_was_evaluated() -> None:
    row = flat_row(FULL, an_evaluation("run", variant="fast"))

    assert (row["evaluation_name"], row["variant"]) == ("assistant", "fast")
    assert row["tags"] == '["smoke"]'


def test_every_cell_is_of_the_type_of_its_column() -> None:
    for name, value in flat_row(FULL, an_evaluation("run", variant="fast")).items():
        assert value is None or isinstance(value, COLUMNS[name]), name


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"calls": "[{"}, "calls: this is not JSON"),
        ({"calls": 7}, "calls: this is not JSON"),
        ({"trial": -1}, "result: trial: "),
        ({"case": None}, "result: "),
        ({"requests": None}, "result: "),
        ({"status": "odd"}, "result: "),
        ({"failure_kind": "timeout"}, "result: "),
    ],
)
def test_a_row_that_cannot_be_read_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(UnreadableInput, match=r"run.parquet\[4\]: ") as caught:
        record_from_row(flat_row(FULL, None) | changes, "run", "run.parquet[4]")

    assert told in str(caught.value)


def test_a_column_that_is_missing_is_named() -> None:
    row = flat_row(FULL, None)
    del row["comparison"]

    with pytest.raises(UnreadableInput, match="the column comparison is missing"):
        record_from_row(row, "run", "run.parquet[0]")
