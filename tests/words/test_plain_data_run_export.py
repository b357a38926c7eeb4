"""What running agents gave, as plain data."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.reports.runs import ATTACKED, FINE, MIXED, NOTHING, VARIANTS, WEATHER

from callscore.core.call import ToolCall
from callscore.core.results import CaseValues, MetricValue, RunResults, ScorerResult
from callscore.words.plain_data import case_to_dict, run_to_dict


def first_of(run: RunResults) -> dict[str, Any]:
    found: dict[str, Any] = run_to_dict(run)["evaluations"][0]
    return found


def test_nothing_run_is_an_empty_document() -> None:
    assert run_to_dict(NOTHING) == {
        "id": "",
        "is_interrupted": False,
        "seconds": 0.0,
        "totals": {
            "answered": 0,
            "passed": 0,
            "failing": 0,
            "undecided": 0,
            "errors": 0,
            "skipped": 0,
            "with_forbidden_calls": 0,
            "reused": 0,
            "usage": {"requests": 0, "input_tokens": 0, "output_tokens": 0},
        },
        "evaluations": [],
        "unloaded": [],
        "judges": [],
        "below": [],
        "warnings": [],
    }


def test_the_totals_add_up_over_the_evaluations() -> None:
    document = run_to_dict(MIXED)

    assert document["totals"] == {
        "answered": 8,
        "passed": 3,
        "failing": 4,
        "undecided": 1,
        "errors": 4,
        "skipped": 1,
        "with_forbidden_calls": 0,
        "reused": 2,
        "usage": {"requests": 9, "input_tokens": 12_345, "output_tokens": 678},
    }
    assert document["below"] == ["assistant: accuracy", "assistant: polite"]


def test_what_is_known_of_the_run_itself_is_there() -> None:
    document = run_to_dict(MIXED)

    assert document["id"] == "20261115-184354-k3f9"
    assert document["is_interrupted"] is True
    assert document["judges"] == [{"model": "gpt-4.1-mini", "judged": 12, "asked": 4}]
    assert document["warnings"] == list(MIXED.warnings)
    assert document["unloaded"][0]["place"] == "evals/eval_broken.py:3"
    assert document["unloaded"][0]["problem"].startswith("ModuleNotFoundError")


def test_a_scorer_says_whether_it_misses_its_threshold() -> None:
    scorers = {scorer["name"]: scorer for scorer in first_of(MIXED)["scorers"]}

    assert scorers["accuracy"] == {
        "name": "accuracy",
        "mean": 2 / 3,
        "scored": 5,
        "passed": 2,
        "threshold": 0.9,
        "is_below": True,
        "not_scorable": {"count": 0, "names": []},
        "broken": {"count": 0, "names": []},
    }
    assert scorers["parameters_valid"]["is_below"] is False
    assert scorers["tool_called"]["threshold"] is None


def test_errors_are_apart_from_failing_cases() -> None:
    evaluation = first_of(MIXED)

    assert (evaluation["failing"], evaluation["errors"]) == (3, 4)
    assert evaluation["failures"][0] == {
        "id": "convert-5-miles-to-km",
        "trial": None,
        "kind": "timeout",
        "problem": "no answer within 60 seconds",
        "details": "",
        "attempts": 3,
    }


def test_a_case_is_as_in_the_report_of_a_score_with_what_the_scorers_say() -> None:
    (case,) = first_of(MIXED)["cases"]

    alone = case_to_dict(WEATHER)
    assert case["values"] == alone.pop("metrics")
    assert {key: case[key] for key in case.keys() & alone.keys()} == {
        key: alone[key] for key in case.keys() & alone.keys()
    }
    assert alone.keys() - case.keys() == {"settings"}


def test_a_case_passes_where_every_scorer_says_so_and_not_for_its_score_alone() -> None:
    content, strict = MetricValue("polite", 1.0), MetricValue("polite", 0.2)
    each = MIXED.evaluations[0]
    cases = tuple(replace(WEATHER, metrics=(value,)) for value in (content, strict))
    run = RunResults(evaluations=(replace(each, results=replace(each.results, cases=cases)),))

    assert [case["passed"] for case in first_of(run)["cases"]] == [True, False]


def test_a_case_of_which_nothing_is_expected_has_its_calls_and_values() -> None:
    evaluation = run_to_dict(MIXED)["evaluations"][1]

    (case,) = evaluation["unreferenced"]
    assert case == {
        "id": "promise-me-a-refund",
        "trial": None,
        "tags": [],
        "passed": False,
        "values": [{"name": "no_promises", "value": 0.0, "reason": "it says “at once”"}],
        "calls": [
            {"name": "getWeather", "arguments": {"location": "Paris", "unit": "celsius"}},
            {"name": "reply", "arguments": {"text": "Of course, at once!"}},
        ],
    }


def test_no_number_from_any_scorer_is_neither_passed_nor_failed() -> None:
    each = replace(
        MIXED.evaluations[1],
        unreferenced=(CaseValues(id="a", values=(MetricValue("x", None, "no text"),)),),
    )

    assert first_of(RunResults(evaluations=(each,)))["unreferenced"][0]["passed"] is None


def test_a_broken_scorer_is_called_so_and_its_answer_does_not_pass() -> None:
    value = MetricValue("x", None, "it raises KeyError", is_broken=True)
    each = replace(MIXED.evaluations[1], unreferenced=(CaseValues(id="a", values=(value,)),))

    (case,) = first_of(RunResults(evaluations=(each,)))["unreferenced"]

    assert case["passed"] is False
    assert case["values"] == [
        {"name": "x", "value": None, "reason": "it raises KeyError", "broken": True}
    ]


def test_repeated_cases_have_their_trials_and_the_chances() -> None:
    evaluation = run_to_dict(VARIANTS)["evaluations"][1]

    assert evaluation["variant"] == "claude-sonnet-4"
    assert evaluation["trials"] == {
        "cases": [
            {"id": "weather", "trials": 3, "passed": 2, "is_flaky": True},
            {"id": "sum", "trials": 3, "passed": 3, "is_flaky": False},
        ],
        "pass_at_k": pytest.approx([(2 / 3 + 1) / 2, 1.0, 1.0]),
        "pass_hat_k": pytest.approx([(2 / 3 + 1) / 2, (1 / 3 + 1) / 2, 0.5]),
    }


def test_without_repetitions_there_is_nothing_about_trials() -> None:
    assert first_of(FINE)["trials"] is None


def test_the_numbers_of_the_calls_are_those_of_a_score_without_what_is_said_elsewhere() -> None:
    evaluation = first_of(MIXED)

    assert evaluation["results"]["totals"]["cases"] == 1
    assert evaluation["results"]["calls"]["incorrect"] == 1
    assert not {"cases", "metrics", "settings", "trials"} & evaluation["results"].keys()
    assert evaluation["settings"]["mode"] == "strict"
    assert evaluation["not_shown"] == 2


def test_sentences_can_be_had_in_russian() -> None:
    document = run_to_dict(MIXED, lang="ru")

    assert document["evaluations"][0]["cases"][0]["rating"] == "Плохо"


def test_anything_can_be_encoded() -> None:
    strange = "\ud800" + "\x00"
    each = replace(
        MIXED.evaluations[1],
        name=strange,
        scorers=(ScorerResult(name=strange, mean=float("nan")),),
        unreferenced=(CaseValues(id=strange, calls=(ToolCall(strange, {}),)),),
    )

    text = msgspec.json.encode(run_to_dict(RunResults(evaluations=(each,))))

    assert b'"mean":"NaN"' in text
    assert msgspec.json.decode(msgspec.json.encode(ATTACKED.to_dict())) == ATTACKED.to_dict()
