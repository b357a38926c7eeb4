"""The table of metrics of other tools: arguments and value; numbers are rounded to six digits."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.tables.outcomes import rounded
from tests.tables.rows import check_rows, of_table, same

from callscore import parity


@of_table("parity")
def test_every_metric_has_the_value_of_its_row(table: str) -> None:
    check_rows(table, _difference)


def _difference(row: dict[str, Any]) -> str:
    tool, _, name = row["metric"].partition(".")
    function = getattr(getattr(parity, tool), name)
    try:
        found = {
            "value": rounded(msgspec.to_builtins(function(*row["args"], **row.get("options", {}))))
        }
    except Exception as error:  # noqa: BLE001  (the row says which)
        found = {"error": f"{type(error).__name__}: {error}"}
    want = {key: row[key] for key in ("value", "error") if key in row}
    return "" if same(found, want) else f"expected {want}, got {found}"
