"""docs/llms.txt and the text for AGENTS.md: what language models read about callscore."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from callscore.cli.program import COMMANDS, cli
from callscore.core.rules import comparators
from callscore.formats.expectations import GROUPS

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "llms.txt").read_text(encoding="utf-8")
LINKS = re.findall(r"^- \[([^\]]+)\]\(([^)]+)\): (.+)$", TEXT, re.MULTILINE)
PAGE = (DOCS / "how-to/teach-a-coding-agent.md").read_text(encoding="utf-8")
SNIPPET = PAGE.partition("````markdown\n")[2].partition("````")[0]


def script() -> ModuleType:
    spec = spec_from_file_location("llms", DOCS / "llms.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_list_is_written_from_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")

    assert script().llms_text(index) == TEXT, "run: python docs/llms.py --write"


def test_the_list_has_the_form_that_models_know() -> None:
    assert TEXT.startswith("# callscore\n\n> callscore compares the tool calls")
    assert re.findall(r"^## (.+)$", TEXT, re.MULTILINE)[-1] == "Optional"
    assert len(LINKS) > 50
    assert len({place for _, place, _ in LINKS}) == len(LINKS)


@pytest.mark.parametrize("place", [place for _, place, _ in LINKS])
def test_a_link_of_the_list_leads_somewhere(place: str) -> None:
    assert (DOCS / place).is_file()


def test_rows_of_the_index_become_lines() -> None:
    index = (
        "# it\n\n[Elsewhere](ru/it.md)\n\nIt does\nthings.\n\n## Start\n\n| you want to | read |\n| --- | --- |\n"
        "| Begin | [First](a.md), [Second](b.md) |\n\n## Project\n\n| you want to | read |\n"
        "| --- | --- |\n| Help | [Third](c.md) |\n"
    )

    text = script().llms_text(index)

    assert text.startswith("# it\n\n> It does things.\n")
    assert "\n## Start\n\n- [First](a.md): Begin\n- [Second](b.md): Begin\n" in text
    assert text.endswith("\n## Optional\n\n- [Third](c.md): Help\n")


# --- the text for AGENTS.md ---------------------------------------------------------------------


def test_every_command_and_option_of_the_text_exists() -> None:
    used = re.findall(r"`callscore ([a-z]+)([^`]*)`", SNIPPET)

    assert {name for name, _ in used} <= set(COMMANDS)
    assert {"validate", "run", "show", "gate"} <= {name for name, _ in used}
    for name, words in used:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        known = {option for each in command.params for option in each.opts}
        assert set(re.findall(r"(?<!\S)-{1,2}[a-z-]+", words)) <= known


def test_every_matcher_and_group_of_the_text_exists() -> None:
    matchers = {key for comparator in comparators() for key in comparator.keys}

    assert set(re.findall(r"\$[a-z_]+", SNIPPET)) <= matchers
    assert {"in_order", "any_order", "one_of", "optional"} <= {*GROUPS}


def test_the_text_is_short_enough_to_be_read_in_every_session() -> None:
    assert 1_000 < len(SNIPPET) < 4_000


def test_the_case_of_the_text_is_the_one_that_is_tried() -> None:
    case = re.findall(r"- id: refund-late-order.*?delete_\*\"", PAGE, re.DOTALL)

    first, second = [re.sub(r" +#.*", "", each) for each in case]
    assert first == second
