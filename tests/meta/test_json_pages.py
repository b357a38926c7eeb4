"""The pages about JSON reports: they have every field of the reports that are recorded, and no other."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests/snapshots/expected"
RARE = {"closeness", "matcher"}  # no report that is recorded has them
# A page, a heading of it, the reports that are about it, and where they have what is described; with
# `=`, the fields of objects inside are described, too.
DESCRIBED = """
json-report | The report | score/* |
json-report | `totals` | score/* | =totals
json-report | `calls` | score/* | =calls
json-report | `checks` | score/* | =checks
json-report | `trials` | score/* | =trials
json-report | `turns` | score/* | =turns
json-report | `tools` | score/* | =tools[]
json-report | `wrong_arguments` | score/* | =wrong_arguments[]
json-report | `confusion` | score/* | =confusion[]
json-report | `metrics` | score/* | =metrics[]
json-report | Notes | score/* | skipped
json-report | A case | score/* | cases[]
json-report | A pair | score/* | cases[].incorrect[]
json-report | A difference | score/* | cases[].incorrect[].differences[]
json-report | An ignored call | score/* | cases[].ignored[]
json-report | A metric value | score/* | cases[].metrics[]
json-report | A turn | score/* | cases[].turns[]
json-report | `callscore check` | check/* |
json-report | A finding | check/* | findings[]
json-report | `callscore advise` | advise/* |
json-report | Settings and their evidence | advise/* | presets[]
json-report | Something learned | advise/* | learned[]
json-report | A range of scores | advise/* | reliability[]
json-report | A contradicted label | advise/* | disagreements[]
json-report | A suspect reference | advise/* | suspects[]
json-report | Kept rules | advise/* | kept
run-report | The report | run/[!p]* |
run-report | `totals` | run/[!p]* | =totals
run-report | An evaluation | run/[!p]* | evaluations[]
run-report | A scorer | run/[!p]* | =evaluations[].scorers[]
run-report | A failure | run/[!p]* | evaluations[].failures[]
run-report | A value | run/[!p]* | evaluations[].cases[].values[]
run-report | An unreferenced case | run/[!p]* | evaluations[].unreferenced[]
run-report | An unloaded file | run/[!p]* | unloaded[]
comparison | The report | compare/* |
comparison | A run | compare/* | before
comparison | A difference | compare/* | main
comparison | A change | compare/* | changes[]
comparison | A gate | gate/* |
comparison | A reason | gate/* | reasons[]
"""


def _section(page: str, heading: str) -> str:
    text = (ROOT / f"docs/reference/{page}.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _at(value: Any, way: str) -> Iterator[dict[str, Any]]:
    """All objects at a place, which may be in lists."""
    first, _, rest = way.partition(".")
    inner = value.get(first.removesuffix("[]")) if first else value
    for each in (inner or []) if first.endswith("[]") else [inner]:
        if isinstance(each, dict):
            yield from _at(each, rest) if rest else [each]


def _paths(value: dict[str, Any]) -> Iterator[str]:
    """The keys of an object; those of objects inside are written with a path."""
    for key, member in value.items():
        inner = member[0] if isinstance(member, list) and member else member
        if isinstance(inner, dict):
            mark = "[]" if isinstance(member, list) else ""
            yield from (f"{key}{mark}.{path}" for path in _paths(inner))
        else:
            yield key


@cache
def _recorded(subject: str) -> list[dict[str, Any]]:
    files = sorted(RECORDED.glob(f"{subject}.json"))
    reports = [msgspec.json.decode(file.read_bytes()) for file in files]
    return [report for report in reports if isinstance(report, dict)]


def _fields(subject: str, way: str) -> set[str]:
    found: set[str] = set()
    for report in _recorded(subject):
        for each in _at(report, way.removeprefix("=")):
            found.update(_paths(each) if way.startswith("=") else each)
    return found


def test_pages_have_the_fields_that_reports_have() -> None:
    wrong = {}
    for line in DESCRIBED.strip().splitlines():
        page, heading, subject, way = (part.strip() for part in line.split("|"))
        section, found = _section(page, heading), _fields(subject, way)
        named = set(re.findall(r"`(.+?)`", section))
        rows = re.findall(r"^\| (`.+?) \| ", section, re.MULTILINE)
        listed = {field for row in rows for field in re.findall(r"`(.+?)`", row)} - RARE
        if not (found and found <= named and listed <= found):
            wrong[f"{page}: {heading}"] = (sorted(found - named), sorted(listed - found))

    assert wrong == {}
