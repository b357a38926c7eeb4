"""One script from the modules in `static`, and one style sheet, for the file of a report.

The modules are linked in the order of their imports, without the words `import` and `export`, in one scope. A test checks
that their names are unique and that they import in the plain way this needs. Comments and indentation are left out, since
every report carries the script; the code stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

STYLES = ("base.css", "report.css", "charts.css", "case.css", "comparison.css")
_ENTRY = "report.js"
_VENDOR = "vendor/"
_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"\./([^"]+)";[ \t]*\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function|const|class|let)", re.MULTILINE)
_VENDOR_EXPORTS = re.compile(r"export\{([^}]*)\};?\s*$")


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
    return compact_script(_EXPORT.sub("", _IMPORT.sub("", text)))


def _wrapped(text: str) -> str:
    """A module of others, whose short names stay in a function of its own."""
    found = _VENDOR_EXPORTS.search(text)
    pairs = [each.split(" as ") for each in found[1].split(",")] if found else []
    names = [(pair[0].strip(), pair[-1].strip()) for pair in pairs]
    inner = ", ".join(f"{outer}: {inner}" for inner, outer in names)
    outer = ", ".join(outer for _, outer in names)
    body = _VENDOR_EXPORTS.sub("", text)
    return f"const {{ {outer} }} = (() => {{\n{body}\nreturn {{ {inner} }};\n}})();"


def link_styles() -> str:
    """All style sheets of the report in one."""
    return "\n".join(map(compact_style, map(_text, STYLES)))


_STYLE_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE_START = re.compile(r"\s*\n\s*")


# A text in quotes, or white space that separates nothing.
_STYLE_SPACE = re.compile(r"""("[^"]*"|'[^']*')|\s*([{};,])\s*|(:)\s+""")


def compact_style(text: str) -> str:
    """A style sheet without comments and without white space that means nothing; a rule per line."""
    text = _STYLE_SPACE.sub(lambda found: found[0].strip(), _STYLE_COMMENT.sub("", text))
    return _LINE_START.sub("\n", text.replace(";}", "}").replace("}", "}\n")).strip()


# A part of a script outside of templates. A slash begins a regular expression where a value may begin.
_PART = re.compile(
    r"""
    (?P<comment> /\*.*?\*/ | //[^\n]* )
    | (?P<text> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    | (?P<expression> (?<=[(,=:\[!&|?{};\n]) [ ]* /(?![*/]) (?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\[\n])+ /[a-z]* )
    | (?P<template> ` )
    | (?P<open> \{ )
    | (?P<close> \} )
    | (?P<other> [^"'`/{}(,=:\[!&|?;\n]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_TEMPLATE_PART = re.compile(
    r"(?P<inner>\$\{)|(?P<end>`)|(?P<text>(?:\\.|\$(?!\{)|[^`$\\])+)", re.DOTALL
)


def compact_script(text: str) -> str:
    """A script without comments and indentation.

    Templates of markup lose their indentation too: where a line breaks in them, spaces mean nothing.
    """
    lines = _LINE_START.sub("\n", "".join(_script_parts(text))).strip()
    return lines.replace("\n}", "}")  # a statement ends before a brace, on whatever line it is


def _script_parts(text: str) -> Iterator[str]:
    """The parts of a script that are not comments."""
    at = 0
    depths: list[int] = []  # of braces inside each `${` that is open
    while at < len(text):
        found = _PART.match(text, at)
        if found is None:  # pragma: no cover  (the last alternative takes any character)
            break
        at, kind = found.end(), found.lastgroup
        if kind == "comment":
            continue
        if kind == "close" and depths and depths[-1] == 0:
            depths.pop()
            yield "}"
            at = yield from _template_text(text, at, depths)
            continue
        if depths and kind in ("open", "close"):
            depths[-1] += 1 if kind == "open" else -1
        yield found[0]
        if kind == "template":
            at = yield from _template_text(text, at, depths)


def _template_text(text: str, at: int, depths: list[int]) -> Generator[str, None, int]:
    """The text of a template up to the next value in it, or to its end; returns where that is."""
    while at < len(text):
        found = _TEMPLATE_PART.match(text, at)
        if found is None:  # pragma: no cover  (a template that is not closed)
            break
        at = found.end()
        yield found[0]
        if found.lastgroup == "inner":
            depths.append(0)
            break
        if found.lastgroup == "end":
            break
    return at
