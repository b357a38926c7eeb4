"""Records become rows and come back as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.history.made_up import a_result, a_run, an_answer, an_evaluation

from callscore.core.results import MetricValue, Usage
from callscore.history.encoding import add_payload, result_row

if TYPE_CHECKING:
    from callscore.history.records import AnswerRecord, EvaluationRecord, ResultRecord, RunRecord
    from callscore.history.store import Store

RUN = a_run().id


@pytest.mark.parametrize(
    "run",
    [
        a_run(),
        a_run(
            status="interrupted",
            finished_at=1_794_768_300.25,
            name="nightly, Погода",
            arguments={"paths": ["evals"], "trials": 3},
            versions={"callscore": "1.0", "python": "3.11.7"},
            git_commit="ab" * 20,
            git_dirty=True,
            parent="20261114-000000-bbbb",
            totals={"passed": 3, "f1": 0.5},
        ),
        a_run(git_dirty=False),
    ],
)
def test_a_run_comes_back_as_it_was(store: Store, run: RunRecord) -> None:
    store.begin(run)

    assert store.find(run.id) == run


@pytest.mark.parametrize(
    "record",
    [
        an_evaluation(RUN),
        an_evaluation(
            RUN,
            3,
            variant="gpt-4.1",
            place="evals/eval_assistant.py:12",
            settings={"mode": "flexible", "arguments": {}},
            scorers=("accuracy", "polite"),
            thresholds={"accuracy": 0.9},
            tools=[{"name": "search", "parameters": {"type": "object"}}],
            summary={"passed": 2},
        ),
    ],
)
def test_an_evaluation_comes_back_as_it_was(store: Store, record: EvaluationRecord) -> None:
    store.begin(a_run())
    store.add_evaluation(record)

    assert store.evaluations(RUN) == [record]


@pytest.mark.parametrize(
    "record",
    [
        a_result(RUN),
        a_result(
            RUN,
            status="error",
            answer=None,
            calls=None,
            f1=None,
            counts=(),
            passed=None,
            values=(),
            failure=("timeout", "no answer within 60 s"),
            attempts=3,
        ),
        a_result(RUN, status="not_scored", f1=None, counts=(), calls=[], payload={}, question=""),
        a_result(RUN, trial=7, evaluation=2, is_reused=True, passed=False, usage=Usage()),
        a_result(RUN, values=(MetricValue("polite", 0.25, "a little"),)),
        a_result(RUN, values=(MetricValue("polite", None, "it raises", is_broken=True),)),
        a_result(
            RUN,
            expectation="ab" * 16,
            asked="0" * 32,
            faults=0,
            tools={"search": (1, 0, 2, 0, 0), "погода \x00": (0, 0, 0, 0, 1)},
            comparison={"pairs": [[0, 1, False]], "differences": [{"path": "$.город"}]},
        ),
        a_result(RUN, tools={}, comparison={}, faults=3),
        a_result(RUN, answer="only text, «и ещё», \x1b[31m and \x00"),
        a_result(RUN, answer={"deep": [{"a": [1, 2.5, None, True, 10**30]}]}),
    ],
)
def test_a_result_comes_back_as_it_was(store: Store, record: ResultRecord) -> None:
    store.begin(a_run())
    store.keep([record])

    assert list(store.results(RUN)) == [record]


@pytest.mark.parametrize(
    "record",
    [
        an_answer(RUN),
        an_answer(),
        an_answer(source="ab" * 16, trial=3, attempts=4, answer=None, question="not a digest"),
    ],
)
def test_an_answer_comes_back_as_it_was(store: Store, record: AnswerRecord) -> None:
    store.begin(a_run())
    store.keep([record])

    assert store.answer(record.question, record.source, record.trial) == record


@pytest.mark.parametrize("hostile", ["\x00", "\ud800", "'; DROP TABLE runs; --", "\u202e"])
def test_a_hostile_name_is_only_a_name(store: Store, hostile: str) -> None:
    store.begin(a_run(name=hostile))
    store.keep([a_result(RUN, hostile, failure=("raised", hostile))])

    [result] = store.results(RUN)

    assert result.case.isprintable() or result.case == hostile
    assert store.find(hostile).id == RUN


def test_a_server_that_counts_without_end_stops_nothing(store: Store) -> None:
    store.begin(a_run())
    store.keep([a_result(RUN, usage=Usage(1, 10**40, 2))])

    [result] = store.results(RUN)

    assert result.usage == Usage(1, 2**31 - 1, 2)


def test_the_tags_of_a_case_have_a_column() -> None:
    row: dict[str, Any] = result_row(a_result(RUN), 1, {})

    assert row["tags"] == '["smoke"]'


def test_nothing_needs_no_payload() -> None:
    bodies: dict[bytes, bytes] = {}

    assert add_payload(None, bodies) is None
    assert not bodies


def test_a_digest_that_somebody_made_up_is_known_by_its_own(store: Store) -> None:
    store.begin(a_run())
    store.keep([a_result(RUN, expectation="no digest \ud800", faults=10**12)])

    [result] = store.results(RUN)

    assert len(bytes.fromhex(result.expectation)) == 16
    assert (result.asked, result.faults) == ("", 2**31 - 1)


def test_what_was_called_has_a_digest_without_the_ids_of_the_calls() -> None:
    rows = [
        result_row(a_result(RUN, calls=[{"id": each, "name": "search", "arguments": {}}]), 1, {})
        for each in ("call_1", "call_2")
    ]

    assert rows[0]["made"] == rows[1]["made"] != result_row(a_result(RUN), 1, {})["made"]
    assert result_row(a_result(RUN, calls=None), 1, {})["made"] is None
