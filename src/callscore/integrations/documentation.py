"""The pages of the documentation that agents can read, as resources of the MCP server.

A wheel contains a copy of them, which `pyproject.toml` lists; a clone has the pages themselves.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from callscore.core.suggestions import suggestion_or_choices
from callscore.errors import InvalidCall
from callscore.formats.shape import describe

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SCHEME = "callscore://docs/"
_FOLDER = ("data", "docs")  # in the package


class Page(Struct, frozen=True):
    """A page: its name in addresses, where it is in `docs`, and what it is about."""

    name: str
    path: str
    title: str
    about: str

    @property
    def address(self) -> str:
        """The address of the resource."""
        return SCHEME + self.name


PAGES: dict[str, Page] = {
    page.address: page
    for page in (
        Page(
            "teach-a-coding-agent",
            "how-to/teach-a-coding-agent.md",
            "Write and run evaluations",
            "How a coding agent writes, runs and debugs evaluations with callscore. Start here.",
        ),
        Page(
            "case-file",
            "reference/case-file.md",
            "Case file",
            "The fields of a case: input, expected and actual calls, groups, turns, end states.",
        ),
        Page(
            "matchers",
            "reference/matchers.md",
            "Matchers",
            "Rules in place of expected values: $contains, $regex, $approx, $date and the others.",
        ),
        Page(
            "settings",
            "reference/settings.md",
            "Settings",
            "How calls are compared: presets, mode, order, arguments, and the project's file.",
        ),
        Page(
            "suite",
            "reference/suite.md",
            "Suite",
            "Evaluations in YAML or TOML: cases, the model or the recorded answers, scorers.",
        ),
        Page(
            "evaluations",
            "reference/evaluations.md",
            "Evaluations in Python",
            "The decorator @evaluation: cases, scorers, variants, trials, fail_under.",
        ),
    )
}


def page_at(address: str) -> Page:
    """The page at an address; raises `InvalidCall` if there is none."""
    if address not in PAGES:
        hint = suggestion_or_choices(address, PAGES)
        raise InvalidCall(f"unknown resource {describe(address)}{hint}")
    return PAGES[address]


def read_page(page: Page) -> str:
    """The text of a page, in Markdown."""
    return _file_of(page).read_text(encoding="utf-8")


def _file_of(page: Page) -> Traversable | Path:
    copy = files("callscore").joinpath(*_FOLDER, f"{page.name}.md")
    # A clone, which has no copy.
    return copy if copy.is_file() else Path(__file__).parents[3] / "docs" / page.path
