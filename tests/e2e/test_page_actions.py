"""What can be done on the page of `callscore view`: follow and stop a run, score again, accept, write notes."""

from __future__ import annotations

import re
import shutil
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.e2e.processes import started, wait_until
from tests.e2e.reports import write_lines
from tests.e2e.viewing import run_ids
from tests.e2e.weather import program

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.e2e.viewing import Viewed
    from tests.servers.browser import Conduct

DETAIL = "#case-detail[aria-busy=false] .case"
# Each case waits until the test lets it go on.
WAITING = """\
from pathlib import Path
from time import sleep

from callscore import Case, evaluation, expect

CASES = [Case(f"Question {at}", id=f"case-{at}", expected=[expect.call("go", to=at)]) for at in range(6)]


@evaluation(cases=CASES)
def waiting(case):
    while not Path(f"go-{case.id}").exists():
        sleep(0.01)
    to = int(case.id.rpartition("-")[2])
    return [{"name": "go", "arguments": {"to": 99 if to == 2 else to}}]
"""


@pytest.fixture
def project(airline_project: Path, tmp_path: Path) -> Path:
    """A copy of the project with four runs."""
    folder = tmp_path / "airline"
    shutil.copytree(airline_project, folder)
    return folder


@contextmanager
def waiting_run(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run in progress that waits in each of its cases."""
    (folder / "eval_waiting.py").write_text(WAITING, encoding="utf-8")
    with started(folder, "run", "--jobs", "1") as process:
        yield process


def let_go(folder: Path, *numbers: int) -> None:
    """Let cases of the waiting run be answered."""
    for number in numbers:
        (folder / f"go-case-{number}").touch()


# --- a run in progress ------------------------------------------------------------------------


@pytest.mark.main_screens
def test_a_run_is_followed_while_it_is_in_progress(
    page: Page, viewed: Viewed, tmp_path: Path
) -> None:
    (tmp_path / ".callscore").mkdir()
    address = viewed(tmp_path)
    page.goto(address)
    page.get_by_role("heading", name="No runs yet").wait_for()

    with waiting_run(tmp_path) as process:
        let_go(tmp_path, 0)
        card = page.locator(".running-run")
        card.get_by_text("1 of 6").wait_for()
        card.get_by_role("link").click()
        live = page.get_by_role("region", name="Progress")
        let_go(tmp_path, 1, 2)
        live.get_by_text("3 of 6").first.wait_for()
        results = live.locator("ol").get_by_role("button").all_inner_texts()
        live.get_by_role("button", name=re.compile("case-2")).click()
        opened = page.get_by_role("region", name="Case").locator(".case").inner_text()
        let_go(tmp_path, 3, 4, 5)
        page.locator(".filters-count", has_text="6 cases").wait_for()
        process.wait(300)

    assert [re.search(r"case-\d", text)[0] for text in results] == ["case-2", "case-1", "case-0"]  # type: ignore[index]
    assert "99" in opened
    assert "5" in page.locator(".counts").inner_text()


def test_a_run_is_stopped_after_a_question(page: Page, viewed: Viewed, tmp_path: Path) -> None:
    (tmp_path / ".callscore").mkdir()
    address = viewed(tmp_path)

    with waiting_run(tmp_path) as process:
        let_go(tmp_path, 0)
        page.goto(address)
        page.locator(".running-run").get_by_text("1 of 6").wait_for()
        page.locator(".running-run").get_by_role("link").click()
        page.get_by_role("button", name="Stop …").click()
        still_running = process.poll() is None
        page.get_by_role("dialog").get_by_role("button", name="Stop the run").click()
        let_go(tmp_path, 1)  # the case under way may be answered
        process.wait(300)
        page.locator(".filters-count").wait_for()

    assert still_running
    assert process.returncode != 0
    assert "interrupted" in page.locator("main").inner_text()
    assert "interrupted" in program(tmp_path, "history")


# --- score again ------------------------------------------------------------------------------


@pytest.mark.main_screens
def test_scoring_again_shows_what_changes_before_it_is_saved(
    page: Page, viewed: Viewed, project: Path
) -> None:
    before = set(run_ids(project))
    newest = run_ids(project)[0]
    page.goto(f"{viewed(project)}/runs/{newest}")
    page.locator(DETAIL).wait_for()
    page.get_by_role("link", name="Score again").click()

    page.get_by_role("spinbutton", name="Pass mark").fill("0.5")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="What would change").wait_for()
    page.locator(DETAIL).wait_for()
    fixed = page.get_by_role("group", name="Change").get_by_role(
        "button", name=re.compile("^fixed")
    )
    fixed_text = fixed.inner_text()
    unsaved = set(run_ids(project))
    page.get_by_role("button", name="Save as a run").click()
    page.locator("h1", has_not_text="Score again").wait_for()
    page.locator(DETAIL).wait_for()

    saved = set(run_ids(project)) - before
    assert int(re.findall(r"\d+", fixed_text)[0]) > 0
    assert unsaved == before
    assert len(saved) == 1
    assert page.url.endswith(f"/runs/{saved.pop()}")
    assert f"scores again the answers of {newest}" in re.sub(r"\s+", " ", page.inner_text("main"))


def test_a_preview_is_discarded(page: Page, viewed: Viewed, project: Path) -> None:
    before = run_ids(project)
    page.goto(f"{viewed(project)}/runs/{before[0]}?panel=rescore")
    page.get_by_role("radio", name=re.compile("^flexible")).check()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("heading", name="What would change").wait_for()

    page.get_by_role("button", name="Discard").click()

    page.get_by_role("heading", name="What would change").wait_for(state="detached")
    assert run_ids(project) == before


# --- accept -----------------------------------------------------------------------------------


def expected_of(project: Path, case: str) -> list[Any]:
    """The expected calls of a case in the file of the project."""
    lines = (project / "cases.jsonl").read_bytes().splitlines()
    cases = [msgspec.json.decode(line, type=dict[str, Any]) for line in lines]
    return next(each["expected"] for each in cases if each["id"] == case)


@pytest.mark.main_screens
def test_an_answer_is_accepted_after_its_diff_was_shown(
    page: Page, viewed: Viewed, project: Path
) -> None:
    before = expected_of(project, "airline-3")
    page.goto(f"{viewed(project)}/runs/{run_ids(project)[0]}#case=airline-3")
    page.locator(DETAIL).locator(".case-id", has_text="airline-3").wait_for()
    page.get_by_role("button", name="Accept as expected").click()
    panel = page.get_by_role("region", name="Accept as expected")
    panel.get_by_role("button", name="Write to the file").wait_for()
    removed = panel.locator(".file-line.is-removed").all_inner_texts()
    added = panel.locator(".file-line.is-added").all_inner_texts()
    unwritten = expected_of(project, "airline-3")

    panel.get_by_role("button", name="Write to the file").click()
    panel.get_by_text("Written to the file").wait_for()

    after = expected_of(project, "airline-3")
    assert removed
    assert added
    assert "cases.jsonl" in panel.inner_text()
    assert unwritten == before
    assert after != before


def test_accepting_an_answer_writes_nothing_if_the_file_changed_meanwhile(
    page: Page, viewed: Viewed, project: Path, conduct: Conduct
) -> None:
    page.goto(f"{viewed(project)}/runs/{run_ids(project)[0]}#case=airline-3")
    page.locator(DETAIL).locator(".case-id", has_text="airline-3").wait_for()
    page.get_by_role("button", name="Accept as expected").click()
    page.get_by_role("button", name="Write to the file").wait_for()
    file = project / "cases.jsonl"
    changed = file.read_bytes().replace(b'airline-3"', b'airline-3" ')
    file.write_bytes(changed)

    page.get_by_role("button", name="Write to the file").click()
    page.get_by_role("alert").wait_for()

    assert file.read_bytes() == changed
    conduct.faults = [fault for fault in conduct.faults if "Failed to load resource" not in fault]


# --- notes ------------------------------------------------------------------------------------


def test_a_note_on_a_case_is_kept_for_all_its_runs(
    page: Page, viewed: Viewed, project: Path
) -> None:
    address = viewed(project)
    newest, *_, oldest = run_ids(project)
    page.goto(f"{address}/runs/{newest}#case=airline-3")
    page.locator(DETAIL).locator(".case-id", has_text="airline-3").wait_for()
    page.locator("summary", has_text="Notes").click()
    page.get_by_role("textbox", name=re.compile("Note on this case")).fill("<b>Ask Ann</b> \u202e!")
    page.get_by_role("button", name="Add note").click()
    page.get_by_text("<b>Ask Ann</b>").wait_for()

    page.goto(f"{address}/runs/{oldest}#case=airline-3")
    note = page.locator(".user-note", has_text="<b>Ask Ann</b> \\u202e!")
    note.wait_for()
    note.get_by_role("button", name="Delete").click()
    note.get_by_role("group").get_by_role("button", name="Delete").click()
    note.wait_for(state="detached")
    page.reload()
    page.locator(DETAIL).locator(".case-id", has_text="airline-3").wait_for()
    page.locator("summary", has_text="Notes").wait_for()

    assert page.locator(".user-note").count() == 0


# --- hostile data -----------------------------------------------------------------------------


@pytest.mark.main_screens
def test_hostile_data_does_not_run_on_any_screen(
    page: Page, viewed: Viewed, tmp_path: Path, conduct: Conduct
) -> None:
    attack = "</script><img src=x onerror='globalThis.hasRun = true'>\u202e"
    calls = [{"name": attack, "arguments": {attack: attack}}]
    case = {"id": attack, "tags": [attack], "input": attack, "expected": calls, "actual": []}
    write_lines(tmp_path / "cases.jsonl", [case])
    for _ in range(2):
        program(tmp_path, "score", "cases.jsonl", "--save", attack.replace("\u202e", ""))
    address = viewed(tmp_path)
    newest, oldest = run_ids(tmp_path)[:2]
    page.goto(address)
    link = page.locator(".evaluation-card a").get_attribute("href")
    assert link
    key = link.rpartition("/")[2]

    page.goto(f"{address}/cases?evaluation={key}&case={attack}")
    page.locator("h1", has_text="onerror").wait_for()
    for path in (f"/runs/{newest}", f"/compare?runs={oldest},{newest}#change=all"):
        page.goto(f"{address}{path}")
        page.locator(DETAIL).wait_for()
    for path in ("/", f"/evaluations/{key}", f"/search?q={attack}"):
        page.goto(f"{address}{path}")
        page.locator("main h1").wait_for()

    assert page.evaluate("globalThis.hasRun") is None
    assert page.locator("main img").count() == 0
    assert "\u202e" not in page.inner_text("body")
    conduct.faults = [fault for fault in conduct.faults if "Failed to load resource" not in fault]


# --- run --view -------------------------------------------------------------------------------


def test_a_run_can_bring_its_page(page: Page, tmp_path: Path, conduct: Conduct) -> None:
    (tmp_path / "eval_waiting.py").write_text(WAITING, encoding="utf-8")

    with started(tmp_path, "run", "--jobs", "1", "--view") as process:
        said = tmp_path / "stderr"
        wait_until(lambda: "http://" in said.read_text(encoding="utf-8"), "the address of the page")
        found = re.search(r"http://[\d.:]+", said.read_text(encoding="utf-8"))
        assert found
        conduct.origins.add(found[0])
        page.goto(found[0])
        page.locator(".running-run").get_by_role("link").click()
        let_go(tmp_path, *range(6))
        page.locator(".filters-count", has_text="6 cases").wait_for()
        wait_until(lambda: "until you press" in said.read_text(encoding="utf-8"), "the end")
        process.send_signal(signal.SIGINT)

        assert process.wait(300) == 1  # a case failed
