"""Tables of calls without a reference: their faults, and the tool definitions that are read."""

from __future__ import annotations

from typing import Any

from tests.tables.outcomes import fault_lines
from tests.tables.rows import check_rows, of_table

from callscore import check_calls, read_tools


@of_table("checks")
def test_every_fault_is_found_and_no_other(table: str) -> None:
    check_rows(table, _other_faults)


def _other_faults(row: dict[str, Any]) -> str:
    found = fault_lines(check_calls(row["calls"], tools=row.get("tools")))
    return "" if found == row["faults"] else f"expected {row['faults']}, got {found}"


@of_table("tools")
def test_every_definition_is_read(table: str) -> None:
    check_rows(table, _other_tools)


def _other_tools(row: dict[str, Any]) -> str:
    fields = ("name", "description", "parameters", "effect")
    found = [
        {name: getattr(tool, name) for name in fields if getattr(tool, name) is not None}
        for tool in read_tools(row["document"])
    ]
    return "" if found == row["tools"] else f"expected {row['tools']}, got {found}"
