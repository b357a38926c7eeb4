"""The HTML reports of `compare` and `gate`: what broke comes first, and where two runs part is marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.reports import write_lines
from tests.e2e.weather import program

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page
    from tests.e2e.reports import Reports


@pytest.fixture
def comparison(page: Page, reports: Reports) -> Page:
    """Two runs of the airline's suite."""
    page.goto(reports("compare").as_uri())
    page.locator("#case-detail[aria-busy=false] .case").wait_for()
    return page


@pytest.fixture(scope="session")
def found(airline_project: Path) -> dict[str, Any]:
    """What the same comparison says as JSON."""
    printed = program(airline_project, "compare", "latest~1", "latest", "--format", "json")
    return msgspec.json.decode(printed, type=dict[str, Any])


def chip(page: Page, name: str) -> Locator:
    """A button above the list."""
    return page.get_by_role("group", name="Change").get_by_role(
        "button", name=re.compile(rf"^{name} \d+$")
    )


def count(page: Page) -> str:
    return page.locator(".filters-count").inner_text()


def ids(page: Page) -> list[str]:
    return page.locator(".case-row .case-row-id").all_inner_texts()


@pytest.mark.main_screens
def test_broken_cases_come_first_then_fixed_ones(comparison: Page, found: dict[str, Any]) -> None:
    broken = [each["case"] for each in found["changes"] if each["kind"] == "broken"]
    fixed = [each["case"] for each in found["changes"] if each["kind"] == "fixed"]

    shown = ids(comparison)

    assert broken
    assert fixed
    assert set(shown[: len(broken)]) == set(broken)
    assert set(shown[len(broken) : len(broken) + len(fixed)]) == set(fixed)


def test_only_what_changed_is_listed_until_all_is_asked_for(comparison: Page) -> None:
    changed = count(comparison)
    chip(comparison, "All").click()

    assert re.fullmatch(r"\d+ of 50 cases", changed)
    assert count(comparison) == "50 cases"
    comparison.wait_for_url(lambda address: address.endswith("#change=all"))


@pytest.mark.parametrize("change", ["broken", "fixed", "changed", "unchanged"])
def test_each_change_filters_the_list(comparison: Page, change: str) -> None:
    button = chip(comparison, change)
    number = re.search(r"\d+", button.inner_text())
    assert number

    button.click()

    assert count(comparison) == f"{number[0]} of 50 cases"


def test_the_counts_above_filter_the_list_too(comparison: Page) -> None:
    link = comparison.locator(".comparison-counts").get_by_text("fixed")

    link.click()

    assert re.fullmatch(r"[1-9]\d* of 50 cases", count(comparison))
    comparison.wait_for_url(lambda address: "change=fixed" in address)


def test_the_paired_difference_has_its_interval(comparison: Page, found: dict[str, Any]) -> None:
    text = comparison.locator(".comparison").inner_text()

    assert found["verdict"] == "not enough data"
    assert "+6 points" in text
    assert "95% interval −3.8 to +17.3" in text
    assert "p = 0.375" in text


def test_both_runs_are_beside_the_expectation(comparison: Page) -> None:
    head = comparison.locator(".calls-head").inner_text().split("\n")

    assert [part for part in head if part] == ["Expected", "Before: latest~1", "After: latest"]


def test_the_first_call_at_which_the_runs_part_is_marked_once(comparison: Page) -> None:
    parting = comparison.locator(".calls-parting")

    assert parting.count() == 1
    assert "part" in parting.inner_text()


def test_runs_that_part_late_are_marked_there(page: Page, tmp_path: Path) -> None:
    calls = [{"name": "step", "arguments": {"number": at}} for at in range(6)]
    other = [*calls[:4], {"name": "step", "arguments": {"number": 40}}, calls[5]]
    for name, actual in (("before", calls), ("after", other)):
        write_lines(
            tmp_path / f"{name}.jsonl", [{"id": "walk", "expected": calls, "actual": actual}]
        )

    program(tmp_path, "compare", "before.jsonl", "after.jsonl", "-o", "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    page.locator("#case-detail[aria-busy=false] .case").wait_for()

    parting = page.locator(".call-row", has=page.locator(".calls-parting"))
    assert "call 5" in parting.locator(".calls-parting").inner_text()
    assert "40" in parting.inner_text()


def test_a_tag_with_a_blank_filters_by_its_whole_name(page: Page, tmp_path: Path) -> None:
    def cases(wrong: int) -> list[dict[str, Any]]:
        return [
            {
                "id": f"case-{at}",
                "tags": ["long haul & co"] if at % 2 else ["short"],
                "expected": [{"name": "go", "arguments": {"to": at}}],
                "actual": [{"name": "go", "arguments": {"to": at + (at < wrong)}}],
            }
            for at in range(30)
        ]

    write_lines(tmp_path / "before.jsonl", cases(0))
    write_lines(tmp_path / "after.jsonl", cases(24))
    program(tmp_path, "compare", "before.jsonl", "after.jsonl", "-o", "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    page.get_by_role("link", name="long haul & co").click()

    assert count(page) == "12 of 30 cases"


@pytest.mark.main_screens
def test_the_gate_says_why_it_failed(page: Page, tmp_path: Path) -> None:
    calls = [{"name": "go", "arguments": {}}]
    right = [{"id": f"case-{at}", "expected": calls, "actual": calls} for at in range(30)]
    wrong = [{**case, "actual": []} for case in right]
    write_lines(tmp_path / "before.jsonl", right)
    write_lines(tmp_path / "after.jsonl", wrong)
    program(tmp_path, "score", "before.jsonl", "--save", "main", "--show", "none")
    program(tmp_path, "baseline", "set", "latest", "--name", "main")
    program(tmp_path, "score", "after.jsonl", "--save", "new", "--show", "none")

    program(tmp_path, "gate", "--against", "main", "-o", "report.html")
    page.goto((tmp_path / "report.html").as_uri())
    page.locator("#case-detail[aria-busy=false] .case").wait_for()

    assert "Gate failed: regressed" in page.inner_text(".verdict-text")
    assert "1 tool or tag regressed (tool go)" in page.inner_text("main")


def test_the_gate_that_passes_says_so(page: Page, reports: Reports) -> None:
    page.goto(reports("gate").as_uri())
    page.locator("#case-detail[aria-busy=false] .case").wait_for()

    assert "Gate passed" in page.inner_text("main")
