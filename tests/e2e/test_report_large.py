"""100,000 cases in one HTML report: all of them are there, and only those that can be seen are in the document.

How long it takes is printed (`pytest -s`) and measured by `make bench-report`; no test depends on it.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.e2e.reports import write_lines
from tests.servers.fork_server import run_program

if TYPE_CHECKING:
    from playwright.sync_api import Page

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
CASES = 100_000
MOST_ROWS = 60  # in the document, whatever the height of the screen
MOST_ELEMENTS = 6_000


def case(number: int) -> dict[str, Any]:
    """Every tenth case is wrong."""
    to = {"city": f"city-{number % 97}", "day": number % 7}
    return {
        "id": f"case-{number:06}",
        "tags": [f"tag-{number % 11}"],
        "expected": [{"name": f"tool_{number % 13}", "arguments": to}],
        "actual": [
            {
                "name": f"tool_{number % 13}",
                "arguments": {**to, "day": 9} if number % 10 == 3 else to,
            }
        ],
    }


def write_report(folder: Path) -> Path:
    """Its coverage is that of all other reports, and would take longer than the report itself."""
    write_lines(folder / "cases.jsonl", map(case, range(CASES)))
    environment = {name: os.environ[name] for name in os.environ if "COVERAGE" not in name}
    words = ("score", "cases.jsonl", "-o", "report.html")
    ran = run_program(*words, folder=folder, environment=environment)
    assert ran.returncode == 0, ran.stderr
    return folder / "report.html"


@pytest.mark.slow
def test_only_the_rows_that_can_be_seen_are_in_the_document_and_every_case_can_be_reached(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = write_report(tmp_path)  # once, since it takes long
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    benchmark: Any = import_module("html_report")
    benchmark.watch(page)

    looked = benchmark.look(page, report.as_uri())
    size = f"{report.stat().st_size / 1e6:.1f} MB"
    print(f"\n{size}", benchmark.lines_of(looked), sep="\n")  # noqa: T201  (figures)

    assert 5 < looked.rows < MOST_ROWS
    assert looked.elements < MOST_ELEMENTS

    page.goto(f"{report.as_uri()}#case=case-099983&status=failed")
    page.reload()
    detail = page.locator("#case-detail[aria-busy=false]")
    detail.locator(".case-id", has_text="case-099983").wait_for()
    assert page.locator(".filters-count").inner_text() == "10,000 of 100,000 cases"

    page.locator("#case-list").focus()
    page.keyboard.press("End")
    detail.locator(".case-id", has_text="case-099993").wait_for()
    assert page.locator(".detail-place").inner_text().startswith("10,000 of 10,000")

    page.locator("#case-list").evaluate("(list) => { list.scrollTop = list.scrollHeight / 2 }")
    page.locator(".case-row", has_text="case-050").first.wait_for()
    assert page.locator(".case-row").count() < MOST_ROWS
