"""The format of the output, and what may be overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from callscore.cli.output_formats import (
    FORMATS,
    format_for,
    new_file_options,
    output_options,
    report_options,
)

if TYPE_CHECKING:
    from pathlib import Path

SCORE = ["table", "json", "jsonl", "markdown", "junit"]


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (None, "table"),
        ("-", "table"),
        ("report", "table"),
        ("report.txt", "table"),
        ("report.log", "table"),
        ("report.OUT", "table"),
        ("REPORT.JSON", "json"),
        ("folder.md/report.json", "json"),
        ("cases.jsonl", "jsonl"),
        ("cases.ndjson", "jsonl"),
        ("report.md", "markdown"),
        ("report.markdown", "markdown"),
        ("junit.xml", "junit"),
    ],
)
def test_the_suffix_of_a_file_chooses_the_format(output: str | None, found: str) -> None:
    assert format_for(output, SCORE) == found


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("cases.jsonl", "jsonl is not available for this command"),
        ("cases.yaml", "yaml is not available for this command"),
        ("run.csv", "csv is not available for this command"),
        ("report.tsv", "unknown suffix '.tsv'"),
    ],
)
def test_other_suffixes_are_refused_with_those_that_there_are(name: str, problem: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        format_for(name, FORMATS)

    assert f"Cannot write {name}: {problem}. Use another suffix " in caught.value.message
    assert (
        "(.json, .md, .markdown, .xml, .html, .htm) or pass --format (table, json,"
        in caught.value.message
    )


def test_only_a_command_that_compresses_writes_gzip() -> None:
    assert format_for("run.csv.gz", ["jsonl", "csv"], compresses=True) == "csv"
    with pytest.raises(click.UsageError, match="does not compress"):
        format_for("report.json.gz", FORMATS)


def ask(*arguments: str) -> Any:
    @click.command()
    @report_options(FORMATS)
    def command(**options: Any) -> dict[str, Any]:
        return options

    return CliRunner().invoke(command, arguments, standalone_mode=False)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ((), "table"),
        (("--json",), "json"),
        (("--format", "junit"), "junit"),
        (("-o", "x.md"), "markdown"),
        (("-o", "x.md", "--format", "json"), "json"),
        (("-o", "x.html", "--json"), "json"),
        (("--json", "--format", "json"), "json"),
    ],
)
def test_an_explicit_format_takes_precedence(arguments: tuple[str, ...], found: str) -> None:
    assert ask(*arguments).return_value["output_format"] == found


def test_json_and_another_format_exclude_each_other() -> None:
    assert "--json and --format markdown exclude each other" in str(
        ask("--json", "--format", "markdown").exception
    )


def test_a_command_with_one_format_has_no_option_for_it() -> None:
    @click.command()
    @output_options("jsonl")
    def command(**options: Any) -> dict[str, Any]:
        return options

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command, arguments, standalone_mode=False)

    assert run("-o", "x.txt").return_value == {"output": "x.txt"}
    refused = str(run("-o", "x.json").exception)
    assert refused.endswith(
        "json is not available for this command. Use another suffix (.jsonl, .ndjson)."
    )


def test_a_file_that_people_edit_is_not_overwritten(tmp_path: Path) -> None:
    @click.command()
    @new_file_options
    def command(*, output: str | None) -> str | None:
        return output

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command, arguments, standalone_mode=False)

    path = str(tmp_path / "cases.jsonl")
    assert run("-o", path).return_value == path
    (tmp_path / "cases.jsonl").touch()
    assert f"{path} already exists. Pass --force to overwrite it." in str(run("-o", path).exception)
    assert run("-o", path, "--force").return_value == path
    assert run("-o", "-").return_value == "-"
    assert run().return_value is None
