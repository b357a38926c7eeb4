"""The file of a report: one document with its styles, its script and its data, which makes no request.

The modules in `static` are linked into one script: each in the order of its imports, without the words `import` and
`export`, in one scope. A test checks that their names are unique and that they import in the plain way this needs.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from html import escape as html_escape
from importlib.resources import files
from typing import TYPE_CHECKING

from callscore.core.rendering import escape
from callscore.reports.inert import printable_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.resources.abc import Traversable

    from callscore.core.phrases import Language

__all__ = ["STYLES", "ReportFile", "file_parts", "link_modules", "static_file"]

STYLES = ("base.css", "report.css", "charts.css", "case.css", "comparison.css")
_ENTRY = "report.js"
_VENDOR = "vendor/"
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./([^"]+)";[ \t]*\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class|let)", re.MULTILINE)
_VENDOR_EXPORTS = re.compile(r"export\{([^}]*)\};?\s*$")
_MAP_LINE = re.compile(r"^//# sourceMappingURL=.*$", re.MULTILINE)


def static_file(name: str) -> Traversable:
    """A file of the report's own modules and styles."""
    return files("callscore.reports.html").joinpath("static", *name.split("/"))


def _text(name: str) -> str:
    return static_file(name).read_text(encoding="utf-8")


def link_modules(entry: str = _ENTRY) -> str:
    """One script of a module and of all that it imports, each once, imported ones first."""
    linked: dict[str, str] = {}

    def take(name: str) -> None:
        if name in linked:
            return
        linked[name] = ""  # modules that import each other are taken once
        text = _text(name)
        for _, imported in _IMPORT.findall(text):
            take(imported)
        del linked[name]  # behind those that it imports
        linked[name] = _wrapped(text) if name.startswith(_VENDOR) else _plain(text)

    take(entry)
    return '"use strict";\n{\n' + "\n".join(linked.values()) + "\n}\n"


def _plain(text: str) -> str:
    return _EXPORT.sub("", _IMPORT.sub("", text))


def _wrapped(text: str) -> str:
    """A module of others, whose short names stay in a function of its own."""
    text = _MAP_LINE.sub("", text).rstrip()
    found = _VENDOR_EXPORTS.search(text)
    pairs = [each.split(" as ") for each in found[1].split(",")] if found else []
    names = [(pair[0].strip(), pair[-1].strip()) for pair in pairs]
    inner = ", ".join(f"{outer}: {inner}" for inner, outer in names)
    outer = ", ".join(outer for _, outer in names)
    body = _VENDOR_EXPORTS.sub("", text)
    return f"const {{ {outer} }} = (() => {{\n{body}\nreturn {{ {inner} }};\n}})();"


@lru_cache(maxsize=1)
def _script() -> str:
    # No text of a script may end it.
    return link_modules().replace("</script", "<\\/script").replace("<!--", "<\\!--")


@lru_cache(maxsize=1)
def _style() -> str:
    return "\n".join(map(_text, STYLES))


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
