"""`callscore history`: lists the stored runs, each compared with the one before it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from callscore.cli.options import (
    keyword_option,
    lang_option,
    max_shown_option,
    open_existing_store,
    store_option,
    tag_option,
)
from callscore.cli.output import open_output, without_secrets, write_report
from callscore.cli.output_formats import report_options
from callscore.errors import UnknownRun, UnusableStore
from callscore.evaluations.run_rows import rows_of_runs
from callscore.history.environment import STORE_VARIABLE
from callscore.history.saved_totals import saved_cases_of
from callscore.reports.history import timelines_of, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from callscore.core.phrases import Language
    from callscore.history.checksums import DamagedHistoryError
    from callscore.history.records import RunRecord
    from callscore.history.run_lookup import Fits
    from callscore.history.store import Store
    from callscore.reports.history import RunRow

__all__ = ["command"]

_FEW = 20
_HELP = """List the saved runs, the newest first.

There is one table per evaluation and variant. Each run has the share of cases that passed, with its 95%
interval, and an arrow that shows the change from the run before, if both have the same number of cases.
The arrow is bright if the share is outside the interval of that run; 'callscore compare' tests whether
the difference is more than chance. Runs that did not finish, covered only some cases, or only rescored
saved answers are listed without an arrow.
"""


@click.command(help=_HELP)
@keyword_option
@tag_option(multiple=False)
@max_shown_option(str(_FEW), minimum=1)
@report_options(["table", "json"])
@store_option
@lang_option
def command(
    *,
    keyword: str,
    tag: str | None,
    max_shown: int | None,
    output: str | None,
    output_format: str,
    store: str | None,
    lang: Language,
) -> None:
    """List the saved runs."""
    max_shown = _FEW if max_shown is None else max_shown
    rows, without_tags, damage = _read_rows(store, max_shown, tag, keyword)
    shown = timelines_of(rows, max_shown=max_shown)
    with open_output(output, output_format, lang) as target:
        if output_format == "json":
            target.write_text(write_json(without_secrets(shown)))
        elif rows or damage is None:
            from callscore.reports.history_terminal import History

            has_more = len({row.id for row in rows}) > max_shown
            found = History(
                shown, tag=tag, keyword=keyword, has_more=has_more, without_tags=without_tags
            )
            write_report("history", (found,), target, "table", lang=lang)
    if damage is not None:  # after the list, which has the ids of the runs that can be exported
        raise damage


def _read_rows(
    store: str | None, max_shown: int, tag: str | None, keyword: str
) -> tuple[list[RunRow], int, UnusableStore | None]:
    """The runs that are as they were saved, and what is wrong with the others.

    Between them, how many runs are left out because not every case is saved with its tags. There are no
    runs if no history is named and none exists yet.
    """
    from callscore.history.locks import is_abandoned
    from callscore.history.run_lookup import list_compared_runs

    fits = None
    if keyword:
        from callscore.evaluations.plan import keyword_filter

        fits = keyword_filter(keyword)
    try:
        opened = open_existing_store(store)
    except UnknownRun:
        if store is not None or os.environ.get(STORE_VARIABLE):
            raise
        return [], 0, None
    found: list[DamagedHistoryError] = []
    with opened:
        lines = list_compared_runs(
            opened, shown=max_shown, tag=tag, fits=fits, on_damage=found.append
        )
        left = {line.run.id for line in lines if is_abandoned(opened, line.run)}
        without_tags = 0
        if tag is not None and not found:
            without_tags = sum(_is_left_out(opened, run, fits) for run in opened.runs())
    return rows_of_runs(lines, left), without_tags, _all_damage(opened.place, found)


def _is_left_out(store: Store, run: RunRecord, fits: Fits | None) -> bool:
    """Whether a run that would be listed has not every case, so that those with a tag are not known."""
    if saved_cases_of(run) == "all":
        return False
    texts = [(each.name, each.variant or "", each.place) for each in store.evaluations(run.id)]
    return fits is None or any(map(fits, texts))


def _all_damage(place: str, found: Sequence[DamagedHistoryError]) -> UnusableStore | None:
    """All problems as one error, each advice once."""
    if not found:
        return None
    problems, advice = (
        dict.fromkeys(texts)
        for texts in ([each.problem for each in found], [each.advice for each in found])
    )
    return UnusableStore(place, ". ".join(["; ".join(problems), *advice]))
