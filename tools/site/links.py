"""Check the pages of a built site: links and anchors inside of it, and that it loads nothing from elsewhere."""

from __future__ import annotations

import posixpath
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["faults"]

# What a browser requests by itself when it shows a page; a link is only followed by people.
_LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "image": ("href", "xlink:href"),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
_LINK_TYPES_NOT_LOADED = {"alternate", "canonical", "describedby", "next", "prev"}
_NOT_FOUND = "404.html"  # it is shown at any address, so that its links are absolute


class _Links(HTMLParser):
    """Collects the anchors of a page, where it leads, and what it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.targets.append(values["href"])
        elif tag == "link" and "href" in values:
            self.targets.append(values["href"])
            if values.get("rel") not in _LINK_TYPES_NOT_LOADED:
                self.loaded.append(values["href"])
        else:
            found = [values[name] for name in _LOADED.get(tag, ()) if name in values]
            self.targets += found
            self.loaded += found


def faults(site: Path) -> list[str]:
    """What is wrong with the links of a built site, one sentence each."""
    pages = {
        page.relative_to(site).as_posix(): _read(page)
        for page in sorted(site.rglob("*.html"))
        if page.name != _NOT_FOUND
    }
    files = {file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file()}
    found: list[str] = []
    for name, page in pages.items():
        found += [
            f"{name}: loads {loaded!r} from another host"
            for loaded in page.loaded
            if urlsplit(loaded).netloc
        ]
        for target in dict.fromkeys(page.targets):
            fault = _fault(name, target, pages, files)
            if fault:
                found.append(f"{name}: the link {target!r} {fault}")
    return found


def _read(page: Path) -> _Links:
    links = _Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def _fault(name: str, target: str, pages: dict[str, _Links], files: set[str]) -> str:
    """What is wrong with a link; empty if it leads somewhere, or leaves the site."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return ""
    path = unquote(parts.path)
    file = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if path.endswith(("/", ".", "..")) or file == ".":
        file = posixpath.normpath(posixpath.join(file, "index.html"))
    if path.startswith("/") or file not in files:
        return "does not lead to a file of the site"
    anchor = unquote(parts.fragment)
    if anchor and file in pages and anchor not in pages[file].anchors:
        return "leads to an anchor that its page does not have"
    return ""
