"""One case of a run, for programs."""

from __future__ import annotations

import msgspec
from tests.reports.kept_cases import AS_KEPT, ATTACKED, COMPARISON, FAILED, REPEATED

from callscore.reports.case import write_json


def test_a_case_is_an_object_with_all_that_was_kept() -> None:
    (case,) = msgspec.json.decode(write_json([FAILED]))

    (trial,) = case.pop("trials")
    assert case == {
        "run": "20261115-184354-k3f9",
        "evaluation": "assistant",
        "place": "evals/eval_assistant.py",
        "id": "weather",
        "tags": ["smoke", "short"],
        "input": "What is the weather in Paris?",
        "expected": [{"name": "getWeather", "arguments": {"location": "Paris"}}],
        "metadata": None,
    }
    assert list(trial) == [
        *("trial", "status", "passed", "f1", "values", "calls", "score", "comparison", "answer"),
        *("failure", "seconds", "usage", "attempts", "is_reused"),
    ]
    assert trial["score"]["incorrect"][0]["differences"][0]["path"] == "$.location"
    assert trial["usage"] == {"requests": 3, "input_tokens": 1204, "output_tokens": 33}


def test_a_trial_without_an_answer_says_why() -> None:
    (case,) = msgspec.json.decode(write_json([REPEATED]))

    assert case["trials"][1]["failure"] == {
        "kind": "timeout",
        "problem": "no answer within 60 seconds",
    }
    assert case["trials"][0]["failure"] is None


def test_what_cannot_be_scored_is_there_as_it_was_kept() -> None:
    (case,) = msgspec.json.decode(write_json([AS_KEPT]))

    assert case["trials"][0]["score"] is None
    assert case["trials"][0]["comparison"] == COMPARISON


def test_hostile_texts_stay_text() -> None:
    (case,) = msgspec.json.decode(write_json([ATTACKED]))

    assert case["id"] == ATTACKED.id
