"""The documentation: it is complete, its links lead somewhere, and its examples do what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.servers.fork_server import programs_folder

import callscore
from callscore import errors, expect
from callscore.cli.program import COMMANDS, cli
from callscore.core.expectation_json import LITERAL
from callscore.core.rules import comparators
from callscore.formats.expectations import FORBID, GROUPS, TIMES

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
EXAMPLES = sorted(ROOT.glob("examples/**/*.md"))  # their code is run in tests/e2e
# Their code needs packages of others, and is run in tests/frames and in tests/stacks.
ELSEWHERE = [
    *(ROOT / f"docs/how-to/score-with-{name}.md" for name in ("daft", "dask", "duckdb", "polars")),
    *ROOT.glob("docs/stacks/*.md"),
]
RULES = [key for comparator in comparators() for key in comparator.keys]


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _code(page: Path) -> list[str]:
    return re.findall(r"^```.*?^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _prose(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if _code(page) and page not in ELSEWHERE], ids=_name
)
def test_the_examples_of_a_page_run_and_print_what_it_says(page: Path) -> None:
    # What the examples run is no measure of what the tests cover.
    environment = {name: os.environ[name] for name in os.environ if "COVERAGE" not in name}

    ran = subprocess.run(
        [sys.executable, ROOT / "docs/examples.py", page],
        env={**environment, "CALLSCORE_PROGRAMS": programs_folder()},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_the_code_of_a_page_about_a_stack_is_run_in_the_environment_of_that_stack() -> None:
    pages = [page for page in ROOT.glob("docs/stacks/*.md") if "```python" in page.read_text()]
    environments = {path.name.split(".")[0] for path in ROOT.glob("requirements/stacks/*.txt")}

    assert {page.stem.replace("-", "_") for page in pages} <= environments


def test_a_target_of_make_uses_the_variables_that_are_passed_to_it() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = dict(re.findall(r"^([a-z-]+):((?:.+\n)+)", makefile, re.MULTILINE))
    shown = [f"make {name} {recipe.partition('##')[2]}" for name, recipe in recipes.items()]
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    commands = re.findall(r"\bmake ([a-z-]+)([^`#\n]*)", "\n".join([pages, *shown]))
    passed = {
        (target, name)
        for target, words in commands
        if target in recipes
        for name in re.findall(r"\b([A-Z]+)=", words)
    }

    assert {("fuzz", "JOBS"), ("faults", "MINUTES")} <= passed
    assert [(target, name) for target, name in passed if f"$({name})" not in recipes[target]] == []


def test_both_readmes_show_the_same_code() -> None:
    assert _code(ROOT / "README.md") == _code(ROOT / "README.ru.md")


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLES, *ROOT.glob("tests/**/README.md")], ids=_name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", _prose(page))

    broken = [link for link in links if not _leads_somewhere(page, link)]

    assert not broken


def _leads_somewhere(page: Path, link: str) -> bool:
    if link.startswith("https://"):
        return True
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """The headings of a page as they appear in addresses."""
    headings = re.findall(r"^#+ (.+)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_decision_is_in_the_list() -> None:
    folder = ROOT / "docs/decisions"
    listed = (folder / "0001-record-decisions.md").read_text(encoding="utf-8")

    missing = [path.name for path in sorted(folder.glob("*.md")) if f"({path.name})" not in listed]

    assert missing == ["0001-record-decisions.md"]


def test_every_page_can_be_reached_from_the_index() -> None:
    seen: set[Path] = set()
    pending = [ROOT / "docs/index.md"]
    while pending:
        page = pending.pop().resolve()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", _prose(page))
            pending += [page.parent / link for link in links if "://" not in link]

    assert set(ROOT.glob("docs/**/*.md")) <= seen


@pytest.mark.parametrize("name", sorted(callscore.__all__))
def test_a_public_name_is_in_the_reference(name: str) -> None:
    assert f"`{name}`" in (REFERENCE / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", expect.__all__)
def test_a_function_of_expect_is_in_the_reference(name: str) -> None:
    assert f"`expect.{name}(" in (REFERENCE / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", [*RULES, *GROUPS, FORBID, TIMES, LITERAL])
def test_a_key_of_expected_calls_is_in_the_reference_of_case_files(key: str) -> None:
    page = (REFERENCE / "case-file.md").read_text(encoding="utf-8")
    section = page.partition("\n## What may be expected\n")[2].partition("\n## ")[0]

    assert f'"{key}"' in section or f"`{key}`" in section


@pytest.mark.parametrize("setting", callscore.Settings.__struct_fields__)
def test_a_setting_is_in_the_reference(setting: str) -> None:
    assert f"\n## `{setting}`\n" in (REFERENCE / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("error", errors.__all__)
def test_an_error_is_in_the_reference(error: str) -> None:
    assert f"\n## `{error}`\n" in (REFERENCE / "errors.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_its_options_are_in_the_reference(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## `callscore {name}`\n")[2].partition("\n## ")[0]

    missing = [
        spelling
        for option in (command.params if command else ())
        if isinstance(option, click.Option)
        for spelling in option.opts
        if f"`{spelling}" not in section
    ]

    assert command
    assert section
    assert not missing
