"""The HTML of the page, the same for every screen, and its scripts and styles.

Static files are those of a fixed table, read when the server starts: no path of a request is ever opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from html import escape as html_escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from msgspec import Struct

import callscore
from callscore.core.phrases import Language, Phrase, say
from callscore.reports.html.bundle import json_in_script
from callscore.reports.html.catalogue import words_in
from callscore.reports.html.document import hidden_characters
from callscore.reports.html.linking import STYLES
from callscore.web.responses import encoded

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

COOKIE = "callscore_lang"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOLDERS = {"/static/report/": "callscore.reports.html", "/static/page/": "callscore.web"}
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16'"
    " height='16' rx='4' fill='%232457d6'/%3E%3Cpath d='M4 8.5l2.8 2.8L12 5.5' fill='none' stroke='white'"
    " stroke-width='2'/%3E%3C/svg%3E"
)
_NO_SCRIPTS = Phrase(
    "This page needs JavaScript. Without it: callscore history",
    "Этой странице нужен JavaScript. Без него: callscore history",
)


class StaticFile(Struct, frozen=True):
    """A script or a style, with its type and a digest of its content."""

    content: bytes
    type: str
    digest: str


def static_files() -> dict[str, StaticFile]:
    """The scripts and styles of the report and of the page, by path."""
    return {
        prefix + name: StaticFile(
            content, _TYPES[_suffix(name)], blake2b(content, digest_size=12).hexdigest()
        )
        for prefix, package in _FOLDERS.items()
        for name, content in _contents(files(package).joinpath("static"))
    }


def _contents(folder: Traversable, before: str = "") -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _contents(each, f"{before}{each.name}/")
        elif _suffix(each.name) in _TYPES:
            yield before + each.name, each.read_bytes()


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]


def shell_html(lang: Language, about: dict[str, Any]) -> bytes:
    """The HTML of every screen; `about` is what its script knows at the start, beside the words."""
    boot = {
        "lang": lang,
        "words": words_in(lang),
        "hidden_characters": hidden_characters(),
        "version": callscore.__version__,
        **about,
    }
    styles = [*[f"/static/report/{name}" for name in STYLES], "/static/page/page.css"]
    links = "\n".join(f'<link rel="stylesheet" href="{name}">' for name in styles)
    return b"".join(
        [
            f"""<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>callscore</title>
<link rel="icon" href="{html_escape(_ICON)}">
{links}
</head>
<body>
<div id="app"></div>
<noscript>{html_escape(say(_NO_SCRIPTS, lang))}</noscript>
<script type="application/json" id="boot">""".encode(),
            json_in_script(encoded(boot)),
            b"""</script>
<script type="module" src="/static/page/page.js"></script>
</body>
</html>
""",
        ]
    )
