"""The options of `callscore run`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from callscore.cli.options import lang_option, settings_options, show_options
from callscore.cli.output_formats import FORMATS, report_options
from callscore.cli.run import (
    RunRequest,
    request_after_change,
    resume_command,
    run_options,
    run_request_from,
)
from callscore.models.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def ask() -> Callable[..., RunRequest]:
    """What is asked for by some arguments."""

    @click.command()
    @click.argument("paths", nargs=-1)
    @run_options
    @show_options
    @settings_options
    @report_options(FORMATS)
    @lang_option
    def command(**options: Any) -> RunRequest:
        return run_request_from({"judge": None, **options})

    def invoke(*arguments: str) -> RunRequest:
        ran = CliRunner().invoke(command, arguments, standalone_mode=False)
        if ran.exception:
            raise ran.exception
        found: RunRequest = ran.return_value
        return found

    return invoke


def test_settings_override_those_of_evaluations(ask: Callable[..., RunRequest]) -> None:
    given = (
        *("--preset", "flexible", "--argument-match-threshold", "0.5", "--effect", "get_*=read"),
        *("--argument", '*.q=text:{"similarity":0.85}', "--strip-prefix", "mcp__"),
    )
    request = ask(*given)

    assert request.preset == "flexible"
    assert request.settings["argument_match_threshold"] == 0.5
    assert request.settings["effects"] == (("get_*", "read"),)
    command = resume_command(request)
    assert ask(*shlex.split(command)[2:]) == replace(request, paths=(".",), resume=True)


REQUEST = RunRequest(
    paths=("evals", "more evals"),
    keyword="",
    tags=(),
    limit=None,
    trials=None,
    jobs=8,
    limits=Limits(),
    fail_under=None,
    last_failed=False,
    watch=False,
    resume=False,
    cache=False,
    judge=None,
    show="failing",
    max_shown=10,
    output_format="table",
    output=None,
    lang="en",
)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("-o r.md", "-o r.md"),
        ("-o 'my report.md' --format markdown", "-o 'my report.md'"),
        ("-o report --format junit", "--format junit -o report"),
        ("--json", "--format json"),
        ("-q --cache", "--cache -q"),
        ("-v --max-shown 3", "--max-shown 3 -v"),
        ("--show none -o r.txt", "-o r.txt --show none"),
        ("-x", ""),  # the run is to go on behind the failure
    ],
)
def test_the_resume_command_keeps_the_report_options(
    ask: Callable[..., RunRequest], options: str, kept: str
) -> None:
    request = ask(*shlex.split(options))
    command = resume_command(request)

    assert command == " ".join(filter(None, ["callscore run . --resume", kept]))
    again = ask(*shlex.split(command)[2:])
    assert again == replace(request, paths=(".",), resume=True, stop_on_failure=False)


def test_the_resume_command_names_the_store_but_no_password() -> None:
    given = replace(REQUEST, paths=(".",), store="postgresql://me:secret-42@host/runs")

    assert resume_command(replace(given, store="my runs.db")) == (
        "callscore run . --resume --store 'my runs.db'"
    )
    assert "--store" in resume_command(given)
    assert "secret-42" not in resume_command(given)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("eval_a.py", "eval_b.yaml", "agent.py", "cases.json", "mine.py"):
        (tmp_path / name).write_text("")
    return tmp_path.resolve()


def again(folder: Path, *names: str, paths: tuple[str, ...] = (".",)) -> RunRequest:
    return request_after_change(replace(REQUEST, paths=paths), [folder / name for name in names])
