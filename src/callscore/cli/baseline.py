"""`callscore baseline`: names for the runs that others are compared with."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from callscore.cli.completion import complete_baseline, complete_run
from callscore.cli.exit_codes import OK
from callscore.cli.exits import baseline_exit_code
from callscore.cli.groups import SuggestingGroup
from callscore.cli.options import (
    lang_option,
    name_option,
    open_existing_store,
    removals_from,
    store_option,
)
from callscore.cli.output import open_output, write_report
from callscore.cli.output_formats import report_options
from callscore.core.phrases import Language, Phrase, Plural, count_of, say
from callscore.core.rendering import display_width, escape, wrap
from callscore.errors import InvalidSettings, UnusableStore
from callscore.history.postgres import store_arguments
from callscore.history.run_metadata import is_partial, lineage, unreadable_records
from callscore.words.value_text import UNREADABLE_COUNT

if TYPE_CHECKING:
    from callscore.comparing.comparison import Comparison
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

_SET = Phrase(
    "{name} now points to the run {run}. Compare another run with it: callscore gate --against {typed}",
    "{name} теперь указывает на прогон {run}. Сравнить с ним другой прогон:"
    " callscore gate --against {typed}",
)
_COMMAND = "callscore gate --against"
_MOVED = Phrase(
    "{name} pointed to the run {before}, and now points to {run}.",
    "{name} указывал на прогон {before}, теперь указывает на {run}.",
)
_UNFINISHED = Phrase("it did not finish", "он не завершён")
_WITHOUT_ANSWER = Plural(
    ("answer is missing", "answers are missing"),
    ("ответ не получен", "ответа не получено", "ответов не получено"),
)
_BROKEN = Phrase("Note: {why}.", "Внимание: {why}.")
_PARTIAL = Phrase(
    "Note: this run covers only some of the cases. Other runs are compared with it on the cases that both"
    " have.",
    "Внимание: в этом прогоне не все случаи. Другие прогоны сравниваются с ним по общим случаям.",
)
_BELOW = Phrase(
    "Note: this run is below fail_under: {names}.",
    "Внимание: в этом прогоне оценки ниже fail_under: {names}.",
)
_DAMAGED_RUN = Phrase(
    "Note: the run {before} is damaged. Whether cases are missing is not known.",
    "Внимание: прогон {before} повреждён. Пропали ли случаи, неизвестно.",
)
_REMOVED = Phrase(
    "{name} is no longer a baseline. Its run {run} is still saved.",
    "{name} больше не базовый прогон. Прогон {run} остался в истории.",
)
_NONE = Phrase(
    "No baselines yet. Set one: callscore baseline set latest --name main",
    "Базовых прогонов пока нет. Задать: callscore baseline set latest --name main",
)
_HELP = """Manage baselines: names, such as main, of the runs that others are compared with.

A baseline points to a run until you move it to another. It can be used wherever a run is named, and
'callscore gc' does not delete its run.
"""


@click.group(cls=SuggestingGroup, help=_HELP)
def command() -> None:
    """Manage baselines."""


@command.command("set", short_help="Point a baseline at a run.")
@click.argument("run", default="latest", shell_complete=complete_run)
@name_option("main")
@click.option(
    "--allow-incomplete",
    is_flag=True,
    help="Accept a run that did not finish, or in which answers, records or cases are missing.",
)
@store_option
@lang_option
@click.pass_context
def set_one(
    ctx: click.Context,
    /,
    *,
    run: str,
    name: str,
    allow_incomplete: bool,
    store: str | None,
    lang: Language,
) -> None:
    """Point a baseline at a RUN; the default is the newest one.

    A run that did not finish, or in which answers or cases of the baseline are missing, is refused with
    exit code 1: other runs would look better against it than they are. Cases that [gate.removed] in
    callscore.toml lists may be missing.
    """
    with open_existing_store(store) as opened:
        found = opened.find(run)
        before = {each.name: each.run for each in opened.baselines()}.get(name)
        lost = _compared(opened, before, found)
        missing = [] if allow_incomplete else _missing_cases(lost, "en")
        faults = [] if allow_incomplete else [*_faults(found, "en"), *missing]
        code = baseline_exit_code(found.id, faults, is_missing=bool(missing))
        if code != OK:
            ctx.exit(code)
        whys = [*_faults(found, lang), *_missing_cases(lost, lang), *_removed_cases(lost, lang)]
        cautions = [say(_BROKEN, lang, why=why) for why in whys]
        cautions += _warnings(opened, found, lang)
        if before not in (None, found.id) and lost is None:
            cautions.append(say(_DAMAGED_RUN, lang, before=before))
        opened.set_baseline(name, found.id)
    phrase = _SET if before in (None, found.id) else _MOVED
    typed = escape(shlex.quote(name) + store_arguments(store))
    line = say(phrase, lang, name=escape(name), typed=typed, run=found.id, before=before)
    with open_output(None, "table", lang) as output:
        width = output.width()
        parts = [part for caution in cautions for part in wrap(caution, width)]
        output.write_text("".join(f"{part}\n" for part in (*_sentence_lines(line, width), *parts)))


def _sentence_lines(line: str, width: int) -> list[str]:
    """A sentence in lines of this width; the command at its end is not broken, to be copied."""
    start = line.find(_COMMAND)
    if display_width(line) <= width or start < 0:
        return [*wrap(line, width)]
    return [*wrap(line[:start].rstrip(), width), f"  {line[start:]}"]


def _faults(run: RunRecord, lang: Language) -> list[str]:
    """Why a run is refused as a baseline; empty if it is not."""
    faults = [] if run.status == "finished" else [say(_UNFINISHED, lang)]
    counted = (
        (_WITHOUT_ANSWER, run.totals.get("errors")),
        (UNREADABLE_COUNT, unreadable_records(run)),
    )
    return [*faults, *[count_of(plural, count, lang) for plural, count in counted if count]]


def _compared(store: Store, before: str | None, run: RunRecord) -> Comparison | None:
    """The run that a baseline points to, compared with its new run.

    None if it points to no other run, or to a damaged one, which any run may replace.
    """
    after = store.side(run, run.id)  # a damaged run is refused
    if before is None or before == run.id:
        return None
    from callscore.comparing.comparison import compare_sides
    from callscore.comparing.removals import fitting_patterns

    try:
        first = store.side(store.find(before, resolve=None), before)
        removals = removals_from(())
        sides = store.with_cases(first, after, kind_of=fitting_patterns(removals))
    except UnusableStore:
        store.with_cases(after)
        return None
    return compare_sides(*sides, removals=removals)


def _missing_cases(compared: Comparison | None, lang: Language) -> list[str]:
    """The cases that the baseline would lose, and that are not listed as removed."""
    from callscore.reports.compare_notes import missing_line

    missing = "" if compared is None else missing_line(compared, lang)
    return [missing] if missing else []


def _removed_cases(compared: Comparison | None, lang: Language) -> list[str]:
    from callscore.reports.compare_notes import removed_notes
    from callscore.reports.formatting import with_names

    notes = [] if compared is None else removed_notes(compared, lang)
    return [with_names(*note) for note in notes]


def _warnings(store: Store, run: RunRecord, lang: Language) -> list[str]:
    """Warnings about a run that becomes a baseline: it is partial, or is below `fail_under`."""
    lines = [say(_PARTIAL, lang)] if is_partial(run, lineage(store, run)) else []
    below = []
    for record in store.evaluations(run.id):
        for scorer in record.summary.get("scorers") or ():
            mean, fail_under = scorer.get("mean"), scorer.get("fail_under")
            if mean is not None and fail_under is not None and mean < fail_under:
                below.append(f"{escape(record.name)}: {escape(str(scorer['name']))}")
    return [*lines, say(_BELOW, lang, names=", ".join(below))] if below else lines


@command.command("list", short_help="List the baselines.")
@report_options(["table", "json"])
@store_option
@lang_option
def list_all(*, output: str | None, output_format: str, store: str | None, lang: Language) -> None:
    """List the baselines and their runs."""
    from callscore.reports.history import BaselineRow, write_baselines_json

    found = []
    with open_existing_store(store) as opened:
        for baseline in opened.baselines():
            run = opened.find(baseline.run)
            row = BaselineRow(
                name=baseline.name,
                run=run.id,
                started_at=run.started_at,
                set_at=baseline.set_at,
                git_commit=run.git_commit,
                git_dirty=run.git_dirty,
                called=run.name,
            )
            found.append(row)
    with open_output(output, output_format, lang) as target:
        if output_format == "json":
            target.write_text(write_baselines_json(found))
        elif not found:
            target.write_text(say(_NONE, lang) + "\n")
        else:
            write_report("baselines", (found,), target, "table", lang=lang)


@command.command("remove", short_help="Remove a baseline; its run stays.")
@click.argument("name", shell_complete=complete_baseline)
@store_option
@lang_option
def remove_one(*, name: str, store: str | None, lang: Language) -> None:
    """Remove the baseline NAME; its run stays."""
    with open_existing_store(store) as opened:
        runs = {each.name: each.run for each in opened.baselines()}
        if name not in runs:
            known = f" Choose from: {', '.join(map(repr, runs))}." if runs else ""
            raise InvalidSettings(f"unknown baseline {name!r}.{known or ' There are none yet.'}")
        opened.remove_baseline(name)
    _write(say(_REMOVED, lang, name=escape(name), run=runs[name]) + "\n", lang)


def _write(text: str, lang: Language) -> None:
    with open_output(None, "table", lang) as output:
        output.write_text(text)
