"""The file of a report: one document with its styles, its script and its data, which makes no request."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from html import escape as html_escape
from typing import TYPE_CHECKING

from callscore.core.rendering import escape
from callscore.reports.html.linking import link_modules, link_styles
from callscore.reports.inert import printable_json

if TYPE_CHECKING:
    from callscore.core.phrases import Language


@lru_cache(maxsize=1)
def _script() -> str:
    # No text of a script may end it.
    return link_modules().replace("</script", "<\\/script").replace("<!--", "<\\!--")


@lru_cache(maxsize=1)
def _style() -> str:
    return link_styles()


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


class ReportFile:
    """What differs between two files: all texts are foreign, and are escaped here.

    Attributes:
        document: the document as JSON.
        index: the index, packed.
        chunks: the chunks, packed, in order.
        summary: markup for readers without scripts, already escaped.
    """

    def __init__(
        self, document: bytes, index: bytes, chunks: Iterable[bytes], *, title: str, summary: str
    ) -> None:
        self.document = document
        self.index = index
        self.chunks = chunks
        self.title = title
        self.summary = summary


def file_parts(report: ReportFile, lang: Language) -> Iterator[bytes]:
    """The file, in parts.

    The script precedes the chunks: a browser shows the first view while it still reads them.
    """
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    yield f"""<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{html_escape(escape(report.title))}</title>
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<noscript>
{report.summary}
</noscript>
<script type="application/json" id="report">""".encode()
    yield json_in_script(report.document)
    yield b'</script>\n<script type="application/octet-stream" id="index">'
    yield report.index
    yield f"</script>\n<script>{script}</script>\n".encode()
    for number, chunk in enumerate(report.chunks):
        yield b'<script type="application/octet-stream" id="chunk-%d">' % number
        yield chunk
        yield b"</script>\n"
    yield b"</body>\n</html>\n"


def json_in_script(document: bytes) -> bytes:
    """JSON that no text in it can end early; invisible characters are written as escapes."""
    return printable_json(document.decode()).replace("<", "\\u003c").encode()
