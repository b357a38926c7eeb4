"""`callscore explain`: how the score of one case comes about, to be checked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.options import lang_option, settings_from, settings_options
from callscore.cli.output import open_output
from callscore.core.scoring import score_calls
from callscore.errors import UnreadableInput
from callscore.formats.cases import read_case
from callscore.sources import BadRecord, read_records

if TYPE_CHECKING:
    from callscore.core.model import Case

__all__ = ["command"]


@click.command(short_help="Explain the score of one case.")
@click.argument("file")
@click.option("--case", "wanted", metavar="ID", help="Which case.  [default: the first]")
@click.option("--trial", metavar="TRIAL", help="Which trial of it.  [default: the first]")
@settings_options
@lang_option
def command(*, file: str, wanted: str | None, trial: str | None, **options: Any) -> None:
    """Show in three steps how the score of one case of FILE comes about."""
    lang = options.pop("lang")
    settings = settings_from(options)
    case = _find_case(file, wanted, trial)
    if case.expected is None or case.actual is None:
        side = "expected" if case.expected is None else "actual"
        raise UnreadableInput(file, f"the case {case.id} has no `{side}`, so it has no score.")
    explanation = score_calls(case.expected, case.actual, settings).explain(lang=lang)
    with open_output(None, "text", lang) as output:
        output.write_text(explanation.rstrip("\n") + "\n")


def _find_case(file: str, wanted: str | None, trial: str | None) -> Case:
    for record in read_records(file):
        if isinstance(record, BadRecord):
            raise UnreadableInput(record.place, record.problem)
        case = read_case(record.value, place=record.place)
        is_case = wanted is None or case.id == wanted
        if is_case and (trial is None or str(case.trial) == trial):
            return case
    what = "no case" if wanted is None else f"no case with the id {wanted!r}"
    where = "" if trial is None else f" and the trial {trial!r}"
    raise UnreadableInput(file, f"there is {what}{where} in it.")
