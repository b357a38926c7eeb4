"""The HTML report on every screen: light and dark, wide and narrow, on paper, in both languages, for everybody."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.e2e.reports import Reports
    from tests.servers.browser import Findings, NewPage

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 800}
DETAIL = "#case-detail[aria-busy=false] .case"


def looking(new_page: NewPage, **options: Any) -> Page:
    """A page in which nothing moves."""
    return new_page(**{"viewport": WIDE, "reduced_motion": "reduce", **options})


# --- for everybody ----------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("kind", ["score", "show", "compare", "check", "gate"])
def test_a_report_has_no_serious_barrier(
    kind: str, lang: str, new_page: NewPage, reports: Reports, barriers: Findings
) -> None:
    page = looking(new_page, color_scheme="light")
    page.goto(reports(kind, lang).as_uri())
    page.locator(DETAIL).wait_for()

    light = barriers(page)
    page.emulate_media(color_scheme="dark")

    assert light == []
    assert barriers(page, rules="color-contrast") == []


def test_opened_sections_and_dialogs_have_no_serious_barrier(
    new_page: NewPage, reports: Reports, barriers: Findings
) -> None:
    page = looking(new_page, color_scheme="light")
    page.goto(reports("score").as_uri())
    page.locator(DETAIL).wait_for()
    page.evaluate("document.querySelectorAll('main summary').forEach((each) => each.click())")
    page.locator(".case-row-fold").first.click()
    page.locator(".case-row.is-trial").first.wait_for()

    light = barriers(page)
    page.emulate_media(color_scheme="dark")
    dark = barriers(page, rules="color-contrast")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()

    assert light == []
    assert dark == []
    assert barriers(page) == []


def test_a_narrow_report_has_no_serious_barrier(
    new_page: NewPage, reports: Reports, barriers: Findings
) -> None:
    page = looking(new_page, viewport=NARROW, color_scheme="dark")
    page.goto(reports("score").as_uri())
    page.locator(".case-row").first.wait_for()
    listed = barriers(page)

    page.locator(".case-row").first.click()
    page.locator(DETAIL).wait_for()

    assert listed == []
    assert barriers(page) == []


@pytest.mark.main_screens
def test_the_keyboard_alone_reaches_everything(new_page: NewPage, reports: Reports) -> None:
    page = looking(new_page)
    page.goto(reports("score").as_uri())
    page.locator(DETAIL).wait_for()
    reached = []
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "() => { const e = document.activeElement; const s = getComputedStyle(e);"
            " return [e.id || e.className || e.tagName, s.outlineStyle, s.boxShadow] }"
        )
        reached.append(found)
        if found[0] == "case-detail":
            break

    names = " ".join(name for name, *_ in reached)
    for part in (
        "skip-link",
        "theme-switch",
        "count",
        "search",
        "chip",
        "case-list",
        "case-detail",
    ):
        assert part in names, part
    invisible = [
        name for name, outline, shadow in reached if outline == "none" and shadow == "none"
    ]
    assert invisible == []


def test_the_skip_link_goes_to_the_cases(new_page: NewPage, reports: Reports) -> None:
    page = looking(new_page)
    page.goto(reports("score").as_uri())
    page.locator(DETAIL).wait_for()

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    page.locator("#cases-title:focus").wait_for()


def test_a_status_is_never_a_colour_alone(new_page: NewPage, reports: Reports) -> None:
    page = looking(new_page)
    page.goto(reports("score").as_uri())
    page.locator(DETAIL).wait_for()

    for row in page.locator(".case-row").all():
        assert re.search(r"\S\s+(failed|passed|some trials failed)\n", row.inner_text())


# --- light and dark ---------------------------------------------------------------------------


def brightness(page: Page) -> float:
    """Of the page behind everything, from 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)[:3]]
    return sum(numbers) / 3


def test_the_system_chooses_light_or_dark_and_the_reader_may_choose_otherwise(
    new_page: NewPage, reports: Reports
) -> None:
    page = looking(new_page, color_scheme="dark")
    page.goto(reports("score").as_uri())
    page.locator(DETAIL).wait_for()
    switch = page.get_by_role("button", name=re.compile("^Theme"))

    by_system = brightness(page)
    switch.click()
    light = (switch.inner_text(), brightness(page))
    page.reload()
    page.locator(DETAIL).wait_for()
    again = brightness(page)
    switch.click()

    assert by_system < 60
    assert "Light" in light[0]
    assert light[1] > 200
    assert again > 200
    assert brightness(page) < 60


# --- narrow -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["score", "show", "compare", "check"])
def test_no_report_is_wider_than_a_narrow_screen(
    kind: str, new_page: NewPage, reports: Reports
) -> None:
    page = looking(new_page, viewport=NARROW)
    page.goto(reports(kind).as_uri())
    page.locator(".case-row").first.click()
    page.locator(DETAIL).wait_for()

    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_a_narrow_screen_shows_the_list_or_the_case(new_page: NewPage, reports: Reports) -> None:
    page = looking(new_page, viewport=NARROW)
    page.goto(reports("score").as_uri())
    rows = page.locator(".case-row")
    rows.first.wait_for()
    before = page.locator(DETAIL).count()

    rows.nth(2).click()
    page.locator(DETAIL).wait_for()
    while_open = rows.first.is_visible()
    page.get_by_role("button", name=re.compile("Back|All cases|list", re.IGNORECASE)).first.click()
    rows.first.wait_for()

    assert before == 0
    assert not while_open
    assert rows.first.is_visible()


# --- paper ------------------------------------------------------------------------------------


# What can be pressed or filled in and is seen; names that filter the list may stay as text.
CONTROLS = """() => [...document.querySelectorAll("button, input, select")]
  .filter((each) => each.checkVisibility() && !each.closest(".problems, .counts"))
  .map((each) => each.textContent)"""


def test_paper_has_the_verdict_and_the_cases_but_no_controls(
    new_page: NewPage, reports: Reports, tmp_path: Path
) -> None:
    page = looking(new_page, color_scheme="dark")
    page.goto(reports("score").as_uri())
    page.locator(DETAIL).wait_for()
    page.emulate_media(media="print", color_scheme="dark")
    page.locator(".printed-row").first.wait_for()

    text = page.locator("main").inner_text()
    on_paper = brightness(page)
    controls = page.evaluate(CONTROLS)
    page.pdf(path=tmp_path / "report.pdf")

    assert "188 of 200 trials failed" in text
    assert page.locator(".printed-row").count() == 50
    assert "airline-49" in text
    assert on_paper > 250
    assert controls == []
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


# --- Russian ----------------------------------------------------------------------------------

# Words that are the same in Russian: names, and terms that docs/contributing/words.md keeps.
KEPT = re.compile(
    r"\b(F1|Macro|Micro|Precision|Recall|JSON|McNemar|airline|latest|main|Esc|Enter)\b"
)
# Of a file, a tool or a run; and an option with its value.
NAME = re.compile(r"\S*[_/~=]\S*|\d{8}-\d{6}-\w{4}|--[a-z-]+(?: [a-z]+)?")
# The texts of the report that are neither code nor from the data.
TEXTS = """() => {
  const walker = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
  const lines = [];
  while (walker.nextNode()) {
    const inside = walker.currentNode.parentElement;
    if (inside.closest("h1, code, kbd, option, pre, .mono, .case-row, #case-detail, svg")) continue;
    lines.push(walker.currentNode.textContent.trim());
  }
  return lines.filter(Boolean);
}"""


@pytest.mark.parametrize("kind", ["score", "show", "compare", "check", "gate"])
def test_a_russian_report_has_no_english_sentence(
    kind: str, new_page: NewPage, reports: Reports
) -> None:
    page = looking(
        new_page, locale="de-DE"
    )  # the language is that of the report, not of the reader
    page.goto(reports(kind, "ru").as_uri())
    page.locator(DETAIL).wait_for()
    for summary in page.locator("main .overview summary, main .problems summary").all():
        summary.click()
    page.keyboard.press("?")

    lines = page.evaluate(TEXTS)
    english = [
        line
        for line in lines
        if len(re.findall(r"[A-Za-z]{2,}", KEPT.sub("", NAME.sub("", line)))) > 1
    ]

    assert len(lines) > 20
    assert page.evaluate("document.documentElement.lang") == "ru"
    assert english == []


def test_numbers_and_dates_are_in_the_language_of_the_report(
    new_page: NewPage, reports: Reports
) -> None:
    page = looking(new_page, timezone_id="Europe/Moscow")
    page.goto(reports("score", "ru").as_uri())
    page.locator(DETAIL).wait_for()
    number = page.inner_text(".headline-number")
    page.goto(reports("show", "ru").as_uri())
    page.locator(DETAIL).wait_for()

    assert re.fullmatch(r"35,4\s?%", number)
    assert re.search(r"\d+ \w+\. 20\d\d г\., \d\d:\d\d", page.inner_text(".heading"))


def test_russian_nouns_have_their_forms(new_page: NewPage, reports: Reports) -> None:
    page = looking(new_page)
    page.goto(reports("score", "ru").as_uri())
    page.locator(DETAIL).wait_for()

    assert page.inner_text(".counts-title") == "50 случаев, 200 попыток"
