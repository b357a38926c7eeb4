"""Tables of whole runs: totals of many cases, comparisons of two runs, advice, intervals.

A case is written as its score: `2/3` is two of three calls, `~2/3` the same with a wrong argument in
the third, `!` a forbidden call, `-` no answer, `0/0` no calls. A list is the trials of one case. Then
follow how many such cases there are, and perhaps a tag. Numbers are rounded to six digits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.tables.outcomes import rounded
from tests.tables.rows import check_rows, of_table, same

import callscore
from callscore import Settings, advise, compare, score_cases, score_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@of_table("chances")
def test_every_interval_and_chance_is_as_its_row_says(table: str) -> None:
    check_rows(table, _other_number)


def _other_number(row: dict[str, Any]) -> str:
    found = rounded(getattr(callscore, row["function"])(*row["args"], **row.get("options", {})))
    return "" if same(found, row["value"]) else f"expected {row['value']}, got {found}"


@of_table("summaries")
def test_all_totals_are_as_their_rows_say(table: str, tmp_path: Path) -> None:
    check_rows(table, partial(_other_totals, folder=tmp_path))


def _other_totals(row: dict[str, Any], folder: Path) -> str:
    """What differs in the totals of cases in memory, and of the same cases in a file."""
    options = row.get("options", {})
    settings = Settings(**row.get("settings", {}))
    # Files that are large enough are counted without being decoded.
    cases = [
        {**case, "id": f"{case['id']}.{number}"} if number else case
        for number in range(row.get("times", 1))
        for case in _cases(row["cases"])
    ]
    file = folder / "cases.jsonl"
    file.write_bytes(_lines(cases))
    found = score_cases(cases, settings=settings, **options).to_dict()
    in_file = score_files(file, settings=settings, **options).to_dict()
    return _other_parts(row["want"], found) or _other_parts(row["want"], in_file)


@of_table("comparisons")
def test_all_comparisons_are_as_their_rows_say(table: str, tmp_path: Path) -> None:
    check_rows(table, partial(_other_comparison, folder=tmp_path))


def _other_comparison(row: dict[str, Any], folder: Path) -> str:
    sides = [folder / f"{side}.jsonl" for side in ("before", "after")]
    for number, side in enumerate(sides):
        given = row.get(side.stem) or [(pair[number], *rest) for *pair, rest in _pairs(row)]
        side.write_bytes(_lines(_cases(given)))
    settings = Settings(**row.get("settings", {}))
    data = compare(*sides, settings=settings, **row.get("options", {})).to_dict()
    data["changes"] = [
        " ".join((each["kind"], each["case"], *[reason["kind"] for reason in each["reasons"]]))
        for each in data["changes"]
    ]
    data["notes"] = [note.replace(f"{folder}/", "") for note in data["notes"]]
    return _other_parts(row["want"], data)


def _lines(cases: list[dict[str, Any]]) -> bytes:
    return b"\n".join(msgspec.json.encode(case) for case in cases)


def _pairs(row: dict[str, Any]) -> Iterator[tuple[Any, Any, list[Any]]]:
    """The cases of both sides, where they are written as `[before, after, times, tag]`."""
    for before, after, *rest in row["cases"]:
        yield before, after, rest


@pytest.mark.slow
@of_table("advice")
def test_all_advice_is_as_its_rows_say(table: str) -> None:
    check_rows(table, _other_advice)


def _other_advice(row: dict[str, Any]) -> str:
    """The kinds of runs follow one another, until there are enough."""
    kinds, trials = row["kinds"], row.get("trials", 1)
    cases = [
        {
            "id": f"task{number // trials}",
            "trial": number % trials,
            "expected": kinds[number % len(kinds)].get("expected", row.get("expected")),
            "success": kinds[number % len(kinds)]["success"],
            "actual": kinds[number % len(kinds)]["actual"],
        }
        for number in range(row["runs"])
    ]
    return _other_parts(row["want"], advise(cases, **row.get("options", {})).to_dict())


def _other_parts(want: dict[str, Any], data: dict[str, Any]) -> str:
    """How the parts that a row names differ."""
    found = {name: shortened(rounded(data[name])) for name in want}
    return "; ".join(
        f"{name}: expected {part!r}, got {found[name]!r}"
        for name, part in want.items()
        if not same(found[name], part)
    )


def shortened(value: Any) -> Any:
    """The value without members that are nothing."""
    if isinstance(value, list):
        return [shortened(item) for item in value]
    if not isinstance(value, dict):
        return value
    members = {key: shortened(member) for key, member in value.items()}
    return {key: member for key, member in members.items() if member not in (None, 0, "", [], {})}


def _cases(written: list[Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    number = 0
    for item in written:
        if isinstance(item, dict):
            found.append(item)
            continue
        scores, times, *tags = item
        for _ in range(times):
            found += _trials(f"c{number}", scores, tags)
            number += 1
    return found


def _trials(name: str, scores: str | list[str], tags: list[str]) -> Iterator[dict[str, Any]]:
    shared = {"id": name, "tags": tags} if tags else {"id": name}
    if isinstance(scores, str):
        yield {**shared, **_sides(scores)}
        return
    for trial, score in enumerate(scores):
        yield {**shared, "trial": trial, **_sides(score)}


def _sides(score: str) -> dict[str, Any]:
    """The expected and the actual calls of a case with this score."""
    if score == "!":
        return {"expected": ["a", {"forbid": "b"}], "actual": ["a", "b"]}
    if score == "-":
        return {"expected": ["a"]}
    right, _, calls = score.removeprefix("~").partition("/")
    expected = [[chr(ord("a") + number), {"x": number}] for number in range(int(calls or 1))]
    wrong = [[name if score[0] == "~" else "z", {"x": -1}] for name, _ in expected[int(right) :]]
    return {"expected": expected, "actual": [*expected[: int(right)], *wrong]}
