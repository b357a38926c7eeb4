"""A run can be asked to stop, from wherever its history can be written."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.history.made_up import a_run

from callscore.history import stopping
from callscore.history.stopping import is_stop_requested, request_stop, stopping_on_request

if TYPE_CHECKING:
    from callscore.history.store import Store

RUN = a_run().id
OTHER = "20261116-070000-bcdf"
SOON = 300.0  # a busy machine is slow, not wrong


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "_INTERVAL", 0.01)


def test_only_the_run_that_was_asked_stops(store: Store) -> None:
    store.begin(a_run())
    store.begin(a_run(OTHER))

    request_stop(store, RUN)
    request_stop(store, RUN)

    assert (is_stop_requested(store, RUN), is_stop_requested(store, OTHER)) == (True, False)


def test_a_resumed_run_goes_on(store: Store) -> None:
    store.begin(a_run())
    request_stop(store, RUN)
    store.finish(RUN, "interrupted", {}, {})

    store.begin(replace(store.find(RUN), status="running", finished_at=None))

    assert not is_stop_requested(store, RUN)


def test_the_run_is_stopped_once_when_it_was_asked(store: Store) -> None:
    store.begin(a_run())
    stopped: list[str] = []
    is_stopped = Event()

    def stop() -> None:
        stopped.append("stopped")
        is_stopped.set()

    with stopping_on_request(store, RUN, stop):
        request_stop(store, RUN)
        assert is_stopped.wait(SOON)

    assert stopped == ["stopped"]
