"""A run in progress: how far it is, and how it is stopped."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.history.made_up import a_result, a_run, an_evaluation

from callscore.history.locks import RunLock
from callscore.history.opening import open_store
from callscore.web import live_runs
from callscore.web.live_runs import WatchedRun, Watcher, Watchers
from callscore.web.open_history import History
from callscore.web.requests import Asked, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.web.conftest import Browser

    from callscore.history.store import Store

RUN = a_run().id
SECRET = "wq8Zt2LkPx91Vb"  # noqa: S105  (it is for these tests only)


@pytest.fixture
def store(project: Path) -> Iterator[Store]:
    """A history with a run in progress, of four questions."""
    with open_store(project / ".callscore/history.db") as opened, opened.lock(RUN):
        opened.begin(a_run(totals={"planned_trials": 4}))
        opened.add_evaluation(an_evaluation(RUN, 0))
        opened.add_evaluation(an_evaluation(RUN, 1, variant="small"))
        yield opened


@pytest.fixture
def history() -> Iterator[History]:
    with closing(History()) as opened:
        yield opened


def results() -> list[Any]:
    return [
        a_result(RUN, "oslo", passed=True, finished_at=1.0),
        a_result(RUN, "rome", passed=False, f1=0.5, evaluation=1, finished_at=2.0),
        a_result(
            RUN,
            "paris",
            status="error",
            passed=None,
            f1=None,
            failure=("timeout", "too slow"),
            finished_at=3.0,
        ),
        a_result(RUN, "bonn", status="not_scored", passed=None, f1=None, finished_at=4.0),
    ]


def events(answer: bytes) -> list[tuple[str, Any]]:
    found = []
    for block in answer.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "event" in lines:
            found.append((lines["event"], msgspec.json.decode(lines["data"])))
    return found


def test_a_run_whose_process_has_ended_is_abandoned(store: Store) -> None:
    run = a_run("20261116-070000-bcdf")
    store.begin(run)

    found = WatchedRun(store, run.id).progress()

    assert (found["status"], found["is_finished"], found["total"]) == ("abandoned", True, None)


def test_progress_contains_no_secret(
    store: Store, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save_results([a_result(RUN, f"case {SECRET}", passed=True)])
    monkeypatch.setenv("SERVICE_TOKEN", SECRET)
    watcher = Watcher(history, RUN, lambda _: None)

    event, _ = watcher.next_event()

    assert SECRET.encode() not in event
    assert b"case [hidden " in event


def test_the_home_page_and_the_run_show_how_far_it_is(browser: Browser, store: Store) -> None:
    store.save_results(results()[:2])

    [running] = browser.get("/api/home")["running"]
    page = browser.get(f"/api/runs/{RUN}")

    assert (running["run"], running["done"], running["total"]) == (RUN, 2, 4)
    assert page["progress"] == running
    assert (page["run"]["status"], page["index"]["count"]) == ("running", 2)


def test_events_are_told_until_the_run_ends(browser: Browser, store: Store) -> None:
    store.save_results(results())
    store.finish(RUN, "finished", {}, {})

    answer = browser.client.get(f"/api/events?run={RUN}")

    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    [(name, told)] = events(answer.content)
    assert (name, told["is_finished"], told["status"], told["done"]) == (
        "progress",
        True,
        "finished",
        4,
    )
    assert told["f1"] == (1.0 + 0.5 + 0.0) / 3  # an error counts as 0


def test_an_event_is_told_only_if_something_changed(
    store: Store, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = Watcher(history, RUN, lambda _: None)
    moments = iter([float(at) for at in range(1000)])
    monkeypatch.setattr(live_runs, "monotonic", lambda: next(moments))
    monkeypatch.setattr(live_runs, "_HEARTBEAT", 5.0)

    first, _ = watcher.next_event()
    quiet = [watcher.next_event()[0] for _ in range(6)]
    store.save_results(results()[:1])
    changed, _ = watcher.next_event()
    store.finish(RUN, "interrupted", {}, {})
    last, pause = watcher.next_event()

    assert events(first)[0][1]["done"] == 0
    assert {*quiet} == {b"", b": still here\n\n"}
    assert events(changed)[0][1]["done"] == 1
    assert (events(last)[0][1]["status"], pause) == ("interrupted", None)


def test_a_problem_ends_the_stream(store: Store, history: History, project: Path) -> None:
    watcher = Watcher(history, "20000101-000000-bbbb", lambda _: None)
    del store, project

    event, pause = watcher.next_event()

    assert events(event) == [
        ("problem", {"error": f"unknown run '20000101-000000-bbbb'. The newest runs: {RUN}"})
    ]
    assert pause is None


def test_readers_are_limited_and_those_who_leave_make_room(store: Store, history: History) -> None:
    del store
    watchers = Watchers(history)
    asked = Asked(query={"run": RUN})
    many = [watchers.watch(asked) for _ in range(20)]

    with pytest.raises(Refusal, match="the limit is 20"):
        watchers.watch(asked)
    many[0].close()
    many[0] = watchers.watch(asked)
    del many[-1]
    many.append(watchers.watch(asked))
    assert len(many) == 20


def test_a_run_in_progress_is_asked_to_stop(browser: Browser, store: Store) -> None:
    answer = browser.post(f"/api/runs/{RUN}/cancel")

    assert answer == {"run": RUN, "is_requested": True}
    assert store.is_stop_requested(RUN)
    assert browser.get("/api/home")["running"][0]["is_cancelled"]


def test_a_command_that_does_not_notice_a_request_is_not_asked(
    browser: Browser, store: Store
) -> None:
    run = a_run("20261116-070000-bcdf", command="score")
    store.begin(run)

    with RunLock(store, run.id):
        answer = browser.post(f"/api/runs/{run.id}/cancel", 409)

    assert "Press Ctrl-C in its terminal" in answer["error"]
