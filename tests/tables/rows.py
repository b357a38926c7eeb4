"""Reads tables of behavior: a JSON object a line, below a comment that gives the reason."""

from __future__ import annotations

import json  # noqa: TID251  (msgspec writes infinity as null)
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


def of_table(*names: Any) -> pytest.MarkDecorator:
    """Runs a test for each of these tables: `pytest -k '[NAME]'` finds that of one of them."""
    return pytest.mark.parametrize("table", names)


def rows(name: str) -> list[Row]:
    """The rows of `tests/tables/NAME.jsonl`; the comment above a row is its reason.

    The first line of a table lists the fields of its rows, so that a typo in one is found. Two equal
    rows are refused.
    """
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    assert "/pytest-of-" not in text, f"{name}.jsonl has the folder of one session of tests"
    first, *lines = text.split("\n")
    assert first.startswith(_FIELDS), f"{name}.jsonl must begin with '{_FIELDS} ...'"
    fields = set(first.removeprefix(_FIELDS).replace(",", " ").split())
    found: list[Row] = []
    first_with: dict[bytes, str] = {}
    reason: list[str] = []
    for number, line in enumerate(lines, 2):
        location = f"tests/tables/{name}.jsonl:{number}"
        before = lines[number - 3] if number > 2 else ""
        if line.startswith("#"):
            reason = [*(reason if before.startswith("#") else ()), line[1:].strip()]
        elif not line:
            assert not before.startswith("#"), f"{location}: the comment above has no row"
        else:
            data = _decoded(line, location)
            if unknown := data.keys() - fields:
                pytest.fail(f"{location}: unknown fields {', '.join(unknown)}", pytrace=False)
            same = first_with.setdefault(msgspec.json.encode(data), location)
            if same != location:
                pytest.fail(f"{location}: the same row as {same}", pytrace=False)
            found.append(Row(location, " ".join(reason), data))
    assert found, f"{name}.jsonl has no rows"
    return found


def _decoded(line: str, location: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError as error:
        pytest.fail(f"{location}: {error}", pytrace=False)


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
            if isinstance(error, KeyError) and error.args[0] not in row.data:
                difference += " (is this field of the row missing?)"
        if difference:
            found.append(f"{row.location} ({row.reason}): {difference}")
    return "\n".join(found)


def check_observed(name: str, observe: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Fail unless each row of a table is what `observe` makes of it.

    With `CALLSCORE_RECORD=1` the table is written anew instead, and the test fails if that changed it.
    """
    if not IS_RECORDING:
        hint = f"\nIf this is meant: CALLSCORE_RECORD=1 .venv/bin/pytest -k '[{name}]' tests/tables"
        check_rows(name, lambda row: changes(row, observe(row)), hint)
        return
    file = FOLDER / f"{name}.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n")
    changed = 0
    for row in rows(name):
        try:
            observed = observe(row.data)
        except Exception as error:
            error.add_note(f"in {row.location}: no row of this table was recorded")
            raise
        if not same(observed, row.data):
            number = int(row.location.rpartition(":")[2])
            lines[number - 1] = msgspec.json.format(
                msgspec.json.encode(observed), indent=0
            ).decode()
            changed += 1
    if changed:
        file.write_text("\n".join(lines), encoding="utf-8")
        written = f"{changed} rows of {file.name} were recorded"
        pytest.fail(f"{written}: read what git shows, and run the test again", pytrace=False)


def check_rows(name: str, check: Callable[[dict[str, Any]], object], hint: str = "") -> None:
    """Fail with the rows of a table in which `check` finds something."""
    found = differing(rows(name), check)
    if found:
        pytest.fail(found + hint, pytrace=False)


def same(one: Any, other: Any) -> bool:
    """Whether two values are written alike in JSON, in which true is not 1, and 1 is not 1.0."""
    if _NOTHING in (one, other):
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def changes(wanted: Any, got: Any, path: str = "") -> str:
    """Where two values differ, a line each; empty if they do not."""
    if same(wanted, got):
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
