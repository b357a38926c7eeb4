"""`callscore effects`: which tools read and which write, with the evidence, for the settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from callscore.cli.exits import add_how_to_skip
from callscore.cli.options import (
    PROJECT_FILE,
    config_options,
    input_format_option,
    lang_option,
    reading_from,
    reading_options,
    refuse_evaluations,
    require_one_stdin,
    skip_bad_option,
    tools_option,
    write_settings_option,
)
from callscore.cli.output import open_output, write_report
from callscore.cli.output_formats import report_options
from callscore.cli.progress import progress
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.settings import DEFAULT, settings_from
from callscore.engines.tool_effects import find_effects
from callscore.errors import UnreadableInput
from callscore.evaluations.project_config import (
    OWN_FILE,
    find_config_file,
    read_config,
    settings_table,
)
from callscore.formats.dialect import dialect_named
from callscore.hiding.hider import Hider
from callscore.sources.paths import expand_paths

if TYPE_CHECKING:
    from callscore.checks.effects import EffectsFound, ToolEffect
    from callscore.core.phrases import Language

_FORMATS = ["table", "json", "markdown"]
_TOML = ".toml"
_GLOB = re.compile(r"[*?\[]")
_HELP = """List the tools in FILEs of traces or cases: whether each reads or writes, and how that is known.

A score uses the setting 'effects', then what a definition declares (MCP hints, x-tool-type, the method
of an OpenAPI operation), then the name. Descriptions and results are only evidence: they count once
--write has added them to the settings. Unknown tools are never written, and contradictory ones only if
a definition says that they write.

\b
  callscore effects traces.jsonl
  callscore effects traces.jsonl --tools openapi.yaml
  callscore effects traces.jsonl --write
"""


@click.command(help=_HELP)
@click.argument("files", nargs=-1, metavar="[FILE...]")
@tools_option
@write_settings_option
@config_options
@input_format_option
@reading_options
@report_options(_FORMATS)
@lang_option
@skip_bad_option
@max_unpacked_option
def command(  # noqa: D103  (the help is above)
    *,
    files: tuple[str, ...],
    tools: str | None,
    write: str | None,
    config: str | None,
    no_config: bool,
    input_format: str | None,
    output_format: str,
    output: str | None,
    lang: Language,
    skip_bad: bool,
    **options: Any,
) -> None:
    file = _settings_file(config, write, no_config=no_config)
    if not files and tools is None:
        raise click.UsageError("Pass files of traces, or --tools.")
    require_one_stdin(*files, tools)
    refuse_evaluations(*files)
    is_new = file is None or (write is not None and not file.exists())
    settings = DEFAULT if file is None or is_new else settings_from(read_config(file).values)
    dialect = None if input_format is None else dialect_named(input_format)
    read_options = reading_from(options)
    paths = expand_paths(files)
    with open_output(output, output_format, lang) as target:
        try:
            with progress(paths, "reading") as on_bytes:
                found = find_effects(
                    paths,
                    settings,
                    read_options,
                    tools=tools,
                    dialect=dialect,
                    skip_bad=skip_bad,
                    on_bytes=on_bytes,
                )
        except UnreadableInput as error:
            add_how_to_skip(error, "effects")
            raise
        if write is not None and file is not None:
            found = _written(found, file, lang)
        write_report("effects", (found,), target, output_format, lang=lang)


def _settings_file(config: str | None, write: str | None, *, no_config: bool) -> Path | None:
    """The file whose settings decide, and into which they are written."""
    if config is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other.")
    is_named = write is not None and write != PROJECT_FILE
    if is_named and Path(write or "").suffix != _TOML:
        problem = f"--write {write}: not a {_TOML} file"
        raise click.UsageError(f"{problem}. Put --write after the files of traces.")
    if write is not None and no_config and not is_named:
        raise click.UsageError("--write needs a file with --no-config.")
    named = write if is_named else config
    if named is not None:
        return Path(named)
    return None if no_config else _project_file(is_created=write is not None)


def _project_file(*, is_created: bool) -> Path | None:
    """The file with the settings of the project; a new one if there is none and it is created."""
    try:
        found = find_config_file(Path.cwd())
    except OSError:  # the folder was deleted
        return None
    return Path(OWN_FILE) if found is None and is_created else found


def _written(found: EffectsFound, file: Path, lang: Language) -> EffectsFound:
    """Write what is known into the settings."""
    from callscore.rewriting.change import CannotRewrite
    from callscore.rewriting.effects_table import AddedEffect, add_effects

    hider = Hider()
    added = {
        _GLOB.sub(r"[\g<0>]", tool.name): AddedEffect(tool.proposed, _comment(tool))
        for tool in found.tools
        # Others cannot be written, or should not be.
        if tool.proposed is not None and tool.name.isprintable() and not hider.has_secret(tool.name)
    }
    added.pop("", None)
    if added:
        try:
            add_effects(file, settings_table(file), added)
        except CannotRewrite as error:
            raise click.ClickException(error.text(lang)) from error  # which may have lines
    written = {pattern: each.effect for pattern, each in added.items()}
    return replace(found, file=str(file), written=written)


def _comment(tool: ToolEffect) -> str:
    """Where an effect is from; the words of descriptions and results are not repeated."""
    clear = next(
        each
        for each in tool.evidence
        if each.source != "setting" and each.confidence != "low" and each.effect == tool.proposed
    )
    is_text = clear.source in ("description", "results")
    return clear.source if is_text else f"{clear.source}: {clear.words}"
