"""A run for spreadsheets: a row a result, and no formula."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from tests.history.made_up import a_result, an_evaluation

from callscore.history.exchange.run_files import COLUMNS, csv_lines

if TYPE_CHECKING:
    from callscore.history.records import ResultRecord


def rows(*results: ResultRecord) -> list[dict[str, str]]:
    lines = csv_lines({0: an_evaluation("run")}, results)
    return list(csv.DictReader(io.StringIO(b"".join(lines).decode(), newline="")))


def test_a_result_is_a_row_under_the_names_of_its_columns() -> None:
    (row,) = rows(a_result("run", 'weather\nor not, "said" he'))

    assert list(row) == list(COLUMNS)
    assert row["case"] == 'weather\nor not, "said" he'
    assert (row["passed"], row["f1"], row["correct"], row["variant"]) == ("true", "1.0", "1", "")
    assert row["payload"].startswith('{"input"')


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_what_looks_like_a_formula_is_text(start: str) -> None:
    formula = f"{start}HYPERLINK(1)"
    failed = a_result("run", formula, status="error", failure=("raised", formula), answer=formula)

    (row,) = rows(failed)

    assert row["case"] == f"'{formula}"
    assert row["failure"] == f"'{formula}"
    assert row["answer"].startswith('"')


def test_half_a_character_does_no_harm() -> None:
    (row,) = rows(a_result("run", "a\ud800"))

    assert row["case"] == "a\\ud800"
