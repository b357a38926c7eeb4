"""Hostile data in the HTML report: nothing of it runs, nothing leaves, and all of it can be seen for what it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.e2e.reports import write_lines
from tests.e2e.weather import program

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.servers.browser import Conduct

# Each sets this, if it runs.
RUN = "globalThis.hasRun = true"
ATTACKS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"--></script><!--<script>{RUN}</script>",
    f"<img src=x onerror='{RUN}'>",
    f"<svg onload='{RUN}'>",
    f"javascript:{RUN}",
    f"[x](javascript:{RUN})",
    f"</title></style></noscript><script>{RUN}</script>",
    f'"><iframe srcdoc="<script>parent.{RUN}</script>">',
    "<link rel=stylesheet href=http://example.com/a.css><img src=http://example.com/a.png>",
    f"x${{{RUN}}}`{{{{constructor.constructor('{RUN}')()}}}}",
    "&lt;b&gt; &amp; <b>bold</b>",
    "::error file=x::owned",
    "'; DROP TABLE cases; --",
)
# What is invisible, or turns the text around, and how it is shown.
HIDDEN = {
    "\u202e": "\\u202e",
    "\u2066": "\\u2066",
    "\u200b": "\\u200b",
    "\ufeff": "\\ufeff",
    "\u00ad": "\\u00ad",
    "\x00": "\\u0000",
    "\x1b": "\\u001b",
    "\u2028": "\\u2028",
    "\U000e0041": "\\U000e0041",
}
TEN_MEGABYTES = 10_000_000
# Opens whatever is folded, also in what was folded.
OPEN_ALL = """async (pane) => {
  for (let round = 0; round < 3; round += 1) {
    for (const each of pane.querySelectorAll("details:not([open]) > summary, [aria-expanded=false]")) each.click();
    await new Promise((done) => setTimeout(done, 20));
  }
}"""
NAMES = ("__proto__", "constructor", "toString", "hasOwnProperty", "length")


def hostile_cases() -> list[dict[str, Any]]:
    """Every attack in every place that a case has."""
    cases: list[dict[str, Any]] = []
    for number, attack in enumerate((*ATTACKS, "".join(HIDDEN), *NAMES)):
        call = {"name": attack, "arguments": {attack: attack, "nested": {attack: [attack]}}}
        cases.append(
            {
                "id": f"{number} {attack}",
                "trial": attack,
                "tags": [attack],
                "input": [{"role": attack, "content": attack, "more": {attack: attack}}],
                "metadata": {attack: attack},
                "expected": [call, {"name": "same", "arguments": {"text": f"{attack} a"}}],
                "actual": [
                    {"name": f"other {attack}", "arguments": {attack: [attack]}},
                    {"name": "same", "arguments": {"text": f"{attack} b", attack: 1}},
                ],
            }
        )
    return cases


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report that is full of it, under a hostile name."""
    folder = tmp_path_factory.mktemp("hostile")
    name = f"<img src=x onerror={RUN.replace(' ', '')}>.jsonl".replace("/", "")
    write_lines(folder / name, hostile_cases())
    program(folder, "score", name, "-o", "report.html")
    return folder / "report.html"


def opened_cases(page: Page) -> list[str]:
    """Open each case in turn; what its detail shows."""
    detail = page.locator("#case-detail[aria-busy=false]")
    count = int(re.findall(r"\d+", page.locator(".detail-place").inner_text())[-1])
    texts = []
    for at in range(count):
        page.locator(".detail-place", has_text=re.compile(rf"^{at + 1} ")).wait_for()
        detail.locator(".case").wait_for()
        detail.evaluate(OPEN_ALL)
        texts.append(detail.inner_text())
        if at + 1 < count:
            page.get_by_role("button", name="Next").click()
    return texts


@pytest.mark.main_screens
def test_hostile_data_does_not_run_and_is_shown_as_text(
    page: Page, hostile: Path, conduct: Conduct
) -> None:
    page.goto(hostile.as_uri())
    page.locator("#case-detail .case").wait_for()

    texts = opened_cases(page)

    assert page.evaluate("globalThis.hasRun") is None
    assert conduct.requests == [hostile.as_uri()]
    assert page.locator("#app").locator("img, iframe, object, embed, link, script").count() == 0
    assert len(texts) == len(hostile_cases())
    for attack, text in zip(ATTACKS, texts, strict=False):
        assert attack in text
    for name, text in zip(NAMES, texts[len(ATTACKS) + 1 :], strict=True):
        assert text.count(name) > 3
    for character, escape in HIDDEN.items():
        assert escape in texts[len(ATTACKS)]
        assert not [text for text in texts if character in text]


def test_no_raw_invisible_character_is_in_the_document(page: Page, hostile: Path) -> None:
    page.goto(hostile.as_uri())
    page.locator("#case-detail .case").wait_for()

    whole = page.evaluate("document.documentElement.outerHTML") + page.title()

    for character in HIDDEN.keys() - {"\x00"}:  # which a document cannot have
        assert character not in whole


def test_each_filter_works_with_hostile_names(page: Page, hostile: Path) -> None:
    page.goto(hostile.as_uri())
    page.locator("#case-detail .case").wait_for()
    found = []

    for name in ("Tool", "Wrong argument", "Tag"):
        choices = page.get_by_role("combobox", name=name, exact=True)
        for at in range(1, choices.locator("option").count()):
            choices.select_option(index=at)
            found.append(page.locator(".filters-count").inner_text())
        choices.select_option(index=0)

    assert len(found) > 3 * len(ATTACKS)
    assert not [text for text in found if text.startswith("0 ")]
    assert page.evaluate("globalThis.hasRun") is None


@pytest.mark.parametrize("part", ["text", "tool", "case", "sort", "status", "cell", "argument"])
def test_nothing_in_a_link_runs(part: str, page: Page, hostile: Path) -> None:
    page.goto(hostile.as_uri())
    page.locator("#case-detail .case").wait_for()

    for attack in ATTACKS:
        page.goto(f"{hostile.as_uri()}#{part}={attack}")
        assert page.evaluate("globalThis.hasRun") is None
    page.reload()
    page.locator(".filters-count").wait_for()

    assert page.evaluate("globalThis.hasRun") is None


def test_the_file_has_no_markup_of_the_data(hostile: Path) -> None:
    content = hostile.read_text(encoding="utf-8")
    outside = re.sub(r"<script.*?</script>|<style>.*?</style>", "", content, flags=re.DOTALL)

    assert not re.search(r"<(img|svg|iframe|b)\b|<link rel=stylesheet", outside)
    assert not re.search("[\u202e\u2066\u200b\x00\x1b\u2028]", content)
    assert not re.search(r"^\s*::", content, re.MULTILINE)


def test_a_value_of_ten_megabytes_is_shown_in_part(page: Page, tmp_path: Path) -> None:
    large = "<b>large</b> " * (TEN_MEGABYTES // 13)
    cases = [
        {
            "id": "large",
            "input": large,
            "expected": [{"name": "save", "arguments": {"text": "a", "other": [large[:-1]]}}],
            "actual": [{"name": "save", "arguments": {"text": large, "other": [large]}}],
        }
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    program(tmp_path, "score", "cases.jsonl", "-o", "report.html")

    page.goto((tmp_path / "report.html").as_uri())
    page.locator("#case-detail .case").wait_for()

    assert page.evaluate("document.querySelectorAll('*').length") < 20_000
    assert page.evaluate("document.getElementById('app').textContent.length") < 500_000
    assert page.locator("#case-detail b").count() == 0


def test_a_case_with_thousands_of_calls_is_shown_in_part(page: Page, tmp_path: Path) -> None:
    calls = [{"name": f"tool_{at % 300}", "arguments": {"at": at}} for at in range(5_000)]
    cases = [{"id": "long", "expected": calls, "actual": calls[::2]}]
    write_lines(tmp_path / "cases.jsonl", cases)
    program(tmp_path, "score", "cases.jsonl", "-o", "report.html")

    page.goto((tmp_path / "report.html").as_uri())
    page.locator("#case-detail .case").wait_for()

    assert page.evaluate("document.querySelectorAll('*').length") < 40_000
