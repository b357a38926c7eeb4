"""Which pages of the repository are on the site, at which place, and where their links lead there."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from tools.site.dialect import as_generator_reads_it, outside_code, without_code

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "RUSSIAN",
    "BrokenPage",
    "Page",
    "Site",
    "address",
    "first_heading",
    "links",
    "place_of",
    "site_pages",
    "staged",
]

ENGLISH = "en"
RUSSIAN = "ru"
LANGUAGES = (ENGLISH, RUSSIAN)

# Pages outside of `docs`, and the lists of all pages: the README is what a visitor reads first.
_MOVED = {
    "README.md": "index.md",
    "README.ru.md": "index.md",
    "docs/index.md": "contents.md",
    "docs/ru/index.md": "contents.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
}
_TRANSLATIONS = "docs/ru/"
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
_LONE_LINK = re.compile(r"(?<=\n\n)\[[^\]\n]+\]\((?P<target>[^)\s]+\.md)\)\n\n")
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
_OUTPUT = {ENGLISH: "Output", RUSSIAN: "Вывод"}


class BrokenPage(Exception):
    """A page that cannot be put on the site: where, and what is wrong with it."""


class Page(NamedTuple):
    """A page of the site."""

    source: str  # in the repository
    place: str  # in the folder from which the site is built
    language: str  # of its text


class Site(NamedTuple):
    """What the site of one language consists of."""

    root: Path
    language: str
    pages: dict[str, Page]  # by place


def place_of(source: str) -> str:
    """Where a file of the repository is on the site."""
    if source in _MOVED:
        return _MOVED[source]
    path = PurePosixPath(source.removeprefix(_TRANSLATIONS).removeprefix("docs/"))
    if path.name == "README.md":
        return str(path.with_name("index.md"))
    # Without a suffix, a server would not know that it is text.
    return str(path) if path.suffix else f"{path}.txt"


def address(place: str) -> str:
    """The address of a page, seen from the start of its language."""
    path = PurePosixPath(place)
    folder = path.parent if path.name == "index.md" else path.with_suffix("")
    return "" if folder == PurePosixPath() else f"{folder}/"


def site_pages(root: Path, language: str) -> Site:
    """All pages of `docs`, the README, and every page to which these lead.

    In Russian, a page of `docs/ru` takes the place of the English page of the same name.
    """
    pages: dict[str, Page] = {}
    pending = ["README.md", *_sources(root, "docs")]
    if language == RUSSIAN:
        pending += ["README.ru.md", *_sources(root, "docs/ru")]
    seen: set[str] = set()
    while pending:
        source = pending.pop()
        if source in seen or (_language_of(source) == RUSSIAN != language):
            continue
        seen.add(source)
        page = Page(source, place_of(source), _language_of(source))
        if page.language == language or page.place not in pages:
            pages[page.place] = page
        text = (root / source).read_text(encoding="utf-8")
        found = (_target(root, source, link) for link in links(text))
        pending += [each for each in found if each and each.endswith(".md")]
    return Site(root, language, dict(sorted(pages.items())))


def _sources(root: Path, folder: str) -> Iterator[str]:
    """The pages in a folder; translations are in a folder of their own."""
    for path in sorted((root / folder).rglob("*.md")):
        source = path.relative_to(root).as_posix()
        if _language_of(source) == (RUSSIAN if folder == "docs/ru" else ENGLISH):
            yield source


def _language_of(source: str) -> str:
    return RUSSIAN if source.startswith(_TRANSLATIONS) or source == "README.ru.md" else ENGLISH


def first_heading(text: str) -> str:
    """The title of a page, without the marks of code."""
    found = _HEADING.search(without_code(text))
    return found[1].replace("`", "").strip() if found else ""


def links(text: str) -> list[str]:
    """Where the links and pictures of a page lead; what is in code blocks is no link."""
    return [found["target"] for found in _LINK.finditer(without_code(text))]


def _target(root: Path, source: str, link: str) -> str | None:
    """The file of the repository to which a link leads; None if it leads elsewhere."""
    path = link.partition("#")[0]
    if not path or re.match(r"[a-z]+:", path):
        return None
    target = os.path.normpath(Path(source).parent / path)
    if not (root / target).is_file() or target.startswith(".."):
        raise BrokenPage(f"{source}: the link {link!r} does not lead to a file of the repository")
    return Path(target).as_posix()


def staged(site: Site, page: Page) -> tuple[str, dict[str, str]]:
    """The text of a page as the site is built from it, and the files that it shows.

    Returns:
        The text, and for each file that is not a page its place and its source.
    """
    text = (site.root / page.source).read_text(encoding="utf-8")
    text = _without_language_link(site, page, text)
    files: dict[str, str] = {}

    def rewritten(found: re.Match[str]) -> str:
        target = _target(site.root, page.source, found["target"])
        if target is None:
            return found[0]
        if not target.endswith(".md"):
            files[place_of(target)] = target
        return f"]({_link(site, page, target)}{_anchor(found['target'])})"

    text = outside_code(text, lambda prose: _LINK.sub(rewritten, prose))
    text = as_generator_reads_it(text, output=_OUTPUT[page.language])
    if page.language != site.language:
        text = f"---\nuntranslated: true\n---\n\n{text}"
    return text, files


def _without_language_link(site: Site, page: Page, text: str) -> str:
    """The text without a paragraph that only leads to its translation: the header of the site does."""

    def kept(found: re.Match[str]) -> str:
        target = _target(site.root, page.source, found["target"])
        is_translation = target is not None and place_of(target) == page.place
        return "" if is_translation and target != page.source else found[0]

    return _LONE_LINK.sub(kept, text, count=1)


def _anchor(link: str) -> str:
    return "".join(link.partition("#")[1:])


def _link(site: Site, page: Page, target: str) -> str:
    place = place_of(target)
    is_elsewhere = (
        _language_of(target) != page.language
        if place == page.place
        else _language_of(target) == RUSSIAN != site.language
    )
    if not is_elsewhere:
        return Path(os.path.relpath(place, PurePosixPath(page.place).parent)).as_posix()
    # As seen from the file, as all links: the generator adds what its address has more.
    up = "../" * page.place.count("/")
    return up + ("../" if site.language == RUSSIAN else "ru/") + address(place)
