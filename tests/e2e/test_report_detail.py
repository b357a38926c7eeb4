"""The detail of a case in the HTML report: the calls side by side, what differs, and all that can be taken along."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.reports import write_lines
from tests.e2e.weather import program

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page
    from tests.e2e.reports import Reports
    from tests.servers.browser import NewPage

LETTER = (
    "Dear passenger, your flight from Oslo to Rome leaves on Monday at nine. Please be at the gate "
    "forty minutes before departure, and do not forget your passport."
)
LARGE = "0123456789" * 100_000  # 1 MB, more than is shown
HUGE = 12345678901234567890123  # no double holds it
PASSENGERS = [{"name": f"Passenger {at}", "seat": f"{at}A", "bags": at % 3} for at in range(40)]


SENT = {"text": LETTER, "to": "ann@example.org", "copy": False, "seats": [1, 2], "count": 0}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def message(name: str, result: str, **arguments: Any) -> list[dict[str, Any]]:
    """A call with its result, as chats have it."""
    function = {"name": name, "arguments": msgspec.json.encode(arguments).decode()}
    asked = {"id": f"call-{name}", "type": "function", "function": function}
    return [
        {"role": "assistant", "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": f"call-{name}", "content": result},
    ]


CASES = [
    {
        "id": "letter",
        "input": [{"role": "user", "content": "Write to the passenger"}],
        "expected": [
            call("send", **SENT),
            call("log", level="info"),
            {"forbid": "delete_*"},
        ],
        "actual": [
            call("send", **{**SENT, "text": LETTER.replace("nine", "ten"), "count": 1}),
            call("delete_account", user="ann"),
        ],
    },
    {
        "id": "results",
        "expected": [call("book", flight="A1")],
        "actual": [*message("book", "no seats left", flight="A1"), *message("pay", "paid", sum=3)],
    },
    {
        "id": "list",
        "expected": [call("board", passengers=PASSENGERS)],
        "actual": [
            call(
                "board",
                passengers=[*PASSENGERS[:20], {**PASSENGERS[20], "seat": "99Z"}, *PASSENGERS[21:]],
            )
        ],
    },
    {
        "id": "matcher",
        "expected": [{"name": "find", "arguments": {"id": {"$regex": "^A\\d+$"}}}],
        "actual": [call("find", id="B12")],
    },
    {
        "id": "large",
        "expected": [call("save", text="short", number=HUGE)],
        "actual": [call("save", text=LARGE, number=HUGE + 1)],
    },
    {"id": "o'clock $HOME", "expected": [call("go")], "actual": []},
]


@pytest.fixture(scope="session")
def crafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of cases that go wrong in many ways."""
    folder = tmp_path_factory.mktemp("crafted")
    write_lines(folder / "cases.jsonl", CASES)
    program(folder, "score", "cases.jsonl", "-o", "report.html")
    return folder / "report.html"


@pytest.fixture
def detail(new_page: NewPage, crafted: Path) -> Locator:
    """The pane of the details; `open_case` chooses one."""
    page = new_page(
        viewport={"width": 1400, "height": 1000},
        permissions=["clipboard-read", "clipboard-write"],
    )
    page.goto(crafted.as_uri())
    return page.locator("#case-detail[aria-busy=false]")


def open_case(detail: Locator, name: str) -> None:
    """Open a case by its row."""
    detail.page.locator(".case-row", has_text=name).click()
    detail.locator(".case-id", has_text=name).wait_for()


def row(detail: Locator, kind: str, tool: str) -> Locator:
    """A row of the calls."""
    return detail.locator(f".call-row.is-{kind}", has_text=tool)


def copied(detail: Locator, button: str) -> str:
    """What a button puts on the clipboard."""
    detail.get_by_role("button", name=button).click()
    detail.get_by_role("status").get_by_text("Copied").wait_for()
    text: str = detail.page.evaluate("navigator.clipboard.readText()")
    return text


# --- the calls --------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_expected_and_actual_calls_are_side_by_side(detail: Locator) -> None:
    open_case(detail, "letter")

    expected, actual = row(detail, "incorrect", "send").locator(".call-name").all()[:2]
    left, right = expected.bounding_box(), actual.bounding_box()

    assert left
    assert right
    assert left["y"] == pytest.approx(right["y"], abs=3)
    assert left["x"] + 200 < right["x"]


def test_every_row_has_its_mark_and_its_word(detail: Locator) -> None:
    open_case(detail, "letter")
    marks = {
        kind: row(detail, kind, tool).locator(".call-mark").inner_text().split()
        for kind, tool in (
            ("incorrect", "send"),
            ("missed", "log"),
            ("forbidden", "delete_account"),
        )
    }
    open_case(detail, "results")
    marks["correct"] = row(detail, "correct", "book").locator(".call-mark").inner_text().split()
    marks["extra"] = row(detail, "extra", "pay").locator(".call-mark").inner_text().split()

    assert marks == {
        "incorrect": ["~", "incorrect"],
        "missed": ["−", "missed"],
        "forbidden": ["!", "forbidden"],
        "correct": ["=", "correct"],
        "extra": ["+", "extra"],
    }


def test_differing_words_are_marked_inside_a_long_text(detail: Locator) -> None:
    open_case(detail, "letter")

    text = row(detail, "incorrect", "send").locator(".call-argument", has_text="Dear passenger")
    marked = text.locator("mark").all_inner_texts()

    assert set(marked) == {"nine", "ten"}


def test_equal_arguments_are_folded_until_they_are_asked_for(detail: Locator) -> None:
    open_case(detail, "letter")
    send = row(detail, "incorrect", "send")
    folded = "ann@example.org" in send.inner_text()

    send.get_by_role("button", name="3 equal arguments").click()

    assert not folded
    assert "ann@example.org" in send.inner_text()


def test_zero_and_one_are_a_pair_and_not_an_absence(detail: Locator) -> None:
    open_case(detail, "letter")

    count = row(detail, "incorrect", "send").locator(".call-argument", has_text="count")

    assert count.locator("mark").all_inner_texts() == ["0", "1"]
    assert "not expected" not in count.inner_text()


def test_a_long_list_shows_where_it_differs(detail: Locator) -> None:
    open_case(detail, "list")
    board = row(detail, "incorrect", "board")

    marked = board.locator("mark").all_inner_texts()

    assert "".join(marked).replace('"', "") in {"20A99Z", "2099Z", "20A99"}
    assert "Passenger 5" not in board.inner_text()


@pytest.mark.main_screens
def test_every_lost_point_has_its_reason(detail: Locator) -> None:
    open_case(detail, "letter")
    text = detail.inner_text()
    open_case(detail, "matcher")
    matcher = detail.inner_text()

    assert "count: expected 0, got 1" in text
    assert re.search(r"forbidden by\s+'?`?delete_\*", text)
    assert "^A\\d+$" in matcher
    assert "B12" in matcher


def test_results_are_beside_their_calls(detail: Locator) -> None:
    open_case(detail, "results")

    result = row(detail, "correct", "book").locator("details", has_text="Result")
    result.locator("summary").click()

    assert "no seats left" in result.inner_text()


def test_the_explanation_has_its_three_steps(detail: Locator) -> None:
    open_case(detail, "letter")

    explanation = detail.locator("details", has=detail.page.locator("summary", has_text="How the"))
    steps = explanation.locator("h4").all_inner_texts()

    assert [step.split(".")[0] for step in steps[:3]] == ["Step 1", "Step 2", "Step 3"]


def test_the_input_is_shown_as_a_chat(detail: Locator) -> None:
    open_case(detail, "letter")

    chat = detail.locator(".case-chat")

    assert chat.locator("dt").all_inner_texts() == ["user"]
    assert "Write to the passenger" in chat.inner_text()


def test_the_input_of_a_run_is_shown(page: Page, reports: Reports) -> None:
    page.goto(reports("show").as_uri() + "#case=airline-3")
    detail = page.locator("#case-detail[aria-busy=false]")
    detail.locator(".case-id", has_text="airline-3").wait_for()

    text = detail.locator("details", has=page.locator("summary", has_text="Input")).inner_text()

    assert "You are" in text


# --- large values -----------------------------------------------------------------------------


def test_a_value_that_is_too_large_to_show_can_be_downloaded(detail: Locator) -> None:
    open_case(detail, "large")
    assert len(detail.inner_text()) < 50_000

    with detail.page.expect_download() as downloading:
        detail.get_by_role("button", name=re.compile("Download")).first.click()

    saved = downloading.value.path().read_text(encoding="utf-8")
    assert LARGE in saved


def test_an_integer_of_any_size_is_shown_in_full(detail: Locator) -> None:
    open_case(detail, "large")

    number = row(detail, "incorrect", "save").locator(".call-argument", has_text="number")

    assert str(HUGE) in number.inner_text().replace("\n", "")
    assert str(HUGE + 1) in number.inner_text().replace("\n", "")


# --- taking along -----------------------------------------------------------------------------


def test_a_case_is_copied_as_json(detail: Locator) -> None:
    open_case(detail, "large")

    found = msgspec.json.decode(copied(detail, "Copy as JSON"), type=dict[str, Any])

    assert found["id"] == "large"
    assert found["rows"][0]["expected"]["arguments"]["number"] == HUGE


def test_the_actual_calls_are_copied_as_an_expectation(detail: Locator, tmp_path: Path) -> None:
    open_case(detail, "letter")

    expected = msgspec.json.decode(copied(detail, "expected"), type=list[Any])
    write_lines(tmp_path / "again.jsonl", [{**CASES[0], "expected": expected}])
    again = program(tmp_path, "score", "again.jsonl", "--format", "json")

    assert expected == CASES[0]["actual"]
    assert msgspec.json.decode(again, type=dict[str, Any])["totals"]["passed"] == 1


def test_the_command_that_explains_a_case_is_copied_and_works(
    detail: Locator, crafted: Path
) -> None:
    open_case(detail, "o'clock")

    words = shlex.split(copied(detail, "Copy command"))

    assert words[:2] == ["callscore", "explain"]
    assert words[-1] == "o'clock $HOME"
    assert "go" in program(crafted.parent, *words[1:])


def test_the_command_to_do_next_is_copied(detail: Locator, crafted: Path) -> None:
    page = detail.page
    page.locator(".next-steps").get_by_role("button", name="Copy").click()
    page.locator(".next-steps").get_by_text("Copied").wait_for()

    words = shlex.split(page.evaluate("navigator.clipboard.readText()"))

    assert words[0] == "callscore"
    assert program(crafted.parent, *words[1:])
