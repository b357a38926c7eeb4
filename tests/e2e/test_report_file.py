"""The HTML report as a file: it opens from anywhere, asks for nothing, and says what its command found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.reports import AIRLINE, KINDS, write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.e2e.conftest import Program
    from tests.e2e.reports import Reports
    from tests.servers.browser import Conduct, NewPage, Site

HEADINGS = {
    "score": "airline-gpt-4o.jsonl.gz",
    "run": "airline",
    "show": "airline",
    "compare": "latest~1",
    "check": "airline-gpt-4o.jsonl.gz",
    "gate": "main",
}


def lines_of(page: Page) -> int:
    """How many cases the list says that it has."""
    found = re.search(r"\d+", page.locator(".filters-count").inner_text())
    assert found
    return int(found[0])


@pytest.mark.main_screens
@pytest.mark.parametrize("kind", KINDS)
def test_the_report_of_each_command_opens_from_disk(
    kind: str, page: Page, reports: Reports, conduct: Conduct
) -> None:
    file = reports(kind)

    page.goto(file.as_uri())
    page.locator("#case-detail .case").wait_for()

    assert HEADINGS[kind] in page.inner_text("h1")
    assert page.inner_text(".verdict-text")
    assert lines_of(page) > 0
    assert conduct.requests == [file.as_uri()]


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_of_each_command_opens_from_a_server(
    kind: str, page: Page, reports: Reports, conduct: Conduct, site: Site
) -> None:
    file = reports(kind)
    address = f"{site(file.parent)}/{file.name}"

    page.goto(address)
    page.locator("#case-detail .case").wait_for()

    assert lines_of(page) > 0
    assert conduct.requests == [address]


def test_the_report_opens_where_a_build_server_shows_it(page: Page, reports: Reports) -> None:
    """Artifacts are shown in a frame without an origin: no storage, and no address of their own."""
    content = reports("score").read_text(encoding="utf-8")
    page.set_content("<iframe sandbox='allow-scripts' width=1200 height=800></iframe>")
    frame = page.frame_locator("iframe")

    page.eval_on_selector("iframe", "(frame, content) => { frame.srcdoc = content }", content)
    frame.locator("#case-detail .case").wait_for()
    frame.locator(".count", has_text="failed").click()
    frame.get_by_role("button", name="Theme").click()

    assert frame.locator(".filters-count").inner_text() == "50 cases, 188 of 200 trials"


@pytest.mark.main_screens
def test_without_scripts_the_report_has_its_numbers(new_page: NewPage, reports: Reports) -> None:
    page = new_page(java_script_enabled=False)

    page.goto(reports("score").as_uri())

    assert "188 of 200 trials failed" in page.inner_text("body")
    assert "35.4%" in page.inner_text("body")


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_allows_nothing_but_the_script_and_the_style_of_the_report(
    kind: str, reports: Reports
) -> None:
    content = reports(kind).read_text(encoding="utf-8")

    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', content)

    assert found
    parts = dict(part.strip().split(" ", 1) for part in found[1].split(";"))
    assert parts["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/]+='", parts["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/]+='", parts["style-src"])
    assert parts.get("img-src", "data:") == "data:"
    assert parts.keys() <= {
        *("default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"),
    }


@pytest.mark.main_screens
def test_the_report_says_what_the_other_formats_say(
    page: Page, reports: Reports, callscore: Program
) -> None:
    ran = callscore("score", AIRLINE, "--format", "json")
    found = msgspec.json.decode(ran.stdout, type=dict[str, Any])
    macro = found["totals"]["macro"]

    page.goto(reports("score").as_uri())

    assert page.inner_text(".headline-number") == f"{macro['f1']:.1%}"
    assert page.inner_text(".interval-text") == "95% interval 26.8% – 44.1%"
    assert page.locator(".counts-title").inner_text() == "50 cases, 200 trials"
    facts = dict(zip(texts(page, ".facts dt"), texts(page, ".facts dd"), strict=True))
    assert facts["Precision"] == f"{macro['precision']:.1%}"
    assert facts["Recall"] == f"{macro['recall']:.1%}"
    overview = page.get_by_role("region", name="Overview").inner_text()
    for name in ("correct", "incorrect", "missed", "extra"):
        assert re.search(rf"\b{name}\s+{found['calls'][name]}\b", overview)


def texts(page: Page, selector: str) -> list[str]:
    """The texts of all elements."""
    return page.locator(selector).all_inner_texts()


def test_the_suffix_chooses_the_format_and_the_terminal_says_little(
    callscore: Program, tmp_path: Path
) -> None:
    case = {"id": "a", "expected": [{"name": "f"}], "actual": [{"name": "f"}]}
    write_lines(tmp_path / "cases.jsonl", [case])

    by_suffix = callscore("score", "cases.jsonl", "-o", "one.html")
    by_name = callscore("score", "cases.jsonl", "--format", "html")

    assert (by_suffix.returncode, by_suffix.stderr) == (0, "")
    assert by_name.stdout == (tmp_path / "one.html").read_text(encoding="utf-8")


def test_a_report_may_leave_its_cases_out(page: Page, callscore: Program, tmp_path: Path) -> None:
    write_lines(tmp_path / "cases.jsonl", [{"id": "a", "expected": [], "actual": []}])

    callscore("score", "cases.jsonl", "--show", "none", "-o", "report.html")
    page.goto((tmp_path / "report.html").as_uri())

    assert "1 case" in page.inner_text(".counts-title")
    assert "1 case" in page.inner_text(".notes")  # which the report leaves out
    assert page.locator(".case-row").count() == 0
