"""Evaluations of scores, of results and of saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.runner.agents import an_evaluation

import callscore
from callscore.core.case import Case, Origin
from callscore.core.results import Failure, MetricValue, Result
from callscore.engines.collector import ScoreHooks
from callscore.engines.local import score_joined
from callscore.engines.saving import SaveRequest, ScoreSaver
from callscore.errors import InvalidSettings
from callscore.evaluations.plan import make_plan
from callscore.history.opening import open_store
from callscore.runner import event_loop as looping
from callscore.runner.running import RunOptions, run
from callscore.uploaders.evaluations import (
    Evaluation,
    evaluations_of,
    explain_briefly,
    stored_evaluations,
)

if TYPE_CHECKING:
    from callscore.core.score import Score

ROME = [{"name": "get_weather", "arguments": {"city": "Rome"}}]
PARIS = [{"name": "get_weather", "arguments": {"city": "Paris"}}]
TRACE, SPAN = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174"


def score(expected: Any = ROME, actual: Any = PARIS, **settings: Any) -> Score:
    return callscore.score(expected, actual, **settings)


def test_a_score_is_one_evaluation() -> None:
    (found,) = evaluations_of(score(), origin=Origin(TRACE), case="rome")

    assert (found.name, found.value, found.label) == ("callscore.accuracy", 0.0, "fail")
    assert found.explanation == 'get_weather: city: expected "Rome", got "Paris"'
    assert (found.case, found.origin) == ("rome", Origin(TRACE))


def test_explanations_are_short() -> None:
    many = score([{"name": f"tool_{number}"} for number in range(20)], [])
    long = score([{"name": "f", "arguments": {"text": "a" * 10_000}}], [{"name": "f" * 5_000}])

    assert explain_briefly(many).endswith("missing call: tool_4; 15 more")
    assert explain_briefly(score(ROME, ROME)) == "the expected call was made"
    assert explain_briefly(score([], [])) == "all 0 expected calls were made"
    (found,) = evaluations_of(long)
    assert found.explanation is not None
    assert len(found.explanation) <= 1_000


def test_secrets_of_the_environment_are_not_in_explanations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", "sk-very-secret-value-1")
    leaked = score(ROME, [{"name": "get_weather", "arguments": {"city": "sk-very-secret-value-1"}}])

    (found,) = evaluations_of(leaked)

    assert found.explanation is not None
    assert "get_weather: city" in found.explanation
    assert "sk-very-secret-value-1" not in found.explanation


def test_results_have_an_evaluation_for_each_case_with_its_origin() -> None:
    cases: list[dict[str, Any]] = [
        {"id": "a", "expected": ROME, "actual": ROME, "metadata": {"trace_id": TRACE, "span_id": SPAN}},
        {"id": "b", "expected": ROME, "actual": {"id": "chatcmpl-1", "choices": [{"message": {
            "role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {
                "name": "get_weather", "arguments": '{"city": "Paris"}'}}]}}]}},
        {"id": "c", "expected": ROME, "actual": PARIS},
    ]  # fmt: skip
    results = callscore.score_cases(cases, show="all", max_shown=None)

    found = evaluations_of(results)

    assert [(each.case, each.value, each.origin) for each in found] == [
        ("a", 1.0, Origin(TRACE, SPAN)),
        ("b", 0.0, Origin(response_id="chatcmpl-1")),
        ("c", 0.0, Origin()),
    ]


def test_results_without_some_of_their_cases_are_refused() -> None:
    cases = [{"id": str(n), "expected": ROME, "actual": ROME} for n in range(3)]

    with pytest.raises(InvalidSettings, match=r"0 of 3 cases\. Score with show='all'"):
        evaluations_of(callscore.score_cases(cases, show="none"))


def test_a_result_has_the_values_of_all_scorers() -> None:
    values = (
        MetricValue("accuracy", 0.5),
        MetricValue("tone", None, "no text"),
        MetricValue("broken", None, "TypeError", is_broken=True),
    )
    result = Result(case=Case(id="a"), values=values)

    found = evaluations_of(result)

    assert [(each.name, each.value, each.error) for each in found] == [
        ("callscore.accuracy", 0.5, None),
        ("callscore.broken", None, "unscored"),
    ]
    assert found[1].explanation == "TypeError"
    assert found[1].label is None


@pytest.mark.parametrize(
    ("kind", "value", "label"), [("timeout", 0.0, "fail"), ("unscored", None, None)]
)
def test_a_missing_answer_counts_as_zero_and_an_unscored_one_has_no_number(
    kind: Any, value: float | None, label: str | None
) -> None:
    failure = Failure(case="a", kind=kind, problem="it took too long")
    (found,) = evaluations_of(Result(case=Case(id="a"), status="error", failure=failure))

    assert (found.value, found.label, found.error) == (value, label, kind)
    assert found.explanation == "it took too long"


def test_ids_are_the_same_for_the_same_score_and_differ_for_others() -> None:
    known = Evaluation(name="a", case="c", run="r", metadata={"evaluation": "e"})
    same = Evaluation(name="a", case="c", run="r", metadata={"evaluation": "e"}, value=1.0)
    others = [
        Evaluation(name="b", case="c", run="r", metadata={"evaluation": "e"}),
        Evaluation(name="a", case="d", run="r", metadata={"evaluation": "e"}),
        Evaluation(name="a", case="c", run="s", metadata={"evaluation": "e"}),
        Evaluation(name="a", case="c", run="r", metadata={"evaluation": "f"}),
        Evaluation(name="a", case="c", run="r", trial=2, metadata={"evaluation": "e"}),
        Evaluation(name="a", case="\ud800", run="r"),
    ]

    assert known.id == same.id
    assert len({each.id for each in (known, *others)}) == len(others) + 1


# --- saved runs ---------------------------------------------------------------------------------


def spans(trace: str, city: str) -> dict[str, Any]:
    attributes = {
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.arguments": msgspec.json.encode({"city": city}).decode(),
    }
    return {
        "spans": [
            {"name": "execute_tool", "traceId": trace, "spanId": SPAN, "attributes": attributes}
        ]
    }


def save_traces(folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Save a run of two traces, of which one is right."""
    monkeypatch.chdir(folder)
    (folder / "traces").mkdir()
    cases = []
    for number, city in enumerate(["Rome", "Paris"]):
        trace = msgspec.json.encode(spans(f"{number:032x}", city))
        (folder / "traces" / f"c{number}.json").write_bytes(trace)
        cases.append({"id": f"c{number}", "expected": ROME, **options})
    (folder / "cases.json").write_bytes(msgspec.json.encode(cases))
    saver = ScoreSaver(
        SaveRequest(name="night", cases=["cases.json"], actual=["traces"]), open_store
    )
    files = sorted(map(str, Path("traces").iterdir()))
    hooks = saver.with_saving(ScoreHooks())
    score_joined("cases.json", files, id_from="filename", hooks=hooks)
    saver.finish()


def test_a_saved_run_of_traces_keeps_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_traces(tmp_path, monkeypatch, metadata={"team": "weather"})

    with open_store() as store:
        night = store.find("night")
        found = list(stored_evaluations(store, night))

    assert [(each.case, each.value, each.label, each.origin) for each in found] == [
        ("c0", 1.0, "pass", Origin(f"{0:032x}", SPAN)),
        ("c1", 0.0, "fail", Origin(f"{1:032x}", SPAN)),
    ]
    assert found[1].explanation == 'get_weather: city: expected "Rome", got "Paris"'
    assert {each.run for each in found} == {night.id}
    assert found[0].metadata["run_name"] == "night"
    assert found[0].scored_at is not None


ANSWERS: dict[str, tuple[Any, Origin]] = {
    "a trace": ([spans(TRACE, "Rome")], Origin(TRACE, SPAN)),
    "fields": (
        {"calls": ROME, "trace_id": TRACE, "response_id": "r"},
        Origin(TRACE, response_id="r"),
    ),
    "calls": (ROME, Origin()),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_the_answer_of_an_agent_says_where_it_was_recorded_and_its_case_does_not(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer, expected = ANSWERS[kind]
    case = Case("?", id="a", expected=ROME, metadata={"trace_id": "of an earlier answer"})
    with open_store(tmp_path / "history.db") as store:
        plan = make_plan([an_evaluation(lambda _: answer, case)])
        saved = run(plan, RunOptions(jobs=1), store=store)
        looping.close_idle_loop()  # the loop is of this test alone

        (found,) = stored_evaluations(store, store.find(saved.id))

    assert (found.case, found.value) == ("a", 1.0)
    assert found.origin == expected
