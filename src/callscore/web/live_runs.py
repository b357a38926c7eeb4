"""A run in progress: how far it is, sent as server-sent events, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakSet

from callscore.core.phrases import Phrase
from callscore.core.statistics import mean_score
from callscore.history.locks import is_abandoned
from callscore.history.run_results import results_after, results_since
from callscore.runner.stored_runs import evaluation_label
from callscore.web.requests import CONFLICT, Asked
from callscore.web.responses import encoded, error_answer

if TYPE_CHECKING:
    from callscore.history.records import ResultRecord, RunRecord
    from callscore.history.store import Store
    from callscore.web.open_history import History

_MOST_SHOWN = 20
_PAUSE = 0.5  # seconds between two looks at a run
_THOROUGH = 4  # every so many looks, what takes longer is looked at, too
_HEARTBEAT = 15.0  # seconds
_SHARE = 0.1  # of the time may be spent with looking at one run
_MOST_WATCHERS = 20
_TOO_MANY = Phrase(
    "too many pages watch runs at once: the limit is {most}. Close some of them",
    "слишком много страниц следят за прогонами: не больше {most}. Закройте некоторые",
)
_LONGEST_PROBLEM = 1_000  # characters
# Commands that notice a request to stop.
_STOPPABLE = ("run", "rescore")
_NOT_RUNNING = Phrase(
    "run {run} is not in progress: nothing to stop", "прогон {run} не идёт: останавливать нечего"
)
_NOT_STOPPABLE = Phrase(
    "run {run} of callscore {command} cannot be stopped from here. Press Ctrl-C in its terminal",
    "прогон {run} команды callscore {command} нельзя остановить отсюда. Нажмите Ctrl-C в её терминале",
)

Status = Literal["passed", "failed", "error", "unscored"]


def _status(result: ResultRecord) -> Status:
    if result.status == "error":
        return "error"
    if result.passed is None:
        return "unscored"
    return "passed" if result.passed else "failed"


class WatchedRun:
    """A run whose new results are read little by little.

    Args:
        store: the history.
        run: the id of the run.
    """

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self._run = run
        self._known: dict[int, tuple[Status, float | None]] = {}
        self._last = -1  # the highest row number that is known
        self._moment = 0.0  # when the newest known result was written
        self._newest: list[tuple[int, ResultRecord]] = []  # with the numbers of their rows

    def progress(self, *, is_thorough: bool = True) -> dict[str, Any]:
        """How far the run is now: `Progress`.

        What takes longer is left out unless `is_thorough`: whether the process of the run is still
        there, and results that replace earlier ones.
        """
        # Before the results: a run that has ended by then has all of them.
        record = self._store.find(self._run, resolve=None)
        status = status_of(self._store, record) if is_thorough else record.status
        if is_thorough and self._known:
            replaced = results_since(self._store, self._run, self._moment)
            self._take([pair for pair in replaced if pair[0] in self._known])
        while found := results_after(self._store, self._run, self._last):
            self._take(found)
        return self._progress_at(record, status)

    def _take(self, results: list[tuple[int, ResultRecord]]) -> None:
        for number, result in results:
            self._known[number] = _status(result), result.f1
            self._last = max(self._last, number)
            self._moment = max(self._moment, result.finished_at)
        newest = dict([*self._newest, *results])
        ordered = sorted(newest.items(), key=lambda pair: (pair[1].finished_at, pair[0]))
        self._newest = ordered[-_MOST_SHOWN:]

    def _progress_at(self, record: RunRecord, status: str) -> dict[str, Any]:
        statuses = [status for status, _ in self._known.values()]
        scores = [f1 for _, f1 in self._known.values() if f1 is not None]
        errors = statuses.count("error")
        total = record.totals.get("planned_trials")
        if record.status == "finished":
            total = len(statuses)
        return {
            "run": record.id,
            "name": record.name,
            "status": status,
            "started_at": record.started_at,
            "done": len(statuses),
            "total": max(total, len(statuses)) if isinstance(total, int) else None,
            "passed": statuses.count("passed"),
            "failed": statuses.count("failed"),
            "errors": errors,
            "undecided": statuses.count("unscored"),
            "f1": mean_score(scores, answered=len(statuses) - errors, errors=errors),
            "is_cancelled": self._store.is_stop_requested(record.id),
            "is_finished": status != "running",
            "newest": self._shown(),
        }

    def _shown(self) -> list[dict[str, Any]]:
        records = self._store.evaluations(self._run)
        places = {record.number: at for at, record in enumerate(records)}
        labels = {record.number: evaluation_label(record) for record in records}
        return [
            {
                "evaluation": places.get(each.evaluation, 0),
                "label": labels.get(each.evaluation, ""),
                "case": each.case,
                "trial": each.trial,
                "status": _status(each),
                "score": each.f1,
                "seconds": each.seconds,
                "problem": None if each.failure is None else each.failure[1][:_LONGEST_PROBLEM],
            }
            for _, each in reversed(self._newest)
        ]


def status_of(store: Store, run: RunRecord) -> str:
    """The status of a run: `abandoned` if it is unfinished, and its process has ended."""
    if not is_abandoned(store, run):
        return run.status
    # It may have ended, and released its lock, after its record was read.
    now = store.find(run.id, resolve=None)
    return "abandoned" if now.status == "running" else now.status


def progress_of(store: Store, run: RunRecord) -> dict[str, Any]:
    """How far a run is: `Progress`."""
    return WatchedRun(store, run.id).progress()


def cancel(history: History, asked: Asked) -> dict[str, Any]:
    """`POST /api/runs/ID/cancel`."""
    with history.opened() as store:
        run = store.find(asked.path["run"], resolve=None)
        if status_of(store, run) != "running":
            raise asked.refusal(CONFLICT, _NOT_RUNNING, run=run.id)
        if run.command not in _STOPPABLE:
            raise asked.refusal(CONFLICT, _NOT_STOPPABLE, run=run.id, command=run.command)
        store.request_stop(run.id)
    return {"run": run.id, "is_requested": True}


# --- server-sent events ---------------------------------------------------------------------------


class Watcher:
    """Tells one reader how far a run is: at most twice a second, and only what has changed.

    Args:
        history: the history.
        run: the id of the run.
        on_close: called when the reader has left.
    """

    def __init__(self, history: History, run: str, on_close: Callable[[Watcher], None]) -> None:
        self._history = history
        self._run = run
        self._on_close = on_close
        self._watched: WatchedRun | None = None
        self._store: Store | None = None
        self._looks = 0
        self._last = b""
        self._spoken = monotonic()
        self.is_closed = False

    def next_event(self) -> tuple[bytes, float | None]:
        """The next event, or nothing; and the pause before the one after it, None after the last."""
        if self.is_closed:
            return b"", None
        started = monotonic()
        try:
            progress = self._look()
        except Exception as error:  # noqa: BLE001  (it is sent, and ends the stream)
            _, content = error_answer(error)
            return _event("problem", encoded(content)), None
        data = encoded(progress)
        event = b"" if data == self._last else _event("progress", data)
        if not event and started - self._spoken > _HEARTBEAT:
            event = b": still here\n\n"
        if event:
            self._spoken = started
        self._last = data
        if progress["is_finished"]:
            return event, None
        return event, max(_PAUSE, (monotonic() - started) / _SHARE)

    def _look(self) -> dict[str, Any]:
        with self._history.opened() as store:
            if self._watched is None or self._store is not store:
                self._watched, self._store = WatchedRun(store, self._run), store
                self._looks = 0
            is_thorough = self._looks % _THOROUGH == 0
            self._looks += 1
            progress = self._watched.progress(is_thorough=is_thorough)
            if progress["is_finished"] and not is_thorough:
                progress = self._watched.progress()  # with all that was replaced
            return progress

    def close(self) -> None:
        """Tell no more."""
        self.is_closed = True
        self._on_close(self)


def _event(name: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


class Watchers:
    """Those who watch runs, as many as the server can serve."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._lock = Lock()
        self._watchers: WeakSet[Watcher] = WeakSet()  # one whose reader left at once is not closed

    def watch(self, asked: Asked) -> Watcher:
        """Begin to watch the run that the query names."""
        with self._history.opened() as store:
            run = store.find(asked.text("run"), resolve=None).id
        with self._lock:
            if len(self._watchers) >= _MOST_WATCHERS:
                raise asked.refusal(CONFLICT, _TOO_MANY, most=_MOST_WATCHERS)
            watcher = Watcher(self._history, run, self._forget)
            self._watchers.add(watcher)
            return watcher

    def _forget(self, watcher: Watcher) -> None:
        with self._lock:
            self._watchers.discard(watcher)

    def close(self) -> None:
        """End all streams at their next look."""
        with self._lock:
            for watcher in self._watchers:
                watcher.is_closed = True
