"""The format of the output, and what may be overwritten."""

from __future__ import annotations

from typing import Any

import click
from click.testing import CliRunner

from callscore.cli.output_formats import (
    output_options,
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
