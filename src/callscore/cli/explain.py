"""`callscore explain`: how the score of one case comes about, to be checked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from callscore.cli.options import lang_option, settings_from, settings_options
from callscore.cli.output import open_output
from callscore.core.results import CaseScore
from callscore.core.scoring import score_calls
from callscore.core.text import escape
from callscore.errors import UnreadableInput
from callscore.formats.cases import join_case, read_case, read_reference, read_trace
from callscore.sources import BadRecord, read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callscore.core.model import Case

__all__ = ["command"]


@click.command(short_help="Explain the score of one case.")
@click.argument("file", required=False)
@click.option("--expected", metavar="FILE", help="References, to be joined with --actual on id.")
@click.option("--actual", metavar="FILE", help="Traces, to be joined with --expected on id.")
@click.option("--case", "wanted", metavar="ID", help="Which case.  [default: the first]")
@click.option("--trial", metavar="TRIAL", help="Which trial of it.  [default: the first]")
@settings_options
@lang_option
def command(*, wanted: str | None, trial: str | None, lang: Any, **options: Any) -> None:
    """Show in three steps how the score of one case of FILE comes about."""
    settings = settings_from(options)
    file, expected, actual = options["file"], options["expected"], options["actual"]
    is_joined = expected is not None and actual is not None
    if is_joined == (file is not None) or (expected is None) != (actual is None):
        raise click.UsageError("Name a file of cases, or --expected and --actual.")
    place = actual if is_joined else file
    cases = _join(expected, actual) if is_joined else _read(file, read_case)
    case = _find_case(cases, place, wanted, trial)
    if case.expected is None or case.actual is None:
        side = "expected" if case.expected is None else "actual"
        raise UnreadableInput(place, f"the case {case.id} has no `{side}`, so it has no score.")
    score = score_calls(case.expected, case.actual, settings)
    label = CaseScore(id=case.id, score=score, trial=case.trial).label
    with open_output(None, "text", lang) as output:
        output.write_text(f"{escape(label)}\n\n{score.explain(lang=lang).rstrip()}\n")


def _read(file: str, parse: Callable[..., Case]) -> Iterator[Case]:
    for record in read_records(file):
        if isinstance(record, BadRecord):
            raise UnreadableInput(record.place, record.problem)
        yield parse(record.value, place=record.place)


def _join(expected: str, actual: str) -> Iterator[Case]:
    references: dict[str, Case] = {}
    for reference in _read(expected, read_reference):
        if reference.id in references:
            problem = f"there are two references with the id {reference.id!r}. Keep one of them."
            raise UnreadableInput(expected, problem)
        references[reference.id] = reference
    for trace in _read(actual, read_trace):
        if trace.id in references:
            yield join_case(references[trace.id], trace)


def _find_case(cases: Iterator[Case], place: str, wanted: str | None, trial: str | None) -> Case:
    for case in cases:
        is_case = wanted is None or case.id == wanted
        if is_case and (trial is None or str(case.trial) == trial):
            return case
    what = "no case" if wanted is None else f"no case with the id {wanted!r}"
    where = "" if trial is None else f" and the trial {trial!r}"
    raise UnreadableInput(place, f"there is {what}{where} in it.")
