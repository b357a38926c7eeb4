"""The navigation of the site: the list of all pages, `docs/index.md`, and what is not in it.

Headings of the list are sections, and links are entries. A table whose second column is called "pages"
has a group per row. Thus the list that people read in the repository and the navigation are the same,
and a translation of the list translates the navigation.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tools.site.pages import ENGLISH, RUSSIAN, BrokenPage, first_heading, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.site.pages import Page, Site

__all__ = ["Entry", "navigation", "places"]

_LISTS = {ENGLISH: "docs/index.md", RUSSIAN: "docs/ru/index.md"}
_GROUPED = {"pages", "страницы"}
_ENTRY = re.compile(r"\[(?P<title>[^\]]+)\]\((?P<target>[^)#\s]+\.md)[^)]*\)")
_OVERVIEW = {ENGLISH: "Overview", RUSSIAN: "Обзор"}
_CONTENTS = {ENGLISH: "All pages", RUSSIAN: "Все страницы"}
_API = {ENGLISH: "API", RUSSIAN: "API"}
_MORE = {ENGLISH: "More", RUSSIAN: "Ещё"}
# Folders whose pages are a section even if the list names none of them.
_FOLDERS = {
    "stacks": {ENGLISH: "Stacks", RUSSIAN: "Стеки"},
    "coming-from": {ENGLISH: "Coming from", RUSSIAN: "Переход"},
}
# The list names the first decision, which has a list of its own.
_COLLECTED = ("decisions",)


@dataclass
class Entry:
    """A section with entries, or a page."""

    title: str
    place: str = ""
    entries: list[Entry] = field(default_factory=list)


def places(entries: list[Entry]) -> Iterator[str]:
    """The places of all pages in a navigation, in its order."""
    for entry in entries:
        if entry.place:
            yield entry.place
        yield from places(entry.entries)


def navigation(site: Site, *, api: str) -> list[Entry]:
    """The sections of the site in its language. Every page is in one of them.

    Args:
        site: the pages.
        api: the place of the API reference, which is no file of the repository.
    """
    language = site.language
    source = _LISTS[language]
    text = (site.root / source).read_text(encoding="utf-8")
    sections = _listed(text, source)
    if not sections:
        raise BrokenPage(f"{source}: no headings, which are the sections of the navigation")
    _collect(sections)
    sections[0].entries.insert(0, Entry(_OVERVIEW[language], "index.md"))
    sections[0].entries.append(Entry(_CONTENTS[language], "contents.md"))
    _after(sections, "reference/python.md", Entry(_API[language], api))
    known = set(places(sections))
    for page in site.pages.values():
        if page.place not in known:
            _insert(sections, page, site)
    missing = {*site.pages} - {*places(sections)}
    if missing:
        raise BrokenPage(f"{source}: pages without a place in the navigation: {sorted(missing)}")
    return sections


def _listed(text: str, source: str) -> list[Entry]:
    """The headings and links of a list of pages; a page is listed where it comes first."""
    sections: list[Entry] = []
    into: list[Entry] = []
    seen: set[str] = set()
    header = ""
    for line in text.splitlines():
        heading = re.match(r"(#{2,3}) (.+)$", line)
        if heading:
            entry = Entry(heading[2])
            above = sections if heading[1] == "##" or not sections else sections[-1].entries
            above.append(entry)
            into = entry.entries
        elif line.startswith("|"):
            header = header or line
            found = _entries(line, source, seen)
            if found and _cells(header)[1:2] and _cells(header)[1] in _GROUPED:
                into.append(Entry(_cells(line)[0], entries=found))
            elif sections:
                into += found
        else:
            header = ""
    return sections


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _entries(line: str, source: str, seen: set[str]) -> list[Entry]:
    entries: list[Entry] = []
    for found in _ENTRY.finditer(line):
        target = Path(os.path.normpath(Path(source).parent / found["target"])).as_posix()
        place = place_of(target)
        if place not in seen:
            seen.add(place)
            entries.append(Entry(found["title"], place))
    return entries


def _collect(entries: list[Entry]) -> None:
    """Make groups of the entries that stand for all pages of their folder."""
    for entry in entries:
        if PurePosixPath(entry.place).parent.name in _COLLECTED:
            entry.entries = [Entry(entry.title, entry.place)]
            entry.place = ""
        else:
            _collect(entry.entries)


def _after(entries: list[Entry], place: str, added: Entry) -> bool:
    """Put an entry after that of a page; False if the page is not in this part of the navigation."""
    for number, entry in enumerate(entries):
        if entry.place == place:
            entries.insert(number + 1, added)
            return True
        if _after(entry.entries, place, added):
            return True
    return False


def _insert(sections: list[Entry], page: Page, site: Site) -> None:
    """Put a page that the list does not name after the last page of its folder."""
    text = (site.root / page.source).read_text(encoding="utf-8")
    entry = Entry(first_heading(text) or page.place, page.place)
    folder = PurePosixPath(page.place).parent
    beside = [place for place in places(sections) if PurePosixPath(place).parent == folder]
    if folder.name in _FOLDERS and not beside:
        # After the how-to guides, before the reference.
        sections.insert(2, Entry(_FOLDERS[folder.name][site.language], entries=[entry]))
    elif beside and folder != PurePosixPath():
        _after(sections, beside[-1], entry)
    else:
        title = _MORE[site.language]
        last = sections[-1].entries
        if last[-1].title != title:
            last.append(Entry(title))
        last[-1].entries.append(entry)
