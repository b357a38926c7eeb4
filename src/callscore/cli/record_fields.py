"""Where the fields of cases come from: the names of files, and paths, which may lead nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from callscore.cli.output import print_note
from callscore.core.phrases import Language, Phrase, say
from callscore.formats.case_fields import CASE_FIELDS
from callscore.formats.trace import IdSource

if TYPE_CHECKING:
    from callscore.engines.inputs import InputOptions


def _parse_field(value: str) -> tuple[str, str]:
    """Parse `FIELD=PATH`."""
    field, _, path = value.partition("=")
    if not path:
        raise click.BadParameter(
            f"{value!r} is not of the form FIELD=PATH, as in id=$.metadata.task_id."
        )
    return field.strip(), path.strip()


map_option = click.option(
    "--map",
    "fields",
    type=_parse_field,
    multiple=True,
    metavar="FIELD=PATH",
    help=f"Path of a field (id=$.meta.id): {', '.join(CASE_FIELDS[:-1])} or {CASE_FIELDS[-1]}.",
)
id_from_option = click.option(
    "--id-from",
    type=click.Choice(get_args(IdSource)),
    help="Use the name of each file, without its suffix, as the id of the runs in it.",
)

_UNFOUND = Phrase(
    "--map {field}={path} has no effect: the path leads nowhere in any record",
    "--map {field}={path} не действует: ни в одной записи по этому пути ничего нет",
)


def note_unfound(field: str, path: str) -> None:
    """Print that a path of `--map` leads nowhere in any record."""
    context = click.get_current_context(silent=True)
    lang: Language = "en" if context is None else context.params.get("lang", "en")
    print_note(say(_UNFOUND, lang, field=field, path=path))


def note_all_unfound(inputs: InputOptions) -> None:
    """Print this for every path that leads nowhere."""
    for field, path in [] if inputs.fields is None else inputs.fields.unfound:
        note_unfound(field, path)
