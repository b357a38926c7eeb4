"""`callscore schema`: the JSON Schemas of the files that people write, for their editors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from callscore.cli.completion import complete_schema
from callscore.cli.output import open_output
from callscore.cli.output_formats import output_options
from callscore.core.suggestions import did_you_mean
from callscore.errors import InvalidSettings
from callscore.evaluations.suite_schema import suite_json_schema
from callscore.formats.case_schema import build_case_schema
from callscore.words.value_text import json_document

_SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "case": build_case_schema,
    "suite": suite_json_schema,
}


@click.command()
@click.argument("name", required=False, shell_complete=complete_schema)
@output_options("json")
def command(*, name: str | None, output: str | None) -> None:
    """Print the JSON Schema NAME, or list all schemas.

    Editors use 'callscore schema case' to complete and check case files, and 'callscore schema suite' for
    suites.
    """
    if name is None:
        width = max(map(len, _SCHEMAS))
        lines = [f"{key:<{width}}  {build()['description']}\n" for key, build in _SCHEMAS.items()]
        text = "".join(lines)
    else:
        text = schema_text(name)
    with open_output(output, "text", "en") as target:
        target.write_text(text)


def schema_text(name: str) -> str:
    """The JSON Schema of this name."""
    if name not in _SCHEMAS:
        hint = did_you_mean(name, _SCHEMAS) or "."
        raise InvalidSettings(f"unknown schema {name!r}{hint} 'callscore schema' lists all.")
    return json_document(_SCHEMAS[name]())
