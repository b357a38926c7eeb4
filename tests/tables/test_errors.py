"""The table of what is refused, and with which message."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tables.rows import check_rows, of_table

import callscore
from callscore import CallscoreError


@of_table("errors")
def test_every_mistake_has_its_message(table: str) -> None:
    check_rows(table, _difference)


def _difference(row: dict[str, Any]) -> str:
    function: Any = callscore
    for name in row["function"].split("."):
        function = getattr(function, name)
    with pytest.raises(CallscoreError) as raised:
        function(*row.get("args", ()), **row.get("options", {}))
    found = type(raised.value).__name__, str(raised.value)
    return "" if found == (row["error"], row["message"]) else f"got {found}"
