"""Take the pictures of the HTML report and of the page: real commands on real data, in Chromium.

    python docs/images/make_pictures.py

The data are the 50 tasks of an airline that callscore comes with, four trials each; the page shows
the trials as four runs of a suite, on four days. It needs Chromium and Playwright (`make browser`).
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

__all__ = ["PICTURES", "main"]

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
DATA = ROOT / "src/callscore/data/airline-gpt-4o.jsonl.gz"
CLOCK = ROOT / "tools/transcript/clock.py"
PICTURES = ("report-overview.png", "report-case.png", "report-comparison.png", "page.png")
# Cases in which an argument is wrong.
CASE = "airline%2Fairline-6"
COMPARED = "airline%2Fairline-11"
LARGEST = 200_000  # bytes
STARTED = 1_794_000_000  # seconds since 1970: the first of the runs
DAY = 86_400
# Only what changes something counts: that is what the tasks of this airline are judged by.
SUITE = 'cases = "cases.jsonl"\nanswers = "answers.jsonl"\n[settings]\npreset = "outcome"\n'


def main() -> None:
    """Take all pictures."""
    with TemporaryDirectory(prefix="callscore-pictures-") as name:
        folder = Path(name)
        shutil.copy(CLOCK, folder / "sitecustomize.py")
        project = make_project(folder / "airline")
        callscore(folder, "demo", "-o", "demo.html")
        callscore(project, "show", "latest", "-o", str(folder / "run.html"))
        callscore(project, "compare", "main", "latest", "-o", str(folder / "comparison.html"))
        demo, run, comparison = (
            (folder / f"{name}.html").as_uri() for name in ("demo", "run", "comparison")
        )
        with browser() as opened, serving(project) as page:
            take(opened, demo, "report-overview.png")
            take(opened, f"{run}#status=failed&case={CASE}", "report-case.png", is_dark=True)
            take(opened, f"{comparison}#case={COMPARED}", "report-comparison.png")
            take(opened, page, "page.png")


def make_project(folder: Path) -> Path:
    """A folder with a suite and four runs of it on four days; the first one is the baseline."""
    folder.mkdir()
    trials: dict[int, list[Any]] = defaultdict(list)
    with gzip.open(DATA) as lines:
        for line in lines:
            record = msgspec.json.decode(line)
            trials[record["trial"]].append(record)
    shutil.copytree(ROOT / "examples/assistant", folder / "assistant")
    (folder / ".gitignore").write_text(".callscore/\n", encoding="utf-8")
    (folder / "eval_airline.toml").write_text(SUITE, encoding="utf-8")
    cases = [{key: each[key] for key in ("id", "input", "expected")} for each in trials[0]]
    write_lines(folder / "cases.jsonl", cases)
    for trial, records in sorted(trials.items()):
        answers = [{"id": each["id"], "answer": each["actual"]} for each in records]
        write_lines(folder / "answers.jsonl", answers)
        commit(folder, f"Prompt {trial + 1}")
        callscore(folder, "run", "--show", "none", "--name", f"prompt-{trial + 1}", day=trial)
        if trial == 0:
            callscore(folder, "baseline", "set", "latest", "--name", "main")
    return folder


def write_lines(file: Path, records: list[Any]) -> None:
    """Write a file of JSON lines."""
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))


def commit(folder: Path, message: str) -> None:
    """Commit the suite and the answers, so that runs have a commit."""
    author = ("-c", "user.name=callscore", "-c", "user.email=callscore@example.org")
    for words in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", message)):
        subprocess.run(["git", *words], cwd=folder, check=True)  # noqa: S603, S607  (any git will do)


def environment(folder: Path, day: float) -> dict[str, str]:
    """That of a command, whose clock stands still."""
    paths = (
        str(folder if (folder / "sitecustomize.py").exists() else folder.parent),
        str(ROOT / "src"),
    )
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "CALLSCORE_TRANSCRIPT_NOW": str(STARTED + day * DAY),
        "NO_COLOR": "1",
    }


def callscore(folder: Path, *words: str, day: float = 4) -> None:
    """Run a command, which may say that cases failed."""
    ran = subprocess.run(  # noqa: S603  (the program that is shown)
        [sys.executable, "-m", "callscore", *words],
        cwd=folder,
        env=environment(folder, day),
        capture_output=True,
        check=False,
    )
    if ran.returncode not in (0, 1):
        sys.exit(ran.stderr.decode())


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The page of the history; its address."""
    words = [sys.executable, "-m", "callscore", "view", "--port", "0", "--no-browser"]
    inherited = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(  # noqa: S603  (likewise)
        words, cwd=folder, env=inherited, stderr=subprocess.PIPE
    ) as process:
        found = re.search(rb"http://\S+", process.stderr.readline() if process.stderr else b"")
        if found is None:
            sys.exit("the page did not start")
        try:
            yield found[0].decode()
        finally:
            process.terminate()


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium, as the tests have it."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        sys.exit("Chromium is not installed: `make browser` installs it on Debian")
    arguments = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program, args=arguments)


def take(opened: Browser, address: str, name: str, *, is_dark: bool = False) -> None:
    """Take one picture: of the top of a page, or of its cases if the address names one."""
    context = opened.new_context(
        viewport={"width": 1280, "height": 860},
        color_scheme="dark" if is_dark else "light",
        reduced_motion="reduce",
        timezone_id="UTC",
        locale="en-GB",
    )
    page = context.new_page()
    page.goto(address)
    page.locator("#case-detail[aria-busy=false] .case, .run-table").first.wait_for(state="attached")
    page.evaluate("document.fonts.ready")
    if "case=" in address:
        page.locator("#cases").evaluate("(element) => element.scrollIntoView()")
    shoot(page, FOLDER / name)
    context.close()


def shoot(page: Page, file: Path) -> None:
    """Write the picture, and say how large it is."""
    page.screenshot(path=file)
    size = file.stat().st_size
    print(f"{file.name}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{file.name} is larger than {LARGEST:,} bytes")


if __name__ == "__main__":
    main()
