"""`callscore explain`: how the score of one case is computed, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click
from msgspec import UNSET

from callscore.api import score_case
from callscore.cli.judge_options import judge_option, judged_settings_from
from callscore.cli.options import (
    SettingsCommand,
    input_options,
    lang_option,
    reading_from,
    refuse_evaluations,
    settings_options,
    sides_options,
    store_option,
    tools_from,
    tools_option,
    trial_option,
    warn_unknown_defaults,
)
from callscore.cli.output import open_output, print_note
from callscore.cli.unpacking import max_unpacked_option
from callscore.core.rendering import escape
from callscore.core.results import Result
from callscore.core.summary import Summary
from callscore.documents import raise_unreadable
from callscore.engines.inputs import (
    CASES,
    REFERENCES,
    TRACES,
    FileContent,
    InputOptions,
    file_title,
    input_options_for,
    read_cases,
)
from callscore.engines.joining import join_traces, with_place_of_unread
from callscore.engines.tool_definitions import ToolDefinitions
from callscore.errors import InvalidCall, UnreadableInput
from callscore.formats.cases import has_own_id
from callscore.hiding.hider import hide_for_report, hide_text
from callscore.sources import BadRecord
from callscore.sources.remote import without_credentials
from callscore.words.explanation import explain

if TYPE_CHECKING:
    from callscore.core.call import Tool
    from callscore.core.case import Case
    from callscore.core.phrases import Language
    from callscore.core.score import Score
    from callscore.core.settings import Settings


@click.command(cls=SettingsCommand)
@click.argument("file", required=False)
@sides_options(multiple=False)
@click.option("--case", "name", metavar="ID", help="Case to explain.  [default: the first]")
@trial_option
@input_options
@tools_option
@settings_options
@judge_option
@store_option
@max_unpacked_option
@lang_option
def command(*, name: str | None, trial: str | None, lang: Any, **options: Any) -> None:
    """Show in three steps how the score of one case in FILE is computed.

    Without --case and --trial, it is the first case.
    """
    settings, _ = judged_settings_from(options)
    tools = tools_from(options)
    file, expected, actual = options["file"], options["expected"], options["actual"]
    is_joined = expected is not None and actual is not None
    if is_joined == (file is not None) or (expected is None) != (actual is None):
        raise click.UsageError("Pass a file of cases, or --expected and --actual.")
    refuse_evaluations(file, expected, actual)
    place = without_credentials(actual if is_joined else file)
    read_options = reading_from(options, (tools or {}).values())
    inputs = input_options_for(
        dict(options["fields"]), options["input_format"], read_options, top_k=settings.top_k
    )
    if is_joined:
        sides = _read(expected, REFERENCES, inputs), _read(actual, TRACES, inputs)
        joined = join_traces(*sides, raise_unreadable)
        cases = (case for _, case, has_both in joined if has_both and case.actual is not None)
    else:
        cases = (case for _, case in map(with_place_of_unread, _read(file, CASES, inputs)))
    _explain(_find_case(cases, place, name, trial), place, settings, tools, lang)


def _explain(
    case: Case, place: str, settings: Settings, tools: Mapping[str, Tool] | None, lang: Language
) -> None:
    """Score a case, and write how its score is computed."""
    if case.expected is UNSET or case.actual is None:
        side = "expected" if case.expected is UNSET else "actual"
        raise UnreadableInput(
            place, f"the case {case.id!r} has no '{side}' calls, so it has no score."
        )
    if case.unread is not None:
        print_note(f"{case.unread} It was not read.")
    known = ToolDefinitions(tools).of(case.tools, place)
    try:
        score = score_case(
            tuple(case.expected or ()), case.actual, settings, known, others=case.others
        )
    except InvalidCall as error:
        raise UnreadableInput(place, f"case {case.id!r}: {error}") from error
    summary = Summary()
    summary.add(score)
    warn_unknown_defaults([summary], lang)
    label = Result(case=case, score=score).label
    title = escape(hide_text(label if has_own_id(case) else file_title(place)))
    _write(title, score, lang)


def _write(title: str, score: Score, lang: Language) -> None:
    """Write the explanation without secrets."""
    with open_output(None, "text", lang) as output:
        explained = explain(hide_for_report(score, is_live=True), lang=lang, width=output.width())
        output.write_text(f"{title}\n\n{explained}\n")


def _read(file: str, part: FileContent, inputs: InputOptions) -> Iterator[tuple[str, Case]]:
    for found in read_cases(file, part, inputs, allow_remote=True):
        if isinstance(found, BadRecord):
            raise_unreadable(found.place, found.problem)
        else:
            yield found


def _find_case(cases: Iterator[Case], place: str, name: str | None, trial: str | None) -> Case:
    for case in cases:
        is_case = name is None or case.id == name
        if is_case and (trial is None or str(case.trial) == trial):
            return case
    given = {"id": name, "trial": trial}
    named = [f"the {field} {value!r}" for field, value in given.items() if value is not None]
    raise UnreadableInput(
        place, "no case" + (f" with {' and '.join(named)}" if named else "") + " found."
    )
