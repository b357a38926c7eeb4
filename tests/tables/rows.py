"""Reads tables of behavior: a JSON object a line, below a comment that gives the reason."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent
_FIELDS = "# Fields:"
IS_RECORDING = os.environ.get("CALLSCORE_RECORD") == "1"


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


_NOTHING = _Nothing()


class Row(NamedTuple):
    """One line of a table."""

    location: str  # file and line
    reason: str  # the comment above it
    data: dict[str, Any]


def rows(name: str) -> list[Row]:
    """The rows of `tests/tables/NAME.jsonl`; the comment above a row is its reason.

    The first line of a table lists the fields of its rows, so that a typo in one is found.
    """
    first, *lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    assert first.startswith(_FIELDS), f"{name}.jsonl must begin with '{_FIELDS} ...'"
    fields = set(first.removeprefix(_FIELDS).replace(",", " ").split())
    found: list[Row] = []
    reason: list[str] = []
    for number, line in enumerate(lines, 2):
        location = f"tests/tables/{name}.jsonl:{number}"
        if line.startswith("#"):
            is_new = not reason or (found and lines[number - 3].startswith("{"))
            reason = [*([] if is_new else reason), line[1:].strip()]
        elif line.strip():
            data = _decoded(line, location)
            assert data.keys() <= fields, f"{location}: unknown fields {data.keys() - fields}"
            found.append(Row(location, " ".join(reason), data))
    assert found, f"{name}.jsonl has no rows"
    return found


def _decoded(line: str, location: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise AssertionError(f"{location}: {error}") from error


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
        hint = f"\nIf this is meant: CALLSCORE_RECORD=1 .venv/bin/pytest tests/tables -k {name}"
        check_rows(name, lambda row: changes(row, observe(row)), hint)
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
    text = "\n".join(lines)
    if text != file.read_text(encoding="utf-8"):
        file.write_text(text, encoding="utf-8")
        pytest.fail(f"{file} was recorded anew: look at the difference", pytrace=False)


def check_rows(name: str, check: Callable[[dict[str, Any]], object], hint: str = "") -> None:
    """Fail with the rows of a table in which `check` finds something."""
    found = differing(rows(name), check)
    if found:
        pytest.fail(found + hint, pytrace=False)


def changes(wanted: Any, got: Any, path: str = "") -> str:
    """Where two values differ, a line each; empty if they do not."""
    if wanted == got:
        return ""
    if isinstance(wanted, dict) and isinstance(got, dict):
        inner = [
            (key, wanted.get(key, _NOTHING), got.get(key, _NOTHING)) for key in {**wanted, **got}
        ]
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        inner = [(number, *pair) for number, pair in enumerate(zip(wanted, got, strict=True))]
    else:
        return f"{path.lstrip('.')}: expected {wanted!r}, got {got!r}"
    return "\n  ".join(
        filter(None, (changes(one, other, f"{path}.{key}") for key, one, other in inner))
    )
