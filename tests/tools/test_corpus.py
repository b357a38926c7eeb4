"""The corpus of the transcript uses every command, option, output format and trace format."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
import pytest
from click.testing import CliRunner
from tools.transcript.corpus import Job, corpus, expanded, read_jobs

from callscore.cli.program import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
# A command in a line of a shell, which ends where another begins.
COMMAND = re.compile(r"\bcallscore (?P<words>(?:'[^']*'|\"[^\"]*\"|[^;&|<>`'\"])*)")


@cache
def jobs() -> list[Job]:
    return corpus(ROOT)


def commands(group: click.Command = cli, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        yield path, group
        return
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command, f"{path} {name}".strip())


@cache
def used() -> dict[str, list[list[str]]]:
    """The arguments with which each command is called."""
    names = [name for name, _ in commands()]
    found = defaultdict(list)
    for job in jobs():
        for line in job.commands:
            for command in COMMAND.finditer(line):
                words = shlex.split(command["words"])
                name = next((n for n in names if words[: len(n.split())] == n.split()), "")
                found[name].append(words[len(name.split()) :])
    return found


def values(words: list[str], option: click.Option) -> set[str]:
    """The values that an option has among some arguments; empty text for a flag."""
    spelled = {*option.opts, *option.secondary_opts}
    pairs = zip(words, [*words[1:], ""], strict=False)
    return {"" if option.is_flag else value for word, value in pairs if word in spelled}


def test_every_command_is_used_in_both_languages() -> None:
    languages = {
        name: set().union(*(values(words, option) for words in used()[name]))
        for name, command in commands()
        for option in command.params
        if option.name == "lang" and isinstance(option, click.Option)
    }

    assert {name for name, _ in commands()} <= used().keys()
    assert {name: found for name, found in languages.items() if not {"ru"} <= found} == {}


def test_every_spelling_of_every_option_is_used_with_each_command() -> None:
    unused = [
        f"{name} {spelling}"
        for name, command in commands()
        for option in command.params
        for spelling in (*option.opts, *option.secondary_opts)
        if isinstance(option, click.Option)
        and spelling.startswith("-")
        and not any(spelling in words for words in used()[name])
    ]

    assert "\n".join(unused) == ""


def test_every_choice_of_an_option_is_used_and_every_output_format_with_each_command() -> None:
    everywhere: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    unused = []
    for name, command in commands():
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
                found = set().union(*(values(words, option) for words in used()[name]))
                everywhere[option.opts[-1], tuple(option.type.choices)] |= found
                if option.opts[-1] == "--format":
                    unused += [f"{name} {x}" for x in set(option.type.choices) - found]
    for (spelling, choices), found in everywhere.items():
        unused += [f"{spelling} {choice}" for choice in set(choices) - found]

    assert "\n".join(unused) == ""


def test_every_trace_format_is_read_by_name_in_both_languages() -> None:
    lines = [f"{line} " for job in jobs() for line in job.commands]
    formats = msgspec.json.decode(CliRunner().invoke(cli, ["formats", "--json"]).stdout)
    missing = [
        f"{each['name']} {words}"
        for each in formats
        for words in ("extract", "formats", "--lang ru")
        if not any(f" {each['name']} " in line and words in line for line in lines)
    ]

    assert len(formats) > 1
    assert "\n".join(missing) == ""


def test_the_keys_of_jobs_are_different_and_every_job_has_commands() -> None:
    keys = [job.key for job in jobs()]

    assert len({*keys}) == len(keys)
    assert [job.key for job in jobs() if not job.commands] == []


def test_a_line_stands_for_a_command_with_each_choice() -> None:
    assert expanded("score x --lang (en|ru) (|-k a)") == [
        "score x --lang en ",
        "score x --lang en -k a",
        "score x --lang ru ",
        "score x --lang ru -k a",
    ]


def test_files_keep_their_names_or_get_others() -> None:
    inputs = {"cases.jsonl": b"1", "kinds/a.csv": b"2", "kinds/b.csv": b"3"}
    text = "who = a b\n[x/y]\nfiles cases.jsonl c.csv=kinds/a.csv =kinds/*\n# why\nscore {who}\n"

    (job,) = list(read_jobs(text, inputs))

    files = {"cases.jsonl": b"1", "c.csv": b"2", "a.csv": b"2", "b.csv": b"3"}
    assert job == Job("x/y", files, ["score a b"])
    with pytest.raises(ValueError, match="there is no input nothing"):
        list(read_jobs("[x]\nfiles nothing\n", inputs))
