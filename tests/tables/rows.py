"""Reads tables of behaviour: a JSON object a line, below a comment that gives the reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent


class Row(NamedTuple):
    """One line of a table."""

    location: str  # file and line
    reason: str  # the comment above it
    data: dict[str, Any]


def rows(name: str) -> list[Row]:
    """The rows of `tests/tables/NAME.jsonl`. A comment holds until the next comment."""
    found: list[Row] = []
    reason = ""
    is_new = True
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            text = line[1:].strip()
            reason = text if is_new else f"{reason} {text}"
            is_new = False
        elif line.strip():
            found.append(Row(f"{name}.jsonl:{number}", reason, msgspec.json.decode(line)))
            is_new = True
    assert found, f"{name}.jsonl has no rows"
    return found


def differing(table: list[Row], check: Callable[[dict[str, Any]], object]) -> str:
    """What `check` finds in the rows of a table, a paragraph each; empty if it finds nothing.

    It returns what differs from the row, or something false; an error is a difference, too.
    """
    found: list[str] = []
    for row in table:
        try:
            difference = check(row.data)
        except Exception as error:  # noqa: BLE001 - every row is tried, whatever the one before did
            difference = f"{type(error).__name__}: {error}"
        if difference:
            found.append(f"{row.location} ({row.reason}): {difference}")
    return "\n".join(found)
