"""The documentation site: every page is in its navigation, in both languages, and every public name in its API."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tools.site.__main__ import stage
from tools.site.navigation import navigation, places
from tools.site.pages import LANGUAGES, first_heading, links, place_of, site_pages
from tools.site.reference import API, api_page

import callscore
from callscore import expect, models, testing

if TYPE_CHECKING:
    from tools.site.navigation import Entry

ROOT = Path(__file__).parents[2]


def titles(entries: list[Entry]) -> dict[str, str]:
    """The title of each page."""
    found: dict[str, str] = {}
    for entry in entries:
        found |= {entry.place: entry.title} if entry.place else {}
        found |= titles(entry.entries)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_in_the_navigation_once(language: str) -> None:
    listed = list(places(navigation(site_pages(ROOT, language), api=API)))

    written = {
        place_of(page.relative_to(ROOT).as_posix())
        for page in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    }
    assert len(listed) == len(set(listed))
    assert written <= set(listed)
    assert {"index.md", "contents.md", "project/changelog.md", API} <= set(listed)


@pytest.mark.parametrize("folder", ["coming-from", "stacks"])
def test_the_pages_of_a_folder_have_titles_in_the_navigation(folder: str) -> None:
    shown = titles(navigation(site_pages(ROOT, "en"), api=API))

    for page in sorted((ROOT / "docs" / folder).glob("*.md")):
        assert shown[f"{folder}/{page.name}"]


def test_the_english_and_russian_lists_of_pages_have_the_same_links() -> None:
    english = site_pages(ROOT, "en").pages["contents.md"]
    russian = site_pages(ROOT, "ru").pages["contents.md"]

    def targets(source: str) -> set[str]:
        page = ROOT / source
        found = links(page.read_text(encoding="utf-8"))
        return {
            place_of((page.parent / link).resolve().relative_to(ROOT).as_posix()) for link in found
        }

    # The Russian list also leads to the overview, in place of the README that GitHub shows.
    assert targets(russian.source) - {"index.md"} == targets(english.source)
    assert (english.source, russian.source) == ("docs/index.md", "docs/ru/index.md")


def test_the_russian_navigation_is_russian() -> None:
    sections = navigation(site_pages(ROOT, "ru"), api=API)

    assert all(re.search("[а-яё]", section.title) for section in sections)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_public_name_is_in_the_api_reference(language: str) -> None:
    page = api_page(ROOT, language)

    named = set(re.findall(r"^::: callscore\.([\w.]+)$", page, re.MULTILINE))
    assert set(callscore.__all__) <= named
    for module in (expect, models, testing):
        name = module.__name__.rpartition(".")[2]
        assert {f"{name}.{member}" for member in module.__all__} <= named


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_the_site_is_built_from_can_be_staged(
    language: str, tmp_path: Path
) -> None:
    stage(ROOT, tmp_path / language, language)

    docs = tmp_path / language / "docs"
    for page in docs.rglob("*.md"):
        for link in links(page.read_text(encoding="utf-8")):
            path = link.partition("#")[0]
            if path and not re.match("[a-z]+:", path) and not path.endswith("/"):
                assert (page.parent / path).is_file(), f"{page.relative_to(docs)}: {link}"
    for name in ("index.md", "contents.md"):
        text = (docs / name).read_text(encoding="utf-8")
        assert first_heading(text) == "callscore"
        # The header of the site leads to the other language.
        assert not re.search(r"^\[(English|Русский|По-русски)\]", text, re.MULTILINE)
