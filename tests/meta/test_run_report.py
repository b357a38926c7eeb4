"""The page about the JSON report of a run: it has every field that there is, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.reports.runs import MIXED, VARIANTS, WEATHER

from callscore.words.plain_data import case_to_dict, run_to_dict

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs/reference/run-report.md"
RUN = run_to_dict(MIXED)
ASSISTANT, ROUTER = RUN["evaluations"]

Report = dict[str, Any]


def _documented(heading: str) -> list[str]:
    """The fields in the first column of the table under a heading."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    rows = re.findall(r"^\| (`.+?) \| ", section.partition("\n## ")[0], re.MULTILINE)
    return sorted(field for row in rows for field in re.findall(r"`(.+?)`", row))


def _paths(value: Report) -> Iterator[str]:
    for key, member in value.items():
        inner = member[0] if isinstance(member, list) and member else member
        if isinstance(inner, dict):
            mark = "[]" if isinstance(member, list) else ""
            yield from (f"{key}{mark}.{path}" for path in _paths(inner))
        else:
            yield key


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("The report", RUN),
        ("An evaluation", ASSISTANT),
        ("A failure", ASSISTANT["failures"][0]),
        ("A value", ASSISTANT["cases"][0]["values"][0]),
        ("An unreferenced case", ROUTER["unreferenced"][0]),
        ("An unloaded file", RUN["unloaded"][0]),
        ("A judge", RUN["judges"][0]),
    ],
)
def test_the_fields_are_documented(heading: str, part: Report) -> None:
    assert _documented(heading) == sorted(part)


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("`totals`", RUN["totals"]),
        ("A scorer", ASSISTANT["scorers"][0]),
        ("`trials`", run_to_dict(VARIANTS)["evaluations"][0]["trials"]),
    ],
)
def test_the_fields_and_what_is_in_them_are_documented(heading: str, part: Report) -> None:
    assert _documented(heading) == sorted(_paths(part))


def test_a_case_is_one_of_the_report_of_a_score_but_for_what_the_page_says() -> None:
    here, there = ASSISTANT["cases"][0].keys(), case_to_dict(WEATHER).keys()

    assert _documented("A case") == sorted(here - there)
    assert there - here == {"metrics", "settings"}


def test_what_became_of_the_calls_is_what_the_page_names() -> None:
    page = PAGE.read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `results` \| (.+) \|$", page, re.MULTILINE)
    named = set(re.findall(r"`(\w+)`", row))
    notes = {key for key, value in ASSISTANT["results"].items() if _is_note(value)}

    assert ASSISTANT["results"].keys() - notes == named


def _is_note(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"count", "names"}
