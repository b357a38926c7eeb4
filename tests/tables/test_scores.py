"""Tables of scores: what calls, settings and tool definitions score; see `outcomes.py`."""

from __future__ import annotations

from typing import Any

from tests.tables import outcomes
from tests.tables.rows import check_rows, of_table


@of_table("scoring", "counting", "pairing", "groups", "turns", "states", "effects", "texts")
def test_every_score_is_as_its_row_says(table: str) -> None:
    check_rows(table, _difference)


def _difference(row: dict[str, Any]) -> str:
    return outcomes.differing(row, outcomes.scored(row))
