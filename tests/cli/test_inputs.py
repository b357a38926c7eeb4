"""No command writes a file that it reads: the content would be lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner
from docs.cli_options import commands

from callscore.cli.inputs import INPUTS, OUTPUTS
from callscore.cli.program import cli

if TYPE_CHECKING:
    from pathlib import Path

CASE = b'{"id": "a", "expected": ["f"], "actual": ["f"]}\n'
COMMANDS = dict(commands())
# What a command needs beside the file, and the arguments that are names of runs.
NEEDED = {"sample": ["-n", "1"], "rescore": ["latest"], "export": ["latest"]}
LOST = "the command reads this file, which would be lost"


def parameters(name: str, kinds: tuple[str, ...]) -> list[click.Parameter]:
    return [each for each in COMMANDS[name].params if each.name in kinds]


def given(parameter: click.Parameter, path: str) -> list[str]:
    return [path] if isinstance(parameter, click.Argument) else [parameter.opts[-1], path]


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, words)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.jsonl").write_bytes(CASE)
    (tmp_path / "link.jsonl").symlink_to("f.jsonl")
    os.link(tmp_path / "f.jsonl", tmp_path / "same.jsonl")
    return tmp_path


WRITING = [name for name in COMMANDS if parameters(name, OUTPUTS)]
PAIRS = [
    (name, written, read)
    for name in WRITING
    for written in parameters(name, OUTPUTS)
    for read in parameters(name, INPUTS)
    if (name, written.name) != ("bless", "proposals")  # which it reads
    and (written.name, read.name) != ("write", "config")  # which it adds to
]


def test_every_parameter_that_names_a_file_is_known_as_read_or_as_written() -> None:
    named = {
        (name, str(each.name))
        for name, command in COMMANDS.items()
        for each in command.params
        if "FILE" in (each.make_metavar(click.Context(command)) or "")
    }

    assert {each for each in named if each[1] not in (*INPUTS, *OUTPUTS)} == set()
    assert {name for name, _ in named} >= {"score", "extract", "sample", "advise", "receive"}


@pytest.mark.parametrize("target", ["f.jsonl", "./f.jsonl", "link.jsonl", "same.jsonl"])
def test_no_command_writes_a_file_that_it_reads(folder: Path, target: str) -> None:
    for name, written, read in PAIRS:
        words = [*name.split(), *NEEDED.get(name, []), *given(read, "f.jsonl")]
        required = [
            word
            for each in COMMANDS[name].params
            if each.required and each is not read and each.name in INPUTS
            for word in given(each, "other.jsonl")
        ]
        ran = run(*words, *required, *given(written, target))

        at = f"{name} {written.opts[-1]} {read.name}: {ran.output}"
        assert ran.exit_code == 2, at
        assert LOST in ran.output, at
        assert (folder / "f.jsonl").read_bytes() == CASE, at


@pytest.mark.parametrize("words", ["sample -n 1", "capture", "generate --tools"])
def test_force_does_not_overwrite_an_input(folder: Path, words: str) -> None:
    ran = run(*words.split(), "f.jsonl", "-o", "f.jsonl", "--force")

    assert (ran.exit_code, LOST in ran.output) == (2, True)
    assert (folder / "f.jsonl").read_bytes() == CASE


@pytest.mark.parametrize(
    ("source", "output", "is_read"),
    [
        ("logs", "logs/a.jsonl", True),
        ("logs", "logs/new.json", True),  # the next time
        ("logs", "logs/deep/new.jsonl", True),
        ("logs/*.jsonl", "logs/a.jsonl", True),
        ("logs/*.jsonl", "logs/new.jsonl", True),
        ("logs/**/*.jsonl", "logs/new.jsonl", True),
        ("logs", "f.jsonl", True),  # through a link in the folder
        ("logs", "logs/report.html", False),
        ("logs/*.jsonl", "logs/new.json", False),
        ("logs/*.jsonl", "logs/deep/new.jsonl", False),
        ("logs/**/a.jsonl", "logs/za.jsonl", False),
        ("logs/**/a.jsonl", "logs/deep/a.jsonl", True),
        ("logs", "new.jsonl", False),
    ],
)
def test_a_file_that_a_folder_or_a_pattern_has_is_not_written(
    folder: Path, source: str, output: str, is_read: bool
) -> None:
    (folder / "logs/deep").mkdir(parents=True)
    (folder / "logs/a.jsonl").write_bytes(CASE)
    (folder / "logs/other.jsonl").symlink_to("../f.jsonl")
    before = {path: path.read_bytes() for path in folder.rglob("*.jsonl")}

    ran = run("score", source, "-o", output)

    assert ran.exit_code == (2 if is_read else 0), ran.output
    assert {path: path.read_bytes() for path in before} == before
    assert (folder / output).exists() is (folder / output in before or not is_read)


EVALUATION = """\
from pathlib import Path
from callscore import evaluation

@evaluation(cases=Path("f.jsonl"))
def agent(case):
    return []
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eval_a.yaml", "cases: f.jsonl\nanswers: other.jsonl\n"),
        ("eval_a.yaml", "cases: [other.jsonl, f.jsonl]\nanswers: other.jsonl\n"),
        ("eval_a.yaml", "cases: other.jsonl\nanswers: f.jsonl\n"),
        ("eval_a.toml", 'cases = "other.jsonl"\nanswers = "other.jsonl"\ntools = "f.jsonl"\n'),
        ("eval_a.py", EVALUATION),
    ],
)
@pytest.mark.parametrize("words", [["run", "."], ["run"], ["run", "NAME"], ["validate", "."]])
def test_what_an_evaluation_names_is_not_written(
    folder: Path, name: str, text: str, words: list[str]
) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    given = [name if word == "NAME" else word for word in words]

    ran = run(*given, "-o", "f.jsonl", "--format", "json")

    assert (ran.exit_code, LOST in ran.output) == (2, True), ran.output
    assert (folder / "f.jsonl").read_bytes() == CASE


def test_the_history_and_the_settings_that_a_command_finds_are_not_written(folder: Path) -> None:
    assert run("score", "f.jsonl", "--save", "night").exit_code == 0
    (folder / "callscore.toml").write_text("", encoding="utf-8")
    history = (folder / ".callscore/history.db").read_bytes()

    shown = run("show", "night", "--format", "json", "-o", ".callscore/history.db")
    settings = ("--format", "json", "-o", "callscore.toml")
    scored = run("score", "f.jsonl", *settings)
    gated = run("gate", *settings)

    assert [shown.exit_code, scored.exit_code] == [2, 2]
    assert LOST in gated.output
    assert (folder / ".callscore/history.db").read_bytes() == history
    assert (folder / "callscore.toml").read_bytes() == b""


def test_a_file_at_a_url_of_this_machine_is_not_written(folder: Path) -> None:
    ran = run("score", f"file://{folder}/f.jsonl", "-o", "f.jsonl")

    assert (ran.exit_code, LOST in ran.output) == (2, True)


def test_a_device_can_be_read_and_written(folder: Path) -> None:
    del folder
    ran = run("check", os.devnull, "f.jsonl", "-o", os.devnull)

    assert LOST not in ran.output


def test_a_new_history_is_not_overwritten_by_the_report_of_its_run(folder: Path) -> None:
    ran = run("score", "f.jsonl", "--save", "s", "--store", "s.db", "--json", "-o", "./s.db")

    assert (ran.exit_code, LOST in ran.output) == (2, True)
    assert not (folder / "s.db").exists()


def test_an_evaluation_may_name_its_report(folder: Path) -> None:
    (folder / "eval_a.py").write_text('REPORT = "report.html"\n')
    (folder / "report.html").write_text("the last one")

    assert LOST not in run("run", "eval_a.py", "-o", "report.html").output
