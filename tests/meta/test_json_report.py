"""The page about the JSON reports: it has every field that they have, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from click.testing import CliRunner
from tests.advising.planted import case_records

from callscore import ToolCall
from callscore.cli.program import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs/reference/json-report.md"

# Between them these cases fill every part of both reports.
TOOLS = [{"name": "book", "parameters": {"type": "object", "properties": {"to": {}}}}]
EXPECTED = [
    {"name": "book", "arguments": {"to": {"$text": "Oslo"}, "seats": 2}},
    "pay",
    "get_price",
    {"forbid": "cancel_*"},
]
ACTUAL = [
    {"name": "book", "arguments": {"to": "Rome", "seats": 3}},
    {"name": "pay", "arguments": {}},
    {"name": "cancel_trip", "arguments": {}},
]
CHAT = [{"name": "pay", "arguments": {}, "turn": 0}, {"name": "pay", "arguments": {}, "turn": 1}]
CASES = [
    {"id": "trip", "trial": 0, "tools": TOOLS, "expected": EXPECTED, "actual": ACTUAL},
    {"id": "trip", "trial": 1, "expected": ["pay"], "actual": []},
    {"id": "visit", "expected": ["pay"], "actual": ["pay", "get_price"]},
    {"id": "chat", "expected": [{"turn": ["pay"]}, {"turn": ["book"]}], "actual": CHAT},
]
OPTIONS = ["--no-config", "--count-calls", "writes", "--metric", "ragas.tool_call_f1"]

Report = dict[str, Any]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("report") / "cases.jsonl"
    file.write_bytes(msgspec.json.Encoder().encode_lines(CASES))
    return str(file)


@pytest.fixture(scope="module")
def scored(cases: str) -> Report:
    return _written(["score", cases, *OPTIONS, "--format", "json"])


@pytest.fixture(scope="module")
def checked(cases: str) -> Report:
    return _written(["check", cases, "--format", "json"])


@pytest.fixture(scope="module")
def compared(cases: str) -> Report:
    metrics = ["--metric", "callscore.f1", "--metric", "strands.any_order"]
    return _written(["metrics", "--disagree", cases, *metrics, "--format", "json"])


@pytest.fixture(scope="module")
def advised(tmp_path_factory: pytest.TempPathFactory) -> Report:
    records = case_records("argument")
    for record in records[:3]:  # a suspect reference, which all of these contradict
        record["success"] = True
        record["actual"] = [{"name": "store", "arguments": {"key": "b0"}}]
    file = tmp_path_factory.mktemp("advice") / "runs.jsonl"
    file.write_bytes(msgspec.json.Encoder().encode_lines(records))
    return _written(["advise", str(file), "--no-config", "--format", "json"])


def _written(command: list[str]) -> Report:
    ran = CliRunner().invoke(cli, command, catch_exceptions=False)
    return msgspec.json.decode(ran.stdout, type=dict[str, Any])


def _documented(heading: str) -> list[str]:
    """The fields in the first column of the table under a heading."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    rows = re.findall(r"^\| (`.+?) \| ", section.partition("\n## ")[0], re.MULTILINE)
    return sorted(field for row in rows for field in re.findall(r"`(.+?)`", row))


def _fields(*values: Report) -> list[str]:
    """The keys of objects; those of objects inside them are written with a path."""
    return sorted({path for value in values for path in _paths(value)})


def _paths(value: Report) -> Iterator[str]:
    for key, member in value.items():
        inner = member[0] if isinstance(member, list) and member else member
        if isinstance(inner, dict):
            mark = "[]" if isinstance(member, list) else ""
            yield from (f"{key}{mark}.{path}" for path in _paths(inner))
        else:
            yield key


def test_every_part_of_the_report_is_documented(scored: Report) -> None:
    assert _documented("The report") == sorted(scored)


@pytest.mark.parametrize("part", ["totals", "calls", "checks", "trials", "turns"])
def test_the_fields_of_a_part_are_documented(part: str, scored: Report) -> None:
    assert _documented(f"`{part}`") == _fields(scored[part])


@pytest.mark.parametrize("table", ["tools", "wrong_arguments", "confusion", "metrics"])
def test_the_columns_of_a_table_are_documented(table: str, scored: Report) -> None:
    assert _documented(f"`{table}`") == _fields(*scored[table])


@pytest.mark.parametrize(
    "note", ["not_scored", "not_run", "without_reference", "repeated", "skipped", "stopped"]
)
def test_the_fields_of_a_note_are_documented(note: str, scored: Report) -> None:
    assert _documented("Notes") == sorted(scored[note])


def test_the_fields_of_a_case_are_documented(scored: Report) -> None:
    assert _documented("A case") == sorted(scored["cases"][0])


def test_a_line_of_jsonl_is_a_case_of_the_report(cases: str, scored: Report) -> None:
    command = ["score", cases, *OPTIONS, "--format", "jsonl"]

    lines = CliRunner().invoke(cli, command).stdout.splitlines()

    assert [msgspec.json.decode(line) for line in lines] == scored["cases"]


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("A pair", "incorrect"),
        ("An ignored call", "ignored"),
        ("A fault", "faults"),
        ("A metric value", "metrics"),
    ],
)
def test_the_fields_inside_a_case_are_documented(heading: str, part: str, scored: Report) -> None:
    assert _documented(heading) == sorted(scored["cases"][0][part][0])


def test_the_fields_of_a_turn_are_documented(scored: Report) -> None:
    assert _documented("A turn") == sorted(scored["cases"][-1]["turns"][0])


def test_the_fields_of_a_forbidden_call_are_documented(scored: Report) -> None:
    forbidden = scored["cases"][0]["forbidden"][0]

    assert _documented("A forbidden call") == sorted(forbidden.keys() - ToolCall.__struct_fields__)


def test_the_fields_of_a_difference_are_documented(scored: Report) -> None:
    differences = scored["cases"][0]["incorrect"][0]["differences"]

    assert _documented("A difference") == sorted({key for found in differences for key in found})


def test_the_fields_of_a_call_are_documented() -> None:
    assert _documented("A call") == sorted(ToolCall.__struct_fields__)


def test_the_report_of_a_check_is_documented(checked: Report) -> None:
    assert _documented("`callscore check`") == sorted(checked)


def test_the_fields_of_a_finding_are_documented(checked: Report) -> None:
    assert _documented("A finding") == sorted(checked["findings"][0])


def test_the_report_of_a_comparison_is_documented(compared: Report) -> None:
    assert _documented("`callscore metrics --disagree`") == sorted(compared)
    assert _documented("A compared metric") == sorted(compared["metrics"][0])


def test_the_fields_of_a_disagreement_are_documented(compared: Report) -> None:
    (case,) = compared["disagreements"]

    assert _documented("A disagreement") == sorted(case)
    assert _documented("An opinion") == sorted(case["opinions"][0])
    assert _documented("An effect") == sorted(case["opinions"][0]["effects"][0])


def test_the_report_of_advice_is_documented(advised: Report) -> None:
    assert _documented("`callscore advise`") == sorted(advised)


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("Settings and their evidence", "presets"),
        ("Settings and their evidence", "alternatives"),
        ("Something learned", "learned"),
        ("A range of scores", "reliability"),
        ("A contradicted label", "disagreements"),
        ("A suspect reference", "suspects"),
    ],
)
def test_the_parts_of_advice_are_documented(heading: str, part: str, advised: Report) -> None:
    assert _documented(heading) == sorted(advised[part][0])


def test_kept_rules_are_documented(advised: Report) -> None:
    assert _documented("Kept rules") == sorted(advised["kept"])
