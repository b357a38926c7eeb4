"""The tables of the documentation that `make parity` and `make bench-peers` write."""

from __future__ import annotations

import pytest
from tests.parity.environments import ROOT, is_npm, tools

PAGE = ROOT / "docs" / "reference" / "parity.md"


def _tools_in(table: str) -> set[str]:
    """The first column of a table, without its head."""
    text = PAGE.read_text(encoding="utf-8")
    _, begin, rest = text.partition(f"<!-- {table}: begin -->\n")
    rows, end, _ = rest.partition(f"<!-- {table}: end -->\n")
    assert begin
    assert end
    cells = [row.split("|")[1].strip() for row in rows.splitlines() if row.startswith("|")]
    return set(cells[2:])


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("compared", tools()),
        ("timed", [tool for tool in tools() if not is_npm(tool)]),
    ],
    ids=["compared", "timed"],
)
def test_every_tool_that_can_be_installed_has_a_row(table: str, named: list[str]) -> None:
    assert _tools_in(table) == set(named)
