"""Draws the pictures of the HTML report and of the page, from the trajectories that come with callscore.

It needs chromium and the development extras: `make pictures` installs both.
"""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_HERE = Path(__file__).parent
_DATA = _HERE.parents[1] / "src/callscore/data/airline-gpt-4o.jsonl.gz"
_CHROMIUM = "/usr/bin/chromium"
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_LARGEST = 200_000  # bytes of a picture
_PROGRAM = (sys.executable, "-m", "callscore")
# The first version of the agent makes each mistake of the data; later ones make fewer.
_CORRECTED = (0, 9, 7, 4, 3)


def main() -> None:
    """Draw all pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder, "airline")
        home.mkdir()
        os.chdir(home)
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_ARGUMENTS)
        _draw_report(browser)
        _draw_comparison(browser)
        _draw_page(browser)
        browser.close()


def _draw_report(browser: Browser) -> None:
    _callscore("demo", "-o", "report.html")
    page = _opened(browser, Path("report.html").resolve().as_uri(), height=1010)
    _save(page, "report-overview.png")
    _callscore("demo", "--preset", "outcome", "-o", "outcome.html")
    address = f"{Path('outcome.html').resolve().as_uri()}#argument=book_reservation%3Aflights"
    page = _opened(browser, address, height=900, scheme="dark")
    page.locator("#cases").scroll_into_view_if_needed()
    _save(page, "report-case.png")


def _draw_comparison(browser: Browser) -> None:
    for name, trial in (("before", 1), ("after", 0)):
        _write(f"{name}.jsonl", [case for case in _cases() if case.pop("trial") == trial])
    options = ("--preset", "outcome", "-o", "comparison.html")
    _callscore("compare", "before.jsonl", "after.jsonl", *options)
    page = _opened(browser, Path("comparison.html").resolve().as_uri(), height=900)
    page.locator("#cases").scroll_into_view_if_needed()
    _save(page, "report-comparison.png")


def _draw_page(browser: Browser) -> None:
    for version, corrected in enumerate(_CORRECTED, 1):
        _write_cases("airline.jsonl", corrected)
        _callscore("score", "airline.jsonl", "--save", f"version-{version}", "--show", "none")
    server = subprocess.Popen(  # noqa: S603  (this program, in a folder of its own)
        [*_PROGRAM, "view", "--no-browser", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr is not None  # noqa: S101  (it is a pipe)
        [address] = re.findall(r"http://\S+", server.stderr.readline())
        page = _opened(browser, address, height=800)
        _save(page, "page.png")
    finally:
        server.terminate()
        server.wait()


def _callscore(*arguments: str) -> None:
    subprocess.run(  # noqa: S603  (as above)
        [*_PROGRAM, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _write_cases(name: str, corrected: int) -> None:
    """The trajectories, of which each `corrected`th is as expected; 0 for none."""
    cases = _cases()
    for number, case in enumerate(cases):
        if corrected and number % corrected == 0:
            case["actual"] = case["expected"]
    _write(name, cases)


def _cases() -> list[dict[str, Any]]:
    lines = gzip.decompress(_DATA.read_bytes()).splitlines()
    return [msgspec.json.decode(line) for line in lines]


def _write(name: str, cases: list[dict[str, Any]]) -> None:
    Path(name).write_bytes(b"".join(msgspec.json.encode(case) + b"\n" for case in cases))


def _opened(browser: Browser, address: str, *, height: int, scheme: Any = "light") -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": height}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_timeout(1500)
    return page


def _save(page: Page, name: str) -> None:
    path = _HERE / name
    page.screenshot(path=path)
    size = path.stat().st_size
    if size > _LARGEST:
        sys.exit(f"{name} has {size} bytes, and more than {_LARGEST} are too many")
    print(f"{name}: {size} bytes")


if __name__ == "__main__":
    main()
