"""The page about the tools for agents: it has every field that they have, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from callscore.integrations import history_tools
from callscore.integrations.documentation import PAGES
from callscore.integrations.history_fields import MOST_LISTED
from callscore.integrations.history_tools import HISTORY_TOOLS, LARGEST_ANSWER, SERVED_TOOLS
from callscore.integrations.tools import TOOLS

PAGE = (Path(__file__).parents[2] / "docs/reference/agent-tools.md").read_text(encoding="utf-8")


def _section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _documented(heading: str) -> list[str]:
    """The fields in the first column of the table under a heading."""
    rows = re.findall(r"^\| (`.+?) \| ", _section(heading), re.MULTILINE)
    return sorted(field for row in rows for field in re.findall(r"`(.+?)`", row))


def test_the_fields_of_the_input_are_documented() -> None:
    schemas = [tool.input_schema() for tool in TOOLS.values()]

    assert _documented("Input") == sorted({name for one in schemas for name in one["properties"]})


def test_the_tools_of_the_history_and_their_fields_are_documented() -> None:
    schemas = [tool.input_schema() for tool in HISTORY_TOOLS.values()]
    fields = {name for one in schemas for name in one["properties"]}

    section = _section("Tools that read the history")
    assert _documented("Tools that read the history") == sorted([*HISTORY_TOOLS, *fields])
    assert f"at most {MOST_LISTED}" in section
    assert f"at most {LARGEST_ANSWER:,} bytes" in section
    assert f"after {history_tools.SECONDS_PER_CALL:g} seconds" in section


def test_the_pages_are_documented() -> None:
    assert _documented("Resources") == sorted(PAGES)
    assert all(f"({Path(page.path).name})" in PAGE or page.path in PAGE for page in PAGES.values())


@pytest.mark.parametrize("tool", SERVED_TOOLS)
def test_the_fields_of_the_output_are_documented(tool: str) -> None:
    fields = sorted(SERVED_TOOLS[tool].output_schema()["properties"])

    assert _documented(f"Output of `{tool}`") == fields


@pytest.mark.parametrize(
    ("tool", "field"),
    [
        *[("score_tool_calls", f"{kind}Calls") for kind in ("correct", "incorrect", "missed")],
        ("score_tool_calls", "ignoredCalls"),
        ("check_tool_calls", "faults"),
        ("get_run", "evaluations"),
        ("get_run", "cases"),
        ("get_case", "cases"),
    ],
)
def test_the_fields_of_an_entry_are_documented(tool: str, field: str) -> None:
    entry = SERVED_TOOLS[tool].output_schema()["properties"][field]["items"]
    words = set(re.findall(r"`(\w+)`", _section(f"Output of `{tool}`")))

    assert set(entry["properties"]) <= words
