"""The HTML of the page and its files: the same for every screen, and nothing else from the disk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import callscore
from callscore.reports.html.catalogue import WORDS
from callscore.web.shell import static_files

if TYPE_CHECKING:
    from tests.web.conftest import Browser, Runs


def boot(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="boot">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return msgspec.json.decode(found[1])


def test_the_script_knows_all_it_needs_at_the_start(browser: Browser, runs: Runs) -> None:
    runs()

    known = boot(browser.client.get("/").text)

    assert set(known) == {
        *("lang", "words", "hidden_characters", "token", "version", "project", "store"),
    }
    assert (known["lang"], known["version"], known["project"]) == (
        "en",
        callscore.__version__,
        "demo",
    )
    assert known["store"] == ".callscore/history.db"
    assert set(known["words"]) == set(WORDS)


def test_no_text_ends_the_data_early(browser: Browser) -> None:
    html = browser.client.get("/").text
    start = html.index('id="boot">') + len('id="boot">')

    assert "<" not in html[start : html.index("</script>", start)]


def test_every_file_that_the_html_names_is_served(browser: Browser) -> None:
    html = browser.client.get("/").text
    named = re.findall(r'(?:src|href)="(/[^"]+)"', html)

    assert "/static/page/page.js" in named
    assert {path: browser.client.get(path).status_code for path in named} == dict.fromkeys(
        named, 200
    )
    assert "style=" not in html
    assert re.findall(r"<script(?! type=)", html) == []


def test_every_module_that_a_script_imports_is_served(browser: Browser) -> None:
    missing = []
    for path, file in static_files().items():
        if not path.endswith(".js"):
            continue
        for name in re.findall(
            rb'^import [^;]*?from "([^"]+)";', file.content, re.MULTILINE | re.DOTALL
        ):
            url = str(browser.client.base_url.join(path).join(name.decode()).path)
            if browser.client.get(url).status_code != 200:
                missing.append((path, url))

    assert missing == []


@pytest.mark.parametrize(
    ("given", "cookie", "lang"),
    [
        ("", "", "en"),
        ("ru", "", "ru"),
        ("", "ru", "ru"),
        ("en", "ru", "en"),
        ("xx", "<script>", "en"),
    ],
)
def test_the_language_is_that_of_the_address_or_of_the_cookie(
    browser: Browser, given: str, cookie: str, lang: str
) -> None:
    headers = {"cookie": f"callscore_lang={cookie}"} if cookie else {}

    answer = browser.client.get("/", params={"lang": given} if given else {}, headers=headers)

    assert f'<html lang="{lang}">' in answer.text
    assert boot(answer.text)["lang"] == lang
    chosen = f"callscore_lang={lang}; HttpOnly; Max-Age=31536000; Path=/; SameSite=strict"
    assert answer.headers.get("set-cookie") == (chosen if given == lang else None)


def test_a_file_that_is_known_already_is_not_sent_again(browser: Browser) -> None:
    first = browser.client.get("/static/report/vendor/preact-htm.js")

    again = browser.client.get(
        "/static/report/vendor/preact-htm.js", headers={"if-none-match": first.headers["etag"]}
    )

    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/static/page/../../../../etc/passwd",
        "/static/page/..%2f..%2f__init__.py",
        "/static/page/%2e%2e/__init__.py",
        "/static/page//etc/passwd",
        "/static//etc/passwd",
        "/static/page/types.d.ts",
        "/static/page/page.js/",
        "/static/page/PAGE.JS",
        "/static/page/page.js%00.css",
        "/static/report/vendor/LICENSE-preact.txt",
        "/static/",
        "/eval_weather.py",
        "/.callscore/history.db",
        "/runs/..%2f..%2fetc%2fpasswd/x",
        "//etc/passwd",
    ],
)
def test_no_path_of_a_request_reaches_the_disk(browser: Browser, path: str) -> None:
    answer = browser.client.get(path)

    assert answer.status_code == 404, answer.text
    assert answer.json() == {"error": "there is nothing at this address"}
