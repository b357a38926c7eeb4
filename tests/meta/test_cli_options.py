"""One grammar: an option means the same in all commands, and the reference lists it."""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs"
# What can be chosen depends on the command; what is chosen does not.
OWN_CHOICES = {"--format", "--fail-on"}
# Of a trace, which has two views; and of a run, on a page. A report replaces a file; traces are appended.
TWO_MEANINGS = {"--view", "-o", "--output"}
OLD_PHRASES = re.compile(
    r"\b(so many|so often|just so|nobody|somebody|is kept|are kept|kept|wanted|is no|are no"
    r"|may be given|the last time|told|threshold of|Ask |Begin |Go on|Look for no|come to its end"
    r"|where nothing|there already|not to the terminal|a line\b|Mind that|Let a)\b",
    re.IGNORECASE,
)


def load_tables() -> ModuleType:
    """The script that writes the tables of the reference."""
    spec = spec_from_file_location("cli_options", DOCS / "cli_options.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES = load_tables()


def meaning(row: Any) -> tuple[Any, ...]:
    option, kind = row.option, row.option.type
    has_choices = isinstance(kind, click.Choice) and option.opts[-1] not in OWN_CHOICES
    choices = tuple(kind.choices) if has_choices else ()
    return row.meaning, option.metavar, kind.name, choices, option.is_flag, tuple(option.opts)


def test_an_option_means_the_same_in_all_commands() -> None:
    meanings = defaultdict(set)
    for row in TABLES.option_rows():
        for name in row.option.opts:
            meanings[name].add(meaning(row))

    different = {
        name: found
        for name, found in meanings.items()
        if len(found) > (2 if name in TWO_MEANINGS else 1)
    }

    assert not different


def test_the_tables_of_the_reference_are_up_to_date() -> None:
    page = TABLES.PAGE.read_text(encoding="utf-8")

    assert page == TABLES.updated(page), "run `make pictures`: docs/reference/cli.md is stale"


def test_every_command_has_a_table() -> None:
    page = TABLES.PAGE.read_text(encoding="utf-8")

    names = [name for name, _ in TABLES.commands()]

    assert [
        name for name in [*names, TABLES.ALL] if f"<!-- options of {name} -->" not in page
    ] == []


@pytest.mark.parametrize(("name", "command"), list(TABLES.commands()))
def test_help_is_a_short_sentence_in_plain_words(name: str, command: click.Command) -> None:
    options = [each for each in command.params if isinstance(each, click.Option)]
    sentences = [option.help or "" for option in options]
    texts = [*sentences, command.help or "", command.short_help or ""]

    assert not [text for text in texts if OLD_PHRASES.search(text)], name
    assert all(re.match(r"[A-Z].*\.(  \[default: .*\])?$", text) for text in sentences), sentences
    assert max([len(text.partition("  [")[0]) for text in sentences], default=0) < 140


@pytest.mark.parametrize(("name", "command"), list(TABLES.commands()))
def test_help_has_no_escape_sequence_as_text(name: str, command: click.Command) -> None:
    # "\\b" of an f-string, in place of the character that tells click not to wrap a paragraph.
    assert "\\" not in command.get_help(click.Context(command, info_name=name))


def test_every_command_that_writes_json_has_the_short_option() -> None:
    for name, command in TABLES.commands():
        options = {each.opts[-1]: each for each in command.params}
        formats = getattr(options.get("--format"), "type", None)
        if isinstance(formats, click.Choice) and "json" in formats.choices:
            assert "--json" in options, name
            assert "--output" in options, name
