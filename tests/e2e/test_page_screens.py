"""The page of `callscore view`: every screen, the links between them, search, and both languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.e2e.viewing import run_ids

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.servers.browser import Conduct, Findings, NewPage

DETAIL = "#case-detail[aria-busy=false] .case"


@pytest.fixture
def runs(airline_view: tuple[str, Path]) -> list[str]:
    """The runs, the newest first."""
    found = run_ids(airline_view[1])
    return sorted(set(found), key=found.index)


@pytest.fixture
def key(page: Page, airline_page: str) -> str:
    """The key of the evaluation in addresses."""
    page.goto(airline_page)
    link = (
        page.locator(".evaluation-card").get_by_role("link", name="airline").get_attribute("href")
    )
    assert link
    return link.rpartition("/")[2]


def settled(page: Page, heading: str) -> None:
    """Wait for a screen."""
    page.get_by_role("heading", level=1).get_by_text(heading).wait_for()


# --- home -------------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_home_has_every_run_with_its_arrow_and_each_evaluation_with_its_trend(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(airline_page)
    table = page.get_by_role("table")
    table.wait_for()

    lines = table.get_by_role("row").all_inner_texts()[1:]

    assert [re.search(r"\d{8}-\d{6}-\w{4}", line)[0] for line in lines] == runs  # type: ignore[index]
    assert ["better" in line for line in lines] == [True, False, False, False]
    assert ["worse" in line for line in lines] == [False, True, True, False]
    assert "main" in lines[-1]
    card = page.locator(".evaluation-card")
    assert "8.0%" in card.inner_text()
    assert card.get_by_role("img").get_attribute("aria-label") == "first 8.0%, last 8.0%"


def test_an_empty_history_says_what_to_type(
    page: Page, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    (tmp_path / ".callscore").mkdir()
    page.goto(request.getfixturevalue("viewed")(tmp_path))
    page.get_by_role("heading", name="No runs yet").wait_for()

    assert "callscore run" in page.locator("main").inner_text()


# --- a run ------------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_a_run_is_shown_with_the_components_of_the_report(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(airline_page)
    page.get_by_role("link", name=runs[0], exact=True).click()
    settled(page, runs[0])
    page.locator(DETAIL).wait_for()

    page.get_by_role("group", name="Status").get_by_role("button", name="passed").click()

    assert page.locator(".filters-count").inner_text() == "4 of 50 cases"
    assert page.url == f"{airline_page}/runs/{runs[0]}#status=passed"


def test_a_link_to_a_case_of_a_run_opens_it(page: Page, airline_page: str, runs: list[str]) -> None:
    page.goto(f"{airline_page}/runs/{runs[1]}#case=airline-44")

    page.locator(DETAIL).locator(".case-id", has_text="airline-44").wait_for()


def test_the_keys_of_the_report_work_on_the_page(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(f"{airline_page}/runs/{runs[0]}")
    page.locator(DETAIL).wait_for()

    page.keyboard.press("j")
    page.locator(DETAIL).locator(".case-id", has_text=re.compile("airline-1$")).wait_for()
    page.keyboard.press("/")

    page.locator("#search:focus").wait_for()


# --- an evaluation ----------------------------------------------------------------------------


@pytest.mark.main_screens
def test_an_evaluation_is_shown_over_time(
    page: Page, airline_page: str, runs: list[str], key: str
) -> None:
    page.goto(f"{airline_page}/evaluations/{key}")
    settled(page, "airline")
    trend = page.get_by_role("region", name="Passed cases over time")

    points = trend.get_by_role("button", name=re.compile(r"\d{8}-")).all()
    labels = [point.get_attribute("aria-label") or point.text_content() or "" for point in points]
    points[1].click()

    assert [label[: len(runs[0])] for label in labels] == runs[::-1]
    assert all(re.search(r"\d\.\d% \(\d+\.\d% – \d+\.\d%\)", label) for label in labels)
    settled(page, runs[2])


# --- comparing --------------------------------------------------------------------------------


def pick(page: Page, *runs: str) -> None:
    """Pick runs and compare them."""
    for run in runs:
        page.get_by_role("checkbox", name=re.compile(run)).check()
    page.get_by_role("button", name="Compare", exact=True).click()


@pytest.mark.main_screens
def test_two_runs_are_compared_by_picking_them_the_older_one_first(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(airline_page)
    page.get_by_role("table").wait_for()

    pick(page, runs[0], runs[1])
    page.locator(DETAIL).wait_for()

    assert page.url == f"{airline_page}/compare?runs={runs[1]},{runs[0]}"
    assert "+6 points" in page.locator(".comparison").inner_text()
    assert page.locator(".calls-parting").count() == 1


def test_more_runs_are_compared_as_a_table(page: Page, airline_page: str, runs: list[str]) -> None:
    page.goto(airline_page)
    page.get_by_role("table").wait_for()

    pick(page, *runs[:3])
    settled(page, "3 runs compared")

    table = page.get_by_role("table").last
    assert "airline-44" in table.inner_text()
    head = table.get_by_role("columnheader").all_inner_texts()
    assert len([text for text in head if re.search(r"\d{8}-", text)]) == 3


def test_a_run_is_compared_with_another_from_its_own_screen(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(f"{airline_page}/runs/{runs[0]}")
    page.locator(DETAIL).wait_for()
    page.get_by_role("button", name="Compare with").click()
    dialog = page.get_by_role("dialog")

    dialog.get_by_role("radio").nth(2).check()
    dialog.get_by_role("button", name="Compare", exact=True).click()
    page.locator(DETAIL).wait_for()

    assert page.url.endswith(f"/compare?runs={runs[3]},{runs[0]}")


def test_the_sides_of_a_comparison_are_swapped(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(f"{airline_page}/compare?runs={runs[1]},{runs[0]}")
    page.locator(DETAIL).wait_for()

    page.get_by_role("link", name="Swap").click()
    page.locator(".comparison", has_text="−6 points").wait_for()

    assert page.url.endswith(f"/compare?runs={runs[0]},{runs[1]}")


# --- a case -----------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_a_case_is_shown_across_its_runs(page: Page, airline_page: str, runs: list[str]) -> None:
    page.goto(f"{airline_page}/runs/{runs[0]}#case=airline-44")
    page.locator(DETAIL).wait_for()
    page.get_by_role("link", name="This case in all runs").click()
    settled(page, "airline-44")

    outcomes = page.get_by_role("region", name="Over time")

    assert "Passed in 2 of 4 runs" in outcomes.inner_text()
    found = [button.inner_text() for button in outcomes.get_by_role("button").all()]
    assert [("passed" in text, "failed" in text) for text in found] == [
        (True, False),
        (False, True),
        (True, False),
        (False, True),
    ]


def test_a_case_opens_in_each_of_its_runs(page: Page, airline_page: str, key: str) -> None:
    page.goto(f"{airline_page}/cases?evaluation={key}&case=airline-44")
    settled(page, "airline-44")

    page.get_by_role("link", name="Open in the run").nth(1).click()

    page.locator(DETAIL).locator(".case-id", has_text="airline-44").wait_for()
    assert "#case=airline-44" in page.url


# --- search and links -------------------------------------------------------------------------


@pytest.mark.main_screens
def test_the_search_finds_runs_evaluations_and_cases(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(airline_page)
    field = page.get_by_role("searchbox", name="Search runs")
    field.fill("airline-44")
    field.press("Enter")
    page.get_by_role("link", name="airline-44").wait_for()
    by_case = page.url
    field.fill(runs[2])
    page.get_by_role("link", name=runs[2]).wait_for()
    field.fill("nothing has this name")
    page.get_by_text("Nothing found.").wait_for()

    assert by_case == f"{airline_page}/search?q=airline-44"


def test_a_search_can_be_linked(page: Page, airline_page: str) -> None:
    page.goto(f"{airline_page}/search?q=airline-4")
    page.get_by_role("link", name="airline-49").wait_for()

    assert page.get_by_role("searchbox", name="Search runs").input_value() == "airline-4"


def test_the_back_button_goes_back_screen_by_screen(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(airline_page)
    page.get_by_role("link", name=runs[0], exact=True).click()
    page.locator(DETAIL).wait_for()
    page.locator(".case-row", has_text="airline-3").first.click()
    page.locator(DETAIL).locator(".case-id", has_text=re.compile("airline-3$")).wait_for()
    page.get_by_role("link", name="This case in all runs").click()
    settled(page, "airline-3")

    page.go_back()
    page.locator(DETAIL).locator(".case-id", has_text=re.compile("airline-3$")).wait_for()
    page.go_back()
    page.locator(DETAIL).locator(".case-id", has_text=re.compile("airline-0$")).wait_for()
    page.go_back()

    page.get_by_role("heading", name="Runs", exact=True).wait_for()
    assert page.url == f"{airline_page}/"


def test_after_a_click_the_heading_has_the_focus(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(airline_page)

    page.get_by_role("link", name=runs[0], exact=True).click()

    page.locator("h1:focus", has_text=runs[0]).wait_for()


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/runs/none", "unknown run 'none'"),
        ("/evaluations/none", "no run has this evaluation"),
        ("/compare?runs=a", "Pick two to 10 runs"),
        ("/compare?runs=a,b", "unknown run 'a'"),
    ],
)
def test_a_link_to_nothing_says_so(
    path: str, sentence: str, page: Page, airline_page: str, conduct: Conduct
) -> None:
    page.goto(f"{airline_page}{path}")
    page.locator("main").get_by_text(sentence).wait_for()
    page.get_by_role("link", name="callscore").click()
    page.get_by_role("heading", name="Runs", exact=True).wait_for()

    # That an answer was an error is written by the browser itself.
    others = [fault for fault in conduct.faults if "Failed to load resource" not in fault]
    conduct.faults.clear()
    assert others == []


# --- languages and looks ----------------------------------------------------------------------


@pytest.mark.main_screens
def test_the_language_is_chosen_and_remembered(
    page: Page, airline_page: str, runs: list[str]
) -> None:
    page.goto(f"{airline_page}/runs/{runs[0]}#status=passed")
    page.locator(DETAIL).wait_for()

    page.get_by_role("link", name="Русский").click()
    page.locator(".filters-count", has_text="4 из 50 случаев").wait_for()
    chosen = (page.evaluate("document.documentElement.lang"), page.url)
    page.goto(airline_page)
    page.get_by_role("heading", name="Прогоны", exact=True).wait_for()

    assert chosen == ("ru", f"{airline_page}/runs/{runs[0]}#status=passed")


@pytest.fixture
def screens(runs: list[str], key: str) -> list[str]:
    """The address of every screen."""
    return [
        "/",
        f"/runs/{runs[0]}",
        f"/runs/{runs[0]}?panel=rescore",
        f"/evaluations/{key}",
        f"/compare?runs={runs[1]},{runs[0]}",
        f"/compare?runs={runs[2]},{runs[1]},{runs[0]}",
        f"/cases?evaluation={key}&case=airline-44",
        "/search?q=airline-4",
    ]


def ready(page: Page) -> None:
    """Wait until a screen has its content."""
    page.locator("main h1").wait_for()
    page.locator(".page-spinner").first.wait_for(state="detached")
    if "/runs/" in page.url or "," in page.url:
        page.locator("main :is(.case-row, .matrix, table, form)").first.wait_for(state="attached")


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_no_screen_has_a_serious_barrier(
    lang: str, new_page: NewPage, airline_page: str, barriers: Findings, screens: list[str]
) -> None:
    page = new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    found = []

    for path in screens:
        page.goto(f"{airline_page}{path}{'&' if '?' in path else '?'}lang={lang}")
        ready(page)
        page.emulate_media(color_scheme="light")
        found += [f"{path} {barrier}" for barrier in barriers(page)]
        page.emulate_media(color_scheme="dark")
        found += [f"{path} dark {each}" for each in barriers(page, rules="color-contrast")]

    assert found == []


@pytest.mark.main_screens
def test_no_screen_is_wider_than_a_narrow_one(
    new_page: NewPage, airline_page: str, screens: list[str]
) -> None:
    page = new_page(viewport={"width": 390, "height": 800})
    wide = {}

    for path in screens:
        page.goto(f"{airline_page}{path}")
        ready(page)
        wide[path] = page.evaluate("document.documentElement.scrollWidth")

    assert {path: width for path, width in wide.items() if width > 390} == {}


def test_the_theme_is_shared_with_the_report(page: Page, airline_page: str) -> None:
    page.goto(airline_page)

    page.get_by_role("button", name=re.compile("^Theme")).click()
    page.reload()

    page.get_by_role("button", name="Theme: Light").wait_for()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
