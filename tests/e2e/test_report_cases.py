"""The list of the HTML report: filters, sorts, links, keys and trials, as a person uses them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page
    from tests.e2e.reports import Reports


@pytest.fixture
def score(page: Page, reports: Reports) -> Page:
    """The report of the scored trials of the airline."""
    page.goto(reports("score").as_uri())
    page.locator("#case-detail .case").wait_for()
    return page


@pytest.fixture
def show(page: Page, reports: Reports) -> Page:
    """The report of a run, whose cases have tags."""
    page.goto(reports("show").as_uri())
    page.locator("#case-detail .case").wait_for()
    return page


def shown(page: Page) -> str:
    """What the list says that it has."""
    return page.locator(".filters-count").inner_text()


def counted(page: Page) -> int:
    """How many trials the list has."""
    found = re.search(r"([\d,]+)(?: of [\d,]+)? trials?$", shown(page))
    assert found, shown(page)
    return int(found[1].replace(",", ""))


def rows(page: Page) -> Locator:
    """The rows that are in the document."""
    return page.locator(".case-row:not(.is-trial)")


def current(page: Page) -> str:
    """The id of the row that is the current one."""
    return page.locator(".case-row[aria-selected=true] .case-row-id").inner_text()


def opened(page: Page, case: str) -> None:
    """Wait until the detail of a case is there."""
    page.locator(
        "#case-detail[aria-busy=false] .case-id", has_text=re.compile(f"^{case}$")
    ).wait_for()


def hash_is(page: Page, part: str) -> None:
    """Wait until the address has a part."""
    page.wait_for_url(lambda address: part in address)


def status(page: Page, name: str) -> Locator:
    """The button above the list that filters by a status."""
    return page.get_by_role("group", name="Status").get_by_role("button", name=name)


def line(page: Page, name: str) -> tuple[Locator, int]:
    """A line of a ranking that begins with a name, and its number."""
    found = page.get_by_role("button", name=re.compile(rf"^{name} \d+"))
    number = re.search(rf"^{name}\s+(\d+)", found.inner_text())
    assert number
    return found, int(number[1])


def choose(page: Page, name: str, start: str) -> str:
    """Choose what begins so from a list of choices; all of its text."""
    choices = page.get_by_role("combobox", name=name, exact=True)
    found = choices.locator("option").all_inner_texts()
    (choice,) = [text for text in found if text.startswith(start)]
    choices.select_option(label=choice)
    return choice


# --- rows -------------------------------------------------------------------------------------


def test_a_collapsed_row_shows_what_is_wrong(score: Page) -> None:
    first = rows(score).first

    assert first.locator(".case-row-id").inner_text() == "airline-0"
    assert "book_reservation: nonfree_baggages, payment_methods" in first.inner_text()


def test_the_trials_of_a_case_are_one_row_that_opens_to_each(score: Page) -> None:
    first = rows(score).first
    assert first.locator(".case-row-score").inner_text().split("\n")[0] == "0/4"
    assert score.locator(".case-row.is-trial").count() == 0

    first.locator(".case-row-fold").click()

    trials = score.locator(".case-row.is-trial")
    assert trials.locator(".case-row-id").all_inner_texts() == [f"trial {at}" for at in range(4)]
    trials.nth(2).click()
    score.locator("#case-detail .case-about", has_text="trial 2").wait_for()
    hash_is(score, "case=airline-0%232")


def test_a_mixed_case_says_how_many_trials_passed(score: Page) -> None:
    status(score, "passed").click()

    found = [
        text.split("\n")[0] for text in rows(score).locator(".case-row-score").all_inner_texts()
    ]
    assert sum(int(each.split("/")[0]) for each in found) == 12
    assert all(each.endswith("/4") for each in found)


# --- filters ----------------------------------------------------------------------------------


@pytest.mark.main_screens
@pytest.mark.parametrize(("name", "trials"), [("passed", 12), ("failed", 188)])
def test_a_status_filters_the_list(score: Page, name: str, trials: int) -> None:
    status(score, name).click()

    assert counted(score) == trials
    hash_is(score, f"#status={name}")
    assert score.locator(".count", has_text=name).get_attribute("aria-pressed") == "true"


def test_the_counts_above_filter_the_list_too(score: Page) -> None:
    score.locator(".count", has_text="passed").click()

    assert counted(score) == 12


def test_a_tool_that_costs_most_filters_the_list(score: Page) -> None:
    tool, _ = line(score, "book_reservation")

    tool.click()

    assert 0 < counted(score) < 200
    assert tool.get_attribute("aria-pressed") == "true"
    assert "book_reservation" in rows(score).first.inner_text()
    hash_is(score, "problem=book_reservation")


def test_an_argument_that_costs_most_filters_the_list(score: Page) -> None:
    argument, trials = line(score, r"payment_methods\s+book_reservation")

    argument.click()

    assert counted(score) == trials
    assert argument.get_attribute("aria-pressed") == "true"
    hash_is(score, "argument=book_reservation%3Apayment_methods")


def test_a_failure_class_filters_the_list_and_a_second_click_takes_it_away(score: Page) -> None:
    wrong_value, trials = line(score, "Wrong value")

    wrong_value.click()
    filtered = counted(score)
    wrong_value.click()

    assert (filtered, counted(score)) == (trials, 200)


def test_a_ranking_shows_all_of_its_lines_on_demand(score: Page) -> None:
    score.get_by_role("button", name="Show all 22 arguments").click()

    line(score, r"cabin\s+update_reservation_flights")[0].click()

    assert counted(score) == 1


def test_a_cell_of_the_confusion_matrix_filters_the_list(score: Page) -> None:
    cell = score.get_by_role(
        "button", name="expected search_direct_flight, called get_reservation_details: 6"
    )

    cell.click()

    assert 0 < counted(score) <= 6
    assert all("search_direct_flight" in text for text in rows(score).all_inner_texts())
    hash_is(score, "cell=search_direct_flight%3Eget_reservation_details")


@pytest.mark.parametrize("called", ["called", "expected"])
def test_the_matrix_has_a_row_and_a_column_for_none(score: Page, called: str) -> None:
    name = {"called": r"called none: \d+$", "expected": r"^expected none, called"}[called]

    cell = score.get_by_role("button", name=re.compile(name)).first
    cell.click()

    assert 0 < counted(score) < 200


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("Tool", "send_certificate"),
        ("Wrong argument", "calculate: expression"),
        ("Failure class", "Missed call"),
    ],
)
def test_each_list_of_choices_filters(score: Page, name: str, start: str) -> None:
    choice = choose(score, name, start)
    trials = counted(score)
    choose(score, name, "any")

    assert choice.endswith(f" ({trials})")
    assert counted(score) == 200


def test_tags_filter(show: Page) -> None:
    choice = choose(show, "Tag", "booking")

    cases = rows(show).count()
    assert choice.endswith(f" ({cases})")
    assert shown(show) == f"{cases} of 50 cases"
    hash_is(show, "tag=booking")


@pytest.mark.main_screens
def test_the_text_finds_ids_inputs_tools_and_reasons(score: Page) -> None:
    search = score.get_by_role("searchbox")
    found = {}
    for text in ("airline-49", "mia_li_3668", "send_certificate", "nothing has this"):
        search.fill(text)
        score.wait_for_timeout(0)
        found[text] = shown(score)

    assert found["airline-49"] == "1 of 50 cases, 4 of 200 trials"
    assert found["mia_li_3668"].startswith("1 of 50 cases")
    assert not found["send_certificate"].startswith("50")
    assert found["nothing has this"] == "0 of 50 cases, 0 of 200 trials"
    score.get_by_role("button", name="Clear").last.click()
    assert shown(score) == "50 cases, 200 trials"


def test_filters_add_up_and_are_cleared_at_once(score: Page) -> None:
    status(score, "passed").click()
    choose(score, "Tool", "get_user_details")
    both = counted(score)
    score.get_by_role("button", name="Clear").click()

    assert 0 < both < 12
    assert counted(score) == 200
    assert score.evaluate("location.hash") == ""


# --- sort -------------------------------------------------------------------------------------


def test_the_list_can_be_sorted(score: Page) -> None:
    sort = score.get_by_role("combobox", name="Sort")
    orders = {}
    for name in sort.locator("option").all_inner_texts():
        choose(score, "Sort", name)
        orders[name] = rows(score).locator(".case-row-id").all_inner_texts()[:12]

    assert len(orders) >= 4
    assert orders["as in the file"][:3] == ["airline-0", "airline-1", "airline-2"]
    assert orders["by id"][:3] == ["airline-0", "airline-1", "airline-2"]
    assert len({tuple(order) for order in orders.values()}) >= 3
    hash_is(score, "sort=")


# --- the address ------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_a_link_opens_the_same_view(score: Page, reports: Reports) -> None:
    status(score, "failed").click()
    line(score, "Missed call")[0].click()
    rows(score).nth(1).click()
    wanted = (shown(score), current(score))
    link = score.evaluate("location.href")

    again = score.context.new_page()
    again.goto(link)
    again.locator("#case-detail .case").wait_for()

    assert link.startswith(reports("score").as_uri() + "#")
    assert (shown(again), current(again)) == wanted


def test_the_back_button_takes_one_step_back(score: Page) -> None:
    status(score, "failed").click()
    rows(score).nth(3).click()
    opened(score, "airline-3")

    score.go_back()
    opened(score, "airline-0")
    filtered = counted(score)
    score.go_back()

    assert filtered == 188
    assert counted(score) == 200
    score.go_forward()
    assert counted(score) == 188


def test_a_link_that_was_typed_wrong_shows_the_report(page: Page, reports: Reports) -> None:
    page.goto(reports("score").as_uri() + "#status=none&case=%E0%A4%A&sort=x&tool=y&__proto__=1")
    page.locator(".filters-count").wait_for()

    assert shown(page) == "0 of 50 cases, 0 of 200 trials"


# --- keys -------------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_j_and_k_go_through_the_cases(score: Page) -> None:
    score.keyboard.press("j")
    score.keyboard.press("j")
    opened(score, "airline-2")
    score.keyboard.press("k")
    opened(score, "airline-1")

    assert current(score) == "airline-1"


def test_the_keys_work_in_the_russian_layout(score: Page) -> None:
    press = "([key, code]) => window.dispatchEvent(new KeyboardEvent('keydown', {key, code}))"

    score.evaluate(press, ["о", "KeyJ"])

    opened(score, "airline-1")


def test_a_slash_goes_to_the_search_and_typing_there_moves_nothing(score: Page) -> None:
    score.keyboard.press("/")
    score.keyboard.type("jk?/airline-7")

    assert score.evaluate("document.activeElement.id") == "search"
    assert score.get_by_role("searchbox").input_value() == "jk?/airline-7"
    assert score.locator("dialog[open]").count() == 0


def test_a_question_mark_shows_the_keys_and_escape_closes_them(score: Page) -> None:
    score.keyboard.press("?")
    dialog = score.get_by_role("dialog")
    keys = dialog.locator("kbd").all_inner_texts()
    score.keyboard.press("Escape")

    assert {"j", "k", "/", "?", "Enter", "Esc"} <= set(keys)
    assert score.locator("dialog[open]").count() == 0


def test_enter_goes_to_the_detail_and_escape_back_to_the_list(score: Page) -> None:
    score.keyboard.press("j")
    score.keyboard.press("Enter")
    score.locator("#case-detail:focus").wait_for()
    score.keyboard.press("Escape")

    score.locator("#case-list:focus").wait_for()


def test_the_list_has_the_keys_of_a_tree(score: Page) -> None:
    score.locator("#case-list").focus()
    score.keyboard.press("ArrowDown")
    score.keyboard.press("ArrowRight")
    score.locator(".case-row.is-trial").first.wait_for()
    score.keyboard.press("ArrowDown")
    score.locator("#case-detail .case-about", has_text="trial 0").wait_for()
    score.keyboard.press("End")
    opened(score, "airline-49")
    score.keyboard.press("Home")
    opened(score, "airline-0")

    active = score.locator("#case-list").get_attribute("aria-activedescendant")
    assert score.locator(f"#{active}").get_attribute("aria-posinset") == "1"


def test_buttons_go_to_the_next_case_and_to_each_trial(score: Page) -> None:
    score.get_by_role("button", name="Next").click()
    opened(score, "airline-1")
    score.locator(".detail-trials .chip").nth(3).click()
    score.locator("#case-detail .case-about", has_text="trial 3").wait_for()

    assert "2 of 50" in score.locator(".detail-place").inner_text()


# --- charts -----------------------------------------------------------------------------------


def test_each_chart_has_its_numbers_in_a_table(score: Page) -> None:
    tables = score.locator("details", has=score.locator("summary", has_text="Show as table"))
    assert tables.count() >= 2

    for at in range(tables.count()):
        tables.nth(at).locator("summary").click()

    distribution = score.get_by_role("figure", name="Distribution").get_by_role("table")
    numbers = [int(text) for text in distribution.locator("tbody td").all_inner_texts()]
    assert sum(numbers) == 200
    tools = score.locator("table", has=score.get_by_role("columnheader", name="missed")).first
    assert "get_reservation_details" in tools.inner_text()


def test_the_trend_shows_every_run_with_its_interval(show: Page) -> None:
    trend = show.locator(".card", has_text=re.compile("over time|Trend", re.IGNORECASE)).last
    trend.locator("summary", has_text="Show as table").click()

    lines = trend.locator("tbody tr").all_inner_texts()

    assert len(lines) == 4
    assert all(re.search(r"\d\.\d%", line) for line in lines)
