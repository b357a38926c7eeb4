"""The gate, as `callscore gate` decides it: see gate.jsonl."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.tables.commands import observer
from tests.tables.rows import check_observed, of_table

if TYPE_CHECKING:
    from pathlib import Path


_TOOLS = [
    {"name": "f", "inputSchema": {"type": "object", "properties": {"q": {"type": "integer"}}}}
]
RESULTS = ("exit", "err", "json", "has", "out")
_MANY = re.compile(r"(\d*)([A-Za-z-])")


def call(name: str, value: object) -> dict[str, Any]:
    return {"name": name, "arguments": {"q": value}}


def case(letter: str, number: int) -> dict[str, Any]:
    """A case: P passes, F fails, N has no answer, H is half right, D makes a forbidden call.

    T is like P, with a schema of the tool, and S has a value that the schema does not allow.
    """
    right = call("f", number)
    expected: list[Any] = [right]
    actual = {"P": [right], "T": [right], "F": [], "S": [call("f", "x")], "D": [right, "delete"]}
    record: dict[str, Any] = {"id": f"c{number}"}
    if letter == "H":
        expected, actual["H"] = [right, "g"], [right]
    if letter == "D":
        expected = [right, {"forbid": "del*"}]
    record["expected"] = expected
    if letter != "N":
        record["actual"] = actual[letter]
    if letter in "TS":
        record["tools"] = _TOOLS
    return record


def suite(letters: str, changes: dict[str, Any]) -> list[Any]:
    """The cases of `9P1F`: nine that pass and one that fails; `-` is left out, B is no JSON."""
    found: list[Any] = []
    number = 0
    for count, letter in _MANY.findall(letters):
        for _ in range(int(count or 1)):
            if letter == "B":
                found.append("{bad")
            elif letter != "-":
                record = case(letter, number)
                found.append({**record, **changes.get("*", {}), **changes.get(record["id"], {})})
            number += 1
    return found


def steps(row: dict[str, Any]) -> dict[str, Any]:
    """The commands of a row that gives the cases before and after a change."""
    if "before" not in row:
        return row
    score = "score cases.jsonl --show none --skip-bad --save"
    before = suite(row["before"], row.get("change_before", {}))
    after = suite(row["after"], row.get("change", {}))
    expected = {key: row[key] for key in RESULTS if key in row}
    files = {"cases.jsonl": after, **({"callscore.toml": row["toml"]} if "toml" in row else {})}
    return {
        "files": {"cases.jsonl": before},
        "steps": [
            f"{score} old {row.get('score_before', '')}",
            "baseline set old --allow-incomplete",
            {"files": files},
            f"{score} now {row.get('score', '')}",
            {"run": f"gate now {row.get('gate', '--json')}", **expected},
        ],
    }


@pytest.mark.slow
@of_table("gate")
def test_the_gate_decides_as_the_table_says(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe = observer(tmp_path, monkeypatch)

    def observed(row: dict[str, Any]) -> dict[str, Any]:
        got = observe(steps(row))
        if "before" not in row:
            return got
        decided = got["steps"][-1]
        kept = {key: value for key, value in row.items() if key not in RESULTS}
        return kept | {key: decided[key] for key in RESULTS if key in decided}

    check_observed(table, observed)
