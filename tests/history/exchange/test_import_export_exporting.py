"""A run as lines: all of it, and the answers of one that is to go on elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.history.exchange import import_export as exporting
from callscore.history.exchange.import_export import export_lines, import_records, run_answers
from callscore.history.exchange.json_lines import read_lines
from callscore.history.opening import open_store
from callscore.history.queries import ANSWERS_OF_RUN

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from callscore.history.store import Store

RUN = a_run(status="interrupted", finished_at=1_794_768_300.0)


def filled(store: Store) -> None:
    store.begin(RUN)
    store.add_evaluation(an_evaluation(RUN.id))
    store.keep([a_result(RUN.id), *(an_answer(RUN.id, f"{number:04x}") for number in range(5))])
    store.keep([an_answer("", "ffff")])


def test_a_run_that_did_not_end_can_go_on_elsewhere(store: Store, tmp_path: Path) -> None:
    filled(store)

    lines = list(export_lines(store, RUN))
    with open_store(tmp_path / "other.db") as other:
        import_records(other, read_lines([line for line, _ in lines], "run.jsonl"))
        assert other.find(RUN.id) == RUN
        assert list(run_answers(other, RUN.id)) == list(run_answers(store, RUN.id))

    assert sum(count for _, count in lines) == 1
    assert lines[-1][0] == b'{"end":{"evaluations":1,"results":1}}\n'


def test_of_a_run_that_ended_the_answers_stand_in_the_results(store: Store) -> None:
    filled(store)
    store.finish(RUN.id, "finished", {}, {})

    lines = [line for line, _ in export_lines(store, replace(RUN, status="finished"))]

    assert not any(line.startswith(b'{"answer"') for line in lines)


def test_many_answers_are_read_in_parts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(store)
    monkeypatch.setattr(exporting, "ANSWERS_PER_PAGE", 2)
    monkeypatch.setattr(exporting, "ANSWERS_OF_RUN", ANSWERS_OF_RUN.limit(2))

    assert [each.question for each in run_answers(store, RUN.id)] == [
        f"{number:04x}" for number in range(5)
    ]
