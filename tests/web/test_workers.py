"""Work in processes of their own, which end with the server."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest
from tests.e2e.processes import wait_until

from callscore import processes
from callscore.web import workers
from callscore.web.accept import Accept
from callscore.web.requests import Refusal
from callscore.web.workers import Workshop

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
WORK = Accept(place=None, run="nothing", evaluation=0, case="oslo")


def test_a_process_that_ends_is_a_sentence(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del project
    monkeypatch.setattr(processes, "_PROGRAM", "import os; os._exit(3)")

    with pytest.raises(Refusal, match="ended with exit code 3"):
        Workshop().do(WORK, "en")


def test_more_work_than_there_are_places_is_refused_after_a_while(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del project
    monkeypatch.setattr(workers, "_PATIENCE", 0.01)
    monkeypatch.setattr(workers, "_PLACES", 1)
    monkeypatch.setattr(processes, "_PROGRAM", "import sys; sys.stdin.read()")
    workshop = Workshop()
    ended: list[str] = []

    def work() -> None:
        try:
            workshop.do(WORK, "en")
        except Refusal as refusal:
            ended.append(refusal.sentence)

    thread = Thread(target=work)
    thread.start()
    wait_until(lambda: workshop._processes, "the only place is taken")
    with pytest.raises(Refusal, match="busy with other work"):
        workshop.do(WORK, "en")
    workshop.close()
    thread.join()

    assert ["ended with exit code -9" in sentence for sentence in ended] == [True]
