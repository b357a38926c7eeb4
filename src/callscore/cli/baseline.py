"""`callscore baseline`: names for the runs that others are compared with."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from callscore.cli.exits import OK, baseline_exit_code
from callscore.cli.options import (
    json_option,
    lang_option,
    open_existing_store,
    parse_run_name,
    store_option,
)
from callscore.cli.output import open_output, write_report
from callscore.core.phrases import Phrase, Plural, count_of, say
from callscore.core.rendering import escape
from callscore.errors import InvalidSettings
from callscore.history.postgres import store_arguments
from callscore.history.run_metadata import is_partial, lineage

if TYPE_CHECKING:
    from callscore.core.phrases import Language
    from callscore.history.records import RunRecord
    from callscore.history.store import Store

__all__ = ["command"]

_SET = Phrase(
    "{name} is now the run {run}. Hold another run against it: callscore gate --against {typed}",
    "{name} теперь прогон {run}. Сравнить с ним другой: callscore gate --against {typed}",
)
_MOVED = Phrase(
    "{name} was the run {before}, and is now {run}.",
    "{name} был прогоном {before}, теперь это {run}.",
)
_UNFINISHED = Phrase("it did not come to its end", "он не завершён")
_WITHOUT_ANSWER = Plural(
    ("question has no answer", "questions have no answer"),
    ("вопрос без ответа", "вопроса без ответа", "вопросов без ответа"),
)
_BROKEN = Phrase("Mind that {why}.", "Учтите: {why}.")
_PARTIAL = Phrase(
    "Mind that this run left cases out: another one is compared by those that both have.",
    "Учтите: в этом прогоне не все случаи; другой сравнивается по тем, что есть в обоих.",
)
_BELOW = Phrase(
    "This run is below `fail_under`: {names}.",
    "Учтите: в этом прогоне порог не достигнут: {names}.",
)
_REMOVED = Phrase(
    "{name} is no baseline any more; its run {run} is still kept.",
    "{name} больше не базовый; прогон {run} по-прежнему хранится.",
)
_NONE = Phrase(
    "No baselines yet. Set one: callscore baseline set latest --name main",
    "Базовых прогонов пока нет. Задать: callscore baseline set latest --name main",
)
_HELP = """Name the runs that others are compared with, such as main.

A baseline is a name that you give to a run, and move to another when you have accepted it. It may stand
wherever a run is named, and `callscore gc` keeps its run.
"""


@click.group(short_help="Name the runs that others are compared with.", help=_HELP)
def command() -> None:
    """Name the runs that others are compared with."""


@command.command("set", short_help="Let a name mean a run.")
@click.argument("run", default="latest")
@click.option(
    "--name",
    type=parse_run_name,
    default="main",
    show_default=True,
    metavar="NAME",
    help="What it is called.",
)
@click.option(
    "--force", is_flag=True, help="Take a run that did not end, or that has no answer to something."
)
@store_option
@lang_option
@click.pass_context
def set_one(
    ctx: click.Context, /, *, run: str, name: str, force: bool, store: str | None, lang: Language
) -> None:
    """Let a name mean a RUN from now on; the default is the newest one.

    A run that did not come to its end, or in which questions have no answer, is refused with the exit
    code 1: others would look better beside it than they are.
    """
    with open_existing_store(store) as opened:
        found = opened.find(run)
        faults = [] if found.status == "finished" else [say(_UNFINISHED, lang)]
        errors = found.totals.get("errors")
        if errors:
            faults.append(count_of(_WITHOUT_ANSWER, errors, lang))
        code = OK if force else baseline_exit_code(found.id, faults, lang)
        if code != OK:
            ctx.exit(code)
        cautions = [say(_BROKEN, lang, why=why) for why in faults] + _warnings(opened, found, lang)
        before = {each.name: each.run for each in opened.baselines()}.get(name)
        opened.set_baseline(name, found.id)
    phrase = _SET if before in (None, found.id) else _MOVED
    typed = escape(shlex.quote(name) + store_arguments(store))
    line = say(phrase, lang, name=escape(name), typed=typed, run=found.id, before=before)
    _write("".join(f"{each}\n" for each in (line, *cautions)), lang)


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
@json_option
@store_option
@lang_option
def list_all(*, as_json: bool, store: str | None, lang: Language) -> None:
    """List the baselines, and the runs that they mean."""
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
    if as_json:
        _write(write_baselines_json(found), lang)
    elif not found:
        _write(say(_NONE, lang) + "\n", lang)
    else:
        with open_output(None, "table", lang) as output:
            write_report("baselines", (found,), output, "table", lang=lang)


@command.command("remove", short_help="Forget a baseline; its run stays.")
@click.argument("name")
@store_option
@lang_option
def remove_one(*, name: str, store: str | None, lang: Language) -> None:
    """Forget the baseline NAME; its run stays."""
    with open_existing_store(store) as opened:
        runs = {each.name: each.run for each in opened.baselines()}
        if not opened.remove_baseline(name):
            known = ", ".join(runs) or "none"
            raise InvalidSettings(f"there is no baseline {name!r}; there is {known}")
    _write(say(_REMOVED, lang, name=escape(name), run=runs.get(name, "")) + "\n", lang)


def _write(text: str, lang: Language) -> None:
    with open_output(None, "table", lang) as output:
        output.write_text(text)
