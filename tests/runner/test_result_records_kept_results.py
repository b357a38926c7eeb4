"""What was kept, as the values that it was made of."""

from __future__ import annotations

from typing import Any

from tests.runner.agents import a_question

from callscore import models
from callscore.core.results import Answer, Usage
from callscore.core.settings import ArgumentRule, settings_from
from callscore.history.records import ResultRecord
from callscore.runner.result_records import (
    given_settings,
    stored_answer,
    stored_failure,
    stored_settings,
)


def a_result(**others: Any) -> ResultRecord:
    fields: dict[str, Any] = {"run": "r", "evaluation": 0, "case": "weather", "status": "error"}
    return ResultRecord(**fields | others)


def test_settings_are_told_as_they_were_given() -> None:
    judged = models.judge("small", base_url="http://localhost:1/v1")

    assert given_settings({}) == {}
    assert given_settings({"mode": "flexible", "effects": {"get_*": "read"}, "judge": judged}) == {
        "settings": {
            "mode": "flexible",
            "effects": {"get_*": "read"},
            "judge": {
                "model": "small",
                "base_url": "http://localhost:1/v1",
                "key_variable": "OPENAI_API_KEY",
            },
        }
    }


def test_kept_settings_are_what_settings_take() -> None:
    kept = {
        "arguments": [{"pattern": "*.query", "rule": "text", "options": {"similarity": 0.5}}],
        "strip_prefix": ["mcp__*__"],
        "effects": [["get_*", "read"]],
        "mode": "flexible",
    }

    found = stored_settings(kept)

    assert found["arguments"] == (ArgumentRule("*.query", "text", {"similarity": 0.5}),)
    assert found["strip_prefix"] == ("mcp__*__",)
    assert settings_from(found).effects == (("get_*", "read"),)
    assert kept["strip_prefix"] == ["mcp__*__"]


def test_an_answer_that_was_kept_was_there_before() -> None:
    result = a_result(answer=[], seconds=2.0, usage=Usage(1, 2, 3), attempts=2)

    assert stored_answer(a_result()) is None
    assert stored_answer(result) == Answer(
        document=[], seconds=2.0, usage=Usage(1, 2, 3), attempts=2, is_reused=True
    )


def test_a_failure_is_told_as_it_was_then() -> None:
    question = a_question(list)

    told = stored_failure(a_result(failure=("timeout", "too long"), attempts=3), question)
    unknown = stored_failure(a_result(failure=("of a later version", "odd")), question)
    nothing = stored_failure(a_result(), question)

    assert (told.kind, told.problem, told.attempts) == ("timeout", "too long", 3)
    assert (unknown.kind, unknown.problem) == ("raised", "odd")
    assert (nothing.kind, nothing.problem) == ("raised", "there is no answer")
