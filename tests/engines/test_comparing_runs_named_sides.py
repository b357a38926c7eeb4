"""A side of a comparison by what somebody calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from callscore.engines.comparing_runs import resolve_side, side_of_run
from callscore.errors import UnknownRun, UnreadableInput
from callscore.history.opening import open_store
from callscore.history.records import EvaluationRecord, ResultRecord, RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from callscore.history.store import Store

RUN = RunRecord(id="20261115-120000-aaaa", command="run", started_at=1.0, name="nightly:2")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A history of one run with two variants."""
    with open_store(tmp_path / "history.db") as opened:
        opened.begin(RUN)
        for number, variant in enumerate(["gpt:4", "small"]):
            record = EvaluationRecord(
                run=RUN.id, number=number, name="agent", variant=variant, place="eval_a.py::agent"
            )
            opened.add_evaluation(record)
            result = ResultRecord(
                run=RUN.id, evaluation=number, case="one", status="scored", passed=True
            )
            opened.save_results([result])
        opened.finish(RUN.id, "finished", {}, {})
        yield opened


def no_store() -> Store:
    """What gives the history where nobody should ask for it."""
    raise AssertionError


def test_a_run_is_known_by_what_it_may_be_called(store: Store) -> None:
    side = resolve_side("latest", store=lambda: store)

    assert (side.label, side.run) == ("latest", RUN.id)
    assert [each.label for each in side.evaluations] == ["agent [gpt:4]", "agent [small]"]


def test_one_variant_of_a_run_follows_a_colon_and_may_have_one(store: Store) -> None:
    side = side_of_run(store, "latest:gpt:4")

    assert side.label == "latest:gpt:4"
    assert [each.variant for each in side.evaluations] == ["gpt:4"]


def test_a_name_with_a_colon_in_it_is_a_name_first(store: Store) -> None:
    assert len(side_of_run(store, "nightly:2").evaluations) == 2


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("nobody", "unknown run 'nobody'"),
        ("nobody:small", "unknown run 'nobody'"),
        ("latest:", "unknown run 'latest:'"),
        ("latest:large", "large"),
    ],
)
def test_what_there_is_not_is_named(store: Store, reference: str, problem: str) -> None:
    with pytest.raises(UnknownRun, match=problem):
        side_of_run(store, reference)


def test_a_file_needs_no_history(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "one", "expected": ["search"], "actual": ["search"]}\n')

    side = resolve_side(str(file), store=no_store)

    assert (side.label, side.run) == (str(file), "")
    assert [case.id for case in side.evaluations[0].cases] == ["one"]


def test_a_file_of_traces_has_its_references_elsewhere(tmp_path: Path) -> None:
    references, traces = tmp_path / "references.jsonl", tmp_path / "traces.jsonl"
    references.write_text('{"id": "one", "expected": ["search"]}\n')
    traces.write_text('{"id": "one", "actual": []}\n')

    side = resolve_side(str(traces), store=no_store, expected=str(references))

    (trial,) = side.evaluations[0].cases[0].trials
    assert trial.passed is False


def test_a_file_that_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"none\.jsonl"):
        resolve_side(str(tmp_path / "none.jsonl"), store=no_store)
