"""Scores that are made anew of what is kept; nobody is asked anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from tests.runner.agents import RIGHT, WEATHER, a_case, a_plan
from tests.servers.openai_server import OpenAIServer, Reply, openai_server

from callscore import expect, models
from callscore.core.settings import Settings
from callscore.runner.running import RunOptions, run
from callscore.runner.stored_runs import StoredScores, stored_calls

if TYPE_CHECKING:
    import pytest

    from callscore.core.score import Score
    from callscore.evaluations.plan import Plan
    from callscore.history.records import ResultRecord
    from callscore.history.store import Store


def first_result(store: Store, asked: Plan) -> ResultRecord:
    found = run(asked, RunOptions(jobs=1), store=store)
    return next(store.results(found.id))


def score_of(store: Store, record: ResultRecord) -> Score | None:
    return StoredScores(store, store.evaluations(record.run)).score_of(record)


def test_a_score_is_what_it_was_with_what_the_tools_say(store: Store) -> None:
    answer = [{"name": "get_weather", "arguments": {"city": 7}}]
    record = first_result(store, a_plan(lambda _: answer, a_case(), tools=[WEATHER]))

    score = score_of(store, record)

    assert score is not None
    assert score.f1 == record.f1 == 0.0
    assert [fault.kind for fault in score.faults or ()] == ["wrong_type"]


def test_the_tools_of_a_case_count_where_the_evaluation_has_none(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: RIGHT, a_case(tools=[WEATHER])))

    score = score_of(store, record)

    assert score is not None
    assert score.faults == ()


def test_an_error_has_no_score(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: 1 / 0, a_case()))

    assert score_of(store, record) is None


def test_settings_that_nobody_knows_any_more_are_the_usual_ones(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: RIGHT, a_case()))
    (evaluation,) = store.evaluations(record.run)
    strange = replace(evaluation, settings={"glow": "in the dark"})

    assert StoredScores(store, [strange]).settings_of(0) == Settings()


def judge_server() -> Any:
    return openai_server(lambda *_: Reply(text='{"verdict": true, "reason": "it is a city"}'))


def judged(store: Store, server: OpenAIServer) -> ResultRecord:
    judge = models.judge("judge", base_url=server.base_url)
    case = a_case(expected=[expect.call("get_weather", city=expect.judge("Is it a city?"))])
    return first_result(store, a_plan(lambda _: RIGHT, case, judge=judge))


def test_a_judge_is_remembered_and_not_asked(store: Store) -> None:
    with judge_server() as server:
        record = judged(store, server)
        asked = len(server.requests)

        score = score_of(store, record)

        assert asked == len(server.requests) == 1
    assert score is not None
    assert score.f1 == 1.0


def test_a_judge_who_has_forgotten_is_not_asked_either(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judge_server() as server:
        record = judged(store, server)
        monkeypatch.setattr(store, "judgement", lambda _: None)

        assert score_of(store, record) is None
        assert len(server.requests) == 1


def test_calls_that_are_none_are_left_out(store: Store) -> None:
    record = first_result(store, a_plan(lambda _: RIGHT, a_case()))

    assert [call.name for call in stored_calls(record)] == ["get_weather"]
    assert stored_calls(replace(record, calls=[{"arguments": {}}])) == ()
    assert stored_calls(replace(record, calls=None)) == ()
