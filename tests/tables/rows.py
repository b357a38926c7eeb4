"""Reads tables of behaviour: a JSON object a line, below a comment that gives the reason."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent
IS_RECORDING = "CALLSCORE_RECORD" in os.environ


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


def check_observed(name: str, observe: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Fail unless each row of a table is what `observe` makes of it.

    With `CALLSCORE_RECORD=1` the table is written anew instead: look at what git shows of it.
    """
    if not IS_RECORDING:
        check_rows(name, lambda row: changes(row, observe(row)))
        return
    file = FOLDER / f"{name}.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines):
        if line and not line.startswith("#"):
            row = msgspec.json.decode(line)
            observed = observe(row)
            if observed != row:
                lines[number] = msgspec.json.format(
                    msgspec.json.encode(observed), indent=0
                ).decode()
    file.write_text("\n".join(lines), encoding="utf-8")


def check_rows(name: str, check: Callable[[dict[str, Any]], object]) -> None:
    """Fail with the rows of a table in which `check` finds something."""
    found = differing(rows(name), check)
    if found:
        pytest.fail(found, pytrace=False)


def changes(wanted: Any, got: Any, path: str = "") -> str:
    """Where two values differ, a line each; empty if they do not."""
    if wanted == got:
        return ""
    if isinstance(wanted, dict) and isinstance(got, dict):
        inner = [(key, wanted.get(key), got.get(key)) for key in {**wanted, **got}]
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        inner = [(number, *pair) for number, pair in enumerate(zip(wanted, got, strict=True))]
    else:
        return f"{path.lstrip('.')}: expected {wanted!r}, got {got!r}"
    return "\n  ".join(
        filter(None, (changes(one, other, f"{path}.{key}") for key, one, other in inner))
    )
