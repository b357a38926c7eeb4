"""The browser of the tests notices what a page must not do, so that the other tests can rely on it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.servers.browser import Conduct, Findings, Site

POLICY = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'\">"

NO_ICON = "<link rel='icon' href='data:,'>"  # or the browser asks the server for one


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (f"{POLICY}<script>1</script>", "written: policy: script-src-elem forbids inline"),
        (f"{POLICY}<p style='color: red'>", "written: policy: style-src-attr forbids inline"),
        ("<img src='http://example.com/x.png'>", "asked for: http://example.com/x.png"),
        ("<script src='http://127.0.0.1:9/x.js'></script>", "asked for: http://127.0.0.1:9/x.js"),
        ("<script>setTimeout(() => { throw new Error('late') })</script>", "thrown: late"),
        ("<script>console.error('wrong')</script>", "written: wrong"),
        ("<script>alert('hello')</script>", "a dialog: hello"),
    ],
)
def test_the_fault_of_a_page_is_noticed(
    content: str, fault: str, page: Page, conduct: Conduct, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(f"<!doctype html>{content}", encoding="utf-8")

    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("() => new Promise((done) => setTimeout(done, 0))")
    found = [line for line in conduct.faults if line.startswith(fault)]
    conduct.faults.clear()

    assert found


def test_a_server_of_the_test_may_be_asked(
    page: Page, conduct: Conduct, site: Site, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(f"<!doctype html>{NO_ICON}<p>Hello", encoding="utf-8")

    page.goto(f"{site(tmp_path)}/page.html")

    assert page.inner_text("p") == "Hello"
    assert conduct.faults == []


def test_between_two_pages_another_test_can_run_a_loop(page: Page) -> None:
    async def answer() -> int:
        return 42

    running = asyncio.get_running_loop()
    asyncio._set_running_loop(None)  # as it is when the next test starts
    answered = asyncio.run(answer())
    asyncio._set_running_loop(running)

    assert answered == page.evaluate("42")


def test_a_barrier_is_found(page: Page, barriers: Findings, tmp_path: Path) -> None:
    content = f"<!doctype html><title>x</title>{POLICY}<button></button><p>Hello"
    (tmp_path / "page.html").write_text(content, encoding="utf-8")

    page.goto((tmp_path / "page.html").as_uri())

    assert any(found.startswith("button-name: ") for found in barriers(page))
