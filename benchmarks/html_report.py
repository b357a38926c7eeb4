"""What the HTML report of many cases costs: to write it, and to look at it in a browser.

    python benchmarks/html_report.py [--cases 100000]

Prints figures and fails at none: how long it takes depends on the machine. It needs Chromium and
Playwright, as the tests do (`make browser`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import commands
import data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Page

__all__ = ["Looked", "look", "main", "watch"]

CASES = 100_000
SHAPE = data.Shape("cases of one or two calls", most_expected=2, extra=0.1, favour=1.5)
ROUNDS = 5
_PATIENCE = 300_000  # milliseconds that one step may take
_MEGABYTE = 1_000_000

# Notes when the first row of the list is in the document and painted.
_WATCH = """
const lookForRow = () => {
  if (document.querySelector(".case-row")) {
    requestAnimationFrame(() => { globalThis.firstView = performance.now(); });
  } else requestAnimationFrame(lookForRow);
};
requestAnimationFrame(lookForRow);
"""
# Does something, and resolves to the milliseconds until what is shown has changed and is painted.
_UNTIL_CHANGED = """async ([act, read]) => {
  const element = document.querySelector(act);
  const text = () => [...document.querySelectorAll(read)].map((each) => each.textContent).join("\\n");
  const before = text();
  const start = performance.now();
  element.click();
  while (text() === before) {
    await new Promise((done) => setTimeout(done, 0));
    if (performance.now() - start > 60000) throw new Error(`${act} changes nothing`);
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - start;
}"""
_TYPED = """async (text) => {
  const field = document.getElementById("search");
  const read = () => document.querySelector(".filters-count").textContent;
  const before = read();
  const start = performance.now();
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  while (read() === before) await new Promise((done) => setTimeout(done, 0));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - start;
}"""


class Looked(NamedTuple):
    """What it took to look at a report.

    Attributes:
        first_view: milliseconds until the first rows are shown.
        status: milliseconds to filter by a status.
        text: milliseconds to search for a text.
        sort: milliseconds to sort by score.
        case: milliseconds to open another case.
        elements: those in the document.
        rows: those of the list that are in the document.
        heap: megabytes of the script's objects.
        process: megabytes of the process that shows the page; None if nobody knows.
    """

    first_view: float
    status: float
    text: float
    sort: float
    case: float
    elements: int
    rows: int
    heap: float
    process: float | None


def watch(page: Page) -> None:
    """Prepare a page that is going to be looked at."""
    page.set_default_timeout(_PATIENCE)
    page.add_init_script(_WATCH)


def look(page: Page, address: str) -> Looked:
    """Open a report, filter it, sort it, open cases."""
    page.goto(address, wait_until="commit")
    page.locator("#case-detail[aria-busy=false] .case").wait_for()
    page.locator(".filters-count").wait_for()
    status = _best(page, _UNTIL_CHANGED, ("#cases [role=group] button", ".filters-count"))
    text = min(_searching(page) for _ in range(ROUNDS))
    case = min(
        page.evaluate(_UNTIL_CHANGED, [f".case-row:nth-child({at})", "#case-detail .case-id"])
        for at in range(3, 3 + ROUNDS)
    )
    return Looked(
        first_view=page.evaluate("globalThis.firstView"),
        status=status,
        text=text,
        sort=_sorting(page),
        case=case,
        elements=page.evaluate("document.querySelectorAll('*').length"),
        rows=page.locator(".case-row").count(),
        heap=_heap(page),
        process=max(_renderers(), default=None),
    )


def _best(page: Page, script: str, argument: Any) -> float:
    spent: list[float] = [page.evaluate(script, list(argument)) for _ in range(2 * ROUNDS)]
    return min(spent)


def _searching(page: Page) -> float:
    spent: float = page.evaluate(_TYPED, "case-0001")
    page.evaluate(_TYPED, "")
    return spent


def _sorting(page: Page) -> float:
    """The first time, when the order is not known yet."""
    script = """async () => {
      const list = document.querySelector("select:has(option[value=best])");
      const read = () => document.querySelector(".case-row .case-row-id").textContent;
      const before = read();
      const start = performance.now();
      list.value = "score";
      list.dispatchEvent(new Event("change", { bubbles: true }));
      for (let turn = 0; read() === before && turn < 1000; turn += 1) {
        await new Promise((done) => setTimeout(done, 0));
      }
      return performance.now() - start;
    }"""
    spent: float = page.evaluate(script)
    return spent


def _heap(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    found = {
        each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]
    }
    session.detach()
    return float(found["JSHeapUsedSize"]) / _MEGABYTE


def _renderers() -> Iterator[float]:
    """Megabytes of each process below this one that shows pages; none where nobody says."""
    if not Path("/proc/self/status").exists():
        return
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(
                (folder / "stat").read_text().rpartition(")")[2].split()[1]
            )
        except OSError:
            continue  # it has ended
    for process in parents:
        above = process
        while above > 1 and above != os.getpid():
            above = parents.get(above, 0)
        if above == os.getpid():
            yield from _resident(Path(f"/proc/{process}"))


def _resident(process: Path) -> Iterator[float]:
    try:
        if b"--type=renderer" in (process / "cmdline").read_bytes():
            pages = int((process / "statm").read_text().split()[1])
            yield pages * os.sysconf("SC_PAGE_SIZE") / _MEGABYTE
    except OSError:
        return  # it has ended


def main(words: Sequence[str]) -> None:
    """Make cases, write the reports, look at one, and print what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=CASES)
    options = parser.parse_args(words)
    with TemporaryDirectory(prefix="callscore-report-") as name:
        folder = Path(name)
        cases, report = folder / "cases.jsonl", folder / "report.html"
        data.write_cases(cases, options.cases, SHAPE)
        as_json = commands.command(
            commands.callscore_command("score", str(cases), "-o", str(folder / "report.json")),
            folder,
        )
        written = commands.command(
            commands.callscore_command("score", str(cases), "-o", str(report)), folder
        )
        print(f"{options.cases:,} {SHAPE.name}, {_size(cases)} of JSON lines")
        print(f"{'JSON report':28}{_size(folder / 'report.json'):>12}{as_json.seconds:>10.1f} s")
        print(f"{'HTML report':28}{_size(report):>12}{written.seconds:>10.1f} s")
        print(f"{'  memory to write it':28}{written.megabytes:>9.0f} MB")
        _print_looked(report)


def _print_looked(report: Path) -> None:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is not installed: `make browser` installs it on Debian")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        watch(page)
        print(lines_of(look(page, report.as_uri())))
        browser.close()


def lines_of(looked: Looked) -> str:
    """What to print of it."""
    lines = [
        f"{'first view':28}{looked.first_view:>9.0f} ms",
        f"{'filter by status':28}{looked.status:>9.0f} ms",
        f"{'search':28}{looked.text:>9.0f} ms",
        f"{'sort by score':28}{looked.sort:>9.0f} ms",
        f"{'open a case':28}{looked.case:>9.0f} ms",
        f"{'rows in the document':28}{looked.rows:>9}",
        f"{'elements in the document':28}{looked.elements:>9}",
        f"{'objects of the script':28}{looked.heap:>9.0f} MB",
    ]
    if looked.process is not None:
        lines.append(f"{'memory of the tab':28}{looked.process:>9.0f} MB")
    return "\n".join(lines)


def _size(file: Path) -> str:
    return f"{file.stat().st_size / _MEGABYTE:.1f} MB"


if __name__ == "__main__":
    main(sys.argv[1:])
