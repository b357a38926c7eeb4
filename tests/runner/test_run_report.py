"""A stored run as an HTML report needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.reports.opened_html import OpenedReport, open_html
from tests.runner.agents import RIGHT, a_case, a_plan

from callscore.errors import UnknownRun
from callscore.runner.run_report import StoredRunReport, stored_case, trend_rows, write_stored_run
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import ShowOptions, load_run

if TYPE_CHECKING:
    from callscore.core.results import RunResults
    from callscore.history.store import Store

ALL = ShowOptions(show="all", max_shown=None, is_whole=True)
WRONG = [{"name": "get_weather", "arguments": {"city": "Rome"}}, {"name": "log", "arguments": {}}]


def ran(store: Store, answers: dict[str, Any], **others: Any) -> RunResults:
    """A run of one evaluation; an answer that is an error is raised."""

    def task(case: Any) -> Any:
        found = answers[case.id]
        if isinstance(found, Exception):
            raise found
        return found

    cases = [a_case(name, tags=["t"]) for name in answers]
    return run(a_plan(task, *cases, **others), RunOptions(jobs=1), store=store)


def opened(store: Store, options: ShowOptions = ALL, case: str | None = None) -> OpenedReport:
    found = store.find("latest")
    return open_html(b"".join(write_stored_run(store, found, options, case)))


def test_every_result_is_in_the_report_with_its_input_and_answer(store: Store) -> None:
    ran(store, {"right": RIGHT, "wrong": WRONG, "broken": ValueError("no model")})

    report = opened(store)

    statuses = dict(zip(report.column("id"), report.column("status"), strict=True))
    assert statuses == {"right": 0, "wrong": 1, "broken": 2}
    by_id = {case["id"]: case for case in report.cases}
    assert by_id["wrong"]["input"] == "Ask about wrong"
    assert by_id["wrong"]["answer"] == WRONG
    assert by_id["broken"]["failure"]["kind"] == "raised"
    assert "no model" in by_id["broken"]["failure"]["problem"]


def test_the_totals_are_those_of_show(store: Store) -> None:
    ran(store, {"right": RIGHT, "wrong": WRONG, "broken": ValueError("no model")})
    found = store.find("latest")
    report = StoredRunReport(store, found, ALL)

    list(report.results())

    shown = load_run(store, found, ALL)
    assert report.totals().evaluations[0].scorers == shown.evaluations[0].scorers
    assert report.totals().evaluations[0].results.summary == shown.evaluations[0].results.summary


def test_the_document_counts_failures_and_errors_and_says_what_to_do(store: Store) -> None:
    results = ran(store, {"right": RIGHT, "wrong": WRONG, "broken": ValueError("no model")})

    document = opened(store).document

    assert document["counts"] == {
        "cases": 3,
        "trials": 3,
        "passed": 1,
        "failed": 1,
        "errors": 1,
        "unscored": 0,
    }
    assert document["verdict"]["status"] == "bad"
    assert document["next"][0]["command"] == "callscore run --last-failed"
    assert document["case_command"] == f"callscore show {results.id}"
    assert document["title"] == "assistant"


def test_trials_have_numbers_only_if_there_are_several(store: Store) -> None:
    ran(store, {"right": RIGHT})
    single = opened(store)
    ran(store, {"right": RIGHT}, trials=2)
    several = opened(store)

    assert single.index["trial"] is None
    assert several.column("trial") == [1, 2]


def test_only_failing_cases_are_in_it_if_asked(store: Store) -> None:
    ran(store, {"right": RIGHT, "wrong": WRONG, "broken": ValueError("no model")})

    report = opened(store, ShowOptions(show="failing", max_shown=1))

    assert report.column("id") == ["wrong"]
    assert report.document["not_shown"] == 1
    assert report.document["counts"]["passed"] == 1


def test_nothing_is_listed_if_no_case_is_to_be_shown(store: Store) -> None:
    ran(store, {"right": RIGHT})

    assert opened(store, ShowOptions(show="none")).index["count"] == 0


def test_one_case_can_be_shown_alone(store: Store) -> None:
    ran(store, {"right": RIGHT, "wrong": WRONG})

    assert opened(store, case="wrong").column("id") == ["wrong"]
    assert opened(store, case="assistant::right").column("id") == ["right"]


def test_a_keyword_that_fits_nothing_is_refused(store: Store) -> None:
    ran(store, {"right": RIGHT})

    with pytest.raises(UnknownRun, match="nothing in run"):
        opened(store, ShowOptions(keyword="other"))
    assert opened(store, ShowOptions(keyword="right", show="all")).index["count"] == 1


def test_the_trend_has_the_complete_runs_up_to_this_one(store: Store) -> None:
    first = ran(store, {"right": WRONG})
    second = ran(store, {"right": RIGHT})
    ran(store, {"right": RIGHT})

    found = trend_rows(store, store.find(second.id))

    assert [row.id for row in found["assistant"]] == [first.id, second.id]
    assert [row.share for row in found["assistant"]] == [0.0, 1.0]


def test_the_report_has_the_trend_of_each_evaluation(store: Store) -> None:
    ran(store, {"right": WRONG})
    second = ran(store, {"right": RIGHT})

    [evaluation] = opened(store).document["evaluations"]

    assert [point["is_this"] for point in evaluation["trend"]] == [False, True]
    assert evaluation["trend"][1]["run"] == second.id


def test_warnings_of_a_run_that_has_just_ended_are_in_it(store: Store) -> None:
    results = ran(store, {"right": RIGHT})
    live = replace(results, warnings=("the judge was slow",))

    parts = write_stored_run(store, store.find("latest"), ALL, live=live)

    notes = open_html(b"".join(parts)).document["notes"]
    assert [note["text"] for note in notes if note["is_warning"]] == ["the judge was slow"]


def test_a_case_is_found_by_its_evaluation_with_all_its_trials(store: Store) -> None:
    ran(store, {"right": RIGHT, "wrong": WRONG}, trials=2)
    found = store.find("latest")
    [record] = store.evaluations(found.id)

    results = stored_case(store, found, record.number, "wrong")

    assert [result.case.trial for _, result in results] == [1, 2]
    assert {result.passed for _, result in results} == {False}
    assert stored_case(store, found, record.number, "unknown") == []


def test_an_interrupted_run_can_be_resumed(store: Store) -> None:
    results = ran(store, {"right": RIGHT, "wrong": WRONG})
    live = replace(results, is_interrupted=True)

    parts = write_stored_run(store, store.find("latest"), ALL, live=live)

    steps = open_html(b"".join(parts)).document["next"]
    assert [step["command"] for step in steps] == ["callscore run --resume"]
