"""The table of what is refused, and with which message."""

from __future__ import annotations

from typing import Any

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
    try:
        returned = function(*row.get("args", ()), **row.get("options", {}))
    except CallscoreError as error:
        found = type(error).__name__, str(error)
        return "" if found == (row["error"], row["message"]) else f"got {found}"
    return f"no error, but {returned!r}"
