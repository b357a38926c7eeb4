"""The page about the JSON report of a comparison: it has every field that there is, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from tests.reports.comparisons import CLOSED

from callscore.comparing.gating import ReasonKind
from callscore.reports.gate import write_json

PAGE = Path(__file__).parents[2] / "docs/reference/comparison.md"
GATE: dict[str, Any] = msgspec.json.decode(write_json(CLOSED, next_command="callscore"))
REPORT = GATE["comparison"]


def _section(heading: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _documented(heading: str) -> list[str]:
    """The fields in the first column of the table under a heading."""
    rows = re.findall(r"^\| (`.+?) \| ", _section(heading), re.MULTILINE)
    return sorted(field for row in rows for field in re.findall(r"`(.+?)`", row))


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("The report", REPORT),
        ("A run", REPORT["before"]),
        ("A difference", REPORT["main"]),
        ("A change", REPORT["changes"][0]),
        ("An alarm", REPORT["alarms"][0]),
        ("A gate", GATE),
        ("A reason", GATE["reasons"][0]),
    ],
)
def test_the_fields_are_documented(heading: str, part: dict[str, Any]) -> None:
    assert _documented(heading) == sorted(part)


def test_a_slice_is_a_difference_and_what_it_is_about() -> None:
    difference = _documented("A difference")

    assert sorted([*_documented("A slice"), *difference]) == sorted(REPORT["tools"][0])


@pytest.mark.parametrize(
    ("heading", "field", "inner"),
    [
        ("The report", "counts", REPORT["counts"]),
        ("The report", "only_before", REPORT["only_before"]),
        ("A difference", "interval", REPORT["main"]["interval"]),
        ("A change", "before", REPORT["changes"][0]["before"]),
    ],
)
def test_what_is_in_a_field_is_named_beside_it(
    heading: str, field: str, inner: dict[str, Any]
) -> None:
    (row,) = re.findall(rf"^\| `{field}`.*$", _section(heading), re.MULTILINE)

    assert inner.keys() <= set(re.findall(r"`(\w+)`", row))


def test_every_kind_of_reason_is_named() -> None:
    named = set(re.findall(r"`([\w ]+)`", _section("A reason")))

    assert set(get_args(ReasonKind)) <= named
