"""Lists of runs and evaluations: the home page, pages of runs, an evaluation over time, the search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from callscore.core.phrases import Phrase
from callscore.evaluations.run_rows import heading_row, rows_of_runs
from callscore.history.locks import is_abandoned
from callscore.history.records import RunRecord, json_bytes
from callscore.history.run_lookup import RunLine, list_runs
from callscore.history.run_results import result_numbers
from callscore.reports.history import RunRow, Step, timelines_of
from callscore.web.live_runs import progress_of
from callscore.web.requests import NOT_FOUND, Asked

if TYPE_CHECKING:
    from callscore.history.run_lookup import Fits
    from callscore.history.store import Store
    from callscore.web.open_history import History

_FEW_RUNS = 20
_MOST_RUNS = 200
_TREND = 40  # runs of a sparkline
_MOST_POINTS = 500
_MOST_FOUND = 20
_KEY_SIZE = 8
_LONGEST_SEARCH = 200
UNKNOWN_EVALUATION = Phrase(
    "no run has this evaluation: it was renamed, or its runs were removed",
    "этой проверки нет ни в одном прогоне: её переименовали, или прогоны удалены",
)


# --- what identifies an evaluation ------------------------------------------------------------


def evaluation_key(name: str, variant: str | None, place: str) -> str:
    """A short name for an evaluation in addresses: the same in all runs."""
    return blake2b(json_bytes([place, name, variant or ""]), digest_size=_KEY_SIZE).hexdigest()


def evaluation_name(row: RunRow) -> dict[str, Any]:
    """What identifies the evaluation of a row: `EvaluationName`."""
    return {
        "key": evaluation_key(row.evaluation or "", row.variant, row.key),
        "name": row.evaluation,
        "variant": row.variant,
        "label": row.label,
        "place": row.place,
    }


def fits_key(key: str) -> Fits:
    """Whether an evaluation has this key, by its name, variant and place."""
    return lambda texts: evaluation_key(*texts) == key


# --- runs -------------------------------------------------------------------------------------


class ListedRuns(NamedTuple):
    """Runs, the newest first.

    Attributes:
        steps: each evaluation of a run compared with the run before, by the id of the run.
    """

    runs: dict[str, RunRecord]
    steps: dict[str, list[Step]]

    def summary(self, run: str) -> dict[str, Any]:
        """A run in a list: `RunSummary`."""
        steps, record = self.steps[run], self.runs[run]
        return _run_summary(steps[0].row, record, steps)


def read_runs(
    store: Store | None, *, limit: int | None = None, fits: Fits | None = None
) -> ListedRuns:
    """The runs of a history, all or the newest, with those of their evaluations that fit.

    Without a history there are none.
    """
    if store is None:
        return ListedRuns({}, {})
    lines = list_runs(store, limit=limit, fits=fits)
    rows = rows_of_runs(lines, _abandoned(store, lines))
    steps: dict[str, list[Step]] = {line.run.id: [] for line in lines}
    for timeline in timelines_of(rows):
        for step in timeline.steps:
            steps[step.row.id].append(step)
    return ListedRuns({line.run.id: line.run for line in lines}, steps)


def run_summary(store: Store, run: RunRecord) -> dict[str, Any]:
    """One run as lists have it: `RunSummary`; each evaluation is compared with the run before."""
    listed = read_runs(store)
    if run.id in listed.runs:
        return listed.summary(run.id)
    # It was removed meanwhile.
    return _run_summary(heading_row(run, (), {}), run, ())


def _abandoned(store: Store, lines: Iterable[RunLine]) -> set[str]:
    return {line.run.id for line in lines if is_abandoned(store, line.run)}


def _run_summary(row: RunRow, record: RunRecord, steps: Sequence[Step]) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "command": row.command,
        "status": row.status,
        "started_at": row.started_at,
        "finished_at": record.finished_at,
        "commit": row.git_commit,
        "is_dirty": row.git_dirty,
        "baselines": list(row.baselines),
        "is_partial": row.is_partial,
        "unreadable": row.unreadable,
        "parent": record.parent,
        "evaluations": [_run_evaluation(step) for step in steps if step.row.evaluation is not None],
    }


def _run_evaluation(step: Step) -> dict[str, Any]:
    row = step.row
    numbers = ("cases", "trials", "answered", "passed", "errors", "share", "f1")
    return {
        **evaluation_name(row),
        **_change(step),
        **{name: getattr(row, name) for name in numbers},
        "interval": _interval(row),
    }


def _change(step: Step) -> dict[str, Any]:
    return {
        "change": step.change,
        "direction": step.direction,
        "is_outside": step.is_outside,
        "has_other_cases": step.has_other_cases,
    }


def _interval(row: RunRow) -> list[float] | None:
    return None if row.interval is None else list(row.interval)


def _trend_point(row: RunRow, *, is_this: bool) -> dict[str, Any]:
    return {
        "run": row.id,
        "name": row.name,
        "at": row.started_at,
        "commit": row.git_commit,
        "share": row.share,
        "interval": _interval(row),
        "cases": row.cases,
        "is_this": is_this,
    }


# --- the pages --------------------------------------------------------------------------------


def home_page(history: History, asked: Asked) -> dict[str, Any]:
    """`GET /api/home`."""
    with history.opened_or_none() as store:
        listed = read_runs(store)
        running = [
            progress_of(store, record)
            for run, record in listed.runs.items()
            if store is not None and listed.steps[run][0].row.status == "running"
        ]
    shown = list(listed.runs)[:_FEW_RUNS]
    del asked
    return {
        "running": running,
        "evaluations": _evaluations(listed),
        "runs": [listed.summary(run) for run in shown],
        "next": shown[-1] if len(listed.runs) > len(shown) else None,
    }


def _evaluations(listed: ListedRuns) -> list[dict[str, Any]]:
    """Every evaluation with its trend, the one that was run last first."""
    by_key: dict[str, list[Step]] = {}
    for steps in listed.steps.values():
        for step in steps:
            if step.row.evaluation is not None:
                by_key.setdefault(evaluation_name(step.row)["key"], []).append(step)
    return [_evaluation_summary(steps) for steps in by_key.values()]


def _evaluation_summary(steps: Sequence[Step]) -> dict[str, Any]:
    # A run of some cases, or one that was scored again, says little about the evaluation.
    latest = next((step for step in steps if step.row.counts), steps[0])
    counted = [step.row for step in steps if step.row.counts][:_TREND]
    return {
        **evaluation_name(latest.row),
        "trend": [_trend_point(row, is_this=row is counted[0]) for row in reversed(counted)],
        "latest": _run_evaluation(latest),
        "latest_run": latest.row.id,
    }


def runs_page(history: History, asked: Asked) -> dict[str, Any]:
    """`GET /api/runs`."""
    words = (asked.optional_text("search") or "")[:_LONGEST_SEARCH].casefold().split()
    before = asked.optional_text("before")
    limit = asked.number("limit", 50, low=1, high=_MOST_RUNS)
    with history.opened_or_none() as store:
        listed = read_runs(store)
    names = list(listed.runs)
    if before is not None:
        names = names[names.index(before) + 1 :] if before in listed.runs else []
    found = [run for run in names if _matches(listed, run, words)]
    shown = found[:limit]
    return {
        "runs": [listed.summary(run) for run in shown],
        "next": shown[-1] if len(found) > len(shown) else None,
    }


def _matches(listed: ListedRuns, run: str, words: Sequence[str]) -> bool:
    """Whether each of the words is in what a list shows of a run."""
    row = listed.steps[run][0].row
    texts = [row.id, row.name or "", row.git_commit or "", *row.baselines]
    for step in listed.steps[run]:
        texts += [step.row.label, step.row.place]
    return _has_words(words, *texts)


def evaluation_page(history: History, asked: Asked) -> dict[str, Any]:
    """`GET /api/evaluations/KEY`."""
    with history.opened_or_none() as store:
        listed = read_runs(store, fits=fits_key(asked.path["key"]))
    steps = [step for each in listed.steps.values() for step in each]
    if not steps:
        raise asked.refusal(NOT_FOUND, UNKNOWN_EVALUATION)
    newest = next((step for step in steps if step.row.counts), steps[0])
    points = [_point(step, is_this=step is newest) for step in steps[:_MOST_POINTS]]
    return {
        **evaluation_name(steps[0].row),
        "points": points[::-1],
        "not_shown": len(steps) - len(points),
    }


def _point(step: Step, *, is_this: bool) -> dict[str, Any]:
    row = step.row
    return {
        **_trend_point(row, is_this=is_this),
        **_change(step),
        "status": row.status,
        "command": row.command,
        "is_dirty": row.git_dirty,
        "baselines": list(row.baselines),
        "counts": row.counts,
        **{name: getattr(row, name) for name in ("trials", "passed", "errors", "f1")},
    }


def search_page(history: History, asked: Asked) -> dict[str, Any]:
    """`GET /api/search`."""
    words = (asked.optional_text("q") or "")[:_LONGEST_SEARCH].casefold().split()
    if not words:
        return {"runs": [], "evaluations": [], "cases": [], "has_more": False}
    with history.opened_or_none() as store:
        listed = read_runs(store)
        runs = [run for run in listed.runs if _matches(listed, run, words)]
        newest = _newest_steps(listed)
        evaluations = [
            name for name, _ in newest if _has_words(words, name["label"], name["place"])
        ]
        cases = [] if store is None else _cases_with(store, newest, words)
    found = (runs, evaluations, cases)
    return {
        "runs": [listed.summary(run) for run in runs[:_MOST_FOUND]],
        "evaluations": evaluations[:_MOST_FOUND],
        "cases": cases[:_MOST_FOUND],
        "has_more": any(len(each) > _MOST_FOUND for each in found),
    }


def _newest_steps(listed: ListedRuns) -> list[tuple[dict[str, Any], RunRow]]:
    """Every evaluation, and its row in the newest run that has it."""
    found: dict[str, tuple[dict[str, Any], RunRow]] = {}
    for steps in listed.steps.values():
        for step in steps:
            if step.row.evaluation is not None:
                name = evaluation_name(step.row)
                found.setdefault(name["key"], (name, step.row))
    return list(found.values())


def _cases_with(
    store: Store,
    newest: Sequence[tuple[dict[str, Any], RunRow]],
    words: Sequence[str],
) -> list[dict[str, Any]]:
    """Cases whose id has these words, in the newest run of each evaluation."""
    found: list[dict[str, Any]] = []
    for run in dict.fromkeys(row.id for _, row in newest):
        names = {name["key"]: name for name, row in newest if row.id == run}
        keys = {
            record.number: evaluation_key(record.name, record.variant, record.place)
            for record in store.evaluations(run)
        }
        cases = dict.fromkeys(
            (keys.get(evaluation, ""), case)
            for _, evaluation, case, _ in result_numbers(store, run)
            if _has_words(words, case)
        )
        found += [
            {"evaluation": names[key], "id": case, "run": run}
            for key, case in cases
            if key in names
        ]
        if len(found) > _MOST_FOUND:
            break
    return found


def _has_words(words: Sequence[str], *texts: str) -> bool:
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)
