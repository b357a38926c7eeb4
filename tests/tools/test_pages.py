"""Which pages are on the site, and where their links lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tools.site.navigation import Entry, navigation
from tools.site.pages import BrokenPage, address, place_of, site_pages, staged

if TYPE_CHECKING:
    from pathlib import Path


def repository(root: Path, **changes: str) -> Path:
    files = {
        "README.md": "# callscore\n\n[Русский](README.ru.md) [all](docs/index.md) ![p](docs/images/p.svg)\n",
        "README.ru.md": "# callscore\n\n[English](README.md) [все](docs/index.md)\n",
        "CONTRIBUTING.md": "# Contributing\n\n[index](docs/index.md#start)\n",
        "LICENSE": "MIT",
        "docs/index.md": "# All\n\n[ru](ru/index.md)\n\n## Start\n\n| you | read |\n| --- | --- |\n"
        "| a | [First](tutorial/first.md) |\n| b | [Contributing](../CONTRIBUTING.md) |\n"
        "\n## Reference\n\n| subject | pages |\n| --- | --- |\n| Interfaces | [Python](reference/python.md) |\n",
        "docs/ru/index.md": "# Все\n\n[en](../index.md)\n\n## Начало\n\n| что | страница |\n| --- | --- |\n"
        "| a | [Первая](../tutorial/first.md) |\n",
        "docs/tutorial/first.md": "# First\n\n[c](../../CONTRIBUTING.md) [l](../../LICENSE) [h](https://example.org)\n"
        "\n```text\n[not a link](gone.md)\n```\n",
        "docs/reference/python.md": "# Python\n",
        "docs/images/p.svg": "<svg/>",
        **changes,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def shown(entries: list[Entry]) -> list[object]:
    return [(one.title, one.place or shown(one.entries)) for one in entries]


@pytest.mark.parametrize(
    ("source", "place", "where"),
    [
        ("README.md", "index.md", ""),
        ("README.ru.md", "index.md", ""),
        ("docs/index.md", "contents.md", "contents/"),
        ("docs/ru/how-to/a.md", "how-to/a.md", "how-to/a/"),
        ("CONTRIBUTING.md", "project/contributing.md", "project/contributing/"),
        ("examples/assistant/README.md", "examples/assistant/index.md", "examples/assistant/"),
        ("LICENSE", "LICENSE.txt", "LICENSE/"),
    ],
)
def test_a_file_has_a_place_and_an_address(source: str, place: str, where: str) -> None:
    assert place_of(source) == place
    assert address(place) == where


def test_links_lead_to_the_places_of_pages_and_files(tmp_path: Path) -> None:
    site = site_pages(repository(tmp_path), "en")

    text, files = staged(site, site.pages["tutorial/first.md"])

    assert "[c](../project/contributing.md) [l](../LICENSE.txt) [h](https://example.org)" in text
    assert "[not a link](gone.md)" in text
    assert files == {"LICENSE.txt": "LICENSE"}
    assert "[index](../contents.md#start)" in staged(site, site.pages["project/contributing.md"])[0]


def test_a_link_between_the_languages_leaves_the_site_of_its_language(tmp_path: Path) -> None:
    english, russian = (site_pages(repository(tmp_path), language) for language in ("en", "ru"))

    assert "[Русский](ru/)" in staged(english, english.pages["index.md"])[0]
    assert "[English](../)" in staged(russian, russian.pages["index.md"])[0]
    assert "[все](contents.md)" in staged(russian, russian.pages["index.md"])[0]


def test_a_translation_takes_the_place_of_the_english_page(tmp_path: Path) -> None:
    root = repository(tmp_path, **{"docs/ru/tutorial/first.md": "# Первая\n"})
    english, russian = (site_pages(root, language) for language in ("en", "ru"))

    assert english.pages["tutorial/first.md"].source == "docs/tutorial/first.md"
    assert russian.pages["tutorial/first.md"].source == "docs/ru/tutorial/first.md"
    assert staged(russian, russian.pages["tutorial/first.md"])[0] == "# Первая\n"
    assert staged(russian, russian.pages["reference/python.md"])[0].startswith(
        "---\nuntranslated: true\n"
    )


def test_a_broken_link_is_an_error_that_names_the_page(tmp_path: Path) -> None:
    root = repository(tmp_path, **{"docs/reference/python.md": "# Python\n\n[x](gone.md)\n"})

    with pytest.raises(BrokenPage, match=r"docs/reference/python\.md: the link 'gone\.md'"):
        site_pages(root, "en")


def test_the_list_of_pages_is_the_navigation(tmp_path: Path) -> None:
    sections = navigation(site_pages(repository(tmp_path), "en"), api="reference/api.md")

    assert shown(sections) == [
        (
            "Start",
            [
                ("Overview", "index.md"),
                ("First", "tutorial/first.md"),
                ("Contributing", "project/contributing.md"),
                ("All pages", "contents.md"),
            ],
        ),
        (
            "Reference",
            [("Interfaces", [("Python", "reference/python.md"), ("API", "reference/api.md")])],
        ),
    ]


def test_pages_that_the_list_does_not_name_are_beside_their_neighbours(tmp_path: Path) -> None:
    changes = {
        "docs/tutorial/second.md": "# The `second`\n",
        "docs/stacks/langfuse.md": "# Langfuse\n",
        "docs/stacks/mlflow.md": "# MLflow\n",
        "benchmarks/verdicts.md": "# Verdicts\n",
        "docs/reference/python.md": "# Python\n\n[v](../../benchmarks/verdicts.md)\n",
    }

    sections = navigation(site_pages(repository(tmp_path, **changes), "en"), api="reference/api.md")

    start, reference, stacks = shown(sections)
    assert ("The second", "tutorial/second.md") in start[1]  # type: ignore[index]
    assert stacks == (
        "Stacks",
        [("Langfuse", "stacks/langfuse.md"), ("MLflow", "stacks/mlflow.md")],
    )
    assert ("More", [("Verdicts", "benchmarks/verdicts.md")]) in [*reference[1], *stacks[1]]  # type: ignore[index]
