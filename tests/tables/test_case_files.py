"""What is read from files of cases, seen in the run that `score` saves: see case_files.jsonl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.tables.commands import Folder, new_folder, short_error, stable_environment
from tests.tables.rows import check_observed, of_table

if TYPE_CHECKING:
    from pathlib import Path


def short(value: Any, *, is_expected: bool) -> Any:
    """Calls as people write them: `"f"`, or `["f", {"q": 1}]`."""
    if isinstance(value, list):
        return [short(each, is_expected=is_expected) for each in value]
    if not isinstance(value, dict) or (value.get("name") and value.keys() - {"name", "arguments"}):
        return value
    if "name" not in value:  # a group
        return {key: short(value[key], is_expected=is_expected) for key in value}
    usual: dict[str, Any] | None = None if is_expected else {}
    return value["name"] if value.get("arguments") == usual else [value["name"], value["arguments"]]


def read_cases(folder: Folder) -> list[dict[str, Any]]:
    """The cases of the run that was saved; what is as usual is left out."""
    lines = map(msgspec.json.decode, folder.run("export x").out.splitlines())
    found = []
    for result in (line["result"] for line in lines if "result" in line):
        case = {"id": result["case"]}
        if result["trial"] != 1:
            case["trial"] = result["trial"]
        payload = dict(result["payload"])
        if "expected" in payload:
            payload["expected"] = short(payload["expected"], is_expected=True)
        case |= payload
        if result["calls"] is not None:
            case["actual"] = short(result["calls"], is_expected=False)
        found.append(case)
    return found


def got_from(row: dict[str, Any], folder: Folder) -> dict[str, Any]:
    """What a row comes to: cases, and what is printed about them."""
    name = row.get("file", "c.jsonl")
    records = row["records"] if "records" in row else [row.get("record")]
    folder.write({name: row.get("text", records), **row.get("files", {})})
    words = row.get("run", name)
    ran = folder.run(f"score {words} --save x --show none --json")
    found: dict[str, Any] = {"exit": ran.exit} if ran.exit else {}
    lines = [line for line in short_error(ran.err).splitlines() if "saved as run" not in line]
    if lines:
        found["err"] = (
            lines[0].removesuffix(" To score the rest: --skip-bad") if len(lines) == 1 else lines
        )
    if ran.exit in (0, 1):
        found["cases"] = read_cases(folder)
    return found


@pytest.mark.slow
@of_table("case_files")
def test_case_files_are_read_as_the_table_says(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stable_environment(monkeypatch, tmp_path)

    def observed(row: dict[str, Any]) -> dict[str, Any]:
        folder = Folder(new_folder(tmp_path, monkeypatch))
        kept = {key: value for key, value in row.items() if key not in ("exit", "err", "cases")}
        return kept | got_from(row, folder)

    check_observed(table, observed)
