"""A real browser that tests drive as a person would: the Chromium of the system, by Playwright.

    def test_it(page: Page, report: Path) -> None:
        page.goto(report.as_uri())

When the test ends, it fails if a page wrote an error, threw one, broke its Content-Security-Policy,
or asked for anything but files, data, and what a server of the test itself (`site`) has.

Where Chromium or Playwright is not installed, such a test is skipped, and says so.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request

__all__ = [
    "Conduct",
    "Findings",
    "NewPage",
    "Site",
    "barriers",
    "chromium",
    "conduct",
    "new_page",
    "page",
    "site",
]

# Nothing of it talks to anybody, whatever the page says.
ARGUMENTS = (
    "--no-sandbox",  # tests run as root, too
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
)
# Milliseconds that the browser may take for one step.
PATIENCE = int(os.environ.get("CALLSCORE_BROWSER_PATIENCE", "120000"))
SMALL = ("data:", "blob:", "file:", "about:")
# What breaks the policy of a document is an event there; Chromium need not write all of them.
_TELL = """
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI} (${event.sample})`);
});
"""
_LATER = "() => new Promise((done) => setTimeout(done, 0))"
AXE = Path(__file__).parents[2] / "tools/javascript/node_modules/axe-core/axe.min.js"
_CHECK = """(rules) => axe.run(document, {
  resultTypes: ["violations"],
  ...(rules ? { runOnly: [rules] } : {}),
})"""


class Conduct:
    """What the pages of a test do that they must not do, and which servers they may ask.

    Attributes:
        faults: a line for each; a test that provokes them empties the list.
        requests: the addresses that were asked for.
        origins: the servers of the test.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.origins: set[str] = set()

    def watch(self, page: Page) -> None:
        """Note all that a page does."""
        page.on("console", self._written)
        page.on("pageerror", lambda error: self.faults.append(f"thrown: {error}"))
        page.on("dialog", self._opened)
        page.on("crash", lambda _: self.faults.append("the page crashed"))
        page.on("request", self._asked)

    def _written(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.faults.append(f"written: {message.text} ({message.location.get('url')})")

    def _opened(self, dialog: Dialog) -> None:
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)
        allowed = (*SMALL, *(f"{origin}/" for origin in self.origins))
        if not request.url.startswith(allowed):
            self.faults.append(f"asked for: {request.url[:200]}")


class NewPage(Protocol):
    def __call__(self, **options: Any) -> Page:
        """A page of its own context; `options` are those of `Browser.new_context`."""


class Site(Protocol):
    def __call__(self, folder: Path) -> str:
        """Serve the files of a folder while the test runs; the address of its root."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser of this process."""
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("Chromium is not installed: `make browser` installs it on Debian")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        loop = asyncio.get_running_loop()
        _set_running(None)
        yield launched
        _set_running(loop)
        launched.close()


@contextmanager
def _driven(chromium: Browser) -> Iterator[None]:
    """Let Playwright work while the block lasts.

    Its loop seems to run as long as it is open, and the next test could not run one of its own.
    """
    _set_running(chromium._impl_obj._loop)
    try:
        yield
    finally:
        _set_running(None)


def _set_running(loop: asyncio.AbstractEventLoop | None) -> None:
    asyncio._set_running_loop(loop)


@pytest.fixture
def conduct() -> Conduct:
    """What the pages of the test do."""
    return Conduct()


@pytest.fixture
def new_page(chromium: Browser, conduct: Conduct) -> Iterator[NewPage]:
    """Makes pages with options; see the module for what they must not do."""
    contexts = []

    def make(**options: Any) -> Page:
        context = chromium.new_context(**options)
        contexts.append((context, options.get("java_script_enabled", True)))
        context.set_default_timeout(PATIENCE)
        context.add_init_script(_TELL)
        context.on("page", conduct.watch)
        return context.new_page()

    with _driven(chromium):
        yield make
        for context, has_scripts in contexts:
            for opened in context.pages if has_scripts else ():
                opened.evaluate(_LATER)  # what is under way now may still fail
            context.close()
    assert not conduct.faults, "\n".join(conduct.faults)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """An empty page."""
    return new_page(viewport={"width": 1280, "height": 900})


class Findings(Protocol):
    def __call__(self, page: Page, *, rules: str = "") -> list[str]:
        """What keeps people from using a page: a line for each serious or critical finding.

        `rules` is the name of the only rule to look at, such as `color-contrast`.
        """


@pytest.fixture
def barriers() -> Findings:
    """Looks for them with axe-core."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make scripts` installs it")
    source = AXE.read_text(encoding="utf-8")

    def find(page: Page, *, rules: str = "") -> list[str]:
        if not page.evaluate("'axe' in globalThis"):
            page.evaluate(f"() => {{ {source} }}")  # not as a script: the policy would forbid it
        found = page.evaluate(_CHECK, rules)
        return [
            f"{each['id']}: {node['target']} {node['failureSummary']}"
            for each in found["violations"]
            for node in each["nodes"]
            if each["impact"] in {"serious", "critical"}
        ]

    return find


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and prints nothing."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def site(conduct: Conduct) -> Iterator[Site]:
    """Serves folders on this machine."""
    servers: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def serve(folder: Path) -> str:
        handler = partial(_Quiet, directory=str(folder))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        servers.append((server, thread))
        address = f"http://127.0.0.1:{server.server_port}"
        conduct.origins.add(address)
        return address

    yield serve
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()
