"""The pages that agents can read."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from callscore.errors import InvalidCall
from callscore.integrations.documentation import PAGES, page_at, read_page

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.name)
def test_a_page_is_read_by_its_address(page: object) -> None:
    found = page_at(getattr(page, "address", ""))

    assert found == page
    assert read_page(found) == (ROOT / "docs" / found.path).read_text(encoding="utf-8")


def test_the_wheel_contains_every_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    copies = {source: copy for source, copy in included.items() if "/data/docs/" in copy}

    assert copies == {
        f"docs/{page.path}": f"callscore/data/docs/{page.name}.md" for page in PAGES.values()
    }


@pytest.mark.parametrize(
    "address", ["callscore://docs/matcher", "callscore://docs/../../README", "file:///etc/passwd"]
)
def test_no_other_address_is_read(address: str) -> None:
    with pytest.raises(InvalidCall, match="unknown resource"):
        page_at(address)
