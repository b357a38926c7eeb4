"""`callscore baseline`: names for the runs that others are compared with."""

# ruff: noqa: RUF001  (Russian letters that look like Latin ones are meant)

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from callscore.cli.options import lang_option
from callscore.cli.output import open_output
from callscore.cli.store_option import existing_store, store_option
from callscore.core.phrase import Phrase, say
from callscore.core.text import escape
from callscore.errors import InvalidSettings

if TYPE_CHECKING:
    from callscore.core.phrase import Language
    from callscore.history.records import Baseline, RunRecord
    from callscore.reports.baseline_list import NamedRun

__all__ = ["command"]

_SET = Phrase(
    "{name} is now the run {run}. Hold another run against it: callscore gate --against {name}",
    "{name} теперь прогон {run}. Сравнить с ним другой: callscore gate --against {name}",
)
_MOVED = Phrase(
    "{name} was the run {before}, and is now {run}.",
    "{name} был прогоном {before}, теперь это {run}.",
)
_UNFINISHED = Phrase(
    "Mind that this run did not come to its end.", "Учтите: этот прогон не завершён."
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
    "--name", default="main", show_default=True, metavar="NAME", help="What it is called."
)
@store_option
@lang_option
def set_one(*, run: str, name: str, store: str | None, lang: Language) -> None:
    """Let a name mean a RUN from now on; the default is the newest one."""
    with existing_store(store) as opened:
        found = opened.find(run)
        before = {each.name: each.run for each in opened.baselines()}.get(name)
        opened.set_baseline(name, found.id)
    _write(_said(name, found, before, lang), lang)


def _said(name: str, run: RunRecord, before: str | None, lang: Language) -> str:
    is_moved = before is not None and before != run.id
    phrase = _MOVED if is_moved else _SET
    sentences = [say(phrase, lang, name=escape(name), run=run.id, before=before)]
    if run.status != "finished":
        sentences.append(say(_UNFINISHED, lang))
    return " ".join(sentences) + "\n"


@command.command("list", short_help="List the baselines.")
@click.option("--json", "as_json", is_flag=True, help="Write an array of objects, for programs.")
@store_option
@lang_option
def list_all(*, as_json: bool, store: str | None, lang: Language) -> None:
    """List the baselines, and the runs that they mean."""
    from callscore.reports import baseline_list

    with existing_store(store) as opened:
        found = [_named(each, opened.find(each.run)) for each in opened.baselines()]
    if as_json:
        _write(baseline_list.to_json(found), lang)
    elif not found:
        _write(say(_NONE, lang) + "\n", lang)
    else:
        _show(found, lang)


def _named(baseline: Baseline, run: RunRecord) -> NamedRun:
    from callscore.reports.baseline_list import NamedRun

    return NamedRun(
        name=baseline.name,
        run=run.id,
        started_at=run.started_at,
        set_at=baseline.set_at,
        git_commit=run.git_commit,
        git_dirty=run.git_dirty,
        called=run.name,
    )


def _show(found: list[NamedRun], lang: Language) -> None:
    from callscore.reports import baseline_list

    with open_output(None, "table", lang) as output:
        console = output.console()
        if console is None:
            output.write_text(baseline_list.write(found, lang=lang))
        else:
            baseline_list.render(found, console=console, lang=lang)


@command.command("remove", short_help="Forget a baseline; its run stays.")
@click.argument("name")
@store_option
@lang_option
def remove_one(*, name: str, store: str | None, lang: Language) -> None:
    """Forget the baseline NAME; its run stays."""
    with existing_store(store) as opened:
        runs = {each.name: each.run for each in opened.baselines()}
        if not opened.remove_baseline(name):
            known = ", ".join(runs) or "none"
            raise InvalidSettings(f"there is no baseline {name!r}; there is {known}")
    _write(say(_REMOVED, lang, name=escape(name), run=runs.get(name, "")) + "\n", lang)


def _write(text: str, lang: Language) -> None:
    with open_output(None, "table", lang) as output:
        output.write_text(text)
